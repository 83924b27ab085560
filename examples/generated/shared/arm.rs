/// The pose (rotation matrix by columns, position) of an arm with seven revolute joints, by the constants
/// `(cos α, sin α, a, d)` of Denavit and Hartenberg.
pub fn pose<T: Real<Base = f64>>(q: &[T]) -> Vec<T> {
    const JOINTS: [[f64; 4]; 7] = [
        [0.0, -1.0, 0.0, 0.34],
        [0.0, 1.0, 0.02, 0.0],
        [0.0, 1.0, -0.03, 0.40],
        [0.0, -1.0, 0.05, 0.01],
        [0.0, -1.0, 0.0, 0.40],
        [0.0, 1.0, 0.08, 0.0],
        [0.8, 0.6, 0.01, 0.126],
    ];
    let (o, i) = (T::lit(0.0), T::lit(1.0));
    let (mut x, mut y, mut z, mut p) = ([i, o, o], [o, i, o], [o, o, i], [o, o, o]);
    for (q, [ca, sa, a, d]) in q.iter().zip(JOINTS) {
        let (s, c) = q.sin_cos();
        for k in 0..3 {
            let (u, v) = (x[k] * c + y[k] * s, y[k] * c - x[k] * s);
            p[k] = p[k] + u * a + z[k] * d;
            (x[k], y[k], z[k]) = (u, v * ca + z[k] * sa, z[k] * ca - v * sa);
        }
    }
    [x, y, z, p].concat()
}

//! The pose (rotation matrix by columns, position) of an arm with seven revolute joints: R⁷ → R¹².

use wengert::{DualN, Real, VectorFunction};

/// Denavit–Hartenberg constants of a joint: `(cos α, sin α, a, d)`.
const JOINTS: [[f64; 4]; 7] = [
    [0.0, -1.0, 0.0, 0.34],
    [0.0, 1.0, 0.02, 0.0],
    [0.0, 1.0, -0.03, 0.40],
    [0.0, -1.0, 0.05, 0.01],
    [0.0, -1.0, 0.0, 0.40],
    [0.0, 1.0, 0.08, 0.0],
    [0.8, 0.6, 0.01, 0.126],
];

/// The pose; written once for every number.
#[inline]
pub fn pose<T: Real<Base = f64>>(q: &[T], out: &mut [T]) {
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
    out[..3].copy_from_slice(&x);
    out[3..6].copy_from_slice(&y);
    out[6..9].copy_from_slice(&z);
    out[9..].copy_from_slice(&p);
}

/// The pose for drivers.
pub struct Pose;

impl VectorFunction for Pose {
    fn outputs(&self, _: usize) -> usize {
        12
    }
    #[inline]
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        pose(x, y)
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Column-major 12 × 7 Jacobian by hand, the geometric one: a joint's axis times the part of the arm that it moves.
#[inline]
pub fn hand(q: &[f64; 7], jacobian: &mut [f64; 84]) {
    let (mut x, mut y, mut z, mut p) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]);
    let (mut axes, mut origins) = ([[0.0; 3]; 7], [[0.0; 3]; 7]);
    for (j, (q, [ca, sa, a, d])) in q.iter().zip(JOINTS).enumerate() {
        (axes[j], origins[j]) = (z, p);
        let (s, c) = q.sin_cos();
        for k in 0..3 {
            let (u, v) = (x[k] * c + y[k] * s, y[k] * c - x[k] * s);
            p[k] += u * a + z[k] * d;
            (x[k], y[k], z[k]) = (u, v * ca + z[k] * sa, z[k] * ca - v * sa);
        }
    }
    for (j, column) in jacobian.chunks_exact_mut(12).enumerate() {
        let arm = [p[0] - origins[j][0], p[1] - origins[j][1], p[2] - origins[j][2]];
        column[..3].copy_from_slice(&cross(axes[j], x));
        column[3..6].copy_from_slice(&cross(axes[j], y));
        column[6..9].copy_from_slice(&cross(axes[j], z));
        column[9..].copy_from_slice(&cross(axes[j], arm));
    }
}

/// By hand without the geometry: the tangent of every operation, joint by joint, as a translator would write it.
#[inline]
pub fn hand_tangents(q: &[f64; 7], jacobian: &mut [f64; 84]) {
    let (mut x, mut y, mut z, mut p) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]);
    let (mut dx, mut dy, mut dz, mut dp) = ([[0.0; 3]; 7], [[0.0; 3]; 7], [[0.0; 3]; 7], [[0.0; 3]; 7]);
    for (j, (q, [ca, sa, a, d])) in q.iter().zip(JOINTS).enumerate() {
        let (s, c) = q.sin_cos();
        for i in 0..j {
            for k in 0..3 {
                let (u, v) = (dx[i][k] * c + dy[i][k] * s, dy[i][k] * c - dx[i][k] * s);
                dp[i][k] += u * a + dz[i][k] * d;
                (dx[i][k], dy[i][k], dz[i][k]) = (u, v * ca + dz[i][k] * sa, dz[i][k] * ca - v * sa);
            }
        }
        for k in 0..3 {
            let (u, v) = (x[k] * c + y[k] * s, y[k] * c - x[k] * s);
            p[k] += u * a + z[k] * d;
            (dx[j][k], dy[j][k], dz[j][k], dp[j][k]) = (v, -u * ca, u * sa, v * a);
            (x[k], y[k], z[k]) = (u, v * ca + z[k] * sa, z[k] * ca - v * sa);
        }
    }
    for (j, column) in jacobian.chunks_exact_mut(12).enumerate() {
        column[..3].copy_from_slice(&dx[j]);
        column[3..6].copy_from_slice(&dy[j]);
        column[6..9].copy_from_slice(&dz[j]);
        column[9..].copy_from_slice(&dp[j]);
    }
}

/// As [`hand_tangents`], with all seven lanes from the first joint on: the cost of dense lanes without a number type.
#[inline]
pub fn hand_dense(q: &[f64; 7], jacobian: &mut [f64; 84]) {
    type Lanes = [f64; 8];
    let mut p = [[0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]];
    (p[0][0], p[1][1], p[2][2]) = (1.0, 1.0, 1.0);
    let mut dp: [[Lanes; 3]; 4] = [[[0.0; 8]; 3]; 4];
    for (j, (q, [ca, sa, a, d])) in q.iter().zip(JOINTS).enumerate() {
        let (s, c) = q.sin_cos();
        let (mut ds, mut dc) = ([0.0; 8], [0.0; 8]);
        (ds[j], dc[j]) = (c, -s);
        for k in 0..3 {
            let [dx, dy, dz, dq]: [Lanes; 4] = std::array::from_fn(|v| dp[v][k]);
            let (x, y, z) = (p[0][k], p[1][k], p[2][k]);
            let (u, v) = (x * c + y * s, y * c - x * s);
            let du: Lanes = std::array::from_fn(|i| dx[i] * c + x * dc[i] + dy[i] * s + y * ds[i]);
            let dv: Lanes = std::array::from_fn(|i| dy[i] * c + y * dc[i] - dx[i] * s - x * ds[i]);
            p[3][k] += u * a + z * d;
            (p[0][k], p[1][k], p[2][k]) = (u, v * ca + z * sa, z * ca - v * sa);
            dp[3][k] = std::array::from_fn(|i| dq[i] + du[i] * a + dz[i] * d);
            dp[0][k] = du;
            dp[1][k] = std::array::from_fn(|i| dv[i] * ca + dz[i] * sa);
            dp[2][k] = std::array::from_fn(|i| dz[i] * ca - dv[i] * sa);
        }
    }
    for (j, column) in jacobian.chunks_exact_mut(12).enumerate() {
        for (slot, lanes) in column.iter_mut().zip(dp.as_flattened()) {
            *slot = lanes[j];
        }
    }
}

/// The loop that a user of `DualN` would write.
#[inline]
pub fn lanes<const N: usize>(q: &[f64; 7], jacobian: &mut [f64; 84]) {
    let q: [DualN<f64, N>; 7] = std::array::from_fn(|i| DualN::variable(q[i], i));
    let mut y = [DualN::constant(0.0); 12];
    pose(&q, &mut y);
    for (j, column) in jacobian.chunks_exact_mut(12).enumerate() {
        for (slot, y) in column.iter_mut().zip(&y) {
            *slot = y.tangents()[j];
        }
    }
}

/// The number of periods that the plan of the cart looks ahead.
pub const PERIODS: usize = 8;
/// The iterations in a step of the controller. The next step continues from its plan.
const ITERATIONS: usize = 20;

/// `∇J(u)` of `J = Σ (p² + v²/10 + u²/5)/2` along the periods of a quarter of a second, from a position and a velocity on:
/// the states forwards, then `λ` backwards.
fn slopes<T: Real<Base = f64>>([mut p, mut v]: [T; 2], u: &[T; PERIODS]) -> [T; PERIODS] {
    let states = u.map(|u| {
        p = p + v * 0.25 + u * 0.03125;
        v += u * 0.25;
        [p, v]
    });
    let (mut of_p, mut of_v, mut g) = (T::lit(0.0), T::lit(0.0), *u);
    for k in (0..PERIODS).rev() {
        let [p, v] = states[k];
        (of_p, of_v) = (of_p + p, of_v + v * 0.1);
        g[k] = of_p * 0.03125 + of_v * 0.25 + u[k] * 0.2;
        of_v += of_p * 0.25;
    }
    g
}

/// A step of a predictive controller: the plan of accelerations `min J(u), −1 ≤ u ≤ 1`, a quadratic program with bounds,
/// by projected gradients with momentum from the last plan on. In `x` are position, velocity and the last plan.
pub fn plan<T: Real<Base = f64>>(x: &[T]) -> [T; PERIODS] {
    let mut u: [T; PERIODS] = std::array::from_fn(|k| x[2 + k]);
    let mut ahead = u;
    for _ in 0..ITERATIONS {
        let g = slopes([x[0], x[1]], &ahead);
        // The largest curvature of J is 2.002.
        let next: [T; PERIODS] = std::array::from_fn(|k| (ahead[k] - g[k] * 0.5).max(-1.0).min(1.0));
        ahead = std::array::from_fn(|k| next[k] + (next[k] - u[k]) * 0.6);
        u = next;
    }
    u
}

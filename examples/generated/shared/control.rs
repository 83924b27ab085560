/// The number of steps that the controller of the cart looks ahead.
pub const HORIZON: usize = 8;

/// The state of a pendulum on a cart after 50 ms of a force: position, angle, and their rates, by Euler's method.
fn step<T: Real<Base = f64>>([p, a, v, w]: [T; 4], force: T) -> [T; 4] {
    let (sin, cos) = a.sin_cos();
    let reduced = sin * sin * 0.1 + 1.0;
    let push = force + w * w * sin * 0.05;
    let acceleration = (push - sin * cos * 0.981) / reduced;
    let turning = (sin * 21.582 - push * cos * 2.0) / reduced;
    [p + v * 0.05, a + w * 0.05, v + acceleration * 0.05, w + turning * 0.05]
}

/// The cost of forces from a state on, both in `x`: 4 numbers of state, then the forces. The forces have soft limits.
pub fn cost<T: Real<Base = f64>>(x: &[T]) -> T {
    let mut state = [x[0], x[1], x[2], x[3]];
    let mut cost = T::lit(0.0);
    for &force in &x[4..] {
        let limited = (force * 0.1).tanh() * 10.0;
        state = step(state, limited);
        let [p, a, v, w] = state;
        cost = cost + p * p + a * a * 10.0 + (v * v + w * w) * 0.1 + limited * limited * 0.01;
    }
    cost
}

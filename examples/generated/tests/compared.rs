//! The generated functions have the derivatives that duals and tapes have.

use generated::{ARM_JACOBIAN_PLACES, HORIZON, arm_jacobian, cost_and_gradient, improve};
use wengert::Real;

include!("../shared/arm.rs");
mod control {
    use super::Real;
    include!("../shared/control.rs");
}

fn close(got: f64, want: f64, scale: f64) -> bool {
    (got - want).abs() <= 1e-14 * scale
}

/// Several points with numbers of size 1.
fn points<const N: usize>() -> impl Iterator<Item = [f64; N]> {
    (0..20).map(|k| std::array::from_fn(|i| (1.7 * k as f64 + 0.9 * i as f64).sin()))
}

#[test]
fn jacobian_of_the_arm() {
    for q in points::<7>() {
        // Column by column: the derivative in each joint.
        let mut want = [[0.0; 7]; 12];
        (0..7).for_each(|j| {
            let dual = |i: usize| wengert::Dual::new(q[i], if i == j { 1.0 } else { 0.0 });
            let y = pose(&std::array::from_fn::<_, 7, _>(dual));
            (0..12).for_each(|i| want[i][j] = y[i].tangent());
        });
        let mut entries = [0.0; ARM_JACOBIAN_PLACES.len()];
        arm_jacobian(&q, &mut entries);
        for (&(i, j), &got) in ARM_JACOBIAN_PLACES.iter().zip(&entries) {
            assert!(close(got, want[i][j], 1.0), "{i} {j}: {got} instead of {}", want[i][j]);
            want[i][j] = 0.0;
        }
        assert_eq!(want, [[0.0; 7]; 12], "what has no place is zero");
    }
}

#[test]
fn cost_of_the_controller() {
    assert_eq!(control::HORIZON, HORIZON);
    for x in points::<{ 4 + HORIZON }>() {
        let (value, want) = wengert::value_and_gradient(control::cost, &x[..]);
        let mut y = [0.0; 5 + HORIZON];
        cost_and_gradient(&x, &mut y);
        let scale = want.iter().fold(value, |m: f64, d| m.max(d.abs()));
        assert!(close(y[0], value, scale), "{} instead of {value}", y[0]);
        for (got, want) in y[1..].iter().zip(&want) {
            assert!(close(*got, *want, scale), "{got} instead of {want}");
        }
    }
}

#[test]
fn the_controller_improves() {
    let (state, mut forces) = ([0.0, 0.2, 0.0, 0.0], [0.0; HORIZON]);
    let first = improve(&state, &mut forces);
    let last = (0..50).map(|_| improve(&state, &mut forces)).last().unwrap();
    assert!(last < 0.8 * first, "{first} to {last}");
}

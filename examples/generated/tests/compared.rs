//! The generated functions have the derivatives that duals and tapes have.

use generated::{
    ARM_JACOBIAN_PLACES, Controller, HORIZON, PERIODS, arm_jacobian, cost_and_gradient, improve, plan,
};
use wengert::Real;

include!("../shared/arm.rs");
mod control {
    use super::Real;
    include!("../shared/control.rs");
}

mod mpc {
    use super::Real;
    include!("../shared/mpc.rs");
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

/// The generated step is the function itself, bit for bit: it has only sums, products, `max` and `min`.
#[test]
fn a_step_of_the_predictive_controller() {
    assert_eq!(mpc::PERIODS, PERIODS);
    for x in points::<{ 2 + PERIODS }>() {
        let mut got = [0.0; PERIODS];
        plan(&x, &mut got);
        assert_eq!(got.map(f64::to_bits), mpc::plan(&x).map(f64::to_bits));
    }
}

/// `J` of a plan, as its definition has it.
fn planned_cost([mut p, mut v]: [f64; 2], u: &[f64; PERIODS]) -> f64 {
    let period = |u: &f64| {
        (p, v) = (p + 0.25 * v + 0.03125 * u, v + 0.25 * u);
        0.5 * (p * p + 0.1 * v * v + 0.2 * u * u)
    };
    u.iter().map(period).sum()
}

/// After a few steps at one state the plan is the solution of the quadratic program: within the bounds no change of a
/// component lowers the cost, which is convex.
#[test]
fn the_plan_is_optimal() {
    let mut at_bounds = 0;
    for state in [[2.0, 0.0], [0.5, 0.3], [-1.0, 0.5], [1.0, -1.0], [0.0, 0.0]] {
        let mut u = [0.0; PERIODS];
        for _ in 0..4 {
            let x: [f64; 2 + PERIODS] = std::array::from_fn(|i| if i < 2 { state[i] } else { u[i - 2] });
            plan(&x, &mut u);
        }
        let cost = planned_cost(state, &u);
        for k in 0..PERIODS {
            at_bounds += usize::from(u[k].abs() == 1.0);
            for change in [-1e-3, 1e-3] {
                let mut other = u;
                other[k] = (u[k] + change).clamp(-1.0, 1.0);
                assert!(planned_cost(state, &other) >= cost, "{state:?}: {k} by {change}");
            }
        }
    }
    assert!(at_bounds > 5, "{at_bounds} accelerations at their bounds");
}

#[test]
fn the_predictive_controller_stops_the_cart() {
    let (mut controller, mut p, mut v) = (Controller::default(), 2.0, 0.5);
    for _ in 0..60 {
        let u = controller.step(p, v);
        assert!(u.abs() <= 1.0);
        (p, v) = (p + 0.25 * v + 0.03125 * u, v + 0.25 * u);
    }
    assert!(p.abs() < 1e-3 && v.abs() < 1e-3, "{p} {v}");
}

//! Derivatives of solutions of differential equations: the variational equations, integrated by the crate `ode_solvers`.

use super::super::{error, numbers, read};
use ode_solvers::{Dop853, OutputType, SVector, System};
use wengert::{hessian, jacobian, value_and_gradient};

/// Lotka and Volterra's equations at two populations and four parameters.
#[wengert::generic]
fn slope(y: &[f64], p: &[f64]) -> [f64; 2] {
    [p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]]
}

/// The two populations, and their derivatives in the four parameters in order.
type State = SVector<f64, 10>;

struct Variational {
    p: [f64; 4],
}
impl System<f64, State> for Variational {
    /// `y′ = f(y, p)` and `S′ = ∂f/∂y·S + ∂f/∂p`.
    fn system(&self, _: f64, state: &State, change: &mut State) {
        let (y, s) = state.as_slice().split_at(2);
        change.as_mut_slice()[..2].copy_from_slice(&slope(y, &self.p));
        let j = jacobian(|(y, p): &([_; 2], [_; 4])| slope(y, p), &([y[0], y[1]], self.p));
        for k in 0..4 {
            for i in 0..2 {
                change[2 + 2 * k + i] = j[(i, 0)] * s[2 * k] + j[(i, 1)] * s[2 * k + 1] + j[(i, 2 + k)];
            }
        }
    }
}

#[test]
fn populations() {
    let data = &read("ode_sens")["lotka_volterra"];
    let p: [f64; 4] = numbers(&data["params"]).try_into().unwrap();
    let mut start = State::zeros();
    start.as_mut_slice()[..2].copy_from_slice(&numbers(&data["y0"]));
    let mut method = Dop853::new(Variational { p }, 0.0, numbers(&data["t"])[0], 0.0, start, 1e-14, 1e-14);
    method.set_output(OutputType::Sparse);
    method.integrate().unwrap();
    let end = method.y_out().last().unwrap();
    assert!(error(&end.as_slice()[..2], &numbers(&data["y"])) < 1e-12);
    let rows: Vec<f64> = (0..2).flat_map(|i| (0..4).map(move |k| end[2 + 2 * k + i])).collect();
    let error = error(&rows, &numbers(&data["dy_dparams_2x4"]));
    assert!(error < 1e-12, "{rows:?}: {error:e}");
}

/// A damped oscillation at time `t` in closed form, by frequency and damping.
#[wengert::generic]
fn oscillation(x: &[f64], #[data] t: f64) -> f64 {
    let (w, z) = (x[0], x[1]);
    let damped = w * (1.0 - z * z).sqrt();
    (-z * w * t).exp() * ((damped * t).cos() + z * w / damped * (damped * t).sin())
}

#[test]
fn oscillations() {
    let data = &read("ode_sens")["damped_oscillator_closed_form"];
    let want = |name: &str| numbers(&data[name])[0];
    let x = [want("w"), want("z")];
    let f = |x: &[_]| oscillation(x, want("t"));
    let (value, g) = value_and_gradient(f, &x);
    let h = hessian(|x: &[_]| oscillation(x, want("t")), &x);
    let found =
        [("x", value), ("dx_dw", g[0]), ("dx_dz", g[1]), ("d2x_dw2", h[(0, 0)]), ("d2x_dwdz", h[(0, 1)])];
    for (name, got) in found {
        assert!((got / want(name) - 1.0).abs() < 32.0 * f64::EPSILON, "{name}: {got}");
    }
}

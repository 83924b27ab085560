//! Sensitivities of Lotka and Volterra's equations by diffsol, forward and adjoint.

use super::super::{numbers, read};
use diffsol::{
    AdjointOdeSolverMethod, DenseMatrix, NalgebraContext, NalgebraLU, NalgebraMat, OdeBuilder,
    OdeSolverMethod, OdeSolverState, SensitivitiesOdeSolverMethod, Vector,
};
use wengert::generic;
use wengert_solvers::diffsol::{Equations, cotangents, tangents};

type M = NalgebraMat<f64>;
type LU = NalgebraLU<f64>;

struct Populations;
#[generic]
impl Equations for Populations {
    fn call(&self, x: &[f64], p: &[f64], #[data] _: f64, y: &mut [f64]) {
        y[0] = p[0] * x[0] - p[1] * x[0] * x[1];
        y[1] = -p[2] * x[1] + p[3] * x[0] * x[1];
    }
}

/// The largest error relative to the largest entry.
fn error(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
    got.iter().zip(want).map(|(g, w)| (g - w).abs() / scale).sum()
}

#[test]
fn forward() {
    let data = &read("ode_sens")["lotka_volterra"];
    let (f, along_x, along_p) = tangents(Populations);
    let problem = OdeBuilder::<M>::new()
        .p(numbers(&data["params"]))
        .rtol(1e-10)
        .atol([1e-10])
        .sens_rtol(1e-10)
        .sens_atol([1e-10])
        .rhs_sens_implicit(f, along_x, along_p)
        .init_sens(|_p, _t, x| x.fill(1.0), |_p, _t, _v, dx| dx.fill(0.0), 2)
        .build()
        .unwrap();
    let mut solver = problem.bdf_sens::<LU>().unwrap();
    let (y, s, _) = solver.solve_dense_sensitivities(&numbers(&data["t"])).unwrap();
    assert!(error(&[y[(0, 0)], y[(1, 0)]], &numbers(&data["y"])) < 1e-8);
    let rows: Vec<f64> = (0..8).map(|k| s[k % 4][(k / 4, 0)]).collect();
    let error = error(&rows, &numbers(&data["dy_dparams_2x4"]));
    assert!(error < 1e-7, "{rows:?}: {error:e}");
}

#[test]
fn adjoint() {
    let data = &read("ode_sens")["lotka_volterra"];
    let end = numbers(&data["t"]);
    let (f, along_x, back_x, back_p) = cotangents(Populations);
    let problem = OdeBuilder::<M>::new()
        .p(numbers(&data["params"]))
        .rtol(1e-10)
        .atol([1e-10])
        .rhs_adjoint_implicit(f, along_x, back_x, back_p)
        .init_adjoint(|_p, _t, x| x.fill(1.0), |_p, _t, _w, dp| dp.fill(0.0), 2)
        .build()
        .unwrap();
    let mut solver = problem.bdf::<LU>().unwrap();
    let (path, _, _) = solver.solve_dense_with_checkpointing(&end, None).unwrap();
    let backwards = problem.bdf_solver_adjoint::<LU, _>(path, Some(solver), Some(2)).unwrap();
    // The cotangents of the two populations at the end.
    let outputs = [[1.0, 0.0], [0.0, 1.0]].map(|w| M::from_vec(2, 1, w.to_vec(), NalgebraContext::default()));
    let (state, _) = backwards.solve_adjoint_backwards_pass(&end, &outputs.each_ref()).unwrap();
    let rows = state.into_common().sg;
    let rows = rows.clone_as_vec();
    let error = error(&rows, &numbers(&data["dy_dparams_2x4"]));
    assert!(error < 2e-6, "{rows:?}: {error:e}");
}

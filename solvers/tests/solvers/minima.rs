//! The collection of Moré, Garbow and Hillstrom, minimised from its start points.

use super::super::models::{objective, residuals};
use super::super::{numbers, read};
use argmin::core::{Executor, Gradient, Hessian, Jacobian, Operator, State};
use argmin::solver::gaussnewton::GaussNewton;
use argmin::solver::newton::Newton;
use argmin::solver::trustregion::{Steihaug, TrustRegion};
use levenberg_marquardt::LevenbergMarquardt;
use nalgebra_0_34::DVector;
use wengert::{Function, Scalar, VectorFunction};
use wengert_solvers::argmin::Problem;
use wengert_solvers::levenberg_marquardt::Residuals;

/// A problem by its number, with so many residuals.
#[derive(Clone, Copy)]
struct Collected {
    number: u64,
    residuals: usize,
}

impl Function for Collected {
    fn call<T: Scalar>(&self, x: &[T]) -> T {
        objective(self.number, x)
    }
}

impl VectorFunction for Collected {
    fn outputs(&self, _: usize) -> usize {
        self.residuals
    }
    fn call<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(&residuals(self.number, x));
    }
}

/// The problems that a solver finds the least value of, with their starts and these values.
fn collection(except: &[u64]) -> Vec<(Collected, Vec<f64>, f64)> {
    let file = read("mgh");
    let problem = |p: &serde_json::Value| {
        let number = |name: &str| p[name].as_u64().unwrap();
        let f = Collected { number: number("no"), residuals: number("m") as usize };
        let least = match f.number {
            33 => 90.0 / 42.0,    // m(m − 1)/(2(2m + 1))
            26 => 2.795056122e-5, // a local minimum, which this start leads to
            _ => numbers(&p["f_min"])[0],
        };
        (f, numbers(&p["x0"]), least)
    };
    let all = file["problems"].as_array().unwrap().iter().map(problem);
    all.filter(|(f, _, _)| !except.contains(&f.number)).collect()
}

#[test]
fn levenberg_marquardt() {
    for (f, start, least) in collection(&[]) {
        let (fit, report) = LevenbergMarquardt::new().minimize(Residuals::new(f, &start));
        let found = objective(f.number, fit.parameters());
        assert!(report.termination.was_successful(), "{}: {:?}", f.number, report.termination);
        assert!((found - least).abs() < 1e-9 * least + 1e-28, "{}: {found:e}, {least:e}", f.number);
    }
}

/// Its greatest step is 100, which is too short for the minimum 10⁶ of problem 4; from the start of problem 18 it goes to
/// another stationary point.
#[test]
fn trust_regions() {
    for (f, start, least) in collection(&[4, 18]) {
        let run = Executor::new(Problem::new(f), TrustRegion::new(Steihaug::new()))
            .configure(|state| state.param(start).max_iters(500))
            .run()
            .unwrap();
        let found = run.state().get_best_cost();
        assert!((found - least).abs() < 1e-9 * least + 1e-12, "{}: {found:e}, {least:e}", f.number);
    }
}

/// Without a damping, with matrices of nalgebra 0.34: where residuals vanish at a regular point near enough.
#[test]
fn gauss_newton() {
    for (f, start, _) in collection(&[]) {
        if ![1, 21, 25, 28, 30].contains(&f.number) {
            continue;
        }
        let run = Executor::new(Problem::with_nalgebra(f), GaussNewton::<f64>::new())
            .configure(|state| state.param(DVector::from_vec(start)).max_iters(20))
            .run()
            .unwrap();
        let found = objective(f.number, run.state().get_best_param().unwrap().as_slice());
        assert!(found < 1e-24, "{}: {found:e}", f.number);
    }
}

/// With the Hessian of each step inverted, in nalgebra's types.
#[test]
fn newton() {
    for (f, start, _) in collection(&[]).into_iter().filter(|(f, _, _)| [1, 21, 25].contains(&f.number)) {
        let run = Executor::new(Problem::with_nalgebra(f), Newton::<f64>::new())
            .configure(|state| state.param(DVector::from_vec(start)).max_iters(20))
            .run()
            .unwrap();
        let found = objective(f.number, run.state().get_param().unwrap().as_slice());
        assert!(found < 1e-20, "{}: {found:e}", f.number);
    }
}

/// Derivatives in both types of vectors, entry by entry.
#[test]
fn vectors_of_both_kinds() {
    for (f, x, _) in collection(&[]) {
        let (of_vecs, of_nalgebra) = (Problem::new(f), Problem::with_nalgebra(f));
        let at = DVector::from_column_slice(&x);
        let g = of_vecs.gradient(&x).unwrap();
        assert_eq!(of_nalgebra.gradient(&at).unwrap().as_slice(), g);
        assert_eq!(of_nalgebra.apply(&at).unwrap().as_slice(), of_vecs.apply(&x).unwrap());
        let same =
            |rows: Vec<Vec<f64>>, matrix: nalgebra_0_34::DMatrix<f64>, want: nalgebra::DMatrix<f64>| {
                assert_eq!((rows.len(), matrix.shape()), (want.nrows(), want.shape()));
                for (i, row) in rows.iter().enumerate() {
                    for (j, &x) in row.iter().enumerate() {
                        assert!(x == want[(i, j)] && x == matrix[(i, j)], "{}: {i}, {j}", f.number);
                    }
                }
            };
        same(of_vecs.hessian(&x).unwrap(), of_nalgebra.hessian(&at).unwrap(), Function::hessian(&f, &x[..]));
        let j = VectorFunction::jacobian(&f, &x[..]);
        same(of_vecs.jacobian(&x).unwrap(), of_nalgebra.jacobian(&at).unwrap(), j);
    }
}

//! The search: BFGS by the crate `argmin` with gradients in reverse mode, then Newton's method with exact Hessians.

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::BFGS;
use indicatif::{ProgressBar, ProgressStyle};
use nalgebra::{DMatrix, DVector};
use wengert::matrix::Cholesky;

use super::failure::{Failure, Result, failure};
use super::model::Model;

const MOST_ITERATIONS: u64 = 500;
/// BFGS stops where a step raises ln p by less.
const TOLERANCE: f64 = 1e-6;
/// The end is where a step of Newton's promises to raise ln p by less than half of this: 10⁻⁶ standard errors from
/// the maximum.
const STILL: f64 = 1e-12;
/// The loss of a step to rounding that is allowed, relative to ln p: covariances are ill-conditioned where the noise
/// is small.
const ROUNDING: f64 = 1e-9;
/// The most steps of Newton's method. From the point where BFGS stops it mostly takes one or two; after this number
/// it will not arrive.
const MOST_STEPS: usize = 30;

type Iterate = IterState<Vec<f64>, Vec<f64>, (), Vec<Vec<f64>>, (), f64>;

/// Where the search arrived.
pub struct Maximum {
    pub theta: Vec<f64>,
    pub ln_likelihood: f64,
    /// The largest component of the gradient that is left.
    pub gradient: f64,
    /// The covariance of the estimates: the inverse of the negative Hessian.
    pub covariance: DMatrix<f64>,
    /// Iterations of BFGS.
    pub iterations: u64,
    /// Steps of Newton's method.
    pub steps: usize,
}

/// Maximises the marginal likelihood from `theta` on.
pub fn maximize(model: &Model, theta: &[f64]) -> Result<Maximum> {
    model.ln_likelihood(theta).map_err(|error| Failure::new(error.to_string()).at("at the start"))?;
    // In logarithms, n points make the Hessian about 2n in its largest entries: first steps of a sensible length.
    let inverse = DMatrix::identity(theta.len(), theta.len()) / (2.0 * model.series.x.len() as f64);
    let inverse = inverse.row_iter().map(|row| row.iter().copied().collect()).collect();
    let solver = BFGS::new(MoreThuenteLineSearch::new()).with_tolerance_cost(TOLERANCE);
    let outcome = solver.and_then(|solver| {
        Executor::new(model, solver)
            .configure(|state| state.param(theta.to_vec()).inv_hessian(inverse).max_iters(MOST_ITERATIONS))
            .add_observer(Progress::new(), ObserverMode::Always)
            .run()
    });
    let state = outcome
        .map_err(|error| {
            Failure::new(format!("the search fails, as it does on data without noise: {error}"))
        })?
        .state;
    let best = state.get_best_param().ok_or_else(|| Failure::new("the search returns no point"))?;
    polish(model, best.clone(), state.get_iter())
}

/// Newton's method, `θ ← θ − H⁻¹∇`, to a point whose gradient is rounding error and whose Hessian is the Hessian of a
/// maximum; an error if there is no such point.
fn polish(model: &Model, mut theta: Vec<f64>, iterations: u64) -> Result<Maximum> {
    let n = theta.len();
    for steps in 0..=MOST_STEPS {
        let (loss, gradient, hessian) =
            wengert::value_gradient_and_hessian(|t: &[_]| model.loss(t), &theta[..]);
        let gradient = DVector::from_vec(gradient);
        if let Ok(factors) = Cholesky::new(&hessian)
            && gradient.dot(&factors.solve(&gradient)) < STILL
        {
            let covariance = factors.solve(&DMatrix::identity(n, n));
            let gradient = gradient.amax();
            return Ok(Maximum { theta, ln_likelihood: -loss, gradient, covariance, iterations, steps });
        }
        match step(model, &theta, loss, &gradient, &hessian) {
            Some(next) => theta = next,
            None => break,
        }
    }
    flat()
}

/// `θ − (H + λ)⁻¹∇` with the least λ of 0, 10⁻⁶, 10⁻⁵, … of the largest entry of H that does not lower ln p.
fn step(
    model: &Model,
    theta: &[f64],
    loss: f64,
    gradient: &DVector<f64>,
    hessian: &DMatrix<f64>,
) -> Option<Vec<f64>> {
    let n = theta.len();
    let damping = (-6..6).map(|k| 10f64.powi(k) * hessian.amax());
    std::iter::once(0.0).chain(damping).find_map(|damping| {
        let damped = hessian + DMatrix::identity(n, n) * damping;
        let step = Cholesky::new(&damped).ok()?.solve(gradient);
        let next: Vec<f64> = theta.iter().zip(&step).map(|(theta, step)| theta - step).collect();
        (model.loss(&next) <= loss + ROUNDING * loss.abs()).then_some(next)
    })
}

fn flat<T>() -> Result<T> {
    failure(
        "no maximum where the search ends: the data do not determine all hyperparameters (take fewer, or another \
         --start)",
    )
}

impl CostFunction for &Model {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, theta: &Vec<f64>) -> std::result::Result<f64, Error> {
        Ok(self.loss(theta))
    }
}

impl Gradient for &Model {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, theta: &Vec<f64>) -> std::result::Result<Vec<f64>, Error> {
        Ok(wengert::gradient(|t: &[_]| self.loss(t), &theta[..]))
    }
}

/// Shows how far the search is (on a terminal only).
struct Progress(ProgressBar);

impl Progress {
    fn new() -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} iterations, {msg} ({elapsed})") {
            bar.set_style(style);
        }
        Progress(bar)
    }
}

impl Observe<Iterate> for Progress {
    fn observe_iter(&mut self, state: &Iterate, _: &KV) -> std::result::Result<(), Error> {
        self.0.set_message(format!("ln p = {:.4}", -state.get_cost()));
        self.0.inc(1);
        Ok(())
    }

    fn observe_final(&mut self, _: &Iterate) -> std::result::Result<(), Error> {
        self.0.finish_and_clear();
        Ok(())
    }
}

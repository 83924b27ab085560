//! The adjustment itself: steps of Levenberg and Marquardt, by sparse normal equations and their Cholesky factor.
//!
//! The damping follows H. B. Nielsen, *Damping Parameter in Marquardt's Method* (1999). The parameters of the points
//! come before the parameters of the cameras. The factorisation therefore eliminates the points first, as bundle
//! adjusters do it, and fills in only between cameras (the *Schur complement*).

use indicatif::{ProgressBar, ProgressStyle};
use nalgebra::DVector;
use nalgebra_sparse::CscMatrix;
use nalgebra_sparse::factorization::{CscCholesky, CscSymbolicCholesky};
use wengert::AdError;

use super::failure::{Failure, Result, failure};
use super::scene::Scene;

/// It has converged where an iteration lowers the loss by less than this share.
const TOLERANCE: f64 = 1e-7;
/// The damping at the start, as a share of the diagonal, and where no step is to be hoped for.
const DAMPING: f64 = 1e-4;
const STRONGEST: f64 = 1e16;
/// The least entry of a diagonal that is damped. A point which no camera sees has the entry zero.
const LEAST: f64 = 1e-6;

/// Where the solver arrived.
pub struct Solution {
    pub parameters: Vec<f64>,
    /// The loss at the start and after every iteration.
    pub losses: Vec<f64>,
    /// How many linear systems that took: some steps are refused.
    pub systems: usize,
    /// Why it stopped.
    pub reason: &'static str,
}

impl From<AdError> for Failure {
    fn from(error: AdError) -> Failure {
        Failure::new(error.to_string())
    }
}

/// Minimises the loss from the scene's first guess.
pub fn solve(scene: &Scene, iterations: u64) -> Result<Solution> {
    let mut squares = scene.squares()?;
    let mut p = DVector::from_column_slice(&scene.start);
    let mut gradient = DVector::zeros(p.len());
    let (mut loss, matrix) = squares.sparse_normal_equations(p.as_slice(), gradient.as_mut_slice())?;
    if !loss.is_finite() {
        return failure(format!("the loss is {loss} at the start, so no step can lower it"));
    }
    let mut system = System::new(matrix.clone());
    let mut solution =
        Solution { parameters: vec![], losses: vec![loss], systems: 0, reason: "stopped by the limit" };
    let (mut damping, mut raise) = (DAMPING, 2.0);
    let progress = bar(iterations);
    'iterations: while (solution.losses.len() as u64) <= iterations {
        let (moved, lower) = loop {
            if damping > STRONGEST {
                solution.reason = "stopped where no step lowers the loss";
                break 'iterations;
            }
            solution.systems += 1;
            if let Some((step, promised)) = system.step(damping, &gradient) {
                let moved = &p + &step;
                let lower = squares.value(moved.as_slice())?;
                let gain = (loss - lower) / promised;
                if gain > 0.0 {
                    damping *= (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
                    raise = 2.0;
                    break (moved, lower);
                }
            }
            damping *= raise;
            raise *= 2.0;
        };
        let fall = loss - lower;
        (p, loss) = (moved, lower);
        solution.losses.push(loss);
        progress.set_message(format!("loss {loss:.1} px²"));
        progress.inc(1);
        if fall <= TOLERANCE * loss {
            solution.reason = "converged";
            break;
        }
        let (_, matrix) = squares.sparse_normal_equations(p.as_slice(), gradient.as_mut_slice())?;
        system.matrix.values_mut().copy_from_slice(matrix.values());
    }
    progress.finish_and_clear();
    solution.parameters = p.as_slice().to_vec();
    Ok(solution)
}

/// How far the solver is (on a terminal only).
fn bar(iterations: u64) -> ProgressBar {
    let bar = ProgressBar::new(iterations);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} iterations at most, {msg}") {
        bar.set_style(style);
    }
    bar
}

/// `(JᵀJ + μD)·δ = −Jᵀr` with the diagonal `D` of `JᵀJ`.
struct System {
    matrix: CscMatrix<f64>,
    /// The indices of the diagonal among the values.
    diagonal: Vec<usize>,
    damped: Vec<f64>,
    /// Contains the pattern of the factor, which is computed once.
    factor: Option<CscCholesky<f64>>,
}

impl System {
    fn new(matrix: CscMatrix<f64>) -> System {
        let place = |column: usize| {
            let range = matrix.col_offsets()[column]..matrix.col_offsets()[column + 1];
            range.start + matrix.row_indices()[range].partition_point(|&row| row < column)
        };
        let diagonal = (0..matrix.ncols()).map(place).collect();
        System { matrix, diagonal, damped: vec![], factor: None }
    }

    /// The step, and how far the loss falls by the quadratic model: `½·δᵀ(μD·δ − g)`. None if there is no factor.
    fn step(&mut self, damping: f64, gradient: &DVector<f64>) -> Option<(DVector<f64>, f64)> {
        let values = self.matrix.values();
        self.damped.clear();
        self.damped.extend_from_slice(values);
        let damp = |&at: &usize| damping * values[at].max(LEAST);
        self.diagonal.iter().for_each(|at| self.damped[*at] += damp(at));
        match &mut self.factor {
            Some(factor) => factor.refactor(&self.damped).ok()?,
            None => {
                let symbolic = CscSymbolicCholesky::factor(self.matrix.pattern().clone());
                self.factor = Some(CscCholesky::factor_numerical(symbolic, &self.damped).ok()?);
            }
        }
        let step = -self.factor.as_ref()?.solve(gradient).column(0);
        let along = |(i, at): (usize, &usize)| step[i] * (damp(at) * step[i] - gradient[i]);
        let promised = 0.5 * self.diagonal.iter().enumerate().map(along).sum::<f64>();
        (promised > 0.0).then_some((step, promised))
    }
}

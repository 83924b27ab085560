//! Terms at single rows, at the numbers that derivatives need.

use std::sync::Arc;

use crate::drivers::{Function, VectorFunction};
use crate::duals::Dual;
use crate::error::AdError;
use crate::number::{Real, Scalar};
use crate::programs::rows::TermResults;
use crate::programs::{Program, Traced, trace};
use crate::tapes::{Var, combination};

/// A term at traced numbers: the parameters that it reads, and its row of data; its results are appended.
pub(super) type TracedTerm<'a> =
    dyn Fn(&[Traced], &[Traced], &mut Vec<Traced>) -> TermResults + Send + Sync + 'a;

/// A term at one type of numbers. It takes the parameters and the data of a row in one slice, and appends its results:
/// the value, or residuals.
pub(super) trait TermAt<T> {
    fn at(&self, z: &[T], out: &mut Vec<T>) -> Result<(), AdError>;
}

/// A term at the numbers that its derivatives need.
pub(super) trait Eager: TermAt<f64> + TermAt<Var<f64>> + TermAt<Var<Dual<f64>>> + Send + Sync {}

impl<F: TermAt<f64> + TermAt<Var<f64>> + TermAt<Var<Dual<f64>>> + Send + Sync> Eager for F {}

/// A function with one result.
pub(super) struct ScalarTerm<F>(pub(super) Arc<F>);

impl<F: Function, T: Scalar> TermAt<T> for ScalarTerm<F> {
    fn at(&self, z: &[T], out: &mut Vec<T>) -> Result<(), AdError> {
        out.push(self.0.call(z));
        Ok(())
    }
}

/// A function whose results are residuals.
pub(super) struct ResidualTerm<F>(pub(super) Arc<F>);

impl<F: VectorFunction, T: Scalar> TermAt<T> for ResidualTerm<F> {
    fn at(&self, z: &[T], out: &mut Vec<T>) -> Result<(), AdError> {
        let start = out.len();
        out.resize(start + self.0.outputs(z.len()), T::lit(0.0));
        self.0.call(z, &mut out[start..]);
        Ok(())
    }
}

/// An error if a row has another number of residuals than the first.
pub(super) fn check_residuals(first: usize, got: usize) -> Result<(), AdError> {
    AdError::check_len("least squares", "list of residuals", first, got)
}

/// A closure at traced numbers. It is traced again at each row, with the data as constants; the results are values with
/// the partials that the program's derivatives give.
pub(super) struct Retraced<'t, 'a> {
    pub(super) term: &'t TracedTerm<'a>,
    /// The number of parameters, and of residuals.
    pub(super) places: usize,
    pub(super) residuals: usize,
}

impl Retraced<'_, '_> {
    /// The program of the residuals, or of the value.
    fn program(&self, z: &[f64]) -> Result<Program, AdError> {
        let (p, d) = z.split_at(self.places);
        let d: Vec<Traced> = d.iter().map(|&d| Traced::constant(d)).collect();
        let mut residuals = 0;
        let results = |p: &[Traced]| {
            let mut out = Vec::new();
            residuals = (self.term)(p, &d, &mut out).residuals;
            out.truncate(residuals.max(1));
            out
        };
        let program = trace(results, p);
        check_residuals(self.residuals, residuals)?;
        Ok(program)
    }
}

/// Results `y` with the rows of their Jacobian, which follow them, as functions of `z`.
fn combined<T: Real>(y: &[T], z: &[Var<T>], m: usize, out: &mut Vec<Var<T>>) {
    let (values, rows) = y.split_at(m);
    for (i, &y) in values.iter().enumerate() {
        out.push(combination(y, rows[i * z.len()..][..z.len()].iter().copied().zip(z.iter().copied())));
    }
}

impl TermAt<f64> for Retraced<'_, '_> {
    fn at(&self, z: &[f64], out: &mut Vec<f64>) -> Result<(), AdError> {
        out.extend(self.program(z)?.run(&z[..self.places])?);
        Ok(())
    }
}

impl TermAt<Var<f64>> for Retraced<'_, '_> {
    fn at(&self, z: &[Var<f64>], out: &mut Vec<Var<f64>>) -> Result<(), AdError> {
        let (x, n): (Vec<f64>, usize) = (z.iter().map(|z| z.value()).collect(), self.places);
        let program = self.program(&x)?;
        let all = program.value_and_jacobian()?.run(&x[..n])?;
        combined(&all, &z[..n], program.outputs(), out);
        Ok(())
    }
}

impl TermAt<Var<Dual<f64>>> for Retraced<'_, '_> {
    fn at(&self, z: &[Var<Dual<f64>>], out: &mut Vec<Var<Dual<f64>>>) -> Result<(), AdError> {
        let n = self.places;
        let mut x: Vec<f64> = z.iter().map(|z| z.value().value()).collect();
        let program = self.program(&x)?;
        x.truncate(n);
        x.extend(z[..n].iter().map(|z| z.value().tangent()));
        let all = program.value_and_jacobian()?.jvp()?.run(&x)?;
        let (first, tangents) = all.split_at(all.len() / 2);
        let all: Vec<_> = first.iter().zip(tangents).map(|(&y, &t)| Dual::new(y, t)).collect();
        combined(&all, &z[..n], program.outputs(), out);
        Ok(())
    }
}

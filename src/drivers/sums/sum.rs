//! A sum of terms, with its derivatives.

use std::fmt;
use std::ops::Range;

use super::engine::{Engine, Objective, with_engine};
use super::jobs::{Out, Plan, run};
use super::kept::{Along, First};
use super::points::{Bends, Parameters, Point, Precision};
use super::reverse::OnTape;
use super::second::{self, Dense};
use super::terms::Terms;
use crate::duals::Dual;
use crate::error::AdError;
use crate::number::Real;
use crate::space::Components;

/// `Σ` of all results of all terms, kept: nothing is allocated after the first call of an operator.
///
/// A term of up to 16 inputs is differentiated in forward mode, by lanes; of more, in reverse mode on a short tape. Time is
/// that of the terms: it does not depend on the number of parameters, but for one pass over the results. With the
/// feature `rayon` the terms are divided among its threads. Results are bit for bit the same, whatever their
/// number, and without the feature.
///
/// ```
/// use wengert::{Real, sums::{Sum, Terms}};
/// /// Logistic regression: every term reads all weights.
/// struct Logistic { data: Vec<([f64; 2], f64)> }
/// impl Terms for Logistic {
///     fn count(&self, _group: usize) -> usize { self.data.len() }
///     fn shared_inputs(&self, _group: usize, out: &mut Vec<usize>) { out.extend(0..2) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, w: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |i, _, out| {
///             let (x, y) = self.data[i];
///             let t = w[0] * x[0] + w[1] * x[1];
///             out[0] = t.softplus() - t * y;
///         }
///     }
/// }
/// let data = vec![([1.0, 0.5], 1.0), ([1.0, -2.0], 0.0), ([1.0, 1.5], 1.0)];
/// let terms = Logistic { data };
/// let mut sum = Sum::new(&terms, 2)?;
/// let mut g = [0.0; 2];
/// assert_eq!(sum.gradient(&[0.0; 2], &mut g)?, sum.value(&[0.0; 2])?);
/// assert_eq!(g, [-0.5, -2.0]);
/// # #[cfg(feature = "nalgebra")] {
/// let mut h = nalgebra::DMatrix::<f64>::zeros(2, 2);
/// sum.hessian(&[0.0; 2], &mut g, &mut h)?;
/// assert_eq!(h, nalgebra::dmatrix![0.75, 0.0; 0.0, 1.625]);
/// # }
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Sum<'a, F: Terms> {
    terms: &'a F,
    plan: Plan,
    outs: Vec<Out>,
    #[cfg(feature = "sparse")]
    pattern: Option<super::sparse::Symmetric>,
}

impl<F: Terms> fmt::Debug for Sum<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum {{ {} parameters }}", self.plan.parameters)
    }
}

/// Adds the results.
struct Plain;

impl Objective for Plain {
    #[inline(always)]
    fn of<U: Real<Base = f64>>(&self, results: &[U], weights: &mut Vec<U>) -> U {
        weights.resize(weights.len() + results.len(), U::lit(1.0));
        match *results {
            [result] => result,
            _ => results.iter().copied().sum(),
        }
    }
}

impl<'a, F: Terms> Sum<'a, F> {
    /// The sum of these terms, of so many parameters.
    ///
    /// # Errors
    /// [`TooFew`](AdError::TooFew) if a term reads a parameter that there is not, [`TooMany`](AdError::TooMany) if there
    /// are more terms or results than numbers of them.
    pub fn new(terms: &'a F, parameters: usize) -> Result<Self, AdError> {
        let plan = Plan::new("sum", terms, parameters)?;
        Ok(Sum {
            terms,
            plan,
            outs: Vec::new(),
            #[cfg(feature = "sparse")]
            pattern: None,
        })
    }
    /// The sum.
    ///
    /// # Errors
    /// If `p` has another number of parameters.
    pub fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        let p = self.plan.point(p)?.numbers;
        Ok(value(self.terms, &self.plan, &mut self.outs, &Plain, &p))
    }
    /// The sum; its gradient to `gradient`.
    ///
    /// ```
    /// use wengert::{Real, differentiable, sums::{Sum, Terms}};
    /// differentiable! { #[derive(Debug, PartialEq)] struct Line<T> { slope: T, offset: T } }
    /// /// The squares of what a line misses.
    /// struct Misses(Vec<[f64; 2]>);
    /// impl Terms for Misses {
    ///     fn count(&self, _group: usize) -> usize { self.0.len() }
    ///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.extend([0, 1]) }
    ///     fn group<T: Real<Base = f64>>(
    ///         &self, _: usize, _: &[T],
    ///     ) -> impl Fn(usize, &[T], &mut [T]) {
    ///         |i, p, out| out[0] = (p[0] * self.0[i][0] + p[1] - self.0[i][1]).square()
    ///     }
    /// }
    /// let misses = Misses(vec![[0.0, 1.0], [2.0, 4.0]]);
    /// let (line, mut g) = (Line { slope: 1.0, offset: 0.0 }, Line { slope: 0.0, offset: 0.0 });
    /// assert_eq!(Sum::new(&misses, 2)?.gradient(&line, &mut g)?, 5.0);
    /// assert_eq!(g, Line { slope: -8.0, offset: -6.0 });
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters.
    pub fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let Sum { terms, plan, outs, .. } = self;
        let p = plan.active_point(*terms, p)?;
        p.gradient(gradient, |g| Ok(slopes(*terms, plan, outs, &Plain, &p.numbers, g)))
    }
    /// The sum; its gradient and the product `H·v` to buffers.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters.
    pub fn hvp<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        v: &(impl Parameters<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        product: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let point = self.plan.curved_point(self.terms, p)?;
        let (p, [v, velocity]) = (&point.numbers, &point.direction(v)?);
        point.gradient(gradient, |g| {
            point.write("product buffer", product, false, |hv| {
                let mut value =
                    with_engine!(self.plan.width, engine => self.product(engine, p, velocity, g, hv));
                if any_nan(g) || any_nan(hv) {
                    value = self.product(OnTape, p, velocity, g, hv);
                }
                Ok((value, point.bends_along(g, v)))
            })
        })
    }
    /// The sum; its gradient and its Hessian to buffers. That of the Hessian is a matrix, or takes the columns one after
    /// the other.
    ///
    /// # Errors
    /// If a buffer does not have the size of the parameters.
    pub fn hessian<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        hessian: &mut H,
    ) -> Result<f64, AdError> {
        let point = self.plan.curved_point(self.terms, p)?;
        point.write("hessian buffer", hessian, true, |entries| {
            let mut matrix = Dense::new(self.plan.parameters, entries);
            matrix.start();
            let done = self.second(&point, gradient, |out| matrix.add(out))?;
            matrix.finish();
            Ok(done)
        })
    }
    /// The sum and its Hessian; the gradient to `gradient`. The matrix has an entry for each pair of parameters that a
    /// term reads, in both triangles, and all of the diagonal.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters, or if there are 2³² entries.
    #[cfg(feature = "sparse")]
    pub fn sparse_hessian<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let mut pattern = match self.pattern.take() {
            Some(pattern) => pattern,
            None => super::sparse::Symmetric::new(self.terms, &self.plan)?,
        };
        let point = self.plan.curved_point(self.terms, p)?;
        pattern.start();
        let done = self.second(&point, gradient, |out| pattern.add(out));
        let pattern = self.pattern.insert(pattern);
        let (value, bends) = done?;
        Ok((value, pattern.finish(&point, &bends)))
    }
    /// The sum; its gradient to a buffer, its second derivatives to `take`.
    fn second<B: Precision>(
        &mut self,
        point: &Point<'_>,
        gradient: &mut (impl Parameters<B> + ?Sized),
        mut take: impl FnMut(&Out) + Send,
    ) -> Result<(f64, Bends), AdError> {
        let (p, f, plan, outs) = (&point.numbers[..], self.terms, &self.plan, &mut self.outs);
        point.gradient(gradient, |gradient| {
            let blocks = |piece, out: &mut Out| second::piece(f, &Plain, p, piece, out);
            let value = added(f, plan, outs, gradient, blocks, |out| take(out));
            Ok((value, point.bends(gradient)))
        })
    }
    fn product(
        &mut self,
        engine: impl Engine,
        p: &[f64],
        v: &[f64],
        gradient: &mut [f64],
        product: &mut [f64],
    ) -> f64 {
        product.fill(0.0);
        let (f, x) = (self.terms, |_, i: usize| Dual::new(p[i], v[i]));
        let piece = |piece, out: &mut Out| engine.slopes(f, &Plain, &x, piece, &mut Along(out, 0));
        added(f, &self.plan, &mut self.outs, gradient, piece, |out| {
            out.inputs.iter().zip(&out.more).for_each(|(&i, slope)| product[i] += slope);
        })
    }
}

/// The sum of nothing.
pub(super) fn nothing() -> f64 {
    std::iter::empty::<f64>().sum()
}

/// Whether a number is NaN, without a branch for each.
pub(super) fn any_nan(x: &[f64]) -> bool {
    x.iter().fold(false, |nan, x| nan | x.is_nan())
}

/// The sum of an objective.
pub(super) fn value<F: Terms>(
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    objective: &impl Objective,
    p: &[f64],
) -> f64 {
    let mut value = nothing();
    let work = |job: super::jobs::Job, out: &mut Out| {
        let Out { inputs, values, slopes, more, .. } = out;
        for (group, terms) in job.pieces(f) {
            inputs.clear();
            f.shared_inputs(group, inputs);
            slopes.clear();
            slopes.extend(inputs.iter().map(|&i| p[i]));
            let function = f.group(group, slopes);
            let (mut local, mut weights) = (crate::pool::Spare::new(), crate::pool::Spare::new());
            let (local, weights) = (local.clear(1), weights.clear(1));
            for term in terms {
                inputs.clear();
                f.inputs(group, term, inputs);
                local.clear();
                local.extend(inputs.iter().map(|&i| p[i]));
                more.clear();
                more.resize(f.results(group, term), f64::NAN);
                function(term, local, more);
                weights.clear();
                values.push(objective.of(more, weights));
            }
        }
    };
    run(&plan.jobs, outs, work, |out| value = out.values.iter().fold(value, |sum, v| sum + v));
    value
}

/// The sum of an objective, with its gradient. If lanes make it NaN, it is taken once more on a tape, where an infinity
/// is stopped by a zero.
pub(super) fn slopes<F: Terms>(
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    objective: &impl Objective,
    p: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let value = with_engine!(plan.width, engine => slopes_by(engine, f, plan, outs, objective, p, gradient));
    if !any_nan(gradient) {
        return value;
    }
    slopes_by(OnTape, f, plan, outs, objective, p, gradient)
}

fn slopes_by<F: Terms>(
    engine: impl Engine,
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    objective: &impl Objective,
    p: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let x = |_, i: usize| p[i];
    let piece = |piece, out: &mut Out| engine.slopes(f, objective, &x, piece, &mut First(out, 0));
    added(f, plan, outs, gradient, piece, |_| ())
}

/// Works on all pieces, and adds values and slopes; the value, the gradient to `gradient`, what else there is to `take`.
pub(super) fn added<F: Terms>(
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    gradient: &mut [f64],
    piece: impl Fn((usize, Range<usize>), &mut Out) + Sync,
    mut take: impl FnMut(&Out) + Send,
) -> f64 {
    gradient.fill(0.0);
    let mut value = nothing();
    run(
        &plan.jobs,
        outs,
        |job, out| job.pieces(f).for_each(|of_job| piece(of_job, out)),
        |out| {
            value = out.values.iter().fold(value, |sum, v| sum + v);
            out.add_slopes(gradient);
            take(out);
        },
    );
    value
}

//! A sum of terms, with its derivatives.

use std::fmt;

use super::engine::{Engine, Objective, with_engine};
use super::in_forms::OverForms;
use super::jobs::{Out, Plan, run};
use super::points::{Bends, Parameters, Point, Precision};
use super::reverse::OnTape;
use super::second::{Dense, Triangles};
use super::terms::Terms;
use super::work::{Products, Sink, Slopes, Tangent, Values, Work};
use crate::error::AdError;
use crate::number::Real;
use crate::space::Components;

/// `Σ` of all results of all terms, kept: after the first few calls nothing is allocated.
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
        p.gradient(gradient, |g| Ok(worked(*terms, plan, outs, &Slopes(&Plain), [&p.numbers, &[]], g)))
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
        let Sum { terms, plan, outs, .. } = self;
        let point = plan.curved_point(*terms, p)?;
        let [v, velocity] = &point.direction(v)?;
        point.gradient(gradient, |g| {
            point.write("product buffer", product, false, |hv| {
                let at = [&point.numbers[..], velocity];
                let value = worked(*terms, plan, outs, &Products(&Plain), at, (&mut *g, Tangent(hv)));
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
            let done = self.second(&point, gradient, &mut matrix)?;
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
        let done = self.second(&point, gradient, &mut pattern);
        let pattern = self.pattern.insert(pattern);
        let (value, bends) = done?;
        Ok((value, pattern.finish(&point, &bends)))
    }
    /// The sum; its gradient to a buffer, its second derivatives to `matrix`.
    fn second<B: Precision>(
        &mut self,
        point: &Point<'_>,
        gradient: &mut (impl Parameters<B> + ?Sized),
        matrix: &mut impl Sink,
    ) -> Result<(f64, Bends), AdError> {
        point.gradient(gradient, |g| {
            let at = [&point.numbers, &[][..]];
            let value =
                worked(self.terms, &self.plan, &mut self.outs, &Triangles(&Plain), at, (&mut *g, matrix));
            Ok((value, point.bends(g)))
        })
    }
}

/// The sum of nothing.
pub(super) fn nothing() -> f64 {
    std::iter::empty::<f64>().sum()
}

/// The sum of an objective.
pub(super) fn value<F: Terms>(
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    objective: &impl Objective,
    p: &[f64],
) -> f64 {
    by(OnTape, true, f, plan, outs, &Values(objective), [p, &[]], &mut ())
}

/// Works on all terms and adds what they give; the value. If lanes make a NaN, it is done once more on tapes, where an
/// infinity is stopped by a zero.
pub(super) fn worked<F: Terms>(
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    work: &impl Work,
    at: [&[f64]; 2],
    mut sink: impl Sink,
) -> f64 {
    let value = with_engine!(plan.width, engine => by(engine, true, f, plan, outs, work, at, &mut sink));
    if !sink.has_nan() {
        return value;
    }
    by(OnTape, false, f, plan, outs, work, at, &mut sink)
}

/// Works on all terms in one way; whether by their linear forms, where they have them.
#[allow(clippy::too_many_arguments)]
fn by<F: Terms>(
    engine: impl Engine,
    forms: bool,
    f: &F,
    plan: &Plan,
    outs: &mut Vec<Out>,
    work: &impl Work,
    at: [&[f64]; 2],
    sink: &mut impl Sink,
) -> f64 {
    sink.start();
    let mut value = nothing();
    run(
        &plan.jobs,
        outs,
        |job, out| {
            for (group, terms) in job.pieces(f) {
                let mut over = OverForms { work, at, terms: terms.clone(), out: &mut *out, done: false };
                if forms {
                    f.with_forms(group, &mut over);
                }
                if !over.done {
                    work.piece(engine, f, at, (group, terms), out);
                }
            }
        },
        |out| {
            value = out.values.iter().fold(value, |sum, v| sum + v);
            sink.add(out);
        },
    );
    value
}

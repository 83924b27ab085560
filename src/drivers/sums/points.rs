//! Points and gradients of a sum as a row of `f64`, whatever their structure.
//!
//! Terms read the components `c` of a point. Those of a rotation are functions of its tangent `v`, which is zero, with
//! `ċ = Pv`. So with the derivatives `g`, `J`, `A` by the components the gradient by the tangent is `Pᵀg`, a Jacobian `JP`, a
//! matrix `PᵀAP`; and a Hessian has `Σ gᵢ·∂²cᵢ` besides.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

use super::alone::demand_alone;
use super::jobs::Plan;
use super::terms::Terms;
use crate::drivers::sinks::{Buffer, Onto};
use crate::duals::DualN;
use crate::error::AdError;
use crate::number::BaseFloat;
use crate::space::{Components, Embedding, SelfTangent, Split, dimension};

/// `f32` or `f64`, what the parameters of a sum consist of. Terms are functions at `f64`; of parameters in `f32` the results
/// are rounded at the end.
///
/// ```
/// use wengert::{Real, sums::{Sum, Terms}};
/// struct Cube;
/// impl Terms for Cube {
///     fn count(&self, _group: usize) -> usize { 1 }
///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.push(0) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, _: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |_, p, out| out[0] = p[0].powi(3)
///     }
/// }
/// let mut g = [0.0_f32];
/// assert_eq!(Sum::new(&Cube, 1)?.gradient(&[2.0_f32], &mut g)?, 8.0);
/// assert_eq!(g, [12.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Precision: BaseFloat {
    #[doc(hidden)]
    fn doubles(of: &[Self]) -> Option<&[f64]> {
        let _ = of;
        None
    }
    #[doc(hidden)]
    fn doubles_mut(of: &mut [Self]) -> Option<&mut [f64]> {
        let _ = of;
        None
    }
}

impl Precision for f32 {}

impl Precision for f64 {
    fn doubles(of: &[f64]) -> Option<&[f64]> {
        Some(of)
    }
    fn doubles_mut(of: &mut [f64]) -> Option<&mut [f64]> {
        Some(of)
    }
}

/// A tangent or a gradient of the parameters: numbers in slices, arrays, `Vec`, tuples, matrices of nalgebra, and structs
/// declared with [`differentiable!`](crate::differentiable), in their order.
///
/// A point may be any [structure](crate::space) of numbers. Terms read its components. If it holds rotations, then gradients,
/// tangents and matrices are those of its tangents, as everywhere:
///
/// ```
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{Rotation3, Vector3};
/// use wengert::{Real, sums::{Sum, Terms}};
/// /// `(e₂, R·e₁)`: the second of nine components of `R`.
/// struct Entry;
/// impl Terms for Entry {
///     fn count(&self, _group: usize) -> usize { 1 }
///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.push(1) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, _: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |_, r, out| out[0] = r[0]
///     }
/// }
/// let mut g = Vector3::zeros();
/// Sum::new(&Entry, 9)?.gradient(&Rotation3::<f64>::identity(), &mut g)?;
/// assert_eq!(g, Vector3::new(0.0, 0.0, 1.0)); // R·exp[ω]
/// # }
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Parameters<B: Precision = f64>: Components<B> + SelfTangent {}

impl<B: Precision, X: Components<B> + SelfTangent + ?Sized> Parameters<B> for X {}

/// The numbers of a structure.
fn numbers<B: Precision, X: Components<B> + ?Sized>(x: &X) -> Cow<'_, [f64]> {
    x.contiguous().and_then(B::doubles).map(Cow::Borrowed).unwrap_or_else(|| {
        let mut all = Vec::with_capacity(x.count());
        x.visit(&mut |c| all.push(c.to_double()));
        Cow::Owned(all)
    })
}

/// A point of an operator.
pub(super) struct Point<'x> {
    op: &'static str,
    /// Its components.
    pub numbers: Cow<'x, [f64]>,
    /// What they are of a tangent, if they are not the tangent's.
    chart: Option<Chart>,
}

/// What is added to a vector or a matrix of the tangents, if the point is on a group: place and number.
pub(super) type Bends = Vec<(usize, f64)>;

impl Plan {
    /// The numbers of a point, if they are as many as the parameters.
    pub fn point<'x, B: Precision, X: Components<B> + ?Sized>(&self, x: &'x X) -> Result<Point<'x>, AdError> {
        AdError::check_len(self.op, "point", self.parameters, x.count())?;
        let chart = (!X::FLAT).then(|| Chart::of(x));
        Ok(Point { op: self.op, numbers: numbers(x), chart })
    }
    /// As [`point`](Self::point), for derivatives: at the first one the terms are looked at.
    pub fn active_point<'x, F: Terms, B: Precision, X: Components<B> + ?Sized>(
        &self,
        f: &F,
        x: &'x X,
    ) -> Result<Point<'x>, AdError> {
        let point = self.point(x)?;
        if !self.alone.load(Relaxed) {
            let pieces = self.jobs.iter().flat_map(|job| job.pieces(f));
            pieces.for_each(|piece| demand_alone(f, &point.numbers, piece));
            self.alone.store(true, Relaxed);
        }
        Ok(point)
    }
    /// As [`active_point`](Self::active_point), for second derivatives.
    pub fn curved_point<'x, F: Terms, B: Precision, X: Components<B> + ?Sized>(
        &self,
        f: &F,
        x: &'x X,
    ) -> Result<Point<'x>, AdError> {
        let mut point = self.active_point(f, x)?;
        if let Some(chart) = &mut point.chart {
            chart.bend(x);
        }
        Ok(point)
    }
}

impl Point<'_> {
    fn dimension(&self) -> usize {
        self.chart.as_ref().map_or(self.numbers.len(), |chart| chart.dimension)
    }
    /// A tangent, and the velocity of the components.
    pub fn direction<'v, B: Precision, V: Parameters<B> + ?Sized>(
        &self,
        v: &'v V,
    ) -> Result<[Cow<'v, [f64]>; 2], AdError> {
        AdError::check_len(self.op, "tangent", self.dimension(), v.count())?;
        let v = numbers(v);
        let Some(chart) = &self.chart else { return Ok([Cow::default(), v]) };
        let mut velocity = vec![0.0; self.numbers.len()];
        chart.entries().for_each(|(i, a, p)| velocity[i] += p * v[a]);
        Ok([v, Cow::Owned(velocity)])
    }
    /// Writes a gradient, which `fill` gives by the components, or a matrix.
    pub fn write<B: Precision, X: Components<B> + ?Sized, R>(
        &self,
        what: &'static str,
        to: &mut X,
        is_matrix: bool,
        fill: impl FnOnce(&mut [f64]) -> Result<(R, Bends), AdError>,
    ) -> Result<R, AdError> {
        let (n, d) = (self.numbers.len(), self.dimension());
        let mut buffer = if is_matrix { Onto::<B, X, Split>::table(what, to) } else { Onto::new(what, to) };
        buffer.fit(self.op, d, if is_matrix { d } else { 1 })?;
        let slots = buffer.slots();
        let result = if self.chart.is_none() && B::IS_F64 {
            fill(B::doubles_mut(slots).expect("they are f64"))?.0
        } else {
            let mut all = vec![0.0; if is_matrix { n * n } else { n }];
            let (result, bends) = fill(&mut all)?;
            if let Some(chart) = &self.chart {
                all = if is_matrix { chart.matrix(n, &all) } else { chart.covector(&all) };
            }
            bends.into_iter().for_each(|(place, bend)| all[place] += bend);
            slots.iter_mut().zip(all).for_each(|(to, x)| *to = B::from_double(x));
            result
        };
        Buffer::<B>::finish(&mut buffer);
        Ok(result)
    }
    /// As [`write`](Self::write), of a gradient.
    pub fn gradient<B: Precision, X: Parameters<B> + ?Sized, R>(
        &self,
        to: &mut X,
        fill: impl FnOnce(&mut [f64]) -> Result<R, AdError>,
    ) -> Result<R, AdError> {
        self.write("gradient buffer", to, false, |g| Ok((fill(g)?, Bends::new())))
    }
    /// `Σ gᵢ·∂²cᵢ·v` of the gradient by the components.
    pub fn bends_along(&self, g: &[f64], v: &[f64]) -> Bends {
        self.bent(g, |a, b, bend| (a, bend * v[b]))
    }
    /// `Σ gᵢ·∂²cᵢ`, column by column.
    pub fn bends(&self, g: &[f64]) -> Bends {
        let d = self.dimension();
        self.bent(g, |a, b, bend| (a + d * b, bend))
    }
    fn bent(&self, g: &[f64], f: impl Fn(usize, usize, f64) -> (usize, f64)) -> Bends {
        let bends = self.chart.iter().flat_map(|chart| &chart.bends);
        bends.map(|&(i, [a, b], bend)| f(a, b, g[i] * bend)).collect()
    }
    /// The rows of a matrix by the tangents, if these are not the components.
    #[cfg(feature = "sparse")]
    pub fn rows(&self, j: &nalgebra_sparse::CsrMatrix<f64>) -> Option<nalgebra_sparse::CsrMatrix<f64>> {
        self.chart.as_ref().map(|chart| j * nalgebra_sparse::CsrMatrix::from(&chart.slopes(j.ncols())))
    }
    /// A symmetric matrix by the tangents, if these are not the components.
    #[cfg(feature = "sparse")]
    pub fn both(
        &self,
        matrix: &nalgebra_sparse::CscMatrix<f64>,
        bends: &Bends,
    ) -> Option<nalgebra_sparse::CscMatrix<f64>> {
        use nalgebra_sparse::{CooMatrix, CscMatrix};
        self.chart.as_ref().map(|chart| {
            let (d, p) = (chart.dimension, CscMatrix::from(&chart.slopes(matrix.ncols())));
            let mut more = CooMatrix::new(d, d);
            bends.iter().for_each(|&(place, bend)| more.push(place % d, place / d, bend));
            p.transpose() * (matrix * p) + CscMatrix::from(&more)
        })
    }
}

/// Lanes in which the tangents of neighbours are told apart: a group has up to six.
const WINDOW: usize = 11;

/// The components of a point as functions of its tangent.
struct Chart {
    dimension: usize,
    /// The first tangent that each component may depend on.
    firsts: Vec<usize>,
    /// Component, tangent and entry of `P`.
    slopes: Vec<(usize, usize, f64)>,
    /// Component, tangents and second derivative.
    bends: Vec<(usize, [usize; 2], f64)>,
}

impl Chart {
    /// A tangent has 1 at one place in each group, then at the next: `embed` asks for the tangent of a group before it gives
    /// the components.
    fn of<B: Precision, X: Components<B> + ?Sized>(x: &X) -> Self {
        let (mut firsts, mut slopes, mut pass) = (Vec::new(), Vec::new(), 0);
        let width = Cell::new(1);
        while pass < width.get() {
            let (first, count, gives) = (Cell::new(0), Cell::new(0), Cell::new(false));
            let mut next = || {
                if gives.replace(false) {
                    first.set(first.get() + count.replace(0));
                }
                let place = count.replace(count.get() + 1);
                B::lit(if place == pass { 1.0 } else { 0.0 })
            };
            let mut component = 0;
            let mut take = |entry: B| {
                gives.set(true);
                width.set(width.get().max(count.get()));
                if pass == 0 {
                    firsts.push(first.get());
                }
                if pass < count.get() {
                    slopes.push((component, first.get() + pass, entry.to_double()));
                }
                component += 1;
            };
            x.embed(Embedding::TangentToAmbient, &mut next, &mut take);
            pass += 1;
        }
        Chart { dimension: dimension(x), firsts, slopes, bends: Vec::new() }
    }
    /// Finds the second derivatives.
    fn bend<B: Precision, X: Components<B> + ?Sized>(&mut self, x: &X) {
        let mut lane = (0..WINDOW).cycle();
        let mut variable = |x: B| {
            let lane = lane.next().expect("a cycle");
            DualN::<_, WINDOW>::variable(DualN::<B, WINDOW>::variable(x, lane), lane)
        };
        let there = x.seeded(&|c| DualN::constant(DualN::constant(c)), &mut variable);
        let mut firsts = self.firsts.iter().enumerate();
        there.visit(&mut |c: DualN<DualN<B, WINDOW>, WINDOW>| {
            let (i, &first) = firsts.next().expect("as many as before");
            let near = first.saturating_sub(WINDOW / 2)..self.dimension.min(first + WINDOW / 2 + 1);
            let tangents = c.tangents();
            for (a, b) in near.clone().flat_map(|a| near.clone().map(move |b| (a, b))) {
                let bend = tangents[a % WINDOW].tangents()[b % WINDOW].to_double();
                if bend != 0.0 {
                    self.bends.push((i, [a, b], bend));
                }
            }
        });
    }
    /// The entries of `P` that are not zero: they are to stop an infinite derivative.
    fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.slopes.iter().copied().filter(|(.., p)| *p != 0.0)
    }
    /// `Pᵀg`.
    fn covector(&self, g: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.dimension];
        self.entries().for_each(|(i, a, p)| all[a] += p * g[i]);
        all
    }
    /// `PᵀAP` of a symmetric matrix, column by column.
    fn matrix(&self, n: usize, matrix: &[f64]) -> Vec<f64> {
        let d = self.dimension;
        let rows: Vec<Vec<f64>> = (0..n).map(|i| self.covector(&matrix[n * i..][..n])).collect();
        let mut all = vec![0.0; d * d];
        for (i, a, p) in self.entries() {
            all[d * a..][..d].iter_mut().zip(&rows[i]).for_each(|(to, x)| *to += p * x);
        }
        all
    }
    /// `P`, with its zeros.
    #[cfg(feature = "sparse")]
    fn slopes(&self, n: usize) -> nalgebra_sparse::CooMatrix<f64> {
        let mut all = nalgebra_sparse::CooMatrix::new(n, self.dimension);
        self.slopes.iter().for_each(|&(i, a, p)| all.push(i, a, p));
        all
    }
}

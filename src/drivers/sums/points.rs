//! Points and gradients of a sum as a row of `f64`, whatever their structure.
//!
//! Terms read the components `c` of a point. The components of a rotation are functions of its tangent `v`, which is
//! zero, with `ċ = Pv`. So with the derivatives `g`, `J`, `A` with respect to the components, the gradient with
//! respect to the tangent is `Pᵀg`, a Jacobian `JP`, a matrix `PᵀAP`; and a Hessian has the curvature term `Σ
//! gᵢ·∂²cᵢ` in addition.

use std::ops::Deref;

use super::chart::{Chart, zeros};
use crate::drivers::sinks::{Buffer, StructureBuffer};
use crate::error::AdError;
use crate::number::BaseFloat;
use crate::pool::Spare;
use crate::space::{Components, PairLayout, SelfTangent};

/// `f32` or `f64`, the type of the parameters of a sum. Terms are functions at `f64`; for parameters in `f32` the
/// results are rounded at the end.
///
/// ```
/// use wengert::{Real, sums::{Sum, Table}};
/// let mut cube = Sum::new(1, Table::without_data(1), |p, _| p[0].powi(3))?;
/// let mut g = [0.0_f32];
/// assert_eq!(cube.gradient(&[2.0_f32], &mut g)?, 8.0);
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
/// with [`#[derive(Differentiable)]`](derive@crate::Differentiable), in their order.
///
/// A point may be any [structure](crate::space) of numbers. Terms read its components. If it holds rotations, then
/// gradients, tangents and matrices belong to its tangents, as everywhere:
///
/// ```
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{Rotation3, Vector3};
/// use wengert::sums::{Sum, Table};
/// // `(e₂, R·e₁)`: the second of nine components of `R`.
/// let mut entry = Sum::new(9, Table::without_data(1), |r, _| r[1])?;
/// let mut g = Vector3::zeros();
/// entry.gradient(&Rotation3::<f64>::identity(), &mut g)?;
/// assert_eq!(g, Vector3::new(0.0, 0.0, 1.0)); // R·exp[ω]
/// # }
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Parameters<B: Precision = f64>: Components<B> + SelfTangent {}

impl<B: Precision, X: Components<B> + SelfTangent + ?Sized> Parameters<B> for X {}

/// Numbers in the caller's memory, or in memory of the thread.
pub(super) enum Row<'x> {
    There(&'x [f64]),
    Kept(Spare<f64>),
}

impl Deref for Row<'_> {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        match self {
            Row::There(row) => row,
            Row::Kept(row) => row.shown(),
        }
    }
}

/// The numbers of a structure.
fn numbers<B: Precision, X: Components<B> + ?Sized>(x: &X) -> Row<'_> {
    x.contiguous().and_then(B::doubles).map(Row::There).unwrap_or_else(|| {
        let mut row = Spare::new();
        let all = row.clear(x.count());
        x.visit(&mut |c| all.push(c.to_double()));
        Row::Kept(row)
    })
}

/// A point of an operator.
pub(super) struct Point<'x> {
    op: &'static str,
    /// Its components.
    pub numbers: Row<'x>,
    /// The map from a tangent to the components; `None` if the components are the tangent.
    pub(super) chart: Option<Chart>,
}

/// The curvature terms of a vector or a matrix of the tangents, if the point is on a group: index and number.
pub(super) type Bends = Spare<(usize, f64)>;

impl<'x> Point<'x> {
    /// The numbers of a point; an error if it has another number of components than `parameters`.
    pub fn of<B: Precision, X: Components<B> + ?Sized>(
        op: &'static str,
        parameters: usize,
        x: &'x X,
    ) -> Result<Self, AdError> {
        AdError::check_len(op, "point", parameters, x.count())?;
        let chart = (!X::FLAT).then(|| Chart::of(x));
        Ok(Point { op, numbers: numbers(x), chart })
    }
    /// With the second derivatives of its components.
    pub fn curved<B: Precision, X: Components<B> + ?Sized>(mut self, x: &X) -> Self {
        if let Some(chart) = &mut self.chart {
            chart.bend(x);
        }
        self
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
    ) -> Result<[Row<'v>; 2], AdError> {
        AdError::check_len(self.op, "tangent", self.dimension(), v.count())?;
        let v = numbers(v);
        let Some(chart) = &self.chart else { return Ok([Row::There(&[]), v]) };
        let mut row = Spare::new();
        let velocity = zeros(&mut row, self.numbers.len());
        chart.entries().for_each(|(i, a, p)| velocity[i] += p * v[a]);
        Ok([v, Row::Kept(row)])
    }
    /// Writes a gradient, which `fill` computes with respect to the components, or a matrix; nothing to `()`.
    pub fn write<B: Precision, X: Components<B> + ?Sized, R>(
        &self,
        what: &'static str,
        to: &mut X,
        is_matrix: bool,
        fill: impl FnOnce(&mut [f64]) -> Result<(R, Bends), AdError>,
    ) -> Result<R, AdError> {
        let (n, d) = (self.numbers.len(), self.dimension());
        if X::ABSENT {
            let mut row = Spare::new();
            return Ok(fill(zeros(&mut row, if is_matrix { n * n } else { n }))?.0);
        }
        let mut buffer = if is_matrix {
            StructureBuffer::<B, X, PairLayout>::table(what, to)
        } else {
            StructureBuffer::new(what, to)
        };
        buffer.fit(self.op, d, if is_matrix { d } else { 1 })?;
        let slots = buffer.slots();
        let result = if self.chart.is_none() && B::IS_F64 {
            fill(B::doubles_mut(slots).expect("they are f64"))?.0
        } else {
            let [mut row, mut of_tangents] = [const { Spare::new() }; 2];
            let all = zeros(&mut row, if is_matrix { n * n } else { n });
            let (result, bends) = fill(all)?;
            let all = match &self.chart {
                None => all,
                Some(chart) => {
                    let to = zeros(&mut of_tangents, if is_matrix { d * d } else { d });
                    if is_matrix {
                        chart.matrix(n, all, to)
                    } else {
                        chart.covector(all, to)
                    }
                    to
                }
            };
            bends.shown().iter().for_each(|&(place, bend)| all[place] += bend);
            slots.iter_mut().zip(all).for_each(|(to, x)| *to = B::from_double(*x));
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
        let mut row = Bends::new();
        if let Some(chart) = &self.chart {
            let bends = chart.bends();
            row.clear(bends.len()).extend(bends.iter().map(|&(i, [a, b], bend)| f(a, b, g[i] * bend)));
        }
        row
    }
}

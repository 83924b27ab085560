//! One evaluation, many derivatives: the tape kept.

use std::borrow::Borrow;

use super::super::{expect, shape::Shape};
use super::record;
use crate::error::AdError;
use crate::reverse::{Tape, Var};
#[cfg(feature = "nalgebra")]
use {
    super::jacobian::write_rows,
    crate::number::Number,
    nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator},
};

/// Evaluates `f` at `x` once and keeps the tape, to apply the derivative and its transpose to many vectors.
///
/// The closure works at [`Var<T>`], `T` the number type of the point.
///
/// # Panics
/// If a result belongs to another tape (noticed when it is used), or 256 tapes are open on this thread.
///
/// ```
/// use wengert::{Var, linearize};
/// let at = linearize(|x: &[Var<f64>]| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
/// assert_eq!(*at.value(), [6.0, 2f64.sin()]);
/// assert_eq!(at.vjp(&[1.0, 0.0]), [3.0, 2.0]);
/// assert_eq!(at.vjp(&[0.0, 1.0]), [2f64.cos(), 0.0]);
/// assert_eq!(at.jvp(&[1.0, -1.0]), [1.0, 2f64.cos()]);
/// ```
pub fn linearize<X, O>(f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O, x: &X) -> Linearized<X, O>
where
    X: Shape + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
{
    let (tape, point) = record(x, |i| x.scalars()[i]);
    let results = f(point.borrow());
    let value = results.same_shape(|i| results.scalars()[i].value());
    Linearized { tape, point: x.same_shape(|i| x.scalars()[i]), results, value }
}

/// A function's value and derivative at a point, from [`linearize`].
pub struct Linearized<X: Shape + ?Sized, O: Shape> {
    tape: Tape<X::Scalar>,
    point: X::With<X::Scalar>,
    results: O,
    value: O::With<X::Scalar>,
}

impl<X, O> Linearized<X, O>
where
    X: Shape + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
{
    /// `f(x)`.
    pub fn value(&self) -> &O::With<X::Scalar> {
        &self.value
    }
    /// The tape, for its figures.
    pub fn tape(&self) -> &Tape<X::Scalar> {
        &self.tape
    }
    /// `J(x)ᵀ·w`: one sweep.
    ///
    /// # Panics
    /// If `w` has not the length of the result.
    #[track_caller]
    pub fn vjp<W: Shape<Scalar = X::Scalar> + ?Sized>(&self, w: &W) -> X::With<X::Scalar> {
        let mut out = self.point.same_shape(|i| self.point.scalars()[i]);
        self.vjp_into(w, out.scalars_mut());
        out
    }
    /// [`vjp`](Linearized::vjp) written to `out`.
    ///
    /// # Panics
    /// If `w` has not the length of the result, or `out` not that of the point.
    #[track_caller]
    pub fn vjp_into<W: Shape<Scalar = X::Scalar> + ?Sized>(&self, w: &W, out: &mut [X::Scalar]) {
        expect(self.try_vjp_into(w, out));
    }
    /// [`vjp_into`](Linearized::vjp_into) with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `w` or `out` does not fit.
    pub fn try_vjp_into<W: Shape<Scalar = X::Scalar> + ?Sized>(
        &self,
        w: &W,
        out: &mut [X::Scalar],
    ) -> Result<(), AdError> {
        let results = self.results.scalars();
        AdError::check_dimensions("vjp", "cotangent", self.results.extents(), w.extents())?;
        AdError::check_len("vjp", "cotangent buffer", self.point.scalars().len(), out.len())?;
        let seeds = results.iter().zip(w.scalars()).map(|(&y, &w)| (y, [w]));
        self.tape.pull(seeds, |cotangents| out.copy_from_slice(cotangents[..out.len()].as_flattened()));
        Ok(())
    }
    /// `J(x)·v`: one pass over the tape, without evaluating the function again.
    ///
    /// # Panics
    /// If `v` has not the length of the point.
    #[track_caller]
    pub fn jvp<V: Shape<Scalar = X::Scalar> + ?Sized>(&self, v: &V) -> O::With<X::Scalar> {
        let tangents = expect(self.tangents(v));
        self.results.same_shape(|i| tangents[i])
    }
    /// [`jvp`](Linearized::jvp) written to `out`.
    ///
    /// # Panics
    /// If `v` has not the shape of the point, or `out` not the length of the result.
    #[track_caller]
    pub fn jvp_into<V: Shape<Scalar = X::Scalar> + ?Sized>(&self, v: &V, out: &mut [X::Scalar]) {
        expect(self.try_jvp_into(v, out));
    }
    /// [`jvp_into`](Linearized::jvp_into) with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` or `out` does not fit.
    pub fn try_jvp_into<V: Shape<Scalar = X::Scalar> + ?Sized>(
        &self,
        v: &V,
        out: &mut [X::Scalar],
    ) -> Result<(), AdError> {
        AdError::check_len("jvp", "tangent buffer", self.results.scalars().len(), out.len())?;
        out.copy_from_slice(&self.tangents(v)?);
        Ok(())
    }
    fn tangents<V: Shape<Scalar = X::Scalar> + ?Sized>(&self, v: &V) -> Result<Vec<X::Scalar>, AdError> {
        AdError::check_dimensions("jvp", "tangent", self.point.extents(), v.extents())?;
        Ok(self.tape.push(0, v.scalars(), self.results.scalars()))
    }
    /// `J(x)`, outputs × inputs, eight rows in each sweep.
    #[cfg(feature = "nalgebra")]
    #[allow(clippy::type_complexity)]
    pub fn jacobian(&self) -> OMatrix<X::Scalar, O::Dim, <X::With<X::Scalar> as Shape>::Dim>
    where
        DefaultAllocator: Allocator<O::Dim, <X::With<X::Scalar> as Shape>::Dim>,
    {
        let zero = X::Scalar::lit(0.0);
        let mut out = OMatrix::from_element_generic(self.results.dim(), self.point.dim(), zero);
        expect(self.try_jacobian_into(&mut out));
        out
    }
    /// [`jacobian`](Linearized::jacobian) written to `out`.
    ///
    /// # Panics
    /// If `out` has not the shape outputs × inputs.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    pub fn jacobian_into<R: Dim, C: Dim>(&self, out: &mut OMatrix<X::Scalar, R, C>)
    where
        DefaultAllocator: Allocator<R, C>,
    {
        expect(self.try_jacobian_into(out));
    }
    /// [`jacobian_into`](Linearized::jacobian_into) with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Dimensions`] if `out` has not the shape outputs × inputs.
    #[cfg(feature = "nalgebra")]
    pub fn try_jacobian_into<R: Dim, C: Dim>(&self, out: &mut OMatrix<X::Scalar, R, C>) -> Result<(), AdError>
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let (y, n) = (self.results.scalars(), self.point.scalars().len());
        AdError::check_dimensions("jacobian", "buffer", (y.len(), n), out.shape())?;
        write_rows(&self.tape, y, n, out.as_mut_slice());
        Ok(())
    }
}

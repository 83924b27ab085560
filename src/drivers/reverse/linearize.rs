//! One evaluation, many derivatives: the tape kept.

use std::borrow::Borrow;

use super::super::expect;
use super::{record, still};
use crate::error::AdError;
use crate::number::Real;
use crate::reverse::{Tape, Var};
use crate::space::{Components, Flat, check, coordinates, dimension, stream, tangent_of};
#[cfg(feature = "nalgebra")]
use {
    super::jacobian::write_rows,
    crate::space::Shape,
    nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator},
};

/// Evaluates `f` at `x` once and keeps the tape, to apply the derivative and its transpose to many vectors.
///
/// The closure works at [`Var<T>`], `T` the number type of the point. Products have the structure of the point or of
/// the result (see [`space`](crate::space)).
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
///
/// let at = linearize(|(a, v)| (*a * v[0], vec![v[1]]), &(2.0, vec![3.0, 4.0]));
/// assert_eq!(at.vjp(&(1.0, [10.0])), (3.0, vec![2.0, 10.0]));
/// assert_eq!(at.jvp(&(1.0, [0.0, 5.0])), (3.0, vec![5.0]));
/// ```
pub fn linearize<T, X, O>(f: impl FnOnce(&X::Arg<Var<T>>) -> O, x: &X) -> Linearized<T, X::Owned, O::With<T>>
where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<Var<T>>,
{
    let (tape, point) = record(x, |x| x, |_, x| x);
    let y = f(point.borrow());
    let results = coordinates(&y, still).into_owned();
    Linearized { tape, results, point: x.alike(&mut |x| x), value: y.map(&mut Var::value) }
}

/// A function's value and derivative at a point of type `X`, with a result of type `Y`, from [`linearize`].
pub struct Linearized<T: Real, X, Y> {
    tape: Tape<T>,
    point: X,
    results: Vec<Var<T>>,
    value: Y,
}

impl<T: Real, X: Components<T>, Y: Components<T>> Linearized<T, X, Y> {
    /// `f(x)`.
    pub fn value(&self) -> &Y {
        &self.value
    }
    /// The tape, for its figures.
    pub fn tape(&self) -> &Tape<T> {
        &self.tape
    }
    /// `J(x)ᵀ·w`: one sweep.
    ///
    /// # Panics
    /// If `w` has not the shape of the result.
    #[track_caller]
    pub fn vjp<W: Components<T> + Flat + ?Sized>(&self, w: &W) -> X::Tangent {
        expect(self.try_vjp(w))
    }
    /// [`vjp`](Linearized::vjp) with an error instead of the panic.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `w` does not fit.
    pub fn try_vjp<W: Components<T> + Flat + ?Sized>(&self, w: &W) -> Result<X::Tangent, AdError> {
        self.pull(w, |cotangents| tangent_of(&self.point, cotangents))
    }
    /// [`vjp`](Linearized::vjp) written to `out`.
    ///
    /// # Panics
    /// If `w` has not the shape of the result, or `out` not the length of the point.
    #[track_caller]
    pub fn vjp_into<W: Components<T> + Flat + ?Sized>(&self, w: &W, out: &mut [T]) {
        expect(self.try_vjp_into(w, out));
    }
    /// [`vjp_into`](Linearized::vjp_into) with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `w` or `out` does not fit.
    pub fn try_vjp_into<W: Components<T> + Flat + ?Sized>(
        &self,
        w: &W,
        out: &mut [T],
    ) -> Result<(), AdError> {
        AdError::check_len("vjp", "cotangent buffer", dimension(&self.point), out.len())?;
        self.pull(w, |cotangents| out.copy_from_slice(cotangents))
    }
    fn pull<W, R>(&self, w: &W, read: impl FnOnce(&[T]) -> R) -> Result<R, AdError>
    where
        W: Components<T> + Flat + ?Sized,
    {
        check("vjp", "cotangent", &self.value, w)?;
        let (w, n) = (stream(w), dimension(&self.point));
        let seeds = self.results.iter().zip(w.iter()).map(|(&y, &w)| (y, [w]));
        Ok(self.tape.pull(seeds, |cotangents| read(cotangents[..n].as_flattened())))
    }
    /// `J(x)·v`: one pass over the tape, without evaluating the function again.
    ///
    /// # Panics
    /// If `v` has not the shape of the point, or the function calls a primitive without a rule for tangents.
    #[track_caller]
    pub fn jvp<V: Components<T> + Flat + ?Sized>(&self, v: &V) -> Y::Tangent {
        expect(self.try_jvp(v))
    }
    /// [`jvp`](Linearized::jvp) with an error instead of the panic.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `v` does not fit.
    /// [`AdError::Unsupported`] if the function calls a primitive without a rule for tangents. (Within a checkpointed
    /// segment such a primitive is a panic of this name.)
    pub fn try_jvp<V: Components<T> + Flat + ?Sized>(&self, v: &V) -> Result<Y::Tangent, AdError> {
        Ok(tangent_of(&self.value, &self.push(v)?))
    }
    /// [`jvp`](Linearized::jvp) written to `out`.
    ///
    /// # Panics
    /// If `v` has not the shape of the point, or `out` not the length of the result, or the function calls a primitive
    /// without a rule for tangents.
    #[track_caller]
    pub fn jvp_into<V: Components<T> + Flat + ?Sized>(&self, v: &V, out: &mut [T]) {
        expect(self.try_jvp_into(v, out));
    }
    /// [`jvp_into`](Linearized::jvp_into) with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `v` or `out` does not fit.
    /// [`AdError::Unsupported`] if the function calls a primitive without a rule for tangents. (Within a checkpointed
    /// segment such a primitive is a panic of this name.)
    pub fn try_jvp_into<V: Components<T> + Flat + ?Sized>(
        &self,
        v: &V,
        out: &mut [T],
    ) -> Result<(), AdError> {
        AdError::check_len("jvp", "tangent buffer", self.results.len(), out.len())?;
        out.copy_from_slice(&self.push(v)?);
        Ok(())
    }
    fn push<V: Components<T> + Flat + ?Sized>(&self, v: &V) -> Result<Vec<T>, AdError> {
        check("jvp", "tangent", &self.point, v)?;
        self.tape.demand_jvp()?;
        Ok(self.tape.push(0, &stream(v), &self.results))
    }
    /// `J(x)`, outputs × inputs, eight rows in each sweep.
    #[cfg(feature = "nalgebra")]
    pub fn jacobian(&self) -> OMatrix<T, Y::Dim, X::Dim>
    where
        X: Shape<T>,
        Y: Shape<T>,
        DefaultAllocator: Allocator<Y::Dim, X::Dim>,
    {
        let (m, n) = (Y::Dim::from_usize(self.results.len()), X::Dim::from_usize(dimension(&self.point)));
        let mut out = OMatrix::from_element_generic(m, n, T::lit(0.0));
        expect(self.try_jacobian_into(&mut out));
        out
    }
    /// [`jacobian`](Linearized::jacobian) written to `out`.
    ///
    /// # Panics
    /// If `out` has not the shape outputs × inputs.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    pub fn jacobian_into<R: Dim, C: Dim>(&self, out: &mut OMatrix<T, R, C>)
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
    pub fn try_jacobian_into<R: Dim, C: Dim>(&self, out: &mut OMatrix<T, R, C>) -> Result<(), AdError>
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let n = dimension(&self.point);
        AdError::check_dimensions("jacobian", "buffer", (self.results.len(), n), out.shape())?;
        write_rows(&self.tape, &self.results, n, out.as_mut_slice());
        Ok(())
    }
}

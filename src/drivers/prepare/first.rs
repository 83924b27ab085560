//! Prepared operators of first order, bound to a function: evaluation at a point.

use std::marker::PhantomData;

use super::bound::count;
use super::{Arg, BoundOperator, Derivative, Gradient, Jacobian, Jvp, Vjp};
use crate::drivers::call::Callable;
use crate::drivers::mode::{Pass, Units};
use crate::drivers::sinks::{Fitting, StructureBuffer};
use crate::drivers::work::{row, rows};
use crate::error::AdError;
use crate::number::{Number, Real};
use crate::space::{Components, SelfTangent};

/// Derivatives of functions of one variable.
impl<M: Pass, T: Real, X: Number + Components<T, L>, F, L> BoundOperator<'_, Derivative, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L>,
{
    /// Writes `f(x)` to `value`, and `f′(x)` to `out`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let (mut place, mut speed) = ([0.0; 2], [0.0; 2]);
    /// let mut derivative = prepare::derivative(Forward, &0.0);
    /// derivative.of(|t| [t.cos(), t.sin()]).at(&0.0, &mut place, &mut speed)?;
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<Y, V>(self, x: &X, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        Y: Components<T, L> + ?Sized,
        V: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [self.value(value), self.outputs("derivative buffer", 1, out.count())];
        let (work, f, _, vectors) = self.work(x, &sizes)?;
        let (one, value) = (X::lit(1.0), StructureBuffer::optional("value buffer", value));
        work.pushed_onto(f, row::<T, L, X>(&one, vectors), value, "derivative buffer", out).map(drop)
    }
}

/// Gradients.
impl<M: Pass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Gradient, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L, Out = M::Number<T>>,
{
    /// Writes `∇f(x)` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size.
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let (mut gradient, mut g) = (prepare::gradient(Reverse, &[0.0; 2]), [0.0; 2]);
    /// assert_eq!(gradient.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &mut g), Ok(6.0));
    /// assert_eq!(g, [3.0, 2.0]);
    /// assert!(gradient.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &mut [0.0; 3]).is_err());
    /// ```
    #[inline]
    pub fn at<V: Components<T, L> + SelfTangent<L> + ?Sized>(self, x: &X, out: &mut V) -> Result<T, AdError> {
        let sizes = [self.inputs("gradient buffer", 1, out.count())];
        let (work, f, ..) = self.work(x, &sizes)?;
        work.gradient_onto(f, out)
    }
}

/// Jacobians.
impl<M: Pass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Jacobian, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L>,
{
    /// Writes `f(x)` to `value`, and `J(x)` to `out`, a matrix or the columns in order.
    ///
    /// # Errors
    /// If the point does not have the prepared size, or a buffer does not fit.
    ///
    /// ```
    /// # #[cfg(feature = "nalgebra")] {
    /// use wengert::{ForwardChunk, prepare};
    /// let mut jacobian = prepare::jacobian(ForwardChunk::<2>, &[0.0; 2]);
    /// let (mut y, mut j) = ([0.0; 2], nalgebra::Matrix2::zeros());
    /// jacobian.of(|x| [x[0] * x[1], x[0]]).at(&[2.0, 3.0], &mut y, &mut j).unwrap();
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::matrix![3.0, 2.0; 1.0, 0.0]));
    /// # }
    /// ```
    #[inline]
    pub fn at<Y, V>(self, x: &X, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        Y: Components<T, L> + ?Sized,
        V: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes =
            [self.value(value), self.outputs("Jacobian buffer", self.core.outline.dimension(), out.count())];
        let (work, f, ..) = self.work(x, &sizes)?;
        let (value, out) = (
            StructureBuffer::optional("value buffer", value),
            StructureBuffer::table("Jacobian buffer", out),
        );
        work.jacobian(f, &Units::all(), value, out).map(drop)
    }
}

/// Products with Jacobians.
impl<M: Pass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Jvp, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L>,
{
    /// Writes `f(x)` to `value`, and `J(x)·v` to `out`.
    ///
    /// # Errors
    /// If point or tangent do not have the prepared size, or a buffer does not have the size of the result.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
    /// let mut jvp = prepare::jvp(Forward, &[0.0; 2]);
    /// jvp.of(|x| [x[0] * x[1], x[0]]).at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dy)?;
    /// assert_eq!((y, dy), ([6.0, 2.0], [23.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V, Y, W>(self, x: &X, v: &V, value: &mut Y, out: &mut W) -> Result<(), AdError>
    where
        V: Components<T, L> + SelfTangent<L> + ?Sized,
        Y: Components<T, L> + ?Sized,
        W: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.inputs("tangent", 1, v.count()),
            self.value(value),
            self.outputs("tangent buffer", 1, out.count()),
        ];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check("jvp", "tangent", v)?;
        let value = StructureBuffer::optional("value buffer", value);
        work.pushed_onto(f, row(v, vectors), value, "tangent buffer", out).map(drop)
    }
    /// Writes `f(x)` to `value`, and the products with all `B` tangents to `out`, in order. It takes the evaluations
    /// that the mode needs for `B` tangents, `⌈B/N⌉` with [`ForwardChunk<N>`](crate::ForwardChunk).
    ///
    /// # Errors
    /// As [`at`](BoundOperator::at).
    ///
    /// ```
    /// use wengert::{ForwardChunk, prepare};
    /// let (mut y, mut dy) = ([0.0], [0.0; 2]);
    /// let mut jvp = prepare::jvp(ForwardChunk::<2>, &[0.0; 2]);
    /// jvp.of(|x| x[0] * x[1]).batch(&[2.0, 3.0], &[[1.0, 0.0], [1.0, 1.0]], &mut y, &mut dy)?;
    /// assert_eq!((y, dy), ([6.0], [3.0, 5.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<V, Y, W>(self, x: &X, v: &[V], value: &mut Y, out: &mut W) -> Result<(), AdError>
    where
        V: Components<T, L> + SelfTangent<L>,
        Y: Components<T, L> + ?Sized,
        W: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.inputs("tangents", v.len(), count(v)),
            self.value(value),
            self.outputs("tangent buffer", v.len(), out.count()),
        ];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        v.iter().try_for_each(|v| outline.check("jvp", "tangent", v))?;
        let value = StructureBuffer::optional("value buffer", value);
        work.pushed_onto(f, rows(v, vectors), value, "tangent buffer", out).map(drop)
    }
}

/// Products with transposed Jacobians.
impl<M: Pass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Vjp, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L>,
{
    /// Writes `f(x)` to `value`, and `J(x)ᵀ·w` to `out`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size, or the cotangent does not have the size of the result.
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
    /// let mut vjp = prepare::vjp(Reverse, &[0.0; 2]);
    /// vjp.of(|x| [x[0] * x[1], x[0]]).at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dx)?;
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<W, Y, V>(self, x: &X, w: &W, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        W: Components<T, L> + SelfTangent<L> + ?Sized,
        Y: Components<T, L> + ?Sized,
        V: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.outputs("cotangent", 1, w.count()),
            self.value(value),
            self.inputs("cotangent buffer", 1, out.count()),
        ];
        let (work, f, _, vectors) = self.work(x, &sizes)?;
        let value = Fitting::<_, _, L>::new(w, StructureBuffer::optional("value buffer", value));
        work.pulled_onto(f, row(w, vectors), value, out).map(drop)
    }
    /// Writes `f(x)` to `value`, and the products with all cotangents to `out`, in order: one evaluation in
    /// [`Reverse`](crate::Reverse) mode, and a sweep for each eight.
    ///
    /// # Errors
    /// As [`at`](BoundOperator::at).
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let (mut y, mut dx) = ([0.0; 2], [0.0; 4]);
    /// let mut vjp = prepare::vjp(Reverse, &[0.0; 2]);
    /// let w = [[1.0, 0.0], [1.0, 1.0]];
    /// vjp.of(|x| [x[0] * x[1], x[0]]).batch(&[2.0, 3.0], &w, &mut y, &mut dx)?;
    /// assert_eq!((y, dx), ([6.0, 2.0], [3.0, 2.0, 4.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<W, Y, V>(self, x: &X, w: &[W], value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        W: Components<T, L> + SelfTangent<L>,
        Y: Components<T, L> + ?Sized,
        V: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.outputs("cotangents", w.len(), count(w)),
            self.value(value),
            self.inputs("cotangent buffer", w.len(), out.count()),
        ];
        let (work, f, _, vectors) = self.work(x, &sizes)?;
        let value =
            Fitting(w.iter(), StructureBuffer::<_, _, L>::optional("value buffer", value), PhantomData::<L>);
        work.pulled_onto(f, rows(w, vectors), value, out).map(drop)
    }
}

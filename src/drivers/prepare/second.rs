//! Prepared operators of second order, bound to a function: evaluation at a point.

use super::bound::count;
use super::{Arg, BoundOperator, Hessian, Hvp, SecondDerivative};
use crate::drivers::call::Callable;
use crate::drivers::mode::Units;
use crate::drivers::modes::SecondPass;
use crate::drivers::sinks::StructureBuffer;
use crate::drivers::work::{row, rows};
use crate::error::AdError;
use crate::number::Real;
use crate::space::{Components, SelfTangent};

/// Second derivatives of functions of one variable.
impl<M: SecondPass, T: Real, F> BoundOperator<'_, SecondDerivative, M, T, T, F>
where
    F: Callable<M::Number<T>, M::Number<T>, Out: SelfTangent>,
{
    /// Writes `f(x)` to `value`, `f′(x)` to `first` and `f″(x)` to `second`. Results on groups are refused, as by
    /// [`second_derivative`](crate::second_derivative()):
    ///
    /// ```compile_fail,E0599
    /// use nalgebra::Rotation3;
    /// use wengert::{Dual2, Packed, prepare};
    /// let (mut y, mut dy, mut ddy) = ([0.0; 9], [0.0; 3], [0.0; 3]);
    /// let mut second = prepare::second_derivative(Packed::<1, 1>, &0.0);
    /// let turn = |t: &Dual2<f64, 1, 1>| Rotation3::from_euler_angles(*t, *t, *t);
    /// second.of(turn).at(&2.0, &mut y, &mut dy, &mut ddy).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Packed, prepare};
    /// let (mut y, mut dy, mut ddy) = ([0.0], [0.0], [0.0]);
    /// let mut second = prepare::second_derivative(Packed::<1, 1>, &0.0);
    /// second.of(|t| t.powi(3)).at(&2.0, &mut y, &mut dy, &mut ddy)?;
    /// assert_eq!((y, dy, ddy), ([8.0], [12.0], [12.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<Y, V, W>(self, x: &T, value: &mut Y, first: &mut V, second: &mut W) -> Result<(), AdError>
    where
        Y: Components<T> + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
        W: Components<T> + SelfTangent + ?Sized,
    {
        let sizes = [
            self.value(value),
            self.outputs("first buffer", 1, first.count()),
            self.outputs("second buffer", 1, second.count()),
        ];
        let (work, f, ..) = self.work(x, &sizes)?;
        let (first, second) =
            (StructureBuffer::new("first buffer", first), StructureBuffer::new("second buffer", second));
        work.second(f, &Units::all(), StructureBuffer::optional("value buffer", value), first, second)
            .map(drop)
    }
}

/// Products with Hessians.
impl<M: SecondPass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Hvp, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L, Out = M::Number<T>>,
{
    /// Writes `∇f(x)` to `gradient`, and `H(x)·v` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point, tangent or a buffer do not have the prepared size.
    ///
    /// ```
    /// use wengert::{Forward, Reverse, SecondOrder, prepare};
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
    /// let mut hvp = prepare::hvp(SecondOrder(Forward, Reverse), &[0.0; 2]);
    /// hvp.of(|x| x[0] * x[0] * x[1]).at(&[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv)?;
    /// assert_eq!((g, hv), ([12.0, 4.0], [6.0, 4.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V, G, W>(self, x: &X, v: &V, gradient: &mut G, out: &mut W) -> Result<T, AdError>
    where
        V: Components<T, L> + SelfTangent<L> + ?Sized,
        G: Components<T, L> + SelfTangent<L> + ?Sized,
        W: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.inputs("tangent", 1, v.count()),
            self.slope(gradient),
            self.inputs("product buffer", 1, out.count()),
        ];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check("hvp", "tangent", v)?;
        let (gradient, out) = (
            StructureBuffer::optional("gradient buffer", gradient),
            StructureBuffer::new("product buffer", out),
        );
        Ok(work.curvature(f, &row(v, vectors), gradient, out)?.0)
    }
    /// Writes `∇f(x)` to `gradient`, and the products with all tangents to `out`, in order; returns `f(x)`.
    ///
    /// # Errors
    /// As [`at`](BoundOperator::at).
    ///
    /// ```
    /// use wengert::{ForwardChunk, Reverse, SecondOrder, prepare};
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 4]);
    /// let mut hvp = prepare::hvp(SecondOrder(ForwardChunk::<2>, Reverse), &[0.0; 2]);
    /// let v = [[1.0, 0.0], [0.0, 1.0]];
    /// let y = hvp.of(|x| x[0] * x[0] * x[1]).batch(&[2.0, 3.0], &v, &mut g, &mut hv)?;
    /// assert_eq!((y, g, hv), (12.0, [12.0, 4.0], [6.0, 4.0, 4.0, 0.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<V, G, W>(self, x: &X, v: &[V], gradient: &mut G, out: &mut W) -> Result<T, AdError>
    where
        V: Components<T, L> + SelfTangent<L>,
        G: Components<T, L> + SelfTangent<L> + ?Sized,
        W: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes = [
            self.inputs("tangents", v.len(), count(v)),
            self.slope(gradient),
            self.inputs("product buffer", v.len(), out.count()),
        ];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        v.iter().try_for_each(|v| outline.check("hvp", "tangent", v))?;
        let (gradient, out) = (
            StructureBuffer::optional("gradient buffer", gradient),
            StructureBuffer::new("product buffer", out),
        );
        Ok(work.curvature(f, &rows(v, vectors), gradient, out)?.0)
    }
}

/// Hessians.
impl<M: SecondPass, T: Real, X: Components<T, L> + ?Sized, F, L> BoundOperator<'_, Hessian, M, T, X, F, L>
where
    F: Callable<M::Number<T>, Arg<M, T, X, L>, L, Out = M::Number<T>>,
{
    /// Writes `∇f(x)` to `gradient`, and `H(x)` to `out`, a matrix or the columns in order; returns `f(x)`.
    ///
    /// # Errors
    /// If point or gradient buffer do not have the prepared size, or `out` does not fit.
    ///
    /// ```
    /// # #[cfg(feature = "nalgebra")] {
    /// use wengert::{Forward, Reverse, SecondOrder, prepare};
    /// let (mut g, mut h) = ([0.0; 2], nalgebra::Matrix2::<f64>::zeros());
    /// let mut hessian = prepare::hessian(SecondOrder(Forward, Reverse), &[0.0; 2]);
    /// hessian.of(|x| x[0] * x[0] * x[1]).at(&[2.0, 3.0], &mut g, &mut h)?;
    /// assert_eq!((g, h), ([12.0, 4.0], nalgebra::matrix![6.0, 4.0; 4.0, 0.0]));
    /// # }
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<G, V>(self, x: &X, gradient: &mut G, out: &mut V) -> Result<T, AdError>
    where
        G: Components<T, L> + SelfTangent<L> + ?Sized,
        V: Components<T, L> + SelfTangent<L> + ?Sized,
    {
        let sizes =
            [self.slope(gradient), self.inputs("Hessian buffer", self.core.outline.dimension(), out.count())];
        let (work, f, ..) = self.work(x, &sizes)?;
        let (gradient, out) = (
            StructureBuffer::optional("gradient buffer", gradient),
            StructureBuffer::table("Hessian buffer", out),
        );
        Ok(work.curvature(f, &Units::all(), gradient, out)?.0)
    }
}

//! What prepared operators do with a function at a point.

use super::{Arg, Derivative, Gradient, Hessian, Hvp, Jacobian, Jvp, Of, Operator, SecondDerivative, Vjp};
use crate::drivers::call::Call;
use crate::drivers::mode::{Given, Mode, Pass, Units};
use crate::drivers::modes::SecondPass;
use crate::drivers::sinks::{Buffer, Fitting, Keep, Onto, Written};
use crate::drivers::work::{Work, row, rows};
use crate::error::{AdError, Argument};
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, Flat, Outline, Split, dimension};

impl<'a, Op: Operator, M: Mode, T: Real, X: Components<T> + ?Sized, F> Of<'a, Op, M, T, X, F> {
    /// The work at `x`, if it has the prepared structure and each of `others` the prepared number of components.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn work(
        self,
        x: &'a X,
        others: &[(&'static str, usize)],
    ) -> Result<(Work<'a, M, T, Split, X>, F, &'a Outline, &'a mut Spare<T>), AdError> {
        let n = self.outline.dimension();
        if !self.outline.fits(x) || others.iter().any(|(_, given)| *given != n) {
            return Err(self.mismatch(x, n, others));
        }
        let work = Work { op: Op::NAME, mode: self.mode, memory: self.memory, x, directions: n };
        Ok((work, self.f, self.outline, self.vectors))
    }
    #[cold]
    fn mismatch(&self, x: &X, n: usize, others: &[(&'static str, usize)]) -> AdError {
        let given = dimension(x);
        if given == n && others.iter().all(|(_, given)| *given == n) {
            // As many numbers in another structure.
            return self.outline.check(Op::NAME, "point", x).expect_err("it does not fit");
        }
        let all = [("point", given)].into_iter().chain(others.iter().copied());
        let arguments = all.map(|(name, given)| Argument { name, prepared: n, given }).collect();
        AdError::Prepared { op: Op::NAME, arguments }
    }
}

/// Derivatives of functions of one variable.
impl<M: Pass, T: Real, F: Call<M::Number<T>, M::Number<T>>> Of<'_, Derivative, M, T, T, F> {
    /// `f(x)` written to `value`, `f′(x)` to `out`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let (mut place, mut speed) = ([0.0; 2], [0.0; 2]);
    /// let mut derivative = prepare::derivative(Forward, &0.0);
    /// derivative.of(|t| [t.cos(), t.sin()]).at(0.0, &mut place, &mut speed)?;
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V: Components<T> + Flat + ?Sized>(
        self,
        x: T,
        value: &mut [T],
        out: &mut V,
    ) -> Result<(), AdError> {
        let (work, f, ..) = self.work(&x, &[])?;
        let value = Written::<_, Split>::new("derivative", value);
        work.pushed_onto(f, Given::new(&[T::lit(1.0)], 1), value, "derivative buffer", out).map(drop)
    }
}

/// Second derivatives of functions of one variable.
impl<M: SecondPass, T: Real, F: Call<M::Number<T>, M::Number<T>>> Of<'_, SecondDerivative, M, T, T, F> {
    /// `f(x)` written to `value`, `f′(x)` to `first`, `f″(x)` to `second`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Packed, prepare};
    /// let (mut y, mut dy, mut ddy) = ([0.0], [0.0], [0.0]);
    /// let mut second = prepare::second_derivative(Packed::<1, 1>, &0.0);
    /// second.of(|t| t.powi(3)).at(2.0, &mut y, &mut dy, &mut ddy)?;
    /// assert_eq!((y, dy, ddy), ([8.0], [12.0], [12.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V, W>(self, x: T, value: &mut [T], first: &mut V, second: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, ..) = self.work(&x, &[])?;
        let value = Written::<_, Split>::new("second_derivative", value);
        let (first, second) = (Onto::new("first buffer", first), Onto::new("second buffer", second));
        let (_, first, second) = work.second(f, &Units::all(), value, first, second)?;
        first.finish();
        second.finish();
        Ok(())
    }
}

/// Gradients.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Gradient, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size.
    #[inline]
    pub fn at<V: Components<T> + Flat + ?Sized>(self, x: &X, out: &mut V) -> Result<T, AdError> {
        let (work, f, ..) = self.work(x, &[("gradient buffer", out.count())])?;
        work.gradient_onto(f, out)
    }
}

/// Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Jacobian, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)` to `out`, a matrix or the columns one after the other.
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
    pub fn at<B>(self, x: &X, value: &mut [T], out: &mut B) -> Result<(), AdError>
    where
        B: ?Sized,
        for<'b> &'b mut B: Buffer<T>,
    {
        let (work, f, ..) = self.work(x, &[])?;
        let value = Written::<_, Split>::new("jacobian", value);
        work.jacobian(f, &Units::all(), value, out).map(drop)
    }
}

/// Products with Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Jvp, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)·v` to `out`.
    ///
    /// # Errors
    /// If point or tangent do not have the prepared size, or a buffer does not have that of the result.
    #[inline]
    pub fn at<V, W>(self, x: &X, v: &V, value: &mut [T], out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[("tangent", v.count())])?;
        outline.check("jvp", "tangent", v)?;
        let value = Written::<_, Split>::new("jvp", value);
        work.pushed_onto(f, row(v, vectors), value, "tangent buffer", out).map(drop)
    }
    /// `f(x)` written to `value`, the products with all tangents to `out` one after the other: the evaluations that the
    /// mode needs for so many tangents, `⌈B/N⌉` by [`ForwardChunk<N>`](crate::ForwardChunk).
    ///
    /// # Errors
    /// As [`at`](Of::at).
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
    pub fn batch<V, W>(self, x: &X, v: &[V], value: &mut [T], out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[])?;
        v.iter().try_for_each(|v| outline.check("jvp", "tangent", v))?;
        let value = Written::<_, Split>::new("jvp", value);
        work.pushed_onto(f, rows(v, vectors), value, "tangent buffer", out).map(drop)
    }
}

/// Products with transposed Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Vjp, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)ᵀ·w` to `out`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size, or the cotangent does not have that of the result.
    #[inline]
    pub fn at<W, V>(self, x: &X, w: &W, value: &mut [T], out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + Flat + ?Sized,
        V: Components<T> + Flat + ?Sized,
    {
        let (work, f, _, vectors) = self.work(x, &[("cotangent buffer", out.count())])?;
        let value = Fitting::<_, _, Split>::new(w, Written::<_, Split>::new("vjp", value));
        work.pulled_onto(f, row(w, vectors), value, out).map(drop)
    }
    /// `f(x)` written to `value`, the products with all cotangents to `out` one after the other: one evaluation in
    /// [`Reverse`](crate::Reverse) mode, and a sweep for each eight.
    ///
    /// # Errors
    /// As [`at`](Of::at).
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
    pub fn batch<W, V>(self, x: &X, w: &[W], value: &mut [T], out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + Flat,
        V: Components<T> + Flat + ?Sized,
    {
        let (work, f, _, vectors) = self.work(x, &[])?;
        let value = FittingAll(w, Written::<_, Split>::new("vjp", value));
        work.pulled_onto(f, rows(w, vectors), value, out).map(drop)
    }
}

/// A value that all cotangents must fit.
struct FittingAll<'w, W, V>(&'w [W], V);

impl<T, N, O, W, V> Keep<T, N, O> for FittingAll<'_, W, V>
where
    T: Real,
    N: Real,
    O: Components<N> + ?Sized,
    W: Components<T>,
    V: Keep<T, N, O>,
{
    fn keep(&mut self, y: &O, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let fits = |w| Keep::<T, N, O>::keep(&mut Fitting::<_, _, Split>::new(w, ()), y, outputs, value);
        self.0.iter().try_for_each(fits)?;
        self.1.keep(y, outputs, value)
    }
}

/// Products with Hessians.
impl<M: SecondPass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Hvp, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `gradient`, `H(x)·v` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point, tangent or a buffer do not have the prepared size.
    #[inline]
    pub fn at<V, G, W>(self, x: &X, v: &V, gradient: &mut G, out: &mut W) -> Result<T, AdError>
    where
        V: Components<T> + Flat + ?Sized,
        G: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let sizes =
            [("tangent", v.count()), ("gradient buffer", gradient.count()), ("product buffer", out.count())];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check("hvp", "tangent", v)?;
        second(work, f, row(v, vectors), gradient, Onto::new("product buffer", out))
    }
    /// `∇f(x)` written to `gradient`, the products with all tangents to `out` one after the other; returns `f(x)`.
    ///
    /// # Errors
    /// As [`at`](Of::at).
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
        V: Components<T> + Flat,
        G: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[("gradient buffer", gradient.count())])?;
        v.iter().try_for_each(|v| outline.check("hvp", "tangent", v))?;
        second(work, f, rows(v, vectors), gradient, Onto::new("product buffer", out))
    }
}

/// Value, gradient, and products with the Hessian.
#[inline(always)]
fn second<M: SecondPass, T: Real, X: Components<T> + ?Sized, F, G, W>(
    work: Work<'_, M, T, Split, X>,
    f: F,
    lanes: Given<'_, T>,
    gradient: &mut G,
    out: Onto<'_, T, W, Split>,
) -> Result<T, AdError>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
    G: Components<T> + ?Sized,
    W: Components<T> + ?Sized,
{
    let gradient = Onto::new("gradient buffer", gradient);
    let (value, gradient, out) = work.curvature(f, &lanes, gradient, out)?;
    gradient.finish();
    out.finish();
    Ok(value)
}

/// Hessians.
impl<M: SecondPass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Hessian, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `gradient`, `H(x)` to `out`, a matrix or the columns one after the other; returns `f(x)`.
    ///
    /// # Errors
    /// If point or gradient buffer do not have the prepared size, or `out` does not fit.
    #[inline]
    pub fn at<G, B>(self, x: &X, gradient: &mut G, out: &mut B) -> Result<T, AdError>
    where
        G: Components<T> + Flat + ?Sized,
        B: ?Sized,
        for<'b> &'b mut B: Buffer<T>,
    {
        let (work, f, ..) = self.work(x, &[("gradient buffer", gradient.count())])?;
        let gradient = Onto::new("gradient buffer", gradient);
        let (value, gradient, _) = work.curvature(f, &Units::all(), gradient, out)?;
        gradient.finish();
        Ok(value)
    }
}

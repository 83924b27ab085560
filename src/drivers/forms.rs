//! Free functions: a macro for each operator, a line for each mode.

use std::cell::RefCell;
use std::mem::needs_drop;

use super::call::Memory;
use super::mode::Mode;
use super::work::{Kept, Velocity, Work};
use crate::error::AdError;
use crate::forward::{Dual, Dual2};
use crate::number::Real;
use crate::pool;
use crate::space::{Components, Split, dimension};

/// The value, or the error's text as a panic at the caller's line.
#[track_caller]
#[inline(always)]
pub(super) fn expect<T>(result: Result<T, AdError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// A closure that a mode calls once.
#[inline(always)]
pub(super) fn once<A: ?Sized, O>(f: impl FnOnce(&A) -> O) -> impl FnMut(&A) -> O {
    let mut f = Some(f);
    move |x| f.take().expect("this mode calls once")(x)
}

/// A closure that a mode calls for each chunk of directions.
#[inline(always)]
pub(super) fn often<A: ?Sized, O>(f: impl FnMut(&A) -> O) -> impl FnMut(&A) -> O {
    f
}

/// Asks a mode once, with memory of its own; an error is a panic.
#[inline(always)]
#[track_caller]
pub(super) fn ask<M: Mode, T: Real, L, X: Components<T, L> + ?Sized, R>(
    op: &'static str,
    mode: M,
    x: &X,
    ask: impl FnOnce(Work<'_, M, T, L, X>) -> Result<R, AdError>,
) -> R {
    let directions = dimension(x);
    let work = |memory| Work { op, mode: &mode, memory, x, directions };
    // What lies on no heap is made anew; everything else is what an earlier call has left.
    if !needs_drop::<X::With<M::Number<T>>>() && !needs_drop::<M::Scratch<T>>() {
        return expect(ask(work(&mut Memory::default())));
    }
    let memory = pool::take::<RefCell<Kept<M, T, L, X>>>().unwrap_or_default();
    let result = ask(work(&mut memory.borrow_mut()));
    pool::give(memory);
    expect(result)
}

macro_rules! derivative { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `f′(x)` of a function of one variable, which may return a number, an array, a `Vec`, a vector or any structure
    /// of numbers ([`space`](crate::space)).
    ///
    #[doc = $cost]
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::derivative;")]
    /// assert_eq!(derivative(|x| x.sin(), 0.5), 0.5f64.cos());
    /// assert_eq!(derivative(|t| [t * t, t.recip()], 2.0), [4.0, -0.25]);
    /// // d/dx [x · d/dy (x + y)] = 1: the inner derivative knows the outer variable as a constant.
    /// assert_eq!(derivative(|x| x * derivative(|y| y + x, x), 1.0), 1.0);
    /// ```
    #[inline]
    pub fn derivative<T: Real, O: Components<$N>>(f: impl $Fn($N) -> O, x: T) -> Velocity<O, $N, T, Split> {
        value_and_derivative(f, x).1
    }
    /// `(f(x), f′(x))`; otherwise as [`derivative`].
    ///
    /// ```
    #[doc = concat!("let (y, dy) = wengert::", $module, "::value_and_derivative(|x| x.exp(), 1.0);")]
    /// assert_eq!(y, dy);
    /// ```
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn value_and_derivative<T: Real, O: Components<$N>>(
        #[allow(unused_mut)] mut f: impl $Fn($N) -> O,
        x: T,
    ) -> (Value<O, $N, T, Split>, Velocity<O, $N, T, Split>) {
        let f = Closure($called(|x: &$N| f(*x)));
        ask("derivative", $mode, &x, |work| work.pushed(f, Given::new(&[T::lit(1.0)], 1)))
    }
    /// [`derivative`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` does not have the length of the result.
    ///
    /// ```
    /// let mut speed = [0.0; 2];
    #[doc = concat!("let place = wengert::", $module, "::derivative_into(|t| [t.cos(), t.sin()], 0.0, &mut speed);")]
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn derivative_into<T: Real, O: Components<$N>, V: Components<T> + Flat + ?Sized>(
        #[allow(unused_mut)] mut f: impl $Fn($N) -> O,
        x: T,
        out: &mut V,
    ) -> Value<O, $N, T, Split> {
        let (f, one) = (Closure($called(|x: &$N| f(*x))), [T::lit(1.0)]);
        ask("derivative", $mode, &x, |work| {
            let value = Structured::new();
            Ok(seen(work.pushed_onto(f, Given::new(&one, 1), value, "derivative buffer", out)?.0))
        })
    }
} }

macro_rules! second_derivative { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `f″(x)` of a function of one variable.
    ///
    #[doc = $cost]
    ///
    /// Results are vectors of any structure. A curve of rotations has no second derivative in their tangents without a
    /// choice, so it is refused at compile time: differentiate its velocity, or its matrix.
    ///
    /// ```compile_fail,E0277
    #[doc = concat!("use wengert::{matrix::so3_exp, ", $module, "::second_derivative};")]
    /// second_derivative(|t| so3_exp(&nalgebra::vector![t, t, t]), 0.5);
    /// ```
    ///
    /// ```
    #[doc = concat!("assert_eq!(wengert::", $module, "::second_derivative(|x| x.powi(3), 2.0), 12.0);")]
    /// ```
    #[inline]
    pub fn second_derivative<T: Real, O: Components<$N> + Flat>(
        f: impl $Fn($N) -> O,
        x: T,
    ) -> Velocity<O, $N, T, Split> {
        value_and_second_derivative(f, x).2
    }
    /// `(f(x), f′(x), f″(x))`; otherwise as [`second_derivative`].
    ///
    /// ```
    #[doc = concat!("let all = wengert::", $module, "::value_and_second_derivative(|x| x.powi(3), 2.0);")]
    /// assert_eq!(all, (8.0, 12.0, 12.0));
    /// ```
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn value_and_second_derivative<T: Real, O: Components<$N> + Flat>(
        #[allow(unused_mut)] mut f: impl $Fn($N) -> O,
        x: T,
    ) -> (Value<O, $N, T, Split>, Velocity<O, $N, T, Split>, Velocity<O, $N, T, Split>) {
        let f = Closure($called(|x: &$N| f(*x)));
        ask("second_derivative", $mode, &x, |work| {
            let (value, mut first, mut second) =
                work.second(f, &Units::all(), Structured::new(), Few::new(), Few::new())?;
            let value = seen(value.0);
            let (first, second) = (tangent_of(&value, first.slots()), tangent_of(&value, second.slots()));
            Ok((value, first, second))
        })
    }
    /// [`second_derivative`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` does not have the length of the result.
    ///
    /// ```
    /// let mut acceleration = [0.0; 2];
    #[doc = concat!("wengert::", $module, "::second_derivative_into(|t| [t * t * t, t.exp()], 0.0, &mut acceleration);")]
    /// assert_eq!(acceleration, [0.0, 1.0]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn second_derivative_into<T: Real, O: Components<$N> + Flat, V: Components<T> + Flat + ?Sized>(
        #[allow(unused_mut)] mut f: impl $Fn($N) -> O,
        x: T,
        out: &mut V,
    ) -> Value<O, $N, T, Split> {
        let f = Closure($called(|x: &$N| f(*x)));
        ask("second_derivative", $mode, &x, |work| {
            let out = Onto::new("derivative buffer", out);
            let (value, _, out) = work.second(f, &Units::all(), Structured::new(), (), out)?;
            out.finish();
            Ok(seen(value.0))
        })
    }
} }

macro_rules! gradient { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `∇f(x)`, in the structure of the point (`Vec` for a slice; see [`space`](crate::space)).
    ///
    #[doc = $cost]
    ///
    /// A function that returns a constant has the gradient 0. A point without numbers is `&[0.0; 0]`: `&[]` does not
    /// determine the element type.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::gradient;")]
    /// let g = gradient(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &[-1.2_f64, 1.0]);
    /// assert!((g[0] + 215.6).abs() < 1e-12 && (g[1] + 88.0).abs() < 1e-12);
    /// assert_eq!(gradient(|(a, v)| *a * v[0], &(2.0, vec![3.0, 4.0])), (3.0, vec![2.0, 0.0]));
    /// # #[cfg(feature = "nalgebra")]
    /// assert_eq!(gradient(|v| v.norm(), &nalgebra::vector![3.0, 4.0]), nalgebra::vector![0.6, 0.8]);
    /// // A gradient within a gradient: f(x) = ∂/∂y (x²·y³) at y = x, so f = 3x⁴ and f′ = 12x³.
    /// assert_eq!(gradient(|x| gradient(|y| y[0].powi(3) * x[0] * x[0], &[x[0]])[0], &[2.0]), [96.0]);
    /// ```
    #[inline]
    pub fn gradient<T: Real, X: Components<T> + ?Sized>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X) -> X::Tangent {
        value_and_gradient(f, x).1
    }
    /// `(f(x), ∇f(x))`; otherwise as [`gradient`].
    ///
    /// ```
    #[doc = concat!("let (y, g) = wengert::", $module, "::value_and_gradient(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!((y, g), (6.0, [3.0, 2.0]));
    /// ```
    #[inline]
    pub fn value_and_gradient<T: Real, X: Components<T> + ?Sized>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, X::Tangent) {
        ask("gradient", $mode, x, |work| work.gradient(Closure($called(f))))
    }
    /// [`gradient`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components.
    ///
    /// ```
    /// let mut g = [0.0; 2];
    #[doc = concat!("let y = wengert::", $module, "::gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);")]
    /// assert_eq!((y, g), (6.0, [3.0, 2.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn gradient_into<T: Real, X: Components<T> + ?Sized, V: Components<T> + Flat + ?Sized>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        out: &mut V,
    ) -> T {
        ask("gradient", $mode, x, |work| work.gradient_onto(Closure($called(f)), out))
    }
} }

#[cfg(feature = "nalgebra")]
macro_rules! jacobian { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// The Jacobian of `f` at `x`, outputs × inputs; static sizes of point and result are static in the matrix
    /// ([`Shape`](crate::Shape)).
    ///
    #[doc = $cost]
    ///
    /// The function returns a number, an array, a `Vec`, a vector or any structure of such.
    ///
    /// # Panics
    /// If two evaluations return results of different lengths.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::jacobian;")]
    /// let j = jacobian(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
    /// assert_eq!(j, nalgebra::matrix![3.0, 2.0; 2f64.cos(), 0.0]);
    /// let polar = nalgebra::vector![2.0_f64, 0.5];
    /// let j = jacobian(|p| nalgebra::vector![p[0] * p[1].cos(), p[0] * p[1].sin()], &polar);
    /// assert!((j.determinant() - 2.0).abs() < 1e-15);
    /// ```
    #[inline]
    pub fn jacobian<T, X, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X) -> OMatrix<T, O::Dim, X::Dim>
    where
        T: Real,
        X: Shape<T> + ?Sized,
        O: Shape<$N>,
        DefaultAllocator: Allocator<O::Dim, X::Dim>,
    {
        value_and_jacobian(f, x).1
    }
    /// `(f(x), J(x))`; otherwise as [`jacobian`].
    ///
    /// # Panics
    /// As [`jacobian`].
    ///
    /// ```
    #[doc = concat!("let (y, j) = wengert::", $module, "::value_and_jacobian(|x| vec![x[0] * x[1], x[0]], &[2.0, 3.0][..]);")]
    /// assert_eq!((y, j), (vec![6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_jacobian<T, X, O>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
    ) -> (O::With<T>, OMatrix<T, O::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        O: Shape<$N>,
        DefaultAllocator: Allocator<O::Dim, X::Dim>,
    {
        ask("jacobian", $mode, x, |work| {
            let (value, out) = work.jacobian(Closure($called(f)), &Units::all(), Structured::new(), None)?;
            Ok((seen(value.0), seen(out)))
        })
    }
    /// [`jacobian`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` is not outputs × inputs, and as [`jacobian`].
    ///
    /// ```
    /// let mut j = nalgebra::DMatrix::zeros(2, 2);
    #[doc = concat!("let y = wengert::", $module, "::jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut j);")]
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn jacobian_into<T, X, O, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
        out: &mut OMatrix<T, R, C>,
    ) -> O::With<T>
    where
        T: Real,
        X: Components<T> + ?Sized,
        O: Components<$N>,
        DefaultAllocator: Allocator<R, C>,
    {
        ask("jacobian", $mode, x, |work| {
            Ok(seen(work.jacobian(Closure($called(f)), &Units::all(), Structured::new(), out)?.0.0))
        })
    }
} }

macro_rules! jvp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `J(x)·v`, the derivative of `f` at `x` in the direction `v`, in the structure of the result. Also called
    /// pushforward.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::jvp;")]
    /// assert_eq!(jvp(|x| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, -1.0]), [1.0, 2f64.cos()]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn jvp<T, X, V, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, v: &V) -> Velocity<O, $N, T, Split>
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
        O: Components<$N>,
    {
        value_and_jvp(f, x, v).1
    }
    /// `(f(x), J(x)·v)`; otherwise as [`jvp`].
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("let (y, dy) = wengert::", $module, "::value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[0.5, -1.0]);")]
    /// assert_eq!((y, dy), (6.0, -0.5));
    /// ```
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_jvp<T, X, V, O>(
        f: impl $Fn(&X::Arg<$N>) -> O,
        x: &X,
        v: &V,
    ) -> (O::With<T>, Velocity<O, $N, T, Split>)
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
        O: Components<$N>,
    {
        ask("jvp", $mode, x, |work| {
            check("jvp", "tangent", x, v)?;
            work.pushed(Closure($called(f)), row(v, &mut Spare::new()))
        })
    }
    /// [`jvp`] written to `out`, a vector of any structure with as many components as the result; returns the value.
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`, or `out` another number of components.
    ///
    /// ```
    /// let mut dy = [0.0; 2];
    #[doc = concat!("let y = wengert::", $module, "::jvp_into(|x| [x[0] * x[1], x[1]], &[2.0, 3.0], &[0.5, -1.0], &mut dy);")]
    /// assert_eq!((y, dy), ([6.0, 3.0], [-0.5, -1.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn jvp_into<T, X, V, O, W>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, v: &V, out: &mut W) -> O::With<T>
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
        O: Components<$N>,
        W: Components<T> + Flat + ?Sized,
    {
        ask("jvp", $mode, x, |work| {
            check("jvp", "tangent", x, v)?;
            let (f, mut spare) = (Closure($called(f)), Spare::new());
            let value = work.pushed_onto(f, row(v, &mut spare), Structured::new(), "tangent buffer", out)?;
            Ok(seen(value.0))
        })
    }
} }

macro_rules! vjp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `J(x)ᵀ·w`, the gradient of `Σ wᵢfᵢ`, in the structure of the point. Also called pullback.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `w` does not have the shape of the result.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::vjp;")]
    /// let dx = vjp(|x| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, 10.0]);
    /// assert_eq!(dx, [3.0 + 10.0 * 2f64.cos(), 2.0]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn vjp<T, X, W, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W) -> X::Tangent
    where
        T: Real,
        X: Components<T> + ?Sized,
        W: Components<T> + Flat + ?Sized,
        O: Components<$N>,
    {
        value_and_vjp(f, x, w).1
    }
    /// `(f(x), J(x)ᵀ·w)`; otherwise as [`vjp`].
    ///
    /// # Panics
    /// As [`vjp`].
    ///
    /// ```
    #[doc = concat!("let (y, dx) = wengert::", $module, "::value_and_vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]);")]
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_and_vjp<T, X, W, O>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W) -> (O::With<T>, X::Tangent)
    where
        T: Real,
        X: Components<T> + ?Sized,
        W: Components<T> + Flat + ?Sized,
        O: Components<$N>,
    {
        ask("vjp", $mode, x, |work| work.pulled(Closure($called(f)), w))
    }
    /// [`vjp`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components, and as [`vjp`].
    ///
    /// ```
    /// let mut dx = [0.0; 2];
    #[doc = concat!("let y = wengert::", $module, "::vjp_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0], &mut dx);")]
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn vjp_into<T, X, W, O, V>(f: impl $Fn(&X::Arg<$N>) -> O, x: &X, w: &W, out: &mut V) -> O::With<T>
    where
        T: Real,
        X: Components<T> + ?Sized,
        W: Components<T> + Flat + ?Sized,
        O: Components<$N>,
        V: Components<T> + Flat + ?Sized,
    {
        ask("vjp", $mode, x, |work| {
            let (mut spare, value) = (Spare::new(), Fitting::new(w, Structured::new()));
            Ok(seen(work.pulled_onto(Closure($called(f)), row(w, &mut spare), value, out)?.value.0))
        })
    }
} }

macro_rules! hvp { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// `H(x)·v`, in the structure of the point; on groups ([`space`](crate::space)) `H` is the Hessian of
    /// `v ↦ f(X·exp v)` at zero.
    ///
    #[doc = $cost]
    ///
    /// # Panics
    /// If `v` does not have the shape of `x`.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::hvp;")]
    /// let hv = hvp(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &[-1.2_f64, 1.0], &[1.0, 2.0]);
    /// assert!((hv[0] - 2290.0).abs() < 1e-10 && (hv[1] - 880.0).abs() < 1e-10);
    /// ```
    #[inline]
    #[track_caller]
    pub fn hvp<T, X, V>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V) -> X::Tangent
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
    {
        value_and_hvp(f, x, v).1
    }
    /// `(f(x), H(x)·v)`; otherwise as [`hvp`].
    ///
    /// # Panics
    /// As [`hvp`].
    ///
    /// ```
    #[doc = concat!("let (y, hv) = wengert::", $module, "::value_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);")]
    /// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_and_hvp<T, X, V>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V) -> (T, X::Tangent)
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
    {
        ask("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (value, (), mut out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), (), Few::new())?;
            Ok((value, tangent_of(x, out.slots())))
        })
    }
    /// [`hvp`] written to `out`, a vector of any structure with as many components as the point; returns the value.
    ///
    /// # Panics
    /// If `out` has another number of components, and as [`hvp`].
    ///
    /// ```
    /// let mut hv = [0.0; 2];
    #[doc = concat!("let y = wengert::", $module, "::hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);")]
    /// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn hvp_into<T, X, V, W>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X, v: &V, out: &mut W) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        ask("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let out = Onto::new("product buffer", out);
            let (value, (), out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), (), out)?;
            out.finish();
            Ok(value)
        })
    }
    /// `(f(x), ∇f(x), H(x)·v)` from the same evaluations; otherwise as [`hvp`].
    ///
    /// # Panics
    /// As [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hvp;")]
    /// let (y, g, hv) = value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
    /// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hvp<T, X, V>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        v: &V,
    ) -> (T, X::Tangent, X::Tangent)
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
    {
        ask("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (value, mut gradient, mut out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), Few::new(), Few::new())?;
            Ok((value, tangent_of(x, gradient.slots()), tangent_of(x, out.slots())))
        })
    }
    /// [`value_gradient_and_hvp`] written to `gradient` and `out`; returns the value.
    ///
    /// # Panics
    /// If a buffer has another number of components than the point, and as [`hvp`].
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hvp_into;")]
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
    /// let y = value_gradient_and_hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
    /// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hvp_into<T, X, V, G, W>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        v: &V,
        gradient: &mut G,
        out: &mut W,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        V: Components<T> + Flat + ?Sized,
        G: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        ask("hvp", $mode, x, |work| {
            check("hvp", "tangent", x, v)?;
            let (gradient, out) = (Onto::new("gradient buffer", gradient), Onto::new("product buffer", out));
            let (value, gradient, out) =
                work.curvature(Closure($called(f)), &row(v, &mut Spare::new()), gradient, out)?;
            gradient.finish();
            out.finish();
            Ok(value)
        })
    }
} }

#[cfg(feature = "nalgebra")]
macro_rules! hessian { ($module:literal, $N:ty, $mode:expr, $Fn:ident by $called:ident, $cost:literal) => {
    /// The Hessian of `f` at `x`. Rows and columns are the components of the point in order ([`space`](crate::space);
    /// on groups those of `v ↦ f(X·exp v)` at zero).
    ///
    #[doc = $cost]
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::hessian;")]
    /// let h = hessian(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &[-1.2_f64, 1.0]);
    /// assert!((h - nalgebra::matrix![1330.0, 480.0; 480.0, 200.0]).norm() < 1e-10);
    /// ```
    #[inline]
    pub fn hessian<T, X>(f: impl $Fn(&X::Arg<$N>) -> $N, x: &X) -> OMatrix<T, X::Dim, X::Dim>
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        value_and_hessian(f, x).1
    }
    /// `(f(x), H(x))`; otherwise as [`hessian`].
    ///
    /// ```
    #[doc = concat!("let (y, h) = wengert::", $module, "::value_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!((y, h), (6.0, nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn value_and_hessian<T, X>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, OMatrix<T, X::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        ask("hessian", $mode, x, |work| {
            let (value, (), out) = work.curvature(Closure($called(f)), &Units::all(), (), None)?;
            Ok((value, seen(out)))
        })
    }
    /// [`hessian`] written to `out`; returns the value.
    ///
    /// # Panics
    /// If `out` is not a square matrix of the point's dimension.
    ///
    /// ```
    /// let mut h = nalgebra::DMatrix::zeros(2, 2);
    #[doc = concat!("let y = wengert::", $module, "::hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);")]
    /// assert_eq!((y, h), (6.0, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn hessian_into<T, X, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        out: &mut OMatrix<T, R, C>,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        DefaultAllocator: Allocator<R, C>,
    {
        ask("hessian", $mode, x, |work| {
            Ok(work.curvature(Closure($called(f)), &Units::all(), (), out)?.0)
        })
    }
    /// `(f(x), ∇f(x), H(x))` from the same evaluations; otherwise as [`hessian`].
    ///
    /// ```
    #[doc = concat!("let all = wengert::", $module, "::value_gradient_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);")]
    /// assert_eq!(all, (6.0, [3.0, 2.0], nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn value_gradient_and_hessian<T, X>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
    ) -> (T, X::Tangent, OMatrix<T, X::Dim, X::Dim>)
    where
        T: Real,
        X: Shape<T> + ?Sized,
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        ask("hessian", $mode, x, |work| {
            let (value, mut gradient, out) =
                work.curvature(Closure($called(f)), &Units::all(), Few::new(), None)?;
            Ok((value, tangent_of(x, gradient.slots()), seen(out)))
        })
    }
    /// [`value_gradient_and_hessian`] written to `gradient` and `out`; returns the value.
    ///
    /// # Panics
    /// If a buffer does not fit.
    ///
    /// ```
    #[doc = concat!("use wengert::", $module, "::value_gradient_and_hessian_into;")]
    /// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
    /// let y = value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
    /// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn value_gradient_and_hessian_into<T, X, G, R: Dim, C: Dim>(
        f: impl $Fn(&X::Arg<$N>) -> $N,
        x: &X,
        gradient: &mut G,
        out: &mut OMatrix<T, R, C>,
    ) -> T
    where
        T: Real,
        X: Components<T> + ?Sized,
        G: Components<T> + Flat + ?Sized,
        DefaultAllocator: Allocator<R, C>,
    {
        ask("hessian", $mode, x, |work| {
            let gradient = Onto::new("gradient buffer", gradient);
            let (value, gradient, _) = work.curvature(Closure($called(f)), &Units::all(), gradient, out)?;
            gradient.finish();
            Ok(value)
        })
    }
} }

/// What the macros name.
macro_rules! names {
    () => {
        #[cfg(feature = "nalgebra")]
        use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

        use super::*;
        use crate::drivers::call::Closure;
        use crate::drivers::mode::{Given, Units};
        use crate::drivers::sinks::{Buffer, Few, Fitting, Onto, Structured};
        use crate::drivers::work::{Value, Velocity, row, seen};
        use crate::pool::Spare;
        #[cfg(feature = "nalgebra")]
        use crate::space::Shape;
        use crate::space::{Flat, Split, check, tangent_of};
    };
}

pub mod forward {
    //! Forward mode.
    names!();
    use crate::drivers::modes::{Forward, ForwardChunk, Packed, SecondOrder};
    use crate::forward::{Dual, Dual2, DualN};

    derivative!("forward", Dual<T>, Forward, FnOnce by once, "One evaluation at [`Dual<T>`], `T` the type of `x`: `f64`, or a number of an outer derivative.");
    second_derivative!("forward", Dual2<T, 1, 1>, Packed::<1, 1>, FnOnce by once, "One evaluation at [`Dual2<T, 1, 1>`](Dual2), `T` the type of `x`.");
    /// `f‴(x)` of a function of one variable: the derivative of its second derivative, one evaluation at
    /// `Dual2<Dual<T>, 1, 1>`. Higher ones nest in the same way.
    ///
    /// ```
    /// use wengert::third_derivative;
    /// assert_eq!(third_derivative(|x| x.powi(4), 2.0), 48.0);
    /// assert_eq!(third_derivative(|x| [x.exp(), x * x], 0.0), [1.0, 0.0]);
    /// ```
    #[inline]
    pub fn third_derivative<T: Real, O>(
        f: impl FnOnce(Dual2<Dual<T>, 1, 1>) -> O,
        x: T,
    ) -> Velocity<super::Second<O, T>, Dual<T>, T, Split>
    where
        O: Components<Dual2<Dual<T>, 1, 1>> + Flat,
        super::Second<O, T>: Components<Dual<T>>,
    {
        derivative(|t: Dual<T>| second_derivative(f, t), x)
    }
    gradient!("forward", DualN<T, 8>, ForwardChunk::<8>, FnMut by often, "`⌈n/8⌉` evaluations at [`DualN<T, 8>`](DualN), `T` the number type of the point; best for up to a dozen variables.");
    #[cfg(feature = "nalgebra")]
    jacobian!("forward", DualN<T, 8>, ForwardChunk::<8>, FnMut by often, "`⌈n/8⌉` evaluations at [`DualN<T, 8>`](DualN) for `n` inputs, `T` the number type of the point.");
    jvp!("forward", Dual<T>, Forward, FnOnce by once, "One evaluation at [`Dual<T>`], `T` the number type of the point.");
    vjp!("forward", DualN<T, 8>, ForwardChunk::<8>, FnMut by often, "Made of the columns of the Jacobian: `⌈n/8⌉` evaluations at [`DualN<T, 8>`](DualN) for `n` inputs; [`reverse::vjp`](crate::reverse::vjp()) takes one.");
    hvp!("forward", DualN<Dual<T>, 8>, SecondOrder(Forward, ForwardChunk::<8>), FnMut by often, "`⌈n/8⌉` evaluations at `DualN<Dual<T>, 8>`, `T` the number type of the point.");
    #[cfg(feature = "nalgebra")]
    hessian!("forward", Dual2<T, 8, 36>, Packed::<8, 36>, FnMut by often, "One evaluation at [`Dual2<T, 8, 36>`](Dual2) for up to 8 variables, one for each pair of groups of 4 beyond; `T` is the number type of the point.");
}

/// The second derivative that [`forward::third_derivative`] differentiates.
pub type Second<O, T> = Velocity<O, Dual2<Dual<T>, 1, 1>, Dual<T>, Split>;

pub mod reverse {
    //! Reverse mode.
    names!();
    use crate::drivers::modes::{Forward, ForwardChunk, Reverse, SecondOrder};
    use crate::forward::{Dual, DualN};
    use crate::reverse::Var;

    derivative!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and a sweep for each eight results; [`forward::derivative`](crate::forward::derivative()) needs no tape.");
    second_derivative!("reverse", Var<Dual<T>>, SecondOrder(Forward, Reverse), FnOnce by once, "Forward over reverse: one evaluation at `Var<Dual<T>>`.");
    gradient!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and one sweep, for any number of variables; `T` is the number type of the point. A result of another tape is a panic (see [`Var`]).");
    #[cfg(feature = "nalgebra")]
    jacobian!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and `⌈m/8⌉` sweeps for `m` outputs: better than [`forward::jacobian`](crate::forward::jacobian()) for far fewer outputs than inputs.");
    jvp!("reverse", Var<T>, Reverse, FnOnce by once, "Made of the rows of the Jacobian: one evaluation at [`Var<T>`] and `⌈m/8⌉` sweeps for `m` outputs; [`forward::jvp`](crate::forward::jvp()) takes one evaluation alone.");
    vjp!("reverse", Var<T>, Reverse, FnOnce by once, "One evaluation at [`Var<T>`] and one sweep, `T` the number type of the point.");
    hvp!("reverse", Var<Dual<T>>, SecondOrder(Forward, Reverse), FnOnce by once, "Forward over reverse: one evaluation at `Var<Dual<T>>` and one sweep, `T` the number type of the point.");
    #[cfg(feature = "nalgebra")]
    hessian!("reverse", Var<DualN<T, 8>>, SecondOrder(ForwardChunk::<8>, Reverse), FnMut by often, "Forward over reverse: `⌈n/8⌉` evaluations at `Var<DualN<T, 8>>` with a sweep each, `T` the number type of the point. Best beyond a dozen variables; below, [`forward::hessian`](crate::forward::hessian()) is faster.");
}

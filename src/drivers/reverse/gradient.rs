//! Gradients in reverse mode: one evaluation and one sweep, whatever the number of variables.

use std::borrow::Borrow;

use super::super::expect;
use super::watch;
use crate::error::AdError;
use crate::number::Real;
use crate::reverse::Var;
use crate::space::{Carry, Components, carried, dimension, tangent_of};

/// `∇f(x)` by reverse mode: one evaluation and one sweep for any number of variables.
///
/// The closure works at [`Var<T>`], `T` the number type of the point. The gradient has the point's structure (`Vec`
/// for a slice; see [`space`](crate::space) for structs, tuples and the like). A function that returns a constant has
/// the gradient 0. (A point of no numbers is `&[0.0; 0]`: the numbers of `&[]` are of no type.)
///
/// # Panics
/// If the function returns, or combines with its own, a variable of another tape (see [`Var`]).
///
/// ```
/// use wengert::{Var, gradient};
/// let rosenbrock = |x: &[Var<f64>]| {
///     x.windows(2).map(|w| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (1.0 - w[0]).powi(2)).sum()
/// };
/// assert_eq!(gradient(rosenbrock, &[1.0; 100]), [0.0; 100]);
/// assert_eq!(gradient(rosenbrock, &[0.0; 0]), [0.0; 0]);
/// let g = gradient(rosenbrock, &[-1.2, 1.0]);
/// assert!((g[0] + 215.6).abs() < 1e-12 && (g[1] + 88.0).abs() < 1e-12);
/// ```
///
/// A gradient within a function whose gradient is taken: the inner closure works one level further in, and outer
/// variables mix with inner ones.
///
/// ```
/// use wengert::{Var, gradient};
/// // f(x) = ∂/∂y (x²·y³) at y = x, so f = 3x⁴ and f′ = 12x³
/// let f = |x: &[Var<f64>]| gradient(|y| x[0] * x[0] * y[0].powi(3), &[x[0]])[0];
/// assert_eq!(gradient(f, &[2.0]), [96.0]);
/// ```
pub fn gradient<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
) -> X::Tangent {
    value_and_gradient(f, x).1
}

/// `(f(x), ∇f(x))`; otherwise as [`gradient`].
///
/// # Panics
/// As [`gradient`].
///
/// ```
/// let (y, g) = wengert::value_and_gradient(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, g), (6.0, [3.0, 2.0]));
/// ```
#[inline]
pub fn value_and_gradient<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
) -> (T, X::Tangent) {
    sweep(f, x, |cotangents| tangent_of(x, cotangents))
}

/// [`gradient`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `x`, and as [`gradient`].
///
/// ```
/// let mut g = [0.0; 2];
/// wengert::gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);
/// assert_eq!(g, [3.0, 2.0]);
/// ```
#[track_caller]
#[inline]
pub fn gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
    out: &mut [T],
) {
    value_and_gradient_into(f, x, out);
}

/// [`gradient`] written to `out`, returning the value.
///
/// # Panics
/// If `out` has not the length of `x`, and as [`gradient`].
///
/// ```
/// let mut g = [0.0; 2];
/// let y = wengert::value_and_gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);
/// assert_eq!((y, g), (6.0, [3.0, 2.0]));
/// ```
#[track_caller]
#[inline]
pub fn value_and_gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
    out: &mut [T],
) -> T {
    expect(try_value_and_gradient_into(f, x, out))
}

/// [`value_and_gradient_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`] if `out` has not the length of `x`.
///
/// ```
/// let e = wengert::reverse::try_value_and_gradient_into(|x| x[0], &[2.0, 3.0], &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "gradient: the gradient buffer has length 1, expected 2");
/// ```
#[inline]
pub fn try_value_and_gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
    out: &mut [T],
) -> Result<T, AdError> {
    AdError::check_len("gradient", "gradient buffer", dimension(x), out.len())?;
    Ok(sweep(f, x, |cotangents| out.copy_from_slice(cotangents)).0)
}

/// Evaluates, sweeps back, and shows the components of the gradient.
#[inline]
fn sweep<T: Real, X: Components<T> + ?Sized, R>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> Var<T>,
    x: &X,
    read: impl FnOnce(&[T]) -> R,
) -> (T, R) {
    let (tape, point) = watch(x);
    let y = f(point.borrow());
    let seed = [(y, [T::lit(1.0)])];
    let n = x.count();
    let gradient = tape.pull(seed.into_iter(), |cotangents| {
        read(&carried(x, Carry::Pull, cotangents[..n].as_flattened().into()))
    });
    (y.value(), gradient)
}

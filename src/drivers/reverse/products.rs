//! The transposed Jacobian times a cotangent: one evaluation and one sweep.

use std::borrow::Borrow;

use super::super::expect;
use super::watch;
use crate::error::AdError;
use crate::number::{Number, Real};
use crate::reverse::Var;
use crate::space::{Carry, Components, Flat, carried, check, dimension, stream, tangent_of};

/// `J(x)ᵀ·w`, the derivative of `Σ wᵢfᵢ`: one evaluation and one sweep. Also called pullback.
///
/// The closure works at [`Var<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`,
/// a vector or any structure of such ([`space`](crate::space)).
///
/// # Panics
/// If `w` has not the length of the result, or a result belongs to another tape.
///
/// ```
/// use wengert::{Var, vjp};
/// let dx = vjp(|x: &[Var<f64>]| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, 10.0]);
/// assert_eq!(dx, [3.0 + 10.0 * 2f64.cos(), 2.0]);
/// ```
#[track_caller]
pub fn vjp<T, X, W, O>(f: impl FnOnce(&X::Arg<Var<T>>) -> O, x: &X, w: &W) -> X::Tangent
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    value_and_vjp(f, x, w).1
}

/// `(f(x), J(x)ᵀ·w)`; otherwise as [`vjp`].
///
/// # Panics
/// As [`vjp`].
///
/// ```
/// let (y, dx) = wengert::value_and_vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]);
/// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_vjp<T, X, W, O>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    w: &W,
) -> (O::With<T>, X::Tangent)
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    expect(try_value_and_vjp(f, x, w))
}

/// [`value_and_vjp`] with an error instead of the panic.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `w` has not the shape of the result.
///
/// ```
/// let e = wengert::try_value_and_vjp(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "vjp: the cotangent has length 2, expected 1");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_and_vjp<T, X, W, O>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    w: &W,
) -> Result<(O::With<T>, X::Tangent), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    sweep(f, x, w, |y| Ok(y.map(&mut Var::value)), |cotangents| tangent_of(x, cotangents))
}

/// [`vjp`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `x`, and as [`vjp`].
///
/// ```
/// let mut dx = [0.0; 2];
/// wengert::vjp_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0], &mut dx);
/// assert_eq!(dx, [13.0, 2.0]);
/// ```
#[track_caller]
pub fn vjp_into<T, X, W, O>(f: impl FnOnce(&X::Arg<Var<T>>) -> O, x: &X, w: &W, out: &mut [T])
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    expect(try_value_and_vjp_into(f, x, w, None, out));
}

/// [`value_and_vjp`] written to `value` and `out`.
///
/// # Panics
/// If a buffer does not fit, and as [`vjp`].
///
/// ```
/// let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
/// wengert::value_and_vjp_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dx);
/// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_vjp_into<T, X, W, O>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    w: &W,
    value: &mut [T],
    out: &mut [T],
) where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    expect(try_value_and_vjp_into(f, x, w, Some(value), out));
}

/// [`value_and_vjp_into`] with an error instead of the panic, nothing is written then; the value is wanted or not.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `w` has not the shape of the result or a buffer
/// does not fit.
///
/// ```
/// let e = wengert::try_value_and_vjp_into(|x| x[0], &[2.0, 3.0], &1.0, None, &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "vjp: the cotangent buffer has length 1, expected 2");
/// ```
pub fn try_value_and_vjp_into<T, X, W, O>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    w: &W,
    value: Option<&mut [T]>,
    out: &mut [T],
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    AdError::check_len("vjp", "cotangent buffer", dimension(x), out.len())?;
    let keep = |y: &O| {
        let Some(value) = value else { return Ok(()) };
        AdError::check_len("vjp", "value buffer", y.count(), value.len())?;
        let mut slots = value.iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = y.value());
        Ok(())
    };
    sweep(f, x, w, keep, |cotangents| out.copy_from_slice(cotangents))?;
    Ok(())
}

/// `(y, J(x)ᵀ·w)` of a function `f(x, &mut y)` that fills a buffer of `w.len()` results, which holds NaN before.
///
/// # Panics
/// If `y` has not the length of `w`, or `out` not that of `x`, and as [`vjp`].
///
/// ```
/// use wengert::{Var, reverse};
/// let f = |x: &[Var<f64>], y: &mut [Var<f64>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
/// reverse::value_and_vjp_of_filling_into(f, &[2.0, 3.0], &[1.0, 0.0], &mut y, &mut dx);
/// assert_eq!((y, dx), ([6.0, 2f64.sin()], [3.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_vjp_of_filling_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>, &mut [Var<T>]),
    x: &X,
    w: &[T],
    y: &mut [T],
    out: &mut [T],
) {
    expect(try_value_and_vjp_of_filling_into(f, x, w, y, out));
}

/// [`value_and_vjp_of_filling_into`] with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Shape`] if `y` has not the length of `w`, or `out` not that of `x`.
///
/// ```
/// use wengert::{Var, reverse};
/// let f = |x: &[Var<f64>], y: &mut [Var<f64>]| y[0] = x[0] * x[1];
/// let e = reverse::try_value_and_vjp_of_filling_into(f, &[2.0, 3.0], &[1.0], &mut [0.0], &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "vjp: the cotangent buffer has length 1, expected 2");
/// ```
pub fn try_value_and_vjp_of_filling_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>, &mut [Var<T>]),
    x: &X,
    w: &[T],
    y: &mut [T],
    out: &mut [T],
) -> Result<(), AdError> {
    let filled = |x: &X::Arg<Var<T>>| {
        let mut y = vec![Var::lit(f64::NAN); w.len()];
        f(x, &mut y);
        y
    };
    try_value_and_vjp_into(filled, x, w, Some(y), out)
}

/// Evaluates, shows the results to `keep`, sweeps back, and shows the components of the product to `read`.
fn sweep<T, X, W, O, K, R>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    w: &W,
    keep: impl FnOnce(&O) -> Result<K, AdError>,
    read: impl FnOnce(&[T]) -> R,
) -> Result<(K, R), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    W: Components<T> + Flat + ?Sized,
    O: Components<Var<T>>,
{
    let (tape, point) = watch(x);
    let y = f(point.borrow());
    check("vjp", "cotangent", &y, w)?;
    let kept = keep(&y)?;
    let mut w = stream(w);
    if !O::FLAT {
        w = carried(&y.map(&mut Var::value), Carry::Lift, w);
    }
    let (y, n) = (stream(&y), x.count());
    let seeds = y.iter().zip(w.iter()).map(|(&y, &w)| (y, [w]));
    let product =
        tape.pull(seeds, |cotangents| read(&carried(x, Carry::Pull, cotangents[..n].as_flattened().into())));
    Ok((kept, product))
}

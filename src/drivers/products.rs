//! Products of Jacobians with vectors.

use std::borrow::Borrow;

use super::expect;
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::{Number, Real};
use crate::space::{Carry, Components, Differentiable, Flat, carried, check, coordinates, stream};

/// `J(x)·v`, the derivative of `f` at `x` in the direction `v`: one evaluation.
///
/// The closure works at [`Dual<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`,
/// a vector or any structure of such ([`space`](crate::space)). Also called pushforward.
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// use wengert::{Dual, jvp};
/// let dy = jvp(|x: &[Dual<f64>]| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, -1.0]);
/// assert_eq!(dy, [1.0, 2f64.cos()]);
/// ```
#[track_caller]
pub fn jvp<T, X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<T>>) -> O,
    x: &X,
    v: &V,
) -> <O::With<T> as Differentiable>::Tangent
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    value_and_jvp(f, x, v).1
}

/// `(f(x), J(x)·v)`; otherwise as [`jvp`].
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// let (y, dy) = wengert::value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[0.5, -1.0]);
/// assert_eq!((y, dy), (6.0, -0.5));
/// ```
#[track_caller]
pub fn value_and_jvp<T, X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<T>>) -> O,
    x: &X,
    v: &V,
) -> (O::With<T>, <O::With<T> as Differentiable>::Tangent)
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    expect(try_value_and_jvp(f, x, v))
}

/// [`value_and_jvp`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` has not the shape of `x`.
///
/// ```
/// let e = wengert::try_value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0, 0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent has length 3, expected 2");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_and_jvp<T, X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<T>>) -> O,
    x: &X,
    v: &V,
) -> Result<(O::With<T>, <O::With<T> as Differentiable>::Tangent), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    Ok(worth(&results(f, x, v)?))
}

/// [`jvp`] written to `out`.
///
/// # Panics
/// If `v` has not the shape of `x`, or `out` not the length of the result.
///
/// ```
/// let mut dy = [0.0; 2];
/// wengert::jvp_into(|x| [x[0] * x[1], x[1]], &[2.0, 3.0], &[0.5, -1.0], &mut dy);
/// assert_eq!(dy, [-0.5, -1.0]);
/// ```
#[track_caller]
pub fn jvp_into<T, X, V, O>(f: impl FnOnce(&X::Arg<Dual<T>>) -> O, x: &X, v: &V, out: &mut [T])
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    expect(try_value_and_jvp_into(f, x, v, None, out));
}

/// [`value_and_jvp`] written to `value` and `out`.
///
/// # Panics
/// If `v` has not the shape of `x`, or a buffer not the length of the result.
///
/// ```
/// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
/// wengert::value_and_jvp_into(|x| [x[0] * x[1], x[1]], &[2.0, 3.0], &[0.5, -1.0], &mut y, &mut dy);
/// assert_eq!((y, dy), ([6.0, 3.0], [-0.5, -1.0]));
/// ```
#[track_caller]
pub fn value_and_jvp_into<T, X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<T>>) -> O,
    x: &X,
    v: &V,
    value: &mut [T],
    out: &mut [T],
) where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    expect(try_value_and_jvp_into(f, x, v, Some(value), out));
}

/// [`value_and_jvp_into`] with an error instead of the panic, nothing is written then; the value is wanted or not.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` has not the shape of `x` or a buffer not the
/// length of the result.
///
/// ```
/// let e = wengert::try_value_and_jvp_into(|x| x[0], &[2.0, 3.0], &[1.0, 0.0], None, &mut []).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent buffer has length 0, expected 1");
/// ```
pub fn try_value_and_jvp_into<T, X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<T>>) -> O,
    x: &X,
    v: &V,
    value: Option<&mut [T]>,
    out: &mut [T],
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
    O: Components<Dual<T>>,
{
    let y = results(f, x, v)?;
    let rows = coordinates(&y, still);
    AdError::check_len("jvp", "tangent buffer", rows.len(), out.len())?;
    AdError::check_len("jvp", "value buffer", y.count(), value.as_ref().map_or(y.count(), |v| v.len()))?;
    if let Some(value) = value {
        let mut slots = value.iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = y.value());
    }
    out.iter_mut().zip(rows.iter()).for_each(|(slot, y)| *slot = y.tangent());
    Ok(())
}

/// The results of `f` at `x` with the tangents `v`.
fn results<T, X, V, O>(f: impl FnOnce(&X::Arg<Dual<T>>) -> O, x: &X, v: &V) -> Result<O, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    check("jvp", "tangent", x, v)?;
    let velocity = carried(x, Carry::Push, stream(v));
    let mut next = velocity.iter();
    Ok(f(x.map(&mut |value| Dual::new(value, *next.next().expect("outlines agree"))).borrow()))
}

/// Value and tangent of a result.
#[inline(always)]
pub(super) fn worth<T: Real, O: Components<Dual<T>>>(
    y: &O,
) -> (O::With<T>, <O::With<T> as Differentiable>::Tangent) {
    let (value, rows) = (y.map(&mut Dual::value), coordinates(y, still));
    let mut next = rows.iter().map(|y| y.tangent());
    let tangent = value.tangent_from(&mut || next.next().expect("as many as dimensions"));
    (value, tangent)
}

/// The value as a constant; derivatives within it remain.
pub(super) fn still<T: Number>(y: Dual<T>) -> Dual<T> {
    Dual::constant(y.value())
}

/// `(y, J(x)·v)` of a function `f(x, &mut y)` that fills a buffer of `y.len()` results.
///
/// What the buffers hold before does not matter: the function sees NaN in every entry of its own buffer.
///
/// # Panics
/// If `v` has not the shape of `x`, or `y` and `dy` differ in length.
///
/// ```
/// use wengert::{Dual, forward};
/// let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
/// forward::value_and_jvp_of_filling_into(f, &[2.0, 3.0], &[1.0, -1.0], &mut y, &mut dy);
/// assert_eq!((y, dy), ([6.0, 2f64.sin()], [1.0, 2f64.cos()]));
/// ```
#[track_caller]
pub fn value_and_jvp_of_filling_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Dual<T>>, &mut [Dual<T>]),
    x: &X,
    v: &V,
    y: &mut [T],
    dy: &mut [T],
) where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(try_value_and_jvp_of_filling_into(f, x, v, y, dy));
}

/// [`value_and_jvp_of_filling_into`] with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` has not the shape of `x`, or `y` and `dy` differ
/// in length.
///
/// ```
/// use wengert::{Dual, forward};
/// let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| y[0] = x[0] * x[1];
/// let e = forward::try_value_and_jvp_of_filling_into(f, &[2.0, 3.0], &[1.0], &mut [0.0], &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent has length 1, expected 2");
/// ```
pub fn try_value_and_jvp_of_filling_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Dual<T>>, &mut [Dual<T>]),
    x: &X,
    v: &V,
    y: &mut [T],
    dy: &mut [T],
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    AdError::check_len("jvp", "tangent buffer", y.len(), dy.len())?;
    let mut filled = vec![Dual::lit(f64::NAN).poisoned(); y.len()];
    results(|x| f(x, &mut filled), x, v)?;
    for ((y, dy), r) in y.iter_mut().zip(dy).zip(&filled) {
        (*y, *dy) = (r.value(), r.tangent());
    }
    Ok(())
}

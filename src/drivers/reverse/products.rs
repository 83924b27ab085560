//! The transposed Jacobian times a cotangent: one evaluation and one sweep.

use std::borrow::Borrow;

use super::super::{expect, shape::Shape};
use super::record;
use crate::error::AdError;
use crate::number::Number;
use crate::reverse::Var;

/// `J(x)ᵀ·w`, the derivative of `Σ wᵢfᵢ`: one evaluation and one sweep. Also called pullback.
///
/// The closure works at [`Var<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`
/// or a vector.
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
pub fn vjp<X, W, O>(f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O, x: &X, w: &W) -> X::With<X::Scalar>
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
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
pub fn value_and_vjp<X, W, O>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O,
    x: &X,
    w: &W,
) -> (O::With<X::Scalar>, X::With<X::Scalar>)
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
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
pub fn try_value_and_vjp<X, W, O>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O,
    x: &X,
    w: &W,
) -> Result<(O::With<X::Scalar>, X::With<X::Scalar>), AdError>
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
{
    let mut out = x.same_shape(|i| x.scalars()[i]);
    let mut value = None;
    sweep(f, x, w, out.scalars_mut(), |y| {
        value = Some(y.same_shape(|i| y.scalars()[i].value()));
        Ok(())
    })?;
    Ok((value.expect("kept before the sweep"), out))
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
pub fn vjp_into<X, W, O>(f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O, x: &X, w: &W, out: &mut [X::Scalar])
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
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
pub fn value_and_vjp_into<X, W, O>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O,
    x: &X,
    w: &W,
    value: &mut [X::Scalar],
    out: &mut [X::Scalar],
) where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
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
pub fn try_value_and_vjp_into<X, W, O>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O,
    x: &X,
    w: &W,
    value: Option<&mut [X::Scalar]>,
    out: &mut [X::Scalar],
) -> Result<(), AdError>
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
{
    AdError::check_len("vjp", "cotangent buffer", x.scalars().len(), out.len())?;
    sweep(f, x, w, out, |y| {
        let Some(value) = value else { return Ok(()) };
        AdError::check_len("vjp", "value buffer", y.scalars().len(), value.len())?;
        value.iter_mut().zip(y.scalars()).for_each(|(slot, y)| *slot = y.value());
        Ok(())
    })
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
pub fn value_and_vjp_of_filling_into<X: Shape + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>, &mut [Var<X::Scalar>]),
    x: &X,
    w: &[X::Scalar],
    y: &mut [X::Scalar],
    out: &mut [X::Scalar],
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
pub fn try_value_and_vjp_of_filling_into<X: Shape + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>, &mut [Var<X::Scalar>]),
    x: &X,
    w: &[X::Scalar],
    y: &mut [X::Scalar],
    out: &mut [X::Scalar],
) -> Result<(), AdError> {
    let filled = |x: &X::Arg<Var<X::Scalar>>| {
        let mut y = vec![Var::lit(f64::NAN); w.len()];
        f(x, &mut y);
        y
    };
    try_value_and_vjp_into(filled, x, w, Some(y), out)
}

/// Evaluates, shows the results to `keep`, and sweeps back to `out`, which has the point's length.
fn sweep<X, W, O>(
    f: impl FnOnce(&X::Arg<Var<X::Scalar>>) -> O,
    x: &X,
    w: &W,
    out: &mut [X::Scalar],
    keep: impl FnOnce(&O) -> Result<(), AdError>,
) -> Result<(), AdError>
where
    X: Shape + ?Sized,
    W: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Var<X::Scalar>>,
{
    let (tape, point) = record(x, |i| x.scalars()[i]);
    let y = f(point.borrow());
    AdError::check_dimensions("vjp", "cotangent", y.extents(), w.extents())?;
    keep(&y)?;
    let seeds = y.scalars().iter().zip(w.scalars()).map(|(&y, &w)| (y, [w]));
    tape.pull(seeds, |cotangents| out.copy_from_slice(cotangents[..out.len()].as_flattened()));
    Ok(())
}

//! Products of Jacobians with vectors.

use std::borrow::Borrow;

use super::{expect, shape::Shape};
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::Number;

/// `J(x)·v`, the derivative of `f` at `x` in the direction `v`: one evaluation.
///
/// The closure works at [`Dual<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`
/// or a vector. Also called pushforward.
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
pub fn jvp<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, x: &X, v: &V) -> O::With<X::Scalar>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
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
pub fn value_and_jvp<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
) -> (O::With<X::Scalar>, O::With<X::Scalar>)
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
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
pub fn try_value_and_jvp<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
) -> Result<(O::With<X::Scalar>, O::With<X::Scalar>), AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    let y = results(f, x, v)?;
    Ok((y.same_shape(|i| y.scalars()[i].value()), y.same_shape(|i| y.scalars()[i].tangent())))
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
pub fn jvp_into<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, x: &X, v: &V, out: &mut [X::Scalar])
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
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
pub fn value_and_jvp_into<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
    value: &mut [X::Scalar],
    out: &mut [X::Scalar],
) where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
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
pub fn try_value_and_jvp_into<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
    value: Option<&mut [X::Scalar]>,
    out: &mut [X::Scalar],
) -> Result<(), AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    let y = results(f, x, v)?;
    let y = y.scalars();
    AdError::check_len("jvp", "tangent buffer", y.len(), out.len())?;
    AdError::check_len("jvp", "value buffer", y.len(), value.as_ref().map_or(y.len(), |v| v.len()))?;
    if let Some(value) = value {
        value.iter_mut().zip(y).for_each(|(slot, y)| *slot = y.value());
    }
    out.iter_mut().zip(y).for_each(|(slot, y)| *slot = y.tangent());
    Ok(())
}

/// The results of `f` at `x` with the tangents `v`.
fn results<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, x: &X, v: &V) -> Result<O, AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    AdError::check_dimensions("jvp", "tangent", x.extents(), v.extents())?;
    let (values, tangents) = (x.scalars(), v.scalars());
    Ok(f(x.same_shape(|i| Dual::new(values[i], tangents[i])).borrow()))
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
pub fn value_and_jvp_of_filling_into<X, V>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>, &mut [Dual<X::Scalar>]),
    x: &X,
    v: &V,
    y: &mut [X::Scalar],
    dy: &mut [X::Scalar],
) where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
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
pub fn try_value_and_jvp_of_filling_into<X, V>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>, &mut [Dual<X::Scalar>]),
    x: &X,
    v: &V,
    y: &mut [X::Scalar],
    dy: &mut [X::Scalar],
) -> Result<(), AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    AdError::check_len("jvp", "tangent buffer", y.len(), dy.len())?;
    let mut filled = vec![Dual::lit(f64::NAN).poisoned(); y.len()];
    results(|x| f(x, &mut filled), x, v)?;
    for ((y, dy), r) in y.iter_mut().zip(dy).zip(&filled) {
        (*y, *dy) = (r.value(), r.tangent());
    }
    Ok(())
}

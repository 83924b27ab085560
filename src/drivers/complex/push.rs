//! Directional derivatives of complex functions.

use std::borrow::Borrow;

use super::super::expect;
use super::{Points, check_buffer, write};
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::Number;

/// The derivative of `f` at `z` in the direction `ż`: `f′(z)·ż` of a holomorphic function, without a conjugate. The
/// closure works at `Dual<Complex<f64>>` and returns complex or real numbers.
///
/// # Panics
/// If `dz` has not the shape of `z`.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{abs, jvp};
/// let (z, dz) = (Complex64::new(3.0, 4.0), Complex64::new(1.0, 2.0));
/// assert!((jvp(|z| abs(*z), &z, &dz) - 2.2f64).abs() < 1e-15);
/// assert_eq!(jvp(|z| z[0] * z[1], &[z, dz], &[Complex64::i(), Complex64::i()]), (z + dz) * Complex64::i());
/// ```
#[track_caller]
pub fn jvp<X, V, D, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, z: &X, dz: &V) -> O::With<D>
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    value_and_jvp(f, z, dz).1
}

/// The value and [`jvp`].
///
/// # Panics
/// As [`jvp`].
///
/// ```
/// use num_complex::Complex64;
/// let (z, i) = (Complex64::new(1.0, 1.0), Complex64::i());
/// assert_eq!(wengert::complex::value_and_jvp(|z| z.square(), &z, &i), (z * z, i * z * 2.0));
/// ```
#[track_caller]
pub fn value_and_jvp<X, V, D, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    z: &X,
    dz: &V,
) -> (O::With<D>, O::With<D>)
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    expect(try_value_and_jvp(f, z, dz))
}

/// [`value_and_jvp`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `dz` has not the shape of `z`.
///
/// ```
/// use num_complex::Complex64;
/// let (z, dz) = ([Complex64::i(); 2], [Complex64::i(); 3]);
/// let e = wengert::complex::try_value_and_jvp(|z| z[0] * z[1], &z, &dz).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent has length 3, expected 2");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_and_jvp<X, V, D, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    z: &X,
    dz: &V,
) -> Result<(O::With<D>, O::With<D>), AdError>
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    let y = results(f, z, dz)?;
    Ok((y.same_points(|i| y.scalars()[i].value()), y.same_points(|i| y.scalars()[i].tangent())))
}

/// [`jvp`] written to `out`.
///
/// # Panics
/// If `dz` has not the shape of `z`, or `out` not the length of the result.
///
/// ```
/// use num_complex::Complex64;
/// let (i, mut dw) = (Complex64::i(), [Complex64::i(); 2]);
/// wengert::complex::jvp_into(|z| [z.square(), z.conj()], &(i * 3.0), &i, &mut dw);
/// assert_eq!(dw, [Complex64::new(-6.0, 0.0), -i]);
/// ```
#[track_caller]
pub fn jvp_into<X, V, D, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, z: &X, dz: &V, out: &mut [D])
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    expect(try_value_and_jvp_into(f, z, dz, None, out));
}

/// [`value_and_jvp`] written to `value` and `out`.
///
/// # Panics
/// If `dz` has not the shape of `z`, or a buffer not the length of the result.
///
/// ```
/// use num_complex::Complex64;
/// let (i, mut w, mut dw) = (Complex64::i(), [Complex64::i()], [Complex64::i()]);
/// wengert::complex::value_and_jvp_into(|z| z.square(), &(i * 3.0), &i, &mut w, &mut dw);
/// assert_eq!((w[0].re, dw[0].re), (-9.0, -6.0));
/// ```
#[track_caller]
pub fn value_and_jvp_into<X, V, D, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    z: &X,
    dz: &V,
    value: &mut [D],
    out: &mut [D],
) where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    expect(try_value_and_jvp_into(f, z, dz, Some(value), out));
}

/// [`value_and_jvp_into`] with an error instead of the panic, nothing is written then; the value is wanted or not.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `dz` has not the shape of `z` or a buffer not the
/// length of the result.
///
/// ```
/// use num_complex::Complex64;
/// let (i, mut dw) = (Complex64::i(), [Complex64::i(); 3]);
/// let e = wengert::complex::try_value_and_jvp_into(|z| z.square(), &i, &i, None, &mut dw).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent buffer has length 3, expected 1");
/// ```
pub fn try_value_and_jvp_into<X, V, D, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    z: &X,
    dz: &V,
    value: Option<&mut [D]>,
    out: &mut [D],
) -> Result<(), AdError>
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
    D: Number,
    O: Points<Scalar = Dual<D>>,
{
    let y = results(f, z, dz)?;
    let y = y.scalars();
    check_buffer("jvp", "tangent buffer", y.len(), Some(&*out))?;
    check_buffer("jvp", "value buffer", y.len(), value.as_deref())?;
    write(y, Dual::value, value);
    write(y, Dual::tangent, Some(out));
    Ok(())
}

/// The results of `f` at `z` with the tangents `ż`.
fn results<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, z: &X, dz: &V) -> Result<O, AdError>
where
    X: Points + ?Sized,
    V: Points<Scalar = X::Scalar> + ?Sized,
{
    AdError::check_dimensions("jvp", "tangent", z.extents(), dz.extents())?;
    let (values, tangents) = (z.scalars(), dz.scalars());
    Ok(f(z.same_points(|i| Dual::new(values[i], tangents[i])).borrow()))
}

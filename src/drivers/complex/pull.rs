//! Cotangents and gradients of complex functions.

use std::borrow::Borrow;

use super::super::expect;
use super::{Points, check_buffer, write};
use crate::error::AdError;
use crate::number::{Number, Real};
use crate::reverse::{ComplexVar, Tape, Var};

/// The type of real parts of a point.
type Part<X> = <<X as Points>::Scalar as Number>::Re;

/// What a result is worth.
type Worth<O, X> = <<O as Points>::Scalar as Recorded<Part<X>>>::Value;

/// A result of reverse mode, complex or real.
pub trait Recorded<T: Real>: Number<Re = Var<T>> {
    /// The type of its value and of its cotangent.
    type Value: Number<Re = T>;
    /// Its value.
    fn recorded_value(self) -> Self::Value;
}

impl<T: Real> Recorded<T> for Var<T> {
    type Value = T;
    fn recorded_value(self) -> T {
        self.value()
    }
}

impl<T: Real> Recorded<T> for ComplexVar<T> {
    type Value = T::Complex;
    fn recorded_value(self) -> T::Complex {
        self.value()
    }
}

/// The cotangent of the point where the result has the cotangent `w`: `z̄ = w·conj(f′(z))` of a holomorphic function,
/// the adjoint of [`jvp`](crate::complex::jvp) under `⟨a, b⟩ = Re(conj(a)·b)`. The closure works at [`ComplexVar`] and
/// returns complex or real numbers.
///
/// # Panics
/// If `w` has not the shape of the result, or a result belongs to another tape.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::vjp;
/// let z = Complex64::new(3.0, 4.0);
/// assert_eq!(vjp(|z| z.ln(), &z, &Complex64::new(1.0, 0.0)), Complex64::new(0.12, 0.16));
/// let [a, b] = vjp(|z| [z[0] * z[1]], &[z, Complex64::i()], &[Complex64::new(1.0, 0.0)]);
/// assert_eq!((a, b), (-Complex64::i(), z.conj()));
/// ```
#[track_caller]
pub fn vjp<X, O, W>(f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O, z: &X, w: &W) -> X::With<X::Scalar>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    value_and_vjp(f, z, w).1
}

/// The value and [`vjp`].
///
/// # Panics
/// As [`vjp`].
///
/// ```
/// use num_complex::Complex64;
/// let (z, one) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, 0.0));
/// let (w, dz) = wengert::complex::value_and_vjp(|z| z * z, &z, &one);
/// assert_eq!((w, dz), (Complex64::new(0.0, 2.0), Complex64::new(2.0, -2.0)));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_and_vjp<X, O, W>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
) -> (O::With<Worth<O, X>>, X::With<X::Scalar>)
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    expect(try_value_and_vjp(f, z, w))
}

/// [`value_and_vjp`] with an error instead of the panic.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `w` has not the shape of the result.
///
/// ```
/// use num_complex::Complex64;
/// let w = [Complex64::i(); 2];
/// let e = wengert::complex::try_value_and_vjp(|z| z * z, &Complex64::i(), &w).unwrap_err();
/// assert_eq!(e.to_string(), "vjp: the cotangent has length 2, expected 1");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_and_vjp<X, O, W>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
) -> Result<(O::With<Worth<O, X>>, X::With<X::Scalar>), AdError>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    let (y, cotangents) = sweep(f, z, w, |_| Ok(()), |parts| z.same_points(|i| number::<X>(parts, i)))?;
    Ok((y.same_points(|i| y.scalars()[i].recorded_value()), cotangents))
}

/// [`vjp`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `z`, and as [`vjp`].
///
/// ```
/// use num_complex::Complex64;
/// let (z, one, mut dz) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, 0.0), [Complex64::i()]);
/// wengert::complex::vjp_into(|z| z * z, &z, &one, &mut dz);
/// assert_eq!(dz, [Complex64::new(2.0, -2.0)]);
/// ```
#[track_caller]
pub fn vjp_into<X, O, W>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
    out: &mut [X::Scalar],
) where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    expect(try_value_and_vjp_into(f, z, w, None, out));
}

/// [`value_and_vjp`] written to `value` and `out`.
///
/// # Panics
/// If a buffer does not fit, and as [`vjp`].
///
/// ```
/// use num_complex::Complex64;
/// let (z, mut w, mut dz) = (Complex64::new(3.0, 4.0), [0.0], [Complex64::i()]);
/// wengert::complex::value_and_vjp_into(|z| wengert::complex::abs(*z), &z, &10.0, &mut w, &mut dz);
/// assert_eq!((w, dz), ([5.0], [Complex64::new(6.0, 8.0)]));
/// ```
#[track_caller]
pub fn value_and_vjp_into<X, O, W>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
    value: &mut [Worth<O, X>],
    out: &mut [X::Scalar],
) where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    expect(try_value_and_vjp_into(f, z, w, Some(value), out));
}

/// [`value_and_vjp_into`] with an error instead of the panic, nothing is written then; the value is wanted or not.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `w` has not the shape of the result or a buffer does
/// not fit.
///
/// ```
/// use num_complex::Complex64;
/// let (z, one) = ([Complex64::i(); 2], Complex64::new(1.0, 0.0));
/// let e = wengert::complex::try_value_and_vjp_into(|z| z[0] * z[1], &z, &one, None, &mut []).unwrap_err();
/// assert_eq!(e.to_string(), "vjp: the cotangent buffer has length 0, expected 2");
/// ```
pub fn try_value_and_vjp_into<X, O, W>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
    value: Option<&mut [Worth<O, X>]>,
    out: &mut [X::Scalar],
) -> Result<(), AdError>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    check_buffer("vjp", "cotangent buffer", z.scalars().len(), Some(&*out))?;
    let room = value.as_deref().map(<[_]>::len);
    let fits = |m| AdError::check_len("vjp", "value buffer", m, room.unwrap_or(m));
    let read = |parts: &[_]| out.iter_mut().enumerate().for_each(|(i, slot)| *slot = number::<X>(parts, i));
    let (y, ()) = sweep(f, z, w, fits, read)?;
    write(y.scalars(), Recorded::recorded_value, value);
    Ok(())
}

/// Evaluates, asks whether so many results fit, sweeps back, and shows the cotangents of the point: all real parts,
/// then all imaginary parts.
fn sweep<X, O, W, R>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> O,
    z: &X,
    w: &W,
    fits: impl FnOnce(usize) -> Result<(), AdError>,
    read: impl FnOnce(&[[Part<X>; 1]]) -> R,
) -> Result<(O, R), AdError>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    // All real parts, then all imaginary parts: whole points are runs of nodes.
    let (values, n) = (z.scalars(), z.scalars().len());
    let tape = Tape::with_inputs(2 * n);
    let input = |i: usize| ComplexVar::new(tape.input(values[i].re(), i), tape.input(values[i].im(), n + i));
    let y = f(z.same_points(input).borrow());
    AdError::check_dimensions("vjp", "cotangent", y.extents(), w.extents())?;
    fits(y.scalars().len())?;
    let seeds = y.scalars().iter().zip(w.scalars());
    let seeds = seeds.flat_map(|(y, w)| [(y.re(), [w.re()]), (y.im(), [w.im()])]);
    let result = tape.pull(seeds, |parts| read(&parts[..2 * n]));
    Ok((y, result))
}

/// Number `i` of those whose real parts stand in front of the imaginary parts.
fn number<X: Points + ?Sized>(parts: &[[Part<X>; 1]], i: usize) -> X::Scalar {
    X::Scalar::from_parts(parts[i][0], parts[parts.len() / 2 + i][0])
}

/// The gradient `∂L/∂x + i·∂L/∂y = 2·∂L/∂z*` of a real function of complex variables, one evaluation and one sweep for
/// any number of them: the direction of steepest ascent, PyTorch's `z.grad`, the conjugate of JAX's.
///
/// # Panics
/// If the result belongs to another tape.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{gradient, norm_sqr};
/// let z = [Complex64::new(1.0, 2.0), Complex64::i()];
/// assert_eq!(gradient(|z| norm_sqr(z[0] - z[1]), &z), [Complex64::new(2.0, 2.0), Complex64::new(-2.0, -2.0)]);
/// ```
pub fn gradient<X>(f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> Var<Part<X>>, z: &X) -> X::With<X::Scalar>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
{
    value_and_gradient(f, z).1
}

/// The value and [`gradient`].
///
/// # Panics
/// As [`gradient`].
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{abs, value_and_gradient};
/// let (r, g) = value_and_gradient(|z| abs(*z), &Complex64::new(3.0, 4.0));
/// assert_eq!((r, g), (5.0, Complex64::new(0.6, 0.8)));
/// ```
pub fn value_and_gradient<X>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> Var<Part<X>>,
    z: &X,
) -> (Part<X>, X::With<X::Scalar>)
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
{
    value_and_vjp(f, z, &<Part<X> as Number>::lit(1.0))
}

/// [`gradient`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `z`, and as [`gradient`].
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{abs, gradient_into};
/// let mut g = [Complex64::i()];
/// gradient_into(|z| abs(z[0]), &[Complex64::new(3.0, 4.0)], &mut g);
/// assert_eq!(g, [Complex64::new(0.6, 0.8)]);
/// ```
#[track_caller]
pub fn gradient_into<X>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> Var<Part<X>>,
    z: &X,
    out: &mut [X::Scalar],
) where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
{
    value_and_gradient_into(f, z, out);
}

/// [`gradient`] written to `out`, returning the value.
///
/// # Panics
/// If `out` has not the length of `z`, and as [`gradient`].
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{abs, value_and_gradient_into};
/// let mut g = [Complex64::i()];
/// let r = value_and_gradient_into(|z| abs(*z), &Complex64::new(3.0, 4.0), &mut g);
/// assert_eq!((r, g), (5.0, [Complex64::new(0.6, 0.8)]));
/// ```
#[track_caller]
pub fn value_and_gradient_into<X>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> Var<Part<X>>,
    z: &X,
    out: &mut [X::Scalar],
) -> Part<X>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
{
    expect(try_value_and_gradient_into(f, z, out))
}

/// [`value_and_gradient_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`] if `out` has not the length of `z`.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::{abs, try_value_and_gradient_into};
/// let e = try_value_and_gradient_into(|z| abs(*z), &Complex64::i(), &mut []).unwrap_err();
/// assert_eq!(e.to_string(), "gradient: the gradient buffer has length 0, expected 1");
/// ```
pub fn try_value_and_gradient_into<X>(
    f: impl FnOnce(&X::Arg<ComplexVar<Part<X>>>) -> Var<Part<X>>,
    z: &X,
    out: &mut [X::Scalar],
) -> Result<Part<X>, AdError>
where
    X: Points + ?Sized,
    Part<X>: Real<Complex = X::Scalar>,
{
    check_buffer("gradient", "gradient buffer", z.scalars().len(), Some(&*out))?;
    let mut value = [<Part<X> as Number>::lit(0.0)];
    try_value_and_vjp_into(f, z, &<Part<X> as Number>::lit(1.0), Some(&mut value), out)?;
    Ok(value[0])
}

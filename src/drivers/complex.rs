//! Derivatives of complex functions.

use std::borrow::Borrow;

use super::expect;
pub use super::points::Points;
use crate::error::AdError;
use crate::forward::{Dual, DualN};
use crate::number::{Complexify, Number, Real};
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

impl<T: Complexify> Recorded<T> for ComplexVar<T> {
    type Value = T::Complex;
    fn recorded_value(self) -> T::Complex {
        self.value()
    }
}

/// `f′(z)` of a holomorphic function of one variable, which may return a number, an array, a `Vec` or a matrix. The
/// closure works at `Dual<Complex<f64>>` for a point of type `Complex<f64>`.
///
/// Of a function that is not holomorphic it is the derivative along the real axis; see [`wirtinger`].
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::derivative;
/// let z = Complex64::new(0.4, -0.2);
/// assert_eq!(derivative(|z| z.exp(), z), z.exp());
/// assert_eq!(derivative(|z| [z * z, z.recip()], Complex64::i()), [Complex64::new(0.0, 2.0), Complex64::new(1.0, 0.0)]);
/// ```
pub fn derivative<C: Number, D: Number, O: Points<Scalar = Dual<D>>>(
    f: impl FnOnce(Dual<C>) -> O,
    z: C,
) -> O::With<D> {
    value_and_derivative(f, z).1
}

/// `(f(z), f′(z))`; otherwise as [`derivative`].
///
/// ```
/// use num_complex::Complex64;
/// let (w, dw) = wengert::complex::value_and_derivative(|z| z.exp(), Complex64::new(0.4, -0.2));
/// assert_eq!(w, dw);
/// ```
pub fn value_and_derivative<C: Number, D: Number, O: Points<Scalar = Dual<D>>>(
    f: impl FnOnce(Dual<C>) -> O,
    z: C,
) -> (O::With<D>, O::With<D>) {
    let y = f(Dual::variable(z));
    (y.same_points(|i| y.scalars()[i].value()), y.same_points(|i| y.scalars()[i].tangent()))
}

/// Wirtinger's derivatives `(∂f/∂z, ∂f/∂z*)` of any function of one variable that is differentiable in its real and
/// imaginary part: `ẏ = ∂f/∂z·ż + ∂f/∂z*·conj(ż)`. The second is zero where the function is holomorphic.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::wirtinger;
/// let z = Complex64::new(1.0, 2.0);
/// assert_eq!(wirtinger(|z| z * z.conj(), z), (z.conj(), z)); // |z|²
/// assert_eq!(wirtinger(|z| z * z, z), (z * 2.0, Complex64::new(0.0, 0.0)));
/// ```
pub fn wirtinger<C: Number>(f: impl FnOnce(DualN<C, 2>) -> DualN<C, 2>, z: C) -> (C, C) {
    let i = C::from_parts(C::Re::lit(0.0), C::Re::lit(1.0));
    let [along_one, along_i] = f(DualN::new(z, [C::lit(1.0), i])).tangents();
    let half = C::lit(0.5);
    ((along_one - i * along_i) * half, (along_one + i * along_i) * half)
}

/// The derivative of `f` at `z` in the direction `ż`: `f′(z)·ż` of a holomorphic function, without a conjugate. The
/// closure works at `Dual<Complex<f64>>` and returns complex or real numbers.
///
/// # Panics
/// If `dz` has not the length of `z`.
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
/// [`AdError::Shape`] if `dz` has not the length of `z`.
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
    let (values, tangents) = (z.scalars(), dz.scalars());
    AdError::check_len("jvp", "tangent", values.len(), tangents.len())?;
    let y = f(z.same_points(|i| Dual::new(values[i], tangents[i])).borrow());
    Ok((y.same_points(|i| y.scalars()[i].value()), y.same_points(|i| y.scalars()[i].tangent())))
}

/// The cotangent of the point where the result has the cotangent `w`: `z̄ = w·conj(f′(z))` of a holomorphic function,
/// the adjoint of [`jvp`] under `⟨a, b⟩ = Re(conj(a)·b)`. The closure works at [`ComplexVar`] and returns complex or
/// real numbers.
///
/// # Panics
/// If `w` has not the length of the result, or a result belongs to another tape.
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
    Part<X>: Complexify<Complex = X::Scalar>,
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
    Part<X>: Complexify<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    expect(try_value_and_vjp(f, z, w))
}

/// [`value_and_vjp`] with an error instead of the panic.
///
/// # Errors
/// [`AdError::Shape`] if `w` has not the length of the result.
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
    Part<X>: Complexify<Complex = X::Scalar>,
    O: Points<Scalar: Recorded<Part<X>>>,
    W: Points<Scalar = Worth<O, X>> + ?Sized,
{
    // All real parts, then all imaginary parts: whole points are runs of nodes.
    let (values, n) = (z.scalars(), z.scalars().len());
    let tape = Tape::with_inputs(2 * n);
    let input = |i: usize| ComplexVar::new(tape.input(values[i].re(), i), tape.input(values[i].im(), n + i));
    let y = f(z.same_points(input).borrow());
    AdError::check_len("vjp", "cotangent", y.scalars().len(), w.scalars().len())?;
    let seeds = y.scalars().iter().zip(w.scalars());
    let seeds = seeds.flat_map(|(y, w)| [(y.re(), [w.re()]), (y.im(), [w.im()])]);
    let cotangents = tape.pull(seeds, |c| z.same_points(|i| X::Scalar::from_parts(c[i][0], c[n + i][0])));
    Ok((y.same_points(|i| y.scalars()[i].recorded_value()), cotangents))
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
    Part<X>: Complexify<Complex = X::Scalar>,
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
    Part<X>: Complexify<Complex = X::Scalar>,
{
    value_and_vjp(f, z, &<Part<X> as Number>::lit(1.0))
}

//! Derivatives of complex functions.

mod points;
mod pull;
mod push;

pub use points::Points;
pub use pull::*;
pub use push::*;

use crate::error::AdError;
use crate::forward::{Dual, DualN};
use crate::number::{Number, Real};

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
///
/// A real number has no such derivatives:
///
/// ```compile_fail,E0271
/// wengert::complex::wirtinger(|x| x * x, 2.0);
/// ```
pub fn wirtinger<C>(f: impl FnOnce(DualN<C, 2>) -> DualN<C, 2>, z: C) -> (C, C)
where
    C: Number<Re: Real<Complex = C>>,
{
    let i = C::from_parts(C::Re::lit(0.0), C::Re::lit(1.0));
    let [along_one, along_i] = f(DualN::new(z, [C::lit(1.0), i])).tangents();
    let half = C::lit(0.5);
    ((along_one - i * along_i) * half, (along_one + i * along_i) * half)
}

/// Writes the parts of the results to the buffers that are wanted.
fn write<N: Number, D>(y: &[N], part: impl Fn(N) -> D, slot: Option<&mut [D]>) {
    slot.into_iter().flatten().zip(y).for_each(|(slot, &y)| *slot = part(y));
}

/// `Ok` if a buffer that is wanted holds as many numbers as there are.
fn check_buffer<D>(
    op: &'static str,
    what: &'static str,
    expected: usize,
    buffer: Option<&[D]>,
) -> Result<(), AdError> {
    AdError::check_len(op, what, expected, buffer.map_or(expected, |b| b.len()))
}

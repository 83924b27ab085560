//! Functions of complex numbers in both layouts, by the rules of the table.

use num_traits::Float;

use crate::number::{AsNumber, BaseFloat, Number, Real};
use crate::rules::{Hypot, boundary};

/// The type of real and imaginary parts.
type Part<Z> = <<Z as AsNumber>::Number as Number>::Re;

holomorphic_table!(complex_functions);

/// `z^w`, principal branch: `∂z = w·z^(w−1)`, `∂w = z^w·ln z`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::powc};
/// let (z, i) = (Complex::new(1.0, 2.0), Complex::i());
/// let w = powc(Dual::variable(z), Dual::constant(i));
/// assert!((w.tangent() - i * z.powc(i) / z).norm() < 1e-15);
/// ```
#[inline]
#[track_caller]
pub fn powc<Z: AsNumber>(z: Z, w: Z) -> Z {
    Z::from_number(z.as_number().powc(w.as_number()))
}

/// `z^c` for a real constant `c`: derivative `c·z^(c−1)`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::powf};
/// let w = powf(Dual::variable(Complex::new(0.0, 2.0)), 2.0);
/// assert!((w.tangent() - Complex::new(0.0, 4.0)).norm() < 1e-15);
/// ```
#[inline]
#[track_caller]
pub fn powf<Z: AsNumber>(z: Z, c: f64) -> Z {
    powf_const(z, c)
}

/// `ln z/ln b` for a positive constant `b`: derivative `1/(z·ln b)`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::log};
/// let z = Complex::new(0.0, 1.0);
/// assert!((log(Dual::variable(z), 3.0).tangent() - (z * 3f64.ln()).inv()).norm() < 1e-15);
/// ```
#[inline]
#[track_caller]
pub fn log<Z: AsNumber>(z: Z, b: f64) -> Z {
    let b = <Z::Number as Number>::Base::from_double(b);
    Z::from_number(z.as_number().ln() / Float::ln(b))
}

/// `|z|`: tangent `Re(conj(sign z)·ż)`, cotangent `z̄ = ȳ·sign z`; both are 0 at `z = 0`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::abs};
/// let r: Dual<f64> = abs(Dual::new(Complex::new(3.0, 4.0), Complex::new(1.0, 2.0)));
/// assert!((r.tangent() - 2.2).abs() < 1e-15);
/// assert_eq!(abs(Dual::new(Complex::new(0.0, 0.0), Complex::new(1.0, 2.0))).tangent(), 0.0);
/// ```
#[inline]
#[track_caller]
pub fn abs<Z: AsNumber>(z: Z) -> Part<Z> {
    z.as_number().modulus()
}

/// `|z|²`: tangent `2 Re(conj(z)·ż)`, cotangent `z̄ = 2ȳ·z`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::norm_sqr};
/// let z = Dual::new(Complex::new(3.0, 4.0), Complex::new(1.0, 2.0));
/// assert_eq!(norm_sqr(z).tangent(), 22.0);
/// ```
#[inline]
#[track_caller]
pub fn norm_sqr<Z: AsNumber>(z: Z) -> Part<Z> {
    let (x, y) = (real(z), imag(z));
    if Z::Number::REAL { x * x } else { x * x + y * y }
}

/// `|x| + |y|`: tangent `sign(x)·ẋ + sign(y)·ẏ`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::l1_norm};
/// let z = Dual::new(Complex::new(3.0, -4.0), Complex::new(1.0, 3.0));
/// assert_eq!(l1_norm(z).tangent(), -2.0);
/// ```
#[inline]
#[track_caller]
pub fn l1_norm<Z: AsNumber>(z: Z) -> Part<Z> {
    real(z).abs() + imag(z).abs()
}

/// The angle: tangent `Im(ż/z)`, cotangent `z̄ = ȳ·iz/|z|²`. At `z = 0` a nonzero tangent becomes NaN.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::arg};
/// let angle: Dual<f64> = arg(Dual::new(Complex::new(3.0, 4.0), Complex::new(1.0, 2.0)));
/// assert!((angle.tangent() - 0.08).abs() < 1e-16);
/// ```
#[inline]
#[track_caller]
pub fn arg<Z: AsNumber>(z: Z) -> Part<Z> {
    let z = centred(z.as_number());
    imag(z).atan2(real(z))
}

/// A positive multiple of `z` in the middle of the range, where `|z|` neither overflows nor is subnormal.
fn centred<T: Number>(z: T) -> T {
    if T::TRACES {
        return z; // a comparison would bind the program to the point
    }
    let (size, eps) = (z.magnitude(), T::Base::epsilon());
    if size > T::Base::max_value() * eps {
        z * eps
    } else if size < T::Base::min_positive_value() / eps {
        z * (T::Base::from_double(1.0) / eps)
    } else {
        z
    }
}

/// The real part: cotangent `z̄ = ȳ`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::real};
/// let z = Dual::new(Complex::new(3.0, 4.0), Complex::new(1.0, 2.0));
/// assert_eq!(real(z).tangent(), 1.0);
/// ```
#[inline]
#[track_caller]
pub fn real<Z: AsNumber>(z: Z) -> Part<Z> {
    z.as_number().re()
}

/// The imaginary part: cotangent `z̄ = iȳ`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::imag};
/// let z = Dual::new(Complex::new(3.0, 4.0), Complex::new(1.0, 2.0));
/// assert_eq!(imag(z).tangent(), 2.0);
/// ```
#[inline]
#[track_caller]
pub fn imag<Z: AsNumber>(z: Z) -> Part<Z> {
    z.as_number().im()
}

/// The conjugate: tangent `conj(ż)`, cotangent `conj(ȳ)`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::conj};
/// let w = conj(Dual::new(Complex::new(2.0, -3.0), Complex::new(1.0, 1.0)));
/// assert_eq!((w.value(), w.tangent()), (Complex::new(2.0, 3.0), Complex::new(1.0, -1.0)));
/// ```
#[inline]
#[track_caller]
pub fn conj<Z: AsNumber>(z: Z) -> Z {
    Z::from_number(z.as_number().conj())
}

/// `z/|z|`, and 0 at `z = 0`, with derivative 0 everywhere. See [`unit()`] for `z/|z|` with its derivative.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::sign};
/// let w = sign(Dual::variable(Complex::new(3.0, 4.0)));
/// assert_eq!((w.value(), w.tangent()), (Complex::new(0.6, 0.8), Complex::new(0.0, 0.0)));
/// assert_eq!(sign(Complex::new(0.0, 0.0)), Complex::new(0.0, 0.0));
/// ```
#[inline]
#[track_caller]
pub fn sign<Z: AsNumber>(z: Z) -> Z {
    let z = z.as_number().detach();
    Z::from_number(if num_traits::Zero::is_zero(&z) { Z::Number::lit(0.0) } else { unit(z) })
}

/// `u = z/|z|`: tangent `iu·Im(conj(u)·ż)/|z|`; in a program by the partials of [`hypot`](Real::hypot). NaN at `z = 0`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::unit};
/// let w = unit(Dual::variable(Complex::new(0.0, 2.0)));
/// assert_eq!((w.value(), w.tangent()), (Complex::new(0.0, 1.0), Complex::new(0.5, 0.0)));
/// ```
#[inline]
#[track_caller]
pub fn unit<Z: AsNumber>(z: Z) -> Z {
    let z = centred(z.as_number());
    if <Part<Z> as Number>::TRACES {
        let (zero, nan) = (Number::lit(0.0), Number::lit(f64::NAN));
        let r = z.modulus();
        let parts = Real::slopes(Hypot, z.re(), z.im(), r);
        let [x, y] = parts.map(|part| Real::select_eq(r, zero, nan, part));
        return Z::from_number(Number::from_parts(x, y));
    }
    let value = z.innermost();
    let r = value.modulus();
    let value = Number::from_parts(value.re() / r, value.im() / r);
    // The derivative of z/|z| itself cancels along z; the derivative of the angle does not.
    let angle = arg(z);
    let turn: Z::Number = from_polar(Number::lit(1.0), angle - angle.detach());
    Z::from_number(boundary::with_primal(z, turn * Z::Number::constant_of(value), value))
}

/// `r·e^(iφ)`: tangent `(ṙ + irφ̇)·e^(iφ)`, cotangents `r̄ = Re(conj(ȳ)·e^(iφ))`, `φ̄ = r·Re(conj(ȳ)·ie^(iφ))`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::from_polar};
/// let z: Dual<Complex<f64>> = from_polar(Dual::constant(2.0), Dual::variable(0.0));
/// assert_eq!((z.value(), z.tangent()), (Complex::new(2.0, 0.0), Complex::new(0.0, 2.0)));
/// ```
#[inline]
#[track_caller]
pub fn from_polar<Z: AsNumber>(r: Part<Z>, angle: Part<Z>) -> Z {
    let (s, c) = Number::sin_cos(angle);
    Z::from_number(Z::Number::from_parts(r * c, r * s))
}

/// `xz` for a real number `x`: `ż·x + z·ẋ`, by the two parts, with the bits of num-complex's `z * x`.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::scale};
/// let z = scale(Dual::constant(Complex::new(3.0, 4.0)), Dual::variable(2.0));
/// assert_eq!((z.value(), z.tangent()), (Complex::new(6.0, 8.0), Complex::new(3.0, 4.0)));
/// ```
#[inline]
#[track_caller]
pub fn scale<Z: AsNumber>(z: Z, x: Part<Z>) -> Z {
    Z::from_number(Z::Number::from_parts(real(z) * x, imag(z) * x))
}

/// `z/x` for a real number `x`: `(ż − (z/x)·ẋ)/x`, by the two parts, as [`scale`].
///
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, complex::unscale};
/// let z = unscale(Dual::constant(Complex::new(3.0, 4.0)), Dual::variable(2.0));
/// assert_eq!((z.value(), z.tangent()), (Complex::new(1.5, 2.0), Complex::new(-0.75, -1.0)));
/// ```
#[inline]
#[track_caller]
pub fn unscale<Z: AsNumber>(z: Z, x: Part<Z>) -> Z {
    Z::from_number(Z::Number::from_parts(real(z) / x, imag(z) / x))
}

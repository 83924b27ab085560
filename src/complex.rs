//! Complex numbers: functions for both layouts, and drivers.
//!
//! # Convention
//!
//! A complex function is a real-linear map of tangents: with `⟨a, b⟩ = Re(conj(a)·b)`
//!
//! - the tangent of a holomorphic `f` is `f′(z)·ż`, without a conjugate;
//! - the cotangent goes back by the adjoint, `z̄ = ȳ·conj(f′(z))`; so do the coefficients of binary operations;
//! - any other `f` has `∂f/∂z` and `∂f/∂z*`, and `z̄ = ȳ·conj(∂f/∂z) + conj(ȳ)·∂f/∂z*`;
//! - the gradient of a real function `L` is `∂L/∂x + i·∂L/∂y = 2·∂L/∂z*`: the direction in which it grows fastest.
//!
//! ```
//! use num_complex::Complex64;
//! use wengert::complex::{derivative, gradient, norm_sqr, vjp};
//! let z = Complex64::new(1.0, 1.0);
//! assert_eq!(derivative(|z| z * z, z), Complex64::new(2.0, 2.0)); // 2z
//! let one = Complex64::new(1.0, 0.0);
//! assert_eq!(vjp(|z| z * z, &z, &one), Complex64::new(2.0, -2.0)); // conj(2z)
//! assert_eq!(gradient(|z| norm_sqr(*z), &z), Complex64::new(2.0, 2.0)); // 2z
//! ```
//!
//! **PyTorch** has the same gradients: `z.grad` of a real loss is this crate's gradient number by number, and the
//! backward pass of a holomorphic function is `ȳ·conj(f′(z))`. For `|z|` at `3 + 4i` both have `0.6 + 0.8i`.
//!
//! ```
//! use num_complex::Complex64;
//! use wengert::complex;
//! let g = complex::gradient(|z| complex::abs(*z), &Complex64::new(3.0, 4.0));
//! assert_eq!(g, Complex64::new(0.6, 0.8));
//! ```
//!
//! **JAX** has the same JVP; its VJP is the transpose without the conjugate, so `vjp(ȳ)` here is
//! `conj(jax_vjp(conj ȳ))`, and the gradient of a real function here is `conj(jax.grad)`: JAX has `0.6 − 0.8i` for
//! `|z|` at `3 + 4i`. For `z²` at `1 + i` with the cotangent `1 − 2i`:
//!
//! ```
//! use num_complex::Complex64;
//! use wengert::complex::{derivative, vjp};
//! let (z, w) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, -2.0));
//! let jax_vjp = |w: Complex64| w * derivative(|z| z * z, z); // w·f′(z)
//! assert_eq!(vjp(|z| z * z, &z, &w), jax_vjp(w.conj()).conj());
//! assert_eq!(vjp(|z| z * z, &z, &w), Complex64::new(-2.0, -6.0));
//! ```
//!
//! # Two layouts
//!
//! `Dual<Complex<f64>>` is a [`Number`] of this crate: its methods are the rules of the [table](crate::rules). [`ComplexVar<f64>`](crate::ComplexVar) is its counterpart in reverse mode. `Complex<Dual<f64>>` and
//! `Complex<Var<f64>>` are num-complex's, for code that is generic over `num_complex::Complex<T>`; the functions of
//! this module apply the same rules to them, and convert where `From` and [`AsNumber`] do. All are entries of
//! [matrices](crate::matrix).
//!
//! **The functions of num-complex are not to be trusted there.** They are written in real arithmetic, with short-cuts
//! where a part is exactly zero. The value is right, and the derivative is another function's:
//!
//! ```
//! use num_complex::{Complex, Complex64};
//! use wengert::{Dual, complex};
//! // z = 4 + it at t = 0: d/dt √z = i/(2√4)
//! let z = Complex::new(Dual::constant(4.0), Dual::variable(0.0));
//! assert_eq!(complex::sqrt(z).im.tangent(), 0.25);
//! assert_eq!(z.sqrt().im.tangent(), 1.0); // num-complex: the imaginary part, passed through
//! ```
//!
//! So it is with `cbrt`, and with `asin`, `acos`, `asinh`, `acosh`, which are built on roots; `powf` at 0 is NaN. The
//! operator `/` of num-complex forms `|w|²`, which overflows from `1e154` on, in the value already.
//!
//! With `use wengert::Number` in scope, methods of `Complex64` that num-complex has by reference (`z.powi(2)`, `z.conj()`)
//! resolve to this crate's by value; `Complex64::conj(&z)` names theirs.
//!
//! # Values
//!
//! Values are this crate's own. Functions of one number are accurate to 4 eps of the modulus, from the smallest numbers
//! to the largest, on both sides of cuts and beside poles and zeros, at `f32` as at `f64`: so a table from arithmetic
//! of 1300 digits holds them. Only the angle of a power or of `exp_base` has its limit: as far as the angle `Im(w·ln z)`
//! of `z^w` is below 10¹². Values at every number type are bit for bit those of the functions here at
//! `Complex<f64>`. Those of num-complex lose digits or overflow in places, operators but `+` and `−` among them:
//!
//! ```
//! use num_complex::Complex64;
//! use wengert::complex;
//! let z = Complex64::new(1.0, 1e-8);
//! assert!(z.ln().re == 0.0 && complex::ln(z).re > 4.9e-17); // ½ ln(1 + 1e-16)
//! let z = Complex64::new(0.3, 800.0);
//! assert!(z.tan().is_nan() && complex::tan(z) == Complex64::i());
//! let z = Complex64::new(1e160, 1e160);
//! assert!(z.inv() == Complex64::default() && complex::recip(z).re > 4.9e-161);
//! ```
//!
//! Derivatives hold to 8 eps, second ones to 16, away from their zeros and where nothing they are made of underflows.
//!
//! **Cuts** are those of W. Kahan (*Branch cuts for complex elementary functions*, 1987) and of C99: of `sqrt`, `cbrt`,
//! `ln`, `log2`, `log10`, powers and `arg` the negative real axis; of `ln_1p` the real axis below −1; of `asin`, `acos`,
//! `atanh` the real axis beyond ±1; of `acosh` below 1; of `asinh`, `atan` the imaginary axis beyond ±i. A number on a
//! cut is on one of its sides, and the sign of its zero says which: the value and the derivative continue those from
//! there. With it `f(conj z) = conj f(z)`.
//!
//! ```
//! use num_complex::Complex64;
//! use wengert::complex;
//! let [above, below] = [0.0, -0.0].map(|zero| Complex64::new(-4.0, zero));
//! assert_eq!(complex::sqrt(above), Complex64::new(0.0, 2.0));
//! assert_eq!(complex::sqrt(below), Complex64::new(0.0, -2.0));
//! ```

use num_traits::Float;

use crate::number::{AsNumber, BaseFloat, Number, Real};
use crate::rules::boundary;

#[cfg(feature = "std")]
pub use crate::drivers::complex::*;

/// The type of real and imaginary parts.
type Part<Z> = <<Z as AsNumber>::Number as Number>::Re;

holomorphic_table!(complex_functions);

/// `z^w` by the principal branch: `∂z = w·z^(w−1)`, `∂w = z^w·ln z`.
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

/// `ln z/ln b` of a positive constant `b`: derivative `1/(z·ln b)`.
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
/// use wengert::{Dual, complex::norm1};
/// let z = Dual::new(Complex::new(3.0, -4.0), Complex::new(1.0, 3.0));
/// assert_eq!(norm1(z).tangent(), -2.0);
/// ```
#[inline]
#[track_caller]
pub fn norm1<Z: AsNumber>(z: Z) -> Part<Z> {
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

/// `z/|z|`, 0 at `z = 0`, as a constant: the derivative is 0 everywhere. [`unit()`] is the one that has a derivative.
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

/// `u = z/|z|`: tangent `iu·Im(conj(u)·ż)/|z|`. NaN at `z = 0`, where there is none.
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
    let value = z.innermost();
    let r = value.modulus();
    let value = Number::from_parts(value.re() / r, value.im() / r);
    // The derivative of z/|z| itself cancels along z; that of the angle does not.
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

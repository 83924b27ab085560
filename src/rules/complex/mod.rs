//! Complex functions at primal numbers: normwise within 4 eps, at both floats, from the smallest numbers to the
//! largest.
//!
//! Signs of zeros follow W. Kahan, *Branch cuts for complex elementary functions* (1987), and C99: the sign of a zero part
//! states on which side of a cut a number is. `f(conj z) = conj f(z)`.

mod cardinal;
mod inverse;
mod power;

use num_complex::Complex;
use num_traits::Float;

use crate::number::BaseFloat;

pub(super) use cardinal::{cosc, coshc, sinc, sinc_slope, sinhc};
pub(super) use inverse::{acos, acosh, asin, asinh, atan, atanh, cbrt, ln, ln_1p, log2, log10, sqrt};
pub(super) use power::{exp_base, exp2, powc, powf, powi};

/// A real function applied to both parts.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn by_parts<F: BaseFloat>(f: impl Fn(F) -> F) -> impl Fn(Complex<F>) -> Complex<F> {
    move |z| Complex::new(f(z.re), f(z.im))
}

fn lit<F: BaseFloat>(x: f64) -> F {
    F::from_double(x)
}

/// The larger of the moduli of the parts.
fn largest<F: BaseFloat + Float>(z: Complex<F>) -> F {
    Float::max(Float::abs(z.re), Float::abs(z.im))
}

/// `i·z` and its inverse.
fn turned<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    Complex::new(-z.im, z.re)
}
fn turned_back<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    Complex::new(z.im, -z.re)
}

/// `1/z`; scaled where `|z|²` overflows or underflows.
pub(super) fn recip<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let (m, scale) = (largest(z), Float::sqrt(F::min_positive_value() / F::epsilon()));
    let harmless = scale < m && m * scale < lit(1.0) || m == lit(0.0) || !Float::is_finite(m);
    if harmless { z.inv() } else { (z / m).inv() / m }
}

/// `z²`, without the difference of two large squares.
pub(super) fn square<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let im = z.re * z.im;
    Complex::new((z.re - z.im) * (z.re + z.im), im + im)
}

/// `u·e^a`, in halves where `e^a` overflows. A zero stays zero.
fn grown<F: BaseFloat + Float>(u: Complex<F>, a: F) -> Complex<F> {
    let e = Float::exp(a);
    if Float::is_finite(e) {
        return u * e;
    }
    let half = Float::exp(a * lit(0.5));
    by_parts(|part: F| if part == lit(0.0) { part } else { part * half * half })(u)
}

/// `e^z = e^a·(cos b + i·sin b)`.
pub(super) fn exp<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if !Float::is_finite(z.re) {
        return z.exp();
    }
    let (sin, cos) = Float::sin_cos(z.im);
    grown(Complex::new(cos, sin), z.re)
}

/// `e^z − 1 = (e^a − 1)·cos b − 2 sin²(b/2) + i·e^a·sin b`.
pub(super) fn exp_m1<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if z.re > lit(50.0) {
        return exp(z);
    }
    let half = Float::sin(z.im * lit(0.5));
    Complex::new(
        Float::exp_m1(z.re) * Float::cos(z.im) - lit::<F>(2.0) * half * half,
        Float::exp(z.re) * Float::sin(z.im),
    )
}

/// `sinh z = sinh a·cos b + i·cosh a·sin b`.
pub(super) fn sinh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let ((sin, cos), cosh) = (Float::sin_cos(z.im), Float::cosh(z.re));
    if Float::is_finite(cosh) {
        return Complex::new(Float::sinh(z.re) * cos, cosh * sin);
    }
    grown(Complex::new(cos * Float::signum(z.re), sin) * lit::<F>(0.5), Float::abs(z.re))
}

/// `cosh z = cosh a·cos b + i·sinh a·sin b`.
pub(super) fn cosh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let ((sin, cos), cosh) = (Float::sin_cos(z.im), Float::cosh(z.re));
    if Float::is_finite(cosh) {
        return Complex::new(cosh * cos, Float::sinh(z.re) * sin);
    }
    grown(Complex::new(cos, sin * Float::signum(z.re)) * lit::<F>(0.5), Float::abs(z.re))
}

/// `sin z = −i·sinh iz`.
pub(super) fn sin<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    turned_back(sinh(turned(z)))
}

/// `cos z = cosh iz`.
pub(super) fn cos<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    cosh(turned(z))
}

/// Whether hyperbolic functions of `2·re` would overflow or lose everything but their leading term.
fn saturated<F: BaseFloat + Float>(z: Complex<F>) -> bool {
    Float::abs(z.re) > lit(20.0)
}

/// `z` or `−z`, whichever has a positive real part, and that sign.
fn rightward<F: BaseFloat + Float>(z: Complex<F>) -> (F, Complex<F>) {
    let sign = Float::signum(z.re);
    (sign, Complex::new(z.re * sign, z.im * sign))
}

/// `tanh z = (sinh a·cosh a + i·sin b·cos b)/(sinh² a + cos² b)`; for large `|a|`, where this overflows, `±(1 −
/// 2e^(∓2z))`.
pub(super) fn tanh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        let (sinh, (sin, cos)) = (Float::sinh(z.re), Float::sin_cos(z.im));
        return Complex::new(sinh * Float::cosh(z.re), sin * cos) / (sinh * sinh + cos * cos);
    }
    let (sign, right) = rightward(z);
    let e = square(exp(-right)) * lit::<F>(2.0);
    Complex::new(lit::<F>(1.0) - e.re, -e.im) * sign
}

/// `tan z = −i·tanh iz`.
pub(super) fn tan<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    turned_back(tanh(turned(z)))
}

/// `1/cosh² z`; for large `|a|` `4e^(∓2z)`.
pub(super) fn sech2<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        return square(recip(cosh(z)));
    }
    square(exp(-rightward(z).1) * lit::<F>(2.0))
}

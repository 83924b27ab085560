//! Complex machine functions that num-complex lacks, or whose digits overflow or cancel there.
//!
//! The inverse functions are W. Kahan's, *Branch cuts for complex elementary functions* (1987). On the real axis, where
//! the cuts are, they are num-complex's.

use core::f64::consts::FRAC_PI_2;

use num_complex::Complex;
use num_traits::Float;

use crate::number::BaseFloat;

/// A real function applied to both parts.
#[inline(always)]
pub(super) fn by_parts<F: BaseFloat>(f: impl Fn(F) -> F) -> impl Fn(Complex<F>) -> Complex<F> {
    move |z| Complex::new(f(z.re), f(z.im))
}

fn lit<F: BaseFloat>(x: f64) -> F {
    F::from_double(x)
}

/// The larger of the moduli of the parts.
fn largest<F: BaseFloat>(z: Complex<F>) -> F {
    Float::max(Float::abs(z.re), Float::abs(z.im))
}

/// `1/z`; scaled where `|z|²` overflows or underflows.
pub(super) fn recip<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let (m, scale) = (largest(z), Float::sqrt(F::min_positive_value() / F::epsilon()));
    let harmless = scale < m && m * scale < lit(1.0) || m == lit(0.0) || !Float::is_finite(m);
    if harmless { z.inv() } else { (z / m).inv() / m }
}

/// `z²`, without the difference of two large squares.
pub(super) fn square<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let im = z.re * z.im;
    Complex::new((z.re - z.im) * (z.re + z.im), im + im)
}

/// `e^z − 1 = (e^a − 1)·cos b − 2 sin²(b/2) + i·e^a·sin b`.
pub(super) fn exp_m1<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let half = Float::sin(z.im * lit(0.5));
    Complex::new(
        Float::exp_m1(z.re) * Float::cos(z.im) - lit::<F>(2.0) * half * half,
        Float::exp(z.re) * Float::sin(z.im),
    )
}

/// `ln(1 + z) = ½·ln_1p(a(2 + a) + b²) + i·atan2(b, 1 + a)`.
pub(super) fn ln_1p<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let two = lit(2.0);
    let excess = z.re * (two + z.re) + z.im * z.im;
    if !Float::is_finite(excess) {
        return (z + lit::<F>(1.0)).ln();
    }
    Complex::new(Float::ln_1p(excess) / two, Float::atan2(z.im, lit::<F>(1.0) + z.re))
}

/// Whether hyperbolic functions of `2·re` would overflow or lose everything but their leading term.
fn saturated<F: BaseFloat>(z: Complex<F>) -> bool {
    Float::abs(z.re) > lit(20.0)
}

/// `tanh z = (sinh a·cosh a + i·sin b·cos b)/(sinh² a + cos² b)`; far out `±(1 − 2e^(∓2z))`, where this overflows.
pub(super) fn tanh<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        let (sinh, (sin, cos)) = (Float::sinh(z.re), Float::sin_cos(z.im));
        return Complex::new(sinh * Float::cosh(z.re), sin * cos) / (sinh * sinh + cos * cos);
    }
    let sign = Complex::from(Float::signum(z.re));
    let e = (-(z * sign) * lit::<F>(2.0)).exp();
    sign * (Complex::from(lit::<F>(1.0)) - e * lit::<F>(2.0))
}

/// `i·z` and its inverse.
fn turned<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    Complex::new(-z.im, z.re)
}
fn turned_back<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    Complex::new(z.im, -z.re)
}

/// `tan z = −i·tanh iz`.
pub(super) fn tan<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    turned_back(tanh(turned(z)))
}

/// `√z` with accurate parts, for `z` off the cut.
fn root<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let half = lit::<F>(0.5);
    let s = Float::sqrt(half * Float::abs(z.re) + half * Float::hypot(z.re, z.im));
    let t = half * z.im / s;
    if z.re < lit(0.0) { Complex::new(Float::abs(t), Float::copysign(s, z.im)) } else { Complex::new(s, t) }
}

/// `√(1 − z)`, `√(1 + z)`.
fn roots<F: BaseFloat>(z: Complex<F>) -> (Complex<F>, Complex<F>) {
    let one = lit::<F>(1.0);
    (root(Complex::new(one - z.re, -z.im)), root(Complex::new(one + z.re, z.im)))
}

/// Whether a function with a cut on the real axis is taken there.
fn on_axis<F: BaseFloat>(z: Complex<F>) -> bool {
    z.im == lit(0.0)
}

/// `arcsin z = atan2(x, Re(√(1−z)·√(1+z))) + i·arsinh(Im(conj(√(1−z))·√(1+z)))`.
pub(super) fn asin<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if on_axis(z) {
        return z.asin();
    }
    let (a, b) = roots(z);
    Complex::new(Float::atan2(z.re, (a * b).re), Float::asinh((a.conj() * b).im))
}

/// `arccos z = 2·atan2(Re √(1−z), Re √(1+z)) + i·arsinh(Im(conj(√(1+z))·√(1−z)))`.
pub(super) fn acos<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if on_axis(z) {
        return z.acos();
    }
    let (a, b) = roots(z);
    Complex::new(lit::<F>(2.0) * Float::atan2(a.re, b.re), Float::asinh((b.conj() * a).im))
}

/// `arsinh z = −i·arcsin iz`.
pub(super) fn asinh<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z.re == lit(0.0) { z.asinh() } else { turned_back(asin(turned(z))) }
}

/// `artanh z = ¼·ln_1p(4x/((1 − x)² + y²)) + ½i·atan2(2y, (1 − x)(1 + x) − y²)`; far out `1/z ± iπ/2`.
pub(super) fn atanh<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if on_axis(z) {
        return z.atanh();
    }
    if largest(z) > lit(1e10) {
        let r = recip(z);
        return Complex::new(r.re, r.im + Float::copysign(lit(FRAC_PI_2), z.im));
    }
    let (one, two, x) = (lit::<F>(1.0), lit::<F>(2.0), Float::abs(z.re));
    let re = Float::ln_1p(two * two * x / ((one - x) * (one - x) + z.im * z.im)) / (two * two);
    let im = Float::atan2(two * z.im, (one - x) * (one + x) - z.im * z.im) / two;
    Complex::new(Float::copysign(re, z.re), im)
}

/// `arctan z = −i·artanh iz`.
pub(super) fn atan<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z.re == lit(0.0) { z.atan() } else { turned_back(atanh(turned(z))) }
}

/// `1/cosh² z`; far out `4e^(∓2z)`.
pub(super) fn sech2<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        let c = z.cosh();
        return (c * c).inv();
    }
    (-(z * Float::signum(z.re)) * lit::<F>(2.0)).exp() * lit::<F>(4.0)
}

/// `sin(z)/z`, 1 at 0.
pub(super) fn sinc<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(lit::<F>(0.0)) { Complex::from(lit::<F>(1.0)) } else { z.sin() / z }
}

/// `(cos z − sinc z)/z`, 0 at 0.
pub(super) fn sinc_slope<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(lit::<F>(0.0)) { z } else { (z.cos() - sinc(z)) / z }
}

/// `sinh(z)/z`, 1 at 0.
pub(super) fn sinhc<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(lit::<F>(0.0)) { Complex::from(lit::<F>(1.0)) } else { z.sinh() / z }
}

/// `z^w`: by the real power where the exponent is real.
pub(super) fn powf<F: BaseFloat>(z: Complex<F>, w: Complex<F>) -> Complex<F> {
    if w.im == lit(0.0) { z.powf(w.re) } else { z.powc(w) }
}

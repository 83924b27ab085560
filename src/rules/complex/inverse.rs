//! Roots, logarithms and inverse functions.
//!
//! The inverse functions are W. Kahan's, *Branch cuts for complex elementary functions* (1987).

use core::f64::consts::{FRAC_PI_2, LN_2, LN_10};

use num_complex::Complex;
use num_traits::Float;

use super::{largest, lit, recip, turned, turned_back};
use crate::number::BaseFloat;

/// Beyond this, `1 ± z²` is `±z²` to the last digit in both float types.
const LARGE: f64 = 1e10;

/// The factor `c` with which `z·cⁿ` is in the middle of the range, 1 where nothing can overflow or lose digits.
fn scale<F: BaseFloat + Float>(z: Complex<F>) -> F {
    let m = largest(z);
    if m > F::max_value() / lit(8.0) {
        F::epsilon()
    } else if m < F::min_positive_value() / F::epsilon() {
        lit::<F>(1.0) / F::epsilon()
    } else {
        lit(1.0)
    }
}

/// `√z` with both parts accurate: `s = √((|x| + |z|)/2)` and `y/2s`.
pub(in crate::rules) fn sqrt<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let (zero, half, c) = (lit::<F>(0.0), lit::<F>(0.5), scale(z));
    if largest(z) == zero {
        return Complex::new(zero, z.im);
    }
    if Float::is_infinite(z.im) {
        return Complex::new(F::infinity(), z.im);
    }
    let (x, y) = (z.re * c * c, z.im * c * c);
    let s = Float::sqrt(half * Float::abs(x) + half * Float::hypot(x, y));
    let (s, t) = (s / c, y / (s + s) / c);
    if x < zero { Complex::new(Float::abs(t), Float::copysign(s, z.im)) } else { Complex::new(s, t) }
}

/// `∛z = ∛|z|·e^(iφ/3)`.
pub(in crate::rules) fn cbrt<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let c = scale(z);
    let r = Float::cbrt(Float::hypot(z.re * c * c * c, z.im * c * c * c)) / c;
    let (sin, cos) = Float::sin_cos(Float::atan2(z.im, z.re) / lit(3.0));
    Complex::new(r * cos, r * sin)
}

/// `ln |z|`; near `|z| = 1` it is `½·ln_1p((x − 1)(x + 1) + y²)`, `x` the larger part.
fn ln_modulus<F: BaseFloat + Float>(z: Complex<F>) -> F {
    let (x, y) = (largest(z), Float::min(Float::abs(z.re), Float::abs(z.im)));
    let (one, half) = (lit::<F>(1.0), lit::<F>(0.5));
    if x > lit(0.7) && x < lit(1.5) {
        return half * Float::ln_1p((x - one) * (x + one) + y * y);
    }
    let c = scale(z);
    let ln = Float::ln(Float::hypot(x * c, y * c));
    if c == one { ln } else { ln - Float::ln(c) }
}

/// `ln z = ln |z| + iφ`.
pub(in crate::rules) fn ln<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    Complex::new(ln_modulus(z), Float::atan2(z.im, z.re))
}

/// `log₂ z`.
pub(in crate::rules) fn log2<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    ln(z) / lit::<F>(LN_2)
}

/// `log₁₀ z`.
pub(in crate::rules) fn log10<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    ln(z) / lit::<F>(LN_10)
}

/// `ln(1 + z) = ½·ln_1p(a(2 + a) + b²) + i·atan2(b, 1 + a)`; `1 + z` is exact near −1.
pub(in crate::rules) fn ln_1p<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let one = lit::<F>(1.0);
    let excess = z.re * (lit::<F>(2.0) + z.re) + z.im * z.im;
    if Float::abs(excess) < one && z.re > lit(-0.5) {
        return Complex::new(Float::ln_1p(excess) * lit(0.5), Float::atan2(z.im, one + z.re));
    }
    ln(z + one)
}

/// `√(1 − z)`, `√(1 + z)`.
fn roots<F: BaseFloat + Float>(z: Complex<F>) -> (Complex<F>, Complex<F>) {
    let one = lit::<F>(1.0);
    (sqrt(Complex::new(one - z.re, -z.im)), sqrt(Complex::new(one + z.re, z.im)))
}

/// Whether the inverse functions are `ln 2z` and multiples of a right angle.
fn far<F: BaseFloat + Float>(z: Complex<F>) -> bool {
    largest(z) > lit(LARGE)
}

/// `ln |2z|`.
fn ln_double<F: BaseFloat + Float>(z: Complex<F>) -> F {
    ln_modulus(z) + lit(LN_2)
}

/// `arcsin z = atan2(x, Re(√(1−z)·√(1+z))) + i·arsinh(Im(conj(√(1−z))·√(1+z)))`.
pub(in crate::rules) fn asin<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if far(z) {
        return Complex::new(Float::atan2(z.re, Float::abs(z.im)), Float::copysign(ln_double(z), z.im));
    }
    let (a, b) = roots(z);
    Complex::new(Float::atan2(z.re, (a * b).re), Float::asinh((a.conj() * b).im))
}

/// `arccos z = 2·atan2(Re √(1−z), Re √(1+z)) + i·arsinh(Im(conj(√(1+z))·√(1−z)))`.
pub(in crate::rules) fn acos<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if far(z) {
        return Complex::new(Float::atan2(Float::abs(z.im), z.re), -Float::copysign(ln_double(z), z.im));
    }
    let (a, b) = roots(z);
    Complex::new(lit::<F>(2.0) * Float::atan2(a.re, b.re), Float::asinh((b.conj() * a).im))
}

/// `arsinh z = −i·arcsin iz`.
pub(in crate::rules) fn asinh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    turned_back(asin(turned(z)))
}

/// `arcosh z = arsinh(Re(conj(√(z−1))·√(z+1))) + 2i·atan2(Im √(z−1), Re √(z+1))`.
pub(in crate::rules) fn acosh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if far(z) {
        return Complex::new(ln_double(z), Float::atan2(z.im, z.re));
    }
    let one = lit::<F>(1.0);
    let (a, b) = (sqrt(z - one), sqrt(z + one));
    Complex::new(Float::asinh((a.conj() * b).re), lit::<F>(2.0) * Float::atan2(a.im, b.re))
}

/// `artanh z = ¼·ln_1p(4x/((1 − x)² + y²)) + ½i·atan2(2y, (1 − x)(1 + x) − y²)` for `x ≥ 0`; next to the pole `½·(ln
/// |1 + z| − ln |1 − z|)`; for large `|z|` `1/z ± iπ/2`.
pub(in crate::rules) fn atanh<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if far(z) {
        let r = recip(z);
        return Complex::new(r.re, r.im + Float::copysign(lit(FRAC_PI_2), z.im));
    }
    let (one, two, half, x) = (lit::<F>(1.0), lit::<F>(2.0), lit::<F>(0.5), Float::abs(z.re));
    let gap = Float::hypot(one - x, z.im);
    let re = if gap < lit(1e-3) {
        half * (Float::ln(Float::hypot(one + x, z.im)) - Float::ln(gap))
    } else {
        half * half * Float::ln_1p(two * two * x / (gap * gap))
    };
    let im = Float::atan2(two * z.im, (one - x) * (one + x) - z.im * z.im) * half;
    Complex::new(Float::copysign(re, z.re), im)
}

/// `arctan z = −i·artanh iz`.
pub(in crate::rules) fn atan<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    turned_back(atanh(turned(z)))
}

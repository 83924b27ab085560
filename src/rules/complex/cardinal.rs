//! Sines and cosines over their argument.

use num_complex::Complex;
use num_traits::Float;

use super::{cos, cosh, grown, largest, lit, recip, rightward, saturated, sinh, turned};
use crate::number::BaseFloat;
use crate::rules::{formula, special};

/// `e^z/(2z)` for `Re z > 20`, where `e^z` may overflow.
fn half_exp_over<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let (sin, cos) = Float::sin_cos(z.im);
    grown(Complex::new(cos, sin) * (recip(z) * lit::<F>(0.5)), z.re)
}

/// `sinh(z)/z`, 1 at 0.
pub(in crate::rules) fn sinhc<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if saturated(z) {
        half_exp_over(rightward(z).1)
    } else if largest(z) < lit(1e-9) {
        Complex::new(lit(1.0), z.re * z.im / lit(3.0))
    } else {
        sinh(z) * recip(z)
    }
}

/// `cosh(z)/z`.
pub(in crate::rules) fn coshc<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        return cosh(z) * recip(z);
    }
    let (sign, right) = rightward(z);
    half_exp_over(right) * sign
}

/// `sin(z)/z = sinh(iz)/(iz)`, 1 at 0.
pub(in crate::rules) fn sinc<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    sinhc(turned(z))
}

/// `cos(z)/z = i·cosh(iz)/(iz)`.
pub(in crate::rules) fn cosc<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    turned(coshc(turned(z)))
}

/// `(cos z − sinc z)/z`, 0 at 0: near 0 by its series, far from the real axis by the leading exponential.
pub(in crate::rules) fn sinc_slope<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    if largest(z) < lit(1.5) {
        let u = z * z;
        return formula::SINC.iter().rev().fold(u * lit::<F>(0.0), |s, &c| s * u + lit::<F>(c)) * z;
    }
    let (sign, right) = rightward(turned(z));
    if saturated(right) {
        let r = recip(right);
        return turned(half_exp_over(right) * (-r + lit::<F>(1.0)) * sign);
    }
    if Float::abs(z.re) > lit(1e4) { (cos(z) - sinc(z)) * recip(z) } else { beside_real_axis(z) }
}

/// `sinc′` near the real axis, with accurate zeros: `x cos x − sin x` is `−x²·j₁(x)` with the spherical Bessel
/// function `j₁`.
fn beside_real_axis<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    let ((x, y), (sin, cos)) = ((z.re, z.im), Float::sin_cos(z.re));
    let (sinh, cosh) = (Float::sinh(y), Float::cosh(y));
    let bessel: F = F::from_double(special::sph_j(1, x.to_double()));
    let numerator =
        Complex::new(y * sinh * sin - x * x * bessel * cosh, (y * cosh - sinh) * cos - x * sinh * sin);
    let r = recip(z);
    numerator * r * r
}

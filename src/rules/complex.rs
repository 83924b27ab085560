//! Complex machine functions that num-complex lacks, or whose digits overflow or cancel there.

use num_complex::Complex;
use num_traits::Float;

use crate::number::BaseFloat;

/// A real function applied to both parts.
#[inline(always)]
pub(super) fn by_parts<F: BaseFloat>(f: impl Fn(F) -> F) -> impl Fn(Complex<F>) -> Complex<F> {
    move |z| Complex::new(f(z.re), f(z.im))
}

/// `e^z − 1 = (e^a − 1)·cos b − 2 sin²(b/2) + i·e^a·sin b`.
pub(super) fn exp_m1<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let half = Float::sin(z.im * F::from_double(0.5));
    Complex::new(
        Float::exp_m1(z.re) * Float::cos(z.im) - F::from_double(2.0) * half * half,
        Float::exp(z.re) * Float::sin(z.im),
    )
}

/// `ln(1 + z) = ½·ln_1p(a(2 + a) + b²) + i·atan2(b, 1 + a)`.
pub(super) fn ln_1p<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    let two = F::from_double(2.0);
    let excess = z.re * (two + z.re) + z.im * z.im;
    Complex::new(Float::ln_1p(excess) / two, Float::atan2(z.im, F::from_double(1.0) + z.re))
}

/// Whether hyperbolic functions of `2·re` would overflow or lose everything but their leading term.
fn saturated<F: BaseFloat>(z: Complex<F>) -> bool {
    Float::abs(z.re) > F::from_double(20.0)
}

/// `tanh z`; far out `±(1 − 2e^(∓2z))`, where the quotient of hyperbolic functions overflows.
pub(super) fn tanh<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        return z.tanh();
    }
    let sign = Complex::from(Float::signum(z.re));
    let e = (-(z * sign) * F::from_double(2.0)).exp();
    sign * (Complex::from(F::from_double(1.0)) - e * F::from_double(2.0))
}

/// `1/cosh² z`; far out `4e^(∓2z)`.
pub(super) fn sech2<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if !saturated(z) {
        let c = z.cosh();
        return (c * c).inv();
    }
    (-(z * Float::signum(z.re)) * F::from_double(2.0)).exp() * F::from_double(4.0)
}

/// `sin(z)/z`, 1 at 0.
pub(super) fn sinc<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(F::from_double(0.0)) { Complex::from(F::from_double(1.0)) } else { z.sin() / z }
}

/// `(cos z − sinc z)/z`, 0 at 0.
pub(super) fn sinc_slope<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(F::from_double(0.0)) { z } else { (z.cos() - sinc(z)) / z }
}

/// `sinh(z)/z`, 1 at 0.
pub(super) fn sinhc<F: BaseFloat>(z: Complex<F>) -> Complex<F> {
    if z == Complex::from(F::from_double(0.0)) { Complex::from(F::from_double(1.0)) } else { z.sinh() / z }
}

/// `z^w`: by the real power where the exponent is real.
pub(super) fn powf<F: BaseFloat>(z: Complex<F>, w: Complex<F>) -> Complex<F> {
    if w.im == F::from_double(0.0) { z.powf(w.re) } else { z.powc(w) }
}

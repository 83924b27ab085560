//! Powers and exponentials of other bases, through sums of doubles.

use num_complex::Complex;
use num_traits::{Float, One, Zero};

use super::{recip, square};
use crate::number::BaseFloat;
use crate::rules::special;

/// The parts as doubles, and a complex number of them.
fn doubles<F: BaseFloat + Float>(z: Complex<F>) -> [f64; 2] {
    [z.re.to_double(), z.im.to_double()]
}
fn complex<F: BaseFloat + Float>([re, im]: [f64; 2]) -> Complex<F> {
    Complex::new(F::from_double(re), F::from_double(im))
}

fn finite<F: BaseFloat + Float>(z: Complex<F>) -> bool {
    Float::is_finite(z.re) && Float::is_finite(z.im)
}

/// Whether the logarithm of `z` is a number.
fn ordinary<F: BaseFloat + Float>(z: Complex<F>) -> bool {
    finite(z) && !z.is_zero()
}

/// `bᶻ` of a constant `b`.
pub(in crate::rules) fn exp_base<F: BaseFloat + Float>(z: Complex<F>, b: f64) -> Complex<F> {
    if finite(z) && b > 0.0 && Float::is_finite(b) {
        complex(special::exp_base(b, doubles(z)))
    } else {
        z.expf(F::from_double(b))
    }
}

/// `2ᶻ`.
pub(in crate::rules) fn exp2<F: BaseFloat + Float>(z: Complex<F>) -> Complex<F> {
    exp_base(z, 2.0)
}

/// `zⁿ`: by few multiplications where they keep the digits.
pub(in crate::rules) fn powi<F: BaseFloat + Float>(z: Complex<F>, n: i32) -> Complex<F> {
    match n {
        0 => Complex::one(),
        1 => z,
        2 => square(z),
        3 => square(z) * z,
        4 => square(square(z)),
        -1 => recip(z),
        -2 => square(recip(z)),
        _ if ordinary(z) => complex(special::powi(doubles(z), n)),
        _ => Complex::powi(&z, n),
    }
}

/// `z^w` by the principal branch.
pub(in crate::rules) fn powc<F: BaseFloat + Float>(z: Complex<F>, w: Complex<F>) -> Complex<F> {
    if w.im == F::from_double(0.0) {
        powf(z, w.re.to_double())
    } else if ordinary(z) && finite(w) {
        complex(special::power(doubles(z), doubles(w)))
    } else {
        z.powc(w)
    }
}

/// `z^c` of a real `c`, with its limits at 0 and ∞.
pub(in crate::rules) fn powf<F: BaseFloat + Float>(z: Complex<F>, c: f64) -> Complex<F> {
    if c == 0.0 {
        Complex::one()
    } else if ordinary(z) && Float::is_finite(c) {
        complex(special::power(doubles(z), [c, 0.0]))
    } else {
        z.powf(F::from_double(c))
    }
}

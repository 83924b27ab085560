//! The entries of a matrix, and their quotients.

use num_traits::Float;

/// A number that may be an entry of a matrix.
pub use crate::number::AsNumber as Entry;
use crate::number::BaseFloat;

/// `x/y`. The operator of num-complex forms `|y|²`, which overflows: of a complex `y` far from 1 the multiple by a power
/// of two is taken.
#[inline(always)]
pub(crate) fn quotient<S: Entry>(x: S, y: S) -> S {
    if S::IS_REAL || is_near_one(y.size()) { x / y } else { scaled_quotient(x, y) }
}

/// Whether squares of the number have all their digits, and products with another such one.
#[inline(always)]
fn is_near_one<F: BaseFloat + Float>(size: F) -> bool {
    let least = Float::sqrt(F::min_positive_value() / F::epsilon());
    size > least && size * least < F::from_double(1.0)
}

#[cold]
#[inline(never)]
fn scaled_quotient<S: Entry>(x: S, y: S) -> S {
    let (size, float) = (y.size().to_double(), |e: i32| S::constant(libm::scalbn(1.0, e)));
    if size == 0.0 || !size.is_finite() {
        return x / y;
    }
    let most = if size_of::<S::Base>() == size_of::<f64>() { 1000 } else { 120 };
    let scale = float((-libm::ilogb(size)).clamp(-most, most));
    x / (y * scale) * scale
}

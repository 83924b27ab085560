//! Quotients of entries that stay in the range of numbers.

use num_traits::Float;

use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{exponent, limit, scaled};
use crate::number::{BaseFloat, Number};

/// `x/y`. The operator of num-complex forms `|y|²` and `xȳ`, which overflow. If a complex `y` or `x` is far from 1, `y` is
/// scaled by a power of two, and `x` near the end of the range.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn quotient<S: Entry>(x: S, y: S) -> S {
    let has_products =
        || is_near_one(y.size()) && (is_near_one(x.size()) || x.size() == S::Base::from_double(0.0));
    if S::IS_REAL || has_products() { x / y } else { scaled_quotient(x, y) }
}

/// `x/r` for a real `r` with a reciprocal in the range, by which complex numbers are multiplied.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn over_real<S: Entry>(x: S, r: S::Re) -> S {
    if S::IS_REAL { x / S::of_real(r) } else { x * S::of_real(<S::Re as Number>::lit(1.0) / r) }
}

/// Whether squares of the number, and products of two such numbers, have all their digits.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_near_one<F: BaseFloat + Float>(size: F) -> bool {
    let least = Float::sqrt(F::min_positive_value() / F::epsilon());
    size > least && size * least < F::from_double(1.0)
}

#[cold]
#[inline(never)]
fn scaled_quotient<S: Entry>(x: S, y: S) -> S {
    let exponent = |x: S| exponent(x.size().to_double()).unwrap_or(0);
    let of_y = exponent(y);
    // Not by its own size: its tangents have others.
    let of_x = if exponent(x) + 8 > limit::<S::Base>() { 8 } else { 0 };
    scaled(scaled(x, -of_x) / scaled(y, -of_y), of_x - of_y)
}

//! Arithmetic of derivative formulas in the complex plane: quotients that stay in range, turns by a right angle.

use num_traits::Float;

use crate::number::{BaseFloat, Number, Real};

/// `a/b`. Complex numbers use the reciprocal, since the operator of num-complex forms `|b|²`, which overflows. The
/// derivative of the reciprocal would overflow too, so `b` is scaled where it is large or small.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn over<T: Number>(a: T, b: T) -> T {
    if T::REAL {
        return a / b;
    }
    let (size, tiny) = (b.magnitude(), Float::sqrt(T::Base::min_positive_value()));
    let huge = T::Base::from_double(1.0) / tiny;
    if size > huge {
        a * (b * tiny).recip() * tiny
    } else if size < tiny {
        a * (b * huge).recip() * huge
    } else {
        a * b.recip()
    }
}

/// `ix` of a complex number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn turned<T: Number>(x: T) -> T {
    T::from_parts(-x.im(), x.re())
}

/// `iy` where the complex number `x` is above the real axis or on its upper side, below `−iy`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn turned_by_side<T: Number>(x: T, y: T) -> T {
    if Float::is_sign_negative(x.im().primal()) { -turned(y) } else { turned(y) }
}

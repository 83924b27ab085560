//! The conventions at zeros, kinks and infinities, enforced here and nowhere else.
//!
//! - **The linear law.** A tangent that is exactly zero stays exactly zero through every elementary function,
//!   also where the partial is infinite or NaN: `ln(0 + 0ε) = −∞ + 0ε`. A constant never poisons a gradient.
//! - **Outside the domain.** Where the value is NaN, a nonzero tangent becomes NaN, never a finite number.
//! - Everything else is IEEE: a nonzero tangent through a singular point gives ∞ or NaN.
//!
//! The operators `+ − ×` are plain IEEE; division counts as an elementary function.

use crate::number::{BaseFloat, Number, Real};
use crate::rules::Binary;

/// Whether the plain product of partial and tangent obeys the laws: partial finite, value not NaN.
#[inline(always)]
#[allow(clippy::eq_op)] // x = x is false for NaN only
pub(crate) fn regular<T: Number>(f: T, d: T) -> bool {
    d.all_finite() & (f == f)
}

/// `d·t`, the tangent of a result `f` with the partial `d`.
#[inline(always)]
pub(crate) fn along<T: Number>(f: T, d: T, t: T) -> T {
    if regular(f, d) { d * t } else { strong(f, d, t) }
}

/// `dx·s + dy·t`, the tangent of a result `f` of two operands.
#[inline(always)]
pub(crate) fn along2<T: Number>(f: T, [dx, dy]: [T; 2], s: T, t: T) -> T {
    if regular(f, dx) & dy.all_finite() { dx * s + dy * t } else { strong(f, dx, s) + strong(f, dy, t) }
}

/// The product under the linear law.
#[cold]
#[inline(never)]
#[allow(clippy::eq_op)]
pub(crate) fn strong<T: Number>(f: T, d: T, t: T) -> T {
    if t.is_exactly_zero() {
        t
    } else if f == f {
        d.strong_mul(t)
    } else {
        T::poison().strong_mul(t)
    }
}

/// The winner of `max` or `min` as a whole; ties (±0 too) and two NaN by the rule; one NaN loses.
#[inline(always)]
#[allow(clippy::eq_op)]
pub(crate) fn extremum<T: Real, B: Binary>(x: T, y: T, rule: B, wins: impl Fn(T::Base, T::Base) -> bool) -> T {
    let (a, b) = (x.primal(), y.primal());
    if wins(a, b) || (a == a && b != b) {
        x
    } else if wins(b, a) || (b == b && a != a) {
        y
    } else {
        x.lift2(y, rule)
    }
}

/// `clamp` with strict masks: a bound is active only beyond it, nothing is active at equality.
#[inline(always)]
#[allow(clippy::eq_op)]
pub(crate) fn clamp<T: Real>(x: T, lo: T, hi: T) -> T {
    let (a, l, h) = (x.primal(), lo.primal(), hi.primal());
    let value = a.clamped(l, h);
    if l < a && a < h {
        x
    } else if a != a {
        x.abs() // NaN in, NaN out, by the law for values outside the domain
    } else if a < l && l < h {
        lo
    } else if h < a {
        hi
    } else {
        T::base(value)
    }
}

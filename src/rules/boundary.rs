//! The conventions at zeros, kinks and infinities, enforced here and nowhere else.
//!
//! - **Strong zeros.** A tangent that is exactly zero stays exactly zero through every elementary function, even
//!   where the partial is infinite or NaN: `ln(0 + 0ε) = −∞ + 0ε`. So a constant argument brings in no NaN.
//! - **Outside the domain.** Where the value is NaN, a nonzero tangent becomes NaN.
//! - Everything else is IEEE: a nonzero tangent through a singular point gives ∞ or NaN.
//!
//! The operators `+ − ×` are plain IEEE, so an infinite constant times a zero tangent is NaN; division counts as an
//! elementary function.

use crate::number::{
    BaseFloat, Number, Real,
    wide::{is_moderate_float, is_moderate_size},
};
use crate::rules::Binary;
use num_traits::Float;

#[cfg_attr(not(debug_assertions), inline(always))]
fn is_nan<F: BaseFloat + Float>(x: F) -> bool {
    Float::is_nan(x)
}

/// Whether the value `f` is NaN: the result of an argument outside the domain.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn outside<T: Number>(f: T) -> bool {
    // Infinite parts of a complex value may have opposite signs.
    let is_part = |part: T::Re| is_nan(part.value_sum());
    is_nan(f.value_sum()) && (T::REAL || is_part(f.re()) || is_part(f.im()))
}

/// Whether `d` (a partial, a tangent, a divisor) is finite and the value `f` is a number.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn finite<T: Number, S: Number<Base = T::Base>>(f: T, d: S) -> bool {
    !is_nan((d * T::Base::from_double(0.0)).component_sum() + f.value_sum())
}

/// Whether a derivative has all its digits, judged by its size, and so have its own derivatives if the number has them,
/// which may leave the range before it does. Near the ends of the float's range it may not be representable although its
/// product with tangents is.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_exact<T: Number>(d: T) -> bool {
    let size = d.magnitude();
    match T::ORDER {
        0 => has_digits(d),
        1 => is_moderate_size(size),
        _ => is_moderate_size(size * size),
    }
}

/// Whether a derivative itself has all its digits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn has_digits<T: Number>(d: T) -> bool {
    d.magnitude() > T::Base::min_positive_value() / T::Base::epsilon()
}

/// Whether these values (arguments, a result, a derivative) are far from the ends of the range. A tiny second
/// derivative is then accurate.
#[cold]
#[inline(never)]
pub(crate) fn are_moderate<T: Number>(values: [T; 3]) -> bool {
    values.into_iter().all(|t| is_moderate_float(t.magnitude()))
}

/// `x·t` with strong zeros, for numbers of one order. `by_value` is the product with the value of `x`. The tangents
/// of `x` are tangents themselves, so their products vanish with either factor.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn strong_product<T: Number>(x: T, t: T, by_value: impl Fn(T::Part, T::Part) -> T::Part) -> T {
    let (v, w) = (x.value_part(), t.value_part());
    let tangent = |dx: T::Part, dt| by_value(v, dt) + dx.strong_both(w);
    x.zip_parts(t, &by_value, tangent)
}

/// `x` with zero tangents where the tangents of `by` are exactly zero, part by part. The value and the remaining
/// tangents are masked by all parts of `by`.
#[track_caller]
pub(crate) fn masked<T: Number>(x: T, by: T) -> T {
    let inner = by.fold_parts(|value| value, T::Part::union_activity);
    let tangent = |t: T::Part, by: T::Part| {
        if by.is_exactly_zero() { T::Part::lit(0.0) } else { t.mask_inactive(inner) }
    };
    x.zip_parts(by, |value, _| value.mask_inactive(inner), tangent)
}

/// The partial `d = φ′(x)` of a result `f`: NaN in every component where `f` is NaN, but a constant in all
/// directions in which the argument is one (products of infinities and zeros in a formula leave NaN there).
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::eq_op)] // x = x is false for NaN only
#[track_caller]
pub(crate) fn partial<T: Number>(nan_safe: bool, argument: impl Fn() -> T, f: T, d: T) -> T {
    let d = if nan_safe || f == f { d } else { f.nan_like() };
    // A traced number has no parts to mask.
    if T::PLAIN || T::Re::TRACED || d.all_finite() { d } else { silenced(d, argument()) }
}

#[cold]
#[inline(never)]
#[track_caller]
fn silenced<T: Number>(d: T, by: T) -> T {
    d.mask_inactive(by)
}

/// `d·t`, the tangent of a result `f = φ(x)` with the partial `d`. Strong zeros cost a mask, not a branch.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn along<T: Number>(nan_safe: bool, x: T, f: T, d: T, t: T) -> T {
    partial(nan_safe, || x, f, d).strong_mul(t)
}

/// A partial `d` of a result `f = φ(x, y)`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn partial2<T: Number>([x, y]: [T; 2], f: T, d: T) -> T {
    partial(false, || x.union_activity(y), f, d)
}

/// `dx·s + dy·t`, the tangent of a result `f = φ(x, y)`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn along2<T: Number>(point: [T; 2], f: T, [dx, dy]: [T; 2], s: T, t: T) -> T {
    partial2(point, f, dx).strong_mul(s) + partial2(point, f, dy).strong_mul(t)
}

/// Whether products with this factor have strong zeros without masks, and cost less so: complex ones, where it is finite.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn has_plain_products<T: Number>(d: T) -> bool {
    !T::REAL && T::PLAIN && d.all_finite()
}

/// Whether tangents are multiplied by the reciprocal of a divisor. The tangents of a reciprocal have a square, which may
/// leave the range where the quotients do not: numbers with tangents are divided.
pub(crate) const fn multiplies_by_reciprocal<T: Number>() -> bool {
    T::PLAIN || T::Re::TRACED
}

/// `t/y`, from `r = 1/y` if that has all digits.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn over<T: Number>(t: T, y: T, r: T) -> T {
    if multiplies_by_reciprocal::<T>() { t * r } else { t / y }
}

/// `t/y`, the tangent of a quotient `q`, from `r = 1/y`; `t` is NaN where `q` is. `strong` computes `t` with strong
/// zeros; it is used where the plain quotient is not finite.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn quotient<T: Number>(q: T, y: T, r: T, t: T, strong: impl FnOnce() -> T) -> T {
    let e = over(t, y, r);
    if e.all_finite() { e } else { strong_quotient(q, strong(), y) }
}

/// `1/(cy)` and `c`, a power of two that keeps the reciprocal of a subnormal `y` from overflowing.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn reciprocal<T: Number>(y: T) -> (T, T::Base) {
    let one = T::Base::from_double(1.0);
    let least = T::Base::min_positive_value() * T::Base::from_double(4.0);
    let c = if !T::TRACES && y.magnitude() < least { one / T::Base::epsilon() } else { one };
    ((y * c).recip(), c)
}

/// The result of `careful`, which runs out of line: the slow path, where plain arithmetic violates a convention. It owns its
/// numbers, and its result comes back part by part: references and a result in memory would keep the numbers of the usual
/// path in memory too.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn rarely<R: Number>(careful: impl FnOnce() -> R + 'static) -> R {
    out_of_line(careful).map_parts(|part| part)
}

#[cold]
#[inline(never)]
fn out_of_line<R>(careful: impl FnOnce() -> R) -> R {
    careful()
}

/// The product with strong zeros.
#[cold]
#[inline(never)]
#[allow(clippy::eq_op)] // x = x is false for NaN only
#[track_caller]
pub(crate) fn strong<T: Number>(f: T, d: T, t: T) -> T {
    if t.is_exactly_zero() {
        t
    } else if f == f {
        d.strong_mul(t)
    } else {
        f.nan_like().mask_inactive(f).strong_mul(t)
    }
}

/// `t/y`, the tangent of a quotient `q`, where the product with the reciprocal would violate a convention.
#[cold]
#[inline(never)]
#[allow(clippy::eq_op)]
#[track_caller]
fn strong_quotient<T: Number>(q: T, t: T, y: T) -> T {
    if t.is_exactly_zero() {
        t
    } else if q == q {
        t / y
    } else {
        q.nan_like().mask_inactive(q).strong_mul(t)
    }
}

/// The result `y` of an argument `x`, with another crate's value of the same function. A NaN value makes active
/// tangents NaN.
#[inline]
pub(crate) fn with_primal<T: Number>(x: T, y: T, value: T::Primal) -> T {
    let y = y.with_innermost(value);
    if outside(y) { y.nan_like().mask_inactive(x) } else { y }
}

/// 0, on a tape with the place of `x`: so a partial that is zero at this point only, and a tie, keep their entries in the
/// pattern of a sparse matrix. A traced program has no places.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn zero_of<T: Number>(x: T) -> T {
    if T::RECORDS && !T::TRACES { x.strong_both(T::lit(0.0)) } else { T::lit(0.0) }
}

/// The winner of `max` or `min` as a whole; ties (±0 too) and two NaN by the rule; one NaN loses.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
#[allow(clippy::eq_op)] // x = x is false for NaN only
pub(crate) fn extremum<T: Real, B: Binary>(x: T, y: T, rule: B, is_max: bool) -> T {
    if T::TRACES {
        let by_rule = x.lift2(y, rule);
        let nan = T::select_eq(x, x, x, T::select_eq(y, y, y, by_rule));
        let tie = T::select_eq(x, y, by_rule, nan);
        let [less, more] = if is_max { [y, x] } else { [x, y] };
        return T::select_lt(less, more, x, T::select_lt(more, less, y, tie));
    }
    // Numbers are compared, not their values, which would leave a program.
    if (if is_max { x > y } else { x < y }) || (y != y && x == x) {
        x
    } else if (if is_max { y > x } else { y < x }) || (x != x && y == y) {
        y
    } else {
        x.lift2(y, rule)
    }
}

/// The positive difference, as branches: 0 where `x ≤ y`. A tie keeps its operands on a tape.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn abs_sub<T: Real>(x: T, y: T) -> T {
    if T::TRACES {
        let (zero, difference) = (T::lit(0.0), x - y);
        return T::select_lt(y, x, difference, T::select_le(x, y, zero, difference.abs()));
    }
    if x < y {
        T::lit(0.0)
    } else if x > y {
        x - y
    } else if x == y {
        zero_of(x) + zero_of(y)
    } else {
        (x - y).abs() // NaN in, NaN out, by the convention for values outside the domain
    }
}

/// Panics as `f64::clamp`, at the line of the user.
#[cold]
#[track_caller]
pub(crate) fn no_interval<F: BaseFloat>(min: F, max: F) -> ! {
    panic!("min > max, or either was NaN. min = {min:?}, max = {max:?}")
}

/// `clamp` with strict masks: a bound is active only beyond it, nothing is active at equality.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
#[allow(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord)] // NaN
pub(crate) fn clamp<T: Real>(x: T, lo: T, hi: T) -> T {
    if !(lo <= hi) {
        no_interval(lo.primal(), hi.primal());
    }
    if T::TRACES {
        let by = T::select_lt;
        // Nothing is active at equality; NaN in, NaN out, by the convention for values outside the domain.
        let held = by(x, lo, lo, by(hi, x, hi, x)).detach();
        let outside = by(x, lo, by(lo, hi, lo, held), by(hi, x, hi, held));
        let inside = by(lo, x, by(x, hi, x, outside), outside);
        return T::select_eq(x, x, inside, x.abs());
    }
    if lo < x && x < hi {
        x
    } else if x != x {
        x.abs() // NaN in, NaN out, by the convention for values outside the domain
    } else if x < lo && lo < hi {
        lo
    } else if hi < x {
        hi
    } else {
        // At equality, or below bounds that are one. A tie keeps its operands on a tape. `−0 − 0` is −0.
        // A loop: closures have no `track_caller`.
        let mut y = (if x < lo { lo } else { x }).detach();
        for t in [x, lo, hi] {
            if t == y {
                y -= zero_of(t);
            }
        }
        y
    }
}

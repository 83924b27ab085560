//! Series of order 2 or 3 by the derivatives at the point, as numbers with two derivatives have them.

use crate::number::array::from_fn;

use super::Taylor;
use super::kernels::{is_integer, product};
use super::rule::{SeriesRule, SeriesRule2};
use crate::duals::{products_are_exact, products_are_exact2, total};
use crate::number::{BaseFloat, Number};
use crate::rules::Recurrence;

/// To order 2 or 3, by the derivatives at the point. `None` where the recurrence takes less time, and where a product loses
/// digits or is not finite.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn few_orders<T: Number, const K: usize, R: SeriesRule<T, K>>(
    rule: &R,
    x: &Taylor<T, K>,
) -> Option<Taylor<T, K>> {
    if const { !T::PLAIN || K != 2 && K != 3 } {
        return None;
    }
    #[cfg(debug_assertions)]
    let rule = rule.object();
    match rule.recurrence(x.value) {
        Recurrence::Derivative | Recurrence::Linear => {}
        // A coefficient of a higher power may be in the range where one of the square is not.
        Recurrence::Power(2.0) => return finite(true, rule.value(x.value), product(x, x, K).rest),
        Recurrence::Power(c) if K == 2 && is_integer(c) => {}
        Recurrence::Exponential if K == 3 => {}
        _ => return None,
    }
    let (f, s, part) = (rule.value(x.value), x.rest[0], T::Base::from_double);
    let ([d, dd], ddd) = if K == 2 {
        (rule.two(x.value, f), None)
    } else {
        let [d, dd, ddd] = rule.three(x.value, f);
        ([d, dd], Some(ddd))
    };
    // A derivative of zero may have underflowed, except at zero.
    let scaled = dd * s;
    let vanishes = d.is_exactly_zero() && !x.value.is_exactly_zero();
    let exact = !vanishes && products_are_exact([x.value, f], [d, dd], scaled);
    let second = d * x.rest[1] + scaled * s * part(0.5);
    let Some(ddd) = ddd else { return finite(exact, f, [d * s, second]) };
    let cubic = ddd * s * s;
    let third = d * x.rest[2] + scaled * x.rest[1] + cubic * s * part(1.0 / 6.0);
    finite(exact && products_are_exact([x.value, f], [d, ddd], cubic), f, [d * s, second, third])
}

/// To order 2, for two variables.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn two_orders<T: Number, const K: usize, R: SeriesRule2<T, K> + ?Sized>(
    rule: &R,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
) -> Option<Taylor<T, K>> {
    let ([dx, dy], [dxx, dxy, dyy]) = rule.two([x.value, y.value], f);
    let ([s, ss], [t, tt]) = ([x.rest[0], x.rest[1]], [y.rest[0], y.rest[1]]);
    let exact = products_are_exact2([x.value, y.value, f], dx + dy + dxx + dxy + dyy + s + ss + t + tt);
    // Both may have underflowed.
    let vanish = dx.is_exactly_zero() && dy.is_exactly_zero();
    let curved = (dxx * s + dxy * t * T::Base::from_double(2.0)) * s + dyy * t * t;
    let second = dx * ss + dy * tt + curved * T::Base::from_double(0.5);
    finite(exact && !vanish, f, [dx * s + dy * t, second])
}

/// The series with these coefficients, if they are exact and finite.
#[cfg_attr(not(debug_assertions), inline(always))]
fn finite<T: Number, const N: usize, const K: usize>(exact: bool, f: T, c: [T; N]) -> Option<Taylor<T, K>> {
    (exact && total(&c).all_finite()).then(|| Taylor::new(f, from_fn(|k| c[k])))
}

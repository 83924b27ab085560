//! Products and quotients of truncated series. Coefficients of orders `1..=n` are in arrays from 0.
//!
//! Loops run over what follows from one coefficient, `acc[m + j] += wⱼ·s`, so that they vectorise.

use super::Taylor;
use crate::number::{BaseFloat, Number};
use crate::rules::boundary;

/// `1/k` as a constant of the machine.
#[inline(always)]
pub(super) fn part<T: Number>(k: usize) -> T::Base {
    T::Base::from_double(1.0 / k as f64)
}

/// The product of what depends on `s` and the coefficient `w` of an argument. Under the linear law (`STRONG`) it is zero
/// if `w` is, and also if `s` is and belongs to an order above 0.
#[inline(always)]
pub(super) fn times<T: Number, const STRONG: bool>(s: T, w: T, above: bool) -> T {
    match (STRONG, above) {
        (false, _) => s * w,
        (true, false) => s.strong_mul(w),
        (true, true) => s.strong_both(w),
    }
}

/// Whether all coefficients are zero but the first: those of an argument `x₀ + x₁t`, whose loops have one step.
#[inline(always)]
pub(super) fn is_straight<T: Number>(rest: &[T]) -> bool {
    rest.iter().skip(1).all(|t| t.is_exactly_zero())
}

/// A recurrence whose sums read so many coefficients of an argument, in two copies: those of a straight line have one term.
/// A macro, since closures may not be inlined, and each copy needs its number as a constant.
macro_rules! by_reach {
    ($x:expr, $n:expr, |$reach:ident| $recurrence:expr) => {
        if super::kernels::is_straight(&$x.rest[..$n]) {
            let $reach = $n.min(1);
            $recurrence
        } else {
            let $reach = $n;
            $recurrence
        }
    };
}
pub(super) use by_reach;

/// `accᵢ += s·wᵢ` to the end of the shorter slice.
#[inline(always)]
pub(super) fn scatter<T: Number, const STRONG: bool>(acc: &mut [T], w: &[T], s: T, above: bool) {
    for (acc, &w) in acc.iter_mut().zip(w) {
        *acc += times::<T, STRONG>(s, w, above);
    }
}

/// `(xy)ₖ = Σ xⱼyₖ₋ⱼ`: `K²/2` multiplications and additions, besides those with the values.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn product<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    let mut rest = [T::lit(0.0); K];
    for k in 0..n {
        rest[k] = x.rest[k] * y.value + x.value * y.rest[k];
    }
    for j in 1..n {
        scatter::<T, false>(&mut rest[j..n], &y.rest, x.rest[j - 1], true);
    }
    Taylor { value: x.value * y.value, rest }
}

/// The product under the linear law: `by_value` with the value of `x`; tangents of `x` vanish with either factor.
pub(super) fn strong_product<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    by_value: impl Fn(T, T) -> T,
    n: usize,
) -> Taylor<T, K> {
    let mut rest = [T::lit(0.0); K];
    for k in 0..n {
        rest[k] = x.rest[k].strong_both(y.value) + by_value(x.value, y.rest[k]);
    }
    for j in 1..n {
        scatter::<T, true>(&mut rest[j..n], &y.rest, x.rest[j - 1], true);
    }
    Taylor { value: by_value(x.value, y.value), rest }
}

/// `Σ_{j=1..k} j·xⱼ·dₖ₋ⱼ` for `k = 1..=n`: the series of `d·x′`, shifted.
#[inline]
pub(super) fn along<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    d: &Taylor<T, K>,
    n: usize,
) -> [T; K] {
    let mut sums = [T::lit(0.0); K];
    let reach = if is_straight(&x.rest[..n]) { n.min(1) } else { n };
    for j in 0..reach {
        let w = x.rest[j] * T::Base::from_double((j + 1) as f64);
        sums[j] += times::<T, STRONG>(d.value, w, false);
        for (sum, &d) in sums[j + 1..n].iter_mut().zip(&d.rest) {
            *sum += times::<T, STRONG>(d, w, true);
        }
    }
    sums
}

/// The series with the value `f` whose derivative has the coefficients `sums`, as [`along`] gives them.
#[inline]
pub(super) fn integral<T: Number, const K: usize>(f: T, mut sums: [T; K], n: usize) -> Taylor<T, K> {
    for k in 0..n {
        sums[k] *= part::<T>(k + 1);
    }
    Taylor { value: f, rest: sums }
}

/// Whether the coefficients are finite.
#[inline(always)]
pub(super) fn is_finite<T: Number, const K: usize>(f: &Taylor<T, K>, n: usize) -> bool {
    f.rest[..n].iter().fold(f.value, |sum, &c| sum + c).all_finite()
}

/// `qₖ = (xₖ − Σ_{j≥1} yⱼqₖ₋ⱼ)/y₀`, with products by `r = 1/y₀`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn quotient<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    q: T,
    [n, reach]: [usize; 2],
) -> Taylor<T, K> {
    let (r, mut rest, mut last) = (y.value.recip(), x.rest, -q);
    for k in 0..n {
        scatter::<T, false>(&mut rest[k..n], &y.rest[..reach], last, true);
        rest[k] *= r;
        last = -rest[k];
    }
    Taylor { value: q, rest }
}

/// The same under the linear law, with divisions.
pub(super) fn strong_quotient<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    q: T,
    n: usize,
) -> Taylor<T, K> {
    let (mut rest, mut last) = (x.rest, -q);
    for k in 0..n {
        scatter::<T, true>(&mut rest[k..n], &y.rest, last, k > 0);
        rest[k] = divided(rest[k], y.value);
        last = -rest[k];
    }
    Taylor { value: q, rest }
}

/// `t/y` under the linear law.
pub(super) fn divided<T: Number>(t: T, y: T) -> T {
    let (r, c) = boundary::reciprocal(y);
    r.strong_mul(t) * c
}

/// The result `f` of an argument outside the domain: NaN in all orders that depend on the argument.
#[cold]
pub(super) fn outside<T: Number, const K: usize>(f: T, x: &Taylor<T, K>, n: usize) -> Taylor<T, K> {
    let activity = x.rest.iter().fold(x.value, |all, &t| all.union_activity(t));
    let (nan, reached) = (f.nan_like().mask_inactive(activity), x.reached());
    let mut rest = [T::lit(0.0); K];
    for k in 0..n {
        if reached[k] {
            rest[k] = nan;
        }
    }
    Taylor { value: f, rest }
}

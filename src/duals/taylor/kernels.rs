//! Products and quotients of truncated series, and the sums of all recurrences. Coefficients of orders `1..=n` are in arrays
//! from 0.

use crate::number::array::from_fn;

use super::Taylor;
use crate::number::{BaseFloat, Number};
use crate::rules::boundary;

/// `1/k` as a constant of the base float.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn part<T: Number>(k: usize) -> T::Base {
    T::Base::from_double(1.0 / k as f64)
}

/// The product of `s` and the coefficient `w` of an argument. With strong zeros (`STRONG`) it is zero if `w` is, and
/// also if `s` is zero and belongs to an order above 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn times<T: Number, const STRONG: bool>(s: T, w: T, above: bool) -> T {
    match (STRONG, above) {
        (false, _) => s * w,
        (true, false) => s.strong_mul(w),
        (true, true) => s.strong_both(w),
    }
}

/// Whether all coefficients except the first are zero: the argument is a line `x₀ + x₁t`, and its loops have one
/// step.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_straight<T: Number>(rest: &[T]) -> bool {
    rest.iter().skip(1).all(|t| t.is_exactly_zero())
}

/// Whether all coefficients are zero.
pub(super) fn is_zero<T: Number>(rest: &[T]) -> bool {
    rest.iter().all(|t| t.is_exactly_zero())
}

/// A recurrence whose sums read `reach` coefficients of an argument, compiled twice: on a line they have one term. It
/// is a macro because closures may not be inlined, and each copy needs its number as a constant.
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

/// Coefficients of one step of a loop: `TILE` sums stay in registers, and each takes `TILE` coefficients. The number
/// is small, because mispredicted branches would cost more than the products.
const TILE: usize = 4;

/// `N` sequences of sums `aₖ + Σ_{m<k} sₘwₖ₋ₘ` for `k = 1..=n`. `next` computes `sₖ` from the sums of order `k`;
/// `term` gets `sₘ`, `wⱼ` and `m`. If `w` has fewer than `n` coefficients, the argument is a line, and the sums read
/// one coefficient. Sums with strong zeros are rare, and are compiled for one order at a time.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn recur<const STRONG: bool, T: Number, W: Copy, const N: usize, const K: usize>(
    sums: &[[T; K]; N],
    w: &[W],
    n: usize,
    mut last: [T; N],
    term: impl Fn(T, W, usize) -> T + Copy,
    mut next: impl FnMut(usize, [T; N]) -> [T; N],
) {
    if w.len() < n {
        for k in 0..n {
            for l in 0..N {
                last[l] = sums[l][k] + term(last[l], w[0], k);
            }
            last = next(k, last);
        }
        return;
    }
    let (mut s, mut k) = ([[T::lit(0.0); K]; N], 0);
    if !STRONG {
        while k + TILE <= n {
            last = block::<T, W, TILE, N, K>(sums, &mut s, w, k, last, term, &mut next);
            k += TILE;
        }
        if k + 2 <= n {
            last = block::<T, W, 2, N, K>(sums, &mut s, w, k, last, term, &mut next);
            k += 2;
        }
    }
    while k < n {
        last = block::<T, W, 1, N, K>(sums, &mut s, w, k, last, term, &mut next);
        k += 1;
    }
}

/// The sums of orders `from + 1..=from + B`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn block<T: Number, W: Copy, const B: usize, const N: usize, const K: usize>(
    sums: &[[T; K]; N],
    s: &mut [[T; K]; N],
    w: &[W],
    from: usize,
    mut last: [T; N],
    term: impl Fn(T, W, usize) -> T + Copy,
    next: &mut impl FnMut(usize, [T; N]) -> [T; N],
) -> [T; N] {
    // Loops, because each copy of a function of arrays would be compiled by itself.
    let mut a = [[T::lit(0.0); B]; N];
    for l in 0..N {
        a[l].copy_from_slice(&sums[l][from..from + B]);
    }
    let mut m = 0;
    while m + TILE <= from {
        let near = &w[from + 1 - m - TILE..from - m + B];
        for l in 0..N {
            for d in 0..TILE {
                for i in 0..B {
                    a[l][i] += term(s[l][m + d], near[TILE - 1 - d + i], m + d);
                }
            }
        }
        m += TILE;
    }
    for m in m..from {
        for l in 0..N {
            for i in 0..B {
                a[l][i] += term(s[l][m], w[from - m + i], m);
            }
        }
    }
    for i in 0..B {
        for l in 0..N {
            s[l][from + i] = last[l];
            for j in i..B {
                a[l][j] += term(last[l], w[j - i], from + i);
            }
        }
        for l in 0..N {
            last[l] = a[l][i];
        }
        last = next(from + i, last);
    }
    last
}

/// The products of one sequence and the coefficients of an argument.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn products<T: Number, const STRONG: bool>(s: T, w: T, m: usize) -> T {
    times::<T, STRONG>(s, w, m > 0)
}

/// `Σ_{m<k} sₘwₖ₋ₘ` for `k = 1..=n`, if all `sₘ` are known.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn convolved<T: Number, const K: usize, const STRONG: bool>(
    s: &Taylor<T, K>,
    w: &[T],
    n: usize,
) -> [T; K] {
    let (zero, mut out) = ([[T::lit(0.0); K]], [T::lit(0.0); K]);
    recur::<STRONG, _, _, _, _>(&zero, w, n, [s.value], products::<T, STRONG>, |k, [sum]| {
        out[k] = sum;
        [s.rest[k]]
    });
    out
}

/// `(xy)ₖ = Σ xⱼyₖ₋ⱼ`: `K²/2` multiplications and additions, in addition to the products with the values.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn product<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    let (by_value, mut rest) = ([x.rest.map(|x| x * y.value)], [T::lit(0.0); K]);
    recur::<false, _, _, _, _>(&by_value, &y.rest, n, [x.value], products::<T, false>, |k, [sum]| {
        rest[k] = sum;
        [x.rest[k]]
    });
    Taylor { value: x.value * y.value, rest }
}

/// The product with strong zeros: `by_value` with the value of `x`; tangents of `x` vanish with either factor.
pub(super) fn strong_product<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    by_value: impl Fn(T, T) -> T + Copy,
    n: usize,
) -> Taylor<T, K> {
    let (start, mut rest) = ([x.rest.map(|x| x.strong_both(y.value))], [T::lit(0.0); K]);
    let term = |x: T, y: T, m: usize| if m == 0 { by_value(x, y) } else { x.strong_both(y) };
    recur::<true, _, _, _, _>(&start, &y.rest, n, [x.value], term, |k, [sum]| {
        rest[k] = sum;
        [x.rest[k]]
    });
    Taylor { value: by_value(x.value, y.value), rest }
}

/// `Σ_{j=1..k} j·xⱼ·dₖ₋ⱼ` for `k = 1..=n`: the series of `d·x′`, shifted.
#[inline]
pub(super) fn along<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    d: &Taylor<T, K>,
    n: usize,
) -> [T; K] {
    let reach = if is_straight(&x.rest[..n]) { n.min(1) } else { n };
    let w = from_fn::<_, K, _>(|j| x.rest[j] * T::Base::from_double((j + 1) as f64));
    convolved::<T, K, STRONG>(d, &w[..reach], n)
}

/// `j·c·xⱼ`.
#[inline]
pub(super) fn weights<T: Number, const K: usize>(x: &Taylor<T, K>, c: T, n: usize) -> [T; K] {
    let mut w = x.rest;
    for j in 0..n {
        w[j] *= c * T::Base::from_double((j + 1) as f64);
    }
    w
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
#[cfg_attr(not(debug_assertions), inline(always))]
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
    let r = y.value.recip();
    divide::<T, K, false>(x, y, q, [n, reach], |sum| boundary::over(sum, y.value, r))
}

/// The quotient with strong zeros, with divisions.
pub(super) fn strong_quotient<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    q: T,
    n: usize,
) -> Taylor<T, K> {
    divide::<T, K, true>(x, y, q, [n, n], |sum| divided(sum, y.value))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn divide<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    q: T,
    [n, reach]: [usize; 2],
    by_value: impl Fn(T) -> T,
) -> Taylor<T, K> {
    let mut rest = [T::lit(0.0); K];
    recur::<STRONG, _, _, _, _>(&[x.rest], &y.rest[..reach], n, [-q], products::<T, STRONG>, |k, [sum]| {
        rest[k] = by_value(sum);
        [-rest[k]]
    });
    Taylor { value: q, rest }
}

/// `t/y` with strong zeros.
pub(super) fn divided<T: Number>(t: T, y: T) -> T {
    if !boundary::multiplies_by_reciprocal::<T>() {
        return if t.is_exactly_zero() { t } else { t / y };
    }
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

pub(super) fn is_integer(c: f64) -> bool {
    c % 1.0 == 0.0
}

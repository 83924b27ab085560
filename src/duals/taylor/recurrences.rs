//! The recurrences that rows of the table state, for arguments where nothing overflows; and with strong zeros.

use crate::number::array::from_fn;

use super::Taylor;
use super::kernels::{part, products, recur, times, weights};
use crate::number::{BaseFloat, Number};
use crate::rules::boundary;

/// `f′ = c·f`: `k·fₖ = Σ wⱼfₖ₋ⱼ` with `w = (c·x)′`, given by `weights` as `along` gives them.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn exponential<T: Number, const K: usize, const STRONG: bool>(
    f: T,
    weights: &[T],
    n: usize,
) -> Taylor<T, K> {
    let mut rest = [T::lit(0.0); K];
    recur::<STRONG, _, _, _, _>(&[[T::lit(0.0); K]], weights, n, [f], products::<T, STRONG>, |k, [sum]| {
        rest[k] = sum * part::<T>(k + 1);
        [rest[k]]
    });
    Taylor { value: f, rest }
}

/// `(x + a)·f′ = c·x′` from the derivative `c/(x₀ + a)`: the series `k·fₖ` is a quotient.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn logarithm<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    [f, slope]: [T; 2],
    a: f64,
    [n, reach]: [usize; 2],
) -> Taylor<T, K> {
    let r = (x.value + T::Base::from_double(a)).recip();
    let mut rest = weights(x, slope, n);
    if n > 1 {
        // Quotients of coefficients, as `r²` may leave the range.
        let (start, first, by) = (shifted(&rest, 1), -rest[0], x.rest.map(|x| x * r));
        recur::<false, _, _, _, _>(
            &[start],
            &by[..reach.min(n - 1)],
            n - 1,
            [first],
            products::<T, false>,
            |k, [sum]| {
                rest[k + 1] = sum * part::<T>(k + 2);
                [-sum]
            },
        );
    }
    Taylor { value: f, rest }
}

/// The coefficients from one on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shifted<T: Number, const K: usize>(c: &[T; K], by: usize) -> [T; K] {
    from_fn(|k| if k + by < K { c[k + by] } else { T::lit(0.0) })
}

/// `f² = x`: `fₖ = (xₖ − Σ_{0<j<k} fⱼfₖ₋ⱼ)/(2f₀)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn root<T: Number, const K: usize>(x: &Taylor<T, K>, f: T, n: usize) -> Taylor<T, K> {
    let (r, mut rest) = ((f * T::Base::from_double(2.0)).recip(), x.rest);
    for k in 0..n {
        rest[k] *= r;
        // Order k + 1 with the orders before it, twice, and with itself.
        let (known, open) = rest[..n].split_at_mut(k + 1);
        let last = -known[k];
        let before = k.min(open.len());
        for (sum, &f) in open[..before].iter_mut().zip(&*known) {
            *sum += (last + last) * f;
        }
        if let Some(square) = open.get_mut(k) {
            *square += known[k] * last;
        }
    }
    Taylor { value: f, rest }
}

/// `x·f′ = c·f`: `k·x₀·fₖ = Σ (c·j − (k − j))·xⱼfₖ₋ⱼ`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn power<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    f: T,
    c: f64,
    [n, reach]: [usize; 2],
) -> Taylor<T, K> {
    let (r, mut rest) = (x.value.recip(), [T::lit(0.0); K]);
    let term = |f: T, (x, cj): (T, f64), m: usize| x * f * T::Base::from_double(cj - m as f64);
    let w: [(T, f64); K] = from_fn(|j| (x.rest[j], c * (j + 1) as f64));
    recur::<false, _, _, _, _>(&[[T::lit(0.0); K]], &w[..reach], n, [f], term, |k, [sum]| {
        rest[k] = sum * (r * part::<T>(k + 1));
        [rest[k]]
    });
    Taylor { value: f, rest }
}

/// `f″ = a·f + b·f·f′` from `f` and `d = f′` at the point: the series of both.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn second<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    [f, d]: [T; 2],
    [a, b]: [f64; 2],
    [n, reach]: [usize; 2],
) -> [Taylor<T, K>; 2] {
    let zero = [T::lit(0.0); K];
    let (mut f, mut d) = (Taylor { value: f, rest: zero }, Taylor { value: d, rest: zero });
    // `f″` of an order.
    let bend = |f: &Taylor<T, K>, d: &Taylor<T, K>, k: usize| {
        let q = f.coefficient(k) * T::Base::from_double(a);
        if b == 0.0 || k == n {
            return q;
        }
        q + coefficient::<T, K, STRONG>(f, d, k) * T::Base::from_double(b)
    };
    let (w, first) = (weights(x, T::lit(1.0), n), [d.value, bend(&f, &d, 0)]);
    recur::<STRONG, _, _, _, _>(&[zero; 2], &w[..reach], n, first, products::<T, STRONG>, |k, sums| {
        [f.rest[k], d.rest[k]] = sums.map(|sum| sum * part::<T>(k + 1));
        [d.rest[k], bend(&f, &d, k + 1)]
    });
    [f, d]
}

/// `Σ xⱼyₖ₋ⱼ`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn coefficient<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    k: usize,
) -> T {
    if k == 0 {
        return x.value * y.value;
    }
    let ends =
        times::<T, STRONG>(x.value, y.rest[k - 1], false) + times::<T, STRONG>(y.value, x.rest[k - 1], false);
    let inner = x.rest[..k - 1].iter().zip(y.rest[..k - 1].iter().rev());
    inner.fold(ends, |sum, (&x, &y)| sum + times::<T, STRONG>(x, y, true))
}

/// A step of Newton's method for `f′ = d`: from `f` of order `known` to order `next`. If the result is `f + e`, then
/// `e′ = d + s·e` in the higher orders. `sums` are the coefficients of `d`, and `slopes` the coefficients of `s`, the
/// derivative of `d` in `f`.
pub(super) fn corrected<T: Number, const K: usize>(
    f: &Taylor<T, K>,
    mut sums: [T; K],
    slopes: &[T; K],
    [known, next]: [usize; 2],
) -> Taylor<T, K> {
    sums[..known].copy_from_slice(&f.rest[..known]);
    sums[known] *= part::<T>(known + 1);
    let (start, first, n) = (shifted(&sums, known + 1), sums[known], next - known - 1);
    recur::<false, _, _, _, _>(&[start], &slopes[..n], n, [first], products::<T, false>, |k, [sum]| {
        sums[known + 1 + k] = sum * part::<T>(known + k + 2);
        [sums[known + 1 + k]]
    });
    sums[next..].fill(T::lit(0.0));
    Taylor { value: f.value, rest: sums }
}

/// Whether the recurrence of a power keeps its digits: the power may be divided by its base, and products of coefficients
/// that are as small as the two do not underflow.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn keeps_power<T: Number>(x: T, f: T) -> bool {
    divides(x, f) && boundary::has_digits(x * f)
}

/// Whether a power may be divided by its base: both are far from the ends of the range.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn divides<T: Number>(x: T, f: T) -> bool {
    let finite = (x.magnitude() + f.magnitude()) * T::Base::from_double(0.0) == T::Base::from_double(0.0);
    finite && boundary::is_exact(x) && boundary::is_exact(f)
}

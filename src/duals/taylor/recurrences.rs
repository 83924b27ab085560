//! The recurrences that rows of the table state, for arguments where nothing overflows; and under the linear law.

use super::Taylor;
use super::kernels::{along, part, scatter, times};
use crate::number::{BaseFloat, Number};
use crate::rules::boundary;

/// `f′ = c·f`: `k·fₖ = Σ wⱼfₖ₋ⱼ` with `w = (c·x)′`, given by `weights` as `along` gives them.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn exponential<T: Number, const K: usize, const STRONG: bool>(
    f: T,
    weights: &[T],
    n: usize,
) -> Taylor<T, K> {
    let (mut rest, mut last) = ([T::lit(0.0); K], f);
    for k in 0..n {
        scatter::<T, STRONG>(&mut rest[k..n], weights, last, k > 0);
        rest[k] *= part::<T>(k + 1);
        last = rest[k];
    }
    Taylor { value: f, rest }
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

/// `(x + a)·f′ = c·x′` from the slope `c/(x₀ + a)`: the series `k·fₖ` is a quotient.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn logarithm<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    [f, slope]: [T; 2],
    a: f64,
    [n, reach]: [usize; 2],
) -> Taylor<T, K> {
    let r = (x.value + T::Base::from_double(a)).recip();
    let mut rest = weights(x, slope, n);
    for k in 0..n {
        let (known, open) = rest[..n].split_at_mut(k + 1);
        scatter::<T, false>(open, &x.rest[..reach], -(known[k] * r), true);
        known[k] *= part::<T>(k + 1);
    }
    Taylor { value: f, rest }
}

/// `f² = x`: `fₖ = (xₖ − Σ_{0<j<k} fⱼfₖ₋ⱼ)/(2f₀)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn root<T: Number, const K: usize>(x: &Taylor<T, K>, f: T, n: usize) -> Taylor<T, K> {
    let (r, mut rest) = ((f * T::Base::from_double(2.0)).recip(), x.rest);
    for k in 0..n {
        rest[k] *= r;
        // Order k + 1 with those before it, twice, and with itself.
        let (known, open) = rest[..n].split_at_mut(k + 1);
        let last = -known[k];
        let before = k.min(open.len());
        scatter::<T, false>(&mut open[..before], known, last + last, true);
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
    let (r, mut rest, mut last) = (x.value.recip(), [T::lit(0.0); K], f);
    for k in 0..n {
        for (j, (sum, &x)) in (1..).zip(rest[k..n].iter_mut().zip(&x.rest[..reach])) {
            *sum += x * last * T::Base::from_double(c * j as f64 - k as f64);
        }
        rest[k] *= r * part::<T>(k + 1);
        last = rest[k];
    }
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
    let mut f = Taylor { value: f, rest: zero };
    let mut d = Taylor { value: d, rest: zero };
    let w = weights(x, T::lit(1.0), n);
    for k in 0..n {
        let mut q = f.entry(k) * T::Base::from_double(a);
        if b != 0.0 {
            q += coefficient::<T, K, STRONG>(&f, &d, k) * T::Base::from_double(b);
        }
        let slope = d.entry(k);
        scatter::<T, STRONG>(&mut f.rest[k..n], &w[..reach], slope, k > 0);
        scatter::<T, STRONG>(&mut d.rest[k..n], &w[..reach], q, k > 0);
        f.rest[k] *= part::<T>(k + 1);
        d.rest[k] *= part::<T>(k + 1);
    }
    [f, d]
}

/// `Σ xⱼyₖ₋ⱼ`.
#[inline(always)]
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

impl<T: Number, const K: usize> Taylor<T, K> {
    /// The coefficient of an order up to `K`.
    #[inline(always)]
    fn entry(&self, k: usize) -> T {
        if k == 0 { self.value } else { self.rest[k - 1] }
    }
}

/// `s·xᵖ·(1 − x)^q·e^(rx)` with the value `f`: a product of three series.
pub(super) fn density<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    f: T,
    [p, q, r]: [f64; 3],
    n: usize,
) -> Taylor<T, K> {
    let mut all = Taylor { value: f, rest: [T::lit(0.0); K] };
    let (one, minus) = (T::lit(1.0), T::Base::from_double(-1.0));
    let mut times = |factor: Taylor<T, K>| all = super::kernels::product(&all, &factor, n);
    if p != 0.0 {
        times(power(x, one, p, [n, n]));
    }
    if q != 0.0 {
        let y = Taylor { value: -x.value + T::Base::from_double(1.0), rest: x.rest.map(|t| t * minus) };
        times(power(&y, one, q, [n, n]));
    }
    if r != 0.0 {
        times(exponential::<T, K, false>(one, &weights(x, T::lit(r), n), n));
    }
    all
}

/// `f′ = g·f`, where `g` is known to order `n − 1`.
#[inline]
pub(super) fn linear<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    f: T,
    g: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    exponential::<T, K, false>(f, &along::<T, K, false>(x, g, n), n)
}

/// A step of Newton's method for `f′ = d`: from `f`, known to one order, to another one. With `f + e` for the result,
/// `e′ = d + s·e` in the higher orders, from the `sums` and `slopes` of `d` and of `s`, its derivative in `f`.
pub(super) fn corrected<T: Number, const K: usize>(
    f: &Taylor<T, K>,
    mut sums: [T; K],
    slopes: &[T; K],
    [known, next]: [usize; 2],
) -> Taylor<T, K> {
    sums[..known].copy_from_slice(&f.rest[..known]);
    for k in known..next {
        sums[k] *= part::<T>(k + 1);
        let last = sums[k];
        scatter::<T, false>(&mut sums[k + 1..next], slopes, last, true);
    }
    sums[next..].fill(T::lit(0.0));
    Taylor { value: f.value, rest: sums }
}

/// Whether a power may be divided by its base: both are far from the ends of the range.
#[inline(always)]
pub(super) fn divides<T: Number>(x: T, f: T) -> bool {
    let finite = (x.magnitude() + f.magnitude()) * T::Base::from_double(0.0) == T::Base::from_double(0.0);
    finite && boundary::is_exact(x) && boundary::is_exact(f)
}

//! Series through densities `s·xᵖ·(1 − x)^q·e^(rx)`.

use super::kernels::{is_finite, is_integer, product, strong_product};
use super::lift::{linear, through};
use super::rule::{HolomorphicRule, SeriesRule};
use super::{Taylor, recurrences};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, boundary};

/// A product of three series, if the factors of the other end are near 1; strong zeros do not affect these. Elsewhere
/// the terms of the product cancel, so the series follows from `f′/f`. Beyond the order of an integer power the
/// quotient would lose digits, so those coefficients come from the product.
pub(super) fn density<T: Number, const K: usize, const STRONG: bool>(
    rule: &dyn SeriesRule<T, K>,
    x: &Taylor<T, K>,
    f: T,
    [p, q, r]: [f64; 3],
    n: usize,
) -> Option<Taylor<T, K>> {
    let at = Real::primal(x.value.re()).to_double();
    if boundary::outside(f) {
        return None;
    }
    let minus = T::Base::from_double(-1.0);
    let y = &Taylor { value: -x.value + T::Base::from_double(1.0), rest: x.rest.map(|t| t * minus) };
    let mild = |c: f64, ratio: f64| c == 0.0 || c.abs() * ratio < 10.0;
    let low = || factored(rule, [x, y], f, [p, q, r], false, n);
    let high = || factored(rule, [y, x], f, [q, p, r], true, n);
    if p >= 0.0 && mild(q, at / (1.0 - at)) && mild(r, at) {
        return Some(low());
    }
    if q >= 0.0 && r == 0.0 && mild(p, (1.0 - at) / at) {
        return Some(high());
    }
    if STRONG {
        return None;
    }
    let mut series = linear(rule, x, f, n);
    let ends = [p, q].into_iter().filter(|&c| c > 0.0 && is_integer(c)).fold(f64::INFINITY, f64::min);
    if ends + 1.0 < n as f64 {
        let whole = if p >= 0.0 { low() } else { high() };
        if is_finite(&whole, n) && recurrences::divides(f, f) {
            let from = ends as usize + 1;
            series.rest[from..n].copy_from_slice(&whole.rest[from..n]);
        }
    }
    Some(series)
}

/// The product with the factor of one end first, `x` or `1 − x` (`turned`), and its exponent. If the density has its
/// maximum at `m`, the first factor is a power of `x/c`, with `c` such that the constant is `f(m)`. If the value
/// underflows it does not determine the constant; the error of `p` eps is then one eps for each order.
fn factored<T: Number, const K: usize>(
    rule: &dyn SeriesRule<T, K>,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    [p, q, r]: [f64; 3],
    turned: bool,
    n: usize,
) -> Taylor<T, K> {
    let mode = p / if r == 0.0 { p + q.max(1.0) } else { -r };
    let others = if r == 0.0 { q * libm::log1p(-mode) } else { r * mode };
    let c = if p == 0.0 { 1.0 } else { mode * libm::exp(others / p) };
    let times = |x: &Taylor<T, K>, c: f64| {
        let c = T::Base::from_double(c);
        Taylor { value: x.value * c, rest: x.rest.map(|t| t * c) }
    };
    let power =
        |x: &Taylor<T, K>, c: f64| (c != 0.0).then(|| through(&HolomorphicRule(rules::PowConst(c)), x, n));
    let exponential = (r != 0.0).then(|| through(&HolomorphicRule(rules::Exp), &times(x, r), n));
    let factors = [power(&times(x, 1.0 / c), p), power(y, q), exponential];
    let all = factors.into_iter().flatten().reduce(|x, y| {
        let plain = product(&x, &y, n);
        if is_finite(&plain, n) { plain } else { strong_product(&x, &y, T::strong_mul, n) }
    });
    let all = all.unwrap_or(Taylor::constant(T::lit(1.0)));
    let s = if recurrences::divides(all.value, f) {
        (f / all.value).detach()
    } else {
        rule.value(T::lit(if turned { 1.0 - mode } else { mode }))
    };
    Taylor { value: f, rest: all.rest.map(|t| s.strong_mul(t)) }
}

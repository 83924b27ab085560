//! Series through rules: by the recurrence that a rule states, or by its derivative. If a result is not finite, it is
//! computed again with strong zeros.

use num_traits::Float;

use super::density::density;
use super::dynamic::TaylorDyn;
use super::few::two_orders;
use super::kernels::{along, by_reach, integral, is_finite, is_integer, is_zero, outside};
use super::powers::{by_products, higher_power, log_linear, whole_power};
use super::rule::{HolomorphicRule, SeriesRule, SeriesRule2};
use super::{Taylor, composition, kernels, recurrences};
use crate::number::{BaseFloat, Number};
use crate::rules::{self, Recurrence, boundary};

/// A rule at a series, to order `n`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn through<T: Number, const K: usize, R: SeriesRule<T, K>>(
    rule: &R,
    x: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    #[cfg(debug_assertions)]
    let rule = rule.object();
    carried(rule, x, n)
}

/// As [`through`], also for objects.
#[cfg_attr(not(debug_assertions), inline(always))]
fn carried<T: Number, const K: usize, R: SeriesRule<T, K> + ?Sized>(
    rule: &R,
    x: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    let f = rule.value(x.value);
    match by_reach!(x, n, |reach| series::<T, K, R, false>(rule, x, f, [n, reach])) {
        Some(series) if is_finite(&series, n) => series,
        _ if is_zero(&x.rest[..n]) => Taylor::constant(f),
        Some(_) => careful(rule.object(), x, f, n),
        None => by_derivative(rule, x, f, n),
    }
}

#[cold]
#[inline(never)]
fn careful<T: Number, const K: usize>(
    rule: &dyn SeriesRule<T, K>,
    x: &Taylor<T, K>,
    f: T,
    n: usize,
) -> Taylor<T, K> {
    if boundary::outside(f) {
        return outside(f, x, n);
    }
    series::<T, K, _, true>(rule, x, f, [n, n]).unwrap_or_else(|| by_derivative(rule, x, f, n))
}

/// The series by the recurrence of the rule; `None` if it uses the formula of the derivative.
#[cfg_attr(not(debug_assertions), inline(always))]
fn series<T: Number, const K: usize, R: SeriesRule<T, K> + ?Sized, const STRONG: bool>(
    rule: &R,
    x: &Taylor<T, K>,
    f: T,
    [n, reach]: [usize; 2],
) -> Option<Taylor<T, K>> {
    let slope = |f: T| boundary::partial(rule.is_safe(), || x.value, f, rule.slope(x.value, f));
    Some(match rule.recurrence(x.value) {
        Recurrence::Reciprocal if STRONG => kernels::strong_quotient(&Taylor::constant(T::lit(1.0)), x, f, n),
        Recurrence::Reciprocal => kernels::quotient(&Taylor::constant(T::lit(1.0)), x, f, [n, reach]),
        Recurrence::Root if !STRONG => recurrences::root(x, f, n),
        Recurrence::Exponential => {
            let c = rule.slope(x.value, T::lit(1.0));
            let w = if STRONG { strong_weights(x, c, n) } else { kernels::weights(x, c, n) };
            recurrences::exponential::<T, K, STRONG>(f, &w[..reach], n)
        }
        Recurrence::Logarithm(a) if !STRONG => recurrences::logarithm(x, [f, slope(f)], a, [n, reach]),
        Recurrence::Linear if !STRONG => linear(rule, x, f, n),
        Recurrence::Power(c) if !STRONG && by_products::<T, K>(x, f, c, [n, reach]) => {
            whole_power(x, c as u64, n).with_value(f)
        }
        Recurrence::Power(c) if !STRONG && recurrences::keeps_power(x.value, f) && closed::<T>(n, c) => {
            // `powi` of the standard library loses digits; the derivative does not where it is in the range.
            let exact = || slope(f) * x.value / T::Base::from_double(c);
            let exact = (c.abs() > 2.0 && is_integer(c)).then(exact);
            let seed = exact.filter(|&f| recurrences::divides(x.value, f)).unwrap_or(f);
            recurrences::power(x, seed, c, [n, reach]).with_value(f)
        }
        Recurrence::Second(factors) => {
            recurrences::second::<T, K, STRONG>(x, [f, slope(f)], factors, [n, reach])[0]
        }
        Recurrence::Density(powers) => density::<T, K, STRONG>(rule.object(), x, f, powers, n)?,
        Recurrence::Derivatives(nested) if !STRONG || boundary::finite(f, f) => {
            let mut orders = [T::lit(0.0); K];
            rule.orders(x.value, f, &mut orders[..n]);
            let first = if nested > 1 { rule.three(x.value, f) } else { [slope(f); 3] };
            orders[..n].iter_mut().zip(&first[..nested]).for_each(|(order, &by_formula)| *order = by_formula);
            composition::composed::<T, K, STRONG>(x, f, orders, n)
        }
        _ => return None,
    })
}

/// Whether a recurrence with quotients keeps the digits of the tangents of `T`: the formula of the derivative is better
/// for few orders, and for powers that end.
fn closed<T: Number>(n: usize, power: f64) -> bool {
    T::PLAIN || n > 3 && !is_integer(power)
}

/// `f′ = g(x)·f`.
pub(super) fn linear<T: Number, const K: usize, R: SeriesRule<T, K> + ?Sized>(
    rule: &R,
    x: &Taylor<T, K>,
    f: T,
    n: usize,
) -> Taylor<T, K> {
    let g = rule.slopes(TaylorDyn::cut(x, n.saturating_sub(1)), TaylorDyn::constant(T::lit(1.0)));
    recurrences::exponential::<T, K, false>(f, &along::<T, K, false>(x, &g.series, n), n)
}

/// `j·c·xⱼ` with strong zeros.
#[cold]
fn strong_weights<T: Number, const K: usize>(x: &Taylor<T, K>, c: T, n: usize) -> [T; K] {
    let mut w = x.rest;
    for j in 0..n {
        w[j] = c.strong_mul(w[j]) * T::Base::from_double((j + 1) as f64);
    }
    w
}

/// By the formula of the derivative.
fn by_derivative<T: Number, const K: usize, R: SeriesRule<T, K> + ?Sized>(
    rule: &R,
    x: &Taylor<T, K>,
    f: T,
    n: usize,
) -> Taylor<T, K> {
    if boundary::outside(f) {
        return outside(f, x, n);
    }
    let from = |f: &Taylor<T, K>, [known, reach]: [usize; 2]| {
        let (argument, result) = (TaylorDyn::cut(x, reach), TaylorDyn::cut(f, known));
        let d = rule.slopes(argument, result);
        let next = d.order().min(reach) + 1;
        let series = integral(f.value, along::<T, K, false>(x, &d.series, next), next);
        if is_finite(&series, next) {
            return (series, next);
        }
        let d = boundary::partial(rule.is_safe(), || argument, result, d);
        (integral(f.value, along::<T, K, true>(x, &d.series, next), next), next)
    };
    let linearized = |f: &Taylor<T, K>, reach: usize| {
        let d = rule.linearized(TaylorDyn::cut(x, reach), TaylorDyn::cut(f, reach));
        d.map(|d| along::<T, K, false>(x, &d.series, reach + 1))
    };
    let solve = |n: usize| solved(f, [n, n.saturating_sub(1)], from, linearized, || outside(f, x, n));
    if n > FEW && !Float::is_finite(f.magnitude()) {
        let few = solve(FEW);
        if finite_orders(&few.rest[..FEW]) < FEW {
            return few.followed_by(&outside(f, x, n), FEW);
        }
    }
    solve(n)
}

/// Up to this order a result is found order by order, as nested numbers do it.
const FEW: usize = 8;

/// Solves `f′ = d(x, f)` for the series of `f`. `from` evaluates `d` with `x` known to order `reach` and `f` known to
/// some order, and returns `f` to one order more, or to order `n` if `d` does not read `f`. Otherwise Newton's method
/// doubles the known order, as far as its results are finite, and else finds one order. No order is evaluated twice,
/// because a rule that `d` calls may recurse in the same way. Beyond the first orders `lost` gives the orders after one
/// that is not finite.
fn solved<T: Number, const K: usize>(
    f: T,
    [n, mut reach]: [usize; 2],
    from: impl Fn(&Taylor<T, K>, [usize; 2]) -> (Taylor<T, K>, usize),
    linearized: impl Fn(&Taylor<T, K>, usize) -> [[T; K]; 2],
    lost: impl Fn() -> Taylor<T, K>,
) -> Taylor<T, K> {
    let (mut f, mut known) = (Taylor::constant(f), 0);
    let mut doubles = n > FEW && reach > 0;
    while known < n {
        let mut next = known;
        if doubles && known > 0 {
            let order = (2 * known + 2).min(n);
            let [sums, slopes] = linearized(&f, order - 1);
            let better = recurrences::corrected(&f, sums, &slopes, [known, order]);
            next += finite_orders(&better.rest[known..order]);
            doubles = next > known;
            f.rest[known..next].copy_from_slice(&better.rest[known..next]);
        }
        if next == known {
            let (series, order) = from(&f, [known, reach]);
            f.rest[known..order].copy_from_slice(&series.rest[known..order]);
            next = order;
            if (FEW..n).contains(&next) && finite_orders(&f.rest[known..next]) < next - known {
                f.rest[next..n].copy_from_slice(&lost().rest[next..n]);
                return f;
            }
        }
        (known, reach) = (next, next.min(n - 1));
    }
    f
}

/// The number of finite coefficients before one that is not.
pub(super) fn finite_orders<T: Number>(c: &[T]) -> usize {
    c.iter().position(|c| !c.all_finite()).unwrap_or(c.len())
}

/// A rule of two variables at series, to order `n`.
#[inline]
pub(super) fn through2<T: Number, const K: usize, R: SeriesRule2<T, K>>(
    rule: &R,
    [x, y]: [&Taylor<T, K>; 2],
    n: usize,
) -> Taylor<T, K> {
    #[cfg(debug_assertions)]
    let rule = rule.object();
    carried2(rule, [x, y], n)
}

/// As [`through2`], also for objects.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn carried2<T: Number, const K: usize, R: SeriesRule2<T, K> + ?Sized>(
    rule: &R,
    [x, y]: [&Taylor<T, K>; 2],
    n: usize,
) -> Taylor<T, K> {
    let f = rule.value(x.value, y.value);
    if is_zero(&x.rest[..n]) && is_zero(&y.rest[..n]) {
        return Taylor::constant(f);
    }
    match rule.recurrence(x.value) {
        Recurrence::LogLinear => {}
        Recurrence::Increment => return increment(rule, [x, y], f, n),
        _ => {
            let few = if const { T::PLAIN && K == 2 } && n == K { two_orders(rule, [x, y], f) } else { None };
            return few.unwrap_or_else(|| by_partials(rule, [x, y], f, [n, n.saturating_sub(1)]));
        }
    }
    if let Some(series) = log_linear([x, y], f, n) {
        return series;
    }
    // The formulas of powers branch on whether an exponent is constant, so few orders are computed one at a time.
    // More would take twice as long each, because the formulas are powers again.
    const ONE_BY_ONE: usize = 4;
    let first = by_partials(rule, [x, y], f, [n.min(ONE_BY_ONE), 0]);
    if n <= ONE_BY_ONE {
        return first;
    }
    first.followed_by(&higher_power(rule.object(), [x, y], f, n), ONE_BY_ONE)
}

/// As [`by_derivative`], for two variables; first from arguments known to order `reach`.
fn by_partials<T: Number, const K: usize, R: SeriesRule2<T, K> + ?Sized>(
    rule: &R,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    [n, reach]: [usize; 2],
) -> Taylor<T, K> {
    if boundary::outside(f) {
        return outside(f, &x.union_activity(*y), n);
    }
    let from = |f: &Taylor<T, K>, [known, reach]: [usize; 2]| {
        let (point, result) = ([x, y].map(|x| TaylorDyn::cut(x, reach)), TaylorDyn::cut(f, known));
        let d = rule.slopes(point, result);
        let next = d[0].order().min(d[1].order()).min(reach) + 1;
        let series =
            integral(f.value, summed::<T, K, false>([x, y], d.each_ref().map(|d| &d.series), next), next);
        if is_finite(&series, next) {
            return (series, next);
        }
        let d = d.map(|d| boundary::partial2(point, result, d));
        (integral(f.value, summed::<T, K, true>([x, y], d.each_ref().map(|d| &d.series), next), next), next)
    };
    let linearized = |f: &Taylor<T, K>, reach: usize| {
        let point = [x, y].map(|x| TaylorDyn::cut(x, reach));
        let [dx, dy] = rule.linearized(point, TaylorDyn::cut(f, reach));
        [0, 1].map(|i| summed::<T, K, false>([x, y], [&dx[i].series, &dy[i].series], reach + 1))
    };
    solved(f, [n, reach], from, linearized, || outside(f, &x.union_activity(*y), n))
}

/// The series of `dx·x′ + dy·y′`, as [`along`] gives it.
fn summed<T: Number, const K: usize, const STRONG: bool>(
    [x, y]: [&Taylor<T, K>; 2],
    [dx, dy]: [&Taylor<T, K>; 2],
    n: usize,
) -> [T; K] {
    let mut sums = along::<T, K, STRONG>(x, dx, n);
    let others = along::<T, K, STRONG>(y, dy, n);
    for k in 0..n {
        sums[k] += others[k];
    }
    sums
}

/// `f = g(x + y) − g(x)` from the derivatives of both terms at the point. From the highest derivatives on, each pair of
/// series, `[g⁽ᵏ⁾(x + y) − g⁽ᵏ⁾(x), g⁽ᵏ⁾(x + y)]`, follows from the next pair.
fn increment<T: Number, const K: usize, R: SeriesRule2<T, K> + ?Sized>(
    rule: &R,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    n: usize,
) -> Taylor<T, K> {
    let (point, s) = ([x.value, y.value], x.zip_parts(*y, |x, y| x + y, |x, y| x + y));
    let mut at = [[T::lit(0.0); 2]; K];
    rule.derivatives(point, &mut at[..n]);
    fn series<T: Number, const K: usize, const STRONG: bool>(
        [x, y, s]: [&Taylor<T, K>; 3],
        f: T,
        at: &[[T; 2]],
    ) -> Taylor<T, K> {
        let n = at.len();
        let mut next = at.last().map_or([f; 2], |&last| last).map(Taylor::constant);
        for k in (0..n).rev() {
            let values = if k == 0 { [f, T::lit(0.0)] } else { at[k - 1] };
            let sums = [
                summed::<T, K, STRONG>([x, y], next.each_ref(), n - k),
                along::<T, K, STRONG>(s, &next[1], n - k),
            ];
            next = [0, 1].map(|i| integral(values[i], sums[i], n - k));
        }
        next[0]
    }
    let plain = series::<T, K, false>([x, y, &s], f, &at[..n]);
    if is_finite(&plain, n) {
        return plain;
    }
    if boundary::outside(f) {
        return outside(f, &x.union_activity(*y), n);
    }
    let at = at.map(|d| d.map(|d| boundary::partial2(point, f, d)));
    series::<T, K, true>([x, y, &s], f, &at[..n])
}

/// The quotient.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn quotient<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    n: usize,
) -> Taylor<T, K> {
    let q = x.value / y.value;
    let series = by_reach!(y, n, |reach| kernels::quotient(x, y, q, [n, reach]));
    if is_finite(&series, n) { series } else { careful_quotient(x, y, q, n) }
}

#[cold]
#[inline(never)]
fn careful_quotient<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    y: &Taylor<T, K>,
    q: T,
    n: usize,
) -> Taylor<T, K> {
    if boundary::outside(q) {
        outside(q, &x.union_activity(*y), n)
    } else {
        kernels::strong_quotient(x, y, q, n)
    }
}

/// Both by one recurrence.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn sine_and_cosine<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    n: usize,
) -> (Taylor<T, K>, Taylor<T, K>) {
    let sin = x.value.lift_holomorphic(rules::Sin);
    let cos = x.value.lift_holomorphic(rules::Cos);
    let [f, d] = by_reach!(x, n, |reach| {
        recurrences::second::<T, K, false>(x, [sin, cos], [-1.0, 0.0], [n, reach])
    });
    if is_finite(&f, n) && is_finite(&d, n) {
        (f, d)
    } else {
        (careful(&HolomorphicRule(rules::Sin), x, sin, n), careful(&HolomorphicRule(rules::Cos), x, cos, n))
    }
}

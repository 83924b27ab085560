//! Powers of series: integer powers by products, and powers with a series as exponent.

use core::f64::consts::LN_2;

use super::kernels::{is_finite, is_integer, outside, product, strong_product, weights};
use super::lift::{carried2, through};
use super::rule::{HolomorphicRule, SeriesRule2};
use super::{Taylor, recurrences};
use crate::number::{BaseFloat, Number, Real};
use crate::rules;

/// Whether a power is computed by products: for an integer exponent whose recurrence would lose digits. The
/// recurrence divides by the leading coefficient, and its terms have one sign only to the order `c + 1`, or on a
/// line.
pub(super) fn by_products<T: Number, const K: usize>(
    x: &Taylor<T, K>,
    f: T,
    c: f64,
    [n, reach]: [usize; 2],
) -> bool {
    let keeps_digits = T::PLAIN && recurrences::keeps_power(x.value, f);
    let recurs = keeps_digits && (reach < n || c + 1.0 >= n as f64);
    is_integer(c) && c >= 1.0 && !recurs && (c <= 64.0 || keeps_digits)
}

/// `xⁿ` for `n ≥ 1` by repeated products, which keep the digits of every coefficient however small the leading one is.
pub(super) fn whole_power<T: Number, const K: usize>(x: &Taylor<T, K>, n: u64, order: usize) -> Taylor<T, K> {
    let mut y = *x;
    for bit in (0..n.ilog2()).rev() {
        y = product(&y, &y, order);
        if n >> bit & 1 == 1 {
            y = product(&y, x, order);
        }
    }
    y
}

/// `x^y = xᶜ·e^((y − c) ln x)`, where `c` is the value of `y`, so a polynomial stays a polynomial. If the value
/// underflows or a quotient overflows, higher orders may still be in range. They follow from the series of a multiple
/// of `x` along a multiple of `t`.
pub(super) fn log_linear<T: Number, const K: usize>(
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    n: usize,
) -> Option<Taylor<T, K>> {
    let at = |t: T::Re| Real::primal(t).to_double();
    let (c, size) = (at(y.value.re()), x.value.magnitude().to_double());
    let positive = !T::REAL || at(x.value.re()) > 0.0;
    if !(positive && size > 0.0 && size.is_finite() && c.is_finite() && f.magnitude().to_double().is_finite())
    {
        return None;
    }
    let ln = x.value.lift_holomorphic(rules::Ln);
    let rest = Taylor { value: y.value - T::lit(c), rest: y.rest };
    let factors = |x: &Taylor<T, K>, rest: &Taylor<T, K>| {
        let exponent = product(rest, &through(&HolomorphicRule(rules::Ln), x, n).with_value(ln), n);
        let first = exponent.value.lift_holomorphic(rules::Exp);
        let other = recurrences::exponential::<T, K, false>(first, &weights(&exponent, T::lit(1.0), n), n);
        product(&through(&HolomorphicRule(rules::PowConst(c)), x, n), &other, n)
    };
    if recurrences::divides(x.value, f) {
        let series = factors(x, &rest);
        if is_finite(&series, n) {
            return Some(series.with_value(f));
        }
    }
    // x(t) = 2^scale·X(t/2^step), with coefficients of X and of y that are not large.
    let exponent =
        |t: f64| if t > 0.0 && t.is_finite() { f64::from(libm::ilogb(t)) } else { f64::NEG_INFINITY };
    let (scale, mut step) = (exponent(size), 2e3);
    for k in 0..n {
        let [of_x, of_y] = [x, y].map(|s| exponent(s.rest[k].magnitude().to_double()));
        step = libm::fmin(step, libm::floor(libm::fmin(scale - of_x, -of_y) / (k + 1) as f64));
    }
    let multiple = |s: &Taylor<T, K>, by: f64, step: f64| {
        let mut exponent = by;
        let rest = s.rest.map(|t| {
            exponent += step;
            times_power_of_two(t, exponent)
        });
        Taylor { value: times_power_of_two(s.value, by), rest }
    };
    // Each order is at most this power of two times the order before. If all underflow, they are zero.
    let growth = 3.0 + libm::log2(c.abs() + 1e3) - step;
    if libm::log2(size) * c + libm::fmax(growth, 0.0) * n as f64 <= -1100.0 {
        return Some(Taylor::constant(f));
    }
    let (of_x, of_y) = (multiple(x, -scale, step), multiple(&rest, 0.0, step));
    let kept = |s: &Taylor<T, K>, of: &Taylor<T, K>| {
        (0..n).all(|k| s.rest[k].is_exactly_zero() || recurrences::divides(of.rest[k], of.rest[k]))
    };
    let series = factors(&of_x, &of_y);
    // Terms that underflow are small relative to coefficients that are not.
    let exact = |k: usize| recurrences::divides(series.rest[k], series.rest[k]);
    let exact = (kept(x, &of_x) && kept(y, &of_y)) || (0..n).all(exact);
    if !(exact && is_finite(&series, n)) {
        return None;
    }
    // 2^(scale·c), the product to twice the digits.
    let power = scale * c;
    let fraction = libm::exp2(power - libm::round(power)) * (1.0 + libm::fma(scale, c, -power) * LN_2);
    let series = series.map_parts(|t| t * T::Base::from_double(fraction));
    Some(multiple(&series, libm::round(power), -step).with_value(f))
}

/// The orders of a power beyond the first few where [`log_linear`] gives none: a constant exponent up to the first order
/// that it has; products where the base is almost 0; zeros where all underflow.
#[cold]
pub(super) fn higher_power<T: Number, const K: usize>(
    rule: &dyn SeriesRule2<T, K>,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    n: usize,
) -> Taylor<T, K> {
    let at = |t: T::Re| Real::primal(t).to_double();
    let (c, size) = (at(y.value.re()), x.value.magnitude().to_double());
    if size < 1e-5 && c > 1.0 && c.is_finite() && !(T::REAL && at(x.value.re()) < 0.0) {
        return split_power(rule, [x, y], f, n);
    }
    if f.is_zero() && size > 0.0 {
        return Taylor::constant(f);
    }
    let active = y.rest[..n].iter().position(|t| !t.is_exactly_zero()).unwrap_or(n);
    let lost = outside(f, &x.union_activity(*y), n);
    if active > 0 && y.value.is_constant() && at(y.value.im()) == 0.0 {
        return through(&HolomorphicRule(rules::PowConst(c)), x, active).followed_by(&lost, active);
    }
    lost
}

/// `x^y = xᵐ·x^(y−m)` with an integer `m` just below the value of `y`, where `x` is almost 0: the first factor has
/// the orders that vanish; the exponent of the second is in `(0, 1]`.
#[cold]
fn split_power<T: Number, const K: usize>(
    rule: &dyn SeriesRule2<T, K>,
    [x, y]: [&Taylor<T, K>; 2],
    f: T,
    n: usize,
) -> Taylor<T, K> {
    // An exponent this far above the order: all coefficients are 0, and so are their derivatives.
    const FAR: usize = 64;
    let whole = libm::ceil(Real::primal(y.value.re()).to_double()) - 1.0;
    if whole > (n + FAR) as f64 {
        return whole_power(x, (n + FAR) as u64, n).with_value(f);
    }
    let rest = Taylor { value: y.value - T::lit(whole), rest: y.rest };
    let other = carried2(rule, [x, &rest], n);
    strong_product(&whole_power(x, whole as u64, n), &other, T::strong_both, n).with_value(f)
}

/// `t·2ⁿ`, in steps that float types have.
fn times_power_of_two<T: Number>(mut t: T, n: f64) -> T {
    let mut left = n.clamp(-1e4, 1e4);
    while left != 0.0 {
        let by = left.clamp(-100.0, 100.0);
        t *= T::Base::from_double(libm::exp2(by));
        left -= by;
    }
    t
}

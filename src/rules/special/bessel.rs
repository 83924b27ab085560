//! Bessel functions of the first kind of integer and half-integer order.

use super::dd::Dd;
use num_traits::Float;

/// Beyond this argument (and beyond the order) the functions oscillate and the recurrence in the order is
/// stable; below it their power series, summed with twice the digits, keeps even the neighbourhood of the
/// zeros accurate.
const SERIES_END: f64 = 20.0;

/// The largest order that is computed: recurrences take a step for each.
const ORDERS: u32 = 1_000_000;

/// Results that need no computation: 0 at infinity, and where the bounds (a/2)^n/n! of J_n and a^n/(2n+1)!! of j_n,
/// both below (ea/2n)^n, underflow; NaN for orders beyond [`ORDERS`].
fn settled(n: u32, a: f64) -> Option<f64> {
    let order = f64::from(n);
    let underflows = order > 100.0 && order * Float::ln(0.5 * core::f64::consts::E * a / order) < -746.0;
    if a == f64::INFINITY || underflows { Some(0.0) } else { (n > ORDERS).then_some(f64::NAN) }
}

/// J_n(x), the Bessel function of the first kind; J_n(-x) = (-1)^n J_n(x), 0 at ±inf; NaN for n > 10^6 unless it
/// underflows.
///
/// Power series for `|x| < max(20, n)`, `n <= 60` (Abramowitz & Stegun 9.1.10), 0.7 eps, also at the
/// zeros (`libm`'s recurrence loses up to 11 eps there); elsewhere `libm`'s (fdlibm's) asymptotic form and
/// recurrence, 2.5 eps of the amplitude sqrt(2/(πx)) for `n <= 10`.
pub(crate) fn bessel_j(n: u32, x: f64) -> f64 {
    let a = libm::fabs(x);
    let value = if let Some(value) = settled(n, a) {
        value
    } else if n <= 60 && uses_series(n, a) {
        (leading(n, Dd::from(0.5 * a), 1.0) * series(f64::from(n) + 1.0, a)).value()
    } else {
        libm::jn(n as i32, a) // at most ORDERS
    };
    if n % 2 == 1 && x.is_sign_negative() { -value } else { value }
}

/// j_n(x) = sqrt(π/(2x)) J_{n+1/2}(x), the spherical Bessel function; j_n(-x) = (-1)^n j_n(x), 0 at ±inf; NaN
/// for n > 10^6 unless it underflows.
///
/// Power series for `|x| < max(20, n)` (Abramowitz & Stegun 10.1.2), 0.7 eps for n <= 60, also at the zeros;
/// beyond it the upward recurrence (10.1.19) from sin x/x, 1.8 eps of the amplitude 1/x for n <= 8.
pub(crate) fn sph_j(n: u32, x: f64) -> f64 {
    let a = libm::fabs(x);
    let value = if let Some(value) = settled(n, a) {
        value
    } else if uses_series(n, a) {
        (leading(n, Dd::from(a), 2.0) * series(f64::from(n) + 1.5, a)).value()
    } else {
        sph_upward(n, a)
    };
    if n % 2 == 1 && x.is_sign_negative() { -value } else { value }
}

fn uses_series(order: u32, a: f64) -> bool {
    a < SERIES_END || a < f64::from(order)
}

/// The first term of the series: the product over k = 1..=n of base/k (step 1) or of base/(2k+1) (step 2).
fn leading(n: u32, base: Dd, step: f64) -> Dd {
    let mut product = Dd::from(1.0);
    for k in 1..=n {
        product = product * (base / Dd::from(step * f64::from(k) + (step - 1.0)));
        if product.hi == 0.0 {
            break;
        }
    }
    product
}

/// The sum over k of (-x²/4)^k / (k! (b)_k); plain where all terms beyond the first are small.
fn series(b: f64, x: f64) -> Dd {
    let z = Dd::product(-0.5 * x, 0.5 * x);
    if z.hi > -0.25 * b {
        return Dd::ordered_sum(1.0, plain_tail(b, z.hi));
    }
    let (mut term, mut sum, mut k) = (Dd::from(1.0), Dd::from(1.0), 1.0);
    while libm::fabs(term.hi) > 1e-21 * libm::fabs(sum.hi) {
        term = term * z / Dd::from(k * (b + k - 1.0));
        sum = sum + term;
        k += 1.0;
    }
    sum
}

/// The terms k >= 1 of this sum, innermost first; for |z| <= b/4 the fourteenth is below 1e-18.
fn plain_tail(b: f64, z: f64) -> f64 {
    (1..=13_u32).rev().map(f64::from).fold(0.0, |inner, k| z / (k * (b + k - 1.0)) * (1.0 + inner))
}

fn sph_upward(n: u32, x: f64) -> f64 {
    let (s, c) = (Float::sin(x), Float::cos(x));
    let (mut lower, mut value) = (c / x, s / x);
    for k in 0..n {
        (lower, value) = (value, (2.0 * f64::from(k) + 1.0) / x * value - lower);
    }
    value
}

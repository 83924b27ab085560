//! The beta function, whole and incomplete, and differences of polygamma functions.

use super::dd::Dd;
use super::excess;
use super::gamma::{
    BERNOULLI, digamma, factorial, gamma, gamma_times, ln_gamma, ln_gamma_one_plus, polygamma, stirling_rest,
};
use core::f64::consts::PI;
use num_traits::Float;

/// The highest derivative of digamma whose differences are formed.
const ORDERS: u32 = 128;

/// Arguments below this are negligible relative to 1.
const TINY: f64 = 1e-20;

/// Γ has a value in twice the digits below.
const OVERFLOW: f64 = 171.0;

/// Γ(a)Γ(b)/Γ(a+b) for a, b >= 0: inf where one of them is 0, 0 where one is inf, NaN for both.
///
/// The three values of Γ with twice the digits, for large arguments Stirling's formula. 0.9 eps for a + b < 171, 3 eps
/// for a < 10, else as much as rounding a and b by 1.5 eps does.
pub(crate) fn beta(a: f64, b: f64) -> f64 {
    match limit(a, b) {
        Some(value) => value,
        None if a > b => beta(b, a),
        None if a < TINY => (a + b) / b / a,
        None if a + b < OVERFLOW => beta_exact(a, b).value(),
        None if a < 10.0 => gamma(a) * Float::powf(b, -a) * Float::exp(gamma_ratio_rest(a, b)),
        None => Float::exp(ln_beta_large(a, b)),
    }
}

/// The logarithm of beta. 1 eps for a, b < 10, 2 eps for a + b < 171 and for a, b >= 10, absolute near its zeros; else
/// as much as rounding the smaller argument times the logarithm of the larger one by 2 eps costs.
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    match limit(a, b) {
        Some(value) => Float::ln(value),
        None if a > b => ln_beta(b, a),
        None if a < TINY => libm::log1p(a / b) - Float::ln(a),
        None if b < 10.0 => {
            let Dd { hi, lo } = beta_exact(a, b);
            if hi > 0.5 && hi < 2.0 { libm::log1p((hi - 1.0) + lo) } else { Float::ln(hi) }
        }
        None if a < 10.0 => ln_gamma(a) - a * Float::ln(b) + gamma_ratio_rest(a, b),
        None => ln_beta_large(a, b),
    }
}

/// The value of beta at the ends of its domain and outside.
fn limit(a: f64, b: f64) -> Option<f64> {
    if !(a >= 0.0 && b >= 0.0) {
        return Some(f64::NAN);
    }
    let [zero, infinite] = [0.0, f64::INFINITY].map(|end| a == end || b == end);
    match (zero, infinite) {
        (true, true) => Some(f64::NAN),
        (true, false) => Some(f64::INFINITY),
        (false, true) => Some(0.0),
        (false, false) => None,
    }
}

fn beta_exact(a: f64, b: f64) -> Dd {
    let scale = libm::ldexp(1.0, -64);
    let sum = Dd::sum(a, b);
    let lost = Dd::ordered_sum(1.0, -digamma(sum.hi) * sum.lo);
    let [at_a, at_b, at_sum] = [a, b, sum.hi].map(|x| gamma_times(scale, x));
    at_b / at_sum * lost * at_a * Dd::from(1.0 / scale)
}

/// ln(Γ(b)/Γ(a+b)) + a ln b for large b.
fn gamma_ratio_rest(a: f64, b: f64) -> f64 {
    let u = a / b;
    b * excess(u) - (a - 0.5) * libm::log1p(u) + (stirling_rest(b) - stirling_rest(a + b))
}

fn ln_beta_large(a: f64, b: f64) -> f64 {
    let rest = stirling_rest(a) + (stirling_rest(b) - stirling_rest(a + b));
    let small = 0.5 * Float::ln(2.0 * PI / b) + rest;
    small - (a - 0.5) * libm::log1p(b / a) - b * libm::log1p(a / b)
}

/// ψ⁽ⁿ⁾(x+y) - ψ⁽ⁿ⁾(x) for x, y >= 0 and n <= 128, NaN elsewhere: 0 at y = 0.
///
/// The sum over k of the differences of (x+k)^-(n+1), each as a product, and Euler-Maclaurin beyond as for ψ⁽ⁿ⁾
/// itself. 2 eps.
pub(crate) fn polygamma_increment(n: u32, x: f64, y: f64) -> f64 {
    if !(x >= 0.0 && y >= 0.0) || n > ORDERS || x + y == 0.0 {
        return f64::NAN;
    }
    if y.is_infinite() {
        return match (n, x.is_infinite()) {
            (0, true) => f64::NAN,
            (0, false) => y,
            _ => -polygamma(n, x),
        };
    }
    let magnitude = if y == 0.0 || x.is_infinite() {
        0.0
    } else if x == 0.0 {
        f64::INFINITY
    } else {
        factorial(n).value() * power_sum_increment(n + 1, x, y)
    };
    if n % 2 == 1 { -magnitude } else { magnitude }
}

/// The sum over k >= 0 of (a+k)^-m - (a+k+y)^-m, for m = 1 too, the smallest terms first.
fn power_sum_increment(m: u32, a: f64, y: f64) -> f64 {
    let steps = libm::ceil(10.0 + f64::from(m) - a).max(0.0) as u32;
    let end = a + f64::from(steps);
    let mut powers = Powers::of(end, y);
    let integral = if m == 1 { libm::log1p(y / end) } else { powers.last(m - 1) / f64::from(m - 1) };
    let mut tail = 0.5 * powers.last(m);
    let mut rising = 1.0;
    for (j, coefficient) in (0u32..).zip(BERNOULLI) {
        let k = f64::from(m + 2 * j);
        rising *= if j == 0 { k } else { (k - 1.0) * k };
        tail += coefficient * rising * powers.last(m + 2 * j + 1);
    }
    (0..steps).rev().fold(integral + tail, |sum, k| sum + Powers::of(a + f64::from(k), y).last(m))
}

/// The differences `p^i - q^i` for i = 1, 2, ... of p = 1/a and q = 1/(a+y), as `(p - q)·(p^(i-1) + ... + q^(i-1))`.
struct Powers {
    p: f64,
    q: f64,
    difference: f64,
    /// The number of differences, the last factor, and the power of `q` in it.
    i: u32,
    factor: f64,
    q_power: f64,
}

impl Powers {
    fn of(a: f64, y: f64) -> Self {
        let (p, q) = (1.0 / a, 1.0 / (a + y));
        Self { p, q, difference: y * q * p, i: 1, factor: 1.0, q_power: 1.0 }
    }
    fn last(&mut self, i: u32) -> f64 {
        while self.i < i {
            self.q_power *= self.q;
            self.factor = self.p * self.factor + self.q_power;
            self.i += 1;
        }
        self.difference * self.factor
    }
}

/// The most terms of a continued fraction: 600 are enough for a and b up to 1e6, 12 000 up to 1e10.
const TERMS: u32 = 100_000;

/// The regularised incomplete beta function I_x(a, b) for a, b >= 0 and 0 <= x <= 1. NaN elsewhere, and where the
/// fraction needs too many terms: a and b beyond 1e12 with x near the mean, or beyond 1e299. 1 to 6 eps where
/// rounding x costs less than 5 eps, else as much as rounding x by 2 eps costs; 7 times that for b < 0.01 and x next
/// to 1.
pub(crate) fn beta_i([a, b]: [f64; 2], x: f64) -> f64 {
    if outside(a, b, x) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    if a == 0.0 || b.is_infinite() {
        return 1.0;
    }
    if b == 0.0 || a.is_infinite() {
        return 0.0;
    }
    let (y, leading) = (1.0 - x, beta_leading(a, b, x, false));
    // The sign of a - (a+b)x is the side of the mean that x is on.
    let side = (Dd::from(a) + -Dd::product(a, x) + -Dd::product(b, x)).value();
    if leading == 0.0 {
        return if side >= 0.0 { 0.0 } else { 1.0 };
    }
    if x <= 0.7 && (b <= 1.0 || b * x <= 0.7) {
        at_most_one(leading * beta_series(a, b, x))
    } else if b <= 0.05 && y < 1e-3 && a * y <= 0.7 {
        beta_complement(a, b, y)
    } else if side >= 0.0 && !(b <= 1.0 && y < 1e-3 && a * y <= 0.7) {
        at_most_one(leading * beta_fraction(a, b, x, side))
    } else if y <= 0.7 && (a <= 1.0 || a * y <= 0.7) {
        1.0 - leading * beta_series(b, a, y)
    } else {
        1.0 - leading * beta_fraction(b, a, y, -side)
    }
}

/// A share without its rounding error beyond 1; NaN stays.
fn at_most_one(share: f64) -> f64 {
    if share > 1.0 { 1.0 } else { share }
}

/// x^(a-1) (1-x)^(b-1)/B(a, b) for a, b >= 0 and 0 <= x <= 1, the derivative of I_x(a, b); 0 for a = 0 or b = 0.
/// 2.4 eps, or as much as rounding x by 1.5 eps costs.
pub(crate) fn beta_pdf([a, b]: [f64; 2], x: f64) -> f64 {
    if outside(a, b, x) {
        return f64::NAN;
    }
    let [low, high] = [a, b].map(|n| n == 0.0 || n.is_infinite());
    if low || high {
        return 0.0;
    }
    // At an end the power of the distance to it is 0, 1 or infinite.
    let end = |n: f64, other: f64| match n {
        1.0 => other,
        n if n < 1.0 => f64::INFINITY,
        _ => 0.0,
    };
    match x {
        0.0 => end(a, b),
        1.0 => end(b, a),
        _ => beta_leading(a, b, x, true),
    }
}

fn outside(a: f64, b: f64, x: f64) -> bool {
    !(a >= 0.0 && b >= 0.0 && (0.0..=1.0).contains(&x)) || a == b && (a == 0.0 || a.is_infinite())
}

/// x^a (1-x)^b/B(a, b), or that over x(1-x).
fn beta_leading(a: f64, b: f64, x: f64, density: bool) -> f64 {
    let (s, Dd { hi: y, lo: y_rest }) = (a + b, Dd::ordered_sum(1.0, -x));
    let over = |value: f64, t: f64| if density { value / t } else { value };
    let distance = (Dd::product(a, x) + Dd::product(b, x) + -Dd::from(a)).value();
    if a.min(b) >= 10.0 && (s >= OVERFLOW || libm::fabs(distance) < 0.6 * a.min(b)) {
        return over(over(about_mean(a, b, [x, y], distance), x), y);
    }
    // A power t^n, or that over t, with which it may underflow.
    let shifted = |n: f64| if density && n >= 0.5 { n - 1.0 } else { n };
    let finished = |value: f64, n: f64, t: f64| if n < 0.5 { over(value, t) } else { value };
    let power_of_x = |c: f64, scale: f64| {
        // By half the exponent twice: it underflows only with the product.
        let half = Float::powf(x * scale, 0.5 * shifted(a));
        let rest = if shifted(a) == a { 1.0 } else { scale };
        // One factor may be infinite where another is 0.
        if half == 0.0 || c == 0.0 { 0.0 } else { finished(half * (c * rest) * half, a, x) }
    };
    let (n, power) = (shifted(b), Float::powf(y, shifted(b)));
    let power_of_y = if power == 0.0 { 0.0 } else { finished(power * Float::exp(n * (y_rest / y)), b, y) };
    if s < OVERFLOW {
        power_of_x(power_of_y / beta(a, b), 1.0)
    } else if a < b {
        power_of_x(power_of_y / gamma(a) * Float::exp(-gamma_ratio_rest(a, b)), b)
    } else {
        power_of_x(power_of_y / gamma(b) * Float::powf(a, b) * Float::exp(-gamma_ratio_rest(b, a)), 1.0)
    }
}

/// The leading term for large a and b by Stirling's formula, from the distance `(a+b)x - a` to the mean m = a/(a+b):
/// e^-(aφ(x/m-1) + bφ(y/(1-m)-1)) with φ(u) = u - ln(1+u).
fn about_mean(a: f64, b: f64, [x, y]: [f64; 2], distance: f64) -> f64 {
    let s = a + b;
    let deviation = |u: f64, ratio: f64| if u > -0.6 { excess(u) } else { u - Float::ln(ratio) };
    let exponent = a * deviation(distance / a, x * (s / a)) + b * deviation(-distance / b, y * (s / b));
    let rest = stirling_rest(a) + (stirling_rest(b) - stirling_rest(s));
    let half = Float::exp(-0.5 * exponent);
    half * (libm::sqrt(a / s * b / (2.0 * PI)) * Float::exp(-rest)) * half
}

/// I_x(a, b) over its leading term, by the series whose terms are all positive (DLMF 8.17.8).
fn beta_series(a: f64, b: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut n) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= (a + b + n) / (a + 1.0 + n) * x;
        n += 1.0;
        sum += term;
    }
    sum / a
}

/// I_x(a, b) = 1 - I_y(b, a) for small b and y = 1 - x, where it is proportional to b: 1 - y^b/(b B(a, b)) and the rest
/// of the series (DLMF 8.17.7), each without cancellation.
fn beta_complement(a: f64, b: f64, y: f64) -> f64 {
    // ln Γ(a+b) - ln Γ(a) by Taylor's series at a + 1
    let (mut rise, mut power) = (-libm::log1p(b / a), 1.0);
    for n in 0..12 {
        power *= b / f64::from(n + 1);
        rise += power * polygamma(n, a + 1.0);
    }
    let log = b * Float::ln(y) + rise - ln_gamma_one_plus(b);
    let (mut sum, mut term, mut n) = (0.0, 1.0, 0.0);
    while libm::fabs(term) > 1e-17 {
        n += 1.0;
        term *= (n - a) * y / n;
        sum += term / (b + n);
    }
    -libm::expm1(log) - Float::exp(log) * b * sum
}

/// I_x(a, b) over its leading term, below the mean, by the continued fraction of DiDonato & Morris (*Significant digit
/// computation of the incomplete beta function ratios*, 1992, equation 9) in Lentz' way; `side` is a - (a+b)x.
fn beta_fraction(a: f64, b: f64, x: f64, side: f64) -> f64 {
    let first = a * (side + 1.0) / (a + 1.0);
    let (mut fraction, mut c, mut d) = (first, first, 0.0);
    for m in (1..TERMS).map(f64::from) {
        let (before, after) = (a + 2.0 * m - 1.0, a + 2.0 * m + 1.0);
        let factor = m * (b - m) * x / before;
        let numerator = factor * ((a + m - 1.0) / before * (a + b + m - 1.0) * x);
        let denominator = m + factor + (a + m) * (side + 1.0 + m * (2.0 - x)) / after;
        d = 1.0 / (denominator + numerator * d);
        c = denominator + numerator / c;
        fraction *= c * d;
        let change = libm::fabs(c * d - 1.0);
        if change <= f64::EPSILON || change.is_nan() {
            return 1.0 / fraction;
        }
    }
    f64::NAN
}

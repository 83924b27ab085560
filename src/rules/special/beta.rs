//! The beta function and differences of polygamma functions.

use super::dd::Dd;
use super::excess;
use super::gamma::{BERNOULLI, digamma, factorial, gamma, gamma_times, ln_gamma, polygamma, stirling_rest};
use core::f64::consts::PI;

/// The highest derivative of digamma whose differences are formed.
const ORDERS: u32 = 16;

/// Arguments below count as nothing beside 1.
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
        None if a < 10.0 => gamma(a) * libm::pow(b, -a) * libm::exp(gamma_ratio_rest(a, b)),
        None => libm::exp(ln_beta_large(a, b)),
    }
}

/// The logarithm of beta. 1 eps for a + b < 171, 2 eps beyond; about its zeros absolute.
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    match limit(a, b) {
        Some(value) => libm::log(value),
        None if a > b => ln_beta(b, a),
        None if a < TINY => libm::log1p(a / b) - libm::log(a),
        None if a + b < OVERFLOW => {
            let Dd { hi, lo } = beta_exact(a, b);
            if hi > 0.5 && hi < 2.0 { libm::log1p((hi - 1.0) + lo) } else { libm::log(hi) }
        }
        None if a < 10.0 => ln_gamma(a) - a * libm::log(b) + gamma_ratio_rest(a, b),
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
    let small = 0.5 * libm::log(2.0 * PI / b) + rest;
    small - (a - 0.5) * libm::log1p(b / a) - b * libm::log1p(a / b)
}

/// ψ⁽ⁿ⁾(x+y) - ψ⁽ⁿ⁾(x) for x, y >= 0 and n <= 16, NaN elsewhere: 0 at y = 0.
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
    /// How many of them, the last factor, and the power of `q` in it.
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

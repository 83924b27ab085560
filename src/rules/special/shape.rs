//! Derivatives of the incomplete gamma function in its shape.

use super::excess;
use super::gamma::polygamma;
use super::incomplete::{gamma_p, gamma_p_slope, leading};
use crate::number::{BaseFloat, Real};
use crate::rules::Literal;
use num_traits::Float;

/// The highest derivative.
pub(crate) const SHAPE_ORDERS: usize = 32;

/// `(ψ(y + ½) − ln y)·y²` in powers of `1/y²` (DLMF 5.11.2 and 24.4.27), to the last digit for `y > 15`.
const DIGAMMA_REST: [f64; 7] = [
    1.0 / 24.0,
    -7.0 / 960.0,
    31.0 / 8064.0,
    -127.0 / 30_720.0,
    511.0 / 67_584.0,
    -1_414_477.0 / 67_092_480.0,
    8191.0 / 98_304.0,
];

/// ln x - ψ(a), without cancellation for large a; a formula, and so are its derivatives.
pub(crate) fn log_excess<T: Real>(x: T, a: T) -> T {
    let bound = T::Base::from_double;
    if a < bound(16.0) {
        return x.plus(0.0).ln() - a.polygamma(0);
    }
    let y = a.plus(-0.5);
    let u = (x - y) / y;
    let log = if u < bound(0.5) && u > bound(-0.5) { u.ln_1p() } else { x.plus(0.0).ln() - y.ln() };
    let t = y.square().recip();
    log - t * DIGAMMA_REST.iter().rev().fold(T::lit(0.0), |sum, &c| (sum * t).plus(c))
}

/// The complete Bell polynomials `B₀ … Bₙ` of κ, so that `(e^h)⁽ⁿ⁾ = e^h·Bₙ(h′, h″, …)`.
pub(crate) fn bell<T: Real>(n: usize, kappa: &[T; SHAPE_ORDERS]) -> [T; SHAPE_ORDERS + 1] {
    let mut all = [T::lit(1.0); SHAPE_ORDERS + 1];
    for m in 0..n {
        let mut binomial = 1.0;
        all[m + 1] = (0..=m).fold(T::lit(0.0), |sum, i| {
            let term = (all[m - i] * kappa[i]).times(binomial);
            binomial *= (m - i) as f64 / (i + 1) as f64;
            sum + term
        });
    }
    all
}

/// The n-th derivative of P(a, x) in a, for a, x >= 0 and n <= 32, NaN elsewhere.
///
/// For n = 1 by the derivative of the method that gives P: 10 eps, or as much as rounding x by 10 eps costs. For n > 1
/// and x > 0.7 the integral of the derivative of the density, below x or above it: on the side where the first
/// derivative has one sign. Relative to the largest derivative over x, about 50 eps to n = 8, 1e-11 at n = 16.
pub(crate) fn gamma_p_derivative(n: u32, a: f64, x: f64) -> f64 {
    let order = n as usize;
    if order == 0 {
        return gamma_p(a, x);
    }
    if !(a >= 0.0 && x >= 0.0) || (a == x && (a == 0.0 || a.is_infinite())) || order > SHAPE_ORDERS {
        return f64::NAN;
    }
    if x == 0.0 || x.is_infinite() || a.is_infinite() {
        return 0.0;
    }
    let a = libm::fabs(a);
    // Of x^a e^-x/Γ(a+1), whose logarithm has no pole in a.
    let mut kappa = [0.0; SHAPE_ORDERS];
    // A difference of large terms below 16: reciprocals lead there.
    let mut b = a + 1.0;
    while b > 8.0 && b < 16.0 {
        kappa[0] += b.recip();
        b += 1.0;
    }
    kappa[0] += log_excess(x, b);
    for (kappa, k) in kappa[1..order].iter_mut().zip(1..) {
        *kappa = -polygamma(k, a + 1.0);
    }
    if x <= 0.7 {
        return leading(small(order, a, x, &kappa) * Float::exp(x), a, x);
    }
    let first = kappa[0];
    if order == 1 {
        return gamma_p_slope(a, x, first);
    }
    // The density is a/t times t^a e^-t/Γ(a+1).
    let mut at = |log: f64| {
        kappa[0] = first + log;
        let bell = bell(order, &kappa);
        a * bell[order] + order as f64 * bell[order - 1]
    };
    // The integral over t = x(1+u) of t^a e^-t relative to t = x.
    let relative = |u: f64| Float::exp(-a * excess(u) - (x - a) * u);
    if first + 1.0 / a < 0.0 {
        let scale = (a - x).max(libm::sqrt(a)).recip();
        let below = half_line(|w| relative(libm::expm1(-scale * w)) * at(-scale * w));
        leading(scale * below, a, x)
    } else {
        let scale = (x - a).max(libm::sqrt(x)).recip();
        let above = half_line(|w| {
            let u = scale * w;
            relative(u) * at(libm::log1p(u)) / (1.0 + u)
        });
        -leading(scale * above, a, x)
    }
}

/// The integral of a function that decays as an exponential over w > 0, by the trapezoidal rule in τ with
/// `w = exp(τ - e^-τ)` (Takahasi & Mori, *Double exponential formulas for numerical integration*, 1974).
fn half_line(mut f: impl FnMut(f64) -> f64) -> f64 {
    const STEP: f64 = 0.1;
    let terms = (-37..=50).map(|k| {
        let tau = STEP * f64::from(k);
        let e = Float::exp(-tau);
        let w = Float::exp(tau - e);
        (w, w * (1.0 + e))
    });
    let terms = terms.map(|(w, weight)| (f(w), weight)).filter(|(f, _)| *f != 0.0);
    STEP * terms.map(|(f, weight)| f * weight).sum::<f64>()
}

/// The n-th derivative of P over `x^a/Γ(a+1)`, by `P = x^a/Γ(a+1)·S`, `S = Σ (-x)^k/k!·a/(a+k)` (DLMF 8.7.1). The j-th
/// derivative of `S` has the terms `(-x)^k/k!·k·(-1)^(j+1) j!/(a+k)^(j+1)`.
fn small(order: usize, a: f64, x: f64, kappa: &[f64; SHAPE_ORDERS]) -> f64 {
    let mut s = [0.0; SHAPE_ORDERS + 1];
    s[0] = 1.0;
    let (mut term, mut k) = (1.0, 0.0);
    while libm::fabs(term) > 1e-18 {
        k += 1.0;
        term *= -x / k;
        s[0] += term * a / (a + k);
        let mut power = term * k / (a + k);
        for (j, s) in (1..).zip(&mut s[1..=order]) {
            power *= f64::from(j) / (a + k);
            *s += if j % 2 == 0 { -power } else { power };
        }
    }
    let bell = bell(order, kappa);
    let mut binomial = 1.0;
    (0..=order).fold(0.0, |sum, j| {
        let term = binomial * s[j] * bell[order - j];
        binomial *= (order - j) as f64 / (j + 1) as f64;
        sum + term
    })
}

//! The regularised incomplete gamma functions and their density.

use super::excess;
use super::gamma::{gamma, ln_gamma_one_plus, stirling_rest};
use super::normal::erfcx;
use core::f64::consts::PI;
use num_traits::Float;

/// From here on Stirling's formula and the uniform expansion hold to the last digits.
const LARGE: f64 = 25.0;

/// Below this the power series of Q converges fast, above it the continued fraction.
const SMALL: f64 = 0.7;

/// Coefficients of `η/(λ - 1)` in powers of η, where `η²/2 = λ - 1 - ln λ` (Temme, *The asymptotic expansion of the
/// incomplete gamma functions*, 1979), from exact rational arithmetic.
const UNIFORM: [f64; 28] = [
    1.0,
    -0.333_333_333_333_333_3,
    0.083_333_333_333_333_33,
    -0.014_814_814_814_814_815,
    0.001_157_407_407_407_407_3,
    0.000_352_733_686_067_019_4,
    -0.000_178_755_144_032_921_8,
    3.919_263_178_522_438e-05,
    -2.185_448_510_679_992e-06,
    -1.854_062_210_715_16e-06,
    8.296_711_340_953_087e-07,
    -1.766_595_273_682_607_8e-07,
    6.707_853_543_401_498e-09,
    1.026_180_978_424_030_9e-08,
    -4.382_036_018_453_353e-09,
    9.147_699_582_236_79e-10,
    -2.551_419_399_494_624_8e-11,
    -5.830_772_132_550_426e-11,
    2.436_194_802_066_741_5e-11,
    -5.027_669_280_114_175_5e-12,
    1.100_439_203_195_613_5e-13,
    3.371_763_262_400_985e-13,
    -1.392_388_722_418_162e-13,
    2.853_489_380_704_744_5e-14,
    -5.139_111_834_242_572e-16,
    -1.975_228_829_434_944_2e-15,
    8.099_521_156_704_561e-16,
    -1.652_253_121_639_816_2e-16,
];

/// P(a, x) = γ(a, x)/Γ(a) for a, x >= 0, NaN elsewhere. As much as rounding x by 2.2 eps costs, at least 4 eps.
pub(crate) fn gamma_p(a: f64, x: f64) -> f64 {
    match shares(a, x) {
        Shares::Lower(p) => p,
        Shares::Upper(q) => 1.0 - q,
    }
}

/// Q(a, x) = Γ(a, x)/Γ(a) for a, x >= 0, NaN elsewhere. As much as rounding x by 2.2 eps costs, at least 7 eps.
pub(crate) fn gamma_q(a: f64, x: f64) -> f64 {
    match shares(a, x) {
        Shares::Lower(p) => 1.0 - p,
        Shares::Upper(q) => q,
    }
}

/// The share of Γ(a) that is computed, from which the other one follows: the smaller one, or about half.
enum Shares {
    Lower(f64),
    Upper(f64),
}
use Shares::{Lower, Upper};

/// Chooses the method as in Gil, Segura & Temme, *Efficient and accurate algorithms for the computation and inversion
/// of the incomplete gamma function ratios* (2012).
fn shares(a: f64, x: f64) -> Shares {
    if !(a >= 0.0 && x >= 0.0) || (a == x && (a == 0.0 || a.is_infinite())) {
        return Lower(f64::NAN);
    }
    if a == 0.0 || x.is_infinite() {
        return Upper(0.0);
    }
    if x == 0.0 || a.is_infinite() {
        return Lower(0.0);
    }
    if in_uniform_range(a, x) {
        uniform(a, x).0
    } else if x >= SMALL && x > a {
        let first = leading(1.0, a, x);
        Upper(if first == 0.0 { 0.0 } else { upper_fraction::<false>(a, x).0 * first })
    } else if x >= SMALL || a > 1.0 || a * Float::ln(x) < -0.4 {
        Lower(leading(lower_series(a, x).0, a, x))
    } else {
        Upper(upper_series(a, x))
    }
}

/// c x^a e^-x/Γ(a+1), the leading term of both with a factor; exponentials in two halves do not underflow before the
/// product does.
pub(super) fn leading(c: f64, a: f64, x: f64) -> f64 {
    if a <= LARGE {
        let factorial = if a < 1e-20 { 1.0 } else { a * gamma(a) };
        return damped(c / factorial, a, x);
    }
    let ratio = x / a;
    let half = if ratio < 0.4 {
        Float::powf(ratio * Float::exp(1.0 - ratio), 0.5 * a)
    } else {
        Float::exp(-0.5 * a * excess((x - a) / a))
    };
    if half == 0.0 {
        return 0.0; // c may be infinite
    }
    half * (c * Float::exp(-stirling_rest(a)) / libm::sqrt(2.0 * PI * a)) * half
}

/// c x^n e^-x, 0 where the exponential is.
fn damped(c: f64, n: f64, x: f64) -> f64 {
    let half = Float::exp(-0.5 * x);
    if half == 0.0 { 0.0 } else { half * Float::powf(x, n) * c * half }
}

fn in_uniform_range(a: f64, x: f64) -> bool {
    a > LARGE && x > 0.35 * a && x < 2.2 * a
}

/// The derivative of P(a, x) in a for finite a > 0 and `x >= SMALL`, by the derivative of each method. `rate` is the
/// derivative `ln x - ψ(a+1)` of the logarithm of the leading term. Where it is negative, all terms of the series have
/// one sign; a little beyond, the series is still better than the fraction, which converges slowly there.
pub(super) fn gamma_p_slope(a: f64, x: f64, rate: f64) -> f64 {
    if in_uniform_range(a, x) {
        uniform(a, x).1
    } else if rate > 0.15 {
        let (sum, slope) = upper_fraction::<true>(a, x);
        -leading(rate * sum + slope, a, x)
    } else {
        let (sum, slope) = lower_series(a, x);
        leading(rate * sum + slope, a, x)
    }
}

/// P over the leading term and its derivative in a, by the power series (DLMF 8.11.4), all terms of one sign.
#[cfg_attr(not(debug_assertions), inline(always))]
fn lower_series(a: f64, x: f64) -> (f64, f64) {
    let (mut sum, mut term, mut n) = (1.0, 1.0, a);
    let (mut slope, mut harmonic) = (0.0, 0.0);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
        harmonic += n.recip();
        slope -= term * harmonic;
    }
    (sum, slope)
}

/// Q for small a and x: 1 - x^a/Γ(a+1) and the rest of the series (DLMF 8.7.1), each without cancellation.
fn upper_series(a: f64, x: f64) -> f64 {
    let log = a * Float::ln(x) - ln_gamma_one_plus(a);
    let (mut sum, mut term, mut n) = (0.0, -1.0, 0.0);
    while libm::fabs(term) > 1e-17 {
        n += 1.0;
        term *= -x / n;
        sum += term / (a + n);
    }
    a * sum * Float::exp(log) - libm::expm1(log)
}

/// Q over the leading term and its derivative in a, by Legendre's continued fraction as a sum (Gautschi, *A
/// computational procedure for incomplete gamma functions*, 1979, section 5). Names that end in `_a` are derivatives. At
/// a whole `a` the fraction ends, and its derivative does not.
#[cfg_attr(not(debug_assertions), inline(always))]
fn upper_fraction<const SLOPE: bool>(a: f64, x: f64) -> (f64, f64) {
    let start = x + 1.0 - a;
    let (mut p, mut q, mut r, mut s) = (0.0, (x - 1.0 - a) * start, 4.0 * start, 1.0 - a);
    let (mut p_a, mut q_a, r_a) = (0.0, 2.0 * (a - x), -4.0);
    let (mut rho, mut term, mut sum) = (0.0, 1.0, 1.0);
    let (mut rho_a, mut term_a, mut sum_a) = (0.0, 0.0, 0.0);
    while libm::fabs(term) > 1e-17 * sum || SLOPE && libm::fabs(term_a) > 1e-17 * libm::fabs(sum_a) {
        p += s;
        q += r;
        r += 8.0;
        s += 2.0;
        let tau = p * (1.0 + rho);
        p_a -= 1.0;
        q_a += r_a;
        let tau_a = p_a * (1.0 + rho) + p * rho_a;
        rho = tau / (q - tau);
        rho_a = (tau_a * q - tau * q_a) / ((q - tau) * (q - tau));
        term_a = term_a * rho + term * rho_a;
        sum_a += term_a;
        term *= rho;
        sum += term;
    }
    let scale = a / start;
    (scale * sum, scale * sum_a + (x + 1.0) / (start * start) * sum)
}

/// The smaller of P and Q for large a about x = a by Temme's uniform expansion: half an erfc and a correction, whose
/// coefficients follow from the coefficients in `UNIFORM` backwards. And the derivative of P in a, where
/// `η²/2 = λ - 1 - ln λ`, λ = x/a, gives `∂η/∂a = -(λ-1)/(aη)`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn uniform(a: f64, x: f64) -> (Shares, f64) {
    let mu = (x - a) / a;
    let half_square = excess(mu);
    let y = a * half_square;
    let eta = libm::copysign(libm::sqrt(2.0 * half_square), mu);
    let (mut beta, mut beta_a) = ([0.0; UNIFORM.len()], [0.0; UNIFORM.len()]);
    for n in (1..UNIFORM.len()).rev() {
        let (next, next_a) = if n + 1 < UNIFORM.len() { (beta[n + 1], beta_a[n + 1]) } else { (0.0, 0.0) };
        let k = (n + 1) as f64;
        beta[n - 1] = UNIFORM[n] + k * next / a;
        beta_a[n - 1] = k / a * (next_a - next / a);
    }
    let (mut sum, mut sum_eta, mut sum_a) = (0.0, 0.0, 0.0);
    for (b, b_a) in beta.iter().zip(&beta_a).rev() {
        sum_eta = sum_eta * eta + sum;
        sum = sum * eta + b;
        sum_a = sum_a * eta + b_a;
    }
    let whole = 1.0 + beta[1] / a;
    let sum = sum / whole;
    let sum_a = (sum_a - sum * (beta_a[1] - beta[1] / a) / a) / whole;
    let (damping, root) = (Float::exp(-y), libm::sqrt(2.0 * PI) * libm::sqrt(a));
    let half = 0.5 * erfcx(libm::sqrt(y));
    let eta_a = if eta == 0.0 { -1.0 } else { -mu / eta };
    let slope =
        eta_a + 0.5 * eta - (Float::ln_1p(mu) * sum - 0.5 * sum / a + sum_a + sum_eta / whole * eta_a / a);
    let share =
        if mu < 0.0 { Lower(damping * (half - sum / root)) } else { Upper(damping * (half + sum / root)) };
    (share, damping / root * slope)
}

/// x^(a-1) e^-x/Γ(a) for a, x >= 0, the derivative of P; 0 for a = 0 < x. 2 eps, or as much as
/// rounding x by 1.2 eps costs.
pub(crate) fn gamma_pdf(a: f64, x: f64) -> f64 {
    if !(a >= 0.0 && x >= 0.0) {
        return f64::NAN;
    }
    if a == 0.0 || a.is_infinite() || x.is_infinite() {
        return if a == x { f64::NAN } else { 0.0 };
    }
    if x == 0.0 {
        return if a < 1.0 { f64::INFINITY } else { f64::from(u8::from(a == 1.0)) };
    }
    if (0.5..=LARGE).contains(&a) {
        damped(1.0 / gamma(a), a - 1.0, x)
    } else if (a / x).is_finite() {
        leading(a / x, a, x)
    } else {
        leading(a, a, x) / x
    }
}

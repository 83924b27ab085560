//! The regularised incomplete gamma functions and their density.

use super::gamma::{gamma, ln_gamma_one_plus, stirling_rest};
use super::normal::erfcx;
use super::{excess, horner};
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
    if a > LARGE && x > 0.35 * a && x < 2.2 * a {
        uniform(a, x)
    } else if x >= SMALL && x > a {
        Upper(upper_fraction(a, x))
    } else if x >= SMALL || a > 1.0 || a * Float::ln(x) < -0.4 {
        Lower(lower_series(a, x))
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

/// P by its power series (DLMF 8.11.4), all terms positive.
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut n) = (1.0, 1.0, a);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    leading(sum, a, x)
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

/// Q by Legendre's continued fraction, as a sum (Gautschi, *A computational procedure for incomplete gamma functions*,
/// 1979, section 5).
fn upper_fraction(a: f64, x: f64) -> f64 {
    let first = leading(1.0, a, x);
    if first == 0.0 {
        return 0.0;
    }
    let start = x + 1.0 - a;
    let (mut p, mut q, mut r, mut s) = (0.0, (x - 1.0 - a) * start, 4.0 * start, 1.0 - a);
    let (mut rho, mut term, mut sum) = (0.0, 1.0, 1.0);
    while libm::fabs(term) > 1e-17 * sum {
        p += s;
        q += r;
        r += 8.0;
        s += 2.0;
        let tau = p * (1.0 + rho);
        rho = tau / (q - tau);
        term *= rho;
        sum += term;
    }
    a / start * sum * first
}

/// The smaller of P and Q for large a about x = a by Temme's uniform expansion: half an erfc and a correction, whose
/// coefficients follow from the coefficients in `UNIFORM` backwards.
fn uniform(a: f64, x: f64) -> Shares {
    let mu = (x - a) / a;
    let half_square = excess(mu);
    let y = a * half_square;
    let eta = libm::copysign(libm::sqrt(2.0 * half_square), mu);
    let mut beta = [0.0; UNIFORM.len()];
    for n in (1..UNIFORM.len()).rev() {
        let next = beta.get(n + 1).map_or(0.0, |b| (n + 1) as f64 * b / a);
        beta[n - 1] = UNIFORM[n] + next;
    }
    let correction = horner(&beta, eta) / (1.0 + beta[1] / a) / libm::sqrt(2.0 * PI * a);
    let half = 0.5 * erfcx(libm::sqrt(y));
    if mu < 0.0 {
        Lower(Float::exp(-y) * (half - correction))
    } else {
        Upper(Float::exp(-y) * (half + correction))
    }
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

//! The normal distribution and the scaled complementary error function, with the derivatives that cancel when
//! they are put together from values.
//!
//! All of them rest on `W(y) = ∫ exp(-s(yu + u²/2)) du` over `u >= 0`, which is Mills' ratio for s = 1 and
//! `√π/2·erfcx(y)` for s = 2, and on the ratios `F_j` of its repeated integrals: `1/W = sy + F_1`,
//! `F_j = sj/(sy + F_{j+1})` (DLMF 7.9.1, 7.18.7).

use super::dd::Dd;
use core::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};
use num_traits::Float;

/// The highest derivative of erfcx.
const ORDERS: usize = 128;

/// The highest derivative of the logarithm of the normal distribution, for which a triangle of series is formed.
const LOG_ORDERS: usize = 64;
/// Up to this many derivatives use tables of this size: clearing larger tables takes longer than computing these.
const FEW: usize = 8;

/// 1/sqrt(2) as the sum of two doubles.
const ROOT_HALF: (f64, f64) = (FRAC_1_SQRT_2, -4.833_646_656_726_457e-17);

/// 1/sqrt(2π).
const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;

/// The integral `W` above for one unit of length.
#[derive(Clone, Copy)]
struct Scale {
    s: f64,
    /// `W(0) = √(π/2s)`, as the sum of two doubles.
    at_zero: Dd,
}

/// Lengths as in the normal distribution.
const DEVIATIONS: Scale =
    Scale { s: 1.0, at_zero: Dd { hi: 1.253_314_137_315_500_3, lo: -9.164_289_990_229_583e-17 } };
/// Lengths as in the error function.
const ERRORS: Scale =
    Scale { s: 2.0, at_zero: Dd { hi: 0.886_226_925_452_758, lo: -3.833_293_249_912_899_3e-17 } };

/// 1/k!! for k = first, first + 2, ..., the coefficients of the two series that `W` is made of.
const fn double_factorials(first: f64) -> [Dd; 30] {
    let (mut c, mut k) = ([Dd { hi: 1.0, lo: 0.0 }; 30], 1);
    while k < c.len() {
        c[k] = c[k - 1].over(first + 2.0 * k as f64);
        k += 1;
    }
    c
}
const EVEN: [Dd; 30] = double_factorials(0.0);
const ODD: [Dd; 30] = double_factorials(1.0);

impl Scale {
    /// `F_1, F_2, ...` up to `F_n`, all positive: by the continued fraction from its tail where it converges, else
    /// from `W` by its power series with twice the digits and the recurrence upwards. For `√s y >= -1.7` and `n <= N`.
    fn fractions<const N: usize>(self, y: f64, n: usize) -> [Dd; N] {
        let mut f = [Dd::from(0.0); N];
        let (Self { s, at_zero }, square) = (self, self.s * y * y);
        if y > 0.0 && square >= 1.44 {
            // The error of the tail shrinks as exp(-2√s y·√j), and further out by some digits at each step.
            let root = libm::sqrt(n as f64) + 15.0 / libm::sqrt(square);
            let last = 12.0 + libm::floor(root * root);
            // The solution of F = sj/(sy + F) for large j; the error shrinks as fast for large y.
            let middle = s * (last + 0.5);
            let mut below = 2.0 * middle / (s * y + libm::sqrt(s * square + 4.0 * middle));
            for j in (1..=last as usize).rev() {
                below = s * j as f64 / (s * y + below);
                if j <= n {
                    f[j - 1] = Dd::from(below);
                }
            }
            return f;
        }
        let (mut terms, mut size) = (0, 1.0);
        while size > 1e-28 && terms < EVEN.len() {
            terms += 1;
            size *= square / (2 * terms) as f64;
        }
        let square = Dd::product(y, y) * Dd::from(s);
        let (mut even, mut odd) = (Dd::from(0.0), Dd::from(0.0));
        for (&a, &b) in EVEN[..terms].iter().zip(&ODD[..terms]).rev() {
            (even, odd) = (even * square + a, odd * square + b);
        }
        let w = at_zero * even + Dd::from(-y) * odd;
        let shift = Dd::from(-s * y);
        let mut next = Dd::from(1.0) / w + shift;
        for (j, fraction) in f.iter_mut().enumerate().take(n) {
            *fraction = next;
            next = Dd::from(s * (j + 1) as f64) / next + shift;
        }
        f
    }
}

/// Numerator and denominator of `F_2` in lengths of the normal distribution, from the constant term: they agree with
/// `F_2` at the 24 zeros of a Chebyshev polynomial of `(y - 5)/(y + 5)`. Relative error below 6e-18 for `y >= 0`, below
/// 8e-17 with these rounded coefficients.
const SECOND: ([f64; 12], [f64; 13]) = (
    [
        1.253_314_137_315_500_3,
        1.710_694_901_216_971_7,
        1.190_653_956_892_922_2,
        0.547_336_909_278_824_4,
        0.182_724_323_321_891_17,
        0.046_235_254_160_381_566,
        0.009_020_814_243_698_038,
        0.001_356_370_152_669_985_3,
        1.543_182_349_020_276_7e-4,
        1.271_269_977_374_366_4e-5,
        6.885_425_739_934_119e-7,
        1.888_792_483_018_420_7e-8,
    ],
    [
        1.0,
        1.707_392_034_215_435,
        1.463_912_994_923_321_8,
        0.823_162_877_608_944,
        0.335_557_033_578_410_9,
        0.104_004_654_559_780_09,
        0.025_076_926_066_110_988,
        0.004_737_753_218_644_58,
        6.971_407_984_477_32e-4,
        7.819_193_131_199_757e-5,
        6.384_681_774_117_127e-6,
        3.442_712_869_967_059_5e-7,
        9.443_962_415_092_103e-9,
    ],
);

/// `F_1` and `F_2` in lengths of the normal distribution for `y >= 0`: 2 and 4 eps.
fn first_two(y: f64) -> [f64; 2] {
    let (numerator, denominator) = &SECOND;
    // The larger terms last: their rounding errors are the fewest.
    let second = if y < 4.0 {
        let sum = |terms: &[f64]| terms.iter().rev().fold(0.0, |sum, term| sum * y + term);
        sum(numerator) / sum(denominator)
    } else {
        let inverse = 1.0 / y;
        let sum = |terms: &[f64]| terms.iter().fold(0.0, |sum, term| sum * inverse + term);
        inverse * sum(numerator) / sum(denominator)
    };
    [1.0 / (y + second), second]
}

/// exp(x²) erfc x: inf at -inf, 0 at inf. 2 eps.
pub(crate) fn erfcx(x: f64) -> f64 {
    if x >= 0.0 {
        return 0.5 * FRAC_2_SQRT_PI / (x + FRAC_1_SQRT_2 * first_two(SQRT_2 * x)[0]);
    }
    if x < -26.64 {
        return f64::INFINITY;
    }
    let square = Dd::product(x, x);
    let e = Float::exp(square.hi);
    (e + e * square.lo) * libm::erfc(x)
}

/// The n-th derivative of erfcx for n <= 128, NaN beyond: (-1)^n inf at -inf, 0 at inf.
///
/// The product of erfcx and the ratios `F`, below 0 the recurrence (DLMF 7.18.7), whose terms have one sign there. 5.2 eps
/// for n <= 8.
pub(crate) fn erfcx_derivative(n: u32, x: f64) -> f64 {
    let (order, value) = (n as usize, erfcx(x));
    if order > ORDERS || x.is_nan() {
        return f64::NAN;
    }
    if x >= 0.0 {
        let product = |f: &[Dd]| f[..order].iter().fold(value, |product, f| -product * f.hi);
        return match order {
            0..=2 => {
                let [first, second] = first_two(SQRT_2 * x);
                [value, -SQRT_2 * (value * first), 2.0 * (value * first * second)][order]
            }
            3..=FEW => product(&ERRORS.fractions::<FEW>(x, order)),
            _ => product(&ERRORS.fractions::<ORDERS>(x, order)),
        };
    }
    let (mut before, mut derivative) = (-FRAC_2_SQRT_PI, value);
    for k in 0..n {
        let factor = if k == 0 { 1.0 } else { 2.0 * f64::from(k) };
        (before, derivative) = (derivative, 2.0 * x * derivative + factor * before);
    }
    derivative
}

/// exp(-x²/2)/sqrt(2π), 0 at ±inf. 1.9 eps.
pub(crate) fn norm_pdf(x: f64) -> f64 {
    if libm::fabs(x) > 40.0 {
        return 0.0;
    }
    let square = Dd::product(x, x);
    let e = Float::exp(-0.5 * square.hi);
    DENSITY_AT_ZERO * (e - 0.5 * e * square.lo)
}

/// The normal distribution: 0 at -inf, 1 at inf. 1.8 eps.
pub(crate) fn norm_cdf(x: f64) -> f64 {
    if x > 0.0 { 1.0 - tail(x) } else { tail(-x) }
}

/// The normal distribution at -x for x >= 0: half of erfc(x/sqrt(2)), with the rounding error of the quotient put
/// back.
fn tail(x: f64) -> f64 {
    if x > 40.0 {
        return 0.0;
    }
    let y = Dd::product(x, ROOT_HALF.0);
    let low = y.lo + x * ROOT_HALF.1;
    0.5 * (libm::erfc(y.hi) - FRAC_2_SQRT_PI * Float::exp(-y.hi * y.hi) * low)
}

/// The logarithm of the normal distribution: -inf at -inf, 0 at inf. 1.9 eps.
pub(crate) fn ln_norm_cdf(x: f64) -> f64 {
    if x > 0.0 {
        libm::log1p(-tail(x))
    } else if x > -1.0 {
        Float::ln(tail(-x))
    } else {
        Float::ln(0.5 * erfcx(-FRAC_1_SQRT_2 * x)) - 0.5 * x * x
    }
}

/// The inverse of the normal distribution: -inf at 0, inf at 1, NaN outside.
///
/// About 1/2 by the inverse of erf, in the tails by two steps of Halley on the logarithm of the distribution from M.
/// Abramowitz & I. A. Stegun, 26.2.23. 1.8 eps.
pub(crate) fn norm_quantile(p: f64) -> f64 {
    if p > 0.25 && p < 0.75 {
        return SQRT_2 * super::erfinv(2.0 * (p - 0.5));
    }
    // In the right tail 1 - p is exact.
    let (of_tail, sign) = if p < 0.5 { (p, -1.0) } else { (1.0 - p, 1.0) };
    if of_tail == 0.0 {
        return sign * f64::INFINITY;
    }
    let goal = Float::ln(of_tail);
    let t = libm::sqrt(-2.0 * goal);
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = above / below - t;
    for _ in 0..2 {
        let (residual, slope) = (ln_norm_cdf(x) - goal, inverse_mills(x));
        let step = residual / slope;
        x -= step / (1.0 + 0.5 * step * (x + slope));
    }
    -sign * x
}

/// The n-th derivative of the logarithm of the normal distribution for n <= 64, NaN beyond. The first is the
/// inverse of Mills' ratio: inf at -inf, 0 at inf; the others at -inf are -1, 0, 0, ...
///
/// From the power series about x: of `F_1`, which is `x + (ln Φ)'`, where `F_j' = -F_j(F_j - F_{j+1})`; on the right
/// of `r = (ln Φ)'` itself, where `r' = -r(x + r)`. 5 eps for n <= 3, 13 eps for
/// n = 4.
pub(crate) fn ln_norm_cdf_derivative(n: u32, x: f64) -> f64 {
    let order = n as usize;
    if order > LOG_ORDERS || x.is_nan() {
        return f64::NAN;
    }
    match order {
        0 => ln_norm_cdf(x),
        1 => inverse_mills(x),
        _ if x > 1.7 => right_derivative(order, x),
        2 if x < -1e8 => -1.0,
        2 if x > 0.0 => {
            let r = inverse_mills(x);
            -r * (x + r)
        }
        2 => {
            let [f, _] = first_two(-x);
            -f * (f - x)
        }
        3..=FEW => left_derivative::<FEW>(order, x),
        _ => left_derivative::<LOG_ORDERS>(order, x),
    }
}

/// The density over the distribution.
fn inverse_mills(x: f64) -> f64 {
    if x > 0.0 { norm_pdf(x) / norm_cdf(x) } else { first_two(-x)[0] - x }
}

fn right_derivative(n: usize, x: f64) -> f64 {
    let mut r = [0.0; LOG_ORDERS];
    r[0] = inverse_mills(x);
    if r[0] == 0.0 {
        return 0.0;
    }
    let mut factorial = 1.0;
    for j in 0..n - 1 {
        let shifted = |i: usize| match i {
            0 => x + r[0],
            1 => 1.0 + r[1],
            _ => r[i],
        };
        let sum: f64 = (0..=j).map(|i| r[i] * shifted(j - i)).sum();
        r[j + 1] = -sum / (j + 1) as f64;
        factorial *= (j + 1) as f64;
    }
    factorial * r[n - 1]
}

fn left_derivative<const N: usize>(n: usize, x: f64) -> f64 {
    let mut series = [[Dd::from(0.0); N]; N];
    for (row, f) in series.iter_mut().zip(DEVIATIONS.fractions::<N>(-x, n)) {
        row[0] = f;
    }
    let mut factorial = 1.0;
    for j in 0..n - 1 {
        let step = -((j + 1) as f64);
        for row in 0..n - 1 - j {
            let (f, next) = (&series[row], &series[row + 1]);
            let sum = (0..=j).fold(Dd::from(0.0), |sum, i| sum + f[i] * (f[j - i] + -next[j - i]));
            series[row][j + 1] = sum.over(step);
        }
        factorial *= -step;
    }
    factorial * series[0][n - 1].value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_ratios_agree_with_those_of_twice_the_digits() {
        for step in 0..4000 {
            let y = libm::exp2(f64::from(step) / 100.0 - 10.0) - libm::exp2(-10.0);
            let expected = DEVIATIONS.fractions::<2>(y, 2);
            for ((got, expected), most) in first_two(y).into_iter().zip(expected).zip([2.0, 4.0]) {
                let error = (got - expected.hi - expected.lo) / (expected.hi * f64::EPSILON);
                assert!(libm::fabs(error) < most, "{error} eps at {y}");
            }
        }
    }
}

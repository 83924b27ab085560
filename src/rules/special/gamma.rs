//! Γ and the derivatives of its logarithm.

use super::dd::Dd;
use super::horner;
use core::f64::consts::PI;
use num_traits::Float;

/// Γ'(2) = 1 - γ as the sum of two doubles (OEIS A153810).
const GAMMA_NEAR_TWO: (f64, f64) = (0.422_784_335_098_467_13, 4.942_915_152_430_645e-18);

/// Coefficients of (Γ(2+u) - 1 - Γ'(2) u)/u² for |u| <= 1/2: Chebyshev interpolation with 70 digits, error
/// 2.0e-17.
const GAMMA_CURVATURE: [f64; 18] = [
    0.411_840_330_426_439_7,
    0.081_576_919_247_086_25,
    0.074_249_010_753_501_9,
    -0.000_266_982_068_739_020_14,
    0.011_154_045_719_407_263,
    -0.002_852_645_821_793_512_6,
    0.002_103_933_288_481_185,
    -0.000_919_573_812_716_358_3,
    0.000_490_389_518_493_482_3,
    -0.000_240_941_969_689_783_81,
    0.000_121_661_585_083_502_45,
    -6.078_678_023_602_793e-05,
    3.053_527_107_183_507_5e-05,
    -1.527_579_527_694_604e-05,
    7.306_857_562_212_95e-06,
    -3.654_640_085_908_767_4e-06,
    2.543_172_324_346_474_6e-06,
    -1.271_747_373_471_533_1e-06,
];

/// The zero of digamma, as the sum of two doubles (OEIS A030169).
const DIGAMMA_ZERO: (f64, f64) = (1.461_632_144_968_362_2, 9.549_995_429_965_697e-17);

/// Coefficients of ψ(x0+u)/u, x0 the zero above, for 1 <= x0+u <= 2: Chebyshev interpolation with 70 digits,
/// error 3.0e-18.
const DIGAMMA_NEAR_ZERO: [f64; 23] = [
    0.967_672_245_447_621_2,
    -0.442_763_168_983_592_1,
    0.258_499_760_955_648_6,
    -0.163_942_705_442_411_85,
    0.107_824_050_691_692_2,
    -0.072_199_561_256_111_47,
    0.048_804_288_134_436_574,
    -0.033_161_126_478_145_46,
    0.022_597_649_284_372_79,
    -0.015_424_766_261_277_919,
    0.010_538_769_938_576_956,
    -0.007_204_519_666_511_045,
    0.004_927_058_026_774_201_6,
    -0.003_370_068_051_548_416_5,
    0.002_302_889_542_055_789_4,
    -0.001_574_202_168_136_65,
    0.001_090_122_523_445_857_8,
    -0.000_754_922_961_859_627_4,
    0.000_471_793_970_169_131_8,
    -0.000_284_313_229_252_613_3,
    0.000_280_534_368_674_686_7,
    -0.000_278_507_487_688_378_7,
    0.000_118_812_329_085_103_35,
];

/// Coefficients of (ψ(y+1/2) - ln y) y² in powers of 1/y² for y >= 5.5: Chebyshev interpolation with 70
/// digits, error 3e-18.
const DIGAMMA_LARGE: [f64; 9] = [
    0.041_666_666_666_666_664,
    -0.007_291_666_666_653_307,
    0.003_844_246_020_873_809_6,
    -0.004_134_111_149_179_2,
    0.007_560_411_906_254_051,
    -0.021_032_332_146_957_898,
    0.080_554_626_559_754_23,
    -0.349_029_566_067_048_3,
    1.074_362_449_415_366_3,
];

/// B_{2j}/(2j)! for j = 1..=12 (Abramowitz & Stegun, table 23.2).
pub(super) const BERNOULLI: [f64; 12] = [
    0.083_333_333_333_333_33,
    -0.001_388_888_888_888_889,
    3.306_878_306_878_307e-05,
    -8.267_195_767_195_768e-07,
    2.087_675_698_786_81e-08,
    -5.284_190_138_687_493e-10,
    1.338_253_653_068_467_9e-11,
    -3.389_680_296_322_582_7e-13,
    8.586_062_056_277_845e-15,
    -2.174_868_698_558_062e-16,
    5.509_002_828_360_229_5e-18,
    -1.395_446_468_581_252_2e-19,
];

/// Γ(x): ±inf at ±0, inf at inf, NaN at the negative integers and -inf.
///
/// Γ(2+u) with |u| <= 1/2 from the table, moved to x by the recurrence xΓ(x) = Γ(x+1) with twice the digits
/// (`libm`'s Lanczos form errs by 3.7 eps). 0.6 eps everywhere.
pub(crate) fn gamma(x: f64) -> f64 {
    if libm::fabs(x) < 1e-20 {
        return 1.0 / x;
    }
    if x > 172.0 {
        return f64::INFINITY;
    }
    if x < 0.0 && x == libm::round(x) || x.is_nan() {
        return f64::NAN;
    }
    if x < -185.0 {
        return if libm::fmod(libm::floor(x), 2.0) == 0.0 { 0.0 } else { -0.0 };
    }
    // Twice the digits end before Γ overflows, but not before it is subnormal.
    let scale = if x > 0.0 { libm::ldexp(1.0, -64) } else { 1.0 };
    gamma_times(scale, x).value() / scale
}

/// scale · Γ(x) for -185 < x < 172, x not a pole; the scale is a power of two.
pub(super) fn gamma_times(scale: f64, x: f64) -> Dd {
    let nearest = libm::round(x);
    let u = x - nearest;
    let base = (Dd::from(1.0) + Dd::from(u) * slope_at_two(u)) * Dd::from(scale);
    let m = nearest as i32;
    if m >= 2 {
        return ascending(2, m, u, base);
    }
    // The product of more than 170 factors overflows without this.
    let down = Dd::from(libm::ldexp(1.0, -200));
    base * down / ascending(m, 2, u, down)
}

/// (Γ(2+u) - 1)/u for |u| <= 1/2.
fn slope_at_two(u: f64) -> Dd {
    Dd::ordered_sum(GAMMA_NEAR_TWO.0, GAMMA_NEAR_TWO.1 + u * horner(&GAMMA_CURVATURE, u))
}

/// ln Γ(1+a) for 0 <= a <= 1, relative to itself about 0.
pub(super) fn ln_gamma_one_plus(a: f64) -> f64 {
    let log = |u: f64| libm::log1p(u * slope_at_two(u).hi);
    if a > 0.5 { log(a - 1.0) } else { log(a) - libm::log1p(a) }
}

/// start · (from+u)(from+1+u)...(to-1+u).
fn ascending(from: i32, to: i32, u: f64, start: Dd) -> Dd {
    (from..to).fold(start, |product, k| product * Dd::sum(f64::from(k), u))
}

/// ln|Γ(x)|: inf at the poles 0, -1, -2, ... and at ±inf.
///
/// `libm`'s (fdlibm's) function, which cancels about its zeros for x < -2: there the logarithm of Γ itself. The zeros
/// below -20 are as close to the poles as neighbouring doubles. 1.6 eps, also about the zeros 1 and 2; 0.05 eps
/// absolute at the negative zeros.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    if !(x > -20.0 && x < -2.0) || x == libm::round(x) {
        return libm::lgamma(x);
    }
    let g = gamma_times(1.0, x);
    let g = if g.hi < 0.0 { -g } else { g };
    if g.hi > 0.5 && g.hi < 2.0 { libm::log1p((g.hi - 1.0) + g.lo) } else { Float::ln(g.hi) }
}

/// ψ(x) = Γ'(x)/Γ(x): -inf at +0, inf at -0 (the sided limits), NaN at the negative integers and -inf, inf at
/// inf.
///
/// Table about the zero and recurrence with twice the digits for -20 < x < 6, table of the asymptotic form
/// beyond, reflection ψ(x) = ψ(1-x) - π cot πx below (Abramowitz & Stegun 6.3.5, 6.3.7, 6.3.18). 1.8 eps for
/// x > 0, also about the zero there; for -20 < x < 0 0.8 eps, absolute where |ψ| < 1; below, where its zeros
/// are ill-conditioned beyond any use, 5 eps down to -50 and 14 eps at -1e4.
pub(crate) fn digamma(x: f64) -> f64 {
    if libm::fabs(x) < 1e-17 {
        return -1.0 / x;
    }
    if x < 0.0 && x == libm::round(x) {
        return f64::NAN;
    }
    if x <= -20.0 {
        digamma_large(1.0 - x) - pi_cot_pi(x - libm::round(x))
    } else if x < 6.0 {
        digamma_moderate(x)
    } else {
        digamma_large(x)
    }
}

/// ln Γ(z) - (z - 1/2) ln z + z - ln(2π)/2 for z >= 10 (Abramowitz & Stegun 6.1.42).
pub(super) fn stirling_rest(z: f64) -> f64 {
    let w = 1.0 / z;
    // (2j)!/(2j(2j-1)) = (2j-2)!
    let mut factorial = 1.0;
    let coefficients: [f64; 8] = core::array::from_fn(|j| {
        let k = 2.0 * j as f64;
        factorial *= if j == 0 { 1.0 } else { (k - 1.0) * k };
        BERNOULLI[j] * factorial
    });
    w * horner(&coefficients, w * w)
}

fn digamma_moderate(x: f64) -> f64 {
    let steps = libm::round(1.5 - x) as i32;
    let start = Dd::sum(x, f64::from(steps));
    let u = (start.hi - DIGAMMA_ZERO.0) + (start.lo - DIGAMMA_ZERO.1);
    let at_start = Dd::from(u * horner(&DIGAMMA_NEAR_ZERO, u));
    let between = (steps.min(0)..steps.max(0))
        .fold(Dd::from(0.0), |sum, k| sum + Dd::from(1.0) / Dd::sum(x, f64::from(k)));
    (at_start + if steps > 0 { -between } else { between }).value()
}

fn digamma_large(x: f64) -> f64 {
    let y = x - 0.5;
    let t = 1.0 / y / y;
    Float::ln(y) + t * horner(&DIGAMMA_LARGE, t)
}

/// π cot πr for 0 < |r| <= 1/2; about the zeros at ±1/2 from the exact distance.
fn pi_cot_pi(r: f64) -> f64 {
    if libm::fabs(r) <= 0.25 {
        PI / libm::tan(PI * r)
    } else {
        libm::copysign(PI * libm::tan(PI * (0.5 - libm::fabs(r))), r)
    }
}

/// The n-th derivative of ψ: (-1)^(n+1) n! ζ(n+1, x) (Abramowitz & Stegun 6.4.10), for n <= 128, NaN beyond.
///
/// At 0, -1, -2, ...: inf for odd n; for even n the sided limit at ±0 and NaN at the negative integers. 0 at inf, NaN
/// at -inf. 1 eps for n = 1, 2 and x > 0, else 0.5 eps, except next to the negative zeros of even n.
pub(crate) fn polygamma(n: u32, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    if n > 128 || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    let even = n & 1 == 0;
    if x <= 0.0 && x == libm::round(x) {
        return match (even, x == 0.0) {
            (false, _) => f64::INFINITY,
            (true, true) => -1.0 / x,
            (true, false) => f64::NAN,
        };
    }
    let magnitude = if x == f64::INFINITY {
        0.0
    } else if x > 1e20 {
        // (n-1)!/x^n: the sum would overflow before its factors cancel.
        let (m, e) = libm::frexp(x);
        scale((factorial(n - 1) / Dd::from(m).powi(n)).value(), e, n)
    } else {
        match n {
            1 if x > TINY => zeta::<2>(x),
            2 if x > TINY => 2.0 * zeta::<3>(x),
            _ => factorial_zeta(n, x),
        }
    };
    if even { -magnitude } else { magnitude }
}

/// n! ζ(n+1, x), for x < 0 as the sum over all integers less the sum over those beyond x.
fn factorial_zeta(n: u32, x: f64) -> f64 {
    let s = n + 1;
    let r = x - libm::round(x);
    // Powers of the smallest x+k dominate: sums in its unit neither overflow nor underflow.
    let (_, e) = libm::frexp(if x > 0.0 { x } else { r });
    let unit = Dd::from(libm::ldexp(1.0, e));
    let zeta = if x > 0.0 {
        hurwitz(s, Dd::from(x), unit)
    } else {
        let beyond = hurwitz(s, Dd::sum(1.0, -x), unit);
        if s & 1 == 1 && libm::fabs(r) == 0.5 {
            beyond // the terms of all integers cancel
        } else {
            let (above, below) = (hurwitz(s, Dd::sum(1.0, r), unit), hurwitz(s, Dd::sum(1.0, -r), unit));
            let rest = if s & 1 == 1 { beyond + -below } else { below + -beyond };
            (unit / Dd::from(r)).powi(s) + (above + rest)
        }
    };
    scale((zeta * factorial(n)).value(), e, s)
}

/// y 2^(-e s), saturating.
fn scale(y: f64, e: i32, s: u32) -> f64 {
    libm::ldexp(y, e.saturating_mul(s.cast_signed()).saturating_neg())
}

/// Arguments below this have powers that overflow.
const TINY: f64 = 1e-60;

/// ζ(S, x) for few S: the largest term and the integral of the rest with twice the digits, the other terms without.
fn zeta<const S: usize>(x: f64) -> f64 {
    let s = S as f64;
    let coefficients = const {
        let mut all = BERNOULLI;
        let (mut rising, mut j) = (S as f64, 0);
        while j < all.len() {
            all[j] *= rising;
            let k = (S + 2 * j + 1) as f64;
            rising *= k * (k + 1.0);
            j += 1;
        }
        all
    };
    let power = |r: f64| (1..S).fold(r, |power, _| power * r);
    let steps = libm::ceil(8.0 + s - x).max(0.0);
    let (end, r) = (Dd::sum(x, steps), 1.0 / (x + steps));
    let Dd { hi: mut sum, lo } = (Dd::from(1.0) / end).powi(S as u32 - 1).over(s - 1.0);
    let mut rest = lo + power(r) * (0.5 + r * horner(&coefficients, r * r));
    for k in (0..steps as u32).rev() {
        let a = Dd::sum(x, f64::from(k));
        let term = if k == 0 {
            (Dd::from(1.0) / a).powi(S as u32)
        } else {
            let t = power(1.0 / a.hi);
            Dd { hi: t, lo: -s * t * (a.lo / a.hi) }
        };
        let next = Dd::sum(sum, term.hi);
        (sum, rest) = (next.hi, rest + (next.lo + term.lo));
    }
    sum + rest
}

pub(super) fn factorial(n: u32) -> Dd {
    (2..=n).fold(Dd::from(1.0), |product, k| product * Dd::from(f64::from(k)))
}

/// The sum over k >= 0 of (unit/(a+k))^s for s >= 2, a > 0: terms up to a+k = 8+s, Euler-Maclaurin beyond
/// (Johansson, *Rigorous high-precision computation of the Hurwitz zeta function*, 2015, section 2).
fn hurwitz(s: u32, mut a: Dd, unit: Dd) -> Dd {
    let order = f64::from(s);
    let mut sum = Dd::from(0.0);
    while a.hi < 8.0 + order {
        let term = (unit / a).powi(s);
        sum = sum + term;
        if term.hi <= 1e-22 * sum.hi {
            return sum;
        }
        a = a + Dd::from(1.0);
    }
    let w = 1.0 / (a.hi * a.hi);
    let (mut tail, mut k) = (0.0, order + 2.0 * BERNOULLI.len() as f64);
    for coefficient in BERNOULLI.iter().rev() {
        tail = coefficient + tail * (k - 1.0) * k * w;
        k -= 2.0;
    }
    let inner = a / Dd::from(order - 1.0) + Dd::sum(0.5, tail * order / a.hi);
    sum + (unit / a).powi(s) * inner
}

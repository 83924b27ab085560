//! Sines and cosines over their argument.

use num_traits::Float;

use super::{Turn, below, cardinal, over, with_side};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::Literal;
use crate::rules::plane::turned;

/// `2k·sᵏ/(2k+1)!` for k = 1, 2, …: the coefficients of `sinc′` (s = −1) and `sinhc′` (s = 1) at `x²ᵏ⁻¹`.
const fn cardinal_series(sign: f64) -> [f64; 16] {
    let (mut c, mut term, mut i) = ([0.0; 16], 1.0, 0);
    while i < 16 {
        let k = (i + 1) as f64;
        term *= sign / (2.0 * k * (2.0 * k + 1.0));
        c[i] = 2.0 * k * term;
        i += 1;
    }
    c
}
pub(in crate::rules) const SINC: [f64; 16] = cardinal_series(-1.0);
const SINHC: [f64; 16] = cardinal_series(1.0);

/// `(2k+1)/(2k+2)!` for k = 0, 1, …: the coefficients of `coshc′ + 1/x²` at `x²ᵏ`.
const COSHC: [f64; 16] = {
    let (mut c, mut factorial, mut i) = ([0.0; 16], 1.0, 0);
    while i < 16 {
        let n = (2 * i + 1) as f64;
        factorial *= n * (n + 1.0);
        c[i] = n / factorial;
        i += 1;
    }
    c
};

/// The first zero of `sinc″`, and the coefficients of `sinc′` about it (60 digits by mpmath, the second one is zero).
const SINC_TURN: Turn<17> = Turn {
    at: [2.081_575_977_818_100_7, -5.396_937_873_960_832e-17],
    within: 0.45,
    c: [
        -0.436_181_817_271_458_5,
        0.0,
        0.117_424_859_769_979_48,
        -0.005_367_347_011_052_083,
        -0.006_562_277_967_784_69,
        0.000_290_662_754_213_524_5,
        0.000_163_271_605_304_467_54,
        -6.489_360_832_916_985_5e-6,
        -2.317_432_530_250_227_6e-6,
        8.211_312_956_299_276e-8,
        2.132_595_173_642_432e-8,
        -6.774_320_574_860_138e-10,
        -1.377_279_855_493_165_8e-10,
        3.953_344_761_921_951e-12,
        6.590_361_806_740_302e-13,
        -1.722_789_450_442_119_6e-14,
        -2.430_945_205_197_133_4e-15,
    ],
};

/// The first zero of the fifth derivative of `cos x/x`, where the fourth is small too, and the coefficients of the first
/// about it (70 digits by mpmath, the fifth one is zero).
const COSC_TURN: Turn<29> = Turn {
    at: [3.090_988_787_000_377, -1.223_152_079_232_377_8e-17],
    within: 0.45,
    c: [
        0.088_167_468_961_276_21,
        0.266_058_862_161_798_2,
        -0.120_931_256_301_323_77,
        -0.001_686_075_734_495_790_1,
        0.0,
        0.002_692_557_749_769_852,
        -0.000_993_553_982_480_729,
        0.000_303_246_507_979_468_5,
        -0.000_110_775_827_965_708_45,
        4.071_074_541_831_409e-5,
        -1.448_335_271_556_086_9e-5,
        5.103_545_238_168_558e-6,
        -1.788_730_615_043_168_3e-6,
        6.232_587_030_749_121e-7,
        -2.160_398_007_453_274_6e-7,
        7.455_274_226_812_112e-8,
        -2.562_684_517_348_824_8e-8,
        8.778_520_833_287_21e-9,
        -2.997_816_254_205_266_2e-9,
        1.020_901_810_488_411_1e-9,
        -3.467_974_084_997_843e-10,
        1.175_389_481_698_567_6e-10,
        -3.975_479_566_567_026_4e-11,
        1.342_071_029_725_635_8e-11,
        -4.522_794_329_903_991e-12,
        1.521_748_031_853_873_5e-12,
        -5.112_528_421_183_169e-13,
        1.715_270_319_960_169_5e-13,
        -5.747_448_783_107_618e-14,
    ],
};

/// `Σ (2k+1) cₖ x²ᵏ`, the derivative of [`odd_series`].
fn even_series<T: Number>(x: T, c: &[f64]) -> T {
    let u = x * x;
    let odd = |k: usize| (2 * k + 1) as f64;
    c.iter().enumerate().rev().fold(T::lit(0.0), |s, (k, &c)| (s * u).plus(odd(k) * c))
}

/// `x·Σ cₖ x²ᵏ`.
fn odd_series<T: Number>(x: T, c: &[f64]) -> T {
    let u = x * x;
    c.iter().rev().fold(T::lit(0.0), |s, &c| (s * u).plus(c)) * x
}

/// `sinc′`: by its series where `(cos x − f)/x` cancels, by another series about the first zero of `sinc″`, for
/// larger `x` by its own row, which is accurate at its zeros.
#[inline]
pub(in crate::rules) fn sinc_prime<T: Number>(x: T) -> T {
    if let Some(u) = SINC_TURN.distance(x) {
        with_side(x, SINC_TURN.derivative(0, u))
    } else if below(x, 2.5) {
        odd_series(x, &SINC)
    } else {
        x.sinc_slope()
    }
}

/// `sinc″ = −sinc − 2·sinc′/x`, by the derivatives of the series where that cancels.
#[inline]
pub(in crate::rules) fn sinc_second<T: Number>(x: T, f: T) -> T {
    if let Some(u) = SINC_TURN.distance(x) {
        SINC_TURN.derivative(1, u)
    } else if below(x, 2.5) {
        even_series(x, &SINC)
    } else {
        -x.sinc() - over(f.times(2.0), x)
    }
}

/// `(cosh x − sinhc x)/x`, by the series where the difference cancels, for large `|x|` by the limit; for complex
/// numbers by `sinhc x = sinc ix`, whose derivative is accurate at its zeros.
#[inline]
pub(in crate::rules) fn sinhc_prime<T: Number>(x: T, f: T) -> T {
    if below(x, 2.5) {
        odd_series(x, &SINHC)
    } else if !T::REAL {
        turned(turned(x).sinc_slope())
    } else {
        hyperbolic_quotient(x, f).unwrap_or_else(|| over(x.cosh() - f, x))
    }
}

/// `(sinh x − coshc x)/x`, whose terms cancel in higher derivatives: for small `x` `−1/x²` and a series, for large
/// `|x|` the limit.
#[inline]
pub(in crate::rules) fn coshc_prime<T: Number>(x: T, f: T) -> T {
    if !T::REAL
        && let Some(u) = COSC_TURN.distance(turned(x))
    {
        return -COSC_TURN.derivative(0, u);
    }
    if T::REAL && below(x, 2.5) && !below(x, 0.5) {
        let u = x * x;
        return COSHC.iter().rev().fold(T::lit(0.0), |s, &c| (s * u).plus(c)) - u.recip();
    }
    hyperbolic_quotient(x, f).unwrap_or_else(|| over(x.sinh() - f, x))
}

/// `f·(±1 − 1/x)`, the derivative of `f = sinh x/x` and `f = cosh x/x` where both are `±e^|x|/2x` to the last digit (in
/// the real part): there `f` is finite where `sinh x` is not. For huge `|x|` the second term has its limit 0.
#[inline]
fn hyperbolic_quotient<T: Number>(x: T, f: T) -> Option<T> {
    let re = x.re().primal().to_double();
    let sign = if re < 0.0 { -1.0 } else { 1.0 };
    if re.abs() > 1e17 { Some(f.times(sign)) } else { (re.abs() > 20.0).then(|| f * (-x.recip()).plus(sign)) }
}

/// `−(sin x + cosc x)/x`, and 0 at infinity; for complex numbers by `cosc x = i·coshc ix`.
#[inline]
pub(in crate::rules) fn cosc_prime<T: Number>(x: T, f: T) -> T {
    if Float::is_infinite(x.magnitude()) {
        T::lit(0.0)
    } else if let Some(u) = COSC_TURN.distance(x) {
        COSC_TURN.derivative(0, u)
    } else if T::REAL {
        -(x.sin() + f) / x
    } else {
        -coshc_prime(turned(x), -turned(f))
    }
}

/// The derivatives of `cosc`.
pub(in crate::rules) fn cosc_orders<T: Number>(x: T, f: T, out: &mut [T]) {
    cardinal([x, f], out, [x.cos(), -x.sin()], -1.0, (false, 0));
    beside_cosc_turn(x, out, |_, d| d);
}

/// The derivatives of `coshc x = i·cosc ix`.
pub(in crate::rules) fn coshc_orders<T: Number>(x: T, f: T, out: &mut [T]) {
    cardinal([x, f], out, [x.cosh(), x.sinh()], 1.0, (false, 0));
    if !T::REAL {
        beside_cosc_turn(turned(x), out, |k, d| (0..=k).fold(d, |d, _| turned(d)));
    }
}

/// Writes the first five derivatives of `cosc` near its turn, by the polynomial, each mapped by `of` with its order.
fn beside_cosc_turn<T: Number>(x: T, out: &mut [T], of: impl Fn(usize, T) -> T) {
    let Some(u) = COSC_TURN.distance(x) else { return };
    for (k, out) in out.iter_mut().enumerate().take(5) {
        let d = COSC_TURN.derivative(k, u);
        *out = of(k + 1, if k % 2 == 0 { d } else { with_side(x, d) });
    }
}

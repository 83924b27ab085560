//! The elementary functions of one number, without branches.
//!
//! Logarithms and circular functions are from FreeBSD's msun (Sun Microsystems, 1993), small `tanh` is from Cephes.

/// `1.5·2⁵²`: adding it rounds a number to an integer, which is in the last bits of the sum.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// `ln 2` in two parts; the first has 20 zeros at its end.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// `1/k!`, from `k = 2` on.
const FACTORIALS: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// The polynomial with these coefficients, constant first.
#[cfg_attr(not(debug_assertions), inline(always))]
fn horner<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    coefficients.iter().rev().skip(1).fold(coefficients[N - 1], |sum, c| sum * x + c)
}

/// `eˣ` for `|x| ≤ 708`, and its rounding error.
#[cfg_attr(not(debug_assertions), inline(always))]
fn exp_and_rest(x: f64) -> [f64; 2] {
    let turns = x * std::f64::consts::LOG2_E + WHOLE;
    let n = turns - WHOLE;
    let (hi, lo) = (x - n * LN_2[0], n * LN_2[1]);
    let r = hi - lo;
    let rest = (hi - r) - lo;
    let more = r * r * horner(FACTORIALS, r) + (rest + rest * r);
    let first = 1.0 + r;
    let more = ((1.0 - first) + r) + more;
    let sum = first + more;
    let scale = f64::from_bits(turns.to_bits().wrapping_add(1023) << 52);
    [sum * scale, ((first - sum) + more) * scale]
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn known_if(is_known: bool, y: f64) -> f64 {
    if is_known { y } else { f64::NAN }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn exp(x: f64) -> f64 {
    known_if(x.abs() <= 708.0, exp_and_rest(x)[0])
}

/// The polynomial of `ln(1 + f) = f − f²/2 + s·(f²/2 + R)`, `s = f/(2 + f)`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn of_ln(s: f64) -> f64 {
    let (z, w) = (s * s, (s * s) * (s * s));
    let even = [3.999_999_999_940_942e-1, 2.222_219_843_214_978_4e-1, 1.531_383_769_920_937_3e-1];
    let odd = [
        6.666_666_666_666_735e-1,
        2.857_142_874_366_239e-1,
        1.818_357_216_161_805e-1,
        1.479_819_860_511_658_6e-1,
    ];
    w * horner(even, w) + z * horner(odd, w)
}

/// `u = 2ᵏ·(1 + f)` with `1 + f` in `[√½, √2)`: `k` and `f`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn taken_apart(u: f64) -> [f64; 2] {
    const ROOT: u64 = 0x3fe6_a09e_0000_0000;
    let bits = u.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - ROOT);
    // A number below 2⁵² as the last bits of a number with this exponent.
    let k = f64::from_bits(bits >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT) - 1.0;
    [k, f]
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn ln(x: f64) -> f64 {
    let [k, f] = taken_apart(x);
    let (half, s) = (0.5 * f * f, f / (2.0 + f));
    let y = s * (half + of_ln(s)) + k * LN_2[1] - half + f + k * LN_2[0];
    known_if((f64::MIN_POSITIVE..=f64::MAX).contains(&x), y)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    let rest = if x >= 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let [k, f] = taken_apart(u);
    let [f, c] = if k == 0.0 { [x, 0.0] } else { [f, rest / u] };
    let (half, s) = (0.5 * f * f, f / (2.0 + f));
    let y = s * (half + of_ln(s)) + (k * LN_2[1] + c) - half + f + k * LN_2[0];
    known_if(x > -1.0 && x <= f64::MAX, if x.abs() < f64::EPSILON / 2.0 { x } else { y })
}

/// `1 − 2/(e²ᵃ + 1)`, and below 0.55 a quotient of polynomials.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn tanh(x: f64) -> f64 {
    let (a, z) = (x.abs(), x * x);
    let is_small = a < 0.55;
    let [e, rest] = exp_and_rest(2.0 * if a < 20.0 { a } else { 20.0 });
    let d = e + 1.0;
    let rest = ((e - d) + 1.0) + rest;
    let p = [-1.614_687_684_417_084_5e3, -9.928_772_310_019_186e1, -9.643_991_794_250_522e-1];
    let q = [4.844_063_053_251_255e3, 2.235_488_390_601_004_5e3, 1.128_116_784_916_329_3e2, 1.0];
    let quotient = (if is_small { horner(p, z) } else { 2.0 }) / (if is_small { horner(q, z) } else { d });
    let large = 1.0 - (quotient - quotient * (rest * quotient * 0.5));
    let y = if is_small { a + a * z * quotient } else { large };
    known_if(a <= f64::MAX, y.copysign(x))
}

/// `x = n·π/2 + y`: the last bits of `n`, and `y` in two parts; NaN where these do not have all digits.
#[cfg_attr(not(debug_assertions), inline(always))]
fn reduced(x: f64) -> (u64, [f64; 2]) {
    const HALF_PI: [f64; 3] =
        [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
    let turns = x * std::f64::consts::FRAC_2_PI + WHOLE;
    let n = turns - WHOLE;
    let first = x - n * HALF_PI[0];
    let w = n * HALF_PI[1];
    let r = first - w;
    let w = n * HALF_PI[2] - ((first - r) - w);
    let y = r - w;
    let is_known = x.abs() < 5e5 && (n == 0.0 || y.abs() > 1e-12);
    (turns.to_bits(), [known_if(is_known, y), (r - y) - w])
}

/// The sine of `n·π/2 + y`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn sine(n: u64, [x, y]: [f64; 2]) -> f64 {
    let z = x * x;
    let w = z * z;
    let r = 8.333_333_333_322_49e-3
        + z * (-1.984_126_982_985_795e-4 + z * 2.755_731_370_707_006_8e-6)
        + z * w * (-2.505_076_025_340_686_3e-8 + z * 1.589_690_995_211_55e-10);
    let v = z * x;
    let sin = x - ((z * (0.5 * y - v * r) - y) - v * -1.666_666_666_666_663_2e-1);
    let r = z * (4.166_666_666_666_66e-2 + z * (-1.388_888_888_887_411e-3 + z * 2.480_158_728_947_673e-5))
        + w * w
            * (-2.755_731_435_139_066_3e-7
                + z * (2.087_572_321_298_175e-9 + z * -1.135_964_755_778_819_5e-11));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * r - x * y));
    let y = if n & 1 == 0 { sin } else { cos };
    f64::from_bits(y.to_bits() ^ (n & 2) << 62)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn sin(x: f64) -> f64 {
    let (n, y) = reduced(x);
    sine(n, y)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn cos(x: f64) -> f64 {
    let (n, y) = reduced(x);
    sine(n.wrapping_add(1), y)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn softplus(x: f64) -> f64 {
    let y = ln_1p(exp(-x.abs()));
    if x > 0.0 { x + y } else { y }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn sech2(x: f64) -> f64 {
    let t = exp(-2.0 * x.abs());
    let s = 1.0 + t;
    let rest = (1.0 - s) + t;
    known_if(x.abs() <= 300.0, 4.0 * t / (s * s) * (1.0 - 2.0 * rest))
}

/// `tanh″ = −2t·s` with `t = tanh x`, `s = sech² x`. The rules decide the sign at 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn tanh_2(x: f64) -> f64 {
    known_if(x != 0.0, -2.0 * tanh(x) * sech2(x))
}

/// `tanh‴ = 2s·(3t² − 1)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn tanh_3(x: f64) -> f64 {
    const ROOT_THIRD: f64 = 0.577_350_269_189_625_7;
    let t = tanh(x.abs());
    let from_root = from_zero(x, [0.658_478_948_462_408_4, -4.341_125_422_426_011e-17], ROOT_THIRD);
    let near_root = 3.0 * from_root * (t + ROOT_THIRD);
    2.0 * sech2(x) * if t < 0.3 { 3.0 * t * t - 1.0 } else { near_root }
}

/// `tanh⁗ = 8t·s·(2 − 3t²)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn tanh_4(x: f64) -> f64 {
    const ROOT_TWO_THIRDS: f64 = 0.816_496_580_927_726;
    let t = tanh(x);
    let from_root = from_zero(x, [1.146_215_834_780_588_9, -1.639_731_836_152_594_7e-17], ROOT_TWO_THIRDS);
    known_if(x != 0.0, 8.0 * t * sech2(x) * (-3.0 * from_root * (t.abs() + ROOT_TWO_THIRDS)))
}

/// `tanh |x| − r` for `r = tanh(at)`, by the addition theorem: with all digits near `at`, a sum of two doubles.
#[cfg_attr(not(debug_assertions), inline(always))]
fn from_zero(x: f64, at: [f64; 2], r: f64) -> f64 {
    let v = tanh(x.abs() - at[0] - at[1]);
    v * (1.0 - r * r) / (1.0 + r * v)
}

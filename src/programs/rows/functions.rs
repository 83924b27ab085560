//! Elementary functions of sixteen numbers.
//!
//! Each is written for one number, without branches, so that the compiler makes loops over registers of it. All
//! multiply and add in the same order, without fusing: results depend neither on the processor nor on the position
//! among the sixteen. The partials of powers are the exception: they call the platform's power. A function is NaN outside
//! its range (at NaN, infinities, very large or subnormal arguments); for such numbers the rule itself is used. `exp`, `ln`,
//! `ln_1p`, `tanh`, `sin` and `cos` err by less than 1 ulp, `hypot` by 1.21 ulp, first partials of two numbers by 2.5 ulp,
//! second ones by 5 ulp (of its terms, if it is a sum), the others by no more than the scalar rules.
//!
//! Logarithms and circular functions are from FreeBSD's msun (Sun Microsystems, 1993), small `tanh` is from Cephes.

use std::any::TypeId;

use super::super::rules::RuleEntry;
use super::line::Line;
use crate::rules;

/// The functions that have a kernel, of one number and of two: name, kernel, and the rules with the orders of the derivative.
macro_rules! functions {
    (
        one { $($Name:ident $kernel:ident: $($orders:tt $Rule:ident),+;)* }
        two { $($Name2:ident $kernel2:ident: $orders2:tt $Rule2:ident;)* }
    ) => {
        /// A function that has a kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum LaneFunction {
            $($Name,)*
            $($Name2,)*
        }

        impl LaneFunction {
            /// The function of a rule or of its derivative.
            pub(super) fn of(entry: &RuleEntry) -> Option<Self> {
                let is = |orders: [u8; 2], rule: TypeId| entry.orders == orders && entry.rule.kind() == rule;
                $($(if is($orders, TypeId::of::<rules::$Rule>()) {
                    return Some(LaneFunction::$Name);
                })+)*
                $(if is($orders2, TypeId::of::<rules::$Rule2>()) {
                    return Some(LaneFunction::$Name2);
                })*
                None
            }
            /// The values, or NaN. Functions of one number do not read `y`.
            #[inline(always)]
            pub(super) fn values(self, x: &mut Line, y: &Line) {
                match self {
                    $(LaneFunction::$Name => {
                        for x in x {
                            *x = $kernel(*x);
                        }
                    })*
                    $(LaneFunction::$Name2 => {
                        for (x, y) in x.iter_mut().zip(y) {
                            *x = $kernel2(*x, *y);
                        }
                    })*
                }
            }
        }
    };
}
functions! {
    one {
        Exp exp: [0, 0] Exp; Ln ln: [0, 0] Ln; Ln1p ln_1p: [0, 0] Ln1p; Tanh tanh: [0, 0] Tanh; Sin sin: [0, 0] Sin;
        Cos cos: [0, 0] Cos; Softplus softplus: [0, 0] Softplus; Sigmoid sigmoid: [0, 0] Sigmoid;
        Sech2 sech2: [0, 0] Sech2, [1, 0] Tanh;
    }
    two {
        Hypot hypot: [0, 0] Hypot; UnitX unit_x: [1, 0] Hypot; UnitY unit_y: [0, 1] Hypot;
        HypotXx hypot_xx: [2, 0] Hypot; HypotXy hypot_xy: [1, 1] Hypot; HypotYy hypot_yy: [0, 2] Hypot;
        AngleY angle_y: [1, 0] Atan2; AngleX angle_x: [0, 1] Atan2;
        AngleYy angle_yy: [2, 0] Atan2; AngleYx angle_yx: [1, 1] Atan2; AngleXx angle_xx: [0, 2] Atan2;
        PowX pow_x: [1, 0] Powf; PowY pow_y: [0, 1] Powf;
        PowXx pow_xx: [2, 0] Powf; PowXy pow_xy: [1, 1] Powf; PowYy pow_yy: [0, 2] Powf;
    }
}

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
#[inline(always)]
fn horner<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    coefficients.iter().rev().skip(1).fold(coefficients[N - 1], |sum, c| sum * x + c)
}

/// `eˣ` for `|x| ≤ 708`, and its rounding error.
#[inline(always)]
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

#[inline(always)]
fn known_if(is_known: bool, y: f64) -> f64 {
    if is_known { y } else { f64::NAN }
}

#[inline(always)]
fn exp(x: f64) -> f64 {
    known_if(x.abs() <= 708.0, exp_and_rest(x)[0])
}

/// The polynomial of `ln(1 + f) = f − f²/2 + s·(f²/2 + R)`, `s = f/(2 + f)`.
#[inline(always)]
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
#[inline(always)]
fn taken_apart(u: f64) -> [f64; 2] {
    const ROOT: u64 = 0x3fe6_a09e_0000_0000;
    let bits = u.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - ROOT);
    // A number below 2⁵² as the last bits of a number with this exponent.
    let k = f64::from_bits(bits >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT) - 1.0;
    [k, f]
}

#[inline(always)]
fn ln(x: f64) -> f64 {
    let [k, f] = taken_apart(x);
    let (half, s) = (0.5 * f * f, f / (2.0 + f));
    let y = s * (half + of_ln(s)) + k * LN_2[1] - half + f + k * LN_2[0];
    known_if((f64::MIN_POSITIVE..=f64::MAX).contains(&x), y)
}

#[inline(always)]
fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    let rest = if x >= 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let [k, f] = taken_apart(u);
    let [f, c] = if k == 0.0 { [x, 0.0] } else { [f, rest / u] };
    let (half, s) = (0.5 * f * f, f / (2.0 + f));
    let y = s * (half + of_ln(s)) + (k * LN_2[1] + c) - half + f + k * LN_2[0];
    known_if(x > -1.0 && x <= f64::MAX, if x.abs() < f64::EPSILON / 2.0 { x } else { y })
}

/// `1 − 2/(e²ᵃ + 1)`, and below 0.55 a quotient of polynomials.
#[inline(always)]
fn tanh(x: f64) -> f64 {
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
#[inline(always)]
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
#[inline(always)]
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

#[inline(always)]
fn sin(x: f64) -> f64 {
    let (n, y) = reduced(x);
    sine(n, y)
}

#[inline(always)]
fn cos(x: f64) -> f64 {
    let (n, y) = reduced(x);
    sine(n.wrapping_add(1), y)
}

#[inline(always)]
fn softplus(x: f64) -> f64 {
    let y = ln_1p(exp(-x.abs()));
    if x > 0.0 { x + y } else { y }
}

#[inline(always)]
fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

#[inline(always)]
fn sech2(x: f64) -> f64 {
    let t = exp(-2.0 * x.abs());
    let s = 1.0 + t;
    let rest = (1.0 - s) + t;
    known_if(x.abs() <= 300.0, 4.0 * t / (s * s) * (1.0 - 2.0 * rest))
}

/// `x² + y²` where the larger square has all digits.
#[inline(always)]
fn square_sum(x: f64, y: f64) -> f64 {
    let sum = x * x + y * y;
    known_if((1e-290..=1e300).contains(&sum), sum)
}

#[inline(always)]
fn hypot(x: f64, y: f64) -> f64 {
    square_sum(x, y).sqrt()
}

/// `∂ hypot/∂x`. The sum with 0 turns −0 into 0, here and below, as in the rules.
#[inline(always)]
fn unit_x(x: f64, y: f64) -> f64 {
    x / hypot(x, y) + 0.0
}

/// `∂ hypot/∂y`.
#[inline(always)]
fn unit_y(x: f64, y: f64) -> f64 {
    y / hypot(x, y) + 0.0
}

/// `∂ atan2(y, x)/∂y`.
#[inline(always)]
fn angle_y(y: f64, x: f64) -> f64 {
    x / square_sum(x, y) + 0.0
}

/// `∂ atan2(y, x)/∂x`.
#[inline(always)]
fn angle_x(y: f64, x: f64) -> f64 {
    -y / square_sum(x, y) + 0.0
}

/// `y` if it and the product that it was computed from have all digits, or are 0 exactly.
#[inline(always)]
fn known_far_from_zero(is_zero: bool, product: f64, y: f64) -> f64 {
    known_if(is_zero | (product.abs().min(y.abs()) >= 1e-290), y + 0.0)
}

/// `∂² hypot/∂x² = y²/f³`.
#[inline(always)]
fn hypot_xx(x: f64, y: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero(y == 0.0, y * y, y * y / s / s.sqrt())
}

/// `∂² hypot/∂x∂y = −xy/f³`.
#[inline(always)]
fn hypot_xy(x: f64, y: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero((x == 0.0) | (y == 0.0), x * y, -x * y / s / s.sqrt())
}

/// `∂² hypot/∂y²`.
#[inline(always)]
fn hypot_yy(x: f64, y: f64) -> f64 {
    hypot_xx(y, x)
}

/// `∂² atan2(y, x)/∂x² = 2xy/s²`, `s = x² + y²`.
#[inline(always)]
fn angle_xx(y: f64, x: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero((x == 0.0) | (y == 0.0), 1.0, 2.0 * (x / s) * (y / s))
}

/// `∂² atan2(y, x)/∂y²`.
#[inline(always)]
fn angle_yy(y: f64, x: f64) -> f64 {
    angle_xx(-y, x)
}

/// `∂² atan2(y, x)/∂x∂y = (y² − x²)/s²`.
#[inline(always)]
fn angle_yx(y: f64, x: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero(x.abs() == y.abs(), 1.0, ((y - x) / s) * ((y + x) / s))
}

/// `xʸ⁻ᵏ` for an integer `y`, so that the derivatives of integer powers have all digits, else `xʸ/xᵏ`; where neither it
/// nor its arguments are extreme.
#[inline(always)]
fn power(x: f64, y: f64, k: i32) -> f64 {
    let is_whole = y == y.trunc();
    let f = x.powf(if is_whole { y - f64::from(k) } else { y });
    let is_moderate = (1e-50..=1e50).contains(&x.abs()) & (1e-30..=1e10).contains(&y.abs());
    let known = known_if(is_moderate & (1e-150..=1e150).contains(&f.abs()), f);
    if is_whole { known } else { (0..k).fold(known, |f, _| f / x) }
}

/// `∂ xʸ/∂x = y·xʸ⁻¹`.
#[inline(always)]
fn pow_x(x: f64, y: f64) -> f64 {
    y * power(x, y, 1)
}

/// `∂ xʸ/∂y = xʸ·ln x`.
#[inline(always)]
fn pow_y(x: f64, y: f64) -> f64 {
    power(x, y, 0) * ln(x)
}

/// `∂² xʸ/∂x² = y(y − 1)·xʸ⁻²`.
#[inline(always)]
fn pow_xx(x: f64, y: f64) -> f64 {
    y * (y - 1.0) * power(x, y, 2) + 0.0
}

/// `∂² xʸ/∂x∂y = xʸ⁻¹·(1 + y ln x)`.
#[inline(always)]
fn pow_xy(x: f64, y: f64) -> f64 {
    power(x, y, 1) * (1.0 + y * ln(x))
}

/// `∂² xʸ/∂y² = xʸ·ln² x`.
#[inline(always)]
fn pow_yy(x: f64, y: f64) -> f64 {
    pow_y(x, y) * ln(x)
}

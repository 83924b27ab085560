//! Complex powers: the logarithm to about 100 bits, its multiple by the exponent, and the exponential of that.
//!
//! An error of a logarithm is multiplied by the exponent; 53 bits are not enough from the exponent 2 on. In units of
//! eps = 2^-52 of the modulus: 2 eps while the angle of the result, before whole turns are left out, is below 10^12.

use core::ops::Mul;

use super::dd::Dd;

const LN_2: Dd = Dd { hi: core::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };
const PI: Dd = Dd { hi: core::f64::consts::PI, lo: 1.224_646_799_147_353_2e-16 };

/// arctan(i/8).
const ARCTAN: [Dd; 9] = [
    Dd { hi: 0.0, lo: 0.0 },
    Dd { hi: 0.12435499454676144, lo: -3.125_324_142_453_938e-18 },
    Dd { hi: 0.24497866312686414, lo: 1.069_875_561_873_445e-17 },
    Dd { hi: 0.358_770_670_270_572_25, lo: -2.462_381_558_263_863_5e-17 },
    Dd { hi: 0.463_647_609_000_806_1, lo: 2.269_877_745_296_168_7e-17 },
    Dd { hi: 0.5585993153435624, lo: -5.455_630_548_591_626e-18 },
    Dd { hi: 0.643_501_108_793_284_4, lo: 1.583_478_505_144_428_6e-17 },
    Dd { hi: 0.718_829_999_621_624_5, lo: -2.147_838_844_445_698_3e-17 },
    Dd { hi: core::f64::consts::FRAC_PI_4, lo: 3.061_616_997_868_383e-17 },
];

/// A complex number of two sums of doubles.
#[derive(Clone, Copy)]
struct ComplexDd {
    re: Dd,
    im: Dd,
}

impl Mul for ComplexDd {
    type Output = Self;
    fn mul(self, w: Self) -> Self {
        ComplexDd { re: self.re * w.re + -(self.im * w.im), im: self.re * w.im + self.im * w.re }
    }
}

/// `a·2^n` of a sum.
fn scaled(a: Dd, n: i32) -> Dd {
    Dd { hi: libm::scalbn(a.hi, n), lo: libm::scalbn(a.lo, n) }
}

/// `1/(2n+1)`.
const ODD: [Dd; 22] = {
    let (mut odd, mut n) = ([Dd { hi: 0.0, lo: 0.0 }; 22], 0);
    while n < 22 {
        let m = (2 * n + 1) as f64;
        let hi = 1.0 / m;
        let c = 134_217_729.0 * hi; // 2^27 + 1: products of m and half the bits are exact
        let high = c - (c - hi);
        odd[n] = Dd { hi, lo: ((1.0 - high * m) - (hi - high) * m) / m };
        n += 1;
    }
    odd
};

/// `t·Σ sⁿ/(2n+1)` of `s = ±t²`, artanh or arctan, with `terms` terms, the first `wide` of them to twice the digits.
fn arc_series(t: Dd, s: Dd, [wide, terms]: [usize; 2]) -> Dd {
    let (first, last) = ODD[..terms].split_at(wide);
    let tail = last.iter().rev().fold(0.0, |sum, odd| sum * s.hi + odd.hi);
    first.iter().rev().fold(Dd::from(tail), |sum, &odd| sum * s + odd) * t
}

/// `(x, y)·2^-n` with the larger part near 1, and `n`, which is 0 for numbers near 1.
fn normalised([x, y]: [f64; 2]) -> ([f64; 2], i32) {
    let size = libm::fmax(libm::fabs(x), libm::fabs(y));
    let n = if 0.25 < size && size < 4.0 { 0 } else { libm::ilogb(size) };
    ([x, y].map(|part| libm::scalbn(part, -n)), n)
}

/// The principal logarithm of a finite number other than 0; the sign of a zero is the side of the cut.
fn ln(z: [f64; 2]) -> ComplexDd {
    let ([x, y], n) = normalised(z);
    let (a, b) = (libm::fabs(x), libm::fabs(y));
    let (long, short) = (libm::fmax(a, b), libm::fmin(a, b));
    let squares = Dd::product(long, long) + Dd::product(short, short);
    // |z|² = 2^half·(1 + excess) with 1 + excess in [√½, √2)
    let half = libm::frexp(squares.hi * core::f64::consts::SQRT_2).1 - 1;
    let excess = if half == 0 {
        Dd::sum(long, -1.0) * Dd::sum(long, 1.0) + Dd::product(short, short)
    } else {
        scaled(squares, -half) + Dd::from(-1.0)
    };
    let whole = LN_2 * Dd::from(f64::from(n) + 0.5 * f64::from(half));
    let t = excess / (excess + Dd::from(2.0)); // below 0.172
    ComplexDd { re: whole + arc_series(t, t * t, [9, 22]), im: angle(x, y) }
}

/// `atan2(y, x)`: the arc tangent of the smaller part over the larger, from the arc tangent of the nearest eighth.
fn angle(x: f64, y: f64) -> Dd {
    let (a, b) = (libm::fabs(x), libm::fabs(y));
    let (long, short) = (libm::fmax(a, b), libm::fmin(a, b));
    let eighths = libm::round(8.0 * (short / long));
    let t = eighths / 8.0;
    let rest = (Dd::from(short) + -Dd::product(t, long)) / (Dd::from(long) + Dd::product(t, short));
    let octant = ARCTAN[eighths as usize] + arc_series(rest, -(rest * rest), [6, 14]);
    let quarter = if b > a { scaled(PI, -1) + -octant } else { octant };
    let above = if x.is_sign_negative() { PI + -quarter } else { quarter };
    if y.is_sign_negative() { -above } else { above }
}

/// `size(1)·e^(i·angle)` with `size(t) = rᵗ`: in halves where the modulus overflows. A zero stays zero.
fn polar(size: impl Fn(f64) -> f64, angle: Dd) -> [f64; 2] {
    let ((s, c), rest) = (libm::sincos(angle.hi), angle.lo);
    let (ds, dc) = if libm::fabs(rest) < 1e-8 { (rest, 1.0) } else { libm::sincos(rest) };
    let unit = if rest == 0.0 { [c, s] } else { [c * dc - s * ds, s * dc + c * ds] };
    let r = size(1.0);
    if r.is_finite() {
        return unit.map(|part| part * r);
    }
    let root = size(0.5);
    unit.map(|part| if part == 0.0 { part } else { part * root * root })
}

/// An exponent; beyond its bounds a power is 0, 1, infinite or without digits, and a sum of doubles would overflow.
fn bounded(x: f64) -> f64 {
    x.clamp(-1e290, 1e290)
}

/// `z^w` of finite numbers, `z` not 0.
pub(crate) fn power(z: [f64; 2], w: [f64; 2]) -> [f64; 2] {
    let w = w.map(bounded);
    let (ln, re) = (ln(z), Dd::from(w[0]));
    let real = ComplexDd { re: ln.re * re, im: signed(ln.im, ln.im * re, w[0]) };
    let z = if w[1] == 0.0 { real } else { ComplexDd { re, im: Dd::from(w[1]) } * ln };
    let rest = if libm::fabs(z.re.hi) < 1e4 { z.re.lo } else { 0.0 };
    polar(|part| libm::exp(part * z.re.hi) * (1.0 + part * rest), z.im)
}

/// `b^z` of a positive finite base.
pub(crate) fn exp_base(b: f64, z: [f64; 2]) -> [f64; 2] {
    let z = z.map(bounded);
    let ln = if b == 2.0 { LN_2 } else { ln([b, 0.0]).re };
    polar(|part| libm::pow(b, part * z[0]), signed(ln, ln * Dd::from(z[1]), z[1]))
}

/// The product of `a` and `c` with the sign of a zero.
fn signed(a: Dd, product: Dd, c: f64) -> Dd {
    if product.hi == 0.0 { Dd::from(a.hi * c) } else { product }
}

/// `z^n` by squaring, of a finite `z` other than 0 and `1 ≤ n ≤ 64`: the digits and a power of 2.
fn integer_power(z: [f64; 2], n: i32) -> ([f64; 2], i32) {
    let ([x, y], e) = normalised(z);
    let z = ComplexDd { re: Dd::from(x), im: Dd::from(y) };
    let top = 31 - n.leading_zeros();
    let power = (0..top).rev().fold(z, |power, bit| {
        let square = power * power;
        if n >> bit & 1 == 1 { square * z } else { square }
    });
    ([power.re.value(), power.im.value()], e * n)
}

/// `z^n` of a finite number other than 0.
pub(crate) fn powi(z: [f64; 2], n: i32) -> [f64; 2] {
    if n.unsigned_abs() > 64 {
        return power(z, [f64::from(n), 0.0]);
    }
    let ([x, y], e) = integer_power(z, n.abs());
    if n > 0 {
        return [x, y].map(|part| libm::scalbn(part, e));
    }
    let square = x * x + y * y;
    [x / square, -y / square].map(|part| libm::scalbn(part, -e))
}

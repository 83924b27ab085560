//! Derivatives near extrema of `f″`: there the terms of `f‴` cancel in any formula that does not use the zero of
//! `f‴`. The formulas here are expansions about this zero, with an exact distance.

use num_traits::Float;

use super::{LARGE, area_second, atanh_prime, below, over, root_one_plus_square, turned};
use crate::number::{BaseFloat, Number};
use crate::rules::{Literal, Recurrence};

/// A polynomial about `at > 0`, a sum of two doubles.
pub(super) struct Turn<const N: usize> {
    pub(super) at: [f64; 2],
    /// Its range of validity on both sides of the point.
    pub(super) within: f64,
    pub(super) c: [f64; N],
}

impl<const N: usize> Turn<N> {
    /// `±x − at` of a number that is near, with the sign of its real part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn distance<T: Number>(&self, x: T) -> Option<T> {
        distance(x, self.at, self.within)
    }
    /// The derivative of this order of `Σ cₖ uᵏ`.
    pub(super) fn derivative<T: Number>(&self, order: usize, u: T) -> T {
        let falling = |k: usize| (k + 1 - order..=k).map(|i| i as f64).product::<f64>();
        let terms = self.c.iter().enumerate().skip(order).rev();
        terms.fold(T::lit(0.0), |s, (k, &c)| (s * u).plus(falling(k) * c))
    }
}

/// `±x − at` with the sign of the real part, if it is less than `within`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn distance<T: Number>(x: T, [at, rest]: [f64; 2], within: f64) -> Option<T> {
    let high = T::Base::from_double(at);
    let near = match (T::REAL, T::TRACES) {
        (true, true) => below(x, at + within) && !below(x, at - within),
        (true, false) => Float::abs(x.magnitude() - high) < T::Base::from_double(within),
        (false, _) => below(with_side(x, x).plus(-at), within),
    };
    near.then(|| with_side(x, x).plus(-at).plus(high.to_double() - at - rest))
}

/// `y` with the sign of `x`, or with the opposite sign.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn with_side<T: Number>(x: T, y: T) -> T {
    if x.re() < T::Base::from_double(0.0) { -y } else { y }
}

/// `s = (√8/3)·(|x| − √½)` near `√½`, where the second derivative of `1/√(1 + x²)` is zero, and `h = 1 − s³/2 + 3s⁴/16`:
/// there `1 + x² = (3/2)·h/(1 − s/2)²`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn from_asinh_turn<T: Number>(x: T) -> Option<[T; 2]> {
    let s = distance(x, [core::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17], 0.1)?
        .times(0.942_809_041_582_063_4);
    Some([s, (s * s * s * s.times(0.1875).plus(-0.5)).plus(1.0)])
}

/// `1/√(1 + x²)`, near its turn `√⅔·(1 − s/2)/√h`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn asinh_prime<T: Number>(x: T) -> T {
    match from_asinh_turn(x) {
        Some([s, h]) => (s.times(-0.5).plus(1.0) / h.sqrt()).times(0.816_496_580_927_726),
        None => root_one_plus_square(x).recip(),
    }
}

/// `−x·d³` of `d = 1/√(1 + x²)`, near its turn `√(16/27)·(−½ + ¾s² − ½s³ + 3s⁴/32)/√h³`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn asinh_second<T: Number>(x: T, d: T) -> T {
    match from_asinh_turn(x) {
        Some([s, h]) => {
            let sum = (s * s * (s * s.times(0.09375).plus(-0.5)).plus(0.75)).plus(-0.5);
            with_side(x, (sum / (h * h.sqrt())).times(0.769_800_358_919_501))
        }
        None => area_second(x, d),
    }
}

/// `v = √¾·(|x| − √⅓)` near `√⅓`, where the second derivative of `1/(1 + x²)` is zero, and `h = 1 − v³`: there
/// `1 + x² = (4/3)·h/(1 − v)`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn from_atan_turn<T: Number>(x: T) -> Option<[T; 2]> {
    let v = distance(x, [0.577_350_269_189_625_7, 3.345_028_073_935_634_5e-17], 0.1)?
        .times(0.866_025_403_784_438_6);
    Some([v, (-(v * v * v)).plus(1.0)])
}

/// `1/(1 + x²)`, with gradual underflow, near its turn `¾(1 − v)/h`; for complex numbers `1/(1 − (ix)²)`, which is
/// accurate near ±i.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn atan_prime<T: Number>(x: T) -> T {
    if !T::REAL {
        atanh_prime(turned(x))
    } else if let Some([v, h]) = from_atan_turn(x) {
        ((-v).plus(1.0) / h).times(0.75)
    } else if below(x, LARGE) {
        (x * x).plus(1.0).recip()
    } else {
        x.recip().square()
    }
}

/// `−2x·d²` for `d = 1/(1 + x²)`, near its turn `√(27/64)·(−1 + 3v² − 2v³)/h²`; for large `|x|` `−2d/x`, with the limit 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn atan_second<T: Number>(x: T, d: T) -> T {
    if let Some([v, h]) = from_atan_turn(x) {
        let sum = (v * v * v.times(-2.0).plus(3.0)).plus(-1.0);
        with_side(x, (sum / (h * h)).times(0.649_519_052_838_329))
    } else {
        (if below(x, LARGE) { x * d * d } else { over(d, x) }).times(-2.0)
    }
}

/// `sech² x`: `1 − f²`, which saves a `cosh`, while its second derivative cancels little.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn tanh_prime<T: Number>(x: T, f: T) -> T {
    if below(f, 0.5) { (-(f * f)).plus(1.0) } else { x.sech2() }
}

/// `|x| − artanh √⅓` where that is small.
#[cfg_attr(not(debug_assertions), inline(always))]
fn from_tanh_turn<T: Number>(x: T) -> Option<T> {
    distance(x, [0.658_478_948_462_408_4, -4.341_125_422_426_011e-17], 0.15)
}

/// The recurrence `elsewhere` of `tanh` or `sech²`, except near the zero of `tanh‴`: there the formulas of the
/// derivatives, which are expansions about that zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn beside_turn<T: Number>(x: T, elsewhere: Recurrence) -> Recurrence {
    if from_tanh_turn(x).is_some() { Recurrence::Derivative } else { elsewhere }
}

/// `−2·sech² x·tanh x`: the `product` of these factors, except near the zero of its derivative, where `tanh² x₀ = ⅓`.
/// There it is `2τ²(√3 + τ) − 4/√27` with the distance `τ` of `tanh x` from its value at the zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn sech2_prime<T: Number>(x: T, product: impl FnOnce() -> T) -> T {
    const ROOT_3: f64 = 1.732_050_807_568_877_2;
    let Some(u) = from_tanh_turn(x) else { return product().times(-2.0) };
    let v = u.tanh();
    let t = v.times(2.0 / 3.0) / v.times(1.0 / ROOT_3).plus(1.0);
    with_side(x, (t * t * t.plus(ROOT_3)).times(2.0).plus(-4.0 / (3.0 * ROOT_3)))
}

//! Derivatives near extrema of `f″`: there the terms of `f‴` cancel in any formula that does not use the zero of
//! `f‴`. The formulas here are expansions about this zero, with an exact distance.

use num_traits::Float;

use super::{area_second, below, root_one_plus_square};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{Literal, Recurrence};

/// A polynomial about `at > 0`, a sum of two doubles.
pub(super) struct Turn<const N: usize> {
    pub(super) at: [f64; 2],
    /// Its range of validity on both sides of the point.
    pub(super) within: f64,
    pub(super) c: [f64; N],
}

impl<const N: usize> Turn<N> {
    /// `|x| − at` of a real number that is near.
    #[inline(always)]
    pub(super) fn distance<T: Number>(&self, x: T) -> Option<T> {
        distance(x, self.at, self.within)
    }
    /// `Σ cₖ uᵏ`.
    pub(super) fn value<T: Number>(&self, u: T) -> T {
        self.c.iter().rev().fold(T::lit(0.0), |s, &c| (s * u).plus(c))
    }
    /// `Σ k cₖ uᵏ⁻¹`.
    pub(super) fn slope<T: Number>(&self, u: T) -> T {
        self.c.iter().enumerate().skip(1).rev().fold(T::lit(0.0), |s, (k, &c)| (s * u).plus(k as f64 * c))
    }
}

/// `|x| − at` of a real number, if it is less than `within`.
#[inline(always)]
fn distance<T: Number>(x: T, [at, rest]: [f64; 2], within: f64) -> Option<T> {
    let high = T::Base::from_double(at);
    let near = T::REAL && Float::abs(x.magnitude() - high) < T::Base::from_double(within);
    near.then(|| with_side(x, x).plus(-at).plus(high.to_double() - at - rest))
}

/// `y` with the sign of `x`, or with the opposite sign.
#[inline(always)]
pub(super) fn with_side<T: Number>(x: T, y: T) -> T {
    if x.re().primal() < T::Base::from_double(0.0) { -y } else { y }
}

/// `1/√(1 + x²)` about `√½`, where its second derivative is zero: Legendre's polynomials `Pₙ(−1/√3)·(⅔)^((n+1)/2)`.
const ASINH_TURN: Turn<18> = {
    const Z: f64 = -0.577_350_269_189_625_8;
    const ROOT: f64 = 0.816_496_580_927_726;
    let (mut c, mut legendre, mut scale, mut n) = ([0.0; 18], [1.0, Z], ROOT, 0);
    while n < 18 {
        c[n] = legendre[0] * scale;
        let k = (n + 1) as f64;
        let next =
            if n == 0 { 0.0 } else { ((2.0 * k + 1.0) * Z * legendre[1] - k * legendre[0]) / (k + 1.0) };
        legendre = [legendre[1], next];
        (scale, n) = (scale * ROOT, n + 1);
    }
    Turn { at: [core::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17], within: 0.1, c }
};

/// `1/√(1 + x²)`.
#[inline(always)]
pub(in crate::rules) fn asinh_prime<T: Number>(x: T) -> T {
    match ASINH_TURN.distance(x) {
        Some(u) => ASINH_TURN.value(u),
        None => root_one_plus_square(x).recip(),
    }
}

/// `−x·d³` of `d = 1/√(1 + x²)`.
#[inline(always)]
pub(in crate::rules) fn asinh_second<T: Number>(x: T, d: T) -> T {
    match ASINH_TURN.distance(x) {
        Some(u) => with_side(x, ASINH_TURN.slope(u)),
        None => area_second(x, d),
    }
}

/// `sech² x`: `1 − f²`, which saves a `cosh`, while its second derivative cancels little.
#[inline(always)]
pub(in crate::rules) fn tanh_prime<T: Number>(x: T, f: T) -> T {
    if below(f, 0.5) { (-(f * f)).plus(1.0) } else { x.sech2() }
}

/// `|x| − artanh √⅓` where that is small.
#[inline(always)]
fn from_tanh_turn<T: Number>(x: T) -> Option<T> {
    distance(x, [0.658_478_948_462_408_4, -4.341_125_422_426_011e-17], 0.15)
}

/// The recurrence of `tanh` or `sech²`, but near the zero of `tanh‴`, which the formulas of the derivatives know.
#[inline(always)]
pub(in crate::rules) fn beside_turn<T: Number>(x: T, elsewhere: Recurrence) -> Recurrence {
    if from_tanh_turn(x).is_some() { Recurrence::Derivative } else { elsewhere }
}

/// `−2·sech² x·tanh x`: `product` of these factors, but about the zero of its derivative, where `tanh² x₀ = ⅓`, by the
/// distance `τ` of `tanh x` from there: `2τ²(√3 + τ) − 4/√27`.
#[inline(always)]
pub(in crate::rules) fn sech2_prime<T: Number>(x: T, product: impl FnOnce() -> T) -> T {
    const ROOT_3: f64 = 1.732_050_807_568_877_2;
    let Some(u) = from_tanh_turn(x) else { return product().times(-2.0) };
    let v = u.tanh();
    let t = v.times(2.0 / 3.0) / v.times(1.0 / ROOT_3).plus(1.0);
    with_side(x, (t * t * t.plus(ROOT_3)).times(2.0).plus(-4.0 / (3.0 * ROOT_3)))
}

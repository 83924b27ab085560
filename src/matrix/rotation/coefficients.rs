//! The scalar functions of rotations, each an entire (or at least smooth) function of a square, so that nothing is
//! singular at the angle zero: their values, and their derivatives as rules.

use core::f64::consts::FRAC_PI_2;

use nalgebra::Vector2;

use crate::matrix::operation::{always, operation};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::Unary;

/// The Stumpff function `cₖ(s) = Σⱼ (−s)ʲ/(2j + k)!` for `s ≥ 0`: with `s = θ²` these are `cos θ`, `sin θ/θ`,
/// `(1 − cos θ)/θ²`, `(θ − sin θ)/θ³`, …
///
/// `cₖ′ = (k·cₖ₊₂ − cₖ₊₁)/2`: K. Stumpff, *Himmelsmechanik I* (1959); J. M. A. Danby, *Fundamentals of Celestial
/// Mechanics* (2nd ed. 1988), 6.9.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stumpff(pub(super) u32);

impl Unary for Stumpff {
    const NAME: &'static str = "stumpff";
    const NAN_SAFE: bool = true;
    fn value<F: BaseFloat>(self, s: F) -> F {
        F::from_double(stumpff(self.0, s.to_double()))
    }
    fn derivative<T: Real>(self, s: T, _: T) -> T {
        let k = self.0;
        let next = s.lift1(Stumpff(k + 1));
        let difference =
            if k == 0 { -next } else { s.lift1(Stumpff(k + 2)) * base::<T>(f64::from(k)) - next };
        difference * base::<T>(0.5)
    }
}

/// `1/n!`, which underflows beyond these.
const INVERSE_FACTORIALS: [f64; 171] = {
    let (mut table, mut factorial, mut n) = ([1.0; 171], 1.0, 1);
    while n < table.len() {
        factorial *= n as f64;
        table[n] = 1.0 / factorial;
        n += 1;
    }
    table
};

/// `1/n!`.
fn inverse_factorial(n: u32) -> f64 {
    INVERSE_FACTORIALS.get(n as usize).copied().unwrap_or(0.0)
}

/// `cₖ(s)`: closed forms up to `k = 2`, whose error is the error of `θ` times its amplification. Beyond, to 2 eps for
/// `θ < 2π`: the series where `s` is small relative to `k²`, elsewhere the recurrence `cₖ = (1/(k − 2)! − cₖ₋₂)/s`,
/// which cancels little there.
fn stumpff(k: u32, s: f64) -> f64 {
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let n = f64::from(k);
    match k {
        0 => s.sqrt().cos(),
        1 => sinc(s.sqrt()),
        2 => 0.5 * sinc(0.5 * s.sqrt()).powi(2),
        _ if s <= 0.5 * (n + 1.0) * (n + 2.0) => {
            // The factor from one term to the next is at most ½ at first, and for s ≤ 10 it is s/20, s/42, s/72, ….
            let terms = if s <= 1.0 {
                9
            } else if s <= 10.0 {
                15
            } else {
                26
            };
            (0..=terms).rev().fold(0.0, |sum, j| inverse_factorial(k + 2 * j) - s * sum)
        }
        _ => (inverse_factorial(k - 2) - stumpff(k - 2, s)) / s,
    }
}

/// `hₖ(u) = ∫₀¹ t²ᵏ/(1 + ut²)ᵏ⁺¹ dt` for `u ≥ 0`; `h₀(u) = arctan(√u)/√u`.
///
/// `hₖ′ = −(k + 1)·hₖ₊₁`, under the integral sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArcTangent(pub(super) u32);

impl Unary for ArcTangent {
    const NAME: &'static str = "arctangent over its argument";
    const NAN_SAFE: bool = true;
    fn value<F: BaseFloat>(self, u: F) -> F {
        F::from_double(arc_tangent(self.0, u.to_double()))
    }
    fn derivative<T: Real>(self, u: T, _: T) -> T {
        u.lift1(ArcTangent(self.0 + 1)) * base::<T>(-1.0 - f64::from(self.0))
    }
}

/// `hₖ(u)`, to 5 eps for `u ≤ 1`, `k ≤ 7`. For `k ≥ 1` there it is `(1 + u)⁻ᵏ⁻¹/(2k + 1)·Σₙ (k + 1)ₙ/(k + 3/2)ₙ·xⁿ` with
/// `x = u/(1 + u) ≤ ½`, a sum of positive terms (Pfaff's form of the hypergeometric series, Abramowitz & Stegun
/// 15.3.4); beyond, integration by parts: `hₖ = ((2k − 1)hₖ₋₁ − (1 + u)⁻ᵏ)/(2uk)`.
fn arc_tangent(k: u32, u: f64) -> f64 {
    let n = f64::from(k);
    if k == 0 {
        let x = u.sqrt();
        if x == 0.0 { 1.0 } else { x.atan() / x }
    } else if u <= 1.0 {
        let x = u / (1.0 + u);
        // xⁿ < 2⁻⁵⁴ after these terms; no term at zero.
        let terms = (-37.5 / x.ln()) as u32 + 1;
        let factor = |i: f64| x * (n + i) / (n + i + 0.5);
        let sum = (1..=terms).rev().fold(1.0, |sum, i| 1.0 + factor(f64::from(i)) * sum);
        sum / ((2.0 * n + 1.0) * (1.0 + u).powi(k as i32 + 1))
    } else {
        ((2.0 * n - 1.0) * arc_tangent(k - 1, u) - (1.0 + u).powi(-(k as i32))) / (2.0 * u * n)
    }
}

/// The Stumpff functions `c_k, c_{k+1}` of `s`, for the first and the second power of the generator.
#[inline]
pub(super) fn stumpff_pair<T: Real>(k: u32, s: T) -> (T, T) {
    (s.lift1(Stumpff(k)), s.lift1(Stumpff(k + 1)))
}

/// `(1 − (θ/2)·cot(θ/2))/θ²` as `(c₃ − 2c₄)/(2c₂)`, whose difference is half of its first term at zero; for
/// `s = θ² < (2π)²`.
#[inline]
pub(super) fn cotangent_coefficient<T: Real>(s: T) -> T {
    let [c2, c3, c4] = [2, 3, 4].map(|k| s.lift1(Stumpff(k)));
    (c3 - (c4 + c4)) / (c2 + c2)
}

/// `θ/sin(θ/2)` for the angle `θ ∈ [−π, π]` whose half has the cosine and the sine `w/r` and `|v|/r`, over `r`: the
/// vector `v` times this is the scaled axis, of least length among all that belong to `±(w, v)`.
///
/// Near zero `(2/w)·h₀(|v|²/w²)`, from a half angle of 45° on `±(π/2 − arctan(w/|v|)·sign w)·2/|v|`; each is smooth
/// where it is used.
#[inline]
pub(super) fn axis_factor<T: Real>(w: T, v_squared: T) -> T {
    if T::TRACED {
        let of = Vector2::new(w, v_squared);
        let y = operation!("axis of a quaternion", [of] => {
            vec![S::of_real(axis_factor(of[0].real_part(), of[1].real_part()))]
        });
        return always(y)[0];
    }
    let w_squared = w * w;
    let half = if v_squared.primal() <= w_squared.primal() {
        (v_squared / w_squared).lift1(ArcTangent(0)) / w
    } else {
        let sine = v_squared.sqrt();
        let quarter = if w.primal() < base::<T>(0.0) { -FRAC_PI_2 } else { FRAC_PI_2 };
        (-(w / sine).atan() + base::<T>(quarter)) / sine
    };
    half + half
}

/// A constant, which scales or shifts a number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn base<T: Number>(x: f64) -> T::Base {
    T::Base::from_double(x)
}

/// `Σ xᵢ²`.
#[inline]
pub(super) fn square<T: Real, const N: usize>(x: [T; N]) -> T {
    T::inner_product(x.into_iter().map(|x| (x, x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule, with fine steps: nodes and weights of Gauss and Legendre would need a test of their own.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        let n = 2000;
        let weight = |i: usize| {
            if i == 0 || i == n {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=n).map(|i| weight(i) * f(i as f64 / n as f64)).sum::<f64>() / (3.0 * n as f64)
    }

    #[test]
    fn stumpff_functions_are_integrals_of_the_cosine() {
        // cₖ(s) = ∫₀¹ (1 − t)ᵏ⁻¹/(k − 1)!·cos(t√s) dt
        for s in [0.0_f64, 1e-30, 1e-9, 0.3, 1.0, 2.2, 4.9, 7.4, 9.8, 10.6, 14.0, 15.5, 25.0, 39.0] {
            for k in 1..12_u32 {
                let f =
                    |t: f64| (1.0 - t).powi(k as i32 - 1) * (t * s.sqrt()).cos() * inverse_factorial(k - 1);
                let (got, want) = (stumpff(k, s), integral(f));
                assert!((got - want).abs() < 1e-10 * inverse_factorial(k), "c{k}({s}) = {got}, not {want}");
            }
        }
        assert!(stumpff(3, f64::NAN).is_nan() && stumpff(1, f64::NAN).is_nan());
    }

    #[test]
    fn branches_of_the_functions_meet() {
        for k in 3..16_u32 {
            let n = f64::from(k);
            let s = 0.5 * (n + 1.0) * (n + 2.0);
            let (series, recurrence) = (stumpff(k, s), (inverse_factorial(k - 2) - stumpff(k - 2, s)) / s);
            assert!((series / recurrence - 1.0).abs() < 1e-15, "c{k}: {series}, {recurrence}");
            assert!((stumpff(k, 1.0) / stumpff(k, 1.0 + 1e-15) - 1.0).abs() < 1e-15);
        }
        for k in 0..8 {
            let jump = arc_tangent(k, 1.0) / arc_tangent(k, 1.0 + f64::EPSILON) - 1.0;
            assert!(jump.abs() < 2e-15 * 2f64.powi(k as i32), "h{k}: {jump}");
        }
    }

    #[test]
    fn arc_tangents_are_their_integrals() {
        for u in [0.0_f64, 1e-300, 1e-12, 0.01, 0.3, 0.9, 1.0, 1.1, 3.0] {
            for k in 0..8 {
                let f = |t: f64| t.powi(2 * k) / (1.0 + u * t * t).powi(k + 1);
                let (got, want) = (arc_tangent(k as u32, u), integral(f));
                assert!((got / want - 1.0).abs() < 1e-10, "h{k}({u}) = {got}, not {want}");
            }
        }
        assert!(arc_tangent(0, f64::NAN).is_nan() && arc_tangent(2, f64::NAN).is_nan());
    }
}

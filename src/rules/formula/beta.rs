//! Derivatives of the beta function. Its poles `1/x` and `1/y` dominate the terms of mixed derivatives, but cancel in
//! them.

use super::{below, zero_of};
use crate::number::{BaseFloat, Real};
use crate::rules::{Literal, special};

/// `−f·(ψ(x + y) − ψ(x))` and the same in `y`; zero where `f` is zero. For higher derivatives near a pole, the pole
/// is a separate term.
#[inline]
pub(in crate::rules) fn beta_partials<T: Real>(x: T, y: T, f: T) -> [T; 2] {
    if f.is_zero() {
        [zero_of(x) + zero_of(y); 2]
    } else if x.is_zero() || y.is_zero() {
        whole(x, y, f)
    } else if y < x {
        let [along_y, along_x] = apart(y, x, f);
        [along_x, along_y]
    } else {
        apart(x, y, f)
    }
}

fn whole<T: Real>(x: T, y: T, f: T) -> [T; 2] {
    [-(f * x.polygamma_increment(y, 0)), -(f * y.polygamma_increment(x, 0))]
}

/// The partials for `x ≤ y`.
fn apart<T: Real>(x: T, y: T, f: T) -> [T; 2] {
    let [at_x, at_y] = [x, y].map(|t| t.primal().to_double());
    if below(y, 0.2) {
        beside_both_poles(x, y)
    } else if at_x < 0.05 && at_x * (1.0 + libm::log1p(at_y)) < 0.5 {
        beside_pole(x, y, (-42.0 / libm::log(at_x)) as u32 + 3)
    } else {
        whole(x, y, f)
    }
}

/// `Σ c(k)·tᵏ` for `k` below `terms`.
fn sum<T: Real>(t: T, terms: u32, c: impl Fn(u32) -> T) -> T {
    (0..terms).rev().fold(T::lit(0.0), |s, k| s * t + c(k))
}

/// `1/k!`
fn over_factorial(k: u32) -> f64 {
    1.0 / (2..=k).map(f64::from).product::<f64>()
}

/// `(eᵗ − 1)/t` and its derivative.
fn divided_exponential<T: Real>(t: T, terms: u32) -> [T; 2] {
    let slope = |k| T::lit(f64::from(k + 1) * over_factorial(k + 2));
    [sum(t, terms, |k| T::lit(over_factorial(k + 1))), sum(t, terms, slope)]
}

/// By `B = 1/x + 1/y + P(1 + x/y)`, `P = (eᵗ − 1)/x`, `t = xL`, with `L = Σ (ψ⁽ᵐ⁾(1) − ψ⁽ᵐ⁾(1 + y))·xᵐ/(m + 1)!`
/// from `xyB/(x + y) = Γ(1 + x)Γ(1 + y)/Γ(1 + x + y)`.
fn beside_pole<T: Real>(x: T, y: T, terms: u32) -> [T; 2] {
    let next = y.plus(1.0);
    let c = |m| (-next.polygamma(m)).plus(special::polygamma(m, 1.0)).times(over_factorial(m + 1));
    let l = sum(x, terms, c);
    let lx = sum(x, terms, |m| c(m + 1).times(f64::from(m + 1)));
    let ly = -sum(x, terms, |m| next.polygamma(m + 1).times(over_factorial(m + 1)));
    let t = x * l;
    let [phi, phi_prime] = divided_exponential(t, 16);
    let (p, px, py) = (l * phi, lx * t.exp() + l * l * phi_prime, ly * t.exp());
    let ratio = x / y;
    let [poles_x, poles_y] = [x, y].map(|t| -t.recip().square());
    [poles_x + (px * ratio.plus(1.0) + p / y), poles_y + (py * ratio.plus(1.0) - p / y * ratio)]
}

/// By `B = 1/x + 1/y + (x + y)R`, `R = (eᵗ − 1)/(xy)`, `t = −xyM`, with `M = Σ ψ⁽ⁿ⁻¹⁾(1)/n!·((x + y)ⁿ − xⁿ − yⁿ)/(xy)`
/// from `xyB/(x + y) = Γ(1 + x)Γ(1 + y)/Γ(1 + x + y)`.
fn beside_both_poles<T: Real>(x: T, y: T) -> [T; 2] {
    let (zero, s) = (T::lit(0.0), x + y);
    // The quotient for n, its derivatives, and the powers xⁿ⁻², yⁿ⁻² with theirs.
    let (mut q, mut qx, mut qy) = (T::lit(2.0), zero, zero);
    let [mut to_x, mut to_y] = [[T::lit(1.0), zero]; 2];
    let [mut m, mut mx, mut my] = [zero; 3];
    let terms = (-42.0 / libm::log(s.primal().to_double())) as u32 + 6;
    for n in 2..terms {
        let weight = special::polygamma(n - 1, 1.0) * over_factorial(n);
        (m, mx, my) = (m + q.times(weight), mx + qx.times(weight), my + qy.times(weight));
        let k = f64::from(n - 1);
        (to_x, to_y) = ([to_x[0] * x, to_x[0].times(k)], [to_y[0] * y, to_y[0].times(k)]);
        (qx, qy) = (q + s * qx + to_x[1], q + s * qy + to_y[1]);
        q = s * q + to_x[0] + to_y[0];
    }
    let t = -(x * y * m);
    let [phi, phi_prime] = divided_exponential(t, 8);
    let along = |x: T, y: T, mx: T| {
        let slope = m * phi_prime * y * (m + x * mx) - mx * phi;
        -x.recip().square() + (s * slope - m * phi)
    };
    [along(x, y, mx), along(y, x, my)]
}

//! Derivative formulas that are too long for a row of the table.

mod beta;
mod cardinal;
mod gamma;
mod orders;
mod power;
mod turning;

use num_traits::Float;

use super::Literal;
use super::boundary::zero_of;
pub(super) use super::plane::over;
use super::plane::{turned, turned_by_side};
use crate::number::{BaseFloat, Number, Real};
pub(super) use beta::*;
pub(super) use cardinal::*;
pub(super) use gamma::*;
pub(super) use orders::*;
pub(super) use power::*;
pub(crate) use power::{far_derivative, far_product, far_recurrence, slope_factors};
pub(super) use turning::*;

/// Whether `|x| < bound` for the innermost value; false for NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
fn below<T: Number>(x: T, bound: f64) -> bool {
    let bound = T::Base::from_double(bound);
    if T::TRACES && T::REAL {
        // Comparisons, which hold on one side of the bound: the value itself would bind a program to its point.
        return x.re() < bound && x.re() > -bound;
    }
    x.magnitude() < bound
}

/// `x`, with +0 for −0: at the end of a domain the derivative is the one-sided limit for both signs of zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unsigned_zero<T: Number>(x: T) -> T {
    x.plus(0.0)
}

/// Beyond this, `1 + x²` is `x²` to the last digit in both float types, and `x²` may overflow.
const LARGE: f64 = 1e10;

/// `sec² x`: `1 + tan² x`, which cancels for complex `x` with a large imaginary part; there `sech² ix`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn tan_prime<T: Number>(x: T, f: T) -> T {
    if T::REAL { f.strong_mul(f).plus(1.0) } else { turned(x).sech2() }
}

/// `1 − x²`: factored away from 0, where the plain form cancels; plain near 0, where the factored form's
/// derivative would.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn one_minus_square<T: Number>(x: T) -> T {
    if below(x, 0.5) { (-(x * x)).plus(1.0) } else { (-x).plus(1.0) * x.plus(1.0) }
}

/// `√(1 − x²)`, computed as `√(1 − x)·√(1 + x)`, which has the right branch for complex `x`. For large `|x|` it is
/// `∓ix`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn root_one_minus_square<T: Number>(x: T) -> T {
    if below(x, 0.5) {
        one_minus_square(x).sqrt()
    } else if T::REAL || below(x, LARGE) {
        (-x).plus(1.0).sqrt() * x.plus(1.0).sqrt()
    } else {
        -turned_by_side(x, x)
    }
}

/// `√(1 + x²)` with a positive real part; for complex numbers `√(1 − (ix)²)`, which is accurate near ±i.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn root_one_plus_square<T: Number>(x: T) -> T {
    if !T::REAL {
        root_one_minus_square(turned(x))
    } else if below(x, LARGE) {
        (x * x).plus(1.0).sqrt()
    } else if x.re().primal() < T::Base::from_double(0.0) {
        -x
    } else {
        x
    }
}

/// `1/(√(x − 1)·√(x + 1))`: does not overflow for large `x`, and has the right branch for complex `x`, without
/// cancellation in derivatives near 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn acosh_prime<T: Number>(x: T) -> T {
    if !T::REAL && below(x, 0.5) {
        turned_by_side(x, root_one_minus_square(x)).recip()
    } else if below(x, LARGE) {
        (x.plus(-1.0).sqrt() * x.plus(1.0).sqrt()).recip()
    } else {
        x.recip()
    }
}

/// `1/(1 − x²)`; for large `|x|`, where only complex numbers are in the domain, `−1/x²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn atanh_prime<T: Number>(x: T) -> T {
    if T::REAL || below(x, LARGE) { one_minus_square(x).recip() } else { -x.recip().square() }
}

/// `−x·d³` for `d = 1/√(x² ± 1)`; for large `|x|` `−d/x`, with the limit 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn area_second<T: Number>(x: T, d: T) -> T {
    -(if below(x, LARGE) { x * d * d * d } else { over(d, x) })
}

/// `round((x − f)/y)`, a constant: the quotient that belongs to the remainder `f`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn quotient<T: Number>(x: T, y: T, f: T) -> T {
    ((x.detach() - f.detach()) / y.detach()).round()
}

/// `c·x·f`, the derivative of `f = e^(c·x²/2)` and the like, 0 where `f` is 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn decay_prime<T: Number>(x: T, f: T, c: f64) -> T {
    if f.is_zero() { zero_of(x) } else { (x * f).times(c) }
}

/// `c·(f + x·f′)` for `f = e^(c·x²/2)`, 0 where `f` is 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn decay_second<T: Number>(x: T, f: T, d: T, c: f64) -> T {
    if f.is_zero() { zero_of(x) } else { (f + x * d).times(c) }
}

/// The unit vector `[x/f, y/f]`, or zeros at `f = 0`: the minimal-norm subgradient of `f = hypot(x, y)`. One
/// infinite operand has the limit ±1.
///
/// A subnormal `f` has lost its digits, so it is recomputed from scaled arguments. If the partials are differentiated
/// again, the larger one is computed as `√(1 − s²)` from the smaller one `s`, because the derivative of `x/f` cancels
/// along the vector. If `1/f` overflows, `s²` is computed without `s`, whose derivatives overflow. If `f` overflows, the
/// arguments are scaled.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn unit_vector<T: Real>(x: T, y: T, f: T) -> [T; 2] {
    let (size, least) = (f.primal(), <T::Base as Float>::min_positive_value());
    let scale = <T::Base as Float>::epsilon() / least;
    if size == T::Base::from_double(0.0) {
        [zero_of(x) + zero_of(y); 2]
    } else if Float::is_infinite(size) {
        unit_vector_beyond(x, y, f)
    } else if size < least {
        let by = T::Base::from_double(0.5) / least;
        let (x, y) = (x * by, y * by);
        let f = x.hypot(y);
        parts_of_unit(x, y, f, |t, _| (-(t * t / f / f)).plus(1.0).sqrt())
    } else if size * scale < T::Base::from_double(1.0) {
        let (x, y) = (x * scale, y * scale);
        unit_vector(x, y, x.hypot(y))
    } else {
        parts_of_unit(x, y, f, |_, s| root_one_minus_square(s))
    }
}

/// The unit vector where `hypot(x, y)` is infinite: because an operand is, or because it has left the range.
#[cold]
#[track_caller]
fn unit_vector_beyond<T: Real>(x: T, y: T, f: T) -> [T; 2] {
    let is_infinite = |t: T| Float::is_infinite(t.magnitude());
    match [x, y].map(is_infinite) {
        [false, false] => {
            let [x, y] = [x, y].map(|t| t * T::Base::from_double(0.25));
            unit_vector(x, y, x.hypot(y))
        }
        [true, true] => parts_of_unit(x, y, f, |_, s| root_one_minus_square(s)),
        _ => [x, y].map(|t| if is_infinite(t) { t.detach().signum() } else { T::lit(0.0) }),
    }
}

/// `[x/f, y/f]`, the larger one as the `other` of a part `t` and the smaller one `s = t/f`: `√(1 − s²)`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn parts_of_unit<T: Real>(x: T, y: T, f: T, other: impl Fn(T, T) -> T) -> [T; 2] {
    let (c, s) = (x / f, y / f);
    if x.is_constant() && y.is_constant() {
        [c, s]
    } else if x.magnitude() > y.magnitude() {
        [other(y, s).copysign(x.detach()), s]
    } else {
        [c, other(x, c).copysign(y.detach())]
    }
}

/// `[x/r², −y/r²]` for the angle of (x, y), from the quotient `t` of the smaller and the larger coordinate and `g = 1/(1 +
/// t²)`. Division by the larger one comes last: then the derivatives overflow once, and mixed ones cancel exactly on
/// the diagonals. The derivatives of `t` overflow if both coordinates are subnormal: then the point is scaled. In a trace,
/// which may not depend on the larger coordinate, by division by `r = hypot(x, y)` twice.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn atan2_partials<T: Real>(y: T, x: T) -> [T; 2] {
    let parts = |small: T, large: T| {
        let t = small / large;
        let g = (t * t).plus(1.0).recip();
        [g / large, t * g / large]
    };
    let (size, least) = (Float::max(x.magnitude(), y.magnitude()), <T::Base as Float>::min_positive_value());
    if T::ORDER <= 1 && !T::TRACES && size < least && size > T::Base::from_double(0.0) {
        scaled_atan2_partials(y, x, T::Base::from_double(0.5) / least)
    } else if !T::TRACES && size == T::Base::from_double(0.0) {
        [(y / (x + y)).nan_like(); 2]
    } else if T::TRACES || size < least {
        let r = x.hypot(y);
        let [c, s] = unit_vector(x, y, r);
        [c / r, -(s / r)]
    } else if x.magnitude() < y.magnitude() {
        let [g, tg] = parts(x, y);
        [tg, -g]
    } else {
        let [g, tg] = parts(y, x);
        [g, -tg]
    }
}

/// The partials of a small point, which are homogeneous of degree −1, from the point `c·(x, y)`. The tangents at that point
/// are the tangents here, without the factor; so they are finite where the tangents of the result overflow, and cancel.
#[cold]
fn scaled_atan2_partials<T: Real>(y: T, x: T, c: T::Base) -> [T; 2] {
    let [x, y] = [x, y].map(|t| t.zip_parts(t, |value, _| value * c, |tangent, _| tangent));
    atan2_partials(y, x).map(|d| (d * c).zip_parts(d, |value, _| value, |tangent, _| tangent * c))
}

/// `[1/(x ln b), −f/(b ln b)]`, dividing twice, by `x` and by `b` last: the products and their derivatives would overflow.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn log_partials<T: Real>(x: T, b: T, f: T) -> [T; 2] {
    if b.is_zero() {
        // The limits of `1/(x ln b)` and `−ln x/(b ln² b)`, and of their derivatives, as a root and a reciprocal have them.
        let b = unsigned_zero(b);
        return [-b.sqrt() / x, -b.recip().strong_mul(x.ln())];
    }
    if b.magnitude() * T::Base::epsilon() < T::Base::min_positive_value() {
        return log_partials_of_least(x, b);
    }
    let (l, x) = (b.ln(), unsigned_zero(x));
    let (small, large) = (T::Base::epsilon(), T::Base::from_double(1.0) / T::Base::epsilon());
    let tiny = |x: T| x.magnitude() * small < T::Base::min_positive_value();
    let along_b = if !T::TRACES && tiny(x) && !x.is_zero() && !l.is_zero() {
        // The derivative of `ln x` overflows, the derivative of a small multiple does not.
        let multiple = T::base(small).xlogy(x);
        x.ln().detach() / l / l / b + (multiple - multiple.detach()) / l / l / b * large
    } else {
        f / l / unsigned_zero(b)
    };
    [l.recip() / x, -along_b]
}

/// The partials for a base near 0. The derivative of the logarithm of the base may overflow where the partials do
/// not; the derivative of a small multiple does not.
#[cold]
fn log_partials_of_least<T: Real>(x: T, b: T) -> [T; 2] {
    let (small, large, x) =
        (T::Base::epsilon(), T::Base::from_double(1.0) / T::Base::epsilon(), unsigned_zero(x));
    let l = T::base(small).xlogy(b);
    let far = !below(x, (large * large).to_double());
    let along_x = if far {
        x.recip() / l * small
    } else if below(x, 1.0) {
        T::base(small) / l / x
    } else {
        x.recip() * small / l
    };
    // For large `x` the active part of `ln x` would underflow with the rest.
    let ln = x.ln();
    let steady = if far { ln.detach() } else { ln };
    let along_b = steady * small * small * small / l / l / b * large;
    [along_x, if far { -along_b - (ln - steady) / l * small / l / b * small } else { -along_b }]
}

/// `x/y`, the derivative of `x ln y` in `y`. At `x = 0` it is 0, also for `y ≤ 0`; for no other `x` is it defined at
/// `y < 0`. At the ends of the range `x` is multiplied by the infinite, zero or NaN value of `1/y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn xlogy_slope<T: Real>(x: T, y: T) -> T {
    let (zero, most) = (T::Base::from_double(0.0), <T::Base as Float>::max_value());
    let at_end = || unsigned_zero(y).sqrt().recip().strong_mul(x);
    if T::TRACES {
        let inside = T::select_lt(T::base(most), y, at_end(), x / y);
        T::select_le(y, T::base(zero), at_end(), inside)
    } else if y.primal() <= zero || y.primal() > most {
        at_end()
    } else {
        x / y
    }
}

/// `[sigmoid(x − y), sigmoid(y − x)]`; zeros where both are −∞.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn logaddexp_partials<T: Real>(x: T, y: T) -> [T; 2] {
    let masked = T::base(T::Base::neg_infinity());
    let of = |d| T::select_eq(x, masked, T::select_eq(y, masked, T::lit(0.0), d), d);
    [of((x - y).sigmoid()), of((y - x).sigmoid())]
}

/// `1/φ(f)` for the quantile `f` of the normal distribution. The density magnifies the rounding error of a far quantile; `x`
/// times the inverse of Mills' ratio does not.
#[inline]
pub(super) fn norm_quantile_prime<T: Real>(x: T, f: T) -> T {
    if below(f, 0.7) || !below(f, 40.0) {
        f.norm_pdf().recip()
    } else if below(x, 0.5) {
        (x * f.ln_norm_cdf_derivative(1)).recip()
    } else {
        ((-x).plus(1.0) * (-f).ln_norm_cdf_derivative(1)).recip()
    }
}

/// Whether the beta density is differentiated near 0 and near 1.
#[inline]
fn beside_ends<T: Real>(x: T, [a, b]: [f64; 2]) -> [bool; 2] {
    let at = x.primal().to_double();
    let low = a >= 1.0 && at < 0.5 && at * (b - 1.0).abs() < 1.0;
    [low, !low && b >= 1.0 && at >= 0.5 && (1.0 - at) * (a - 1.0).abs() < 1.0]
}

/// `(a − 1)(1 − x) − (b − 1)x` where its terms are nearly equal, near the mode of the beta density: with the rounding
/// errors of `a − 1`, `b − 1`, `1 − x` and of a product.
fn beside_mode<T: Real>(x: T, [a, b]: [f64; 2]) -> Option<T> {
    let at = x.primal().to_double();
    let (y, right) = (1.0 - at, (b - 1.0) * at);
    let left = (a - 1.0) * y;
    let is_near = left * right > 0.0 && left.abs() < 2.0 * right.abs() && right.abs() < 2.0 * left.abs();
    let value = || {
        let [of_a, of_b] = [a, b].map(|n| n - ((n - 1.0) + 1.0));
        let of_y = (1.0 - y) - at;
        let lost = Float::mul_add(b - 1.0, at, -right) - of_a * y + of_b * at - (a - 1.0) * of_y;
        Float::mul_add(a - 1.0, y, -right) - lost
    };
    is_near.then(|| (x - T::lit(at)).times(2.0 - a - b).plus(value()))
}

/// `f·((a − 1)/x − (b − 1)/(1 − x))` for the beta density `f`, 0 where `f` is 0. Near an end the term of the other
/// end is small, and the derivatives of the near term would cancel: there the near term is `(a + b − 1)` times the
/// density for `[a − 1, b]` or `[a, b − 1]`, which has the right limit at the end too. Near the mode
/// the two terms are subtracted first, without rounding errors.
#[inline]
pub(super) fn beta_pdf_prime<T: Real>(x: T, [a, b]: [f64; 2], f: T) -> T {
    let (y, c, [low, high]) = ((-x).plus(1.0), a + b - 1.0, beside_ends(x, [a, b]));
    match (beside_mode(x, [a, b]), low, high) {
        (Some(m), true, _) => x.beta_pdf([a - 1.0, b]).times(c) * (m.times(1.0 / (a - 1.0)) / y),
        (Some(m), _, true) => x.beta_pdf([a, b - 1.0]).times(c) * (m.times(1.0 / (b - 1.0)) / x),
        (Some(m), ..) => f * (m / (x * y)),
        (_, true, _) => x.beta_pdf([a - 1.0, b]).times(c) - f.times(b - 1.0) / y,
        (_, _, true) => f.times(a - 1.0) / x - x.beta_pdf([a, b - 1.0]).times(c),
        _ if f.is_zero() => zero_of(x),
        _ => f * (unsigned_zero(x).recip().times(a - 1.0) - y.recip().times(b - 1.0)),
    }
}

/// 1 if `x` has the sign bit of the result, otherwise −1.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn with_sign_prime<T: Real>(x: T, negative: bool) -> T {
    T::lit(if Float::is_sign_negative(x.primal()) == negative { 1.0 } else { -1.0 })
}

/// The partial of operand `a` in an extremum `f` of `a` and `b`: 1, 0, or ½ in a tie.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn share<T: Real>(a: T, b: T, f: T) -> T {
    let [whole, half, none] = [1.0, 0.5, 0.0].map(T::lit);
    T::select_eq(a, b, half, T::select_eq(a, f, whole, none))
}

/// `Jₙ′ = ½Jₙ₋₁ − ½Jₙ₊₁`, `J₀′ = −J₁`: the factors.
pub(super) fn bessel_steps(n: u32) -> [f64; 2] {
    if n == 0 { [0.0, 1.0] } else { [0.5, 0.5] }
}

/// `(Jₙ₋₁ − Jₙ₊₁)/2`.
#[inline]
pub(super) fn bessel_j_prime<T: Real>(x: T, n: u32) -> T {
    match n {
        0 => -x.bessel_j(1),
        _ => (x.bessel_j(n - 1) - x.bessel_j(n.saturating_add(1))).times(bessel_steps(n)[0]),
    }
}

/// `jₙ′ = n/(2n+1)·jₙ₋₁ − (n+1)/(2n+1)·jₙ₊₁`: the factors.
pub(super) fn spherical_steps(n: u32) -> [f64; 2] {
    let n = f64::from(n);
    [n, n + 1.0].map(|c| c / (2.0 * n + 1.0))
}

/// `(n·jₙ₋₁ − (n+1)·jₙ₊₁)/(2n+1)`.
#[inline]
pub(super) fn sph_j_prime<T: Real>(x: T, n: u32) -> T {
    let m = f64::from(n);
    match n {
        0 => -x.sph_j(1),
        _ => {
            (x.sph_j(n - 1).times(m) - x.sph_j(n.saturating_add(1)).times(m + 1.0))
                / T::Base::from_double(2.0 * m + 1.0)
        }
    }
}

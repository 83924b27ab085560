//! Powers and their exponents.

use num_traits::{Float, Zero};

use super::{below, over, unsigned_zero};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{Literal, Recurrence, boundary};

/// `f·ln b` for a power `f` of `b`; 0 where the power vanishes because `b` is 0 or infinite.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn times_ln<T: Number>(f: T, b: f64) -> T {
    let ln = Float::ln(b);
    if ln.is_infinite() && f.is_zero() { T::lit(0.0) } else { f.times(ln) }
}

/// `n·xⁿ⁻¹`. The standard `powi` loses a digit for each doubling of the exponent, `powf` does not.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn powi_prime<T: Number>(x: T, n: i32) -> T {
    match n {
        0 => T::lit(0.0),
        2 => x.times(2.0),
        -63..=64 => x.powi(n - 1).times(f64::from(n)),
        _ => lower_power(x, f64::from(n)),
    }
}

/// `n(n − 1)·xⁿ⁻²`, by `powi` for the same exponents as [`powi_prime`]: `n − 2` here.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn powi_second<T: Number>(x: T, n: i32) -> T {
    let c = f64::from(n);
    match n {
        0 | 1 => T::lit(0.0),
        2 => T::lit(2.0),
        3 => x.times(6.0),
        -62..=65 => x.powi(n - 2).times(c * (c - 1.0)),
        _ => lower_power(x, c - 1.0).times(c),
    }
}

/// The recurrence of a power or, at numbers that have derivatives themselves, a logarithm, whose derivative `d` has left the
/// range of the float, or lost digits at its end. The product of the derivative with a tangent may be in the range, and is
/// [`far_product`]. Derivatives of powers between 0 and 2 do not leave the range.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn far_recurrence<T: Number>(recurrence: impl FnOnce() -> Recurrence, d: T) -> Option<Recurrence> {
    // A comparison would be a guard.
    if T::TRACES {
        return None;
    }
    let recurrence = match recurrence() {
        Recurrence::Reciprocal => Recurrence::Power(-1.0),
        Recurrence::Power(c) if !(0.0..=2.0).contains(&c) => Recurrence::Power(c),
        // Complex division squares the modulus, and a tape does not show whether a derivative overflows.
        Recurrence::Logarithm(a) if T::REAL && T::ORDER > 0 && !T::RECORDS => Recurrence::Logarithm(a),
        _ => return None,
    };
    // Positive powers have lower derivatives.
    let by_itself = matches!(recurrence, Recurrence::Power(c) if c > 0.0);
    let is_exact = if by_itself { boundary::has_digits(d) } else { boundary::is_exact(d) };
    let is_near = is_exact & (d.magnitude() <= T::Base::max_value());
    (!is_near).then_some(recurrence)
}

/// A derivative that is not one number: `[c, by]` of a quotient, which is preferred where it has a finite tangent, and the
/// factors of a product.
#[derive(Clone, Copy)]
pub(crate) struct FarDerivative<T> {
    quotient: Option<[T; 2]>,
    product: Option<[T; 2]>,
}

/// The derivative of a power or a logarithm `f` of `x` in parts that are in the range; none where the derivative is infinite
/// or 0 at `x` itself. `formula` is the row's derivative.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn far_derivative<T: Number>(
    recurrence: Recurrence,
    [x, f]: [T; 2],
    formula: &dyn Fn(T) -> T,
) -> Option<FarDerivative<T>> {
    let is_finite = |x: T| x.magnitude() <= T::Base::max_value();
    let between = |x: T| is_finite(x) && !x.is_zero() && is_finite(f);
    let (quotient, product) = match recurrence {
        // `c/(x + a)`, where `c` is the derivative at `1 − a`.
        Recurrence::Logarithm(a) if between(x.plus(a)) => (Some([formula(T::lit(1.0 - a)), x.plus(a)]), None),
        Recurrence::Power(c) if between(x) && c.is_finite() => {
            // Factors with fractional exponents have fewer digits than their product, where that is in the range.
            let divides = T::ORDER > 0 && c < 0.0 && c % 1.0 != 0.0 && boundary::has_digits(f);
            let is_near = |d: T| boundary::has_digits(d) && is_finite(d);
            let factors = (!divides || !is_near(formula(x))).then(|| power_factors([x, f], c));
            (divides.then(|| [f.times(c), x]), factors)
        }
        _ => return None,
    };
    Some(FarDerivative { quotient, product })
}

/// A derivative of plain numbers as the product of two factors, the second of which is 1 where the derivative `d` has its
/// digits: so that many lanes take one path. It is positive, which keeps the signs of zeros.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn slope_factors<T: Number>(
    recurrence: impl FnOnce() -> Recurrence,
    point: [T; 2],
    d: T,
) -> [T; 2] {
    let far = match far_recurrence(recurrence, d) {
        Some(Recurrence::Power(c)) => far_factors(c, point),
        _ => None,
    };
    far.unwrap_or([d, T::lit(1.0)])
}

/// The factors of a derivative of plain numbers that has left the range; none where they leave it too.
#[cold]
#[inline(never)]
fn far_factors<T: Number>(c: f64, [x, f]: [T; 2]) -> Option<[T; 2]> {
    let [a, b] = power_factors([x, f], c);
    let is_usable = |t: &T| t.all_finite() && !t.is_zero();
    let usable = f.all_finite() && [x, a, b].iter().all(is_usable);
    usable.then(|| if Float::is_sign_negative(b.re().primal()) { [-a, -b] } else { [a, b] })
}

/// The tangent by this derivative, or the `plain` one where it is none of finite numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(crate) fn far_product<T: Number>(slope: Option<FarDerivative<T>>, plain: T, t: T) -> T {
    let Some(FarDerivative { quotient, product }) = slope.filter(|_| t.all_finite()) else { return plain };
    if let Some([c, by]) = quotient {
        let tangent = c * (t / by);
        if tangent.all_finite() {
            return tangent;
        }
    }
    let Some([a, b]) = product else { return plain };
    let tangent = b.strong_mul(a.strong_mul(t));
    // A factor may have derivatives beyond the range where their product has none.
    let overflows = T::ORDER > 0 && plain.all_finite() && !tangent.all_finite();
    if Float::is_nan(tangent.component_sum()) || overflows { plain } else { tangent }
}

/// The derivative `c·x^(c−1)` of a power `f` as the product of two factors: these are in the range of the float where it may
/// not be. Factors of whole powers are whole powers, whose series end.
fn power_factors<T: Number>([x, f]: [T; 2], c: f64) -> [T; 2] {
    if c == -1.0 {
        return [-f, f];
    }
    if c % 1.0 == 0.0 && c.abs() < 1e7 {
        let half = Float::trunc((c - 1.0) / 2.0);
        return [x.powf_const(half).times(c), x.powf_const(c - 1.0 - half)];
    }
    let root = x.powf_const((c - 1.0) / 2.0);
    [root.times(c), root]
}

/// Whether `c − 1` is rounded to another, even exponent, because `c` is beyond the range of exact integers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rounds<T: Number>(c: f64) -> bool {
    c.abs() > 1e7 && c - T::Base::from_double(c - 1.0).to_double() != 1.0
}

/// `c·x^(c−1)`. If `c − 1` is rounded, the parity of `c` determines the sign of the power of a negative `x`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn lower_power<T: Number>(x: T, c: f64) -> T {
    let power = x.powf_const(c - 1.0).times(c);
    let odd = T::REAL && rounds::<T>(c) && c % 2.0 == 0.0;
    if odd && Float::is_sign_negative(x.re().primal()) { -power } else { power }
}

/// Whether the power `f` of `x` may be divided by `x` to reduce the exponent: a complex one that is accurate.
#[cfg_attr(not(debug_assertions), inline(always))]
fn divides<T: Number>(x: T, f: T) -> bool {
    let least =
        if T::REAL { T::Base::from_double(0.0) } else { T::Base::min_positive_value() / T::Base::epsilon() };
    f.magnitude() > least && Float::is_finite(f.magnitude()) && Float::is_finite(x.magnitude())
}

/// Whether to compute `x^(c−1)` as a quotient: because the exponent `c − 1` would be rounded, or because a complex
/// power costs more than a quotient. The second reason does not count for integer exponents, whose derivatives end:
/// the derivatives of the quotient may leave the range.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_quotient<T: Number>(x: T, c: f64) -> bool {
    let ends = T::ORDER > 0 && c % 1.0 == 0.0;
    c < 0.5 || rounds::<T>(c) || !T::REAL && !ends && below(x, 1e5) && !below(x, 1e-5)
}

/// `c·x^(c−1)`, 0 for `c = 0` and where an infinite `c` makes the power 0. For `c < ½` and for very large `c` the
/// exponent `c − 1` would be rounded, so there it is `c·f/x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(in crate::rules) fn power_prime_const<T: Number>(x: T, c: f64, f: T) -> T {
    if c == 0.0 || (c.is_infinite() && f.is_zero()) {
        boundary::zero_of(x)
    } else if by_quotient(x, c) && divides(x, f) {
        if let Some(slope) = quotient(x, c, f, |t| t.times(c)) {
            return slope;
        }
        steep_power(x, f, |t| t.times(c), || lower_power(x, c))
    } else {
        lower_power(x, c)
    }
}

/// `y·f/x` if no intermediate result overflows. For small exponents the product comes first, because the
/// derivatives of `f/x` may be infinite where the derivatives of the result are not; complex ones of exponents below
/// 1e-200 may still be.
#[cfg_attr(not(debug_assertions), inline(always))]
fn quotient<T: Number>(x: T, c: f64, f: T, y: impl Fn(T) -> T) -> Option<T> {
    let small = c.abs() < 0.5;
    let quotient = over(if small { y(f) } else { f }, x);
    Float::is_finite(quotient.magnitude()).then(|| if small { quotient } else { y(quotient) })
}

/// `y·f/x` for a power `f = x^y` if `f/x` overflows: from scaled factors, or `beyond` if the result overflows too.
#[cold]
fn steep_power<T: Number>(x: T, f: T, y: impl Fn(T) -> T, beyond: impl FnOnce() -> T) -> T {
    let quotient = y(f.times(SCALE)) / x.times(SCALE);
    if Float::is_finite(quotient.magnitude()) { quotient } else { beyond() }
}

/// A power of two that makes subnormal numbers of both float types normal.
const SCALE: f64 = (1_u64 << 60) as f64;

/// `y·x^(y−1)` for an active exponent; as [`power_prime_const`] where that exponent is constant here.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(in crate::rules) fn power_prime<T: Number>(x: T, y: T, f: T) -> T {
    let (c, real) = (y.re().primal().to_double(), y.im().is_zero());
    if real && y.is_constant() {
        power_prime_const(x, c, f)
    } else if x.is_zero() {
        power_prime_at_zero(x, y)
    } else if real && (!c.is_finite() || c == 0.0 && !in_domain(x)) {
        power_prime_at_end(x, y, f)
    } else if by_quotient(x, c) && divides(x, f) {
        if let Some(slope) = quotient(x, c, f, |t| y * t) {
            return slope;
        }
        // Infinite: `±e^((y−1) ln x + ln |y|)` has derivatives of the right signs.
        let sign = Float::signum(c);
        let exponential = || (y.plus(-1.0) * x.ln() + y.times(sign).ln()).exp().times(sign);
        let positive = T::REAL && x.re().primal() > T::Base::from_double(0.0);
        steep_power(x, f, |t| y * t, || if positive { exponential() } else { y * over(f, x) })
    } else {
        x.powf(y.plus(-1.0)).strong_mul(y)
    }
}

/// `y·x^(y−1)` at `x = 0`. Its derivative in `y`, `x^(y−1)·(1 + y ln x)`, is `±∞` because of the logarithm; the other
/// term does not matter. At `y = 0` only `x^(y−1)` remains.
#[cold]
fn power_prime_at_zero<T: Number>(x: T, y: T) -> T {
    if y.is_zero() {
        unsigned_zero(x).powf(y.plus(-1.0)).strong_mul(y)
    } else {
        x.powf(y.plus(-1.0)).strong_both(y.detach())
    }
}

/// Whether the power `f` of a finite `x` is infinite.
#[cfg_attr(not(debug_assertions), inline(always))]
fn overflows<T: Number>(x: T, f: T) -> bool {
    Float::is_infinite(f.magnitude()) && Float::is_finite(x.magnitude())
}

/// Whether `x` is finite and a real one positive: a real power of an active exponent has no derivative elsewhere.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn in_domain<T: Number>(x: T) -> bool {
    let positive = !T::REAL || x.re().primal() > T::Base::from_double(0.0);
    positive && Float::is_finite(x.magnitude())
}

/// `y·x^(y−1)` if `x` or `y` is not finite, and at `y = 0` outside the domain: where that is a product with 0 it is a
/// constant, but NaN along `y` for a negative `x`.
#[cold]
#[track_caller]
fn power_prime_at_end<T: Number>(x: T, y: T, f: T) -> T {
    let c = y.re().primal().to_double();
    if c != 0.0 && !f.is_zero() {
        return if divides(x, f) { over(f, x).strong_both(y) } else { x.powf(y.plus(-1.0)).strong_mul(y) };
    }
    let slope = power_prime_const(x, c, f);
    let tangents = y.with_innermost(T::Primal::lit(0.0));
    let positive = x.re().primal() > T::Base::from_double(0.0);
    if T::REAL && !positive { slope + x.nan_like().strong_mul(tangents) } else { slope }
}

/// `f·ln x`, which is 0 at `x = 0` for a positive exponent and at `x = ∞` for a negative one.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(in crate::rules) fn power_prime_exponent<T: Number>(x: T, y: T, f: T) -> T {
    let (size, positive) = (x.magnitude(), x.re().primal() > T::Base::from_double(0.0));
    let least = T::Base::min_positive_value();
    if x.is_zero() {
        let x = unsigned_zero(x);
        x.powf(y).strong_both(x.ln())
    } else if f.is_zero() && Float::is_infinite(size) && positive {
        T::lit(0.0)
    } else if T::REAL && positive && (size < least || f.magnitude() < least) {
        logarithmic_power(x, y, f)
    } else if T::REAL && overflows(x, f) && y.re().primal() > T::Base::from_double(1.0) {
        x.powf(y.plus(-1.0)).strong_mul(-T::from_re(x.re().entr())) // its derivative along x may be in range
    } else {
        f.strong_mul(x.ln())
    }
}

/// `f·ln x` for subnormal `x` or `f`. The derivative `1/x` of `ln x` overflows, and `f` may have underflowed, so the
/// product uses factors that stay in range with their derivatives: `x^(y−1)·(x ln x)` for `y ≥ 1`, otherwise `(f ln
/// f)/y`. Near `y = 0` no form stays in range.
#[cold]
#[track_caller]
fn logarithmic_power<T: Number>(x: T, y: T, f: T) -> T {
    let exponent = y.re().primal().to_double();
    let entropy = |t: T| T::from_re(t.re().entr());
    if exponent >= 1.0 {
        let s = x.times(SCALE); // x ln x = (s ln s − s ln c)/c with s = cx
        ((s.times(-Float::ln(SCALE)) - entropy(s)) * x.powf(y.plus(-1.0))).times(1.0 / SCALE)
    } else if exponent.abs() >= 1e-5 && Float::is_finite(f.magnitude()) {
        -entropy(f) / y
    } else if Float::is_finite(T::Base::from_double(1.0) / x.magnitude()) {
        f.strong_mul(x.ln())
    } else {
        // Here `f` is about 1: along `x` it adds little to an infinite `f/x`, and may be infinite too.
        x.detach().powf(y).strong_mul(x.ln())
    }
}

//! Derivatives of the gamma density `f = x^(a−1)·e^(−x)/Γ(a)`.

use super::{below, unsigned_zero, zero_of};
use crate::number::{BaseFloat, Real};
use crate::rules::Literal;
use crate::rules::special::{SHAPE_ORDERS, bell, log_excess};

/// `f·(a − 1 − x)/x` for the gamma density `f`, 0 where `f` is 0. Its derivatives would cancel for small `x`: there
/// it is the density for `a − 1` minus that for `a`, which has the right limit at 0 too, and near the mode `a − 1`, where
/// these cancel, the density for `a − 1` times `(a − 1 − x)/(a − 1)`.
#[inline]
pub(in crate::rules) fn gamma_pdf_prime<T: Real>(x: T, a: f64, f: T) -> T {
    if a == 1.0 {
        -f
    } else if f.is_zero() && a > 1e100 {
        zero_of(x)
    } else if a >= 1.0 && below(x, 1.0) {
        let [low, high] = [0.5, 2.0].map(|n| T::Base::from_double(n * (a - 1.0)));
        let next = x.gamma_pdf_const(a - 1.0);
        if x > low && x < high { next * (-x).plus(a - 1.0).times(1.0 / (a - 1.0)) } else { next - f }
    } else if f.is_zero() {
        zero_of(x)
    } else if a < 1.0 {
        f.times(a - 1.0) / unsigned_zero(x) - f
    } else {
        f * ((-x).plus(a - 1.0) / x)
    }
}

/// As [`gamma_pdf_prime`], for a variable shape.
#[inline]
pub(in crate::rules) fn gamma_pdf_slope<T: Real>(x: T, a: T, f: T) -> T {
    let less = a.plus(-1.0);
    if f.is_zero() && !below(a, 1e100) {
        zero_of(x) + zero_of(a)
    } else if below(a, 1.0) && x.is_zero() {
        (f * less).strong_mul(unsigned_zero(x).recip()) - f
    } else if below(a, 1.0) {
        f * less / x - f
    } else if less.is_zero() && x.is_zero() {
        -f
    } else if below(x, 1.0) && x < less + less && less < x + x {
        density_below(x, a) * ((less - x) / less)
    } else if below(x, 1.0) {
        density_below(x, a) - f
    } else if f.is_zero() {
        zero_of(x) + zero_of(a)
    } else {
        f * ((less - x) / x)
    }
}

/// The density for the shape `a − 1`, for `a ≥ 1`. Power series do not take it through this rule again: it is the density for
/// the constant shape `c − 1`, where `c = a`, times `(a − 1)/(c − 1)·e^h` with `h = (a − c)·ln x − ln Γ(a) + ln Γ(c)`.
fn density_below<T: Real>(x: T, a: T) -> T {
    if T::TRACES || T::PLAIN {
        return x.gamma_pdf(a.plus(-1.0));
    }
    let at = a.primal().to_double();
    let (change, constant) = (a - T::lit(at), x.gamma_pdf_const(at - 1.0));
    let factor = (change.xlogy(unsigned_zero(x)) - (a.ln_gamma() - T::lit(at).ln_gamma())).exp();
    if x.is_zero() {
        factor.strong_mul(constant)
    } else if at == 1.0 {
        change / x * x.gamma_pdf_const(1.0) * factor
    } else {
        constant * change.times(1.0 / (at - 1.0)).plus(1.0) * factor
    }
}

/// The n-th derivative of the density `f` in the shape: `f·Bₙ(ln x − ψ(a), −ψ′(a), −ψ″(a), …)` with the complete Bell
/// polynomial `Bₙ`. For small `a` the pole of `ψ` cancels: there `f` is `a` times a density whose `ψ` has none.
#[inline]
pub(in crate::rules) fn gamma_pdf_shape<T: Real>(x: T, a: T, f: T, n: u32) -> T {
    let order = n as usize;
    if order > SHAPE_ORDERS {
        return f.nan_like();
    }
    if order > 0 && below(a, 0.5) && !x.is_zero() {
        let next = a.plus(1.0);
        let g = x.gamma_pdf(next) / x;
        if g.is_zero() {
            return zero_of(x) + zero_of(a);
        }
        let g = if T::TRACES { g } else { g.times(rounding_of_next(x, a, next)) };
        let bell = bell_of_shape(order, x, next);
        g * (a * bell[order] + bell[order - 1].times(f64::from(n)))
    } else if order > 0 && x.is_zero() && !f.is_zero() {
        // The logarithm outgrows the rest.
        f.strong_mul(unsigned_zero(x).ln().powi(n as i32))
    } else if order == 1 && below(a, 16.0) && !below(a, 1.0) && below(x, 1.0) {
        if x.is_zero() || !below(f, 1e-290) {
            // At 0 the product has a limit.
            return f.xlogy(x) - f * a.polygamma(0);
        }
        // The density underflows before its derivatives do.
        density_below(x, a) / a.plus(-1.0) * (x.xlogy(x) - x * a.polygamma(0))
    } else if f.is_zero() {
        zero_of(x) + zero_of(a)
    } else {
        f * bell_of_shape(order, x, a)[order]
    }
}

/// The quotient of `x^a` and `x^(next − 1)`, where `next` is the rounded sum `a + 1`.
fn rounding_of_next<T: Real>(x: T, a: T, next: T) -> f64 {
    let [x, a, next] = [x, a, next].map(|t| t.primal().to_double());
    1.0 + (a - (next - 1.0)) * libm::log(x)
}

/// The complete Bell polynomials of the derivatives of `ln f` in the shape.
fn bell_of_shape<T: Real>(n: usize, x: T, a: T) -> [T; SHAPE_ORDERS + 1] {
    let mut kappa = [T::lit(0.0); SHAPE_ORDERS];
    for (k, kappa) in kappa[..n].iter_mut().enumerate() {
        *kappa = if k == 0 { log_excess(x, a) } else { -a.polygamma(k as u32) };
    }
    bell(n, &kappa)
}

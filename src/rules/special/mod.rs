//! Special functions that std lacks, in plain f64 and without std.
//!
//! The accuracies are the largest errors at some thousands of random points per range against 50-digit references, in
//! units of eps = 2^-52, relative to the value unless noted; errors of underflowing values are relative to the
//! spacing of the subnormals. NaN gives NaN.

mod bessel;
mod beta;
mod dd;
mod exponentials;
mod gamma;
mod incomplete;
mod normal;
mod power;
mod shape;

pub(crate) use bessel::{bessel_j, sph_j};
pub(crate) use beta::{beta, beta_i, beta_pdf, ln_beta, polygamma_increment};
use core::f64::consts::{FRAC_2_SQRT_PI, LN_2, PI};
use dd::Dd;
pub(crate) use exponentials::{exprel_derivative, ln_1m_exp};
pub(crate) use gamma::{gamma, ln_gamma, polygamma};
pub(crate) use incomplete::{gamma_p, gamma_pdf, gamma_q};
pub(crate) use normal::{
    erfcx, erfcx_derivative, ln_norm_cdf, ln_norm_cdf_derivative, norm_cdf, norm_pdf, norm_quantile,
};
use num_traits::Float;
pub(crate) use power::{exp_base, power, powi};
pub(crate) use shape::{SHAPE_ORDERS, bell, gamma_p_derivative, log_excess};

/// The polynomial with these coefficients, constant first.
fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |acc, c| acc * x + c)
}

/// 1/3, 1/5, 1/7, ...
const ODD_RECIPROCALS: [f64; 24] = {
    let (mut all, mut k) = ([0.0; 24], 0);
    while k < all.len() {
        all[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    all
};

/// u - ln(1+u) for u > -1: by the series of 2 artanh r, r = u/(2+u), where the difference cancels. 4 eps.
fn excess(u: f64) -> f64 {
    if !(u > -0.6 && u < 1.5) {
        return u - Float::ln_1p(u);
    }
    let r = u / (2.0 + u);
    let w = r * r;
    let terms = if libm::fabs(u) < 0.1 { 8 } else { 24 };
    r * u - 2.0 * r * w * horner(&ODD_RECIPROCALS[..terms], w)
}

/// sech²x = 1/cosh²x, 0 at ±inf: as 4t/(1+t)² with t = exp(-2|x|), the rounding error of 1+t put back.
/// 1.6 eps.
pub(crate) fn sech2(x: f64) -> f64 {
    let a = libm::fabs(x);
    if a > 300.0 {
        // t would be subnormal before sech² is.
        let h = 2.0 * Float::exp(-a);
        return h * h;
    }
    let t = Float::exp(-2.0 * a);
    let s = Dd::ordered_sum(1.0, t);
    4.0 * t / (s.hi * s.hi) * (1.0 - 2.0 * s.lo)
}

/// exp(-x²), 0 at ±inf: with x² exact, as exp(-(p+q)) = exp(-p)(1-q). 1.2 eps.
pub(crate) fn gaussian(x: f64) -> f64 {
    if libm::fabs(x) > 28.0 {
        return 0.0;
    }
    let square = Dd::product(x, x);
    let e = Float::exp(-square.hi);
    e - e * square.lo
}

/// 1/(1+exp(-x)): 0 at -inf, 1 at inf. 1.3 eps.
pub(crate) fn sigmoid(x: f64) -> f64 {
    // No branch on random signs.
    let t = Float::exp(-libm::fabs(x));
    (if x >= 0.0 { 1.0 } else { t }) / (1.0 + t)
}

/// ln(1+exp x): 0 at -inf, inf at inf. 1 eps.
pub(crate) fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + Float::ln_1p(Float::exp(-x)) } else { Float::ln_1p(Float::exp(x)) }
}

/// -x ln x: 0 at ±0, NaN for x < 0, -inf at inf. 1 eps.
pub(crate) fn entr(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { -x * Float::ln(x) }
}

/// -1, 0 or 1; 0 at ±0, NaN at NaN. Exact.
pub(crate) fn sign(x: f64) -> f64 {
    // No branch on random signs.
    if libm::fabs(x) > 0.0 { libm::copysign(1.0, x) } else { x + 0.0 }
}

/// sin x/x: 1 at 0, 0 at ±inf. 0.9 eps.
pub(crate) fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x.is_infinite() {
        0.0
    } else {
        Float::sin(x) / x
    }
}

/// cos x/x: ±inf at ±0, ±0 at ±inf. 0.9 eps.
pub(crate) fn cosc(x: f64) -> f64 {
    if x.is_infinite() { 1.0 / x } else { Float::cos(x) / x }
}

/// sinh x/x: 1 at 0, inf at ±inf. 1.5 eps.
pub(crate) fn sinhc(x: f64) -> f64 {
    let a = libm::fabs(x);
    if a == 0.0 {
        1.0
    } else if a > 700.0 {
        half_exp_over(a)
    } else {
        libm::sinh(a) / a
    }
}

/// cosh x/x: ±inf at ±0 and at ±inf. 1.5 eps.
pub(crate) fn coshc(x: f64) -> f64 {
    let a = libm::fabs(x);
    let value = if a > 700.0 { half_exp_over(a) } else { libm::cosh(a) / a };
    libm::copysign(value, x)
}

/// exp(x)/(2x) for large x, finite beyond the overflow of exp itself.
fn half_exp_over(x: f64) -> f64 {
    if x == f64::INFINITY {
        return x;
    }
    let half = Float::exp(0.5 * x);
    0.5 * half / x * half
}

/// The error function: `libm`'s (fdlibm's). 0.7 eps.
pub(crate) fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// 1 - erf x without cancellation: `libm`'s (fdlibm's). 1.4 eps.
pub(crate) fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// The inverse of erf: ±inf at ±1, NaN beyond.
///
/// Winitzki's closed form (*A handy approximation for the error function and its inverse*, 2008; 2e-3
/// relative) and two steps of the inverse function's third-order Taylor polynomial, on erf in the middle and
/// on erfc at the ends; Taylor's series about 0. 1 eps.
pub(crate) fn erfinv(y: f64) -> f64 {
    let a = libm::fabs(y);
    if a == 1.0 {
        return libm::copysign(f64::INFINITY, y);
    }
    if a < 1e-4 {
        // sqrt(π)/2 to twice the digits, for the bit that one rounding costs.
        let linear = a * 0.886_226_925_452_758 - a * 3.833_293_249_912_899_3e-17;
        return libm::copysign(linear + linear * (a * a) * (PI / 12.0), y);
    }
    let log = Float::ln((1.0 - a) * (1.0 + a));
    let shift = 2.0 / (PI * 0.147) + 0.5 * log;
    let mut x = libm::sqrt(libm::sqrt(shift * shift - log / 0.147) - shift);
    for _ in 0..2 {
        let residual = if a < 0.5 { libm::erf(x) - a } else { (1.0 - a) - libm::erfc(x) };
        let u = residual / (FRAC_2_SQRT_PI * gaussian(x));
        x -= u * (1.0 - u * (x - u * (1.0 + 4.0 * x * x) / 3.0));
    }
    libm::copysign(x, y)
}

/// x ln y: 0 at x = 0 for every y except NaN. 1 eps.
pub(crate) fn xlogy(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * Float::ln(y) }
}

/// x ln(1+y): 0 at x = 0 for every y except NaN. 1 eps.
pub(crate) fn xlog1py(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * Float::ln_1p(y) }
}

/// ln(exp x + exp y) without overflow: equal infinities give that infinity. 0.8 eps, absolute where the value
/// is below 1 (the larger argument and the logarithm may cancel).
pub(crate) fn logaddexp(x: f64, y: f64) -> f64 {
    if x == y {
        return x + LN_2;
    }
    let (larger, difference) = if x > y { (x, y - x) } else { (y, x - y) };
    larger + Float::ln_1p(Float::exp(difference))
}

//! Functions of exponentials whose formulas cancel or overflow.

use core::f64::consts::LN_2;
use num_traits::Float;

/// The highest derivative of exprel.
const ORDERS: u32 = 128;

/// ln(1-exp x) for x <= 0, NaN beyond: -inf at 0, -0 at -inf. 1.2 eps (M. Maechler, Accurately computing
/// log(1 - exp(-|a|)), 2012).
pub(crate) fn ln_1m_exp(x: f64) -> f64 {
    if x > -LN_2 { Float::ln(-libm::expm1(x)) } else { libm::log1p(-Float::exp(x)) }
}

/// The n-th derivative of (exp x - 1)/x for n <= 128, NaN beyond: the integral of tⁿ exp(xt) over 0 <= t <= 1. inf at
/// inf, 0 at -inf.
///
/// For |x| < 2n+2 by series of positive terms, of the incomplete gamma function (DLMF 8.7.1, 8.11.4); beyond by the
/// recurrence in n, which is stable there. 1.5 eps for n = 0, 6 eps for n <= 4.
pub(crate) fn exprel_derivative(n: u32, x: f64) -> f64 {
    if n > ORDERS || x.is_nan() {
        return f64::NAN;
    }
    let (size, order) = (libm::fabs(x), f64::from(n));
    if x.is_infinite() {
        return if x > 0.0 { x } else { 0.0 };
    }
    if n > 0 && size < 2.0 * order + 2.0 {
        let (mut sum, mut term, mut k) = (0.0, 1.0, 0.0);
        while term > 1e-17 * sum {
            if x > 0.0 {
                sum += term / (order + 1.0 + k);
                k += 1.0;
                term *= size / k;
            } else {
                term *= if k == 0.0 { 1.0 } else { size } / (order + 1.0 + k);
                sum += term;
                k += 1.0;
            }
        }
        return if x > 0.0 { sum } else { sum * Float::exp(x) };
    }
    if size == 0.0 {
        return 1.0;
    }
    // In multiples of exp x for x > 0, so that nothing overflows before the product does.
    let last = if x > 0.0 { 1.0 } else { Float::exp(x) };
    let mut y = -libm::expm1(-size) / size;
    for k in 1..=n {
        y = (last - f64::from(k) * y) / x;
    }
    match x {
        700.0.. => y * Float::exp(x - 700.0) * Float::exp(700.0),
        0.0.. => y * Float::exp(x),
        _ => y + 0.0, // an underflow is positive
    }
}

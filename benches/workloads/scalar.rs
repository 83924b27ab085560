//! `f(x) = exp(sin x + x²)·ln(1 + x²)/√x`: value and derivative.

use wengert::{Dual, Real};

/// The function.
#[inline]
pub fn f<T: Real<Base = f64>>(x: T) -> T {
    let (s, r) = (x * x, x.sqrt());
    (x.sin() + s).exp() * (s + 1.0).ln() / r
}

/// By hand.
#[inline]
pub fn hand(x: f64) -> [f64; 2] {
    let (s, r) = (x * x, x.sqrt());
    let (sin, cos) = x.sin_cos();
    let e = (sin + s).exp();
    let l = (1.0 + s).ln();
    let y = e * l / r;
    let product = e * (cos + 2.0 * x) * l + e * (2.0 * x / (1.0 + s));
    [y, (product - y * (0.5 / r)) / r]
}

/// By `Dual`.
#[inline]
pub fn dual(x: f64) -> [f64; 2] {
    let y = f(Dual::variable(x));
    [y.value(), y.tangent()]
}

//! Partials of functions of two numbers, without branches.

use super::one_number::{known_if, ln};

/// `x² + y²` where the larger square has all digits.
#[cfg_attr(not(debug_assertions), inline(always))]
fn square_sum(x: f64, y: f64) -> f64 {
    let sum = x * x + y * y;
    known_if((1e-290..=1e300).contains(&sum), sum)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    square_sum(x, y).sqrt()
}

/// `∂ hypot/∂x`. The sum with 0 turns −0 into 0, here and below, as in the rules.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unit_x(x: f64, y: f64) -> f64 {
    x / hypot(x, y) + 0.0
}

/// `∂ hypot/∂y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unit_y(x: f64, y: f64) -> f64 {
    y / hypot(x, y) + 0.0
}

/// `∂ atan2(y, x)/∂y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn angle_y(y: f64, x: f64) -> f64 {
    x / square_sum(x, y) + 0.0
}

/// `∂ atan2(y, x)/∂x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn angle_x(y: f64, x: f64) -> f64 {
    -y / square_sum(x, y) + 0.0
}

/// `y` if it and the product that it was computed from have all digits, or are 0 exactly.
#[cfg_attr(not(debug_assertions), inline(always))]
fn known_far_from_zero(is_zero: bool, product: f64, y: f64) -> f64 {
    known_if(is_zero | (product.abs().min(y.abs()) >= 1e-290), y + 0.0)
}

/// `∂² hypot/∂x² = y²/f³`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hypot_xx(x: f64, y: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero(y == 0.0, y * y, y * y / s / s.sqrt())
}

/// `∂² hypot/∂x∂y = −xy/f³`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hypot_xy(x: f64, y: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero((x == 0.0) | (y == 0.0), x * y, -x * y / s / s.sqrt())
}

/// `∂² hypot/∂y²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hypot_yy(x: f64, y: f64) -> f64 {
    hypot_xx(y, x)
}

/// `∂² atan2(y, x)/∂x² = 2xy/s²`, `s = x² + y²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn angle_xx(y: f64, x: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero((x == 0.0) | (y == 0.0), 1.0, 2.0 * (x / s) * (y / s))
}

/// `∂² atan2(y, x)/∂y²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn angle_yy(y: f64, x: f64) -> f64 {
    angle_xx(-y, x)
}

/// `∂² atan2(y, x)/∂x∂y = (y² − x²)/s²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn angle_yx(y: f64, x: f64) -> f64 {
    let s = square_sum(x, y);
    known_far_from_zero(x.abs() == y.abs(), 1.0, ((y - x) / s) * ((y + x) / s))
}

/// `xʸ⁻ᵏ` for an integer `y`, so that the derivatives of integer powers have all digits, else `xʸ/xᵏ`; where neither it
/// nor its arguments are extreme.
#[cfg_attr(not(debug_assertions), inline(always))]
fn power(x: f64, y: f64, k: i32) -> f64 {
    let is_whole = y == y.trunc();
    let f = x.powf(if is_whole { y - f64::from(k) } else { y });
    let is_moderate = (1e-50..=1e50).contains(&x.abs()) & (1e-30..=1e10).contains(&y.abs());
    let known = known_if(is_moderate & (1e-150..=1e150).contains(&f.abs()), f);
    if is_whole { known } else { (0..k).fold(known, |f, _| f / x) }
}

/// `∂ xʸ/∂x = y·xʸ⁻¹`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pow_x(x: f64, y: f64) -> f64 {
    y * power(x, y, 1)
}

/// `∂ xʸ/∂y = xʸ·ln x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pow_y(x: f64, y: f64) -> f64 {
    power(x, y, 0) * ln(x)
}

/// `∂² xʸ/∂x² = y(y − 1)·xʸ⁻²`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pow_xx(x: f64, y: f64) -> f64 {
    y * (y - 1.0) * power(x, y, 2) + 0.0
}

/// `∂² xʸ/∂x∂y = xʸ⁻¹·(1 + y ln x)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pow_xy(x: f64, y: f64) -> f64 {
    power(x, y, 1) * (1.0 + y * ln(x))
}

/// `∂² xʸ/∂y² = xʸ·ln² x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pow_yy(x: f64, y: f64) -> f64 {
    pow_y(x, y) * ln(x)
}

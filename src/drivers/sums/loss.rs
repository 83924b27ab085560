//! Losses: plain squares and robust ones.

use crate::duals::Dual;
use crate::number::{Number, Real, Scalar};

/// A function `ρ` of the square `s = ‖r‖²` of a term's residuals, with `ρ(0) = 0` and `ρ′(0) = 1`. The crate computes
/// its derivatives.
///
/// ```
/// use wengert::{Scalar, sums::Loss};
/// struct Welsch;
/// impl Loss for Welsch {
///     fn rho<T: Scalar>(&self, s: T) -> T { -(-s).exp_m1() }
/// }
/// assert_eq!(Welsch.rho(0.0), 0.0);
/// ```
pub trait Loss: Sync {
    /// `ρ(s)`.
    fn rho<T: Scalar>(&self, s: T) -> T;
}

/// `ρ(s) = s`: plain least squares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Squared;

impl Loss for Squared {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rho<T: Scalar>(&self, s: T) -> T {
        s
    }
}

/// `s` up to `δ²`, then `2δ√s − δ²`: beyond `δ` a residual counts as its length, not as its square.
///
/// ```
/// use wengert::{derivative, sums::{Huber, Loss}};
/// assert_eq!([0.25, 9.0].map(|s| Huber(1.0).rho(s)), [0.25, 5.0]);
/// assert_eq!(derivative(|s| Huber(1.0).rho(s), 1.0), 1.0); // at δ² from either side
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Huber(
    /// `δ`, a positive number.
    pub f64,
);

impl Loss for Huber {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rho<T: Scalar>(&self, s: T) -> T {
        let Huber(delta) = *self;
        if s > delta * delta { s.sqrt() * (2.0 * delta) - delta * delta } else { s }
    }
}

/// `c²·ln(1 + s/c²)`: a residual far beyond `c` hardly counts any more.
///
/// ```
/// use wengert::{derivative, sums::{Cauchy, Loss}};
/// assert_eq!(derivative(|s| Cauchy(2.0).rho(s), 12.0), 0.25); // 1/(1 + s/c²)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cauchy(
    /// `c`.
    pub f64,
);

impl Loss for Cauchy {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rho<T: Scalar>(&self, s: T) -> T {
        let square = self.0 * self.0;
        Number::ln_1p(s / square) * square
    }
}

/// A robust loss `ρ` at the residuals `r` of a row, with `s = ‖r‖²` and Triggs' `D = 1 + 2s·ρ″/ρ′`, which is 0.01 at least.
pub(super) struct Correction {
    /// `½ρ(s)`.
    pub(super) value: f64,
    /// `ρ′(s)`.
    pub(super) slope: f64,
    /// `√D`.
    pub(super) root: f64,
    /// `(1 − √D)/s`.
    pub(super) by: f64,
}

/// Evaluates the loss at residuals.
pub(super) fn correction(loss: &impl Loss, residuals: &[f64]) -> Correction {
    let s = residuals.iter().map(|r| r * r).sum::<f64>();
    let rho = loss.rho(Dual::new(Dual::variable(s), Dual::constant(1.0)));
    let rho = [rho.value().value(), rho.tangent().value(), rho.tangent().tangent()];
    let [value, slope, root, by] = corrected(s, rho);
    Correction { value, slope, root, by }
}

/// `½ρ(s)`, `ρ′`, `√D` and `(1 − √D)/s` from `ρ`, `ρ′` and `ρ″`. Where the loss is not finite, `ρ′` is NaN: `s` overflows
/// before `ρ′(s)·r` does, and a gradient of 0 would look like a minimum.
pub(super) fn corrected<T: Scalar>(s: T, [value, first, second]: [T; 3]) -> [T; 4] {
    let (mut root, mut by) = (T::lit(1.0), T::lit(0.0));
    if second != 0.0 && s != 0.0 {
        root = Real::max(s * second / first * 2.0 + 1.0, T::lit(0.01)).sqrt();
        by = (T::lit(1.0) - root) / s;
    }
    [value * 0.5, first + value * 0.0, root, by]
}

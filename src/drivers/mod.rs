//! Drivers: what runs a function at a number type and hands back the derivative.
//!
//! Every family has one worker, `try_value_and_…_into`; `…_into` is this one with a panic instead of the error,
//! the others are the same with an allocation, or with a part of the result left away. (Results in their own shape
//! are made from the numbers at once, without a buffer between.)

mod chunks;
mod closure;
pub(crate) mod complex;
mod derivative;
mod function;
mod gradient;
#[cfg(feature = "nalgebra")]
mod hessian;
mod hvp;
#[cfg(feature = "nalgebra")]
mod jacobian;
mod passes;
mod products;
pub(crate) mod reverse;

pub use derivative::*;
pub use function::{Function, VectorFunction};
#[cfg(feature = "nalgebra")]
pub use jacobian::{jacobian, jacobian_into, value_and_jacobian, value_and_jacobian_into};
pub use products::{
    jvp, jvp_into, try_value_and_jvp, try_value_and_jvp_into, value_and_jvp, value_and_jvp_into,
};
pub use reverse::{
    Linearized, gradient, gradient_into, hvp, hvp_into, linearize, try_value_and_vjp, try_value_and_vjp_into,
    value_and_gradient, value_and_gradient_into, value_and_hvp, value_and_hvp_into, value_and_vjp,
    value_and_vjp_into, value_gradient_and_hvp, value_gradient_and_hvp_into, vjp, vjp_into,
};
#[cfg(feature = "nalgebra")]
pub use reverse::{
    hessian, hessian_into, value_and_hessian, value_and_hessian_into, value_gradient_and_hessian,
    value_gradient_and_hessian_into,
};

/// Drivers that use forward mode only.
pub(crate) mod forward {
    pub use super::derivative::*;
    pub use super::gradient::*;
    #[cfg(feature = "nalgebra")]
    pub use super::hessian::*;
    pub use super::hvp::*;
    #[cfg(feature = "nalgebra")]
    pub use super::jacobian::*;
    pub use super::products::*;
}

use crate::error::AdError;
use crate::number::Number;

/// The value of `x` as a constant: no derivative flows through it, in any mode. The same as [`Number::detach`].
///
/// ```
/// use wengert::{gradient, stop_gradient};
/// assert_eq!(gradient(|x| x[0] * stop_gradient(x[0]), &[3.0]), [3.0]);
/// ```
#[inline(always)]
pub fn stop_gradient<T: Number>(x: T) -> T {
    x.detach()
}

/// The value, or the error's text as a panic at the caller's line.
#[track_caller]
fn expect<T>(result: Result<T, AdError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

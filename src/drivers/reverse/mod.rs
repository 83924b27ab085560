//! Drivers that use reverse mode.

mod evolution;
mod gradient;
#[cfg(feature = "nalgebra")]
mod hessian;
mod hvp;
#[cfg(feature = "nalgebra")]
mod jacobian;
mod linearize;
mod products;
mod schedule;

pub use evolution::*;
pub use gradient::*;
#[cfg(feature = "nalgebra")]
pub use hessian::*;
pub use hvp::*;
#[cfg(feature = "nalgebra")]
pub use jacobian::*;
pub use linearize::*;
pub use products::*;

use super::shape::Shape;
use crate::number::Real;
use crate::reverse::{Tape, Var};

/// A tape with the point as its inputs: input `i` is node `i`.
#[inline]
fn record<X: Shape + ?Sized, T: Real>(
    x: &X,
    mut value: impl FnMut(usize) -> T,
) -> (Tape<T>, X::With<Var<T>>) {
    let tape = Tape::with_inputs(x.scalars().len());
    let point = x.same_shape(|i| tape.input(value(i), i));
    (tape, point)
}

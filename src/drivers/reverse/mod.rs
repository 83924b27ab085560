//! Drivers that use reverse mode.

mod evolution;
mod gradient;
#[cfg(feature = "nalgebra")]
mod hessian;
#[cfg(feature = "nalgebra")]
mod jacobian;
mod linearize;
mod products;
mod schedule;

pub use evolution::*;
pub use gradient::*;
#[cfg(feature = "nalgebra")]
pub use hessian::*;
#[cfg(feature = "nalgebra")]
pub use jacobian::*;
pub use linearize::*;
pub use products::*;

use super::shape::Shape;
use crate::number::Real;
use crate::reverse::{Tape, Var};

/// The point as inputs of a tape, which must be empty: input `i` is node `i`.
#[inline]
fn inputs<X: Shape + ?Sized, T: Real>(
    tape: &Tape<T>,
    x: &X,
    mut value: impl FnMut(usize) -> T,
) -> X::With<Var<T>> {
    let first = tape.add_inputs(x.scalars().len());
    x.same_shape(|i| tape.input(value(i), first, i))
}

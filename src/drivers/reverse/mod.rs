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
use crate::space::Components;

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

/// A tape with the components of the point as its inputs: component `i` is node `i`.
#[inline]
fn watch<T: Real, X: Components<T> + ?Sized>(x: &X) -> (Tape<T>, X::With<Var<T>>) {
    let (tape, mut nodes) = (Tape::with_inputs(x.count()), 0..);
    let point = x.map(&mut |value| tape.input(value, nodes.next().expect("endless")));
    (tape, point)
}

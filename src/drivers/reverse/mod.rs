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

use crate::number::Real;
use crate::reverse::{Tape, Var};
use crate::space::{Components, dimension};

/// A tape with the directions at the point as its inputs, direction `i` as node `i`; for a group these are a tangent,
/// else the components. `start(i, xᵢ)` is what is recorded of one, `lift` makes a constant.
#[inline]
fn record<T: Real, U: Real, X: Components<T> + ?Sized>(
    x: &X,
    lift: impl Fn(T) -> U,
    start: impl Fn(usize, T) -> U,
) -> (Tape<U>, X::With<Var<U>>) {
    let (tape, mut nodes) = (Tape::with_inputs(dimension(x)), 0..);
    let mut input = |x| {
        let i = nodes.next().expect("endless");
        tape.input(start(i, x), i)
    };
    let point = x.seeded(&|x| Var::constant(lift(x)), &mut input);
    (tape, point)
}

/// A tape with the components of the point as its inputs: component `i` is node `i`.
#[inline]
fn watch<T: Real, X: Components<T> + ?Sized>(x: &X) -> (Tape<T>, X::With<Var<T>>) {
    let (tape, mut nodes) = (Tape::with_inputs(x.count()), 0..);
    let point = x.map(&mut |value| tape.input(value, nodes.next().expect("endless")));
    (tape, point)
}

/// The value as a constant of this tape; derivatives within it remain.
fn still<T: Real>(y: Var<T>) -> Var<T> {
    Var::constant(y.value())
}

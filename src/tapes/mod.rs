//! The tape of reverse mode: its variables, what is recorded, the sweeps.
#![cfg_attr(feature = "nalgebra", doc = include_str!("../../docs/operators.md"))]
//!
//! # What a tape sees
//!
//! A function is recorded each time it runs, so loops and branches are always those that were executed. Nothing is
//! seen of what leaves the numbers: `value()`, conversions to machine floats and integers, text. A variable that is
//! kept in a global, a cell or a struct beyond its gradient is dead there, and to record or differentiate with it is a panic; a *value*
//! kept there is a constant. [`stop_gradient`](crate::stop_gradient) makes a constant on purpose.
//!
//! # Where the two modes differ
//!
//! At zeros, kinks and poles the modes agree but for three things, all with an infinity on the way:
//!
//! - **An infinite factor of a plain product** is multiplied by the other's tangent of zero: `∞·0 = NaN` in forward mode.
//!   A tape has no tangents of zero, there the factor is a partial that leads to other variables only.
//! - **A function that is flat where its argument has an infinite slope**, `tanh(ln x + ln y)` at `x = 0`: forward mode forms
//!   `0·∞ = NaN`. On a tape the cotangent of the sum is zero and stays so. (Without the sum, both are functions of one
//!   node and the tape gives NaN as well.)
//! - **Addends that cancel before an infinite slope**, `√(x + y − x)` at `y = 0`: forward mode adds the tangents of `x` to
//!   zero, which stays zero. A tape that keeps the terms apart adds `∞ − ∞ = NaN`.
//!
//! ```
//! use wengert::{Real, forward, reverse};
//! fn flat<T: Real<Base = f64>>(x: &[T]) -> T { (x[0].ln() + x[1].ln()).tanh() }
//! assert!(forward::gradient(|x: &[_]| flat(x), &[0.0_f64, 1.0])[0].is_nan());
//! assert_eq!(reverse::gradient(|x| flat(x), &[0.0, 1.0]), [0.0, 0.0]);
//! ```
//!
//! # Costs
//!
//! A node takes 24 bytes for `f64`, a term of a long sum 16, a sweep 8 more for each node; operations among
//! constants record nothing. [`Tape::stats`] tells. What does not fit is checkpointed: [`checkpoint`] for a segment,
//! [`loop_gradient`] for a long loop.

pub(crate) mod blame;
mod cast;
mod checkpoint;
mod compiled;
mod complex;
mod complex_block;
mod complex_number;
mod cotangents;
mod drawing;
mod fan;
mod identity;
mod memory;
mod misuse;
mod number;
mod operand;
mod parts;
mod record;
mod recording;
mod slots;
mod sweep;
mod tape;
#[cfg(test)]
mod tests;
mod var;

pub use cast::{OnTape, cast_through};
pub use checkpoint::checkpoint;
pub use complex::ComplexVar;
pub use cotangents::Cotangents;
pub(crate) use memory::Memory;
pub use memory::{limit_memory, release_memory};
pub(crate) use parts::PART;
pub use tape::{Stats, Tape};
pub use var::Var;

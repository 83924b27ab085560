//! Reverse mode: a tape of what happened, swept backwards.
//!
//! A [`Var<T>`] carries its value and its derivative with respect to one *node* of a [`Tape`]. Only operations
//! between variables of different nodes are recorded, as two partials and two parents; sums, inner products,
//! products, matrix rules and custom primitives are *blocks* of many parents. The backward sweep brings one
//! cotangent from a result to all inputs at a small multiple of the cost of the function, whatever their number.
//!
//! Drivers open a tape themselves ([`gradient`], [`vjp`], [`jacobian`], [`linearize`], …); a [`Tape`] of one's own
//! serves loops of another shape. Tapes are pooled for each thread, so that a second derivative of the same
//! size allocates nothing for it; [`release_memory`] returns the pool of the thread that calls it.

mod checkpoint;
mod fan;
mod identity;
mod misuse;
mod operand;
mod record;
mod slots;
mod sweep;
mod tape;
#[cfg(test)]
mod tests;
mod var;

pub use checkpoint::checkpoint;
pub use tape::{Cotangents, Stats, Tape, release_memory};
pub use var::Var;

// The drivers of this mode stand with the other drivers; here is only their name.
pub use crate::drivers::reverse::*;

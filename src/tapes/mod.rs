//! The tape of reverse mode: its variables, its record, the sweeps.

// First, so that its page begins with its own methods.
mod var;

// The checks listen to it.
#[cfg_attr(not(feature = "check"), allow(dead_code))]
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
mod pages;
mod parts;
#[cfg(feature = "sparse")]
mod pattern;
mod place;
mod record;
mod recording;
mod slots;
mod sweep;
mod tangents;
mod tape;
#[cfg(test)]
mod tests;

#[cfg(feature = "programs")]
pub(crate) use cast::linearized;
pub use cast::{OnTape, cast_through};
pub use checkpoint::checkpoint;
pub use complex::ComplexVar;
pub use cotangents::Cotangents;
#[cfg(feature = "programs")]
pub(crate) use fan::combination;
pub(crate) use memory::TapeMemory;
pub use memory::{limit_memory, release_memory};
#[cfg(feature = "programs")]
pub(crate) use parts::ChunkLimit;
#[cfg(feature = "sparse")]
pub(crate) use pattern::{Rows, dependencies, interactions};
pub use tape::{Stats, Tape};
pub use var::Var;

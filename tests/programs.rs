//! Traced programs: what is recorded, transformed and replayed.
#![cfg(feature = "std")]

#[path = "programs/batches.rs"]
mod batches;
#[path = "programs/derivatives.rs"]
mod derivatives;
#[path = "programs/loops.rs"]
mod loops;
#[path = "programs/primitives.rs"]
mod primitives;
#[path = "programs/recording.rs"]
mod recording;

#[cfg(feature = "jit")]
#[path = "programs/jit.rs"]
mod jit;
#[path = "programs/source.rs"]
mod source;

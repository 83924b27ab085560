//! Traced programs: what is recorded, transformed and replayed.
#![cfg(feature = "std")]

#[path = "programs/recording.rs"]
mod recording;

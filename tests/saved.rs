//! Saved programs that somebody has changed: a program that runs in every way alike, or an error; what loading takes.
#![cfg(feature = "serde")]

#[path = "support/allocations.rs"]
mod allocations;
#[path = "support/definition.rs"]
mod definition;
#[path = "support/random.rs"]
mod random;

#[path = "programs/hostile.rs"]
mod hostile;
#[path = "programs/loading.rs"]
mod loading;

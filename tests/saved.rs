//! Saved programs that somebody has changed or made: a program that runs equally in every way, or an error; the cost
//! of loading.
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
#[path = "programs/made.rs"]
mod made;

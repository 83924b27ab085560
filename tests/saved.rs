//! Saved programs that somebody has changed: a program that runs in every way alike, or an error.
#![cfg(feature = "serde")]

#[path = "support/random.rs"]
mod random;

#[path = "programs/hostile.rs"]
mod hostile;

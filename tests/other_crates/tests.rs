//! Numbers of this crate inside other people's crates.
//!
//! Each test calls a function of another crate that is generic over a trait of num-traits or nalgebra, at every number
//! type, and compares the derivative with its exact value: an identity, a closed form, or the derivative that the other
//! crate gives itself. None of those crates has code for differentiation.
//!
//! Limits are a few eps times the condition of the function, which the tests name where it is not about 1.
//! Where all quantities are short binary fractions the limit is 0.
//!
//! This is a package of its own, so that tests of wengert alone build none of those crates.

#[macro_use]
#[path = "../support/numbers.rs"]
mod numbers;
#[macro_use]
mod derivatives;

mod complex;
mod containers;
mod curves;
mod fields;
mod geometry;
mod special;
mod testfunctions;
mod traits;

//! A fuzz of the crate: random expressions, every number type against the others, `f64`, high precision and differences.
//! `tests/fuzz.rs` runs a fixed part of it, or any amount with `SCAN`.

mod bounds;
mod exact;
mod expression;
mod judge;
mod kinks;
mod operations;
#[allow(dead_code)] // the example `fit` takes more of it
#[path = "../../examples/fit/exact.rs"]
pub mod precise;

pub use judge::{Counts, run};

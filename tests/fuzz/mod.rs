//! A fuzz of the crate: random expressions, every number type against the others, `f64`, high precision and differences.
//! `tests/fuzz.rs` runs a fixed part of it, `examples/fuzz.rs` any amount.

mod bounds;
mod exact;
mod expression;
mod judge;
mod kinks;
mod operations;
#[allow(dead_code)] // the example takes more of it
#[path = "../../examples/fit/exact.rs"]
pub mod precise;

pub use judge::{Counts, run};

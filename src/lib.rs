//! wengert
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs, unsafe_code)]

#[macro_use]
pub mod rules;
mod error;
mod number;
#[macro_use]
mod foreign;
#[cfg(feature = "std")]
mod drivers;
pub mod forward;
pub mod reduce;

#[cfg(feature = "std")]
pub use drivers::*;
pub use error::AdError;
pub use forward::{Dual, Dual2, DualN, HyperDual};
pub use number::{BaseFloat, Number, Real};

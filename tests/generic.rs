//! Plain `f64` code under `#[generic]`.
#![cfg(all(feature = "std", feature = "macros"))]

#[path = "generic/forms.rs"]
mod forms;
#[cfg(feature = "nalgebra")]
#[path = "generic/ported.rs"]
mod ported;

//! Structured arguments: every type of points, the vector space of its tangents, and derivatives in all structures.
#![cfg(all(feature = "std", feature = "macros"))]

#[path = "support/panics.rs"]
mod panics;
#[path = "support/random.rs"]
mod random;
mod space {
    #[cfg(feature = "nalgebra")]
    pub mod drivers;
    #[cfg(feature = "nalgebra")]
    pub mod groups;
    pub mod names;
    pub mod structures;
}

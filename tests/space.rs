//! Structured arguments: every type of points, the vector space of its tangents, and derivatives in all structures.
#![cfg(feature = "std")]

#[path = "support/panics.rs"]
mod panics;
#[path = "support/random.rs"]
mod random;
mod space {
    #[cfg(all(feature = "nalgebra", feature = "macros"))]
    pub mod drivers;
    #[cfg(all(feature = "nalgebra", feature = "macros"))]
    pub mod groups;
    #[cfg(feature = "macros")]
    pub mod names;
    #[cfg(feature = "macros")]
    pub mod structures;
}

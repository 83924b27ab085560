//! Traced programs: recording, transformations and replay.
#![cfg(feature = "std")]

#[allow(dead_code)] // each test takes a part
#[path = "support"]
mod support {
    pub mod compare;
    pub mod conventions;
    pub mod definition;
    pub mod functions;
    pub mod limits;
    pub mod panics;
    pub mod random;
    pub mod routes;
    pub mod steps;
    pub mod tables;
}

#[cfg(feature = "nalgebra")]
#[allow(dead_code)] // each test takes a part
#[path = "matrices"]
mod matrices {
    pub mod functions;
    pub mod programs;
}

#[path = "support/allocations.rs"]
mod allocations;

mod programs {
    mod bad_input;
    mod batches;
    #[cfg(feature = "nalgebra")]
    mod complex;
    mod derivatives;
    mod engines;
    mod executables;
    #[cfg(feature = "nalgebra")]
    mod factors;
    mod inner;
    #[cfg(feature = "jit")]
    mod jit;
    mod memory;
    mod passes;
    mod plain;
    mod primitives;
    #[cfg(feature = "macros")]
    mod recorded;
    mod recording;
    mod rules;
    #[cfg(feature = "serde")]
    mod saved;
    mod source;
}

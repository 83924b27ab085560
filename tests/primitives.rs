//! The ways to state rules: at every number type, with inactive arguments, with faults, in place.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[allow(dead_code)] // each test takes a part
#[macro_use]
mod support {
    #[macro_use]
    mod numbers;
    pub mod compare;
    pub mod routes;
}
mod primitive {
    mod complex_steps;
    mod errors;
    mod forms;
    mod groups;
    mod held;
    #[cfg(feature = "macros")]
    mod implicit;
    mod in_place;
    mod inactive;
    mod lost;
    mod nan;
    mod singles;
    mod steps;
}

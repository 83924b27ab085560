//! Rotations and rigid motions: against the power series of the exponential, whose terms are polynomials and so right
//! to every order at every point, against closed forms at zero and against the identities of the groups.
#![cfg(feature = "nalgebra")]

mod rotation {
    pub mod angles;
    #[cfg(feature = "std")]
    mod bounds;
    pub mod checks;
    pub mod exponentials;
    pub mod logarithms;
    pub mod peers;
    pub mod points;
    pub mod quaternions;
    pub mod types;
}

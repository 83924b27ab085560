//! Numbers of this crate inside other people's crates.
//!
//! Each test calls a function of an outside crate that is generic over a trait of num-traits or nalgebra, at every
//! number type, and compares the derivative with its exact value: an identity, a closed form, or the derivative
//! that the outside crate gives itself. Nothing in those crates knows of differentiation.

mod outside {
    mod complex;
    mod containers;
    mod curves;
    mod derivatives;
    mod fields;
    mod geometry;
    mod special;
    mod testfunctions;
    mod traits;
}

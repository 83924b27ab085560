//! The checks themselves: what is right passes, planted faults are found, what cannot be seen is said to be so; every
//! rule of the table, the forms of primitives and functions of matrices pass.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[path = "support/random.rs"]
mod random;

mod check {
    mod finite;
    mod kinds;
    mod maps;
    mod nan;
    mod planted;
    mod rounded;
    mod rules;
    mod scan;
    mod settings;
    mod sizes;
    mod sweeps;
    mod verdicts;
}

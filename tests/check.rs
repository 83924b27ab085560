//! The checks: right rules pass, planted faults are found, and undecidable cases are reported as inconclusive. Every
//! rule of the table, all kinds of primitives and functions of matrices pass.
#![cfg(all(feature = "std", feature = "nalgebra", feature = "macros"))]

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

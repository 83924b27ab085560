//! The checks themselves: what is right passes, planted faults are found, what cannot be seen is said to be so; every
//! rule of the table, the forms of primitives and functions of matrices pass.

#[path = "check/kinds.rs"]
mod kinds;
#[path = "check/maps.rs"]
mod maps;
#[path = "check/nan.rs"]
mod nan;
#[path = "check/rules.rs"]
mod rules;

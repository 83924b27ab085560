//! Functions of matrices: their identities at random points, shapes and errors, the numbers of the requirements, and
//! the points where the same algorithms on matrices of duals are wrong.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[macro_use]
#[path = "support/numbers.rs"]
mod numbers;
#[path = "support/random.rs"]
mod random;
#[allow(dead_code)] // each test takes a part
mod matrices {
    mod active;
    mod adjoints;
    mod checks;
    mod edges;
    mod extremes;
    pub mod functions;
    mod growth;
    mod lanes;
    mod layout;
    mod norms;
    mod pairs;
    pub mod programs;
    mod requirements;
    pub mod routes;
    mod scales;
    mod series;
    mod shapes;
    mod singular;
    mod traps;
    mod unusual;
    mod values;
    mod vectors;
}

//! Functions of matrices: the rows of the table, their identities at random points, their behaviour at every scale, shapes
//! and errors, the numbers of the requirements, and the points where the same algorithms on matrices of duals are wrong.
//! All are one target, because each function is compiled once for each number type in each target.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[macro_use]
#[path = "support/numbers.rs"]
mod numbers;
#[path = "support/random.rs"]
mod random;
#[allow(dead_code)] // each test takes a part
mod support {
    pub mod compare;
    pub mod limits;
}
#[allow(dead_code)] // each test takes a part
mod matrices {
    mod active;
    mod adjoints;
    mod balancing;
    mod checks;
    mod conditioning;
    mod curves;
    mod differences;
    mod edges;
    mod equal;
    mod extremes;
    pub mod functions;
    mod growth;
    mod homogeneity;
    mod judge;
    mod lanes;
    mod layout;
    mod nearly_singular;
    mod norms;
    mod operations;
    mod pairs;
    mod polar;
    pub mod programs;
    mod requirements;
    pub mod routes;
    mod rows;
    mod scales;
    mod scaling;
    mod series;
    mod shapes;
    mod singular;
    mod table;
    mod traps;
    mod unusual;
    mod values;
    mod vectors;
}

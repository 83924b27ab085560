//! Complex numbers: both layouts, both modes, matrices of them.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[allow(dead_code)] // each test takes a part
mod support {
    pub mod compare;
    pub mod limits;
    pub mod panics;
    pub mod tables;
}
mod complex {
    mod accuracy;
    mod borders;
    mod casts;
    mod drivers;
    mod matrices;
    mod requirements;
    mod table;
    mod values;
}

//! Complex numbers: both layouts, both modes, matrices of them.
#![cfg(all(feature = "std", feature = "nalgebra"))]

mod complex {
    mod matrices;
}

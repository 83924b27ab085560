//! The workloads that are timed: each as a generic function, its derivative written by hand, and by this crate.
//!
//! The hand-written versions are the fastest straightforward ones: shared subexpressions computed once, no
//! allocation, the same compiler flags. `check` compares all results before anything is timed.
#![allow(dead_code)] // each benchmark uses a part

pub mod arm;
pub mod camera;
pub mod derivatives;
pub mod hessian;
pub mod reverse;
pub mod scalar;
pub mod sums;
pub mod timing;

/// Panics unless the results agree to `1e-11` relative to the largest entry.
pub fn check(name: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{name}: number of results");
    let scale = want.iter().fold(1e-300, |m: f64, w| m.max(w.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= 1e-11 * scale, "{name}[{i}]: {g} instead of {w}");
    }
}

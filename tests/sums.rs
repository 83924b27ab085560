//! Sums over data: against the whole sum, their errors, memory, threads.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[path = "sums/forms.rs"]
mod forms;
#[path = "sums/lanes.rs"]
mod lanes;
#[path = "sums/over.rs"]
mod over;
#[path = "sums/points.rs"]
mod points;
#[path = "sums/rows.rs"]
mod rows;
#[path = "sums/squares.rs"]
mod squares;
#[path = "sums/terms.rs"]
mod terms;
#[cfg(feature = "rayon")]
#[path = "sums/threads.rs"]
mod threads;

#[path = "support/allocations.rs"]
mod allocations;

use allocations::{allocations, bytes};

/// Entries within 1e-13 of the largest.
#[track_caller]
fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().fold(1e-300, |m: f64, b| m.max(b.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= 1e-13 * largest, "{i}: {a:e} for {b:e}, of {largest:e}");
    }
}

/// What a panic says.
fn message(f: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).expect_err("a panic");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).expect("text")
}

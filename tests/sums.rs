//! Sums over data: against the whole sum, their errors, memory, threads.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[path = "sums/branches.rs"]
mod branches;
#[path = "sums/calls.rs"]
mod calls;
#[path = "sums/demands.rs"]
mod demands;
#[path = "sums/forms.rs"]
mod forms;
#[path = "sums/lanes.rs"]
mod lanes;
#[path = "sums/made.rs"]
mod made;
#[path = "sums/over.rs"]
mod over;
#[path = "sums/partial.rs"]
mod partial;
#[path = "sums/points.rs"]
mod points;
#[path = "sums/rows.rs"]
mod rows;
#[path = "sums/rules.rs"]
mod rules;

#[path = "support/allocations.rs"]
mod allocations;

use allocations::{allocations, bytes};

/// Entries within 1e-13 of the largest; NaN and infinities where they are expected.
#[track_caller]
fn close(got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len());
    let finite = wanted.iter().filter(|x| x.is_finite());
    let largest = finite.fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (i, (a, b)) in got.iter().zip(wanted).enumerate() {
        let same = (a - b).abs() <= 1e-13 * largest || a == b || (a.is_nan() && b.is_nan());
        assert!(same, "{i}: {a:e} for {b:e}, of {largest:e}");
    }
}

/// The text of a panic.
fn message(f: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).expect_err("a panic");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).expect("text")
}

/// Runs `f` with this number of threads, if there are threads.
fn with_threads<R: Send>(count: usize, f: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(f);
    #[cfg(not(feature = "rayon"))]
    {
        let _ = count;
        f()
    }
}

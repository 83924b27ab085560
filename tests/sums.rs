//! Sums over data: against the whole sum, their errors, memory, threads.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[path = "sums/over.rs"]
mod over;
#[path = "sums/squares.rs"]
mod squares;
#[path = "sums/terms.rs"]
mod terms;
#[cfg(feature = "rayon")]
#[path = "sums/threads.rs"]
mod threads;

/// Counts the allocations of this thread, and the bytes that it holds at most.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

#[allow(unsafe_code)] // an allocator is declared unsafe; this one hands everything on
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        HELD.set(HELD.get() + layout.size() as isize);
        MOST.set(MOST.get().max(HELD.get()));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of `f`.
fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

/// Bytes that `f` holds at most beyond those held before.
fn bytes(f: impl FnOnce()) -> isize {
    MOST.set(HELD.get());
    let before = HELD.get();
    f();
    MOST.get() - before
}

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

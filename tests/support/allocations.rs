//! The allocations of a thread, counted: the allocator of the tests that need it.
#![allow(dead_code)] // each test takes a part

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes of all allocations.
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
    /// Bytes held, and the most of them.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

#[allow(unsafe_code)] // an allocator is declared unsafe; this one hands everything on
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        ALLOCATED.set(ALLOCATED.get() + layout.size());
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

/// How often this thread has allocated.
pub fn so_far() -> usize {
    ALLOCATIONS.get()
}

/// Allocations of `f`.
pub fn allocations(f: impl FnOnce()) -> usize {
    let before = so_far();
    f();
    so_far() - before
}

/// Bytes of all allocations of `f`, whether it holds them together or not.
pub fn bytes_in_all(f: impl FnOnce()) -> usize {
    let before = ALLOCATED.get();
    f();
    ALLOCATED.get() - before
}

/// Bytes that `f` holds at most beyond those held before.
pub fn bytes(f: impl FnOnce()) -> isize {
    MOST.set(HELD.get());
    let before = HELD.get();
    f();
    MOST.get() - before
}

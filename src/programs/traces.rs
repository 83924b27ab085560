//! The open traces of a thread.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::builder::{Builder, Care};
use super::misuse;

/// A program that is being recorded.
pub(super) struct Trace {
    number: u32,
    pub(super) builder: Builder,
    /// Values are unknown: a derivative is formed, away from any point.
    pub(super) blind: bool,
    /// Whether a formula has branched on a value although the trace is symbolic.
    pub(super) looked: bool,
}

/// The number of the next trace; 0 marks constants.
static NEXT: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static OPEN: RefCell<Vec<Trace>> = const { RefCell::new(Vec::new()) };
}

/// A trace that is open for the lifetime of this value.
pub(super) struct Open(pub(super) u32);

impl Open {
    /// Opens a trace.
    pub(super) fn new(builder: Builder, blind: bool) -> Self {
        let mut number = NEXT.fetch_add(1, Ordering::Relaxed);
        while number == 0 || is_open(number) {
            number = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        OPEN.with_borrow_mut(|open| open.push(Trace { number, builder, blind, looked: false }));
        Open(number)
    }
    /// Opens a trace of a function with `inputs` inputs.
    pub(super) fn of_inputs(inputs: usize, care: Care) -> Self {
        Open::new(Builder::new(inputs, care), false)
    }
    /// Ends the trace.
    pub(super) fn close(self) -> Builder {
        let trace = remove(self.0).expect("it is open");
        std::mem::forget(self);
        trace.builder
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        remove(self.0);
    }
}

fn remove(number: u32) -> Option<Trace> {
    OPEN.with_borrow_mut(|open| {
        let place = open.iter().rposition(|trace| trace.number == number)?;
        Some(open.remove(place))
    })
}

/// Whether the trace is open on this thread.
pub(super) fn is_open(number: u32) -> bool {
    OPEN.with_borrow(|open| open.iter().any(|trace| trace.number == number))
}

/// Access to an open trace. `f` runs no code of users.
///
/// # Panics
/// If no trace of this number is open on this thread.
#[inline]
#[track_caller]
pub(super) fn with<R>(number: u32, f: impl FnOnce(&mut Trace) -> R) -> R {
    let found = OPEN.with_borrow_mut(|open| {
        let trace = open.iter_mut().rev().find(|trace| trace.number == number)?;
        Some(f(trace))
    });
    found.unwrap_or_else(|| misuse::not_open(number))
}

//! Memory of closed tapes, kept for later ones.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use super::record::{MEMORY_LIMIT, Record};
use super::slots::Idle;
use crate::number::Real;
use crate::pool;

/// The memory of a tape, kept by a driver between calls and returned to the thread's pool when dropped.
pub struct TapeMemory<T: Real>(pub(super) Option<Idle<T>>);

impl<T: Real> TapeMemory<T> {
    /// The kept record, or one from the thread's pool, or a new one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn take(&mut self) -> Rc<RefCell<Record<T>>> {
        match self.0.take() {
            Some(idle) => idle.record(),
            None => pooled(),
        }
    }
}

impl<T: Real> Default for TapeMemory<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        TapeMemory(None)
    }
}

impl<T: Real> Drop for TapeMemory<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        if let Some(idle) = self.0.take() {
            pool::give(idle.record());
        }
    }
}

/// A record of this type from the thread's pool, or a new one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pooled<T: Real>() -> Rc<RefCell<Record<T>>> {
    pool::take().unwrap_or_else(fresh)
}

#[cold]
#[inline(never)]
fn fresh<T: Real>() -> Rc<RefCell<Record<T>>> {
    Rc::new(RefCell::new(Record::new()))
}

/// Sets how many bytes a closed or cleared tape may keep for its next use, on all threads.
///
/// A tape that holds more than the limit when it ends frees all its memory. Without a limit (the default, `usize::MAX`)
/// memory follows the use: above 1 GiB a tape keeps it only if a use before needed a quarter of it, so that a single
/// large tape leaves nothing, and the second of a series pays for all further ones. Otherwise a tape keeps what its last
/// uses needed: if its room is four times the largest of them, it frees all but twice the largest, which decays by an
/// eighth with each use. A few megabytes are always kept. [`release_memory`] frees what a thread keeps for closed tapes.
///
/// ```
/// use wengert::{Tape, reverse};
/// reverse::limit_memory(16 << 20);
/// let mut tape = Tape::new();
/// let (x, y) = (tape.variable(1.0), tape.variable(2.0));
/// let _ = (0..1_000_000).fold(y, |z, _| z * x);
/// assert!(tape.stats().bytes > 16 << 20);
/// tape.clear();
/// assert!(tape.stats().reserve < 16 << 20);
/// ```
pub fn limit_memory(bytes: usize) {
    MEMORY_LIMIT.store(bytes, Ordering::Relaxed);
}

/// Frees the memory that closed tapes and drivers of this thread keep for later calls.
///
/// ```
/// wengert::gradient(|x| x[0] * x[1], &[2.0, 3.0]);
/// wengert::reverse::release_memory();
/// ```
pub fn release_memory() {
    pool::release();
}

//! The memory of tapes between their uses.

use std::cell::RefCell;
use std::rc::Rc;

use super::record::Record;
use super::slots::Idle;
use crate::number::Real;
use crate::pool;

/// A tape's memory that a driver keeps between its calls; the thread's pool has it afterwards.
pub struct Memory<T: Real>(pub(super) Option<Idle<T>>);

impl<T: Real> Memory<T> {
    /// What is kept, or something from the thread's pool, or new.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Rc<RefCell<Record<T>>> {
        match self.0.take() {
            Some(idle) => idle.record(),
            None => pooled(),
        }
    }
}

impl<T: Real> Default for Memory<T> {
    #[inline(always)]
    fn default() -> Self {
        Memory(None)
    }
}

impl<T: Real> Drop for Memory<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(idle) = self.0.take() {
            pool::give(idle.record());
        }
    }
}

/// A record of this type from the thread's pool, or a new one.
pub(super) fn pooled<T: Real>() -> Rc<RefCell<Record<T>>> {
    pool::take().unwrap_or_else(|| Rc::new(RefCell::new(Record::new())))
}

/// Returns the memory that closed tapes and drivers of this thread have left for the next ones.
///
/// ```
/// wengert::gradient(|x| x[0] * x[1], &[2.0, 3.0]);
/// wengert::reverse::release_memory();
/// ```
pub fn release_memory() {
    pool::release();
}

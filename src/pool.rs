//! Memory that a thread reuses: a call takes what the previous one with the same types left.
//!
//! Only the types are generic, so that users' crates compile little of it.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

/// The stored values of one type, and unused buffers with their capacities.
struct Pool {
    memory: Vec<(TypeId, Rc<dyn Any>)>,
    buffers: Vec<(TypeId, usize, Box<dyn Any>)>,
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { memory: Vec::new(), buffers: Vec::new() }) };
}

/// The last stored value of this type, if there is one.
#[inline(always)]
pub(crate) fn take<P: 'static>() -> Option<Rc<P>> {
    take_any(TypeId::of::<P>())?.downcast().ok()
}

fn take_any(of: TypeId) -> Option<Rc<dyn Any>> {
    let find = |pool: &RefCell<Pool>| {
        let memory = &mut pool.borrow_mut().memory;
        // Usually it was returned last of all.
        if let Some((_, last)) = memory.pop_if(|(other, _)| *other == of) {
            return Some(last);
        }
        let last = memory.iter().rposition(|(other, _)| *other == of)?;
        Some(memory.swap_remove(last).1)
    };
    POOL.try_with(find).ok().flatten()
}

/// Stores a value for the next call.
#[inline(always)]
pub(crate) fn give<P: 'static>(memory: Rc<P>) {
    give_any(TypeId::of::<P>(), memory);
}

fn give_any(of: TypeId, memory: Rc<dyn Any>) {
    // While the thread ends there is no pool any more, and the memory is freed.
    let _ = POOL.try_with(|pool| pool.borrow_mut().memory.push((of, memory)));
}

/// A buffer from the thread's pool, taken at its first use and returned when dropped.
pub(crate) struct Spare<N: 'static> {
    /// Boxed, as the pool stores it.
    #[allow(clippy::box_collection)]
    items: Option<Box<Vec<N>>>,
}

impl<N: 'static> Spare<N> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Spare { items: None }
    }
    /// The empty buffer, with room for this many.
    #[inline]
    pub(crate) fn clear(&mut self, room: usize) -> &mut Vec<N> {
        let pooled = || take_buffer(TypeId::of::<N>(), room)?.downcast().ok();
        let items = self.items.get_or_insert_with(|| pooled().unwrap_or_default());
        items.clear();
        items.reserve(room);
        items
    }
    /// Its contents, to be read.
    #[cfg(feature = "programs")]
    #[inline(always)]
    pub(crate) fn shown(&self) -> &[N] {
        self.items.as_deref().map_or(&[], Vec::as_slice)
    }
    /// Its contents.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> &mut [N] {
        self.items.as_deref_mut().map_or(&mut [], Vec::as_mut_slice)
    }
}

/// The smallest buffer with enough room, otherwise the largest, so a repeated call takes the same buffers in any
/// order of return. A caller without a known size passes at most 1 and takes the buffer that was returned
/// last: buffers within a function are returned in the reverse order of their use.
fn take_buffer(of: TypeId, room: usize) -> Option<Box<dyn Any>> {
    let find = |pool: &RefCell<Pool>| {
        let buffers = &mut pool.borrow_mut().buffers;
        let all = || buffers.iter().enumerate().rev().filter(|&(_, &(other, ..))| other == of);
        let known = all().filter(|(_, buffer)| buffer.1 >= room).min_by_key(|(_, buffer)| buffer.1);
        let (place, _) = match room {
            0 | 1 => all().next(),
            _ => known.or_else(|| all().max_by_key(|(_, buffer)| buffer.1)),
        }?;
        Some(buffers.remove(place).2)
    };
    POOL.try_with(find).ok().flatten()
}

fn give_buffer(of: TypeId, capacity: usize, buffer: Box<dyn Any>) {
    let _ = POOL.try_with(|pool| pool.borrow_mut().buffers.push((of, capacity, buffer)));
}

impl<N: 'static> Default for Spare<N> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

impl<N: 'static> Drop for Spare<N> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(items) = self.items.take() {
            give_buffer(TypeId::of::<N>(), items.capacity(), items);
        }
    }
}

/// Frees all of it.
pub(crate) fn release() {
    // Dropped outside of the borrow: a drop must not find the pool in use.
    let all = POOL.try_with(|pool| {
        let Pool { memory, buffers } = &mut *pool.borrow_mut();
        (std::mem::take(memory), std::mem::take(buffers))
    });
    drop(all);
}

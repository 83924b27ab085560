//! Memory that a thread reuses: a call takes what the previous one with the same types left.
//!
//! Only the types are generic, so that users' crates compile little of it.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Once;

/// A type, a capacity, and a buffer.
type Unused = (TypeId, usize, Box<dyn Any>);

/// The value that was stored last, those before it, and unused buffers.
struct Pool {
    last: Cell<Option<Rc<dyn Any>>>,
    memory: RefCell<Vec<Rc<dyn Any>>>,
    buffers: RefCell<Vec<Unused>>,
}

thread_local! {
    static POOL: Pool = const {
        Pool { last: Cell::new(None), memory: RefCell::new(Vec::new()), buffers: RefCell::new(Vec::new()) }
    };
}

/// The last stored value of this type, if there is one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn take<P: 'static>() -> Option<Rc<P>> {
    // Usually it was stored last of all.
    match POOL.try_with(|pool| pool.last.take()).ok()?.map(Rc::downcast) {
        Some(Ok(last)) => Some(last),
        Some(Err(other)) => find(TypeId::of::<P>(), Some(other))?.downcast().ok(),
        None => find(TypeId::of::<P>(), None)?.downcast().ok(),
    }
}

/// The last value of a type among those before `other`, which is kept.
#[inline(never)]
fn find(of: TypeId, other: Option<Rc<dyn Any>>) -> Option<Rc<dyn Any>> {
    let find = |pool: &Pool| {
        let memory = &mut *pool.memory.borrow_mut();
        memory.extend(other);
        let last = memory.iter().rposition(|value| (**value).type_id() == of)?;
        Some(memory.swap_remove(last))
    };
    POOL.try_with(find).ok().flatten()
}

/// Stores a value for the next call.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn give<P: 'static>(memory: Rc<P>) {
    // While the thread ends there is no pool any more, and the memory is freed.
    if let Ok(Some(former)) = POOL.try_with(|pool| pool.last.replace(Some(memory))) {
        keep(former);
    }
}

#[inline(never)]
fn keep(value: Rc<dyn Any>) {
    let _ = POOL.try_with(|pool| pool.memory.borrow_mut().push(value));
}

/// A buffer from the thread's pool, taken at its first use and returned when dropped.
pub(crate) struct Spare<N: 'static> {
    /// Boxed, as the pool stores it.
    #[allow(clippy::box_collection)]
    items: Option<Box<Vec<N>>>,
}

impl<N: 'static> Spare<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn shown(&self) -> &[N] {
        self.items.as_deref().map_or(&[], Vec::as_slice)
    }
    /// Its contents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn items(&mut self) -> &mut [N] {
        self.items.as_deref_mut().map_or(&mut [], Vec::as_mut_slice)
    }
}

/// The smallest buffer with enough room, otherwise the largest, so a repeated call takes the same buffers in any
/// order of return. A caller without a known size passes at most 1 and takes the buffer that was returned
/// last: buffers within a function are returned in the reverse order of their use.
fn take_buffer(of: TypeId, room: usize) -> Option<Box<dyn Any>> {
    let find = |pool: &Pool| {
        let buffers = &mut pool.buffers.borrow_mut();
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
    let _ = POOL.try_with(|pool| pool.buffers.borrow_mut().push((of, capacity, buffer)));
}

impl<N: 'static> Default for Spare<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        Self::new()
    }
}

impl<N: 'static> Drop for Spare<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        if let Some(items) = self.items.take() {
            give_buffer(TypeId::of::<N>(), items.capacity(), items);
        }
    }
}

/// Lets the allocator keep the memory of large matrices. glibc returns free memory at the end of the heap to the system if it
/// exceeds 128 KiB, or twice the largest mapping that was ever freed. To fault these pages in again can take as long as the
/// derivative. So this frees one mapping.
#[inline]
pub(crate) fn keep_freed(numbers: usize) {
    static ONCE: Once = Once::new();
    if cfg!(all(target_os = "linux", target_env = "gnu")) && numbers >= 512 {
        ONCE.call_once(|| drop(black_box(Vec::<u8>::with_capacity(8 << 20))));
    }
}

/// Frees all of it.
pub(crate) fn release() {
    // Dropped outside of the borrows: a drop must not find the pool in use.
    drop(POOL.try_with(|pool| (pool.last.take(), pool.memory.take(), pool.buffers.take())));
}

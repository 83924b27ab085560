//! Memory that a thread uses again: what a call leaves serves the next one of the same types.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    static POOL: RefCell<Vec<(TypeId, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// What was left last of this type, if there is something.
pub(crate) fn take<P: 'static>() -> Option<Rc<P>> {
    let find = |pool: &RefCell<Vec<(TypeId, Rc<dyn Any>)>>| {
        let mut pool = pool.borrow_mut();
        let last = pool.iter().rposition(|(of, _)| *of == TypeId::of::<P>())?;
        pool.swap_remove(last).1.downcast().ok()
    };
    POOL.try_with(find).ok().flatten()
}

/// Leaves it for the next call.
pub(crate) fn give<P: 'static>(memory: Rc<P>) {
    let entry: (TypeId, Rc<dyn Any>) = (TypeId::of::<P>(), memory);
    // While the thread ends there is no pool any more, and the memory goes.
    let _ = POOL.try_with(|pool| pool.borrow_mut().push(entry));
}

/// The buffers of one type that nobody uses.
type Free<N> = RefCell<Vec<Vec<N>>>;

/// What `f` does with the free buffers of a type, while the thread has a pool.
fn free<N: 'static, R>(f: impl FnOnce(&mut Vec<Vec<N>>) -> R) -> Option<R> {
    let find = |pool: &RefCell<Vec<(TypeId, Rc<dyn Any>)>>| {
        let mut pool = pool.borrow_mut();
        let of = TypeId::of::<Free<N>>();
        if let Some((_, list)) = pool.iter().rfind(|(other, _)| *other == of) {
            return Rc::clone(list);
        }
        let list: Rc<dyn Any> = Rc::<Free<N>>::default();
        pool.push((of, Rc::clone(&list)));
        list
    };
    let list = POOL.try_with(find).ok()?;
    Some(f(&mut list.downcast_ref::<Free<N>>()?.borrow_mut()))
}

/// A buffer from the thread's pool, taken with its first use and given back in the end.
pub(crate) struct Spare<N: 'static> {
    used: bool,
    items: Vec<N>,
}

impl<N: 'static> Spare<N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Spare { used: false, items: Vec::new() }
    }
    /// The buffer, empty, with room for so many.
    #[inline]
    pub(crate) fn clear(&mut self, room: usize) -> &mut Vec<N> {
        if !self.used {
            self.used = true;
            self.items = free(|list| fitting(list, room)).flatten().unwrap_or_default();
        }
        self.items.clear();
        self.items.reserve(room);
        &mut self.items
    }
    /// What was put in.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> &mut [N] {
        &mut self.items
    }
}

/// The least of the buffers that have the room, else the largest: a call that repeats takes what it took before, in
/// whatever order it gave it back.
fn fitting<N>(list: &mut Vec<Vec<N>>, room: usize) -> Option<Vec<N>> {
    let size = |&i: &usize| list[i].capacity();
    let fits = (0..list.len()).filter(|i| size(i) >= room).min_by_key(size);
    let place = fits.or_else(|| (0..list.len()).max_by_key(size))?;
    Some(list.swap_remove(place))
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
        if self.used {
            let items = std::mem::take(&mut self.items);
            free(|list| list.push(items));
        }
    }
}

/// Gives all of it back.
pub(crate) fn release() {
    // Dropped outside of the borrow: a drop must not find the pool in use.
    let all = POOL.try_with(RefCell::take);
    drop(all);
}

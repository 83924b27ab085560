//! Memory that a thread uses again: what a call leaves serves the next one of the same types.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
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

/// A buffer that is the thread's from its first use to its end.
pub(crate) struct Spare<N: 'static> {
    home: Option<Rc<Cell<Vec<N>>>>,
    items: Vec<N>,
}

impl<N: 'static> Spare<N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Spare { home: None, items: Vec::new() }
    }
    /// The buffer, empty.
    #[inline]
    pub(crate) fn clear(&mut self) -> &mut Vec<N> {
        if self.home.is_none() {
            let home = take::<Cell<Vec<N>>>().unwrap_or_default();
            self.items = home.take();
            self.home = Some(home);
        }
        self.items.clear();
        &mut self.items
    }
    /// What was put in.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> &mut [N] {
        &mut self.items
    }
}

impl<N: 'static> Default for Spare<N> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

/// A buffer of its own.
impl<N: 'static> Clone for Spare<N> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<N: 'static> Drop for Spare<N> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            home.set(std::mem::take(&mut self.items));
            give(home);
        }
    }
}

/// Gives all of it back.
pub(crate) fn release() {
    // Dropped outside of the borrow: a drop must not find the pool in use.
    let all = POOL.try_with(RefCell::take);
    drop(all);
}

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

/// Gives all of it back.
pub(crate) fn release() {
    // Dropped outside of the borrow: a drop must not find the pool in use.
    let all = POOL.try_with(RefCell::take);
    drop(all);
}

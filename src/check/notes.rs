//! Notes of the operations that recorded the nodes of a tape.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

use crate::tapes::blame::{self, Listener};

/// An operation of a checked number.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) rule: &'static str,
    pub(super) operands: Vec<String>,
    pub(super) operation: u64,
    pub(super) location: &'static Location<'static>,
}

#[derive(Default)]
struct Notes {
    /// By tape and node.
    of: HashMap<(u32, u32), Rc<Note>>,
    /// At this number of notes, the notes of closed tapes are removed.
    enough: usize,
}

/// Up to this number the notes of closed tapes are kept too, because a map may still be transposed.
const FEW: usize = 1 << 16;

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::default();
}

/// Keeps a note for the new nodes of tapes, and registers the listener for sweeps.
pub(super) fn keep(before: &[(u32, u32)], after: &[(u32, u32)], note: impl Fn() -> Note, listener: Listener) {
    if before == after {
        return;
    }
    let note = Rc::new(note());
    blame::listen(listener);
    NOTES.with(|notes| {
        let mut notes = notes.borrow_mut();
        for &(tape, high) in after {
            let low = before.iter().find(|(t, _)| *t == tape).map_or(0, |&(_, nodes)| nodes);
            notes.of.extend((low..high).map(|node| ((tape, node), note.clone())));
        }
        if notes.of.len() > notes.enough.max(FEW) {
            notes.of.retain(|(tape, _), _| blame::is_open(*tape));
            notes.enough = 2 * notes.of.len();
        }
    });
}

/// The note of the operation that recorded the node.
pub(super) fn of(tape: u32, node: u32) -> Option<Rc<Note>> {
    NOTES.with(|notes| notes.borrow().of.get(&(tape, node)).cloned())
}

//! Which operation recorded a step of a tape.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

use super::checked::report_sweep;
use crate::tapes::blame::{self, Blame};

/// An operation of a number that is looked at.
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
    /// With so many, those of closed tapes go.
    enough: usize,
}

/// Fewer notes are kept even of closed tapes: a map may still be transposed.
const FEW: usize = 1 << 16;

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::default();
}

/// Keeps a note for the nodes by which tapes have grown.
pub(super) fn keep(before: &[(u32, u32)], after: &[(u32, u32)], note: impl Fn() -> Note) {
    if before == after {
        return;
    }
    let note = Rc::new(note());
    blame::listen(hear);
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

/// Passes on what a sweep says, with the note of the operation.
fn hear(blame: Blame) {
    let none = |rule| Note { rule, operands: Vec::new(), operation: 0, location: Location::caller() };
    let note = match blame.node {
        None => none("the cotangents that a sweep starts with"),
        Some(node) => {
            let found = NOTES.with(|notes| notes.borrow().of.get(&(blame.tape, node)).cloned());
            found.map_or(none("a step that no `Checked` number has recorded"), |note| (*note).clone())
        }
    };
    report_sweep(note, &blame.cotangent, blame.edge);
}

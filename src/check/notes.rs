//! Notes of the operations that recorded the nodes of a tape.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::panic::Location;
use std::rc::Rc;

use crate::tapes::blame::{self, Listener};

/// The first operation that returned NaN for operands that are not NaN.
/// ```
/// use wengert::{Dual, check::{self, Checked}};
/// let [x, y] = [0.0, f64::INFINITY].map(|x| Checked::new(Dual::constant(x)));
/// let (_, nan) = check::watch(|| (x + x) * y); // the second operation is 0·∞
/// let nan = nan.unwrap();
/// assert_eq!((nan.rule, nan.operation, nan.operands.len()), ("mul", 2, 2));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FirstNan {
    /// The operation's name.
    pub rule: &'static str,
    /// Its operands.
    pub operands: Vec<String>,
    /// Its result; for a backward sweep, a description of the number that became NaN.
    pub result: String,
    /// The operand whose cotangent became NaN in a backward sweep, if known.
    pub operand: Option<usize>,
    /// The number of the operation, from 1.
    pub operation: u64,
    /// The location of the call.
    pub location: &'static Location<'static>,
}

impl Display for FirstNan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` produced NaN from ", self.rule)?;
        for (i, (operand, name)) in self.operands.iter().zip(["x", "y", "z"]).enumerate() {
            write!(f, "{}{name} = {operand}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, " at operation #{} ({}): {}", self.operation, self.location, self.result)
    }
}

#[derive(Default)]
struct Notes {
    /// By tape and node.
    of: HashMap<(u32, u32), Rc<FirstNan>>,
    /// At this number of notes, the notes of closed tapes are removed.
    enough: usize,
}

/// Up to this number the notes of closed tapes are kept too, because a map may still be transposed.
const FEW: usize = 1 << 16;

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::default();
}

/// Keeps a note for the new nodes of tapes, and registers the listener for sweeps.
pub(super) fn keep(
    before: &[(u32, u32)],
    after: &[(u32, u32)],
    note: impl Fn() -> FirstNan,
    listener: Listener,
) {
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
pub(super) fn of(tape: u32, node: u32) -> Option<Rc<FirstNan>> {
    NOTES.with(|notes| notes.borrow().of.get(&(tape, node)).cloned())
}

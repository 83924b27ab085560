//! Where a variable finds its tape: a table of live tapes for each thread, indexed by the tape's number.
//!
//! This is the one place of the crate with raw memory. What makes it sound:
//!
//! 1. **A number belongs to one type for ever.** Numbers are handed out in blocks, each to one `T`
//!    (`identity.rs`), so a `Var<T>` whose number equals that of an open slot means a slot with `Node<T>`s.
//! 2. **An open slot is live.** `Opened` owns the record that a slot points to, and closes the slot when it is
//!    dropped. Slots are thread-local, and `Opened` stays on its thread.
//! 3. **`room > 0` only while `nodes` is valid**: it points to the first of `room` initialised nodes of a vector
//!    that nobody else reads or moves. Every access to the record ([`with`]) sets `room` to 0 first and
//!    publishes the pointer anew afterwards.

#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::misuse;
use super::record::{Node, Record};
use crate::number::Real;

/// Tapes that may be open at once on a thread.
const SLOTS: usize = 1 << SLOT_BITS;
/// The upper bits of a tape's number are its slot's.
const SLOT_BITS: u32 = 6;
/// Nodes of a fresh record.
const FIRST_ROOM: usize = 256;
/// Nodes are numbered by 32 bits; the last number stays free.
const MOST_NODES: usize = u32::MAX as usize;

struct Slot {
    /// The tape's number in the upper half, the number of nodes in the lower.
    next: Cell<u64>,
    /// How many nodes there is room for.
    room: Cell<u64>,
    nodes: Cell<*mut u8>,
    /// The `RefCell<Record<T>>` of an open slot.
    record: Cell<*const u8>,
}

thread_local! {
    static TABLE: [Slot; SLOTS] = const {
        [const {
            Slot {
                next: Cell::new(0),
                room: Cell::new(0),
                nodes: Cell::new(std::ptr::null_mut()),
                record: Cell::new(std::ptr::null()),
            }
        }; SLOTS]
    };
}

/// A node of a tape: the tape's number in the upper half, the node's in the lower. 0 for constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u64);

impl Place {
    pub(super) const NOWHERE: Place = Place(0);
    #[inline(always)]
    pub(super) fn new(tape: u32, node: u32) -> Self {
        Place(u64::from(tape) << 32 | u64::from(node))
    }
    #[inline(always)]
    pub(super) fn tape(self) -> u32 {
        (self.0 >> 32) as u32
    }
    #[inline(always)]
    pub(super) fn node(self) -> u32 {
        self.0 as u32
    }
    #[inline(always)]
    pub(super) fn same_tape(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 32 == 0
    }
}

#[inline(always)]
fn slot<R>(tape: u32, f: impl FnOnce(&Slot) -> R) -> R {
    TABLE.with(|table| f(&table[(tape >> (u32::BITS - SLOT_BITS)) as usize]))
}

/// Whether a tape of this number is open on this thread.
pub(super) fn is_open(tape: u32) -> bool {
    tape != 0 && slot(tape, |s| (s.next.get() >> 32) as u32 == tape)
}

/// A tape that is open on this thread.
pub(super) struct Opened<T: Real> {
    record: Rc<RefCell<Record<T>>>,
    pub(super) tape: u32,
}

impl<T: Real> Opened<T> {
    /// Opens a slot for an empty record.
    #[inline]
    pub(super) fn new(record: Rc<RefCell<Record<T>>>) -> Self {
        let mut contents = record.borrow_mut();
        // Neighbouring numbers in different slots.
        let tape = (0..SLOTS)
            .map(|_| contents.identities.next().rotate_right(SLOT_BITS))
            .find(|&tape| slot(tape, |s| s.next.get() == 0))
            .unwrap_or_else(|| misuse::too_many_tapes(SLOTS));
        slot(tape, |s| {
            s.record.set(Rc::as_ptr(&record).cast());
            s.next.set(u64::from(tape) << 32);
            s.publish(&mut contents.nodes, 0);
        });
        drop(contents);
        Opened { record, tape }
    }
    /// Closes the slot, once and for all; what was recorded.
    #[inline]
    pub(super) fn close(&self) -> Rc<RefCell<Record<T>>> {
        slot(self.tape, |s| {
            if (s.next.get() >> 32) as u32 == self.tape {
                s.room.set(0);
                s.next.set(0);
                s.record.set(std::ptr::null());
            }
        });
        self.record.clone()
    }
}

impl<T: Real> Drop for Opened<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl Slot {
    /// Lets `push` write to the nodes from `len` on.
    fn publish<T>(&self, nodes: &mut Vec<Node<T>>, len: usize) {
        self.next.set((self.next.get() & !0xFFFF_FFFF) | len as u64);
        self.nodes.set(nodes.as_mut_ptr().cast());
        self.room.set(nodes.len() as u64);
    }
}

/// Appends a node to the tape of `place`; the node's place.
///
/// # Panics
/// If this tape is not open on this thread, while it is being swept, or when 2³² nodes are reached.
#[inline(always)]
pub(super) fn push<T: Real>(place: Place, partials: [T; 2], parents: [u32; 2]) -> Place {
    slot(place.tape(), |s| {
        // One comparison for both: another tape's number leaves a difference far beyond any room.
        let free = || s.next.get().wrapping_sub(place.0 & !0xFFFF_FFFF);
        if free() >= s.room.get() {
            // The node stays in registers: a copy in memory would cost more than all the rest.
            make_room::<T>(place.tape());
        }
        let k = free();
        // SAFETY: k < room ≤ 2³² says that the slot's number is that of `place`, so by (1) its nodes are
        // `Node<T>`, and by (3) `nodes` points to `room` of them that nothing else touches. `make_room` returns
        // only when the number is this one and there is room.
        unsafe {
            let node = s.nodes.get().cast::<Node<T>>().add(k as usize);
            (&raw mut (*node).partials[0]).write(partials[0]);
            (&raw mut (*node).partials[1]).write(partials[1]);
            (&raw mut (*node).parents[0]).write(parents[0]);
            (&raw mut (*node).parents[1]).write(parents[1]);
        }
        let next = s.next.get();
        s.next.set(next + 1);
        Place(next)
    })
}

#[cold]
#[inline(never)]
fn make_room<T: Real>(tape: u32) {
    with(tape, |record: &mut Record<T>, len| reserve(record, *len, 1));
}

/// Makes room for `more` nodes after the first `len`.
pub(super) fn reserve<T: Real>(record: &mut Record<T>, len: usize, more: usize) {
    let (needed, room) = (len.saturating_add(more), record.nodes.len());
    if needed > MOST_NODES {
        misuse::too_many_nodes(len, more);
    }
    if needed > room {
        let room = needed.max(2 * room).clamp(FIRST_ROOM, MOST_NODES);
        record.nodes.resize_with(room, Node::empty);
    }
}

/// The open tape's record and number of nodes, to be changed.
///
/// # Panics
/// If no tape of this number is open on this thread, or while its record is in use (during a sweep).
pub(super) fn with<T: Real, R>(tape: u32, f: impl FnOnce(&mut Record<T>, &mut usize) -> R) -> R {
    if !is_open(tape) {
        misuse::not_open(tape);
    }
    let record = slot(tape, |s| s.record.get()).cast::<RefCell<Record<T>>>();
    // SAFETY: the slot is open under this number, so by (1) it holds a record of `T`, and by (2) the record lives
    // as long as the slot is open; its owner is a value of this thread. Should `f` drop that owner, the counter
    // raised here keeps the record alive.
    let record = unsafe {
        Rc::increment_strong_count(record);
        Rc::from_raw(record)
    };
    let Ok(mut borrowed) = record.try_borrow_mut() else { misuse::in_use() };
    let len = slot(tape, |s| {
        s.room.set(0);
        s.next.get() as u32 as usize
    });
    let mut published = Published { tape, record: &mut borrowed, len };
    f(published.record, &mut published.len)
}

/// Publishes the record again, also when the work on it panics.
struct Published<'a, T: Real> {
    tape: u32,
    record: &'a mut Record<T>,
    len: usize,
}

impl<T: Real> Drop for Published<'_, T> {
    fn drop(&mut self) {
        slot(self.tape, |s| {
            if (s.next.get() >> 32) as u32 == self.tape {
                s.publish(&mut self.record.nodes, self.len);
            }
        });
    }
}

//! The table of open tapes of each thread, indexed by the tape number, and a cursor for the tape that is being
//! recorded.
//!
//! This is the only place of the crate with raw memory. It is sound for these reasons:
//!
//! 1. **A number belongs to one type permanently.** Numbers are allocated in blocks, each to one `T` (`identity.rs`),
//!    so if the number of a `Var<T>` equals the number of an open tape, this tape has `Node<T>`s.
//! 2. **An open slot is live.** `Opened` owns the record that a slot points to, and closes the slot when it is
//!    dropped. The table is thread-local, and `Opened` stays on its thread.
//! 3. **A cursor with `room > 0` is valid**: `nodes` points to a vector with room for `room` nodes that nothing else reads
//!    or moves, and the nodes below the cursor are initialised. At most one of the hot cursor and the one
//!    in the tape's slot has room. Every access to the record ([`with`]) first removes the cursor, sets the vector's
//!    length, and makes a new cursor afterwards.
//! 4. **An idle record has one owner** and no maps, so it may move to another thread.

#![allow(unsafe_code)]

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use super::identity::SLOT_BITS;
use super::misuse;
use super::place::Place;
use super::record::{Node, Record};
use crate::number::Real;
use crate::pool;

/// The number of tapes that may be open on a thread at the same time.
const SLOTS: usize = 1 << SLOT_BITS;

/// The position of the next node.
struct Cursor {
    /// The tape's number in the upper half, the number of nodes in the lower.
    next: Cell<u64>,
    /// The number of nodes that there is room for.
    room: Cell<u64>,
    nodes: Cell<*mut u8>,
}

impl Cursor {
    const fn none() -> Cursor {
        Cursor { next: Cell::new(0), room: Cell::new(0), nodes: Cell::new(std::ptr::null_mut()) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tape(&self) -> u32 {
        Place(self.next.get()).tape()
    }
    /// Takes the room of the other cursor, which keeps its number.
    fn take(&self, other: &Cursor) {
        self.next.set(other.next.get());
        self.nodes.set(other.nodes.get());
        self.room.set(other.room.take());
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish<T>(&self, tape: u32, nodes: &mut Vec<Node<T>>, len: usize) {
        self.next.set(Place::new(tape, len as u32).0);
        self.nodes.set(nodes.as_mut_ptr().cast());
        debug_assert!(len <= nodes.len());
        self.room.set(nodes.capacity() as u64);
    }
}

struct Slot {
    /// The cursor of an open tape that is not being recorded; its number states whether the slot is open.
    cursor: Cursor,
    /// The `RefCell<Record<T>>` of an open slot.
    record: Cell<*const u8>,
}

struct TapeTable {
    hot: Cursor,
    slots: [Slot; SLOTS],
}

thread_local! {
    static TABLE: TapeTable = const {
        TapeTable {
            hot: Cursor::none(),
            slots: [const { Slot { cursor: Cursor::none(), record: Cell::new(std::ptr::null()) } }; SLOTS],
        }
    };
}

impl TapeTable {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&self, tape: u32) -> &Slot {
        &self.slots[(tape >> (u32::BITS - SLOT_BITS)) as usize]
    }
    /// The slot of an open tape.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn open(&self, tape: u32) -> Option<&Slot> {
        let slot = self.slot(tape);
        (tape != 0 && slot.cursor.tape() == tape).then_some(slot)
    }
    /// Moves the hot cursor back to its slot.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn park(&self) {
        if self.hot.tape() != 0 {
            self.slot(self.hot.tape()).cursor.take(&self.hot);
            self.hot.next.set(0);
        }
    }
}

/// Whether a tape of this number is open on this thread.
pub(super) fn is_open(tape: u32) -> bool {
    TABLE.with(|table| table.open(tape).is_some())
}

/// The open tapes of this thread, with their numbers of nodes.
pub(super) fn lengths() -> Vec<(u32, u32)> {
    TABLE.with(|table| {
        let hot = Place(table.hot.next.get());
        let newest = |slot: &Slot| match Place(slot.cursor.next.get()) {
            place if place.tape() == hot.tape() => hot,
            place => place,
        };
        let open = table.slots.iter().map(newest).filter(|place| place.tape() != 0);
        open.map(|place| (place.tape(), place.node())).collect()
    })
}

/// Closes the slot of a tape permanently; returns the number of nodes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shut(tape: u32) -> usize {
    TABLE.with(|table| {
        if table.hot.tape() == tape {
            table.park();
        }
        let Some(slot) = table.open(tape) else { return 0 };
        let len = Place(slot.cursor.next.get()).node() as usize;
        slot.cursor.room.set(0);
        slot.cursor.next.set(0);
        slot.record.set(std::ptr::null());
        len
    })
}

/// A tape that is open on this thread.
pub(super) struct Opened<T: Real> {
    /// `None` only while it is being closed.
    record: Option<Rc<RefCell<Record<T>>>>,
    pub(super) tape: u32,
}

impl<T: Real> Opened<T> {
    /// Opens a slot for an empty record, with this number of inputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(record: Rc<RefCell<Record<T>>>, inputs: usize) -> Self {
        let mut contents = record.borrow_mut();
        contents.start(inputs);
        // Short closures: a long one is compiled as a function that gets all it uses in memory.
        let is_free = |tape: u32| TABLE.with(|table| table.slot(tape).cursor.tape() == 0);
        let mut tape = contents.identities.next_tape();
        if !is_free(tape) {
            let free = contents.identities.next_free(is_free);
            tape = free.unwrap_or_else(|| misuse::too_many_tapes(SLOTS));
        }
        TABLE.with(TapeTable::park);
        TABLE.with(|table| {
            let slot = table.slot(tape);
            slot.cursor.next.set(Place::new(tape, 0).0);
            slot.record.set(Rc::as_ptr(&record).cast());
        });
        TABLE.with(|table| table.hot.publish(tape, &mut contents.nodes, inputs));
        contents.tape = tape;
        drop(contents);
        Opened { record: Some(record), tape }
    }
    /// As [`with`], for the owner.
    #[inline]
    #[track_caller]
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut Record<T>, &mut usize) -> R) -> R {
        let Some(record) = &self.record else { misuse::not_open(self.tape) };
        access(record, self.tape, f)
    }
    /// Closes the slot permanently after a last access; returns the result and the cleared record.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn finish<R>(mut self, f: impl FnOnce(&mut Record<T>, usize) -> R) -> (R, Option<Idle<T>>) {
        let Some(record) = &self.record else { misuse::not_open(self.tape) };
        let (mut contents, len) = hold(record, self.tape);
        let result = f(&mut contents, len);
        let maps = contents.clear(len);
        drop(contents);
        shut(self.tape);
        drop(maps);
        let record = self.record.take();
        std::mem::forget(self);
        (result, record.and_then(Idle::new))
    }
    /// Closes the slot permanently; returns the record and its number of nodes.
    #[inline]
    pub(super) fn close(mut self) -> (Rc<RefCell<Record<T>>>, usize) {
        (self.record.take().expect("it is open"), shut(self.tape))
    }
    /// Opens another slot for the record, cleared. `None` if the record is in use.
    pub(super) fn reopen(&mut self) -> Option<()> {
        let (record, len) = (self.record.take()?, shut(self.tape));
        let maps = record.try_borrow_mut().ok()?.clear(len);
        drop(maps);
        *self = Opened::new(record, 0);
        Some(())
    }
}

/// Clears the record, which goes to the thread's pool. If its own sweep drops the tape, the last user frees it.
impl<T: Real> Drop for Opened<T> {
    #[inline]
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        let len = shut(self.tape);
        let Ok(mut contents) = record.try_borrow_mut() else { return };
        let maps = contents.clear(len);
        drop(contents);
        drop(maps);
        pool::give(record);
    }
}

/// The record of a closed tape, with a single owner.
pub(super) struct Idle<T: Real>(Rc<RefCell<Record<T>>>);

impl<T: Real> Idle<T> {
    /// `None` if there is another owner or a map: maps are created by users, and stay on their thread.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(mut record: Rc<RefCell<Record<T>>>) -> Option<Self> {
        let idle = Rc::get_mut(&mut record).is_some_and(|record| record.get_mut().maps.is_empty());
        idle.then(|| Idle(record))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn record(self) -> Rc<RefCell<Record<T>>> {
        self.0
    }
}

// SAFETY: by (4) nobody else has the counter or points here, and all else in a record may go to another thread: numbers
// are `Send`.
unsafe impl<T: Real> Send for Idle<T> {}

/// Appends a node to the tape of `place`, and returns a reference to it.
///
/// # Panics
/// If this tape is not open on this thread, while it is being swept, or when 2³² nodes are reached.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn push<T: Real>(place: Place, partials: [T; 2], parents: [u32; 2]) -> Place {
    // `push_slowly` is not called within the closure: a closure has no caller's line to report.
    let written = TABLE.with(|TapeTable { hot, .. }| {
        // The order of these reads is measured: reading the cursor once is up to a tenth slower.
        let fits = Place(hot.next.get()).same_tape(place)
            && u64::from(Place(hot.next.get()).node()) < hot.room.get();
        // SAFETY: the cursor's number is the number of `place`, and there is room.
        fits.then(|| unsafe { write(hot, partials, parents) })
    });
    match written {
        Some(place) => place,
        // A call in the end: nothing has to survive it, so all stays in registers before it.
        None => push_slowly(place, partials[0], partials[1], parents),
    }
}

/// Writes a node at the hot cursor, and returns a reference to it.
///
/// # Safety
/// The cursor's number must belong to `T`, and its node be below its room. Then by (1) its nodes are `Node<T>`, and
/// by (3) `nodes` points to `room` of them that nothing else accesses.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn write<T: Real>(hot: &Cursor, partials: [T; 2], parents: [u32; 2]) -> Place {
    let next = hot.next.get();
    // SAFETY: as the caller has made sure.
    unsafe {
        let node = hot.nodes.get().cast::<Node<T>>().add(Place(next).node() as usize);
        (&raw mut (*node).partials[0]).write(partials[0]);
        (&raw mut (*node).partials[1]).write(partials[1]);
        (&raw mut (*node).parents[0]).write(parents[0]);
        (&raw mut (*node).parents[1]).write(parents[1]);
    }
    hot.next.set(next + 1);
    Place(next)
}

/// [`push`] where the tape is not the hot one, or full.
#[cold]
#[inline(never)]
#[track_caller]
fn push_slowly<T: Real>(place: Place, left: T, right: T, parents: [u32; 2]) -> Place {
    make_hot::<T>(place.tape());
    // SAFETY: `make_hot` has checked last of all that the numbers are equal, and that there is room.
    TABLE.with(|TapeTable { hot, .. }| unsafe { write(hot, [left, right], parents) })
}

/// Prefetches the node 1.5 KB before this one, which the sweep will reach soon.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn prefetch<E>(node: &E) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let ahead = std::ptr::from_ref(node).wrapping_byte_sub(1536);
        // SAFETY: a prefetch reads nothing, any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = node;
}

/// Makes the hot cursor point to this tape, with room for a node.
#[cold]
#[inline(never)]
#[track_caller]
fn make_hot<T: Real>(tape: u32) {
    let had_room = TABLE.with(|table| {
        table.park();
        let slot = table.open(tape);
        let slot = slot.filter(|s| u64::from(Place(s.cursor.next.get()).node()) < s.cursor.room.get());
        slot.inspect(|slot| table.hot.take(&slot.cursor)).is_some()
    });
    if had_room {
        return;
    }
    with(tape, |record: &mut Record<T>, len| record.make_room(*len, 1));
    // A number type of a user may do anything within its constants, also close this tape.
    let is_ready = |TapeTable { hot, .. }: &TapeTable| {
        hot.tape() == tape && u64::from(Place(hot.next.get()).node()) < hot.room.get()
    };
    if !TABLE.with(is_ready) {
        misuse::not_open(tape);
    }
}

/// Mutable access to the record and the number of nodes of an open tape.
///
/// # Panics
/// If no tape of this number is open on this thread, or while its record is in use (during a sweep).
#[track_caller]
pub(super) fn with<T: Real, R>(tape: u32, f: impl FnOnce(&mut Record<T>, &mut usize) -> R) -> R {
    let Some(record) = TABLE.with(|table| table.open(tape).map(|slot| slot.record.get())) else {
        misuse::not_open(tape)
    };
    let record = record.cast::<RefCell<Record<T>>>();
    // SAFETY: the slot is open under this number, so by (1) it holds a record of `T`, and by (2) the record lives
    // as long as the slot is open; its owner is a value of this thread. Should `f` drop that owner, the counter
    // raised here keeps the record alive.
    let record = unsafe {
        Rc::increment_strong_count(record);
        Rc::from_raw(record)
    };
    access(&record, tape, f)
}

/// Access to the record and the number of nodes of an open tape, without a cursor meanwhile.
#[inline]
#[track_caller]
fn access<T: Real, R>(
    record: &RefCell<Record<T>>,
    tape: u32,
    f: impl FnOnce(&mut Record<T>, &mut usize) -> R,
) -> R {
    let (mut record, len) = hold(record, tape);
    let mut published = Published { tape, record: &mut record, len };
    f(published.record, &mut published.len)
}

/// The record and the number of nodes of an open tape, which has no cursor any more.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn hold<T: Real>(record: &RefCell<Record<T>>, tape: u32) -> (RefMut<'_, Record<T>>, usize) {
    let Ok(mut borrowed) = record.try_borrow_mut() else { misuse::in_use() };
    let len = TABLE.with(|table| {
        table.park();
        let Slot { cursor, .. } = table.open(tape)?;
        cursor.room.set(0);
        Some(Place(cursor.next.get()).node() as usize)
    });
    let Some(len) = len else { misuse::not_open(tape) };
    if borrowed.nodes.len() < len {
        // SAFETY: by (3) the cursor's nodes are the nodes of this vector, which had room for them, and they are
        // initialised.
        unsafe { borrowed.nodes.set_len(len) };
    }
    (borrowed, len)
}

/// Makes the tape hot again, even if the work on it panics.
struct Published<'a, T: Real> {
    tape: u32,
    record: &'a mut Record<T>,
    len: usize,
}

impl<T: Real> Drop for Published<'_, T> {
    fn drop(&mut self) {
        TABLE.with(|table| {
            if table.open(self.tape).is_some() {
                table.park();
                table.hot.publish(self.tape, &mut self.record.nodes, self.len);
            }
        });
    }
}

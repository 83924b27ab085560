//! Tape numbers: unique in the process, and each used by tapes of one type only.
//!
//! A record takes numbers in blocks, so opening a tape costs an addition. A block belongs to the type that took it
//! first. After all 2³² numbers are used, the blocks of a type are used again in turn. Until then each misuse of a
//! variable is detected; afterwards a misuse is missed only if the same number has been used again.

use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The upper bits of a tape's number are its slot's.
pub(super) const SLOT_BITS: u32 = 8;

/// A tape number.
pub(super) fn number(tape: u32) -> u32 {
    tape.rotate_left(SLOT_BITS)
}

/// Numbers in a block.
const BLOCK: u32 = 1 << 12;
/// Number of blocks.
const BLOCKS: u32 = 1 << 20;

/// The numbers that a record may give to its tapes.
pub(super) struct Identities<T: 'static> {
    rest: Range<u32>,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> Identities<T> {
    pub(super) fn new() -> Self {
        Identities { rest: 0..0, of: PhantomData }
    }
    /// The number of the next tape: neighbouring numbers are in different slots.
    #[inline]
    pub(super) fn next_tape(&mut self) -> u32 {
        self.next().rotate_right(SLOT_BITS)
    }
    /// The number of the next tape that has a free slot, if any slot is free.
    #[cold]
    #[inline(never)]
    pub(super) fn next_free(&mut self, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        (0..1 << SLOT_BITS).map(|slot: u32| slot.rotate_right(SLOT_BITS)).find(|&slot| is_free(slot))?;
        std::iter::repeat_with(|| self.next_tape()).find(|&tape| is_free(tape))
    }
    /// The next number; never 0, which marks constants.
    #[inline]
    fn next(&mut self) -> u32 {
        match self.rest.next() {
            Some(number) => number,
            None => self.refill(),
        }
    }
    #[cold]
    fn refill(&mut self) -> u32 {
        self.rest = take(TypeId::of::<T>());
        self.next()
    }
}

impl<T: 'static> Drop for Identities<T> {
    fn drop(&mut self) {
        if !self.rest.is_empty() {
            give_back(TypeId::of::<T>(), self.rest.clone());
        }
    }
}

// Not generic, so that users' crates do not compile the registry.
fn take(of: TypeId) -> Range<u32> {
    registry(|r| r.take(of))
}

fn give_back(of: TypeId, rest: Range<u32>) {
    registry(|r| r.give_back(of, rest));
}

/// The owners of the blocks.
#[derive(Default)]
struct Registry {
    /// The number of blocks in use.
    used: u32,
    types: HashMap<TypeId, Owned>,
}

/// The blocks of one type.
#[derive(Default)]
struct Owned {
    blocks: Vec<u32>,
    /// Parts of blocks that were not used up.
    rests: Vec<Range<u32>>,
    /// The position of the second round through the blocks.
    round: usize,
}

fn registry<R>(f: impl FnOnce(&mut Registry) -> R) -> R {
    static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    f(registry.get_or_insert_default())
}

impl Registry {
    fn take(&mut self, of: TypeId) -> Range<u32> {
        let owned = self.types.entry(of).or_default();
        if let Some(rest) = owned.rests.pop() {
            return rest;
        }
        if self.used < BLOCKS {
            // Room for a million tapes: who opens one does not allocate for those before.
            if owned.blocks.is_empty() {
                owned.blocks.reserve(256);
            }
            owned.blocks.push(self.used);
            self.used += 1;
            return Self::numbers(self.used - 1);
        }
        assert!(
            !owned.blocks.is_empty(),
            "wengert: all 2³² numbers of tapes belong to other types; use fewer threads or fewer number types"
        );
        owned.round = (owned.round + 1) % owned.blocks.len();
        Self::numbers(owned.blocks[owned.round])
    }
    fn give_back(&mut self, of: TypeId, rest: Range<u32>) {
        self.types.entry(of).or_default().rests.push(rest);
    }
    /// The numbers of a block, without 0.
    fn numbers(block: u32) -> Range<u32> {
        let first = block * BLOCK;
        // The last block ends one number early: a range of u32 cannot hold 2³² as its end.
        first.max(1)..first.saturating_add(BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_never_zero() {
        let mut registry = Registry::default();
        let (a, b) = (TypeId::of::<f32>(), TypeId::of::<f64>());
        let (first, second, third) = (registry.take(a), registry.take(b), registry.take(a));
        assert_eq!((first, second.clone(), third), (1..BLOCK, BLOCK..2 * BLOCK, 2 * BLOCK..3 * BLOCK));
        registry.give_back(b, second.start + 7..second.end);
        assert_eq!(registry.take(a), 3 * BLOCK..4 * BLOCK, "a rest stays with its type");
        assert_eq!(registry.take(b), BLOCK + 7..2 * BLOCK);
    }

    #[test]
    fn after_the_last_number_each_type_goes_round_its_own() {
        let mut registry = Registry::default();
        let (a, b) = (TypeId::of::<f32>(), TypeId::of::<f64>());
        registry.take(a);
        registry.used = BLOCKS - 1;
        let last = registry.take(b);
        assert_eq!((last.start, last.end), (u32::MAX - BLOCK + 1, u32::MAX));
        assert_eq!((registry.take(a), registry.take(b)), (1..BLOCK, last));
        let other = std::panic::catch_unwind(move || registry.take(TypeId::of::<u8>()));
        assert!(other.is_err());
    }
}

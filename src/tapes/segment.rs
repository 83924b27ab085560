//! What is recorded above a shared part, swept and cut off again, time after time: it stays in the cache, and what is shared
//! is recorded and swept once.

use std::thread::panicking;

use super::compiled::lanes_of;
use super::record::{Block, MapBlock, Record, Seed};
use super::sweep::seeded;
use super::tape::Tape;
use crate::number::Real;

/// The lengths of a record.
struct Mark {
    nodes: usize,
    first_inputs: usize,
    blocks: usize,
    edges: usize,
    runs: usize,
    partials: usize,
    maps: usize,
}

impl<T: Real> Record<T> {
    fn mark(&self, len: usize) -> Mark {
        Mark {
            nodes: len,
            first_inputs: self.first_inputs,
            blocks: self.blocks.len(),
            edges: self.edges.len(),
            runs: self.runs.len(),
            partials: self.partials.len(),
            maps: self.maps.len(),
        }
    }
    /// Forgets what is above the mark. Returns the maps, so that they are dropped where nothing is borrowed.
    fn cut(&mut self, len: &mut usize, mark: &Mark) -> Vec<MapBlock<T>> {
        *len = mark.nodes;
        self.first_inputs = mark.first_inputs;
        self.blocks.truncate(mark.blocks);
        self.edges.truncate(mark.edges);
        self.runs.truncate(mark.runs);
        self.partials.truncate(mark.partials);
        if self.maps.len() == mark.maps { Vec::new() } else { self.maps.split_off(mark.maps) }
    }
}

/// Segments above what is on a tape: the cotangents below them add up.
///
/// Products are plain ones, so `∞·0` is NaN. The numbers of cut nodes come again: a variable of a segment is not to be used
/// in another one.
pub(crate) struct Segments<'a, T: Real> {
    tape: &'a Tape<T>,
    mark: Mark,
    /// Kept outside of the record, whose own are all zero: a panic between two segments loses it.
    adjoints: Vec<T>,
}

impl<T: Real> Tape<T> {
    /// Segments above what is recorded now.
    pub(crate) fn segments(&self) -> Segments<'_, T> {
        let (mark, adjoints) =
            self.opened.with(|record, len| (record.mark(*len), std::mem::take(&mut record.adjoints)));
        Segments { tape: self, mark, adjoints }
    }
}

impl<T: Real> Segments<'_, T> {
    /// Sweeps what was recorded since the mark, shows the cotangents by node, and cuts it off.
    #[inline]
    pub(crate) fn pull(&mut self, seeds: &[Seed<T, 1>], read: impl FnOnce(&[T])) {
        let Segments { tape, mark, adjoints } = self;
        let maps = tape.opened.with(|record, len| {
            let cotangents = room(adjoints, *len);
            let above = seeded(cotangents, seeds.iter().copied());
            let low = mark.nodes.max(record.first_inputs);
            record.sweep_down::<1, false>(cotangents, low..above);
            read(cotangents.as_flattened());
            // Only inputs are not zero now.
            cotangents[mark.nodes..low].fill([T::lit(0.0)]);
            for inputs in record.blocks[mark.blocks..].iter().filter_map(Block::inputs) {
                cotangents[inputs].fill([T::lit(0.0)]);
            }
            record.cut(len, mark)
        });
        drop(maps);
    }
    /// Sweeps what was there before, and shows the cotangents by node.
    pub(crate) fn finish(mut self, read: impl FnOnce(&[T])) {
        let Segments { tape, mark, adjoints } = &mut self;
        tape.opened.with(|record, len| {
            let cotangents = room(adjoints, *len);
            record.sweep_down::<1, false>(cotangents, mark.first_inputs..mark.nodes);
            read(cotangents.as_flattened());
        });
    }
}

/// The cotangents of so many nodes.
#[inline(always)]
fn room<T: Real>(adjoints: &mut Vec<T>, len: usize) -> &mut [[T; 1]] {
    if adjoints.len() < len {
        adjoints.resize(len, T::lit(0.0));
    }
    lanes_of(adjoints, len)
}

impl<T: Real> Drop for Segments<'_, T> {
    fn drop(&mut self) {
        if panicking() {
            return;
        }
        let mut adjoints = std::mem::take(&mut self.adjoints);
        let below = self.mark.nodes.min(adjoints.len());
        adjoints[..below].fill(T::lit(0.0));
        self.tape.opened.with(|record, _| record.adjoints = adjoints);
    }
}

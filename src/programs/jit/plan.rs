//! Which operations machine code needs, and how they are divided into functions.

use std::ops::Range;

use crate::programs::code::Code;
use crate::programs::op::Op;

/// The number of operations in a function: the time to compile grows faster than a longer one.
const CHUNK: usize = 1000;
/// No place.
const NONE: u32 = u32::MAX;

/// The division of a program.
pub(super) struct Plan {
    /// The operations on which results and guards depend.
    pub(super) needed: Vec<bool>,
    /// The places of the operations of each function.
    pub(super) chunks: Vec<Range<usize>>,
    /// The slot of memory of a value that later functions read.
    slots: Vec<u32>,
    /// The number of slots.
    pub(super) slot_count: usize,
    /// Whether results that are not finite end the run.
    pub(super) checked: bool,
    /// Operations with the results that they are, by operation.
    results: Vec<(u32, usize)>,
}

impl Plan {
    pub(super) fn new(code: &Code, checked: bool) -> Self {
        let needed = needed(code);
        let chunks = chunks(code, &needed);
        let (slots, slot_count) = slots(code, &needed, &chunks);
        let mut results: Vec<_> = code.outputs.iter().copied().zip(0..).collect();
        results.sort_unstable();
        Plan { needed, chunks, slots, slot_count, checked, results }
    }
    /// The number of operations that are compiled.
    pub(super) fn operations(&self) -> usize {
        self.needed.iter().filter(|&&needed| needed).count()
    }
    /// The results that an operation is.
    pub(super) fn results_of(&self, value: u32) -> impl Iterator<Item = usize> {
        let first = self.results.partition_point(|&(other, _)| other < value);
        self.results[first..].iter().take_while(move |&&(other, _)| other == value).map(|&(_, k)| k)
    }
    /// The slot of an operation, if a later chunk reads it.
    pub(super) fn slot(&self, value: u32) -> Option<u32> {
        Some(self.slots[value as usize]).filter(|&slot| slot != NONE)
    }
}

/// Whether results are written where they are computed: with guards the last function does, behind the last of them.
pub(super) fn writes_at_once(code: &Code) -> bool {
    code.guards.is_empty()
}

fn needed(code: &Code) -> Vec<bool> {
    let mut needed = vec![false; code.ops.len()];
    code.outputs.iter().for_each(|&y| needed[y as usize] = true);
    code.guards.iter().flat_map(|g| g.question.operands()).for_each(|x| needed[x as usize] = true);
    for i in (0..code.ops.len()).rev() {
        if needed[i] {
            code.ops[i].operands().for_each(|x| needed[x as usize] = true);
        }
    }
    needed
}

fn chunks(code: &Code, needed: &[bool]) -> Vec<Range<usize>> {
    let (mut chunks, mut start, mut count) = (Vec::new(), 0, 0);
    for (i, needed) in needed.iter().enumerate() {
        count += usize::from(*needed);
        if count == CHUNK {
            chunks.push(start..i + 1);
            (start, count) = (i + 1, 0);
        }
    }
    // (The last one writes results and asks the last guards, so there is always one.)
    chunks.push(start..code.ops.len());
    chunks
}

/// The chunk that asks a guard: the one that computes the operation before it.
pub(super) fn chunk_of(chunks: &[Range<usize>], before: u32) -> usize {
    chunks.partition_point(|chunk| chunk.end < before as usize).min(chunks.len() - 1)
}

/// A slot for each value that a later chunk reads; it is free again behind the last of them.
fn slots(code: &Code, needed: &[bool], chunks: &[Range<usize>]) -> (Vec<u32>, usize) {
    let mut last = vec![0; code.ops.len()];
    let mut read = |x: u32, chunk: usize| last[x as usize] = last[x as usize].max(chunk);
    for (k, chunk) in chunks.iter().enumerate() {
        for i in chunk.clone().filter(|&i| needed[i]) {
            code.ops[i].operands().for_each(|x| read(x, k));
        }
    }
    for guard in &code.guards {
        guard.question.operands().for_each(|x| read(x, chunk_of(chunks, guard.before)));
    }
    if !writes_at_once(code) {
        code.outputs.iter().for_each(|&y| read(y, chunks.len() - 1));
    }
    let (mut slots, mut count, mut free) = (vec![NONE; code.ops.len()], 0, Vec::new());
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); chunks.len() + 1];
    for (k, chunk) in chunks.iter().enumerate() {
        free.append(&mut ends[k]);
        for i in chunk.clone().filter(|&i| needed[i] && last[i] > k) {
            if matches!(code.ops[i], Op::Input(_) | Op::Constant(_)) {
                continue; // at hand in every chunk
            }
            slots[i] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            ends[last[i] + 1].push(slots[i]);
        }
    }
    (slots, count as usize)
}

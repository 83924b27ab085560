//! Stretches of a sequence that repeat.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use super::super::rules::Mixing;

/// A map from numbers.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixing>>;

/// A stretch of `count` iterations of `period` items each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) start: usize,
    pub(super) period: usize,
    pub(super) count: usize,
    /// The items behind the last iteration that still repeat.
    pub(super) rest: usize,
}

impl Repeat {
    pub(super) fn end(&self) -> usize {
        self.start + self.period * self.count
    }
    /// The items that need not be written out.
    pub(super) fn saved(&self) -> usize {
        self.period * (self.count - 1)
    }
    /// Of the items from `from` to `to`, or nothing that pays.
    fn of(from: usize, to: usize, period: usize) -> Option<Self> {
        let count = to.saturating_sub(from) / period;
        let repeat = Repeat { start: from, period, count, rest: (to - from) % period };
        (count >= LEAST_COUNT && repeat.saved() >= LEAST_SAVED).then_some(repeat)
    }
}

/// Loops of fewer iterations, or that save fewer items, do not pay.
const LEAST_COUNT: usize = 3;
const LEAST_SAVED: usize = 24;

/// Disjoint stretches that repeat, in order; those that save most come first where they overlap.
pub(super) fn repeats(kinds: &[u64]) -> Vec<Repeat> {
    let mut found: Vec<Repeat> = periods(kinds).into_iter().flat_map(|d| runs(kinds, d)).collect();
    found.sort_by_key(|r| (std::cmp::Reverse(r.saved()), r.period, r.start));
    let mut taken: BTreeMap<usize, Repeat> = BTreeMap::new();
    for repeat in found {
        let (from, to) = free_part(&taken, repeat.start, repeat.end() + repeat.rest);
        if let Some(repeat) = (from < to).then(|| Repeat::of(from, to, repeat.period)).flatten() {
            taken.insert(repeat.start, repeat);
        }
    }
    taken.into_values().collect()
}

/// The largest part of an interval that no stretch has taken.
fn free_part(taken: &BTreeMap<usize, Repeat>, from: usize, to: usize) -> (usize, usize) {
    let before = taken.range(..from).next_back().map_or(from, |(_, r)| (r.end() + r.rest).max(from));
    let (mut at, mut best) = (before, (from, from));
    for (&start, repeat) in taken.range(from..to.max(from)) {
        if start > at && start - at > best.1 - best.0 {
            best = (at, start);
        }
        at = at.max(repeat.end() + repeat.rest);
    }
    if to > at && to - at > best.1 - best.0 { (at, to) } else { best }
}

/// The maximal stretches where items equal those `period` before.
fn runs(kinds: &[u64], period: usize) -> Vec<Repeat> {
    let mut found = Vec::new();
    let mut start = None;
    for i in period..=kinds.len() {
        let equal = i < kinds.len() && kinds[i] == kinds[i - period];
        match (equal, start) {
            (true, None) => start = Some(i - period),
            (false, Some(from)) => {
                found.extend(Repeat::of(from, i, period));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Distances at which stretches of 4, 16, 64, … items occur again most often.
///
/// Short stretches show the periods of inner loops; one that is longer than all an inner loop does can occur again only
/// at the period of an outer loop.
fn periods(kinds: &[u64]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut length = 4;
    while 2 * length <= kinds.len() {
        let mut distances: Vec<(usize, usize)> = distances(kinds, length).into_iter().collect();
        distances.sort_by_key(|&(distance, times)| (std::cmp::Reverse(times), distance));
        found.extend(distances.iter().take(3).map(|d| d.0));
        length *= 4;
    }
    found.extend(1..4.min(kinds.len()));
    found.sort_unstable();
    found.dedup();
    found
}

/// How often stretches of a length occur again at which distance. Of long ones some are looked at: those whose hash ends
/// in zeros, so equal stretches all the same.
fn distances(kinds: &[u64], length: usize) -> Map<usize, usize> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut power = 1u64;
    (0..length).for_each(|_| power = power.wrapping_mul(BASE));
    let skip = (length / 8).next_power_of_two().min(256) as u64 - 1;
    let (mut hash, mut last, mut counts) = (0u64, Map::default(), Map::default());
    for (i, &kind) in kinds.iter().enumerate() {
        hash = hash.wrapping_mul(BASE).wrapping_add(kind);
        if i >= length {
            hash = hash.wrapping_sub(kinds[i - length].wrapping_mul(power));
        }
        let mixed = (hash ^ hash >> 31).wrapping_mul(0xd1b5_4a32_d192_ed03);
        if i + 1 < length || (mixed >> 40) & skip != 0 {
            continue;
        }
        if let Some(before) = last.insert(mixed, i) {
            *counts.entry(i - before).or_insert(0) += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_loop_is_found_behind_irregular_items() {
        // Inner loops of 3 items, 5 times, and two items more; 40 times.
        let body: Vec<u64> = [7, 8, 9].repeat(5).into_iter().chain([1, 2]).collect();
        let kinds: Vec<u64> = [50, 51, 7, 52].into_iter().chain(body.repeat(40)).chain([60, 61]).collect();
        let found = repeats(&kinds);
        assert_eq!(found, [Repeat { start: 4, period: 17, count: 40, rest: 0 }]);
    }

    #[test]
    fn stretches_are_disjoint_and_repeat() {
        let text: Vec<u64> = (0..3000).map(|i: u64| (i * i * 7 / (1 + i / 90) + i / 700) % 3).collect();
        let mut end = 0;
        for r in repeats(&text) {
            assert!(r.start >= end);
            end = r.end() + r.rest;
            assert!((r.start + r.period..end).all(|i| text[i] == text[i - r.period]));
        }
        assert!(end > 0);
    }
}

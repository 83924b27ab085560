//! Whether terms keep to their own inputs: one may not use a variable that another has left behind.
//!
//! In lanes of forward mode such a number would pass for the term's own, so some terms are looked at on a tape, once.

use std::ops::Range;

use super::reverse::{OnTape, Recorded};
use super::terms::Terms;

/// Terms of a piece that are looked at, after its first one.
const SOME: usize = 8;

/// Sweeps terms of a piece one by one.
///
/// # Panics
/// If a term depends on the inputs of another.
pub(super) fn demand_alone<F: Terms>(f: &F, p: &[f64], (group, terms): (usize, Range<usize>)) {
    if terms.len() < 2 {
        return;
    }
    let some = terms.start..terms.end.min(terms.start + 1 + SOME);
    OnTape::each(f, &|_, i| p[i], (group, some), SOME, |shared, terms| {
        let Some((_, ends, Recorded { tape, results, counts })) = terms else { return };
        let (first, mut start, mut results) = (shared.len(), 0, results);
        for (&end, &count) in ends.iter().zip(counts) {
            let (of_term, rest) = results.split_at(count);
            tape.pull(of_term.iter().map(|&r| (r, [1.0])), |cotangents| {
                let inputs = &cotangents[first..first + ends[ends.len() - 1]];
                let others = inputs[..start].iter().chain(&inputs[end..]);
                if others.flatten().any(|&c| c != 0.0) {
                    tape.refuse_variable();
                }
            });
            (start, results) = (end, rest);
        }
    });
}

//! Sums that are differentiated part by part: a few terms at a time are recorded on a tape of their own and swept, and
//! the sum becomes one value with an edge to each of its inputs.
//!
//! Variables of a part die with its tape, so a term that uses one of another part is refused.

use std::cell::Cell;

use super::fan;
use super::tape::Tape;
use super::var::Var;
use crate::number::{Addends, Real};
use crate::pool::Spare;

/// Nodes and edges of a part, at least: 16 to 64 KB. (Measured from 512 to 2048: the time of opening a tape shows below.)
const PART: usize = 2048;
/// A part has so many times the nodes of its inputs, whose cost is then a small share.
const OVER_INPUTS: usize = 4;

/// When a part is full: what is recorded is looked at after one term, then after as many as may be needed.
struct ChunkLimit {
    before: usize,
    limit: usize,
    terms: usize,
    next_look: usize,
}

impl ChunkLimit {
    /// Of a tape with so many nodes and edges, for so many more.
    fn new(before: usize, most: usize) -> Self {
        ChunkLimit { before, limit: before + most, terms: 0, next_look: 1 }
    }
    /// Whether the part is full after one more term.
    #[inline(always)]
    fn is_full<T: Real>(&mut self, tape: &Tape<T>) -> bool {
        self.terms += 1;
        if self.terms < self.next_look {
            return false;
        }
        let (size, terms) = (tape.size(), self.terms);
        let used = (size - self.before).max(1);
        self.next_look = terms + (terms * self.limit.saturating_sub(size) / used).clamp(1, terms);
        size >= self.limit
    }
}

thread_local! {
    /// Whether sums are recorded whole.
    static WHOLE: Cell<bool> = const { Cell::new(false) };
}

/// While this lives, sums are recorded whole: an edge from a sum to an input, whose slope may be zero by chance, would not
/// say what depends on what.
#[cfg(feature = "sparse")]
pub(super) struct UnchunkedScope(bool);

#[cfg(feature = "sparse")]
impl UnchunkedScope {
    pub(super) fn enter() -> Self {
        UnchunkedScope(WHOLE.replace(true))
    }
}

#[cfg(feature = "sparse")]
impl Drop for UnchunkedScope {
    fn drop(&mut self) {
        WHOLE.set(self.0);
    }
}

/// `Σ` of all terms.
#[track_caller]
pub(super) fn sum_of_terms<T: Real>(inputs: &[Var<T>], terms: &mut impl Addends<Var<T>>) -> Var<T> {
    if WHOLE.get() || inputs.iter().all(Var::is_passive) {
        return fan::sum(std::iter::from_fn(|| terms.next_term()));
    }
    let n = inputs.len();
    let (mut slopes, mut fresh, mut results) = (Spare::new(), Spare::new(), Spare::new());
    let slopes = slopes.clear(n);
    slopes.resize(n, T::lit(0.0));
    let (mut value, mut more) = (T::sum_of_nothing(), true);
    while more {
        let tape = Tape::with_inputs(n);
        let fresh = fresh.clear(n);
        // Constants stay constants: they cost nothing, and rules know them.
        let input = |(i, x): (usize, &Var<T>)| if x.is_passive() { *x } else { tape.input(x.value(), i) };
        fresh.extend(inputs.iter().enumerate().map(input));
        terms.move_to(fresh);
        let results = results.clear(1);
        let mut filling = ChunkLimit::new(n, PART.max(OVER_INPUTS * n));
        loop {
            let Some(y) = terms.next_term() else {
                more = false;
                break;
            };
            value += y.value();
            results.push(y);
            if filling.is_full(&tape) {
                break;
            }
        }
        tape.pull(results.iter().map(|&y| (y, [T::lit(1.0)])), |cotangents| {
            slopes.iter_mut().zip(cotangents).for_each(|(slope, &[c])| *slope += c);
        });
    }
    // What does not depend on an input has no edge to it: a partial of zero stops any cotangent.
    let edges = slopes.iter().zip(inputs).filter(|(slope, _)| T::TRACES || !slope.is_exactly_zero());
    fan::combination(value, edges.map(|(slope, x)| (slope.strong_both(x.slope()), *x)))
}

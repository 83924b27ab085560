//! Sums that are differentiated in chunks. A few terms at a time are recorded on a separate tape and swept, and the
//! sum becomes one value with an edge to each of its inputs.
//!
//! Variables of a chunk die with its tape, so a term that uses a variable of another chunk panics.

use std::cell::Cell;

use super::fan;
use super::tape::Tape;
use super::var::Var;
use crate::number::{Addends, Real};
use crate::pool::Spare;

/// The least number of nodes and edges of a chunk: 16 to 64 KB. Measured from 512 to 2048; with fewer, the time of
/// opening a tape shows.
const PART: usize = 2048;
/// A chunk has at least this many times the nodes of its inputs, so that the inputs cost a small share.
const OVER_INPUTS: usize = 4;

/// When a chunk is full. The size of the tape is read after one term, then after as many terms as may fit.
pub(crate) struct ChunkLimit {
    before: usize,
    limit: usize,
    terms: usize,
    next_look: usize,
}

impl ChunkLimit {
    /// For a tape of this many inputs.
    pub(crate) fn new(inputs: usize) -> Self {
        let limit = inputs + PART.max(OVER_INPUTS * inputs);
        ChunkLimit { before: inputs, limit, terms: 0, next_look: 1 }
    }
    /// Whether the part is full after one more term.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_full<T: Real>(&mut self, tape: &Tape<T>) -> bool {
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

/// Disables chunked sums while it is alive. Sparsity detection needs every edge, and a chunked sum drops an edge
/// whose derivative happens to be zero.
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
        // Constants stay constants: they cost nothing, and rules treat them as constants.
        let input = |(i, x): (usize, &Var<T>)| if x.is_passive() { *x } else { tape.input(x.value(), i) };
        fresh.extend(inputs.iter().enumerate().map(input));
        terms.move_to(fresh);
        let results = results.clear(1);
        let mut filling = ChunkLimit::new(n);
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
    // An input on which the sum does not depend has no edge: a partial of zero stops any cotangent.
    let edges = slopes.iter().zip(inputs).filter(|(slope, _)| T::TRACES || !slope.is_exactly_zero());
    fan::combination(value, edges.map(|(slope, x)| (slope.strong_both(x.slope), *x)))
}

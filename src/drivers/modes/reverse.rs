//! Reverse mode: one evaluation on a tape, cotangents pulled back in sweeps.

use std::ops::Range;

use crate::drivers::mode::{Changed, Directional, Mode, Pass, SeedVectors, Seeds, Sink};
use crate::error::AdError;
use crate::number::Real;
use crate::tapes::{Tape, TapeMemory, Var};

/// Reverse mode: one evaluation at [`Var<T>`], and a sweep for each eight cotangents.
/// ```
/// use wengert::{Reverse, prepare};
/// let mut g = [0.0; 2];
/// let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
/// assert_eq!(gradient.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &mut g)?, 6.0);
/// assert_eq!(g, [3.0, 2.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reverse;

impl Mode for Reverse {
    type Number<T: Real> = Var<T>;
    type Scratch<T: Real> = TapeMemory<T>;
    const SCRATCH_IS_POOLED: bool = true;
}

/// The inputs of a tape: direction `i` is node `i`.
struct TapeInputs<'a, T: Real>(&'a Tape<T>);

impl<T: Real> Seeds<T, Var<T>> for TapeInputs<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(&self, x: T) -> Var<T> {
        Var::constant(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn direction(&self, i: usize, x: T) -> Var<T> {
        self.0.input(x, i)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, y: Var<T>) -> T {
        y.value()
    }
}

impl Pass for Reverse {
    const PULLS: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pull<T, Y, F, S>(
        &self,
        memory: &mut TapeMemory<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Var<T>, Out = Y>,
        S: Sink<T, Var<T>, Y>,
    {
        let n = f.directions();
        let tape = Tape::within(memory, n);
        // The one result of a gradient: no other sweeps are compiled for it.
        let only = f.along(&TapeInputs(&tape), Changed::All, |y, row| {
            sink.start(y, row.len(), &Var::value)?;
            let lanes = along.lanes(row.len());
            if let ([y], 1) = (row, lanes.len()) {
                return Ok(Some(*y));
            }
            further::<T, Y, F, _, _>(&tape, n, row, along, lanes, sink);
            Ok(None)
        })?;
        match only {
            Some(y) => {
                let lanes = along.lanes(1);
                let seed = [along.component(lanes.start, 0)];
                tape.pull_last(memory, &y, seed, |cotangents| sink.take(lanes, 0..n, entries(cotangents)));
            }
            None => tape.leave(memory),
        }
        Ok(())
    }
}

/// The products of all lanes; nothing is compiled where a single result leaves none.
#[cfg_attr(not(debug_assertions), inline(always))]
fn further<
    T: Real,
    Y: ?Sized,
    F: Directional<T, Var<T>, Out = Y>,
    L: SeedVectors<T>,
    S: Sink<T, Var<T>, Y>,
>(
    tape: &Tape<T>,
    n: usize,
    y: &[Var<T>],
    along: &L,
    lanes: Range<usize>,
    sink: &mut S,
) {
    if F::SINGLE && L::UNITS {
        return;
    }
    sweeps(tape, n, y, along, lanes, sink);
}

/// The products of all lanes, eight at a time.
#[inline(never)]
pub(in crate::drivers) fn sweeps<T: Real, Y: ?Sized, L: SeedVectors<T>, S: Sink<T, Var<T>, Y>>(
    tape: &Tape<T>,
    n: usize,
    y: &[Var<T>],
    along: &L,
    lanes: Range<usize>,
    sink: &mut S,
) {
    for first in lanes.clone().step_by(8) {
        match lanes.end - first {
            1 => sweep::<T, Y, S, _, 1>(tape, n, y, along, first..lanes.end, sink),
            2 => sweep::<T, Y, S, _, 2>(tape, n, y, along, first..lanes.end, sink),
            3 | 4 => sweep::<T, Y, S, _, 4>(tape, n, y, along, first..lanes.end, sink),
            _ => sweep::<T, Y, S, _, 8>(tape, n, y, along, first..lanes.end.min(first + 8), sink),
        }
    }
}

/// The products of at most `K` lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn sweep<T: Real, Y: ?Sized, S: Sink<T, Var<T>, Y>, L: SeedVectors<T>, const K: usize>(
    tape: &Tape<T>,
    n: usize,
    y: &[Var<T>],
    along: &L,
    lanes: Range<usize>,
    sink: &mut S,
) {
    // A unit vector touches one result.
    let touched = if L::UNITS { lanes.clone() } else { 0..y.len() };
    let (first, end) = (lanes.start, lanes.end);
    let seeds = touched.map(|i| (y[i], along.seed::<K>(first, end, i)));
    tape.pull(seeds, |cotangents| sink.take(lanes, 0..n, entries(&cotangents[..n])));
}

/// The cotangent of input `i` in lane `k`: one closure type for all functions and sinks.
#[cfg_attr(not(debug_assertions), inline(always))]
fn entries<T: Real, const K: usize>(cotangents: &[[T; K]]) -> impl Fn(usize, usize) -> T {
    |i, k| cotangents[i][k]
}

//! How the terms of a piece are differentiated: by lanes of forward mode where inputs are few, else on short tapes.

use std::ops::Range;

use super::read::{Read, Rows};
use super::terms::Terms;
use super::wide::Single;
use crate::number::Real;

/// What is made of the results of a term.
pub(super) trait Objective: Sync {
    /// The value; its derivative by each result is appended to `weights`.
    fn of<U: Real<Base = f64>>(&self, results: &[U], weights: &mut Vec<U>) -> U;
}

/// Takes the value of each term and its derivatives by its inputs.
pub(super) trait Slopes<U> {
    fn begin(&mut self, shared: &[usize]);
    fn term(&mut self, value: U, own: &[usize], slopes: &[U]);
    /// Several terms of equally many inputs, with a slope for each term and input.
    fn terms(&mut self, values: &[U], own: &[usize], slope: impl Fn(usize, usize) -> U);
    /// The derivatives of all terms together by the shared inputs.
    fn end(&mut self, slopes: &[U]);
}

/// How a piece is differentiated. `x` gives the number of an input by its place among the inputs of the term and among
/// the parameters.
pub(super) trait Engine: Copy + Sync {
    fn slopes<U: Single, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective,
        x: &impl Fn(usize, usize) -> U,
        piece: (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    );
    fn rows<F: Terms>(self, f: &F, p: &[f64], piece: (usize, Range<usize>), take: &mut impl Rows);
    /// The rows of terms that are alike, a term in each lane, while these agree, without those of a whole piece at its begin
    /// and end: how many were taken, and whether the block after them is to be done one by one. `None` if they are not
    /// alike, or do not gain by it: a dual number of many tangents in eight lanes leaves the registers, and is twice as slow
    /// as eight without lanes.
    fn rows_in_lanes<F: Terms>(
        self,
        _f: &F,
        _p: &[f64],
        _piece: (usize, Range<usize>),
        _read: &mut Read,
        _take: &mut impl Rows,
    ) -> Option<(usize, bool)> {
        None
    }
}

/// Calls `$run` with the engine for terms of so many inputs: up to 16 lanes are faster than a tape.
macro_rules! with_engine {
    ($width:expr, $engine:ident => $run:expr) => {{
        use $crate::drivers::sums::{blocks::InBlocks, forward::Lanes, reverse::OnTape};
        match $width {
            0..=4 => {
                let $engine = InBlocks(Lanes::<4>);
                $run
            }
            5..=8 => {
                let $engine = InBlocks(Lanes::<8>);
                $run
            }
            9..=12 => {
                let $engine = InBlocks(Lanes::<12>);
                $run
            }
            13..=16 => {
                let $engine = InBlocks(Lanes::<16>);
                $run
            }
            _ => {
                let $engine = InBlocks(OnTape);
                $run
            }
        }
    }};
}
pub(super) use with_engine;

/// The buffer for results, with NaN, so that its content cannot matter.
#[inline(always)]
pub(super) fn blank<N: Real>(buffer: &mut Vec<N>, count: usize) {
    let nan = N::lit(f64::NAN).nan_like();
    if buffer.len() != count {
        buffer.resize(count, nan);
    }
    for result in buffer {
        *result = nan;
    }
}

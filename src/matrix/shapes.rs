//! Checks of shapes.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::number::Number;

/// Panics where two shapes that must agree do not, as nalgebra's operators do.
#[track_caller]
pub(crate) fn demand(op: &'static str, what: &'static str, expected: (usize, usize), got: (usize, usize)) {
    if expected != got {
        panic!("{}", AdError::Dimensions { op, what, expected, got });
    }
}

/// The error of an algorithm that has failed: `NotFinite` if an entry that it reads is infinite or NaN, else this one.
#[cold]
#[inline(never)]
pub(crate) fn failure<'a, S: Entry>(
    op: &'static str,
    read: impl IntoIterator<Item = &'a S>,
    otherwise: AdError,
) -> AdError {
    let is_finite = read.into_iter().all(|a| a.primal_value().all_finite());
    if is_finite { otherwise } else { AdError::NotFinite { op } }
}

/// The number of rows of a square matrix; panics if it is not one.
#[track_caller]
pub(crate) fn square<S, R: Dim, C: Dim>(op: &'static str, a: &OMatrix<S, R, C>) -> usize
where
    S: Entry,
    DefaultAllocator: Allocator<R, C>,
{
    demand(op, "matrix", (a.nrows(), a.nrows()), a.shape());
    a.nrows()
}

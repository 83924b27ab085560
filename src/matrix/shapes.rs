//! Checks of shapes.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;

/// Panics where two shapes that must agree do not, as nalgebra's operators do.
#[track_caller]
pub(crate) fn demand(op: &'static str, what: &'static str, expected: (usize, usize), got: (usize, usize)) {
    if expected != got {
        panic!("{}", AdError::Dimensions { op, what, expected, got });
    }
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

//! Transposes and triangles of the operands of products and systems.

use nalgebra::{DMatrix, DMatrixView, DefaultAllocator, Dim, Dyn, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::number::Number;

/// An operation on a matrix: none, transpose, conjugate, or both. A real matrix is its own conjugate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `A`
    Plain,
    /// `Aᵀ`
    Transpose,
    /// `Aᴴ`, the conjugate transpose
    Adjoint,
    /// `conj A`
    Conjugate,
}

impl Op {
    /// The operation on `A` that gives `op(A)ᴴ`.
    pub fn adjoint(self) -> Op {
        Op::Adjoint.after(self)
    }
    /// The operation on `A` that gives `self(op(A))`.
    pub fn after(self, op: Op) -> Op {
        match (self.transposes() != op.transposes(), self.conjugates() != op.conjugates()) {
            (false, false) => Op::Plain,
            (true, false) => Op::Transpose,
            (true, true) => Op::Adjoint,
            (false, true) => Op::Conjugate,
        }
    }
    /// Whether rows become columns.
    pub fn transposes(self) -> bool {
        matches!(self, Op::Transpose | Op::Adjoint)
    }
    /// Whether entries are conjugated.
    pub fn conjugates(self) -> bool {
        matches!(self, Op::Adjoint | Op::Conjugate)
    }
    /// The shape of `op(A)`.
    pub(super) fn shape(self, (rows, columns): (usize, usize)) -> (usize, usize) {
        if self.transposes() { (columns, rows) } else { (rows, columns) }
    }
    /// The entry `(i, j)` of `op(A)`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn entry<S: Entry, R: Dim, C: Dim>(self, a: &OMatrix<S, R, C>, i: usize, j: usize) -> S
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let x = if self.transposes() { a[(j, i)] } else { a[(i, j)] };
        if self.conjugates() { x.conjugated() } else { x }
    }
    /// `op(A)`, formed.
    pub(super) fn of<T: Number>(self, a: DMatrix<T>) -> DMatrix<T> {
        let a = if self.transposes() { a.transpose() } else { a };
        if self.conjugates() && !T::REAL { a.map(T::conj) } else { a }
    }
    /// `op(A)` up to conjugation as a view of the entries of a block of that shape, whose columns are `lead` apart.
    pub(super) fn view<T: Number>(
        self,
        a: &[T],
        shape: (usize, usize),
        lead: usize,
    ) -> DMatrixView<'_, T, Dyn, Dyn> {
        let (rows, columns) = self.shape(shape);
        let (down, across) = match (rows, columns) {
            (0, _) => (1, 0), // nalgebra measures the slice of an empty view by its strides
            (_, 0) => (0, 1),
            _ if self.transposes() => (lead, 1),
            _ => (1, lead),
        };
        DMatrixView::from_slice_with_strides(a, rows, columns, down, across)
    }
}

/// The triangle of a matrix that a solve reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and below.
    Lower,
    /// The diagonal and above.
    Upper,
    /// Below the diagonal, with ones on it.
    UnitLower,
    /// Above the diagonal, with ones on it.
    UnitUpper,
}

impl Triangle {
    /// Whether it is below the diagonal.
    pub(super) fn is_lower(self) -> bool {
        matches!(self, Triangle::Lower | Triangle::UnitLower)
    }
    /// Whether the diagonal is not read, but ones.
    pub(super) fn has_ones(self) -> bool {
        matches!(self, Triangle::UnitLower | Triangle::UnitUpper)
    }
}

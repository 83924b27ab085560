//! Transposes: how an operand enters a product or a system.

use nalgebra::{
    DMatrix, DMatrixView, DefaultAllocator, Dim, Dyn, Matrix, OMatrix, Storage, StorageMut,
    allocator::Allocator,
};

use super::Entry;
use crate::number::Number;

/// How a matrix is meant: as it stands, transposed, conjugated or both. Real matrices are their own conjugates.
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
    /// The operation that `op(A)ᴴ` is on `A`.
    pub fn adjoint(self) -> Op {
        Op::Adjoint.after(self)
    }
    /// The operation that `self(op(A))` is on `A`.
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
    #[inline(always)]
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

/// `C = α·AB + β·C`.
///
/// A left factor whose rows are not next to each other is copied first: nalgebra 0.35 takes the extent of a strided
/// column for its length and writes beyond the end of `C` (its issue 1616), but for sizes that another kernel takes, of
/// which nothing is promised.
pub(super) fn gemm<T: Number>(
    alpha: T,
    a: &DMatrixView<T, Dyn, Dyn>,
    b: &Matrix<T, Dyn, Dyn, impl Storage<T, Dyn, Dyn>>,
    beta: T,
    c: &mut Matrix<T, Dyn, Dyn, impl StorageMut<T, Dyn, Dyn>>,
) {
    if a.strides().0 == 1 {
        c.gemm(alpha, a, b, beta);
    } else {
        c.gemm(alpha, &side_by_side(a), b, beta);
    }
}

/// A copy whose rows are next to each other, a few columns at a time: each line of the cache is then read once.
fn side_by_side<T: Number>(a: &DMatrixView<T, Dyn, Dyn>) -> DMatrix<T> {
    const AT_ONCE: usize = 8;
    let (rows, columns) = a.shape();
    let mut copy = DMatrix::from_element(rows, columns, T::lit(0.0));
    for (c, columns) in copy.as_mut_slice().chunks_mut((AT_ONCE * rows).max(1)).enumerate() {
        for i in 0..rows {
            for (j, column) in columns.chunks_exact_mut(rows).enumerate() {
                column[i] = a[(i, c * AT_ONCE + j)];
            }
        }
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn check<T: Number<Base = f64>>(n: usize, unit: T) {
        let entry = |i: usize, j: usize| unit * T::lit((i + 2 * j) as f64) + T::lit((i * j) as f64 - 3.0);
        let (a, b) = (DMatrix::from_fn(n, n, entry), DMatrix::from_fn(n, 4, |i, j| entry(j, i)));
        for op in [Op::Plain, Op::Transpose] {
            let mut c = DMatrix::from_element(n, 4, unit);
            gemm(unit, &op.view(a.as_slice(), (n, n), n), &b, T::lit(2.0), &mut c);
            for (i, j) in (0..n).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let sum = (0..n).fold(T::lit(0.0), |s, k| s + op.entry(&a, i, k) * b[(k, j)]);
                assert_eq!(c[(i, j)], unit * sum + unit * T::lit(2.0));
            }
        }
    }

    #[test]
    fn products_of_strided_views_stay_in_their_place() {
        for n in [1, 2, 3, 7, 8] {
            check(n, 1.0);
            check(n, Complex64::i());
        }
    }
}

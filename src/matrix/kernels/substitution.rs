//! Triangular systems of primal numbers by substitution: for one right-hand side column by column of the matrix, for
//! many recursively by halves, so that most of the work is products.
//!
//! nalgebra 0.35 is not used because it substitutes one right-hand side at a time: with 8 right-hand sides it takes
//! 2.0 to 2.7 times as long (8 to 256 rows), with as many as rows 2.5 to 4.4 times, transposed 2.2 to 4.9 times. With
//! one right-hand side nalgebra is faster, 0.4 to 0.9 of the time; with four the times are similar. This can be
//! removed when nalgebra's substitution has blocks.

use crate::number::array::from_fn;

use nalgebra::{DMatrix, DMatrixViewMut, DVectorView};

use crate::matrix::kernels::gemm::gemm;
use crate::matrix::kernels::quotient::quotient;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::sizes::{MANY_SIDES, MOST_UNKNOWNS, SIDES_AT_ONCE, SUBSTITUTION_BLOCK};
use crate::number::Number;

impl Triangle {
    /// Overwrites `B` by the solution `X` of `op(T)·X = B`; the columns of `T` are `lead` numbers from each other.
    pub(crate) fn solve<T: Number>(self, op: Op, t: &[T], lead: usize, x: &mut DMatrix<T>) {
        if op.conjugates() && !T::REAL {
            x.apply(|x| *x = Number::conj(*x));
        }
        self.by_halves(op, t, lead, x.as_view_mut());
        if op.conjugates() && !T::REAL {
            x.apply(|x| *x = Number::conj(*x));
        }
    }
    fn by_halves<T: Number>(self, op: Op, t: &[T], lead: usize, mut x: DMatrixViewMut<T>) {
        let n = x.nrows();
        if n <= SUBSTITUTION_BLOCK || x.ncols() < MANY_SIDES {
            let mut first = 0;
            while n <= SUBSTITUTION_BLOCK && first + SIDES_AT_ONCE <= x.ncols() {
                self.in_lanes(op, t, lead, x.columns_mut(first, SIDES_AT_ONCE));
                first += SIDES_AT_ONCE;
            }
            for mut column in x.columns_range_mut(first..).column_iter_mut() {
                self.by_columns(op, t, lead, column.as_mut_slice());
            }
            return;
        }
        let half = n / 2;
        let (corner, shape) =
            if self.is_lower() { (half, (n - half, half)) } else { (half * lead, (half, n - half)) };
        let across = op.view(&t[corner..], shape, lead);
        let (mut first, mut last) = x.rows_range_pair_mut(..half, half..);
        let minus = T::lit(-1.0);
        if self.forward(op) {
            self.by_halves(op, t, lead, first.as_view_mut());
            gemm(minus, &across, &first, T::lit(1.0), &mut last);
            self.by_halves(op, &t[half * (lead + 1)..], lead, last);
        } else {
            self.by_halves(op, &t[half * (lead + 1)..], lead, last.as_view_mut());
            gemm(minus, &across, &last, T::lit(1.0), &mut first);
            self.by_halves(op, t, lead, first);
        }
    }
    /// `L⁻¹` in place of the identity.
    pub(crate) fn invert<T: Number>(self, t: &[T], lead: usize, mut x: DMatrixViewMut<T>) {
        let n = x.nrows();
        if n <= SUBSTITUTION_BLOCK {
            return self.by_halves(Op::Plain, t, lead, x);
        }
        let half = n / 2;
        let across = Op::Plain.view(&t[half..], (n - half, half), lead);
        let last = &t[half * (lead + 1)..];
        let (mut left, mut right) = x.columns_range_pair_mut(..half, half..);
        let (mut corner, mut below) = left.rows_range_pair_mut(..half, half..);
        self.invert(t, lead, corner.as_view_mut());
        gemm(T::lit(-1.0), &across, &corner, T::lit(0.0), &mut below);
        self.by_halves(Op::Plain, last, lead, below);
        self.invert(last, lead, right.rows_range_mut(half..));
    }
    /// `L⁻ᵀ·X` on and below the diagonal, from `X` there.
    pub(crate) fn transposed_below<T: Number>(self, t: &[T], lead: usize, mut x: DMatrixViewMut<T>) {
        let n = x.nrows();
        if n <= SUBSTITUTION_BLOCK {
            return self.by_halves(Op::Transpose, t, lead, x);
        }
        let half = n / 2;
        let across = Op::Transpose.view(&t[half..], (n - half, half), lead);
        let last = &t[half * (lead + 1)..];
        let (mut left, mut right) = x.columns_range_pair_mut(..half, half..);
        let (mut corner, mut below) = left.rows_range_pair_mut(..half, half..);
        self.by_halves(Op::Transpose, last, lead, below.as_view_mut());
        gemm(T::lit(-1.0), &across, &below, T::lit(1.0), &mut corner);
        self.transposed_below(t, lead, corner);
        self.transposed_below(last, lead, right.rows_range_mut(half..));
    }
    /// Solves for a few right-hand sides at a time, so that each entry of the matrix is read once for them.
    fn in_lanes<T: Number>(self, op: Op, t: &[T], lead: usize, mut x: DMatrixViewMut<T>) {
        let n = x.nrows();
        let mut rows = [[T::lit(0.0); SIDES_AT_ONCE]; SUBSTITUTION_BLOCK];
        let rows = &mut rows[..n];
        for lane in 0..SIDES_AT_ONCE {
            rows.iter_mut().zip(x.column(lane).as_slice()).for_each(|(row, &x)| row[lane] = x);
        }
        for step in 0..n {
            let k = if self.forward(op) { step } else { n - 1 - step };
            let column = &t[k * lead..k * lead + n];
            let off_diagonal = if self.is_lower() { k + 1..n } else { 0..k };
            let entries = &column[off_diagonal.clone()];
            let mut own = rows[k];
            if op.transposes() {
                for (&t, row) in entries.iter().zip(&rows[off_diagonal.clone()]) {
                    own = from_fn(|l| own[l] - t * row[l]);
                }
            }
            if !self.has_ones() {
                own = own.map(|x| quotient(x, column[k]));
            }
            rows[k] = own;
            if !op.transposes() {
                for (&t, row) in entries.iter().zip(&mut rows[off_diagonal]) {
                    *row = from_fn(|l| row[l] - t * own[l]);
                }
            }
        }
        for lane in 0..SIDES_AT_ONCE {
            x.column_mut(lane).as_mut_slice().iter_mut().zip(&*rows).for_each(|(x, row)| *x = row[lane]);
        }
    }
    /// Whether the first unknown comes first.
    fn forward(self, op: Op) -> bool {
        self.is_lower() != op.transposes()
    }
    fn by_columns<T: Number>(self, op: Op, t: &[T], lead: usize, x: &mut [T]) {
        let n = x.len();
        for step in 0..n {
            let k = if self.forward(op) { step } else { n - 1 - step };
            let column = &t[k * lead..k * lead + n];
            let off_diagonal = if self.is_lower() { k + 1..n } else { 0..k };
            let entries = &column[off_diagonal.clone()];
            if op.transposes() {
                let known = &x[off_diagonal.clone()];
                x[k] = if n <= MOST_UNKNOWNS {
                    entries.iter().zip(known).fold(x[k], |x, (&t, &known)| x - t * known)
                } else {
                    let [entries, known] = [entries, known].map(|x| DVectorView::from_slice(x, x.len()));
                    x[k] - entries.dot(&known)
                };
            }
            if !self.has_ones() {
                x[k] = quotient(x[k], column[k]);
            }
            if !op.transposes() {
                let value = x[k];
                for (x, &t) in x[off_diagonal].iter_mut().zip(entries) {
                    *x -= t * value;
                }
            }
        }
    }
}

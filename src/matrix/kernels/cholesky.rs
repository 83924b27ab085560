//! The factor of `A = LLᴴ`: column by column in small blocks, recursively by halves for larger ones, so that most of
//! the work is products.
//!
//! nalgebra 0.35 is not used because it works column by column at every size (1.3 to 1.6 times the time from 32 rows
//! on), and does not report which pivot is not positive. `factor` can be removed when nalgebra has blocks and reports
//! the pivot; the tangents and cotangents of [the rule](crate::matrix::rules::cholesky) use the same blocks.

use crate::number::array::from_fn;

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Dyn};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::gemm::gemm;
use crate::matrix::kernels::pivots::demand_definite;
use crate::matrix::kernels::quotient::over_real;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::shapes::failure;
use crate::matrix::sizes::{CHOLESKY_BLOCK, COLUMNS_AT_ONCE};
use crate::number::{BaseFloat, Number, PrimalNumber, Real};

/// The factor of the values of a matrix, zero above the diagonal.
pub(crate) fn factor<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<DMatrix<S::Primal>, AdError> {
    let mut l = DMatrix::from_iterator(n, n, a.iter().map(|a| a.primal_value()));
    factor_by_halves(l.as_mut_slice(), n, n).map_err(|pivot| not_definite(op, pivot, n, a))?;
    l.fill_upper_triangle(S::Primal::lit(0.0), 1);
    demand_definite(op, a, l.as_slice(), n)?;
    Ok(l)
}

/// Whether the pivot is positive and finite.
pub(crate) fn is_positive<T: Real>(pivot: T) -> bool {
    pivot.primal() > T::Base::from_double(0.0) && Float::is_finite(pivot.primal())
}

/// The error if a pivot of a matrix is not positive; only the lower triangle is read.
#[cold]
pub(crate) fn not_definite<S: Entry>(op: &'static str, pivot: usize, n: usize, a: &[S]) -> AdError {
    let read = (0..n).flat_map(|j| &a[j * n + j..(j + 1) * n]);
    failure(op, read, AdError::NotPositiveDefinite { op, pivot })
}

/// Overwrites the lower triangle of an n × n block by `L`; the columns are `lead` numbers from each other. An error
/// is the row of the first pivot that is not positive.
///
/// `L₂₁ = A₂₁L₁₁⁻ᴴ`, then `L₂₂` is the factor of `A₂₂ − L₂₁L₂₁ᴴ`.
fn factor_by_halves<P: PrimalNumber>(a: &mut [P], lead: usize, n: usize) -> Result<(), usize> {
    if n <= CHOLESKY_BLOCK {
        return factor_by_columns(a, lead, n);
    }
    let (h, rest) = (n / 2, n - n / 2);
    let (left, right) = a.split_at_mut(h * lead);
    factor_by_halves(left, lead, h)?;
    let w = divided(Op::Plain, left, &left[h..], (rest, h), lead);
    put_adjoint(&w, &mut left[h..], lead);
    subtract(block(&left[h..], (rest, h), lead), &w, &mut right[h..], lead);
    factor_by_halves(&mut right[h..], lead, rest).map_err(|row| h + row)
}

/// `v −= Σ wₖ·lₖ` over several terms.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn subtract_all<'a, S: Entry>(v: &mut [S], count: usize, term: impl Fn(usize) -> (&'a [S], S)) {
    let together = count - count % COLUMNS_AT_ONCE;
    for first in (0..together).step_by(COLUMNS_AT_ONCE) {
        let terms: [_; COLUMNS_AT_ONCE] = from_fn(|i| term(first + i));
        let [(a, p), (b, q), (c, r), (d, s)] = terms.map(|(l, w)| (&l[..v.len()], w));
        for (i, v) in v.iter_mut().enumerate() {
            *v -= (a[i] * p + b[i] * q) + (c[i] * r + d[i] * s);
        }
    }
    for (l, w) in (together..count).map(term) {
        v.iter_mut().zip(l).for_each(|(v, &l)| *v -= l * w);
    }
}

/// The factor in the arithmetic of the numbers, with their tangents.
pub(crate) fn factor_by_columns<S: Entry>(a: &mut [S], lead: usize, n: usize) -> Result<(), usize> {
    for j in 0..n {
        let (left, own) = a.split_at_mut(j * lead);
        let own = &mut own[j..n];
        own[0] = S::of_real(own[0].real_part());
        subtract_all(own, j, |k| {
            let l = &left[k * lead + j..k * lead + n];
            (l, l[0].conjugated())
        });
        let pivot = own[0].real_part();
        if !is_positive(pivot) {
            return Err(j);
        }
        let root = Number::sqrt(pivot);
        own[0] = S::of_real(root);
        own[1..].iter_mut().for_each(|v| *v = over_real(*v, root));
    }
    Ok(())
}

/// A block of the matrix that begins with `a`.
pub(crate) fn block<T: Number>(
    a: &[T],
    (rows, columns): (usize, usize),
    lead: usize,
) -> DMatrixView<'_, T, Dyn, Dyn> {
    DMatrixView::from_slice_with_strides(a, rows, columns, 1, lead)
}

/// `C −= A·B`, where C begins with `c`.
pub(crate) fn subtract<T: Number>(a: DMatrixView<T, Dyn, Dyn>, b: &DMatrix<T>, c: &mut [T], lead: usize) {
    let mut c = DMatrixViewMut::from_slice_with_strides_mut(c, a.nrows(), b.ncols(), 1, lead);
    gemm(T::lit(-1.0), &a, b, T::lit(1.0), &mut c);
}

/// `W` of `op(L)·W = Xᴴ`: `Wᴴ = X·op(L)⁻ᴴ`.
pub(crate) fn divided<T: Number>(op: Op, l: &[T], x: &[T], shape: (usize, usize), lead: usize) -> DMatrix<T> {
    let mut w = adjoint(&block(x, shape, lead));
    Triangle::Lower.solve(op, l, lead, &mut w);
    w
}

pub(crate) fn adjoint<T: Number>(x: &DMatrixView<T, Dyn, Dyn>) -> DMatrix<T> {
    let w = x.transpose();
    if T::REAL { w } else { w.map(T::conj) }
}

/// `Wᴴ`, to where a block begins with `x`.
pub(crate) fn put_adjoint<T: Number>(w: &DMatrix<T>, x: &mut [T], lead: usize) {
    for (i, column) in w.as_slice().chunks_exact(w.nrows()).enumerate() {
        column.iter().enumerate().for_each(|(j, w)| x[j * lead + i] = w.conj());
    }
}

//! Cholesky factors of small matrices in the arithmetic of the numbers.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::cholesky::{is_positive, not_definite};
use crate::matrix::kernels::pivots::{demand_definite, is_safe_beside};
use crate::matrix::kernels::quotient::over_real;
use crate::number::Number;

/// The factor in the arithmetic of the numbers, entry by entry: for small matrices this takes a half to a fifth of
/// the time of an algorithm by columns.
pub(crate) fn small_factor<S: Entry, D: Dim>(
    op: &'static str,
    given: &OMatrix<S, D, D>,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (mut a, n) = (given.clone(), given.nrows());
    let mut in_doubt = false;
    for j in 0..n {
        for i in j..n {
            let mut v = if i == j { S::of_real(a[(j, j)].real_part()) } else { a[(i, j)] };
            for k in 0..j {
                v -= a[(i, k)] * a[(j, k)].conjugated();
            }
            a[(i, j)] = v;
        }
        let pivot = a[(j, j)].real_part();
        if !is_positive(pivot) {
            return Err(not_definite(op, j, n, given.as_slice()));
        }
        in_doubt |= !is_safe_beside(pivot.magnitude(), given[(j, j)].size());
        let root = Number::sqrt(pivot);
        a[(j, j)] = S::of_real(root);
        for i in j + 1..n {
            a[(i, j)] = over_real(a[(i, j)], root);
            a[(j, i)] = S::constant(0.0);
        }
    }
    if in_doubt {
        demand_definite(op, given.as_slice(), a.as_slice(), n)?;
    }
    Ok(a)
}

/// `LLᴴX = B` by substitution.
pub(crate) fn small_solve<S: Entry, D: Dim, C: Dim>(
    l: &OMatrix<S, D, D>,
    mut x: OMatrix<S, D, C>,
) -> OMatrix<S, D, C>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let n = l.nrows();
    for c in 0..x.ncols() {
        for i in 0..n {
            let v = (0..i).fold(x[(i, c)], |v, k| v - l[(i, k)] * x[(k, c)]);
            x[(i, c)] = over_real(v, l[(i, i)].real_part());
        }
        for i in (0..n).rev() {
            let v = (i + 1..n).fold(x[(i, c)], |v, k| v - l[(k, i)].conjugated() * x[(k, c)]);
            x[(i, c)] = over_real(v, l[(i, i)].real_part());
        }
    }
    x
}

//! Inverses by cofactors.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::largest_size;
use crate::matrix::kernels::small::det::divisionless_det;
use crate::matrix::kernels::small::is_moderate;
use crate::number::BaseFloat;

/// The inverse of up to three rows by cofactors, if no product in the determinant is much larger than the
/// determinant, and the determinant is not much smaller than its entries allow; otherwise elimination is more
/// accurate.
#[inline]
pub(crate) fn inverse_by_cofactors<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Option<OMatrix<S, D, D>>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    if n != 2 && n != 3 {
        return None;
    }
    let size = |i: usize, j: usize| a[(i, j)].size();
    let most = match n {
        2 => size(0, 0) * size(1, 1) + size(0, 1) * size(1, 0),
        _ => {
            let minor = |i: usize, j: usize| size(1, i) * size(2, j) + size(1, j) * size(2, i);
            size(0, 0) * minor(1, 2) + size(0, 1) * minor(0, 2) + size(0, 2) * minor(0, 1)
        }
    };
    let det = divisionless_det(n, |i, j| a[(i, j)]);
    let largest = largest_size(a);
    let usual = Float::powi(largest, n as i32) * S::Base::from_double(1e-4);
    let regular = most <= det.size() * S::Base::from_double(8.0) && det.size() > usual;
    if !(is_moderate(largest) && regular) {
        return None;
    }
    let reciprocal = S::constant(1.0) / det;
    let (rows, columns) = a.shape_generic();
    if n == 2 {
        let (minus, [p, q, r, s]) = (-reciprocal, [a[(0, 0)], a[(1, 0)], a[(0, 1)], a[(1, 1)]]);
        let entries = [s * reciprocal, q * minus, r * minus, p * reciprocal];
        return Some(OMatrix::from_iterator_generic(rows, columns, entries));
    }
    Some(OMatrix::from_fn_generic(rows, columns, |j, i| {
        let ((p, q), (r, s)) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3));
        (a[(p, r)] * a[(q, s)] - a[(p, s)] * a[(q, r)]) * reciprocal
    }))
}

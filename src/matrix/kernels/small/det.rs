//! Determinants in the arithmetic of the numbers.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::matrix::entry::Entry;
use crate::matrix::kernels::pivots::{SAFE, eliminate, is_safe};
use crate::matrix::kernels::quotient::quotient;
use crate::matrix::sizes::MOST_DET_ROWS;
use crate::number::BaseFloat;

/// The determinant as the product of the pivots of elimination with partial pivoting, with its tangents; `None` for a
/// large matrix, or if a pivot may be rounding.
pub(crate) fn det_by_pivots<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Option<S>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    if n > MOST_DET_ROWS {
        return None;
    }
    let mut a = a.clone();
    let a = a.as_mut_slice();
    let (mut det, mut odd) = (S::constant(1.0), false);
    let (mut least, mut largest) = (S::Base::infinity(), S::Base::from_double(0.0));
    let each = |pivot: S| {
        det *= pivot;
        (least, largest) = (Float::min(least, pivot.size()), Float::max(largest, pivot.size()));
    };
    if !eliminate(a, n, each, |_, _| odd = !odd) {
        return None;
    }
    // Rows and columns are balanced: pivots of one size are not rounding errors relative to their columns either.
    let of_one_size = least * S::Base::from_double(SAFE) > largest;
    // The sign comes last, as with factors: −z has an imaginary part of another zero.
    (of_one_size || (1..n).all(|k| is_safe(a, n, k))).then_some(if odd { -det } else { det })
}

/// The determinant by elimination with complete pivoting, while pivots exceed rounding. The remaining block is zero
/// or nearly zero, and its determinant is computed without division. So derivatives of any order are right for
/// singular matrices of any rank.
pub(crate) fn det_by_complete_pivoting<S: Entry, D: Dim>(mut a: OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    let mut det = S::constant(1.0);
    let mut largest = S::Base::from_double(0.0);
    for k in 0..n {
        let places = (k..n).flat_map(|j| (k..n).map(move |i| (i, j)));
        let size = |&(i, j): &(usize, usize)| a[(i, j)].size();
        let better = |best, place| if size(&place) > size(&best) { place } else { best };
        let (i, j) = places.fold((k, k), better);
        let pivot = a[(i, j)].size();
        if Float::is_finite(pivot) {
            largest = Float::max(largest, pivot);
        }
        let noise = <S::Base as Float>::epsilon() * S::Base::from_double((4 * n) as f64) * largest;
        if n - k <= 3 || pivot <= noise {
            return det * divisionless_det(n - k, |i, j| a[(k + i, k + j)]);
        }
        for (moved, of) in [(i, k), (j, k)] {
            if moved != of {
                det = -det;
            }
        }
        a.swap_rows(i, k);
        a.swap_columns(j, k);
        det *= a[(k, k)];
        let reciprocal = quotient(S::constant(1.0), a[(k, k)]);
        for i in k + 1..n {
            let l = a[(i, k)] * reciprocal;
            for j in k + 1..n {
                let u = a[(k, j)];
                a[(i, j)] -= l * u;
            }
        }
    }
    det
}

/// The determinant by products and sums only: by cofactors up to three rows, above in `O(n⁴)` operations by R. S.
/// Bird, A simple division-free algorithm for computing determinants, Inf. Process. Lett. 111 (2011).
pub(crate) fn divisionless_det<S: Entry>(n: usize, a: impl Fn(usize, usize) -> S) -> S {
    let minor = |i: usize, j: usize| a(1, i) * a(2, j) - a(1, j) * a(2, i);
    match n {
        0 => return S::constant(1.0),
        1 => return a(0, 0),
        2 => return a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0),
        3 => return a(0, 0) * minor(1, 2) - a(0, 1) * minor(0, 2) + a(0, 2) * minor(0, 1),
        _ => {}
    }
    let a = DMatrix::from_fn(n, n, a);
    let mut f = a.clone();
    for _ in 1..n {
        // μ(F): the part above the diagonal, and on it the negated sums of the following entries.
        let mut below = S::constant(0.0);
        let mut mu = f.clone();
        for i in (0..n).rev() {
            mu[(i, i)] = -below;
            below += f[(i, i)];
            (0..i).for_each(|j| mu[(i, j)] = S::constant(0.0));
        }
        let entry = |i, j| S::sum_of_products((i..n).map(|k| (mu[(i, k)], a[(k, j)])));
        f = DMatrix::from_fn(n, n, entry);
    }
    if n.is_multiple_of(2) { -f[(0, 0)] } else { f[(0, 0)] }
}

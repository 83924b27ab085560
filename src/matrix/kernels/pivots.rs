//! The test for singular matrices, by the pivots of elimination with partial pivoting. nalgebra tests whether a pivot
//! is exactly zero.

use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::quotient::quotient;
use crate::number::{BaseFloat, Number, PrimalNumber};

/// A pivot is not tested unless an entry above it is this many times as large.
pub(crate) const SAFE: f64 = 256.0;

/// Whether a number of this size is a divisor: not zero, not NaN, and its reciprocal does not overflow.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_pivot<F: BaseFloat + Float>(size: F) -> bool {
    // The reciprocal of a quarter of the least normal number is the first power of two beyond the range.
    size > F::min_positive_value() * F::from_double(0.25) && size <= F::max_value()
}

/// Elimination with partial pivoting in place, for a matrix with columns of length n: U, and L below the diagonal.
/// Reports each pivot and each exchange of two rows. Stops and returns false if there is no pivot to divide by.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn eliminate<S: Entry>(
    a: &mut [S],
    n: usize,
    mut pivots: impl FnMut(S),
    mut exchanged: impl FnMut(usize, usize),
) -> bool {
    for k in 0..n {
        let mut pivot = (k, a[k * n + k].size());
        for (i, x) in a[k * n..][..n].iter().enumerate().skip(k + 1) {
            if x.size() > pivot.1 {
                pivot = (i, x.size());
            }
        }
        if !is_pivot(pivot.1) {
            return false;
        }
        if pivot.0 != k {
            a.chunks_exact_mut(n).for_each(|column| column.swap(k, pivot.0));
            exchanged(k, pivot.0);
        }
        let (left, right) = a.split_at_mut((k + 1) * n);
        let (own, l) = left[k * n + k..].split_first_mut().expect("a row");
        pivots(*own);
        let reciprocal = quotient(S::constant(1.0), *own);
        l.iter_mut().for_each(|l| *l *= reciprocal);
        for column in right.chunks_exact_mut(n) {
            let (&mut u, below) = column[k..].split_first_mut().expect("a row");
            below.iter_mut().zip(&*l).for_each(|(x, &l)| *x -= l * u);
        }
    }
    true
}

/// Whether all pivots on the diagonal of `U` exceed rounding, for factors packed column by column: U, and L below the
/// diagonal. All pivots must be divisors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn are_significant<S: Entry>(packed: &[S], n: usize) -> bool {
    let entry = |i: usize, j: usize| packed[i + j * n].primal_value();
    (1..n).all(|k| is_safe(packed, n, k) || !is_rounding(k, false, &entry))
}

/// Whether the pivot in row k of such factors is too large to be rounding. L is not read.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_safe<S: Entry>(packed: &[S], n: usize, k: usize) -> bool {
    let limit = packed[k * n + k].size() * S::Base::from_double(SAFE);
    // Without a branch for each, because they are few and almost all are safe.
    packed[k * n..k * n + k].iter().fold(true, |all, u| all & (u.size() <= limit))
}

/// Whether a pivot is at most the bound on the rounding errors of the previous steps.
///
/// Elimination gives the factors of `A + E` with `|E| ≤ ε·|L − I||U|`, entry by entry, to first order. That changes
/// the pivot in row k by `ℓᵀEw`, where `ℓᵀ` is row k of `L⁻¹` and `w` is column k of `U⁻¹`, scaled to a last entry of
/// 1: by at most `ε·|ℓ|ᵀ|L − I||U||w|` (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 9.3 and 10.1).
/// If rows of U come from `roots` they are rounded too: `|L|` in place of `|L − I|`. A bound that overflows is
/// ignored.
#[cold]
#[inline(never)]
fn is_rounding<P: PrimalNumber>(k: usize, roots: bool, entry: &dyn Fn(usize, usize) -> P) -> bool {
    let size = |x: P| x.magnitude().to_double();
    let (mut l, mut w) = (vec![P::lit(1.0); k + 1], vec![P::lit(1.0); k + 1]);
    for i in (0..k).rev() {
        l[i] = -(i + 1..=k).fold(P::lit(0.0), |sum, j| sum + l[j] * entry(j, i));
        let sum = (i + 1..=k).fold(P::lit(0.0), |sum, j| sum + entry(i, j) * w[j]);
        w[i] = quotient(-sum, entry(i, i));
    }
    let moved = (0..k).fold(0.0, |sum, q| {
        let own = if roots { size(l[q]) } else { 0.0 };
        let left = (q + 1..=k).fold(own, |sum, i| sum + size(l[i] * entry(i, q)));
        sum + left * (q..=k).fold(0.0, |sum, j| sum + size(entry(q, j) * w[j]))
    });
    let moved = moved * <P::Base as Float>::epsilon().to_double();
    moved.is_finite() && size(entry(k, k)) <= moved
}

/// Whether the pivot of a definite matrix is too large to be rounding, relative to its diagonal entry.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_safe_beside<F: BaseFloat + Float>(pivot: F, diagonal: F) -> bool {
    pivot * F::from_double(SAFE) >= diagonal
}

/// This test for the factor `L` of `A = LLᴴ`, whose pivots are the squares of its diagonal: an error with the row of
/// the first pivot that may be rounding. Pivots above a small fraction of the diagonal entry are not tested.
pub(crate) fn demand_definite<S, L>(op: &'static str, a: &[S], l: &[L], n: usize) -> Result<(), AdError>
where
    S: Entry,
    L: Entry<Primal = S::Primal, Base = S::Base>,
{
    let entry = |i: usize, j: usize| {
        let at = |i: usize, j: usize| l[i + j * n].primal_value();
        if i > j { at(i, j) / at(j, j) } else { at(i, i) * Number::conj(at(j, i)) }
    };
    let vanishes = |&k: &usize| {
        let root = l[k + k * n].size();
        !is_safe_beside(root * root, a[k + k * n].size()) && is_rounding(k, true, &entry)
    };
    (1..n).find(vanishes).map_or(Ok(()), |pivot| Err(AdError::NotPositiveDefinite { op, pivot }))
}

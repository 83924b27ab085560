//! When a matrix is singular: the one decision about the pivots of elimination with partial pivoting.

use num_traits::Float;

use super::Entry;
use crate::number::{BaseFloat, Number};

/// A pivot is no matter of rounding where the entries above it are not so many times as large.
pub(super) const SAFE: f64 = 256.0;

/// Whether a number of this size can be divided by: not zero, not so small that its reciprocal overflows, not NaN.
#[inline(always)]
pub(super) fn is_pivot<F: BaseFloat>(size: F) -> bool {
    // The reciprocal of a quarter of the least normal number is the first power of two beyond the range.
    size > F::min_positive_value() * F::from_double(0.25) && size <= F::max_value()
}

/// Whether no pivot on the diagonal of `U` is nothing but rounding, of factors that are packed column by column: U, and L
/// below the diagonal. They hold pivots all of which can be divided by.
#[inline(always)]
pub(super) fn are_significant<S: Entry>(packed: &[S], n: usize) -> bool {
    (1..n).all(|k| is_safe(packed, n, k) || !is_rounding(packed, n, k))
}

/// Whether the pivot in row k of such factors is too large to be rounding. Of L nothing is read.
#[inline(always)]
pub(super) fn is_safe<S: Entry>(packed: &[S], n: usize, k: usize) -> bool {
    let limit = packed[k * n + k].size() * S::Base::from_double(SAFE);
    // Without a branch for each: these are few, and almost all are.
    packed[k * n..k * n + k].iter().fold(true, |all, u| all & (u.size() <= limit))
}

/// Whether a pivot is not larger than the roundings of the steps before can have made it.
///
/// Elimination gives the factors of `A + E` with `|E| ≤ ε·|L − I||U|`, entry by entry, to first order. That moves the
/// pivot in row k by `ℓᵀEw`, where `ℓᵀ` is the row k of `L⁻¹` and `w` the column k of `U⁻¹`, scaled to a last entry of 1:
/// so by `ε·|ℓ|ᵀ|L − I||U||w|` at most (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 9.3). A bound beyond
/// the range of numbers decides nothing.
#[cold]
#[inline(never)]
fn is_rounding<S: Entry>(packed: &[S], n: usize, k: usize) -> bool {
    type Machine<S> = <S as Entry>::Primal;
    let entry = |i: usize, j: usize| packed[i + j * n].primal_value();
    let sum = |range: core::ops::Range<usize>, term: &dyn Fn(usize) -> Machine<S>| {
        range.fold(Machine::<S>::lit(0.0), |sum, i| sum + term(i))
    };
    let total = |range: core::ops::Range<usize>, term: &dyn Fn(usize) -> Machine<S>| {
        range.fold(0.0, |sum, i| sum + BaseFloat::to_double(term(i).magnitude()))
    };
    let (mut l, mut w) = (vec![Machine::<S>::lit(1.0); k + 1], vec![Machine::<S>::lit(1.0); k + 1]);
    for i in (0..k).rev() {
        l[i] = -sum(i + 1..k + 1, &|j| l[j] * entry(j, i));
        w[i] = -sum(i + 1..k + 1, &|j| entry(i, j) * w[j]) / entry(i, i);
    }
    let moved = (0..k).fold(0.0, |sum, q| {
        sum + total(q + 1..k + 1, &|i| l[i] * entry(i, q)) * total(q..k + 1, &|j| entry(q, j) * w[j])
    });
    let moved = moved * BaseFloat::to_double(<S::Base as Float>::epsilon());
    moved.is_finite() && BaseFloat::to_double(packed[k + k * n].size()) <= moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_have_finite_reciprocals() {
        let least = f64::MIN_POSITIVE / 4.0;
        let sizes =
            [0.0, 5e-324, least, least.next_up(), f64::MIN_POSITIVE, 1.0, f64::MAX, f64::INFINITY, f64::NAN];
        for size in sizes {
            assert_eq!(is_pivot(size), size.is_finite() && size.recip().is_finite(), "{size:e}");
        }
        let least = f32::MIN_POSITIVE / 4.0;
        for size in
            [0.0, 1e-45, least, least.next_up(), f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY, f32::NAN]
        {
            assert_eq!(is_pivot(size), size.is_finite() && size.recip().is_finite(), "{size:e}");
        }
    }
}

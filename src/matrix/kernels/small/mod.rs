//! Small matrices in the arithmetic of the numbers, with their tangents: splitting values and tangents costs more
//! than it saves there. Also determinants that are zero, for which the rule has no formula.

pub(crate) mod cholesky;
pub(crate) mod det;
pub(crate) mod gram_schmidt;
pub(crate) mod inverse;
pub(crate) mod lu;
pub(crate) mod pairs;

use num_traits::Float;

use crate::matrix::entry::Entry;
use crate::matrix::sizes::{MOST_UNKNOWNS, SMALL};
use crate::number::BaseFloat;

/// Whether numbers are primal numbers or have one tangent. Their direct arithmetic is fastest up to larger sizes.
pub(crate) const fn has_one_tangent<S: Entry>() -> bool {
    !S::IS_RECORDED && size_of::<S>() <= 2 * size_of::<S::Primal>()
}

/// Whether systems of n unknowns are solved directly in the arithmetic of the numbers.
pub(crate) const fn is_small<S: Entry>(n: usize) -> bool {
    n <= SMALL || n <= MOST_UNKNOWNS && has_one_tangent::<S>()
}

/// Whether powers of a number of this size, as in derivatives of closed forms to the third order, are far from
/// overflow and underflow.
pub(crate) fn is_moderate<F: BaseFloat + Float>(size: F) -> bool {
    let root = |x: F| Float::sqrt(Float::sqrt(x));
    let limit = root(root(F::max_value()));
    Float::recip(limit) < size && size < limit
}

//! Small matrices in the arithmetic of the numbers themselves, which carries tangents along: taking values and tangents
//! apart costs more than it saves there. Also what has no derivative as a whole: the determinant where it is zero.

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

/// Whether numbers are machine numbers or such with one tangent, whose own arithmetic is the cheapest way through
/// algorithms of some size.
pub(crate) const fn has_one_tangent<S: Entry>() -> bool {
    !S::IS_RECORDED && size_of::<S>() <= 2 * size_of::<S::Primal>()
}

/// Whether systems of n unknowns are solved in the numbers' own arithmetic.
pub(crate) const fn is_small<S: Entry>(n: usize) -> bool {
    n <= SMALL || n <= MOST_UNKNOWNS && has_one_tangent::<S>()
}

/// Whether powers of a number of this size, as derivatives to the third order of closed forms have them, are far from the
/// ends of the range of the float.
pub(crate) fn is_moderate<F: BaseFloat + Float>(size: F) -> bool {
    let root = |x: F| Float::sqrt(Float::sqrt(x));
    let limit = root(root(F::max_value()));
    Float::recip(limit) < size && size < limit
}

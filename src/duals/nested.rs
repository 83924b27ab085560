//! Second-order numbers as nested first-order ones, for operations defined only on values and tangents.

use crate::error::AdError;
use crate::lift::{Primitive, map_groups, views};
use crate::number::Number;

/// A primitive at numbers `S` as at the numbers `N` that hold the same parts.
pub(super) fn through<S: Copy, N: Number, R: Primitive<N::Primal>>(
    rule: &R,
    x: &[&[S]],
    into: fn(S) -> N,
    back: fn(N) -> S,
) -> Result<Vec<S>, AdError> {
    Ok(N::lift_primitive(rule, &views(&map_groups(x, into)))?.into_iter().map(back).collect())
}

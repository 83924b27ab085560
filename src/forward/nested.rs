//! Second-order numbers as nested first-order ones, for what is defined on values and tangents only.

use core::array::from_fn;

use super::{Dual2, DualN};
use crate::error::AdError;
use crate::number::Number;
use crate::primitive::{Primitive, views};

/// A primitive at numbers `S` as at the numbers `N` that hold the same parts.
pub(super) fn through<S: Copy, N: Number, R: Primitive<N::Primal>>(
    rule: &R,
    x: &[&[S]],
    into: impl Fn(S) -> N + Copy,
    back: impl Fn(N) -> S,
) -> Result<Vec<S>, AdError> {
    let x: Vec<Vec<N>> = x.iter().map(|group| group.iter().copied().map(into).collect()).collect();
    Ok(N::lift_primitive(rule, &views(&x))?.into_iter().map(back).collect())
}

impl<T: Number, const N: usize, const M: usize> Dual2<T, N, M> {
    /// The same number as a nested one, every pair of directions twice.
    pub(super) fn nest(self) -> DualN<DualN<T, N>, N> {
        let row = |i| DualN::new(self.gradient()[i], from_fn(|j| self.second(i, j)));
        DualN::new(DualN::new(self.value(), self.gradient()), from_fn(row))
    }
    pub(super) fn unnest(x: DualN<DualN<T, N>, N>) -> Self {
        let (value, rows) = (x.value(), x.tangents());
        Dual2::from_fn(value.value(), |i| value.tangents()[i], |i, j| rows[i].tangents()[j])
    }
}

//! Numbers of one term, and those of eight terms that stand for them in lanes.

use std::array::from_fn;

use crate::duals::{Batch, Dual, DualN};
use crate::number::{Number as _, Real};

/// Terms of a block: as many on every machine, since the sums of their derivatives have an order.
pub(super) const LANES: usize = 8;
/// Values of a block.
pub(super) type Values = Batch<f64, LANES>;

/// A number at which a term runs.
pub(super) trait Single: Real<Base = f64> {
    /// The number at which several do.
    type Wide: Real<Base = f64>;
    /// Constants.
    fn constant(values: Values) -> Self::Wide;
    /// From the number of each lane.
    fn wide(of: impl Fn(usize) -> Self) -> Self::Wide;
    /// The number of a lane.
    fn lane(wide: &Self::Wide, lane: usize) -> Self;
}

impl Single for f64 {
    type Wide = Values;
    #[inline(always)]
    fn constant(values: Values) -> Values {
        values
    }
    #[inline(always)]
    fn wide(of: impl Fn(usize) -> f64) -> Values {
        Batch::new(from_fn(of))
    }
    #[inline(always)]
    fn lane(wide: &Values, lane: usize) -> f64 {
        wide.innermost_of(lane)
    }
}

impl<U: Single> Single for Dual<U> {
    type Wide = Dual<U::Wide>;
    #[inline(always)]
    fn constant(values: Values) -> Self::Wide {
        Dual::constant(U::constant(values))
    }
    #[inline(always)]
    fn wide(of: impl Fn(usize) -> Self) -> Self::Wide {
        Dual::new(U::wide(|lane| of(lane).value()), U::wide(|lane| of(lane).tangent()))
    }
    #[inline(always)]
    fn lane(wide: &Self::Wide, lane: usize) -> Self {
        Dual::new(U::lane(&wide.value(), lane), U::lane(&wide.tangent(), lane))
    }
}

impl<U: Single, const N: usize> Single for DualN<U, N> {
    type Wide = DualN<U::Wide, N>;
    #[inline(always)]
    fn constant(values: Values) -> Self::Wide {
        DualN::constant(U::constant(values))
    }
    #[inline(always)]
    fn wide(of: impl Fn(usize) -> Self) -> Self::Wide {
        let tangent = |i: usize| U::wide(|lane| of(lane).tangents()[i]);
        DualN::new(U::wide(|lane| of(lane).value()), from_fn(tangent))
    }
    #[inline(always)]
    fn lane(wide: &Self::Wide, lane: usize) -> Self {
        DualN::new(U::lane(&wide.value(), lane), from_fn(|i| U::lane(&wide.tangents()[i], lane)))
    }
}

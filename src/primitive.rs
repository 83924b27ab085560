//! A primitive: a function of groups of numbers with a rule of its own, run whole at every number type.
//!
//! A primitive gives its value at machine numbers and its derivative as a [`LinearMap`] over any number; the
//! number types do the rest. Forward numbers take their values and tangents apart, run the primitive once on the
//! values and apply the map to the tangents; a variable on a tape records the map as one step. The map is written
//! over `T`, so derivatives of any order come by nesting.

use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};

/// A function of groups of numbers (a matrix is a group) with its derivative.
pub trait Primitive<P: Machine>: Clone + 'static {
    /// The derivative at a point, with what it remembers of the point.
    type Map<T: Number<Primal = P>>: LinearMap<T>;
    /// The operation's name, for messages.
    fn name(&self) -> &'static str;
    /// The results at machine numbers.
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError>;
    /// The derivative at `x`, where the results are `y`.
    fn linearize<T: Number<Primal = P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError>;
    /// Whether nothing reads the values of this group at numbers without tangents (a matrix that `self` holds
    /// the factors of): they are left out then.
    fn leaves_out(&self, _group: usize) -> bool {
        false
    }
    /// The tangents of the results, in all lanes of `S`, of the active groups among `x`.
    fn tangents<S: Lanes>(
        &self,
        map: &Self::Map<S::Inner>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Inner>,
    ) -> Vec<S>
    where
        S::Inner: Number<Primal = P>,
    {
        lane_by_lane(map, x, active, y)
    }
}

/// A number of a value and independent tangents of one type: `Dual` and `DualN`.
pub trait Lanes: Number {
    /// The type of value and tangents.
    type Inner: Number<Primal = Self::Primal>;
    /// The number of tangents.
    const LANES: usize;
    /// The value.
    fn part(&self) -> Self::Inner;
    /// One tangent.
    fn lane(&self, lane: usize) -> Self::Inner;
    /// The number of these parts.
    fn assemble(value: Self::Inner, lane: impl Fn(usize) -> Self::Inner) -> Self;
}

/// Slices of several vectors.
pub(crate) fn views<T>(groups: &[Vec<T>]) -> Vec<&[T]> {
    groups.iter().map(Vec::as_slice).collect()
}

/// The values of groups, but of those that nothing reads.
pub(crate) fn values_of<S, T: Number>(
    rule: &impl Primitive<T::Primal>,
    x: &[&[S]],
    value: impl Fn(&S) -> T + Copy,
) -> Vec<Vec<T>> {
    let values = |(i, group): (usize, &&[S])| match T::PLAIN && rule.leaves_out(i) {
        true => Vec::new(),
        false => group.iter().map(value).collect(),
    };
    x.iter().enumerate().map(values).collect()
}

/// A primitive at numbers of lanes: values once, then the tangents.
pub(crate) fn push_forward<S: Lanes, R: Primitive<S::Primal>>(
    rule: &R,
    x: &[&[S]],
) -> Result<Vec<S>, AdError> {
    let values = values_of(rule, x, S::part);
    let y = S::Inner::lift_primitive(rule, &views(&values))?;
    let is_active = |s: &S| (0..S::LANES).any(|l| !s.lane(l).is_exactly_zero());
    let active: Vec<bool> = x.iter().map(|group| group.iter().any(is_active)).collect();
    if !active.contains(&true) {
        return Ok(y.into_iter().map(|y| S::assemble(y, |_| S::Inner::lit(0.0))).collect());
    }
    let map = rule.linearize(values, &y)?;
    Ok(rule.tangents(&map, x, &active, y))
}

/// The tangents of results by one application of the map for each lane.
pub(crate) fn lane_by_lane<S: Lanes>(
    map: &impl LinearMap<S::Inner>,
    x: &[&[S]],
    active: &[bool],
    y: Vec<S::Inner>,
) -> Vec<S> {
    let zero = S::Inner::lit(0.0);
    let mut out = vec![zero; S::LANES * y.len()];
    for (lane, out) in out.chunks_exact_mut(y.len().max(1)).enumerate() {
        let tangents = |(group, &active): (&&[S], &bool)| {
            let tangents = || group.iter().map(|s| s.lane(lane)).collect::<Vec<_>>();
            active.then(tangents).filter(|t| t.iter().any(|t| !t.is_exactly_zero()))
        };
        let groups: Vec<_> = x.iter().zip(active).map(tangents).collect();
        if groups.iter().any(Option::is_some) {
            map.apply(&groups.iter().map(Option::as_deref).collect::<Vec<_>>(), out);
        }
    }
    let result = |(i, &value): (usize, &S::Inner)| S::assemble(value, |lane| out[lane * y.len() + i]);
    y.iter().enumerate().map(result).collect()
}

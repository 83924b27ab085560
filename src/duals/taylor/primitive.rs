//! Primitives at series.

use super::Taylor;
use super::dynamic::TaylorDyn;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, Series, values_of, views};
use crate::number::Number;

/// A primitive at series of order `K`.
#[track_caller]
pub(super) fn through<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[Taylor<T, K>]],
) -> Result<Vec<Taylor<T, K>>, AdError> {
    let whole = |group: &&[Taylor<T, K>]| group.iter().map(|x| TaylorDyn::cut(x, K)).collect();
    let x: Vec<Vec<TaylorDyn<T, K>>> = x.iter().map(whole).collect();
    Ok(through_dyn(rule, &views(&x))?.iter().map(|y| *y.series()).collect())
}

/// A primitive at series of an order chosen at run time.
#[track_caller]
pub(super) fn through_dyn<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[TaylorDyn<T, K>]],
) -> Result<Vec<TaylorDyn<T, K>>, AdError> {
    let n = x.iter().flat_map(|group| group.iter()).map(|x| x.order()).min().unwrap_or(K);
    let values = values_of::<R, _, _>(x, |x| x.order_part(0));
    let y = T::lift_primitive(rule, &views(&values))?;
    let is_active = |x: &TaylorDyn<T, K>| !(1..=n).all(|k| x.order_part(k).is_exactly_zero());
    if !x.iter().any(|group| group.iter().any(is_active)) {
        return Ok(y.into_iter().map(|y| TaylorDyn::cut(&Taylor::constant(y), n)).collect());
    }
    Direction::Jvp.demand(rule)?;
    let point = x.iter().map(|group| group.iter().map(|x| x.order_part(0)).collect()).collect();
    let map = rule.linearize(point, &y)?;
    rule.series(&map, x, y, n)
}

impl<T: Number, const MAX: usize> Series for TaylorDyn<T, MAX> {
    fn known(&self) -> usize {
        self.order()
    }
    fn order_part(&self, k: usize) -> T {
        self.series().coefficient(k)
    }
    fn of_orders(n: usize, part: impl Fn(usize) -> T) -> Self {
        let zero = T::lit(0.0);
        let rest = core::array::from_fn(|i| if i < n { part(i + 1) } else { zero });
        TaylorDyn::cut(&Taylor::new(part(0), rest), n)
    }
}

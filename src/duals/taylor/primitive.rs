//! Primitives at series.

use super::Taylor;
use super::dynamic::TaylorDyn;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, Series, map_groups, values_of, views};
use crate::number::Number;

/// A primitive at series.
#[track_caller]
pub(super) fn through<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[TaylorDyn<T, K>]],
) -> Result<Vec<TaylorDyn<T, K>>, AdError> {
    let y = T::lift_primitive(rule, &views(&values_of(x, R::HELD, Number::value_part)))?;
    let n = least_order(x);
    if !has_tangents(x, n) {
        return Ok(constants_to(n, y));
    }
    Direction::Jvp.demand(rule)?;
    let map = rule.linearize(map_groups(x, Number::value_part), &y)?;
    rule.series(&map, x, y, n)
}

/// The order up to which all arguments are known.
fn least_order<T: Number, const K: usize>(x: &[&[TaylorDyn<T, K>]]) -> usize {
    x.iter().flat_map(|group| group.iter()).map(|x| x.order()).min().unwrap_or(K)
}

/// Whether an argument has coefficients other than its value.
fn has_tangents<T: Number, const K: usize>(x: &[&[TaylorDyn<T, K>]], n: usize) -> bool {
    let is_active = |x: &TaylorDyn<T, K>| !(1..=n).all(|k| x.order_part(k).is_exactly_zero());
    x.iter().any(|group| group.iter().any(is_active))
}

/// Constants of order `n`.
fn constants_to<T: Number, const K: usize>(n: usize, values: Vec<T>) -> Vec<TaylorDyn<T, K>> {
    values.into_iter().map(|y| TaylorDyn::cut(&Taylor::constant(y), n)).collect()
}

impl<T: Number, const MAX: usize> Series for TaylorDyn<T, MAX> {
    fn known(&self) -> usize {
        self.order()
    }
    fn order_part(&self, k: usize) -> T {
        self.series.coefficient(k)
    }
    fn of_orders(n: usize, part: impl Fn(usize) -> T) -> Self {
        assert!(n <= MAX, "wengert: a series of order {n}, whose type has room for {MAX}");
        let rest = crate::number::array::from_fn(|i| if i < n { part(i + 1) } else { T::lit(0.0) });
        TaylorDyn::cut(&Taylor::new(part(0), rest), n)
    }
}

//! Primitives at series: the linear map at the point, applied to what is known of the argument's derivative.

use super::Taylor;
use super::dynamic::TaylorDyn;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, views};
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Number};

/// A primitive at series of order `K`.
pub(super) fn through<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[Taylor<T, K>]],
) -> Result<Vec<Taylor<T, K>>, AdError> {
    to_order(rule, &own(x, |x| *x), K)
}

/// A primitive at series of an order chosen at run time.
pub(super) fn through_dyn<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[TaylorDyn<T, K>]],
) -> Result<Vec<TaylorDyn<T, K>>, AdError> {
    let n = x.iter().flat_map(|group| group.iter()).map(|x| x.order()).min().unwrap_or(K);
    let y = to_order(rule, &own(x, |x| *x.series()), n)?;
    Ok(y.iter().map(|y| TaylorDyn::cut(y, n)).collect())
}

fn own<S, U>(x: &[&[S]], of: impl Fn(&S) -> U) -> Vec<Vec<U>> {
    x.iter().map(|group| group.iter().map(&of).collect()).collect()
}

/// `y′ = map(x, y)·x′`: the map at series known to order `m` gives the result to order `m + 1`.
fn to_order<T: Number, const K: usize, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[Vec<Taylor<T, K>>],
    n: usize,
) -> Result<Vec<Taylor<T, K>>, AdError> {
    let values: Vec<Vec<T>> = crate::lift::values_of(rule, &views(x), |x: &Taylor<T, K>| x.value);
    let y = T::lift_primitive(rule, &views(&values))?;
    let mut y: Vec<Taylor<T, K>> = y.into_iter().map(Taylor::constant).collect();
    let active =
        |group: &Vec<Taylor<T, K>>| group.iter().any(|x| !x.rest[..n].iter().all(|t| t.is_exactly_zero()));
    let active: Vec<bool> = x.iter().map(active).collect();
    if !active.contains(&true) || n == 0 {
        return Ok(y);
    }
    Direction::Jvp.demand(rule)?;
    // The derivative of the argument, known to order n − 1.
    let slope = |x: &Taylor<T, K>, order: usize| {
        let mut rest = [T::lit(0.0); K];
        for k in 1..=order {
            rest[k - 1] = x.rest[k] * T::Base::from_double((k + 1) as f64);
        }
        TaylorDyn::cut(&Taylor { value: x.rest[0], rest }, order)
    };
    let cut = |x: &[Taylor<T, K>], m: usize| x.iter().map(|x| TaylorDyn::cut(x, m)).collect::<Vec<_>>();
    // The first order by the map at the point alone, of which a primitive may know no derivative.
    let values_of_y: Vec<T> = y.iter().map(|y| y.value).collect();
    let first: Vec<Option<Vec<T>>> = (x.iter().zip(&active))
        .map(|(x, &active)| active.then(|| x.iter().map(|x| x.rest[0]).collect()))
        .collect();
    let mut out = vec![T::lit(0.0); y.len()];
    let whole = x.iter().map(|x| x.iter().map(|x| x.value).collect()).collect();
    rule.linearize(whole, &values_of_y)?
        .apply(&first.iter().map(Option::as_deref).collect::<Vec<_>>(), &mut out);
    y.iter_mut().zip(out).for_each(|(y, out)| y.rest[0] = out);
    for m in 1..n {
        let map = rule.linearize(x.iter().map(|x| cut(x, m)).collect(), &cut(&y, m))?;
        let tangents: Vec<Option<Vec<_>>> = (x.iter().zip(&active))
            .map(|(x, &active)| active.then(|| x.iter().map(|x| slope(x, m)).collect()))
            .collect();
        let mut out = vec![TaylorDyn::lit(0.0); y.len()];
        map.apply(&tangents.iter().map(Option::as_deref).collect::<Vec<_>>(), &mut out);
        for (y, out) in y.iter_mut().zip(out) {
            y.rest[m] = out.series().rest[m - 1] * super::kernels::part::<T>(m + 1);
        }
    }
    Ok(y)
}

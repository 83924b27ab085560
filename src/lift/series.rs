//! Primitives at power series: by the recurrence that a primitive states, or by its derivative.

use super::{Primitive, views_of_some};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Number};

/// A power series that carries its order: [`TaylorDyn`](crate::TaylorDyn). An operation on series of orders `m` and
/// `n` gives a series of the lower order.
///
/// ```
/// use wengert::{TaylorDyn, primitive::Series};
/// let x = TaylorDyn::<f64, 4>::new(&[1.0, 2.0, 3.0])?;
/// assert_eq!((x.known(), x.order_part(2), x.slope_to(1).order_part(1)), (2, 3.0, 6.0));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Series: Number {
    /// The order up to which the parts are known.
    fn known(&self) -> usize;
    /// The coefficient of order `k`; the value is order 0. It is zero for orders that are not known.
    fn order_part(&self, k: usize) -> Self::Part;
    /// The series with these coefficients, up to order `n`.
    fn of_orders(n: usize, part: impl Fn(usize) -> Self::Part) -> Self;
    /// This series up to order `n`.
    fn cut_to(&self, n: usize) -> Self {
        Self::of_orders(n, |k| self.order_part(k))
    }
    /// The derivative, up to order `n`.
    fn slope_to(&self, n: usize) -> Self {
        Self::of_orders(n, |k| self.order_part(k + 1) * Self::Base::from_double((k + 1) as f64))
    }
}

/// The coefficients of arguments and results of a primitive, order by order; [`by_recurrence`] has an example.
pub struct Orders<T> {
    /// The arguments from order 1 on, group by group; `None` where all are zero.
    x: Vec<Vec<Option<Vec<T>>>>,
    /// The known coefficients of the results.
    y: Vec<Vec<T>>,
}

impl<T: Number> Orders<T> {
    fn new<S: Series<Part = T>>(x: &[&[S]], y: Vec<T>, n: usize) -> Self {
        let part = |group: &[S], k: usize| -> Option<Vec<T>> {
            let part: Vec<T> = group.iter().map(|x| x.order_part(k)).collect();
            part.iter().any(|x| !x.is_exactly_zero()).then_some(part)
        };
        let x = (1..=n).map(|k| x.iter().map(|group| part(group, k)).collect()).collect();
        Orders { x, y: vec![y] }
    }
    /// The order that follows: results are known below.
    pub fn next(&self) -> usize {
        self.y.len()
    }
    /// The coefficients of order `k` of a group of arguments, `1 ≤ k ≤ n`; `None` if all are zero.
    ///
    /// # Panics
    /// If `k` is 0 or more than `n`, or if there is no such group.
    pub fn x(&self, group: usize, k: usize) -> Option<&[T]> {
        self.x[k - 1][group].as_deref()
    }
    /// The coefficients of order `k` of the results, `k <` [`next`](Self::next); the values are order 0.
    ///
    /// # Panics
    /// If order `k` is not yet known.
    pub fn y(&self, k: usize) -> &[T] {
        &self.y[k]
    }
    /// The orders between, `1..next`.
    pub fn between(&self) -> core::ops::Range<usize> {
        1..self.next()
    }
    /// The coefficients of all groups of arguments in the next order, as tangents; `None` for a group of zeros.
    pub fn tangents(&self) -> Vec<Option<&[T]>> {
        views_of_some(&self.x[self.next() - 1])
    }
    /// Which groups of arguments have tangents, in any order.
    fn active_groups(&self) -> Vec<bool> {
        (0..self.x[0].len()).map(|group| self.x.iter().any(|order| order[group].is_some())).collect()
    }
    /// The results up to order `n`.
    fn series<S: Series<Part = T>>(&self, n: usize) -> Vec<S> {
        (0..self.y[0].len()).map(|i| S::of_orders(n, |k| self.y[k][i])).collect()
    }
    /// The next orders of the results, from their derivatives to order `reach`.
    fn push_slopes<S: Series<Part = T>>(&mut self, slopes: &[S], reach: usize) {
        let given = slopes.iter().map(S::known).min().unwrap_or(reach).min(reach);
        for k in self.next()..=given + 1 {
            let part = T::Base::from_double(1.0 / k as f64);
            self.y.push(slopes.iter().map(|d| d.order_part(k - 1) * part).collect());
        }
    }
}

/// The results to order `n`, where `next` computes the coefficients of one order from the lower orders: for
/// [`Primitive::series`]. `y` is the values. For an equation `F(x, y) = 0` the known terms of order `k`, and the
/// coefficients of the arguments, go through the derivative at the point, `yₖ = −F_y⁻¹(F_x·xₖ + …)`. That takes
/// `O(n²)` products (Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 13).
///
/// ```
/// use wengert::{TaylorDyn, primitive::by_recurrence};
/// // xy = 1: yₖ = −y₀·Σ xⱼyₖ₋ⱼ.
/// let x = TaylorDyn::<f64, 4>::variable(2.0, 4)?;
/// let y: Vec<TaylorDyn<f64, 4>> = by_recurrence(&[&[x]], vec![0.5], 4, |orders| {
///     let k = orders.next();
///     let term = |j: usize| orders.x(0, j).map_or(0.0, |x| x[0] * orders.y(k - j)[0]);
///     vec![-0.5 * (1..=k).map(term).sum::<f64>()]
/// });
/// assert_eq!(y[0].coefficients(), [-0.25, 0.125, -0.0625, 0.03125]);
/// # Ok::<(), wengert::AdError>(())
/// ```
/// # Panics
/// If `next` returns fewer numbers than there are results, or if the series have no room for `n` orders.
pub fn by_recurrence<S: Series>(
    x: &[&[S]],
    y: Vec<S::Part>,
    n: usize,
    mut next: impl FnMut(&Orders<S::Part>) -> Vec<S::Part>,
) -> Vec<S> {
    let mut orders = Orders::new(x, y, n);
    while orders.next() <= n {
        let found = next(&orders);
        orders.y.push(found);
    }
    orders.series(n)
}

/// The groups up to order `reach`.
fn cut<S: Series>(x: &[&[S]], reach: usize) -> Vec<Vec<S>> {
    x.iter().map(|group| group.iter().map(|x| x.cut_to(reach)).collect()).collect()
}

/// The derivatives of active groups, up to order `reach`.
fn slopes<S: Series>(x: &[&[S]], active: &[bool], reach: usize) -> Vec<Option<Vec<S>>> {
    let slopes =
        |(group, &active): (&&[S], &bool)| active.then(|| group.iter().map(|x| x.slope_to(reach)).collect());
    x.iter().zip(active).map(slopes).collect()
}

/// The image of tangents.
pub(crate) fn image<T: Number>(map: &impl LinearMap<T>, tangents: &[Option<&[T]>], len: usize) -> Vec<T> {
    let mut out = vec![T::lit(0.0); len];
    if tangents.iter().any(Option::is_some) {
        map.apply(tangents, &mut out);
    }
    out
}

/// The results to order `n` by `y′ = map(x, y)·x′`. The map at results known to order `m` gives them to order `m +
/// 1`, or to all orders if it does not read them.
pub(crate) fn by_derivative<S: Series, R: Primitive<S::Primal>>(
    rule: &R,
    map: &R::Map<S::Part>,
    x: &[&[S]],
    y: Vec<S::Part>,
    n: usize,
) -> Result<Vec<S>, AdError> {
    let (len, mut orders) = (y.len(), Orders::new(x, y, n));
    // The first order uses only the map at the point: a primitive may lack a derivative of the map.
    let first = image(map, &orders.tangents(), len);
    orders.y.push(first);
    let active = orders.active_groups();
    let mut reach = n - 1;
    while orders.next() <= n {
        let known = orders.next() - 1;
        let map = rule.linearize(cut(x, reach), &orders.series::<S>(known))?;
        let mut out = vec![S::lit(0.0); len];
        map.apply(&views_of_some(&slopes(x, &active, reach)), &mut out);
        orders.push_slopes(&out, reach);
        reach = (known + 1).min(n - 1);
    }
    Ok(orders.series(n))
}

//! `TaylorDyn<T, MAX>`: a power series whose order is chosen at run time.

use crate::number::array::from_fn;

use super::rule::{HolomorphicRule, RealRule};
use super::{Taylor, kernels, lift, nested};
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A power series `x₀ + x₁t + …` with an order that is chosen at run time, at most `MAX`. It is the number
/// [`Taylor`](crate::Taylor) for orders that are not known at compile time. It is `Copy` and allocates nothing.
///
/// The order of a result is the least order of its operands; constants have order `MAX`. `max`, `min` and `clamp`
/// return the chosen operand with its order, because nearby they choose the same operand. In a tie the order is the
/// least of both; at a bound `clamp` returns a constant. So a computation with one variable of order `k` costs what
/// `k` orders need, whatever `MAX` is, except for copies of `MAX + 1` coefficients.
///
/// ```
/// use wengert::TaylorDyn;
/// for order in 0..=20 {
///     let t = TaylorDyn::<f64, 20>::variable(0.0, order)?;
///     let y = (-t + 1.0).recip();
///     assert_eq!(y.order(), order);
///     assert!(y.coefficients().iter().all(|&c| c == 1.0));
/// }
/// use wengert::Real;
/// let x = TaylorDyn::<f64, 20>::variable(1.0, 1)?;
/// let y = TaylorDyn::<f64, 20>::variable(3.0, 2)?;
/// let two = TaylorDyn::from(2.0);
/// assert_eq!((x.max(y).order(), x.min(y).order(), (x + y).order()), (2, 1, 1));
/// assert_eq!((x.max(two).order(), y.max(two).order(), (x + two).order()), (20, 2, 1));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TaylorDyn<T, const MAX: usize = 32> {
    /// Zero beyond the order.
    pub(super) series: Taylor<T, MAX>,
    order: usize,
}

carries_derivatives!((T, const MAX: usize) TaylorDyn<T, MAX>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] (const MAX: usize) TaylorDyn[MAX],
    |x, f| TaylorDyn { series: x.series.each(f), order: x.order });

impl<T, const MAX: usize> TaylorDyn<T, MAX> {
    /// The order to which the series is known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn order(self) -> usize {
        self.order
    }
    /// A series that is known to order `MAX`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::duals) const fn known(series: Taylor<T, MAX>) -> Self {
        TaylorDyn { series, order: MAX }
    }
    #[cfg(feature = "std")]
    pub(super) fn into_series(self) -> Taylor<T, MAX> {
        self.series
    }
    /// The value `x₀`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.series.value
    }
    /// The coefficients of orders `1..=order`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn coefficients(&self) -> &[T] {
        &self.series.rest[..self.order]
    }
}

impl<T: Number, const MAX: usize> TaylorDyn<T, MAX> {
    /// The variable of differentiation, `x₀ + t`, known to this order.
    ///
    /// # Errors
    /// [`AdError::TooMany`] if the order is more than `MAX`.
    ///
    /// ```
    /// use wengert::TaylorDyn;
    /// let x = TaylorDyn::<f64, 8>::variable(1.0, 3)?;
    /// assert_eq!((x * x).coefficients(), [2.0, 1.0, 0.0]);
    /// assert!(TaylorDyn::<f64, 8>::variable(1.0, 9).is_err());
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn variable(value: T, order: usize) -> Result<Self, AdError> {
        let one = |i| T::lit(if i == 0 { 1.0 } else { 0.0 });
        Self::from_fn(value, order, one)
    }
    /// The series with these coefficients of orders `0..=order`.
    ///
    /// # Errors
    /// [`AdError::TooFew`] if there are none, [`AdError::TooMany`] if there are more than `MAX + 1`.
    ///
    /// ```
    /// let x = wengert::TaylorDyn::<f64>::new(&[2.0, 1.0, 0.5])?;
    /// assert_eq!((x.order(), x.value()), (2, 2.0));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn new(coefficients: &[T]) -> Result<Self, AdError> {
        match coefficients {
            [value, rest @ ..] => Self::from_fn(*value, rest.len(), |i| rest[i]),
            [] => Err(AdError::TooFew { op: "TaylorDyn", what: "coefficients", least: 1, got: 0 }),
        }
    }
    fn from_fn(value: T, order: usize, rest: impl Fn(usize) -> T) -> Result<Self, AdError> {
        if order > MAX {
            return Err(AdError::TooMany { op: "TaylorDyn", what: "orders", most: MAX, got: Some(order) });
        }
        let rest = from_fn(|i| if i < order { rest(i) } else { T::lit(0.0) });
        Ok(TaylorDyn { series: Taylor { value, rest }, order })
    }
    /// A constant, which is known to order `MAX`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        TaylorDyn { series: Taylor::constant(value), order: MAX }
    }
    /// The series up to an order that is known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::duals) fn cut(series: &Taylor<T, MAX>, order: usize) -> Self {
        let rest = from_fn(|i| if i < order { series.rest[i] } else { T::lit(0.0) });
        TaylorDyn { series: Taylor { value: series.value, rest }, order }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        TaylorDyn { series: self.series.with_value(value), ..self }
    }
    /// The result of a function of this series, known to its order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(&self, f: impl FnOnce(&Taylor<T, MAX>, usize) -> Taylor<T, MAX>) -> Self {
        TaylorDyn { series: f(&self.series, self.order), order: self.order }
    }
    /// The result of a function of two series, known to the lower order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join(
        &self,
        y: &Self,
        f: impl FnOnce(&Taylor<T, MAX>, &Taylor<T, MAX>, usize) -> Taylor<T, MAX>,
    ) -> Self {
        let order = self.order.min(y.order);
        TaylorDyn { series: f(&self.series, &y.series, order), order }
    }
}

impl<T: Number, const MAX: usize> Number for TaylorDyn<T, MAX> {
    type Re = TaylorDyn<T::Re, MAX>;
    const ORDER: usize = T::ORDER.saturating_add(MAX);
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| super::primitive::through(rule, x));
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        let rest = from_fn(|i| if i < self.order { f(self.series.rest[i]) } else { T::lit(0.0) });
        TaylorDyn { series: Taylor { value: f(self.series.value), rest }, order: self.order }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        self.join(&y, |x, y, n| Taylor {
            value: value(x.value, y.value),
            rest: from_fn(|i| if i < n { tangent(x.rest[i], y.rest[i]) } else { T::lit(0.0) }),
        })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        self.series.fold_parts(value, tangent)
    }
    series_lifts!(HolomorphicRule Holomorphic lift_holomorphic, HolomorphicBinary lift_holomorphic2);
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        Self::demand_operands([&self]);
        let (sin, cos) = lift::sine_and_cosine(&self.series, self.order);
        let order = self.order;
        (TaylorDyn { series: sin, order }, TaylorDyn { series: cos, order })
    }
    series_products!();
    fn mask_inactive(self, by: Self) -> Self {
        TaylorDyn { series: self.series.mask_inactive(by.series), order: self.order }
    }
}

impl<T: Real, const MAX: usize> Real for TaylorDyn<T, MAX> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] TaylorDyn<T::Complex, MAX>);
    series_lifts!(RealRule Unary lift1, Binary lift2);
}

sums!(#[inline] (const MAX: usize) TaylorDyn[MAX], zip_parts);

series_products!(MAX TaylorDyn<T, MAX>);

scalar!((T: Number, const MAX: usize) TaylorDyn<T, MAX>, TaylorDyn<TaylorDyn<T, MAX>, MAX>);

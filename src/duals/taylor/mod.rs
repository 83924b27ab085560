//! `Taylor<T, K>`: a power series truncated after order `K`.

#[macro_use]
mod nested;
#[macro_use]
mod series;

mod composition;
mod density;
mod dynamic;
mod few;
mod kernels;
mod lift;
mod powers;
#[cfg(feature = "std")]
mod primitive;
mod recurrences;
mod rule;

use crate::number::array::from_fn;

pub use dynamic::TaylorDyn;
use rule::{HolomorphicRule, RealRule};

use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A power series `x₀ + x₁t + … + x_K tᴷ`, truncated after order `K`: a value and its Taylor coefficients along a curve.
///
/// Functions map the series of an argument to the series of the result, `fₖ = (1/k!) dᵏ/dtᵏ f(x(t))` at `t = 0`. This
/// takes `O(K²)` operations, or `O(K³)` for a few rows on curves that are not straight lines (see
/// [`Recurrence`](crate::rules::Recurrence)), `O(K⁴)` for `gamma_p` with a variable shape; numbers nested `K` times need at least `2ᴷ` (Griewank and Walther,
/// *Evaluating Derivatives*, 2008, chapter 13). The number is `Copy` and allocates nothing. The value is bit for bit
/// that of `T`, and comparisons look only at it. At kinks and singular points the coefficients follow the
/// [conventions](crate::guide::conventions) at each order as nested numbers do: a coefficient that depends only on
/// zero coefficients of the argument is exactly zero.
///
/// `T` is `f64`, `f32`, `Complex` of them, or another number. `Taylor<Dual<f64>, K>` carries the derivatives of the
/// coefficients in one direction, `Taylor<Taylor<f64, K>, K>` mixed derivatives, and a gradient over `Taylor<f64, K>`
/// is the gradient of each coefficient. [`TaylorDyn`] has its order chosen at run time.
///
/// ```
/// use wengert::Taylor;
/// // e^(sin t + t²) = 1 + t + (3/2)t² + t³ + …
/// let t = Taylor::<f64, 4>::variable(0.0);
/// let y = (t.sin() + t * t).exp();
/// assert_eq!(y.value(), 1.0);
/// let want = [1.0, 1.5, 1.0, 0.875];
/// assert!(y.coefficients().iter().zip(want).all(|(c, w)| (c - w).abs() < 1e-15));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Taylor<T, const K: usize> {
    value: T,
    rest: [T; K],
}

carries_derivatives!((T, const K: usize) Taylor<T, K>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] (const K: usize) Taylor[K], |x, f| Taylor::new(f(x.value), x.rest.map(f)));

impl<T, const K: usize> Taylor<T, K> {
    /// The series with these coefficients: of order 0, and of orders `1..=K`.
    ///
    /// ```
    /// let x = wengert::Taylor::new(2.0, [1.0, 0.5]);
    /// assert_eq!((x * x).coefficients(), [4.0, 3.0]);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new(value: T, coefficients: [T; K]) -> Self {
        Taylor { value, rest: coefficients }
    }
    /// The value `x₀`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.value
    }
    /// The coefficients of orders `1..=K`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn coefficients(self) -> [T; K] {
        self.rest
    }
}

impl<T: Number, const K: usize> Taylor<T, K> {
    /// The variable of differentiation, `x₀ + t`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn variable(value: T) -> Self {
        Taylor { value, rest: from_fn(|i| T::lit(if i == 0 { 1.0 } else { 0.0 })) }
    }
    /// A constant: all coefficients but the value are 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        Taylor { value, rest: [T::lit(0.0); K] }
    }
    /// The coefficient of order `k`; zero beyond `K`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn coefficient(self, k: usize) -> T {
        match k.checked_sub(1) {
            None => self.value,
            Some(i) => self.rest.get(i).copied().unwrap_or(T::lit(0.0)),
        }
    }
    /// The derivatives of orders `1..=K` at `t = 0`, `k!·xₖ`.
    ///
    /// ```
    /// let x = wengert::Taylor::<f64, 3>::variable(2.0);
    /// assert_eq!((x * x * x).derivatives(), [12.0, 12.0, 6.0]);
    /// ```
    #[inline]
    pub fn derivatives(self) -> [T; K] {
        let mut factorial = 1.0;
        from_fn(|i| {
            factorial *= (i + 1) as f64;
            self.rest[i] * T::Base::from_double(factorial)
        })
    }
    /// The sum of the series at `t`, by Horner's scheme.
    ///
    /// ```
    /// let x = wengert::Taylor::new(1.0, [2.0, 3.0]);
    /// assert_eq!(x.at(0.5), 2.75);
    /// ```
    #[inline]
    pub fn at(self, t: T) -> T {
        if K == 0 {
            return self.value;
        }
        self.rest.iter().rev().skip(1).fold(self.rest[K - 1], |sum, &c| sum * t + c) * t + self.value
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        Taylor { value, ..self }
    }
    /// The result of a function of this series, to order `K`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(&self, f: impl FnOnce(&Self, usize) -> Self) -> Self {
        // A copy: a reference on the rare path would keep the number in memory on the usual path too.
        let x = *self;
        f(&x, K).into_registers()
    }
    /// The result of a function of two series, to order `K`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join(&self, y: &Self, f: impl FnOnce(&Self, &Self, usize) -> Self) -> Self {
        let (x, y) = (*self, *y);
        f(&x, &y, K).into_registers()
    }
    /// A result, coefficient by coefficient if there are few: otherwise the usual path returns them in memory, as the rare
    /// one does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_registers(self) -> Self {
        if K <= 3 { self.map_parts(|part| part) } else { self }
    }
    /// The orders up to `n`, and then the orders of another series.
    fn followed_by(mut self, other: &Self, n: usize) -> Self {
        self.rest[n..].copy_from_slice(&other.rest[n..]);
        self
    }
    /// Which orders may be nonzero in functions of `self`: sums of orders of nonzero coefficients.
    fn reached(&self) -> [bool; K] {
        let own: [bool; K] = from_fn(|i| !self.rest[i].is_exactly_zero());
        let mut all = own;
        for k in 0..K {
            all[k] = own[k] || (0..k).any(|i| own[i] && all[k - 1 - i]);
        }
        all
    }
}

impl<T: Number, const K: usize> Number for Taylor<T, K> {
    type Re = Taylor<T::Re, K>;
    const ORDER: usize = T::ORDER.saturating_add(K);
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| crate::lift::through(rule, x, TaylorDyn::known, TaylorDyn::into_series));
    each_part!(map_parts #[cfg_attr(not(debug_assertions), inline(always))]);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        Taylor { value: value(self.value, y.value), rest: from_fn(|i| tangent(self.rest[i], y.rest[i])) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        self.rest.into_iter().fold(value(self.value), tangent)
    }
    series_lifts!(HolomorphicRule Holomorphic lift_holomorphic few_orders, HolomorphicBinary lift_holomorphic2);
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        Self::demand_operands([&self]);
        lift::sine_and_cosine(&self, K)
    }
    series_products!();
    fn mask_inactive(self, by: Self) -> Self {
        let (reached, inner) = (by.reached(), by.fold_parts(|value| value, T::union_activity));
        let part = |i: usize| if reached[i] { self.rest[i].mask_inactive(inner) } else { T::lit(0.0) };
        Taylor { value: self.value.mask_inactive(inner), rest: from_fn(part) }
    }
}

impl<T: Real, const K: usize> Real for Taylor<T, K> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] Taylor<T::Complex, K>);
    series_lifts!(RealRule Unary lift1 few_orders, Binary lift2);
}

sums!(#[cfg_attr(not(debug_assertions), inline(always))] (const K: usize) Taylor[K], zip_parts);

series_products!(K Taylor<T, K>);

scalar!((T: Number, const K: usize) Taylor<T, K>, Taylor<Taylor<T, K>, K>);

//! `DualN<T, N>`: a value and N tangents.

use crate::number::array::from_fn;
use core::ops::{Div, Mul};

use super::{lanes_stay::keep_loops, total};
#[cfg(feature = "std")]
use crate::lift::TangentLanes;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A dual number with `N` tangents: derivatives in `N` directions from one evaluation.
///
/// The lanes are independent: each equals the tangent of [`Dual`](crate::Dual). The one exception is an infinite tangent where
/// the derivative of a power underflows: it is NaN in `Dual`, and stays infinite in more than eight lanes. The arithmetic
/// vectorises over lanes; the best sizes are 1, 2, 4, 8, 12 and 16.
///
/// ```
/// use wengert::DualN;
/// let x: DualN<f64, 2> = DualN::variable(2.0, 0);
/// let y: DualN<f64, 2> = DualN::variable(3.0, 1);
/// let z = x * y + x.sin();
/// assert_eq!(z.tangents(), [3.0 + 2f64.cos(), 2.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DualN<T, const N: usize> {
    value: T,
    tangents: [T; N],
}

carries_derivatives!((T, const N: usize) DualN<T, N>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] (const N: usize) DualN[N], |x, f| DualN::new(f(x.value), from_fn(|i| f(x.tangents[i]))));

impl<T, const N: usize> DualN<T, N> {
    /// A value with its tangents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new(value: T, tangents: [T; N]) -> Self {
        DualN { value, tangents }
    }
    /// The value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.value
    }
    /// The tangents, one for each direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn tangents(self) -> [T; N] {
        self.tangents
    }
}

impl<T: Number, const N: usize> DualN<T, N> {
    /// The variable of direction `lane`: tangent 1 there, 0 elsewhere.
    ///
    /// # Panics
    /// If `lane ≥ N`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn variable(value: T, lane: usize) -> Self {
        assert!(lane < N, "DualN::variable: lane {lane} of a number with {N} lanes");
        let mut tangents = [T::lit(0.0); N];
        tangents[lane] = T::lit(1.0);
        DualN { value, tangents }
    }
    /// A constant: all tangents 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        DualN { value, tangents: [T::lit(0.0); N] }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        DualN { value, ..self }
    }
    /// The result `f` with partial `d`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chain(self, nan_safe: bool, f: T, d: T) -> Self {
        let d = boundary::partial(nan_safe, || self.value, f, d);
        if boundary::has_plain_products(d) {
            return DualN::new(f, from_fn(|i| d * self.tangents[i]));
        }
        DualN::new(f, from_fn(|i| d.strong_mul(self.tangents[i])))
    }
    /// The result `f` of two operands with partials `dx`, `dy`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn chain2(self, y: Self, f: T, [dx, dy]: [T; 2]) -> Self {
        let by = || self.value.union_activity(y.value);
        let [dx, dy] = [dx, dy].map(|d| boundary::partial(false, by, f, d));
        if boundary::has_plain_products(dx) && boundary::has_plain_products(dy) {
            return DualN::new(f, from_fn(|i| dx * self.tangents[i] + dy * y.tangents[i]));
        }
        DualN::new(f, from_fn(|i| dx.strong_mul(self.tangents[i]) + dy.strong_mul(y.tangents[i])))
    }
}

/// The chain rule, of rules of real and of complex numbers.
macro_rules! lifts {
    ($Unary:ident $lift1:ident $slope:ident, $Binary:ident $lift2:ident $slopes:ident) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift1<U: $Unary>(self, rule: U) -> Self {
            Self::demand_operands([&self]);
            let f = self.value.$lift1(rule);
            let d = T::$slope(rule, self.value, f);
            // Many lanes are often zero by their seeds, which the compiler sees as far as there is no branch.
            if T::PLAIN && T::REAL && N > 8 {
                let [d, by] = rules::slope_factors(|| rule.recurrence(self.value), [self.value, f], d);
                let near = self.chain(U::NAN_SAFE, f, d);
                return DualN::new(f, near.tangents.map(|t| by * t));
            }
            let Some(far) = rules::far_recurrence(|| rule.recurrence(self.value), d) else {
                return self.chain(U::NAN_SAFE, f, d);
            };
            boundary::rarely(move || {
                let slope =
                    rules::far_derivative(far, [self.value, f], &|x| T::$slope(rule, x, x.$lift1(rule)));
                let plain = self.chain(U::NAN_SAFE, f, d);
                DualN::new(f, from_fn(|i| rules::far_product(slope, plain.tangents[i], self.tangents[i])))
            })
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift2<B: $Binary>(self, y: Self, rule: B) -> Self {
            Self::demand_operands([&self, &y]);
            let f = self.value.$lift2(y.value, rule);
            self.chain2(y, f, T::$slopes(rule, self.value, y.value, f))
        }
    };
}

impl<T: Number, const N: usize> Number for DualN<T, N> {
    type Re = DualN<T::Re, N>;
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| crate::lift::push_forward(rule, x));
    each_part!(map_parts #[cfg_attr(not(debug_assertions), inline(always))]);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        DualN::new(value(self.value, y.value), from_fn(|i| tangent(self.tangents[i], y.tangents[i])))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        self.tangents.into_iter().fold(value(self.value), tangent)
    }
    lifts!(Holomorphic lift_holomorphic slope_of, HolomorphicBinary lift_holomorphic2 slopes_of);
}

impl<T: Real, const N: usize> Real for DualN<T, N> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] DualN<T::Complex, N>);
    lifts!(Unary lift1 slope, Binary lift2 slopes);
}

sums!(#[cfg_attr(not(debug_assertions), inline(always))] (const N: usize) DualN[N], lanes value tangents);

/// `ẋy + xẏ` in each lane.
impl<T: Number, const N: usize> Mul for DualN<T, N> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::suspicious_arithmetic_impl)] // the product rule adds
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        if N >= 4 {
            keep_loops();
        }
        let lane = |i: usize| self.tangents[i] * y.value + self.value * y.tangents[i];
        DualN::new(self.value * y.value, from_fn(lane))
    }
}

/// `(ẋ − (x/y)·ẏ)/y` in each lane, without `y²`, which could underflow.
impl<T: Number, const N: usize> Div for DualN<T, N> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule multiplies
    #[track_caller]
    fn div(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        let q = self.value / y.value;
        if !boundary::multiplies_by_reciprocal::<T>() {
            let r = y.value.recip();
            let lane =
                |s: T, t: T| boundary::quotient(q, y.value, r, s - q * t, || s - boundary::strong(q, q, t));
            return DualN::new(q, from_fn(|i| lane(self.tangents[i], y.tangents[i])));
        }
        if T::PLAIN && T::REAL && N > 2 && N <= 8 {
            if N >= 4 {
                keep_loops();
            }
            let r = y.value.recip();
            let tangents = from_fn(|i| (self.tangents[i] - q * y.tangents[i]) * r);
            if total(&tangents).all_finite() {
                return DualN::new(q, tangents);
            }
            return boundary::rarely(move || self.strong_quotient(y, q));
        }
        self.strong_quotient(y, q)
    }
}

impl<T: Number, const N: usize> DualN<T, N> {
    /// The quotient `q` by a reciprocal, with strong zeros.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn strong_quotient(self, y: Self, q: T) -> Self {
        let (r, c) = boundary::reciprocal(y.value);
        let r = boundary::partial(false, || self.value.union_activity(y.value), q, r);
        let scaled = r * c;
        if boundary::has_plain_products(q) && boundary::has_plain_products(scaled) {
            return DualN::new(q, from_fn(|i| scaled * (self.tangents[i] - q * y.tangents[i])));
        }
        DualN::new(q, from_fn(|i| r.strong_mul(self.tangents[i] - q.strong_mul(y.tangents[i])) * c))
    }
}

#[cfg(feature = "std")]
impl<T: Number, const N: usize> TangentLanes for DualN<T, N> {
    const LANES: usize = N;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane(&self, lane: usize) -> T {
        self.tangents[lane]
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn assemble(value: T, lane: impl Fn(usize) -> T) -> Self {
        DualN::new(value, from_fn(lane))
    }
}

scalar!((T: Number, const N: usize) DualN<T, N>, DualN<DualN<T, N>, N>);

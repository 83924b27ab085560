//! `Dual<T>`: a value and one tangent.
//!
//! Each function is inlined in optimised code. Without optimisation it is a call: a product of eight nested duals is
//! 6561 products of floats, and inlined without optimisation, each is code of its own (`tests/house.rs` holds this).

use core::ops::{Div, Mul};

#[cfg(feature = "std")]
use crate::lift::TangentLanes;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A dual number `v + v̇ε` with `ε² = 0`: the value of a computation and its derivative in one direction.
///
/// A function `φ` maps `(x, ẋ)` to `(φ(x), φ′(x)·ẋ)`. The value is bit for bit that of `T`. Comparisons look only at
/// the value. `T` is `f64`, `f32`, `Complex` of them, or another number of this crate: `Dual<Dual<f64>>` carries
/// second derivatives.
///
/// ```
/// use wengert::Dual;
/// let x: Dual<f64> = Dual::new(2.0, 1.0);
/// let y = (x.sin() + x * x).exp();
/// assert!((y.value() - 135.5441512631054).abs() < 1e-12);
/// assert!((y.tangent() - 485.7703352918129).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dual<T> {
    value: T,
    tangent: T,
}

carries_derivatives!((T) Dual<T>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] () Dual[], |x, f| Dual::new(f(x.value), f(x.tangent)));

impl<T> Dual<T> {
    /// The pair `(value, tangent)`.
    ///
    /// ```
    /// let x = wengert::Dual::new(2.0, 0.5);
    /// assert_eq!((x * x).tangent(), 2.0);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new(value: T, tangent: T) -> Self {
        Dual { value, tangent }
    }
    /// The value `v`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.value
    }
    /// The tangent `v̇`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn tangent(self) -> T {
        self.tangent
    }
    /// Value and tangent.
    #[cfg(all(feature = "nalgebra", feature = "std"))]
    pub(crate) fn parts(&self) -> (&T, &T) {
        (&self.value, &self.tangent)
    }
    /// Value and tangent.
    #[cfg(all(feature = "nalgebra", feature = "std"))]
    pub(crate) fn parts_mut(&mut self) -> (&mut T, &mut T) {
        (&mut self.value, &mut self.tangent)
    }
    /// Value and tangent.
    #[cfg(all(feature = "nalgebra", feature = "std"))]
    pub(crate) fn into_parts(self) -> (T, T) {
        (self.value, self.tangent)
    }
}

impl<T: Number> Dual<T> {
    /// The variable of differentiation: tangent 1.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn variable(value: T) -> Self {
        Dual { value, tangent: T::lit(1.0) }
    }
    /// A constant: tangent 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        Dual { value, tangent: T::lit(0.0) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        Dual { value, ..self }
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
            let tangent = boundary::along(U::NAN_SAFE, self.value, f, d, self.tangent);
            let Some(far) = rules::far_recurrence(|| rule.recurrence(self.value), d) else {
                return Dual::new(f, tangent);
            };
            let slope = rules::far_derivative(far, [self.value, f], &|x| T::$slope(rule, x, x.$lift1(rule)));
            Dual::new(f, rules::far_product(slope, tangent, self.tangent))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift2<B: $Binary>(self, y: Self, rule: B) -> Self {
            Self::demand_operands([&self, &y]);
            let f = self.value.$lift2(y.value, rule);
            let d = T::$slopes(rule, self.value, y.value, f);
            Dual::new(f, boundary::along2([self.value, y.value], f, d, self.tangent, y.tangent))
        }
    };
}

impl<T: Number> Number for Dual<T> {
    type Re = Dual<T::Re>;
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| crate::lift::push_forward(rule, x));
    each_part!(map_parts #[cfg_attr(not(debug_assertions), inline(always))]);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        Dual::new(value(self.value, y.value), tangent(self.tangent, y.tangent))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        tangent(value(self.value), self.tangent)
    }
    lifts!(Holomorphic lift_holomorphic slope_of, HolomorphicBinary lift_holomorphic2 slopes_of);
}

impl<T: Real> Real for Dual<T> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] Dual<T::Complex>);
    lifts!(Unary lift1 slope, Binary lift2 slopes);
}

sums!(#[cfg_attr(not(debug_assertions), inline(always))] () Dual[], fields value tangent);

/// `ẋy + xẏ`.
impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        Dual::new(self.value * y.value, self.tangent * y.value + self.value * y.tangent)
    }
}

/// `(ẋ − (x/y)·ẏ)/y`, without `y²`, which could underflow.
impl<T: Number> Div for Dual<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn div(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        let (q, r) = (self.value / y.value, y.value.recip());
        let strong = || self.tangent - boundary::strong(q, q, y.tangent);
        Dual::new(q, boundary::quotient(q, y.value, r, self.tangent - q * y.tangent, strong))
    }
}

#[cfg(feature = "std")]
impl<T: Number> TangentLanes for Dual<T> {
    const LANES: usize = 1;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane(&self, _: usize) -> T {
        self.tangent
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn assemble(value: T, lane: impl Fn(usize) -> T) -> Self {
        Dual::new(value, lane(0))
    }
}

scalar!((T: Number) Dual<T>, Dual<Dual<T>>);

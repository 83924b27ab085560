//! `Var<T>`: a value, and its derivative with respect to one node of a tape.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::slots::{self, Place};
use super::tape::record_primitive;
use super::{fan, misuse};
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::{BaseFloat, Number, Real};
use crate::primitive::Primitive;
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A variable of reverse mode: a dual number relative to one node of a tape.
///
/// Functions of one variable, operations with constants, and operations between two variables of the same node
/// are dual arithmetic and record nothing. The tape records only where two different directions meet. Constants
/// know no tape. `T` is any real number of this crate: `Var<Dual<f64>>` differentiates forward over reverse,
/// `Var<Var<f64>>` reverse over reverse.
///
/// Active variables come from a [`Tape`](super::Tape) or a driver. A variable is a few numbers, free to be
/// copied and sent anywhere; to *use* it where its tape is not (another thread, after its gradient has returned,
/// together with a variable of another tape) is a panic that says so, in release builds too. An operation that
/// records nothing may pass there; its result can be neither recorded nor differentiated.
///
/// ```
/// use wengert::{Tape, Var};
/// let tape = Tape::new();
/// let (x, y) = (tape.variable(2.0), tape.variable(3.0));
/// let z: Var<f64> = (x * y).sin() + x * 2.0 + 1.0;
/// let dz = tape.cotangents(z);
/// assert_eq!((dz.of(x), dz.of(y)), (3.0 * 6f64.cos() + 2.0, 2.0 * 6f64.cos()));
/// assert_eq!(tape.stats().nodes, 4); // x, y, x·y, and the sum
/// ```
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Var<T> {
    value: T,
    // Between the two numbers: side by side they would be loaded together right after being stored apart, which
    // processors do slowly.
    place: Place,
    /// The derivative of the value with respect to the place's node; meaningless for a constant.
    slope: T,
}

carries_derivatives!((T) Var<T>);

impl<T> Var<T> {
    /// The value.
    #[inline(always)]
    pub fn value(self) -> T {
        self.value
    }
    #[inline(always)]
    pub(super) fn node(&self) -> u32 {
        self.place.node()
    }
    #[inline(always)]
    pub(super) fn place(&self) -> Place {
        self.place
    }
    #[inline(always)]
    pub(super) fn tape(&self) -> u32 {
        self.place.tape()
    }
    /// Whether the variable is a constant, on no tape.
    #[inline(always)]
    pub(super) fn is_passive(&self) -> bool {
        self.place == Place::NOWHERE
    }
    /// Panics if an active variable is not one of this tape.
    #[inline(always)]
    #[track_caller]
    pub(super) fn demand(&self, tape: u32) {
        if !self.is_passive() && self.tape() != tape {
            misuse::two_tapes(tape, self.tape());
        }
    }
}

impl<T: Real> Var<T> {
    /// A constant: no tape, no derivative.
    ///
    /// ```
    /// assert_eq!(wengert::derivative(|x| x * 2.0, 3.0), 2.0);
    /// let g = wengert::gradient(|x| x[0] * wengert::Var::constant(5.0), &[3.0]);
    /// assert_eq!(g, [5.0]);
    /// ```
    #[inline(always)]
    pub fn constant(value: T) -> Self {
        Var { value, place: Place::NOWHERE, slope: T::lit(0.0) }
    }
    /// The value of a node itself.
    #[inline(always)]
    pub(super) fn at(value: T, place: Place) -> Self {
        Var { value, place, slope: T::lit(1.0) }
    }
    /// A value with its derivative relative to a node.
    #[inline(always)]
    pub(super) fn along(value: T, slope: T, place: Place) -> Self {
        Var { value, place, slope }
    }
    /// The value of a result that must be a constant, as only constants went in.
    #[track_caller]
    pub(crate) fn checked_constant(&self) -> T {
        if !self.is_passive() {
            misuse::captured();
        }
        self.value
    }
    #[inline(always)]
    pub(super) fn slope(&self) -> T {
        self.slope
    }
    /// Whether the slope is exactly 1.
    pub(super) fn is_fresh(&self) -> bool {
        self.slope.primal() == T::Base::from_double(1.0) && self.slope.is_constant()
    }
    #[inline(always)]
    pub(crate) fn with_value(self, value: T) -> Self {
        Var { value, ..self }
    }
    /// A result of two variables. `same` is its slope where both lie in one direction; `left` and `right` are what
    /// the slope of each gives alone. A node is recorded only where two directions meet.
    #[inline(always)]
    #[track_caller]
    fn join(
        self,
        y: Self,
        value: T,
        same: impl FnOnce() -> T,
        left: impl FnOnce() -> T,
        right: impl FnOnce() -> T,
    ) -> Self {
        if self.place == y.place {
            return Var { value, slope: same(), ..self };
        }
        if self.place.same_tape(y.place) {
            let parents = [self.place.node(), y.place.node()];
            return Var::at(value, slots::push(self.place, [left(), right()], parents));
        }
        if y.is_passive() {
            return Var { value, slope: left(), ..self };
        }
        if self.is_passive() {
            return Var { value, slope: right(), ..y };
        }
        misuse::two_tapes(self.tape(), y.tape())
    }
    /// The slope; zero for a constant, whose own is meaningless.
    #[inline(always)]
    fn activity(&self) -> T {
        if self.is_passive() { T::lit(0.0) } else { self.slope }
    }
}

impl<T: Real> Number for Var<T> {
    type Base = T::Base;
    type Primal = T::Primal;
    type Re = Self;
    type Over<S: Real> = S;
    type Part = T;
    const REAL: bool = true;
    const RECORDS: bool = true;
    #[inline(always)]
    fn constant_of(value: T::Primal) -> Self {
        Var::constant(T::constant_of(value))
    }
    #[inline(always)]
    fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        Var { value: f(self.value), slope: f(self.slope), ..self }
    }
    #[inline(always)]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        let place = if self.is_passive() { y.place } else { self.place };
        Var { value: value(self.value, y.value), place, slope: tangent(self.activity(), y.activity()) }
    }
    #[inline(always)]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        tangent(value(self.value), self.activity())
    }
    #[inline(always)]
    fn re(self) -> Self {
        self
    }
    #[inline(always)]
    fn im(self) -> Self {
        Self::lit(0.0)
    }
    #[inline(always)]
    fn from_re(x: Self) -> Self {
        x
    }
    #[inline(always)]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        self.lift1(rule)
    }
    #[inline(always)]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
        self.lift2(y, rule)
    }
    #[inline(always)]
    fn strong_mul(self, t: Self) -> Self {
        let left = || self.slope.strong_both(t.value);
        let right = || self.value.strong_mul(t.slope);
        self.join(t, self.value.strong_mul(t.value), || left() + right(), left, right)
    }
    #[inline(always)]
    fn strong_both(self, t: Self) -> Self {
        let left = || self.slope.strong_both(t.value);
        let right = || self.value.strong_both(t.slope);
        self.join(t, self.value.strong_both(t.value), || left() + right(), left, right)
    }
    fn mask_inactive(self, by: Self) -> Self {
        let inner = by.value.union_activity(by.activity());
        if by.activity().is_exactly_zero() {
            return Var::constant(self.value.mask_inactive(inner));
        }
        Var { value: self.value.mask_inactive(inner), slope: self.slope.mask_inactive(inner), ..self }
    }
    #[inline]
    fn total<I: Iterator<Item = Self>>(items: I) -> Self {
        fan::sum(items)
    }
    #[inline]
    fn inner_product<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        fan::inner_product(pairs)
    }
    #[inline]
    fn sum_of(x: &[Self]) -> Self {
        fan::sum_of(x)
    }
    #[inline]
    fn dot(x: &[Self], y: &[Self]) -> Self {
        fan::dot(x, y, None)
    }
    #[inline]
    fn affine(x: &[Self], y: &[Self], c: Self) -> Self {
        fan::dot(x, y, Some(c))
    }
    #[inline]
    fn weighted_sum(weights: &[T::Base], x: &[Self]) -> Self {
        fan::weighted_sum(weights, x)
    }
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        fan::product(items)
    }
    fn lift_primitive<R: Primitive<T::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        record_primitive(rule, x)
    }
}

impl<T: Real> Real for Var<T> {
    type Complex = super::complex::ComplexVar<T>;
    #[inline(always)]
    fn primal(self) -> T::Base {
        self.value.primal()
    }
    #[inline(always)]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        let y = Dual::new(self.value, self.slope).lift1(rule);
        Var { value: y.value(), slope: y.tangent(), ..self }
    }
    #[inline(always)]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        let point = [self.value, y.value];
        let f = self.value.lift2(y.value, rule);
        let [dx, dy] = rule.partials(self.value, y.value, f).map(|d| boundary::partial2(point, f, d));
        let (left, right) = (|| dx.strong_mul(self.slope), || dy.strong_mul(y.slope));
        self.join(y, f, || left() + right(), left, right)
    }
}

impl<T: Real> Add for Var<T> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn add(self, y: Self) -> Self {
        let sum = || self.slope + y.slope;
        self.join(y, self.value + y.value, sum, || self.slope, || y.slope)
    }
}

impl<T: Real> Sub for Var<T> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn sub(self, y: Self) -> Self {
        let difference = || self.slope - y.slope;
        self.join(y, self.value - y.value, difference, || self.slope, || -y.slope)
    }
}

/// `ẋy + xẏ`.
impl<T: Real> Mul for Var<T> {
    type Output = Self;
    #[inline(always)]
    #[allow(clippy::suspicious_arithmetic_impl)] // the derivative of a product is a sum
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        let (left, right) = (|| self.slope * y.value, || self.value * y.slope);
        self.join(y, self.value * y.value, || left() + right(), left, right)
    }
}

/// `(ẋ − (x/y)·ẏ)/y`, as for [`Dual`].
impl<T: Real> Div for Var<T> {
    type Output = Self;
    #[inline(always)]
    #[allow(clippy::suspicious_arithmetic_impl)] // the derivative of a quotient is a difference
    #[track_caller]
    fn div(self, y: Self) -> Self {
        let (q, r) = (self.value / y.value, y.value.recip());
        let (s, t) = (self.slope, y.slope);
        let lawful = |t: T| if num_traits::Float::is_nan(q.primal()) { t.nan_like() } else { t };
        self.join(
            y,
            q,
            || boundary::quotient(q, y.value, r, s - q * t, || s - boundary::strong(q, q, t)),
            || boundary::quotient(q, y.value, r, lawful(s), || s),
            || boundary::quotient(q, y.value, r, lawful(-(q * t)), || -boundary::strong(q, q, t)),
        )
    }
}

impl<T: Real> Neg for Var<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map_parts(|t| -t)
    }
}

impl<T: Real> fmt::Display for Var<T> {
    /// The value alone; precision and width apply to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)
    }
}

impl<T: Real> fmt::Debug for Var<T> {
    /// `Var(2.0)` for a constant, `Var(2.0, slope 1.0 to node 3 of tape 7)` for an active variable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_passive() {
            return write!(f, "Var({:?})", self.value);
        }
        write!(
            f,
            "Var({:?}, slope {:?} to node {} of tape {})",
            self.value,
            self.slope,
            self.node(),
            slots::number(self.tape())
        )
    }
}

scalar!((T: Real) Var<T>, Var<Var<T>>);

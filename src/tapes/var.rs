//! `Var<T>`: a value and its derivative with respect to one node of a tape.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_traits::{ConstOne, ConstZero};

use super::place::Place;
use super::slots;
use super::{identity, misuse};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::boundary;

/// A variable of reverse mode: a dual number relative to one node of a tape.
///
/// Functions of one variable, operations with constants, and operations between two variables of the same node are
/// dual arithmetic and record nothing. The tape records only operations between variables of different nodes.
/// Constants are on no tape. `T` is any real number of this crate: `Var<Dual<f64>>` differentiates forward over
/// reverse, `Var<Var<f64>>` reverse over reverse.
///
/// Active variables come from a [`Tape`](super::Tape) or a driver. A variable is a few numbers, and may be copied and
/// sent anywhere. *Recording* or *differentiating* it away from its tape (on another thread, after its gradient has
/// returned, together with a variable of another tape) panics at the caller's line, in release builds too. An operation
/// that records nothing does not notice; then recording or differentiating its result panics.
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
    pub(super) value: T,
    // Placed between the two floats: if they were adjacent, the compiler would load both with one wide load right
    // after two narrow stores, which defeats store forwarding.
    pub(super) place: Place,
    /// The derivative of the value with respect to the node; meaningless for a constant.
    pub(super) slope: T,
}

carries_derivatives!((T) Var<T>);

impl<T> Var<T> {
    /// The value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.value
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn node(&self) -> u32 {
        self.place.node()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn tape(&self) -> u32 {
        self.place.tape()
    }
    /// Whether the variable is a constant, on no tape.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_passive(&self) -> bool {
        self.place == Place::NOWHERE
    }
    /// Panics if an active variable is not one of this tape.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn demand(&self, tape: u32) {
        if !self.is_passive() && self.tape() != tape {
            misuse::two_tapes(tape, self.tape());
        }
    }
}

impl<T: Real> Var<T> {
    /// A constant, which is on no tape.
    ///
    /// ```
    /// assert_eq!(wengert::derivative(|x| x * 2.0, 3.0), 2.0);
    /// let g = wengert::gradient(|x| x[0] * wengert::Var::constant(5.0), &[3.0]);
    /// assert_eq!(g, [5.0]);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        Var { value, place: Place::NOWHERE, slope: T::lit(0.0) }
    }
    /// The variable of a node itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn at(value: T, place: Place) -> Self {
        Var { value, place, slope: T::lit(1.0) }
    }
    /// A value with its derivative relative to a node.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn along(value: T, slope: T, place: Place) -> Self {
        Var { value, place, slope }
    }
    /// The value of a result that is constant because its arguments are.
    #[track_caller]
    pub(crate) fn checked_constant(&self) -> T {
        if !self.is_passive() {
            misuse::captured();
        }
        self.value
    }
    /// Whether the slope is exactly 1.
    pub(super) fn is_fresh(&self) -> bool {
        self.slope.primal() == T::Base::from_double(1.0) && self.slope.is_constant()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, value: T) -> Self {
        Var { value, ..self }
    }
    /// A result of two variables. `same` is its slope if both have the same node; `left` and `right` are the
    /// contributions of each slope. A node is recorded only if the nodes differ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn join(
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
        let (place, slope) = meet(self.place, y.place, left, right);
        Var { value, place, slope }
    }
    /// The slope; zero for a constant, whose stored slope is meaningless.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn activity(&self) -> T {
        if self.is_passive() { T::lit(0.0) } else { self.slope }
    }
}

/// The node of a result of two variables in different directions, and its slope there, from the slopes with one
/// direction each.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn meet<T: Real>(x: Place, y: Place, left: impl FnOnce() -> T, right: impl FnOnce() -> T) -> (Place, T) {
    if x.same_tape(y) {
        return (slots::push(x, [left(), right()], [x.node(), y.node()]), T::lit(1.0));
    }
    if y == Place::NOWHERE {
        return (x, left());
    }
    if x == Place::NOWHERE {
        return (y, right());
    }
    misuse::two_tapes(x.tape(), y.tape())
}

impl<T: Real> Add for Var<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn add(self, y: Self) -> Self {
        let sum = || self.slope + y.slope;
        self.join(y, self.value + y.value, sum, || self.slope, || y.slope)
    }
}

impl<T: Real> Sub for Var<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn sub(self, y: Self) -> Self {
        let difference = || self.slope - y.slope;
        self.join(y, self.value - y.value, difference, || self.slope, || -y.slope)
    }
}

/// `ẋy + xẏ`.
impl<T: Real> Mul for Var<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::suspicious_arithmetic_impl)] // the derivative of a product is a sum
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        let (left, right) = (|| self.slope * y.value, || self.value * y.slope);
        self.join(y, self.value * y.value, || left() + right(), left, right)
    }
}

/// `(ẋ − (x/y)·ẏ)/y`, as for [`Dual`](crate::Dual).
impl<T: Real> Div for Var<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::suspicious_arithmetic_impl)] // the derivative of a quotient is a difference
    #[track_caller]
    fn div(self, y: Self) -> Self {
        let (q, r) = (self.value / y.value, y.value.recip());
        let (s, t) = (self.slope, y.slope);
        let lawful = |t: T| if boundary::outside(q) { t.nan_like() } else { t };
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        self.map_parts(|t| -t)
    }
}

impl<T: Real + ConstZero> ConstZero for Var<T> {
    const ZERO: Self = Var { value: T::ZERO, place: Place::NOWHERE, slope: T::ZERO };
}

impl<T: Real + ConstZero + ConstOne> ConstOne for Var<T> {
    const ONE: Self = Var { value: T::ONE, place: Place::NOWHERE, slope: T::ZERO };
}

impl<T: Real> fmt::Display for Var<T> {
    /// Formats the value only, with precision and width.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)
    }
}

impl<T: Real> fmt::Debug for Var<T> {
    /// `Var(2.0)` for a constant, `Var(2.0, slope 1.0 to node 3 of tape 7)` for an active variable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Var(")?;
        fmt::Debug::fmt(&self.value, f)?;
        if !self.is_passive() {
            f.write_str(", slope ")?;
            fmt::Debug::fmt(&self.slope, f)?;
            write!(f, " to node {} of tape {}", self.node(), identity::number(self.tape()))?;
        }
        f.write_str(")")
    }
}

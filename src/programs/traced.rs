//! `Traced`: a number whose operations are recorded as a program; the open traces of a thread.

use core::fmt;
use core::marker::PhantomPinned;
use core::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::cell::RefCell;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use super::builder::{BuildOptions, Builder};
use super::misuse;
use super::op::{GuardCondition, Op, Relation, bits};
use super::rules::RuleObject;
use crate::number::Declared;

/// A number whose operations are recorded: a value, and the operation of a program that has it.
///
/// Constants are on no trace. Comparisons use the values at which the function is traced, and become guards of the program.
/// A number of another trace, of a trace that has ended, or of another thread panics when it is used.
///
/// ```
/// use wengert::programs::{Traced, trace};
/// let program = trace(|x: &[Traced]| (x[0] * x[1]).sin() * 2.0, &[2.0, 3.0]);
/// assert_eq!(program.run(&[1.0, 0.5])?, [0.5f64.sin() * 2.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Traced {
    pub(super) value: f64,
    pub(super) node: u32,
    /// 0 for a constant.
    pub(super) trace: u32,
    /// A rule that captures a traced number would lose it: see [`Passive`](crate::primitive::Passive).
    _not_captured: PhantomPinned,
}

impl Declared for Traced {
    const BY_MACRO: () = ();
}

impl Traced {
    /// A constant, which is on no trace.
    ///
    /// ```
    /// use wengert::programs::{Traced, trace};
    /// let program = trace(|x| x[0] * Traced::constant(5.0), &[2.0]);
    /// assert_eq!(program.run(&[3.0])?, [15.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: f64) -> Self {
        Self::at(value, 0, 0)
    }
    /// The value. It leaves the program, so replays at a point where it differs fail (all NaN count as equal): see
    /// [`AdError::BranchChanged`](crate::AdError::BranchChanged).
    ///
    /// # Panics
    /// If the trace of the number has ended, or belongs to another thread.
    ///
    /// ```
    /// use wengert::{AdError, programs::{Traced, trace}};
    /// let program = trace(|x: &[Traced]| x[0] * x[1].value(), &[2.0, 3.0]);
    /// assert_eq!(program.run(&[5.0, 3.0])?, [15.0]);
    /// let error = program.run(&[5.0, 4.0]).unwrap_err();
    /// assert!(matches!(error, AdError::BranchChanged { op: "value", .. }));
    /// # Ok::<(), AdError>(())
    /// ```
    #[track_caller]
    pub fn value(self) -> f64 {
        Traced::guard([self], |[x]| GuardCondition::Value(x), bits(self.value));
        self.value
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn at(value: f64, node: u32, trace: u32) -> Self {
        Traced { value, node, trace, _not_captured: PhantomPinned }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_passive(self) -> bool {
        self.trace == 0
    }
    /// The number of the operation in a trace. A constant becomes an operation.
    #[inline]
    pub(super) fn node_in(self, builder: &mut Builder) -> u32 {
        if self.trace == 0 { builder.constant(self.value) } else { self.node }
    }
    /// Records a guard on numbers. In a symbolic trace it notes that the formula branches on values.
    #[inline]
    #[track_caller]
    pub(super) fn guard<const N: usize>(
        operands: [Self; N],
        condition: impl FnOnce([u32; N]) -> GuardCondition,
        outcome: i64,
    ) {
        let Some(number) = common(&operands) else { return };
        let location = Location::caller().into();
        with(number, |trace| {
            trace.value_was_read |= trace.symbolic;
            let condition = condition(operands.map(|x| x.node_in(&mut trace.builder)));
            trace.builder.record_guard(condition, outcome, location);
        });
    }
    #[inline]
    #[track_caller]
    pub(super) fn relates(self, relation: Relation, y: Self) -> bool {
        let holds = relation.holds(self.value, y.value);
        Traced::guard([self, y], |[x, y]| GuardCondition::Compare(relation, x, y), i64::from(holds));
        holds
    }
    /// Records an operation with this value.
    #[inline]
    #[track_caller]
    pub(super) fn record<const N: usize>(
        operands: [Self; N],
        value: f64,
        op: impl FnOnce(&mut Builder, [u32; N]) -> Op,
    ) -> Self {
        let Some(number) = common(&operands) else { return Traced::constant(value) };
        let node = with(number, |trace| {
            let operands = operands.map(|x| x.node_in(&mut trace.builder));
            let op = op(&mut trace.builder, operands);
            trace.builder.push(op)
        });
        Traced::at(value, node, number)
    }
    /// `a` where the relation of `x` and `y` holds, else `b`; a program keeps both.
    #[track_caller]
    pub(super) fn choose(relation: Relation, x: Self, y: Self, a: Self, b: Self) -> Self {
        let holds = relation.holds(x.value, y.value);
        let compare = |_: &mut Builder, [x, y]: [u32; 2]| Op::Compare { relation, x, y };
        let condition = Traced::record([x, y], f64::from(u8::from(holds)), compare);
        let select = |_: &mut Builder, [condition, x, y]: [u32; 3]| Op::Select { condition, x, y };
        Traced::record([condition, a, b], if holds { a.value } else { b.value }, select)
    }
    /// Records the derivative of a rule of as many variables; of order 0 the value.
    #[track_caller]
    pub(super) fn of_rule<const N: usize>(
        operands: [Self; N],
        rule: impl RuleObject + 'static,
        orders: [u8; 2],
    ) -> Self {
        let value = match common(&operands) {
            Some(number) if is_symbolic(number) => f64::NAN,
            _ => rule.derivative(orders, operands[0].value, operands[N - 1].value),
        };
        Traced::record(operands, value, |builder, x| Op::of_rule(builder.rules.of(rule, orders), &x))
    }
}

/// The trace of numbers, if at least one of them is on a trace.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub(super) fn common(numbers: &[Traced]) -> Option<u32> {
    let mut common = 0;
    for &Traced { trace, .. } in numbers {
        if common == 0 {
            common = trace;
        } else if trace != 0 && trace != common {
            misuse::two_traces(common, trace, [common, trace].map(is_open));
        }
    }
    (common != 0).then_some(common)
}

/// An operator on two numbers, and on a number and a constant on either side.
macro_rules! arithmetic {
    ($($Op:ident $op:ident;)*) => {$(
        impl $Op for Traced {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, y: Self) -> Self {
                Traced::record([self, y], $Op::$op(self.value, y.value), |_, [x, y]| Op::$Op(x, y))
            }
        }
    )*};
}
arithmetic! { Add add; Sub sub; Mul mul; Div div; }

/// Operators with constants, which a trace holds as its own.
macro_rules! with_constants {
    ($($Op:ident $op:ident;)*) => {$(
        impl $Op<f64> for Traced {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, y: f64) -> Self {
                $Op::$op(self, Traced::constant(y))
            }
        }
        impl $Op<Traced> for f64 {
            type Output = Traced;
            #[inline]
            #[track_caller]
            fn $op(self, y: Traced) -> Traced {
                $Op::$op(Traced::constant(self), y)
            }
        }
    )*};
}
with_constants! { Add add; Sub sub; Mul mul; Div div; Rem rem; }

impl Neg for Traced {
    type Output = Self;
    #[inline]
    #[track_caller]
    fn neg(self) -> Self {
        Traced::record([self], -self.value, |_, [x]| Op::Neg(x))
    }
}

impl fmt::Display for Traced {
    /// Formats the value only, with precision and width.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)
    }
}

impl fmt::Debug for Traced {
    /// `Traced(2.0)` for a constant, `Traced(2.0, operation 3 of trace 7)` for a number of a trace.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_passive() {
            return write!(f, "Traced({:?})", self.value);
        }
        write!(f, "Traced({:?}, operation {} of trace {})", self.value, self.node, self.trace)
    }
}

/// A program that is being recorded.
pub(super) struct Trace {
    number: u32,
    pub(super) builder: Builder,
    /// Values are unknown: a derivative is formed, away from any point.
    pub(super) symbolic: bool,
    /// Whether a formula has branched on a value although the trace is symbolic.
    pub(super) value_was_read: bool,
}

/// The number of the next trace; 0 marks constants.
static NEXT: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static OPEN: RefCell<Vec<Trace>> = const { RefCell::new(Vec::new()) };
}

/// A trace that is open for the lifetime of this value.
pub(super) struct OpenTrace(pub(super) u32);

impl OpenTrace {
    /// Opens a trace.
    pub(super) fn new(builder: Builder, symbolic: bool) -> Self {
        let mut number = NEXT.fetch_add(1, Ordering::Relaxed);
        while number == 0 || is_open(number) {
            number = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        OPEN.with_borrow_mut(|open| open.push(Trace { number, builder, symbolic, value_was_read: false }));
        OpenTrace(number)
    }
    /// Opens a trace of a function with `inputs` inputs.
    pub(super) fn of_inputs(inputs: usize, care: BuildOptions) -> Self {
        OpenTrace::new(Builder::new(inputs, care), false)
    }
    /// Ends the trace.
    pub(super) fn close(self) -> Builder {
        let trace = remove(self.0).expect("it is open");
        std::mem::forget(self);
        trace.builder
    }
}

impl Drop for OpenTrace {
    fn drop(&mut self) {
        remove(self.0);
    }
}

fn remove(number: u32) -> Option<Trace> {
    OPEN.with_borrow_mut(|open| {
        let place = open.iter().rposition(|trace| trace.number == number)?;
        Some(open.remove(place))
    })
}

/// Whether the trace is open on this thread.
pub(super) fn is_open(number: u32) -> bool {
    OPEN.with_borrow(|open| open.iter().any(|trace| trace.number == number))
}

/// Whether values of a trace are unknown.
///
/// # Panics
/// As [`with`].
#[track_caller]
pub(super) fn is_symbolic(number: u32) -> bool {
    with(number, |trace| trace.symbolic)
}

/// Access to an open trace. `f` runs no code of users.
///
/// # Panics
/// If no trace of this number is open on this thread.
#[inline]
#[track_caller]
pub(super) fn with<R>(number: u32, f: impl FnOnce(&mut Trace) -> R) -> R {
    let found = OPEN.with_borrow_mut(|open| {
        let trace = open.iter_mut().rev().find(|trace| trace.number == number)?;
        Some(f(trace))
    });
    found.unwrap_or_else(|| misuse::not_open(number))
}

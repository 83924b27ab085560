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
use crate::number::Declared;
use crate::rules::{Binary, Unary};

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
    #[inline(always)]
    pub fn constant(value: f64) -> Self {
        Self::at(value, 0, 0)
    }
    /// The value. It leaves the program, so replays at a point where it differs fail (all NaN count as equal): see
    /// [`AdError::BranchChanged`](crate::AdError::BranchChanged).
    #[track_caller]
    pub fn value(self) -> f64 {
        self.ask(GuardCondition::Value, bits);
        self.value
    }
    #[inline(always)]
    pub(super) fn at(value: f64, node: u32, trace: u32) -> Self {
        Traced { value, node, trace, _not_captured: PhantomPinned }
    }
    #[inline(always)]
    pub(super) fn is_passive(self) -> bool {
        self.trace == 0
    }
    /// The number of the operation in a trace. A constant becomes an operation.
    #[inline]
    pub(super) fn node_in(self, builder: &mut Builder) -> u32 {
        if self.trace == 0 { builder.constant(self.value) } else { self.node }
    }
    /// Records a guard on this number. In a symbolic trace it notes that the formula branches on values.
    #[inline]
    #[track_caller]
    pub(super) fn ask(self, question: fn(u32) -> GuardCondition, answer: fn(f64) -> i64) {
        if self.trace == 0 {
            return;
        }
        let location = Location::caller().into();
        with(self.trace, |trace| {
            trace.value_was_read |= trace.symbolic;
            trace.builder.record_guard(question(self.node), answer(self.value), location);
        });
    }
    /// Records a guard on two numbers.
    #[inline]
    #[track_caller]
    pub(super) fn ask_of_two(self, y: Self, question: impl Fn(u32, u32) -> GuardCondition, answer: i64) {
        let Some(trace) = common(self, y) else { return };
        let location = Location::caller().into();
        with(trace, |trace| {
            trace.value_was_read |= trace.symbolic;
            let (x, y) = (self.node_in(&mut trace.builder), y.node_in(&mut trace.builder));
            trace.builder.record_guard(question(x, y), answer, location);
        });
    }
    #[inline]
    #[track_caller]
    pub(super) fn relates(self, relation: Relation, y: Self) -> bool {
        let holds = relation.holds(self.value, y.value);
        self.ask_of_two(y, |x, y| GuardCondition::Compare(relation, x, y), i64::from(holds));
        holds
    }
    /// Records an operation of one number.
    #[inline]
    #[track_caller]
    pub(super) fn record(self, value: f64, op: impl FnOnce(u32) -> Op) -> Self {
        if self.trace == 0 {
            return Traced::constant(value);
        }
        let node = with(self.trace, |trace| trace.builder.push(op(self.node)));
        Traced::at(value, node, self.trace)
    }
    /// Records an operation of two numbers.
    #[inline]
    #[track_caller]
    pub(super) fn record2(self, y: Self, value: f64, op: impl FnOnce(u32, u32) -> Op) -> Self {
        let Some(number) = common(self, y) else { return Traced::constant(value) };
        let node = with(number, |trace| {
            let (x, y) = (self.node_in(&mut trace.builder), y.node_in(&mut trace.builder));
            trace.builder.push(op(x, y))
        });
        Traced::at(value, node, number)
    }
    /// Records an operation of three numbers.
    #[track_caller]
    pub(super) fn record3(self, y: Self, z: Self, value: f64, op: impl FnOnce(u32, u32, u32) -> Op) -> Self {
        let (Some(number), _) = (common(self, y).or(common(y, z)), common(self, z)) else {
            return Traced::constant(value);
        };
        common(Traced::at(0.0, 0, number), z);
        let node = with(number, |trace| {
            let [x, y, z] = [self, y, z].map(|x| x.node_in(&mut trace.builder));
            trace.builder.push(op(x, y, z))
        });
        Traced::at(value, node, number)
    }
    /// `a` where the relation of `x` and `y` holds, else `b`; a program keeps both.
    #[track_caller]
    pub(super) fn choose(relation: Relation, x: Self, y: Self, a: Self, b: Self) -> Self {
        let holds = relation.holds(x.value, y.value);
        let condition = x.record2(y, f64::from(u8::from(holds)), |x, y| Op::Compare { relation, x, y });
        let value = if holds { a.value } else { b.value };
        condition.record3(a, b, value, |condition, x, y| Op::Select { condition, x, y })
    }
    #[track_caller]
    pub(super) fn unary<U: Unary>(self, rule: U) -> Self {
        if self.trace == 0 {
            return Traced::constant(rule.value(self.value));
        }
        let value = if is_symbolic(self.trace) { f64::NAN } else { rule.value(self.value) };
        let node = with(self.trace, |trace| {
            let rule = trace.builder.rules.of_unary(rule);
            trace.builder.push(Op::Unary { rule, x: self.node })
        });
        Traced::at(value, node, self.trace)
    }
    #[track_caller]
    pub(super) fn binary<B: Binary>(self, y: Self, rule: B) -> Self {
        let Some(number) = common(self, y) else { return Traced::constant(rule.value(self.value, y.value)) };
        let value = if is_symbolic(number) { f64::NAN } else { rule.value(self.value, y.value) };
        let node = with(number, |trace| {
            let (a, b) = (self.node_in(&mut trace.builder), y.node_in(&mut trace.builder));
            let rule = trace.builder.rules.of_binary(rule);
            trace.builder.push(Op::Binary { rule, x: a, y: b })
        });
        Traced::at(value, node, number)
    }
}

/// The trace of two numbers, if at least one of them is on a trace.
#[inline(always)]
#[track_caller]
pub(super) fn common(x: Traced, y: Traced) -> Option<u32> {
    if x.trace == y.trace || y.trace == 0 {
        (x.trace != 0).then_some(x.trace)
    } else if x.trace == 0 {
        Some(y.trace)
    } else {
        misuse::two_traces(x.trace, y.trace, [x.trace, y.trace].map(is_open))
    }
}

/// An operator on two numbers, and on a number and a constant on either side.
macro_rules! arithmetic {
    ($($Op:ident $op:ident;)*) => {$(
        impl $Op for Traced {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, y: Self) -> Self {
                self.record2(y, $Op::$op(self.value, y.value), Op::$Op)
            }
        }
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
arithmetic! { Add add; Sub sub; Mul mul; Div div; }

impl Rem<f64> for Traced {
    type Output = Self;
    #[inline]
    #[track_caller]
    fn rem(self, y: f64) -> Self {
        self % Traced::constant(y)
    }
}

impl Rem<Traced> for f64 {
    type Output = Traced;
    #[inline]
    #[track_caller]
    fn rem(self, y: Traced) -> Traced {
        Traced::constant(self) % y
    }
}

impl Neg for Traced {
    type Output = Self;
    #[inline]
    #[track_caller]
    fn neg(self) -> Self {
        self.record(-self.value, Op::Neg)
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
pub(super) struct Open(pub(super) u32);

impl Open {
    /// Opens a trace.
    pub(super) fn new(builder: Builder, symbolic: bool) -> Self {
        let mut number = NEXT.fetch_add(1, Ordering::Relaxed);
        while number == 0 || is_open(number) {
            number = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        OPEN.with_borrow_mut(|open| open.push(Trace { number, builder, symbolic, value_was_read: false }));
        Open(number)
    }
    /// Opens a trace of a function with `inputs` inputs.
    pub(super) fn of_inputs(inputs: usize, care: BuildOptions) -> Self {
        Open::new(Builder::new(inputs, care), false)
    }
    /// Ends the trace.
    pub(super) fn close(self) -> Builder {
        let trace = remove(self.0).expect("it is open");
        std::mem::forget(self);
        trace.builder
    }
}

impl Drop for Open {
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

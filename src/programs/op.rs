//! The operations of a program, as a list in single assignment, and its guards.
//!
//! The number of an operation is its index in the list, and denotes its value; operands are numbers of earlier
//! operations. The inputs are the first operations, in order; constants are operations too. No two operations of a program
//! of `trace` are equal. An [`Op::Unary`] or [`Op::Binary`] refers to an entry of `Rules`: a rule and the order of the
//! derivative, 0 for the function itself. A derivative is an entry if its formula branches on values; other derivatives
//! are operations as well.
//!
//! [`Op::StrongMul`], [`Op::StrongMulEither`], [`Op::StrongDiv`] and [`Op::PropagateNan`] occur in derivatives, for the
//! conventions at singular points. Without exact zeros, NaN and infinities they are `d·t`, `d·t`, `t·r` and `d`:
//! `Program::without_strong_zeros` has these, for code that computes again if a result is not finite.

use super::rules::Rules;
use super::strong_zeros::{propagate_nan, strong_div, strong_mul, strong_mul_either};
use crate::error::{AdError, SourceLine};
use crate::number::Property;

/// One operation; its operands are the numbers of earlier operations.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Op {
    /// A component of the point.
    Input(u32),
    /// A number.
    Constant(#[cfg_attr(feature = "serde", serde(with = "bits_of_constant"))] f64),
    /// `−x`.
    Neg(u32),
    /// `x + y`.
    Add(u32, u32),
    /// `x − y`.
    Sub(u32, u32),
    /// `x·y`.
    Mul(u32, u32),
    /// `x/y`.
    Div(u32, u32),
    /// `x·y + z`, rounded once.
    MulAdd(u32, u32, u32),
    /// A rule of one variable, by its number in [`Rules`](super::Rules): its value, or a derivative of it.
    Unary {
        /// Its number.
        rule: u32,
        /// The argument.
        x: u32,
    },
    /// A rule of two variables.
    Binary {
        /// Its number.
        rule: u32,
        /// The first argument.
        x: u32,
        /// The second one.
        y: u32,
    },
    /// 1 if the relation holds, else 0.
    Compare {
        /// The relation.
        relation: Relation,
        /// The left side.
        x: u32,
        /// The right side.
        y: u32,
    },
    /// `x` if the condition is not 0, else `y`.
    Select {
        /// The result of a comparison.
        condition: u32,
        /// The result where the condition holds.
        x: u32,
        /// The result elsewhere.
        y: u32,
    },
    /// `x`, whose derivative is zero.
    Detach(u32),
    /// The partial `d` of a result `f`: NaN where `f` is.
    PropagateNan {
        /// The result.
        f: u32,
        /// Its partial.
        d: u32,
    },
    /// `d·t`, and 0 where the tangent `t` is exactly 0.
    StrongMul {
        /// A partial.
        d: u32,
        /// A tangent.
        t: u32,
    },
    /// `d·t`, and 0 where either factor is exactly 0.
    StrongMulEither {
        /// A partial.
        d: u32,
        /// A cotangent.
        t: u32,
    },
    /// `t/y` by the reciprocal `r` of `y`, and 0 where `t` is exactly 0.
    StrongDiv {
        /// A tangent.
        t: u32,
        /// The divisor.
        y: u32,
        /// Its reciprocal, NaN where the quotient is.
        r: u32,
    },
    /// A function of many numbers, by its number in the program's list of calls. It has no value; a
    /// [`Part`](Op::CallResult) for each of its results follows.
    #[cfg_attr(feature = "serde", serde(skip))]
    Call(u32),
    /// A result of the call before.
    #[cfg_attr(feature = "serde", serde(skip))]
    CallResult(u32),
}

/// Constants by their bits: JSON has no NaN.
#[cfg(feature = "serde")]
mod bits_of_constant {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(x.to_bits())
    }
    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// The operands of an operation or a guard condition.
pub type Operands = std::iter::Take<std::array::IntoIter<u32, 3>>;

/// A relation of two numbers; false if one of them is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[repr(u8)]
pub enum Relation {
    /// `x < y`.
    Less,
    /// `x ≤ y`.
    LessOrEqual,
    /// `x = y`.
    Equal,
}

impl Relation {
    /// Whether it holds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn holds(self, x: f64, y: f64) -> bool {
        match self {
            Relation::Less => x < y,
            Relation::LessOrEqual => x <= y,
            Relation::Equal => x == y,
        }
    }
    /// Its name as a method.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Less => "lt",
            Relation::LessOrEqual => "le",
            Relation::Equal => "eq",
        }
    }
    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::LessOrEqual => "≤",
            Relation::Equal => "=",
        }
    }
}

/// Constants are compared by their bits.
impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        let bits = |op: &Op| if let Op::Constant(c) = op { Some(c.to_bits()) } else { None };
        self.parts() == other.parts() && bits(self) == bits(other)
    }
}

/// The table of operations. A row has the name, what the operation has besides operands, the operands in order, the name
/// in texts, and the value from the values of its operands.
macro_rules! operations {
    (|$rules:ident, $of:ident|
        $($Op:ident {[$($at:tt: $more:ident = $number:expr)?] $($field:tt: $x:ident),*} $name:literal $value:expr;)*
    ) => {
        enum Kind { $($Op),* }

        /// The value of an operation, from the values of its operands. Inputs, calls and their results have none here.
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[allow(unused_variables)]
        pub fn evaluate(op: Op, $rules: &Rules, $of: impl Fn(u32) -> f64) -> f64 {
            match op {
                $(Op::$Op { $($at: $more,)? $($field: $x),* } => $value,)*
            }
        }

        impl Op {
            /// The number of its kind, its data besides operands, and its operands with their count.
            #[inline]
            #[allow(unused_variables)]
            fn parts(self) -> (u32, Option<u32>, usize, [u32; 3]) {
                let (mut more, mut count, mut all) = (None, 0, [0; 3]);
                let kind = match self {
                    $(Op::$Op { $($at: $more,)? $($field: $x),* } => {
                        $(more = $number;)?
                        $((all[count], count) = ($x, count + 1);)*
                        Kind::$Op
                    })*
                };
                (kind as u32, more, count, all)
            }
            /// This operation with other operands.
            #[inline]
            pub fn map_operands(self, mut to: impl FnMut(u32) -> u32) -> Op {
                match self {
                    $(Op::$Op { $($at: $more,)? $($field: $x),* } => {
                        Op::$Op { $($at: $more,)? $($field: to($x)),* }
                    })*
                }
            }
            /// The name in texts, if it is the same for all of a kind.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Op::$Op { .. } => $name,)*
                }
            }
        }
    };
}

operations! { |rules, of|
    Input { [0: i = Some(i)] } "" f64::NAN;
    Constant { [0: c = None] } "" c;
    Neg { [] 0: x } "−" -of(x);
    Add { [] 0: x, 1: y } "+" of(x) + of(y);
    Sub { [] 0: x, 1: y } "−" of(x) - of(y);
    Mul { [] 0: x, 1: y } "·" of(x) * of(y);
    Div { [] 0: x, 1: y } "/" of(x) / of(y);
    MulAdd { [] 0: x, 1: y, 2: z } "mul_add" of(x).mul_add(of(y), of(z));
    Unary { [rule: rule = Some(rule)] x: x } "" rules.all[rule as usize].value(of(x), f64::NAN);
    Binary { [rule: rule = Some(rule)] x: x, y: y } "" rules.all[rule as usize].value(of(x), of(y));
    Compare { [relation: relation = Some(relation as u32)] x: x, y: y } ""
        f64::from(u8::from(relation.holds(of(x), of(y))));
    Select { [] condition: condition, x: x, y: y } "select" if of(condition) != 0.0 { of(x) } else { of(y) };
    Detach { [] 0: x } "detach" of(x);
    PropagateNan { [] f: f, d: d } "propagate_nan" propagate_nan(of(f), of(d));
    StrongMul { [] d: d, t: t } "strong_mul" strong_mul(of(d), of(t));
    StrongMulEither { [] d: d, t: t } "strong_mul_either" strong_mul_either(of(d), of(t));
    StrongDiv { [] t: t, y: y, r: r } "strong_div" strong_div(of(t), of(y), of(r));
    Call { [0: k = Some(k)] } "" f64::NAN;
    CallResult { [0: i = Some(i)] } "" f64::NAN;
}

impl Op {
    /// The operands that are numbers of operations, in order; a call has them in the program's list.
    #[inline]
    pub fn operands(self) -> Operands {
        let (_, _, count, all) = self.parts();
        all.into_iter().take(count)
    }
    /// The key of an operation: one number, which begins with its kind. Equal operations have equal keys.
    pub(super) fn key(self) -> u128 {
        let (kind, more, _, [x, y, z]) = self.parts();
        let [a, b, c] = match (self, more) {
            // Sums and products do not depend on the order of their operands.
            (Op::Add(..) | Op::Mul(..), _) => [x.min(y), x.max(y), 0],
            (_, Some(more)) => [more, x, y],
            (_, None) => [x, y, z],
        };
        let number = if let Op::Constant(c) = self { u128::from(c.to_bits()) } else { u128::from(c) };
        u128::from(kind) << 96 | u128::from(a) << 64 | u128::from(b) << 32 | number
    }
}

/// A condition on values that the traced code evaluated, to choose a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum GuardCondition {
    /// Whether a relation holds.
    Compare(Relation, u32, u32),
    /// The order of two numbers.
    Order(u32, u32),
    /// Whether the value has a property; NaN has neither sign, and lacks neither.
    Has(Property, u32),
    /// The value itself, which has left the program: replays need the same bits, or NaN again.
    Value(u32),
}

/// A [`GuardCondition`] with its recorded outcome and its source line.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The index of the first operation after the guard: it is checked before this operation.
    pub position: u32,
    /// The condition.
    pub condition: GuardCondition,
    /// The recorded outcome: 0 or 1; for an order −1, 0, 1 or 2 (none); for a value its bits.
    pub expected: i64,
    /// The source line of the condition.
    pub location: SourceLine,
}

/// The outcome of a sign condition at NaN, which no guard records.
pub const NO_SIGN: i64 = 2;

/// The bits of a value that has left the program. Every NaN has the same: no operation promises the sign of one.
pub fn bits(x: f64) -> i64 {
    (if x.is_nan() { f64::NAN } else { x }).to_bits() as i64
}

impl GuardCondition {
    /// The outcome where the operations have these values.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn outcome(self, value: impl Fn(u32) -> f64) -> i64 {
        match self {
            GuardCondition::Compare(relation, x, y) => i64::from(relation.holds(value(x), value(y))),
            GuardCondition::Order(x, y) => value(x).partial_cmp(&value(y)).map_or(2, |order| order as i64),
            GuardCondition::Has(property, x) if property.is_sign() && value(x).is_nan() => NO_SIGN,
            GuardCondition::Has(property, x) => i64::from(property.holds(value(x))),
            GuardCondition::Value(x) => bits(value(x)),
        }
    }
    /// Whether a guard may have this outcome.
    #[cfg_attr(not(feature = "serde"), allow(dead_code))]
    pub(super) fn admits(self, outcome: i64) -> bool {
        match self {
            GuardCondition::Compare(..) | GuardCondition::Has(..) => (0..=1).contains(&outcome),
            GuardCondition::Order(..) => (-1..=2).contains(&outcome),
            GuardCondition::Value(_) => true,
        }
    }
    /// The operations whose values it reads.
    #[inline]
    pub fn operands(self) -> Operands {
        let (count, all) = match self {
            GuardCondition::Compare(_, x, y) | GuardCondition::Order(x, y) => (2, [x, y, 0]),
            GuardCondition::Has(_, x) | GuardCondition::Value(x) => (1, [x, 0, 0]),
        };
        all.into_iter().take(count)
    }
    /// This condition with other operands.
    pub fn map_operands(self, mut to: impl FnMut(u32) -> u32) -> GuardCondition {
        match self {
            GuardCondition::Compare(relation, x, y) => GuardCondition::Compare(relation, to(x), to(y)),
            GuardCondition::Order(x, y) => GuardCondition::Order(to(x), to(y)),
            GuardCondition::Has(property, x) => GuardCondition::Has(property, to(x)),
            GuardCondition::Value(x) => GuardCondition::Value(to(x)),
        }
    }
}

/// The parts of a program other than the primitives that it calls: plain data, which threads may share.
#[derive(Clone)]
pub struct Code {
    /// The number of inputs, which are the first operations.
    pub inputs: u32,
    /// The operations. The number of an operation is its index here; its operands have smaller numbers.
    pub ops: Vec<Op>,
    /// The operations that are the results.
    pub outputs: Vec<u32>,
    /// The guards of the traced code, in order.
    pub guards: Vec<Guard>,
    /// The rules that operations refer to.
    pub rules: Rules,
}

impl Guard {
    /// The error of a guard that fails.
    #[cold]
    pub(super) fn changed(&self) -> AdError {
        let (op, recorded) = self.recorded();
        AdError::BranchChanged { op, recorded, location: self.location.clone() }
    }
    /// The name of the condition, and the recorded outcome.
    pub(super) fn recorded(&self) -> (&'static str, String) {
        let yes_or_no = || (self.expected != 0).to_string();
        match self.condition {
            GuardCondition::Compare(relation, ..) => (relation.name(), yes_or_no()),
            GuardCondition::Has(property, _) => (property.name(), yes_or_no()),
            GuardCondition::Order(..) => {
                let order =
                    ["Less", "Equal", "Greater", "None"][self.expected.clamp(-1, 2).wrapping_add(1) as usize];
                ("partial_cmp", order.to_string())
            }
            GuardCondition::Value(_) => ("value", f64::from_bits(self.expected as u64).to_string()),
        }
    }
}

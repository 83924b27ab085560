//! The operations of a program, a list in SSA form.

use crate::error::SourceLine;
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
    Partial {
        /// The result.
        f: u32,
        /// Its partial.
        d: u32,
    },
    /// `d·t`, and 0 where the tangent `t` is exactly 0.
    Strong {
        /// A partial.
        d: u32,
        /// A tangent.
        t: u32,
    },
    /// `d·t`, and 0 where either factor is exactly 0.
    Both {
        /// A partial.
        d: u32,
        /// A cotangent.
        t: u32,
    },
    /// `t/y` by the reciprocal `r` of `y`, and 0 where `t` is exactly 0.
    Over {
        /// A tangent.
        t: u32,
        /// The divisor.
        y: u32,
        /// Its reciprocal, NaN where the quotient is.
        r: u32,
    },
    /// A function of many numbers, by its number in the program's list of calls. It has no value; a
    /// [`Part`](Op::Part) for each of its results follows.
    #[cfg_attr(feature = "serde", serde(skip))]
    Call(u32),
    /// A result of the call before.
    #[cfg_attr(feature = "serde", serde(skip))]
    Part(u32),
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
pub(super) type Operands = std::iter::Take<std::array::IntoIter<u32, 3>>;

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
    #[inline(always)]
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

impl Op {
    /// The operands that are numbers of operations, in order; a call has them in the program's list.
    #[inline]
    pub fn operands(self) -> impl Iterator<Item = u32> {
        self.list()
    }
    #[inline]
    pub(super) fn list(self) -> Operands {
        let (_, _, count, all) = self.parts();
        all.into_iter().take(count)
    }
    /// The number of its kind, its data besides operands, and its operands with their count.
    #[inline]
    fn parts(self) -> (u32, Option<u32>, usize, [u32; 3]) {
        match self {
            Op::Input(i) => (0, Some(i), 0, [0; 3]),
            Op::Constant(_) => (1, None, 0, [0; 3]),
            Op::Neg(x) => (2, None, 1, [x, 0, 0]),
            Op::Add(x, y) => (3, None, 2, [x, y, 0]),
            Op::Sub(x, y) => (4, None, 2, [x, y, 0]),
            Op::Mul(x, y) => (5, None, 2, [x, y, 0]),
            Op::Div(x, y) => (6, None, 2, [x, y, 0]),
            Op::MulAdd(x, y, z) => (7, None, 3, [x, y, z]),
            Op::Unary { rule, x } => (8, Some(rule), 1, [x, 0, 0]),
            Op::Binary { rule, x, y } => (9, Some(rule), 2, [x, y, 0]),
            Op::Compare { relation, x, y } => (10, Some(relation as u32), 2, [x, y, 0]),
            Op::Select { condition, x, y } => (11, None, 3, [condition, x, y]),
            Op::Detach(x) => (12, None, 1, [x, 0, 0]),
            Op::Partial { f, d } => (13, None, 2, [f, d, 0]),
            Op::Strong { d, t } => (14, None, 2, [d, t, 0]),
            Op::Both { d, t } => (15, None, 2, [d, t, 0]),
            Op::Over { t, y, r } => (16, None, 3, [t, y, r]),
            Op::Call(k) => (17, Some(k), 0, [0; 3]),
            Op::Part(i) => (18, Some(i), 0, [0; 3]),
        }
    }
    /// This operation with other operands.
    #[inline]
    pub fn map_operands(self, mut to: impl FnMut(u32) -> u32) -> Op {
        match self {
            Op::Input(_) | Op::Constant(_) | Op::Call(_) | Op::Part(_) => self,
            Op::Neg(x) => Op::Neg(to(x)),
            Op::Detach(x) => Op::Detach(to(x)),
            Op::Unary { rule, x } => Op::Unary { rule, x: to(x) },
            Op::Add(x, y) => Op::Add(to(x), to(y)),
            Op::Sub(x, y) => Op::Sub(to(x), to(y)),
            Op::Mul(x, y) => Op::Mul(to(x), to(y)),
            Op::Div(x, y) => Op::Div(to(x), to(y)),
            Op::Binary { rule, x, y } => Op::Binary { rule, x: to(x), y: to(y) },
            Op::Compare { relation, x, y } => Op::Compare { relation, x: to(x), y: to(y) },
            Op::Partial { f, d } => Op::Partial { f: to(f), d: to(d) },
            Op::Strong { d, t } => Op::Strong { d: to(d), t: to(t) },
            Op::Both { d, t } => Op::Both { d: to(d), t: to(t) },
            Op::MulAdd(x, y, z) => Op::MulAdd(to(x), to(y), to(z)),
            Op::Select { condition, x, y } => Op::Select { condition: to(condition), x: to(x), y: to(y) },
            Op::Over { t, y, r } => Op::Over { t: to(t), y: to(y), r: to(r) },
        }
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
pub enum Question {
    /// Whether a relation holds.
    Compare(Relation, u32, u32),
    /// The order of two numbers.
    Order(u32, u32),
    /// Whether the value has a property; NaN has neither sign, and lacks neither.
    Has(Property, u32),
    /// The value itself, which has left the program: replays need the same bits, or NaN again.
    Value(u32),
}

/// A [`Question`] with its recorded outcome and its source line.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The index of the first operation after the guard: it is checked before this operation.
    pub before: u32,
    /// The condition.
    pub question: Question,
    /// The recorded outcome: 0 or 1; for an order −1, 0, 1 or 2 (none); for a value its bits.
    pub answer: i64,
    /// The source line of the condition.
    pub location: SourceLine,
}

/// The outcome of a sign condition at NaN, which no guard records.
pub const NO_SIGN: i64 = 2;

/// The bits of a value that has left the program. Every NaN has the same: no operation promises the sign of one.
pub fn bits(x: f64) -> i64 {
    (if x.is_nan() { f64::NAN } else { x }).to_bits() as i64
}

impl Question {
    /// The outcome where the operations have these values.
    #[inline(always)]
    pub fn answer(self, value: impl Fn(u32) -> f64) -> i64 {
        match self {
            Question::Compare(relation, x, y) => i64::from(relation.holds(value(x), value(y))),
            Question::Order(x, y) => value(x).partial_cmp(&value(y)).map_or(2, |order| order as i64),
            Question::Has(property, x) if property.is_sign() && value(x).is_nan() => NO_SIGN,
            Question::Has(property, x) => i64::from(property.holds(value(x))),
            Question::Value(x) => bits(value(x)),
        }
    }
    /// Whether a guard may have this outcome.
    #[cfg_attr(not(feature = "serde"), allow(dead_code))]
    pub(super) fn admits(self, answer: i64) -> bool {
        match self {
            Question::Compare(..) | Question::Has(..) => (0..=1).contains(&answer),
            Question::Order(..) => (-1..=2).contains(&answer),
            Question::Value(_) => true,
        }
    }
    /// The operations whose values it reads.
    pub fn operands(self) -> impl Iterator<Item = u32> {
        self.list()
    }
    #[inline]
    pub(super) fn list(self) -> Operands {
        let (count, all) = match self {
            Question::Compare(_, x, y) | Question::Order(x, y) => (2, [x, y, 0]),
            Question::Has(_, x) | Question::Value(x) => (1, [x, 0, 0]),
        };
        all.into_iter().take(count)
    }
    /// This condition with other operands.
    pub fn map_operands(self, mut to: impl FnMut(u32) -> u32) -> Question {
        match self {
            Question::Compare(relation, x, y) => Question::Compare(relation, to(x), to(y)),
            Question::Order(x, y) => Question::Order(to(x), to(y)),
            Question::Has(property, x) => Question::Has(property, to(x)),
            Question::Value(x) => Question::Value(to(x)),
        }
    }
}

//! Operations and questions by name.

use super::Line;
use crate::number::Property;
use crate::programs::op::{Op, Question, Relation};

const RELATIONS: [Relation; 3] = [Relation::Less, Relation::LessOrEqual, Relation::Equal];
const PROPERTIES: [Property; 9] = [
    Property::Zero,
    Property::One,
    Property::Nan,
    Property::Finite,
    Property::Infinite,
    Property::Normal,
    Property::Subnormal,
    Property::Positive,
    Property::Negative,
];

/// The name of an operation, and what it has besides operands.
fn named(op: Op) -> (&'static str, u64) {
    match op {
        Op::Input(k) => ("input", u64::from(k)),
        Op::Constant(c) => ("constant", c.to_bits()),
        Op::Neg(_) => ("neg", 0),
        Op::Add(..) => ("add", 0),
        Op::Sub(..) => ("sub", 0),
        Op::Mul(..) => ("mul", 0),
        Op::Div(..) => ("div", 0),
        Op::MulAdd(..) => ("mul_add", 0),
        Op::Unary { rule, .. } => ("unary", u64::from(rule)),
        Op::Binary { rule, .. } => ("binary", u64::from(rule)),
        Op::Compare { relation, .. } => (relation.name(), 0),
        Op::Select { .. } => ("select", 0),
        Op::Detach(_) => ("detach", 0),
        Op::Partial { .. } => ("partial", 0),
        Op::Strong { .. } => ("strong", 0),
        Op::Both { .. } => ("both", 0),
        Op::Over { .. } => ("over", 0),
        Op::Call(k) => ("call", u64::from(k)),
        Op::Part(k) => ("part", u64::from(k)),
    }
}

pub(super) fn line(op: Op) -> Line {
    let (name, more) = named(op);
    (name.to_string(), op.operands().collect(), more)
}

/// The operation, unless the line is none.
pub(super) fn operation((name, operands, more): &Line) -> Option<Op> {
    let small = || u32::try_from(*more).ok();
    Some(match (name.as_str(), &operands[..]) {
        ("input", []) => Op::Input(small()?),
        ("constant", []) => Op::Constant(f64::from_bits(*more)),
        ("neg", &[x]) => Op::Neg(x),
        ("add", &[x, y]) => Op::Add(x, y),
        ("sub", &[x, y]) => Op::Sub(x, y),
        ("mul", &[x, y]) => Op::Mul(x, y),
        ("div", &[x, y]) => Op::Div(x, y),
        ("mul_add", &[x, y, z]) => Op::MulAdd(x, y, z),
        ("unary", &[x]) => Op::Unary { rule: small()?, x },
        ("binary", &[x, y]) => Op::Binary { rule: small()?, x, y },
        ("select", &[condition, x, y]) => Op::Select { condition, x, y },
        ("detach", &[x]) => Op::Detach(x),
        ("partial", &[f, d]) => Op::Partial { f, d },
        ("strong", &[d, t]) => Op::Strong { d, t },
        ("both", &[d, t]) => Op::Both { d, t },
        ("over", &[t, y, r]) => Op::Over { t, y, r },
        (name, &[x, y]) => Op::Compare { relation: relation(name)?, x, y },
        _ => return None,
    })
}

fn relation(name: &str) -> Option<Relation> {
    RELATIONS.into_iter().find(|relation| relation.name() == name)
}

pub(super) fn question_line(question: Question) -> Line {
    let name = match question {
        Question::Compare(relation, ..) => relation.name(),
        Question::Order(..) => "partial_cmp",
        Question::Has(property, _) => property.name(),
        Question::Value(_) => "value",
    };
    (name.to_string(), question.operands().collect(), 0)
}

/// The question, unless the line is none.
pub(super) fn question((name, operands, _): &Line) -> Option<Question> {
    Some(match (name.as_str(), &operands[..]) {
        ("partial_cmp", &[x, y]) => Question::Order(x, y),
        ("value", &[x]) => Question::Value(x),
        (name, &[x]) => Question::Has(PROPERTIES.into_iter().find(|p| p.name() == name)?, x),
        (name, &[x, y]) => Question::Compare(relation(name)?, x, y),
        _ => return None,
    })
}

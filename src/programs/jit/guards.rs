//! Guards as instructions: a branch to the end of the function where the answer is another one.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};

use super::emit::{Emitter, condition, sign};
use crate::number::Property;
use crate::programs::op::{Guard, Question};

/// Asks the guard of this number, in each lane.
pub(super) fn ask(e: &mut Emitter<'_>, number: usize, guard: &Guard) {
    let operands: Vec<Value> = guard.question.operands().map(|x| e.value(x)).collect();
    let first = e.lanes(operands[0]);
    let second = operands.get(1).map_or(first.clone(), |&y| e.lanes(y));
    for (x, y) in first.into_iter().zip(second) {
        let holds = match guard.question {
            Question::Compare(relation, ..) => {
                let condition = condition(relation);
                let condition = if guard.answer == 1 { condition } else { condition.complement() };
                e.b.ins().fcmp(condition, x, y)
            }
            Question::Order(..) => e.b.ins().fcmp(order(guard.answer), x, y),
            Question::Has(property, _) => has(e, property, x, guard.answer == 1),
            Question::Value(_) => {
                let bits = e.b.ins().bitcast(types::I64, MemFlags::new(), x);
                e.b.ins().icmp_imm(IntCC::Equal, bits, guard.answer)
            }
        };
        let next = e.b.create_block();
        let number = e.b.ins().iconst(types::I32, number as i64 + 1);
        e.b.ins().brif(holds, next, &[], e.failed, &[number.into()]);
        e.b.switch_to_block(next);
    }
}

/// The condition of a recorded order.
fn order(answer: i64) -> FloatCC {
    match answer {
        -1 => FloatCC::LessThan,
        0 => FloatCC::Equal,
        1 => FloatCC::GreaterThan,
        _ => FloatCC::Unordered,
    }
}

/// Whether a float has a property, or has it not.
fn has(e: &mut Emitter<'_>, property: Property, x: Value, expected: bool) -> Value {
    let with = |condition: FloatCC| if expected { condition } else { condition.complement() };
    let size = e.b.ins().fabs(x);
    let [infinity, least, zero, one] =
        [f64::INFINITY, f64::MIN_POSITIVE, 0.0, 1.0].map(|c| e.b.ins().f64const(c));
    let both = |e: &mut Emitter<'_>, a: Value, b: Value| {
        let both = e.b.ins().band(a, b);
        if expected { both } else { e.b.ins().icmp_imm(IntCC::Equal, both, 0) }
    };
    match property {
        Property::Zero => e.b.ins().fcmp(with(FloatCC::Equal), x, zero),
        Property::One => e.b.ins().fcmp(with(FloatCC::Equal), x, one),
        Property::Nan => e.b.ins().fcmp(with(FloatCC::Unordered), x, x),
        Property::Finite => e.b.ins().fcmp(with(FloatCC::LessThan), size, infinity),
        Property::Infinite => e.b.ins().fcmp(with(FloatCC::Equal), size, infinity),
        Property::Normal => {
            let low = e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, size, least);
            let high = e.b.ins().fcmp(FloatCC::LessThan, size, infinity);
            both(e, low, high)
        }
        Property::Subnormal => {
            let low = e.b.ins().fcmp(FloatCC::GreaterThan, size, zero);
            let high = e.b.ins().fcmp(FloatCC::LessThan, size, least);
            both(e, low, high)
        }
        Property::Positive | Property::Negative => {
            let negative = (property == Property::Negative) == expected;
            let bits = e.b.ins().bitcast(types::I64, MemFlags::new(), x);
            e.b.ins().icmp_imm(sign(negative), bits, 0)
        }
    }
}

//! Guards as instructions: a branch to the end of the function where the answer is another one.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};

use super::emit::{Emitter, condition, sign};
use crate::number::Property;
use crate::programs::op::{Question, bits};

impl Emitter<'_> {
    /// Asks the question of this guard, in each lane.
    pub(super) fn ask(&mut self, guard: u32) {
        let (question, answer) = {
            let guard = &self.plan.code.guards[guard as usize];
            (guard.question, guard.answer)
        };
        let operands: Vec<Value> = question.operands().map(|x| self.value(x)).collect();
        let lanes = self.lanes(operands[0]);
        let others = operands.get(1).map_or(lanes.clone(), |&y| self.lanes(y));
        for (x, y) in lanes.into_iter().zip(others) {
            let holds = holds(self, question, answer, x, y);
            let next = self.b.create_block();
            let number = self.b.ins().iconst(types::I32, i64::from(guard) + 1);
            self.b.ins().brif(holds, next, &[], self.failed, &[number.into()]);
            self.b.switch_to_block(next);
        }
    }
}

/// Whether the answer is this one.
fn holds(e: &mut Emitter<'_>, question: Question, answer: i64, x: Value, y: Value) -> Value {
    match question {
        Question::Compare(relation, ..) => {
            let condition = condition(relation);
            let condition = if answer == 1 { condition } else { condition.complement() };
            e.b.ins().fcmp(condition, x, y)
        }
        Question::Order(..) => e.b.ins().fcmp(order(answer), x, y),
        Question::Has(property, _) => has(e, property, x, answer == 1),
        Question::Value(_) => {
            // (Those of one NaN for all.)
            if answer == bits(f64::NAN) {
                return e.b.ins().fcmp(FloatCC::Unordered, x, x);
            }
            let bits = e.b.ins().bitcast(types::I64, MemFlags::new(), x);
            e.b.ins().icmp_imm(IntCC::Equal, bits, answer)
        }
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
            let asked = if (property == Property::Negative) == expected {
                Property::Negative
            } else {
                Property::Positive
            };
            let (is_sign, is_number) = (sign_bit(e, asked, x), e.b.ins().fcmp(FloatCC::Ordered, x, x));
            e.b.ins().band(is_sign, is_number)
        }
    }
}

/// Whether the sign bit is that of a sign.
fn sign_bit(e: &mut Emitter<'_>, asked: Property, x: Value) -> Value {
    let bits = e.b.ins().bitcast(types::I64, MemFlags::new(), x);
    e.b.ins().icmp_imm(sign(asked == Property::Negative), bits, 0)
}

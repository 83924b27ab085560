//! Guards as instructions: a branch to the end of the function where the answer is another one.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};

use super::emit::{Emitter, condition, flags, sign};
use crate::number::Property;
use crate::programs::machine::parts::Site;
use crate::programs::op::{NO_SIGN, Question, bits};

impl Emitter<'_> {
    /// Asks the question of this number, in each lane.
    pub(super) fn ask(&mut self, site: u32) {
        let parts = &self.plan.parts;
        let Site { question, first, step } = parts.sites[site as usize];
        let operands: Vec<Value> = question.operands().map(|x| self.value(x)).collect();
        let lanes = self.lanes(operands[0]);
        let others = operands.get(1).map_or(lanes.clone(), |&y| self.lanes(y));
        // Answers by iteration, if they differ.
        let iterations = if step == 0 { 1 } else { self.count };
        let answer = |i: u32| parts.answers[(first + i * step) as usize];
        let alike = (1..iterations).all(|i| answer(i) == answer(0));
        for (lane, (x, y)) in lanes.into_iter().zip(others).enumerate() {
            let holds = if alike {
                holds(self, question, answer(0), x, y)
            } else {
                let answers = self.data(&parts.answers[first as usize..]);
                let pointer = self.element(answers, step as i32, 8);
                let after = if self.pair.is_some() { lane as i32 * step as i32 * 8 } else { 0 };
                let recorded = self.b.ins().load(types::I64, flags(), pointer, after);
                let answer = answered(self, question, x, y);
                self.b.ins().icmp(IntCC::Equal, answer, recorded)
            };
            let next = self.b.create_block();
            if let Some(pair) = self.pair {
                self.b.ins().brif(holds, next, &[], pair.leave, &[]);
            } else {
                let number = self.number(first, step);
                self.b.ins().brif(holds, next, &[], self.failed, &[number.into()]);
            }
            self.b.switch_to_block(next);
        }
    }
    /// The number of a guard in this iteration, counted from 1.
    fn number(&mut self, first: u32, step: u32) -> Value {
        let Some([i, _]) = self.iteration.filter(|_| step > 0) else {
            return self.b.ins().iconst(types::I32, i64::from(first) + 1);
        };
        let number = self.b.ins().imul_imm(i, i64::from(step));
        let number = self.b.ins().iadd_imm(number, i64::from(first) + 1);
        self.b.ins().ireduce(types::I32, number)
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
            let bits = value_bits(e, x);
            e.b.ins().icmp_imm(IntCC::Equal, bits, answer)
        }
    }
}

/// The bits of a value, those of one NaN for all.
fn value_bits(e: &mut Emitter<'_>, x: Value) -> Value {
    let itself = e.b.ins().bitcast(types::I64, MemFlags::new(), x);
    let nan = e.b.ins().iconst(types::I64, bits(f64::NAN));
    let is_nan = e.b.ins().fcmp(FloatCC::Unordered, x, x);
    e.b.ins().select(is_nan, nan, itself)
}

/// The answer.
fn answered(e: &mut Emitter<'_>, question: Question, x: Value, y: Value) -> Value {
    if let Question::Value(_) = question {
        return value_bits(e, x);
    }
    if let Question::Has(property, _) = question
        && property.is_sign()
    {
        let (is_sign, no_sign) = (sign_bit(e, property, x), e.b.ins().iconst(types::I64, NO_SIGN));
        let (yes, is_nan) =
            (e.b.ins().uextend(types::I64, is_sign), e.b.ins().fcmp(FloatCC::Unordered, x, x));
        return e.b.ins().select(is_nan, no_sign, yes);
    }
    let Question::Order(..) = question else {
        let yes = holds(e, question, 1, x, y);
        return e.b.ins().uextend(types::I64, yes);
    };
    let mut answer = e.b.ins().iconst(types::I64, 2);
    for this in [-1, 0, 1] {
        let (holds, this) = (holds(e, question, this, x, y), e.b.ins().iconst(types::I64, this));
        answer = e.b.ins().select(holds, this, answer);
    }
    answer
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

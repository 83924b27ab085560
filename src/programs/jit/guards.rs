//! Guards as instructions: a branch to the end of the function if the guard fails.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::emit::{Emitter, condition};
use super::memory;
use crate::number::Property;
use crate::programs::op::{Guard, GuardCondition};

impl Emitter<'_> {
    /// Checks this guard, in each lane.
    pub(super) fn guard(&mut self, number: u32) {
        let guard = &self.plan.code.guards[number as usize];
        let operands: Vec<Value> = guard.condition.operands().map(|x| self.value(x)).collect();
        let lanes = self.lanes(operands[0]);
        let others = operands.get(1).map_or(lanes.clone(), |&y| self.lanes(y));
        for (x, y) in lanes.into_iter().zip(others) {
            let holds = holds(self, guard, x, y);
            let next = self.b.create_block();
            let number = self.b.ins().iconst(types::I32, i64::from(number) + 1);
            self.b.ins().brif(holds, next, &[], self.failed, &[number.into()]);
            self.b.switch_to_block(next);
        }
    }
}

/// Whether the guard holds.
fn holds(e: &mut Emitter<'_>, guard: &Guard, x: Value, y: Value) -> Value {
    let (one, zero) = (e.b.ins().f64const(1.0), e.b.ins().f64const(0.0));
    let (relation, x, y) = match guard.condition {
        GuardCondition::Compare(relation, ..) => (condition(relation), x, y),
        GuardCondition::Has(Property::Zero, _) => (FloatCC::Equal, x, zero),
        GuardCondition::Has(Property::One, _) => (FloatCC::Equal, x, one),
        GuardCondition::Has(Property::Nan, _) => (FloatCC::Unordered, x, x),
        GuardCondition::Order(..) => match guard.expected {
            -1 => return e.b.ins().fcmp(FloatCC::LessThan, x, y),
            0 => return e.b.ins().fcmp(FloatCC::Equal, x, y),
            1 => return e.b.ins().fcmp(FloatCC::GreaterThan, x, y),
            _ => return e.b.ins().fcmp(FloatCC::Unordered, x, y),
        },
        _ => {
            let agrees =
                e.call_numbers(memory::agrees as *const u8, Some(std::ptr::from_ref(guard).cast()), &[x]);
            return e.b.ins().fcmp(FloatCC::Equal, agrees, one);
        }
    };
    e.b.ins().fcmp(if guard.expected == 1 { relation } else { relation.complement() }, x, y)
}

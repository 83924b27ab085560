//! The function of a straight stretch of instructions, with the guards between them.

use std::ops::Range;

use super::emit::Emitter;
use crate::programs::machine::instrs::Instr;
use crate::programs::op::Op;

/// Up to so many numbers from outside stay in registers.
pub(super) const KEPT: usize = 6;

/// Writes the function; the last one of a program writes the results that are left.
pub(super) fn write(e: &mut Emitter<'_>, range: Range<usize>, last: bool) {
    e.keeps_constants = constants(e, range.clone()) <= KEPT;
    range.for_each(|p| instruction(e, p));
    if last {
        let plan = e.plan;
        for &(k, slot) in &plan.late {
            let value = e.value(slot);
            e.result(k, value);
        }
    }
}

/// The number of constants that instructions read.
fn constants(e: &Emitter<'_>, range: Range<usize>) -> usize {
    let operands = e.plan.parts.instrs.list(range).flat_map(|instr| instr.op.operands());
    let mut all: Vec<u32> = operands.filter(|&x| e.constant_of(x).is_some()).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// Writes an instruction of the machine.
pub(super) fn instruction(e: &mut Emitter<'_>, p: usize) {
    let plan = e.plan;
    let Instr { op, to } = plan.parts.instrs.at(p);
    e.at = p;
    if let Op::Part(site) = op {
        return e.ask(site);
    }
    let value = e.emit(op);
    e.define(to, value);
    if plan.stored[p] {
        e.store(to, value);
    }
    for k in plan.results_of(p) {
        e.result(k, value);
    }
}

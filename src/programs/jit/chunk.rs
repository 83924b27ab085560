//! The function of a stretch of operations, with the guards between them.

use std::ops::Range;

use cranelift_codegen::ir::{InstBuilder, types};

use super::emit::Emitter;
use super::guards;
use super::plan::writes_at_once;
use crate::programs::op::Op;

/// Up to so many constants stay in registers.
const KEPT_CONSTANTS: usize = 6;

/// Writes the function; the last one of a program asks what is left, and writes the results. Whether it calls rules.
pub(super) fn write(mut e: Emitter<'_>, chunk: Range<usize>, last: bool) -> bool {
    e.keeps_constants = constants(&e, chunk.clone()) <= KEPT_CONSTANTS;
    let at_once = writes_at_once(e.code);
    let guards = &e.code.guards;
    // (Guards of former chunks stand before the first of this one.)
    let mut guard = guards.partition_point(|g| chunk.start != 0 && g.before as usize <= chunk.start);
    for i in chunk.clone() {
        while guards.get(guard).is_some_and(|g| g.before as usize <= i) {
            guards::ask(&mut e, guard, &guards[guard]);
            guard += 1;
        }
        if e.plan.needed[i] {
            operation(&mut e, i, at_once);
        }
    }
    while guards.get(guard).is_some_and(|g| g.before as usize <= chunk.end) {
        guards::ask(&mut e, guard, &guards[guard]);
        guard += 1;
    }
    if last && !at_once {
        write_results(&mut e);
    }
    e.check_results();
    let ok = e.b.ins().iconst(types::I32, 0);
    e.b.ins().return_(&[ok]);
    e.b.switch_to_block(e.failed);
    let number = e.b.block_params(e.failed)[0];
    e.b.ins().return_(&[number]);
    e.b.seal_all_blocks();
    e.b.finalize();
    e.calls_rules
}

/// The number of constants that operations read.
fn constants(e: &Emitter<'_>, chunk: Range<usize>) -> usize {
    let ops = &e.code.ops;
    let operands = chunk.filter(|&i| e.plan.needed[i]).flat_map(|i| ops[i].operands());
    let mut all: Vec<u32> = operands.filter(|&x| matches!(ops[x as usize], Op::Constant(_))).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn operation(e: &mut Emitter<'_>, i: usize, at_once: bool) {
    let op = e.code.ops[i];
    if !matches!(op, Op::Input(_) | Op::Constant(_)) {
        let value = e.emit(i, op);
        e.values[i] = Some(value);
        if let Some(slot) = e.plan.slot(i as u32) {
            e.store(2, slot as usize, value);
        }
    }
    if at_once {
        let plan = e.plan;
        for k in plan.results_of(i as u32) {
            let value = e.value(i as u32);
            e.result(k, value);
        }
    }
}
fn write_results(e: &mut Emitter<'_>) {
    for (k, &y) in e.code.outputs.iter().enumerate() {
        let value = e.value(y);
        e.result(k, value);
    }
}

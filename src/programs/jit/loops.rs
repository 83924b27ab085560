//! The function of a loop: pairs of iterations in lanes, as far as they go, and the others one by one.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};

use super::emit::{Emitter, Pair, Slots};
use super::plan::operands;
use super::straight::{KEPT, instruction};
use crate::programs::machine::instrs::Instr;
use crate::programs::machine::parts::{LaneBody, Loop, Sum};
use crate::programs::op::Op;

/// Writes the function of the loop of this number.
pub(super) fn write(e: &mut Emitter<'_>, k: usize) {
    let plan = e.plan;
    e.count = plan.parts.loops[k].count;
    let (l, next) = (&plan.parts.loops[k], e.b.create_block());
    let (carried, outer) = carried(e, l);
    let first: Vec<Value> = carried.iter().map(|&slot| e.value(slot)).collect();
    let kept = kept(e, l, &outer);
    let body = head(e, carried.len());
    if plan.paired[k] && !e.wide {
        pairs(e, k, body, &carried, &first);
    } else {
        begin(e, body, &first);
    }
    let values = enter(e, body, kept);
    carried.iter().zip(values).for_each(|(&slot, value)| e.define(slot, value));
    l.body().for_each(|p| instruction(e, p));
    for &(from, base) in &l.stores {
        let value = e.value(from);
        e.store_here(base, value);
    }
    let after: Vec<Value> = l.carries.iter().map(|&(from, _)| e.value(from)).collect();
    l.carries.iter().zip(after).for_each(|(&(_, to), value)| e.define(to, value));
    let after: Vec<Value> = carried.iter().map(|&slot| e.value(slot)).collect();
    let [i, _] = e.iteration.expect("a loop");
    let i = e.b.ins().iadd_imm(i, 1);
    let more = e.b.ins().icmp_imm(IntCC::SignedLessThan, i, i64::from(l.count));
    e.b.ins().brif(more, body, &arguments(i, &after), next, &[]);
    e.b.switch_to_block(next);
    for &slot in &plan.kept[k] {
        let value = e.value(slot);
        e.store(slot, value);
    }
}

/// The numbers from outside that stay in registers, if there are few; constants are where the emitter keeps them.
fn kept(e: &mut Emitter<'_>, l: &Loop, outer: &[u32]) -> Slots<Value> {
    e.keeps_constants = outer.len() <= KEPT;
    if !e.keeps_constants {
        return Slots::default();
    }
    let kept = outer.iter().filter(|&&slot| e.constant_of(slot).is_none());
    let kept: Vec<u32> = kept.copied().collect();
    literals(e, l, outer);
    kept.into_iter().map(|slot| (slot, e.value(slot))).collect()
}

/// Loads the constants of a loop into registers.
fn literals(e: &mut Emitter<'_>, l: &Loop, outer: &[u32]) {
    for instr in e.plan.parts.instrs.list(l.body()) {
        match instr.op {
            Op::Neg(_) => _ = e.constant(-0.0),
            Op::Add(x, y) if x == y => _ = e.constant(2.0),
            _ => {}
        }
    }
    for &slot in outer {
        if let Some(c) = e.constant_of(slot) {
            e.constant(c);
        }
    }
    e.keeps_constants = false;
}

/// The slots that pass from one iteration to the next, and those that no iteration writes.
fn carried(e: &Emitter<'_>, l: &Loop) -> (Vec<u32>, Vec<u32>) {
    let parts = &e.plan.parts;
    let (mut seen, mut written, mut early) = (Slots::default(), Slots::default(), Vec::new());
    for instr in parts.instrs.list(l.body()) {
        let read = |slot| early.extend(seen.insert(slot, ()).is_none().then_some(slot));
        operands(parts, instr.op).for_each(read);
        if !matches!(instr.op, Op::Part(_)) {
            seen.insert(instr.to, ());
            written.insert(instr.to, ());
        }
    }
    written.extend(l.carries.iter().map(|&(_, to)| (to, ())));
    early.into_iter().partition(|slot| written.contains_key(slot))
}

/// The block of an iteration, whose parameters are its number and what is carried.
fn head(e: &mut Emitter<'_>, carried: usize) -> Block {
    let (block, ty) = (e.b.create_block(), e.ty());
    e.b.append_block_param(block, types::I64);
    (0..carried).for_each(|_| _ = e.b.append_block_param(block, ty));
    block
}

fn arguments(i: Value, values: &[Value]) -> Vec<BlockArg> {
    std::iter::once(i).chain(values.iter().copied()).map(BlockArg::from).collect()
}

/// Goes to the first iteration.
fn begin(e: &mut Emitter<'_>, to: Block, values: &[Value]) {
    let zero = e.b.ins().iconst(types::I64, 0);
    e.b.ins().jump(to, &arguments(zero, values));
}

/// Begins the iteration of a block: what is carried.
fn enter(e: &mut Emitter<'_>, block: Block, kept: Slots<Value>) -> Vec<Value> {
    e.b.switch_to_block(block);
    e.forget(kept);
    let parameters = e.b.block_params(block).to_vec();
    e.iteration = Some([parameters[0], e.b.ins().ineg(parameters[0])]);
    parameters[1..].to_vec()
}

/// Pairs of iterations, as long as one is left behind them, for `body`. A pair in which a guard has another answer is left
/// for it, too.
fn pairs(e: &mut Emitter<'_>, k: usize, body: Block, carried: &[u32], first: &[Value]) {
    let lanes = e.plan.parts.loops[k].lanes.as_ref().expect("a loop in pairs");
    let sums = lanes.sums.iter().flat_map(|sum| [sum.to, sum.from]);
    let mut passing: Vec<u32> = sums.chain(lanes.carries.iter().flat_map(|&(from, to)| [from, to])).collect();
    passing.extend(lanes.passed.iter().map(|&(_, before)| before));
    passing.sort_unstable();
    passing.dedup();
    let start: Vec<Value> = passing.iter().map(|&slot| e.value(slot)).collect();
    let (kept, single) = (copies(e, lanes), std::mem::take(&mut e.constants));
    for (&bits, &value) in &single {
        let value = e.couple(value, value);
        e.constants.insert(bits, value);
    }
    let (top, leave) = (head(e, passing.len()), e.b.create_block());
    begin(e, top, &start);

    let values = enter(e, top, kept);
    e.passing = passing.iter().copied().zip(values).collect();
    let with = |passing: &Slots<Value>| -> Vec<Value> {
        carried.iter().zip(first).map(|(slot, &first)| *passing.get(slot).unwrap_or(&first)).collect()
    };
    let before = with(&e.passing);
    (e.wide, e.pair) = (true, Some(Pair { body: lanes, leave }));
    iterations(e, k, lanes);
    (e.wide, e.pair) = (false, None);
    let [i, _] = e.iteration.expect("a loop");
    let next = e.b.ins().iadd_imm(i, 2);
    let more = e.b.ins().icmp_imm(IntCC::SignedLessThan, next, i64::from(e.count) - 2);
    let after: Vec<Value> = passing.iter().map(|slot| e.passing[slot]).collect();
    let left = with(&e.passing);
    e.constants = single;
    e.b.ins().brif(more, top, &arguments(next, &after), body, &arguments(next, &left));
    e.b.switch_to_block(leave);
    e.b.ins().jump(body, &arguments(i, &before));
}

/// Numbers from outside, twice side by side: those that stay in registers.
fn copies(e: &mut Emitter<'_>, lanes: &LaneBody) -> Slots<Value> {
    let mut kept = Slots::default();
    for (k, &(slot, lane)) in (0..).zip(&lanes.copies) {
        let value = e.value(slot);
        let value = e.couple(value, value);
        if lanes.copies.len() <= KEPT {
            kept.insert(lane, value);
        } else {
            e.store_copy(k, value);
        }
    }
    kept
}

/// A pair of iterations.
fn iterations(e: &mut Emitter<'_>, k: usize, lanes: &LaneBody) {
    let list: Vec<Instr> = lanes.instrs.list(0..lanes.instrs.len()).collect();
    let asked = list.iter().rposition(|instr| matches!(instr.op, Op::Part(_)));
    let last: Slots<usize> = list.iter().enumerate().map(|(at, instr)| (instr.to, at)).collect();
    let mut meetings: Slots<u32> = Slots::default();
    lanes.sums.iter().for_each(|sum| {
        *meetings.entry(sum.to).or_default() += 1;
        *meetings.entry(sum.from).or_default() += 1;
    });
    // A sum that no other one of the iteration reads or writes.
    let is_alone = |sum: &Sum| lanes.carries.is_empty() && sum.to == sum.from && meetings[&sum.to] == 2;
    let (alone, mut left): (Vec<Sum>, Vec<Sum>) = lanes.sums.iter().partition(|sum| is_alone(sum));
    let mut waiting: Slots<Vec<Sum>> = Slots::default();
    alone.into_iter().for_each(|sum| waiting.entry(sum.lane).or_default().push(sum));
    for (at, &Instr { op, to }) in list.iter().enumerate() {
        e.at = at;
        if let Op::Part(site) = op {
            e.ask(site);
            continue;
        }
        let value = e.emit(op);
        e.define(to, value);
        e.store_addressed(k, lanes.first + to, value);
        // A term need not stay in a register for the end (but before a question, which may leave the pair).
        if asked.is_none_or(|asked| at > asked) && last[&to] == at {
            waiting
                .remove(&to)
                .into_iter()
                .flatten()
                .for_each(|sum| (0..2).for_each(|lane| add(e, sum, lane)));
        }
    }
    for &(lane, base) in &lanes.stores {
        let value = e.value(lane);
        e.store_here(base, value);
    }
    for &(lane, before) in &lanes.passed {
        let value = e.value(lane);
        let last = e.b.ins().extractlane(value, 1);
        e.passing.insert(before, last);
    }
    left.extend(waiting.into_values().flatten());
    for lane in 0..2 {
        left.iter().for_each(|&sum| add(e, sum, lane));
        lanes.carries.iter().for_each(|(from, to)| _ = e.passing.insert(*to, e.passing[from]));
    }
}

/// Adds the term of one iteration of a pair.
fn add(e: &mut Emitter<'_>, sum: Sum, lane: u8) {
    let term = e.value(sum.lane);
    let (before, term) = (e.passing[&sum.from], e.b.ins().extractlane(term, lane));
    let ins = e.b.ins();
    let after = if sum.negative { ins.fsub(before, term) } else { ins.fadd(before, term) };
    e.passing.insert(sum.to, after);
}

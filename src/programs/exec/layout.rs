//! Lowers a program to an executable: assigns a slot to each value, and reuses slots.

use super::super::calls::Call;
use super::super::op::{Code, Guard, GuardCondition, Op};
use super::super::rules::Rules;
use super::fused::{Instr, Sharing, fused};
use super::instrs::Instrs;
use super::order::{Fused, Item, grouped};

/// All of an executable except the primitives: plain data, which threads share.
#[derive(Clone, Default)]
pub(in super::super) struct Bytecode {
    pub(super) inputs: usize,
    /// Constants follow the inputs.
    pub(super) constants: Vec<f64>,
    pub(super) slots: usize,
    pub(super) instrs: Instrs,
    /// The conditions of guards on numbers in slots, with the recorded outcomes.
    pub(super) conditions: Vec<(GuardCondition, i64)>,
    /// The guards of these conditions, for errors.
    pub(super) guards: Vec<Guard>,
    /// The slots of the results of each call.
    pub(super) called: Vec<Vec<u32>>,
    /// The slots of the results; [`NO_SLOT`] for totals.
    pub(super) outputs: Vec<u32>,
    /// Whether each input is read in its slot.
    pub(super) in_slots: Vec<bool>,
    pub(super) rules: Rules,
}

/// An executable while slots are given.
struct SlotLayout {
    bytecode: Bytecode,
    /// The slot of each value.
    slot_of: Vec<u32>,
    /// How often each value is still read: at the end too if it is a result, an input or a constant.
    reads: Vec<u32>,
    free: Vec<u32>,
}

/// The slot of a value that is not in a slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The executable of a program; the operands of its calls become slots.
pub(in super::super) fn layout(code: &Code, calls: &mut [Call], sharing: &Sharing) -> Bytecode {
    let instrs = fused(code, calls, sharing);
    let fused = Fused { code, instrs: &instrs };
    let items = grouped(fused);
    let mut reads = vec![0; code.ops.len()];
    let operands = calls.iter().flat_map(|call| call.groups.iter().flatten().copied());
    let operands = operands.chain(items.iter().flat_map(|&item| fused.operands(item)));
    operands.chain(code.outputs.iter().copied()).for_each(|x| reads[x as usize] += 1);
    let bytecode = Bytecode {
        inputs: code.inputs as usize,
        slots: code.inputs as usize,
        guards: code.guards.clone(),
        called: vec![Vec::new(); calls.len()],
        rules: code.rules.clone(),
        ..Bytecode::default()
    };
    let mut layout = SlotLayout { bytecode, slot_of: vec![NO_SLOT; code.ops.len()], reads, free: Vec::new() };
    for (v, &op) in code.ops.iter().enumerate() {
        match op {
            Op::Input(i) => {
                layout.slot_of[v] = i;
                layout.bytecode.in_slots.push(layout.reads[v] > 0);
            }
            Op::Constant(c) => {
                layout.take_slot(v as u32);
                layout.bytecode.constants.push(c);
            }
            _ => continue,
        }
        layout.reads[v] += 1;
    }
    items.into_iter().for_each(|item| layout.place(fused, calls, item));
    layout.bytecode.outputs = code.outputs.iter().map(|&y| layout.slot_of[y as usize]).collect();
    layout.bytecode
}

impl SlotLayout {
    fn slot(&self, value: u32) -> u32 {
        self.slot_of[value as usize]
    }
    fn take_slot(&mut self, value: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.bytecode.slots += 1;
            self.bytecode.slots as u32 - 1
        });
        self.slot_of[value as usize] = slot;
        slot
    }
    /// Frees the slot of a value that is not read again.
    fn release(&mut self, value: u32) {
        if self.reads[value as usize] == 0 {
            self.free.push(self.slot(value));
        }
    }
    fn read(&mut self, value: u32) {
        self.reads[value as usize] -= 1;
        self.release(value);
    }
    fn place(&mut self, code: Fused<'_>, calls: &mut [Call], item: Item) {
        match item {
            Item::Guard(g) => {
                let Guard { condition, expected, .. } = code.code.guards[g as usize];
                self.bytecode.conditions.push((condition.map_operands(|x| self.slot(x)), expected));
                self.bytecode.instrs.push(Instr::Op(Op::CallResult(g)), 0);
                condition.operands().for_each(|x| self.read(x));
            }
            Item::Op(v) => match code.instr(v) {
                Instr::Op(Op::Call(k)) => self.call(&mut calls[k as usize], k, v),
                instr => {
                    let moved = instr.map_operands(|x| self.slot(x));
                    instr.operands().for_each(|x| self.read(x));
                    if let Instr::Total { .. } = instr {
                        return self.bytecode.instrs.push(moved, 0);
                    }
                    let to = self.take_slot(v);
                    self.bytecode.instrs.push(moved, to);
                    self.release(v);
                }
            },
        }
    }
    fn call(&mut self, call: &mut Call, k: u32, v: u32) {
        let slots = call.groups.iter().map(|group| group.iter().map(|&x| self.slot(x)).collect()).collect();
        let operands = std::mem::replace(&mut call.groups, slots);
        let results = v + 1..=v + call.results;
        self.bytecode.called[k as usize] = results.clone().map(|y| self.take_slot(y)).collect();
        self.bytecode.instrs.push(Instr::Op(Op::Call(k)), 0);
        operands.into_iter().flatten().for_each(|x| self.read(x));
        results.for_each(|y| self.release(y));
    }
}

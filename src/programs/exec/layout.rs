//! Lowers a program to an executable: assigns a slot to each value, and reuses slots.

use super::super::calls::Call;
use super::super::op::Op;
use super::super::program::Program;
use super::Executable;
use super::fused::{Instr, Item, Sharing, fused};
use super::order::group;

/// An executable while slots are given.
struct SlotLayout {
    executable: Executable,
    /// The slot of each value.
    slot_of: Vec<u32>,
    /// How often each value is still read: at the end too if it is a result, an input or a constant.
    reads: Vec<u32>,
    free: Vec<u32>,
}

/// The slot of a value that is not in a slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The executable of a program, for points that share numbers and totals.
pub(in super::super) fn layout(program: &Program, sharing: &Sharing) -> Executable {
    let (code, calls) = (&program.code, &program.calls);
    let mut items = fused(code, calls, sharing);
    group(&mut items, code.ops.len());
    let mut reads = vec![0; code.ops.len()];
    let operands = calls.iter().flat_map(|call| call.groups.iter().flatten().copied());
    let operands = operands.chain(items.iter().flat_map(|(instr, _)| instr.operands()));
    operands.chain(code.outputs.iter().copied()).for_each(|x| reads[x as usize] += 1);
    let executable = Executable {
        inputs: code.inputs as usize,
        slots: code.inputs as usize,
        guards: code.guards.clone(),
        rules: code.rules.clone(),
        ..Executable::default()
    };
    let mut layout =
        SlotLayout { executable, slot_of: vec![NO_SLOT; code.ops.len()], reads, free: Vec::new() };
    for (v, &op) in code.ops.iter().enumerate() {
        match op {
            Op::Input(i) => {
                layout.slot_of[v] = i;
                layout.executable.in_slots.push(layout.reads[v] > 0);
            }
            Op::Constant(c) => {
                layout.take_slot(v as u32);
                layout.executable.constants.push(c);
            }
            _ => continue,
        }
        layout.reads[v] += 1;
    }
    items.into_iter().for_each(|item| layout.place(program, item));
    layout.executable.outputs = code.outputs.iter().map(|&y| layout.slot_of[y as usize]).collect();
    layout.executable
}

impl SlotLayout {
    fn slot(&self, value: u32) -> u32 {
        self.slot_of[value as usize]
    }
    fn take_slot(&mut self, value: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.executable.slots += 1;
            self.executable.slots as u32 - 1
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
    fn place(&mut self, program: &Program, (instr, v): Item) {
        if let Instr::Op(Op::Call(k)) = instr {
            return self.call(&program.calls[k as usize], k, v);
        }
        let moved = instr.map_operands(|x| self.slot(x));
        instr.operands().for_each(|x| self.read(x));
        match moved {
            Instr::Guard { guard, condition } => {
                self.executable.conditions.push((condition, program.code.guards[guard as usize].expected));
                self.executable.instrs.push(moved, 0);
            }
            Instr::Total { .. } => self.executable.instrs.push(moved, 0),
            _ => {
                let to = self.take_slot(v);
                self.executable.instrs.push(moved, to);
                self.release(v);
            }
        }
    }
    fn call(&mut self, call: &Call, k: u32, v: u32) {
        self.executable.calls.push(call.map_operands(|x| self.slot(x)));
        let results = v + 1..=v + call.results;
        let called = results.clone().map(|y| self.take_slot(y)).collect();
        self.executable.called.push(called);
        self.executable.instrs.push(Instr::Op(Op::Call(k)), 0);
        call.groups.iter().flatten().for_each(|&x| self.read(x));
        results.for_each(|y| self.release(y));
    }
}

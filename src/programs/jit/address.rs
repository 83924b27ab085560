//! What a loop reads and writes in memory in each iteration, or in a pair of them.

use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlags, Value, types};

use super::emit::{Emitter, Memory, flags};
use super::plan::Home;
use crate::programs::machine::parts::{Address, PASSED};

impl Emitter<'_> {
    /// Data that the machine keeps.
    pub(super) fn data<T>(&mut self, data: &[T]) -> Value {
        self.b.ins().iconst(self.pointer, data.as_ptr() as i64)
    }
    /// The pointer to the element of this iteration, of so many bytes, but for the offset of the first one.
    pub(super) fn element(&mut self, memory: Value, step: i32, bytes: usize) -> Value {
        let [i, negative] = self.iteration.expect("a loop");
        let i = match step {
            1 => i,
            -1 => negative,
            _ => self.b.ins().imul_imm(i, i64::from(step)),
        };
        let i = self.b.ins().ishl_imm(i, i64::from(bytes.trailing_zeros()));
        self.b.ins().iadd(memory, i)
    }
    /// Writes to the slot so many behind another one as there were iterations.
    pub(super) fn store_here(&mut self, base: u32, value: Value) {
        let bytes = self.bytes();
        let pointer = self.element(self.memory[Memory::Slots as usize], 1, bytes);
        self.b.ins().store(flags(), value, pointer, base as i32 * bytes as i32);
    }
    /// What the loop finds at an address in this iteration.
    pub(super) fn load_from(&mut self, address: u32) -> Value {
        if address >= PASSED {
            return self.passed((address - PASSED) as usize);
        }
        let parts = &self.plan.parts;
        let (memory, bytes, first) = match self.plan.homes[address as usize] {
            Home::Inputs => (self.memory[Memory::Inputs as usize], self.bytes(), 0),
            Home::Slots => (self.memory[Memory::Slots as usize], self.bytes(), 0),
            Home::Constants => (self.data(&parts.constants), 8, parts.inputs as i32),
        };
        let lanes = if self.pair.is_some() { 2 } else { 1 };
        let ty = if bytes == 16 { types::F64X2 } else { types::F64 };
        let offset = |slot: i32| (slot - first) * bytes as i32;
        let numbers: Vec<Value> = match parts.addresses[address as usize] {
            Address::Line { base, step } => {
                let pointer = self.element(memory, step, bytes);
                if step == 1 && lanes == 2 {
                    return self.b.ins().load(types::F64X2, flags(), pointer, offset(base as i32));
                }
                if step == -1 && lanes == 2 {
                    let turned = self.b.ins().load(types::F64X2, flags(), pointer, offset(base as i32 - 1));
                    return self.turned(turned);
                }
                let slot = |lane: i32| base as i32 + lane * step;
                (0..lanes).map(|lane| self.b.ins().load(ty, flags(), pointer, offset(slot(lane)))).collect()
            }
            Address::Table { start } => {
                let second = if lanes == 2 { parts.table.len() / 2 } else { 0 };
                let table = self.data(&parts.table[second + start as usize..]);
                let entry = self.element(table, 1, 4);
                let mut number = |lane: i32| {
                    let slot = self.b.ins().uload32(flags(), entry, 4 * lane);
                    let from_first = self.b.ins().ishl_imm(slot, i64::from(bytes.trailing_zeros()));
                    let pointer = self.b.ins().iadd(memory, from_first);
                    self.b.ins().load(ty, flags(), pointer, offset(0))
                };
                (0..lanes).map(&mut number).collect()
            }
        };
        match numbers[..] {
            [x, y] => self.couple(x, y),
            // (A constant is the same at all points.)
            [x] if bytes == 8 => self.spread(x),
            _ => numbers[0],
        }
    }
    /// What the iterations before a pair and its first one have computed for a slot.
    fn passed(&mut self, k: usize) -> Value {
        let (lane, before) = self.pair.expect("a pair").body.passed[k];
        let value = self.value(lane);
        let first = self.b.ins().extractlane(value, 0);
        self.couple(self.passing[&before], first)
    }
    /// The same two numbers, the other way round.
    fn turned(&mut self, pair: Value) -> Value {
        let order =
            self.b.func.dfg.immediates.push((0..16u8).map(|i| (i + 8) % 16).collect::<Vec<u8>>().into());
        let bytes = MemFlags::new().with_endianness(Endianness::Little);
        let pair = self.b.ins().bitcast(types::I8X16, bytes, pair);
        let pair = self.b.ins().shuffle(pair, pair, order);
        self.b.ins().bitcast(types::F64X2, bytes, pair)
    }
    /// Two numbers side by side.
    pub(super) fn couple(&mut self, x: Value, y: Value) -> Value {
        let pair = self.b.ins().splat(types::F64X2, x);
        self.b.ins().insertlane(pair, y, 1)
    }
}

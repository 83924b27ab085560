//! A function in the making: its memory, and what of it is in registers.
//!
//! A value is an `F64`, or an `F64X2` of two points or of two iterations of a loop.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlags, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use super::plan::Plan;
use crate::programs::machine::parts::LaneBody;
use crate::programs::op::Relation;
use crate::programs::rules::Mixing;

/// The signature of the function of a piece.
pub(super) fn signature(pointer: Type, convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(pointer); 3]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// What a function returns if a result is not finite.
pub(super) const NOT_FINITE: u32 = u32::MAX;

/// The number of sums of results: one alone would wait for itself.
const SUMS: usize = 4;

/// An operation so many behind another one does not share its loads.
const FAR: usize = 16;

/// A map by slot.
pub(super) type Slots<V> = HashMap<u32, V, BuildHasherDefault<Mixing>>;

/// Inputs, results, slots: the operands of a function.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    Inputs,
    Results,
    Slots,
}

/// A function in the making.
pub(super) struct Emitter<'a> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) plan: &'a Plan,
    pub(super) wide: bool,
    pub(super) pointer: Type,
    pub(super) memory: [Value; 3],
    /// What this function has computed, by slot.
    pub(super) values: Slots<Value>,
    /// What it has loaded, with the instruction that did.
    loaded: Slots<(usize, Value)>,
    /// Whether constants stay in registers.
    pub(super) keeps_constants: bool,
    /// The constants that do, by their bits.
    pub(super) constants: HashMap<u64, Value, BuildHasherDefault<Mixing>>,
    /// Whether rules are called that are not functions of std.
    pub(super) calls_rules: bool,
    /// The masks of comparisons by their values, so that choices need not test these. (Not by slots: another number may be
    /// in a slot by then.)
    pub(super) masks: HashMap<Value, Value, BuildHasherDefault<Mixing>>,
    /// Sums of results, which are finite only where these are.
    sums: [Option<Value>; SUMS],
    /// Where a guard with another answer leads, with its number.
    pub(super) failed: Block,
    /// In a loop: the number of the iteration, the first one of a pair, and its negative.
    pub(super) iteration: Option<[Value; 2]>,
    /// The number of iterations of the loop.
    pub(super) count: u32,
    /// In pairs of iterations: sums, and what the iteration before has computed.
    pub(super) passing: Slots<Value>,
    /// In pairs of iterations.
    pub(super) pair: Option<Pair<'a>>,
    /// The instruction that is written.
    pub(super) at: usize,
}

/// Two iterations of a loop.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) body: &'a LaneBody,
    /// Where a guard with another answer leads.
    pub(super) leave: Block,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(mut b: FunctionBuilder<'a>, plan: &'a Plan, wide: bool, pointer: Type) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        let failed = b.create_block();
        b.append_block_param(failed, types::I32);
        b.set_cold_block(failed);
        b.switch_to_block(entry);
        let memory = [0, 1, 2].map(|i| b.block_params(entry)[i]);
        Emitter {
            b,
            plan,
            wide,
            pointer,
            memory,
            values: Slots::default(),
            loaded: Slots::default(),
            keeps_constants: false,
            calls_rules: false,
            masks: HashMap::default(),
            sums: [None; SUMS],
            constants: HashMap::default(),
            at: 0,
            iteration: None,
            count: 0,
            passing: Slots::default(),
            pair: None,
            failed,
        }
    }
    /// The end of the function.
    pub(super) fn finish(mut self) -> bool {
        self.check_results();
        let ok = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[ok]);
        self.b.switch_to_block(self.failed);
        let number = self.b.block_params(self.failed)[0];
        self.b.ins().return_(&[number]);
        self.b.seal_all_blocks();
        self.b.finalize();
        self.calls_rules
    }
    /// Forgets what is in registers, at the beginning of a loop's body; these values stay there, and constants.
    pub(super) fn forget(&mut self, kept: Slots<Value>) {
        self.values = kept;
        self.loaded.clear();
    }
    pub(super) fn ty(&self) -> Type {
        if self.wide { types::F64X2 } else { types::F64 }
    }
    /// The bytes of a number in memory of this function, which a pair of iterations has in common.
    pub(super) fn bytes(&self) -> usize {
        if self.wide && self.pair.is_none() { 16 } else { 8 }
    }
    fn store_at(&mut self, memory: Memory, k: usize, value: Value) {
        let offset = (k * self.bytes()) as i32;
        self.b.ins().store(flags(), value, self.memory[memory as usize], offset);
    }
    /// Writes to memory what has been computed for a slot.
    pub(super) fn store(&mut self, slot: u32, value: Value) {
        self.store_at(Memory::Slots, slot as usize, value);
    }
    /// Writes to memory what a pair of iterations has computed for a slot, if addresses lead to it.
    pub(super) fn store_addressed(&mut self, k: usize, slot: u32, pair: Value) {
        if self.plan.addressed[k].binary_search(&slot).is_ok() {
            for (lane, value) in self.lanes(pair).into_iter().enumerate() {
                self.store_at(Memory::Slots, slot as usize + lane * self.plan.parts.slots, value);
            }
        }
    }
    /// Writes a result.
    pub(super) fn result(&mut self, k: usize, value: Value) {
        self.store_at(Memory::Results, k, value);
        if self.plan.checked {
            let sum = self.sums[k % SUMS];
            self.sums[k % SUMS] = Some(sum.map_or(value, |sum| self.b.ins().fadd(sum, value)));
        }
    }
    /// The end of the function if a result is not finite (or their sum overflows).
    fn check_results(&mut self) {
        let sums = std::mem::take(&mut self.sums);
        let Some(sum) = sums.into_iter().flatten().reduce(|a, b| self.b.ins().fadd(a, b)) else { return };
        let number = self.b.ins().iconst(types::I32, i64::from(NOT_FINITE));
        let infinity = self.b.ins().f64const(f64::INFINITY);
        for lane in self.lanes(sum) {
            let size = self.b.ins().fabs(lane);
            let finite = self.b.ins().fcmp(FloatCC::LessThan, size, infinity);
            let next = self.b.create_block();
            self.b.ins().brif(finite, next, &[], self.failed, &[number.into()]);
            self.b.switch_to_block(next);
        }
    }
    /// A constant: again at each use, if it does not stay in a register.
    pub(super) fn constant(&mut self, x: f64) -> Value {
        if let Some(&value) = self.constants.get(&x.to_bits()) {
            return value;
        }
        let value = self.b.ins().f64const(x);
        let value = self.spread(value);
        if self.keeps_constants {
            self.constants.insert(x.to_bits(), value);
        }
        value
    }
    /// A number in all lanes.
    pub(super) fn spread(&mut self, value: Value) -> Value {
        if self.wide { self.b.ins().splat(types::F64X2, value) } else { value }
    }
    /// The value of a slot.
    pub(super) fn value(&mut self, slot: u32) -> Value {
        if let Some(&value) = self.values.get(&slot) {
            return value;
        }
        if let Some(c) = self.constant_of(slot) {
            return self.constant(c);
        }
        // Loaded again, rather than kept on the stack, where the last use is far.
        if let Some(&(at, value)) = self.loaded.get(&slot)
            && self.at - at < FAR
        {
            return value;
        }
        let value = self.load(slot);
        self.loaded.insert(slot, (self.at, value));
        value
    }
    pub(super) fn constant_of(&self, slot: u32) -> Option<f64> {
        let k = (slot as usize).checked_sub(self.plan.parts.inputs).filter(|_| self.pair.is_none())?;
        self.plan.parts.constants.get(k).copied()
    }
    fn load(&mut self, slot: u32) -> Value {
        let (memory, offset) = match self.pair {
            Some(pair) => (Memory::Slots, self.copy(slot - pair.body.own)),
            None if (slot as usize) < self.plan.parts.inputs => {
                (Memory::Inputs, slot as usize * self.bytes())
            }
            None => (Memory::Slots, slot as usize * self.bytes()),
        };
        let ty = self.ty();
        self.b.ins().load(ty, flags(), self.memory[memory as usize], offset as i32)
    }
    /// Where a number for pairs of iterations is in memory.
    fn copy(&self, k: u32) -> usize {
        8 * (self.plan.first_copy() + 2 * k as usize)
    }
    /// Writes a number for pairs of iterations.
    pub(super) fn store_copy(&mut self, k: u32, value: Value) {
        let offset = self.copy(k) as i32;
        self.b.ins().store(flags(), value, self.memory[Memory::Slots as usize], offset);
    }
    /// What an instruction has computed.
    pub(super) fn define(&mut self, slot: u32, value: Value) {
        self.loaded.remove(&slot);
        self.values.insert(slot, value);
    }
}

/// Memory of Rust's slices: aligned, and there.
pub(super) fn flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

pub(super) fn condition(relation: Relation) -> FloatCC {
    match relation {
        Relation::Less => FloatCC::LessThan,
        Relation::LessOrEqual => FloatCC::LessThanOrEqual,
        Relation::Equal => FloatCC::Equal,
    }
}

/// A sign bit, as a comparison of the bits with 0.
pub(super) fn sign(negative: bool) -> IntCC {
    if negative { IntCC::SignedLessThan } else { IntCC::SignedGreaterThanOrEqual }
}

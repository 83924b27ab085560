//! Builds a native function: its memory, and which values are in registers.
//!
//! A value is an `F64`, or an `F64X2` of two points.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlags, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;

use super::plan::{NONE, Plan};
use crate::programs::exec::Instr;
use crate::programs::op::{Op, Relation};
use crate::programs::rules::Mixing;

/// The signature of a function.
pub(super) fn signature(pointer: Type, convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(pointer); 3]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// The return value of a function if a result is not finite.
pub(super) const NOT_FINITE: u32 = u32::MAX;

/// The number of partial sums of results: each addition to a single sum would wait for the previous one.
const SUMS: usize = 4;

/// A load is repeated if it is this many items old.
const FAR: usize = 16;

/// The greatest number of constants that stay in registers.
const KEPT: usize = 6;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixing>>;

/// Inputs, results, slots: the operands of a function.
#[derive(Clone, Copy)]
enum Memory {
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
    memory: [Value; 3],
    /// The values that this function has computed, by operation.
    values: Map<u32, Value>,
    /// The values that it has loaded, each with the item that loaded it.
    loaded: Map<u32, (usize, Value)>,
    /// The constants that stay in registers, by their bits; none if there are many.
    constants: Option<Map<u64, Value>>,
    /// Whether rules are called that are not functions of std.
    pub(super) calls_rules: bool,
    /// The masks of comparisons, by the values of the comparisons: a choice need not test a value again.
    pub(super) masks: Map<Value, Value>,
    /// Sums of results: a sum is finite only if its results are.
    sums: [Option<Value>; SUMS],
    /// The block for a guard that fails, with its number.
    pub(super) failed: Block,
    /// The item that is written.
    at: usize,
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
            values: Map::default(),
            loaded: Map::default(),
            constants: None,
            calls_rules: false,
            masks: Map::default(),
            sums: [None; SUMS],
            failed,
            at: 0,
        }
    }
    /// Writes the function of some items. The function of a program's last items also writes the results that are
    /// left. Returns whether rules are called.
    pub(super) fn write(mut self, range: Range<usize>) -> bool {
        let plan = self.plan;
        if self.constants_in(range.clone()) <= KEPT {
            self.constants = Some(Map::default());
        }
        for at in range.clone() {
            self.at = at;
            match plan.items[at] {
                (Instr::Guard { guard, .. }, _) => self.guard(guard),
                (_, v) => self.operation(v),
            }
        }
        if range.end == plan.items.len() {
            for &k in &plan.late {
                let value = self.value(plan.code.outputs[k]);
                self.result(k, value);
            }
        }
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
    /// The number of constants that some items read.
    fn constants_in(&self, range: Range<usize>) -> usize {
        let operands = self.plan.items[range].iter().flat_map(|(instr, _)| instr.operands());
        let is_constant = |&x: &u32| matches!(self.plan.code.ops[x as usize], Op::Constant(_));
        let mut all: Vec<u32> = operands.filter(is_constant).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
    fn operation(&mut self, v: u32) {
        let plan = self.plan;
        let value = self.emit(plan.code.ops[v as usize]);
        self.values.insert(v, value);
        if plan.slot_of[v as usize] != NONE {
            self.store(Memory::Slots, plan.slot_of[v as usize] as usize, value);
        }
        plan.results_of(v).for_each(|k| self.result(k, value));
    }
    pub(super) fn ty(&self) -> Type {
        if self.wide { types::F64X2 } else { types::F64 }
    }
    /// The offset of a number.
    fn offset(&self, k: usize) -> i32 {
        (k * if self.wide { 16 } else { 8 }) as i32
    }
    fn store(&mut self, memory: Memory, k: usize, value: Value) {
        let offset = self.offset(k);
        self.b.ins().store(flags(), value, self.memory[memory as usize], offset);
    }
    /// Writes a result.
    fn result(&mut self, k: usize, value: Value) {
        self.store(Memory::Results, k, value);
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
    /// A constant in all lanes: again at each use, if it does not stay in a register.
    pub(super) fn constant(&mut self, x: f64) -> Value {
        if let Some(&value) = self.constants.as_ref().and_then(|kept| kept.get(&x.to_bits())) {
            return value;
        }
        let mut value = self.b.ins().f64const(x);
        if self.wide {
            value = self.b.ins().splat(types::F64X2, value);
        }
        if let Some(kept) = &mut self.constants {
            kept.insert(x.to_bits(), value);
        }
        value
    }
    /// The value of an operation.
    pub(super) fn value(&mut self, v: u32) -> Value {
        if let Some(&value) = self.values.get(&v) {
            return value;
        }
        let (memory, k) = match self.plan.code.ops[v as usize] {
            Op::Constant(c) => return self.constant(c),
            Op::Input(i) => (Memory::Inputs, i as usize),
            _ => (Memory::Slots, self.plan.slot_of[v as usize] as usize),
        };
        // A value whose last use is far away is loaded again, rather than kept on the stack.
        if let Some(&(at, value)) = self.loaded.get(&v)
            && self.at - at < FAR
        {
            return value;
        }
        let (ty, offset) = (self.ty(), self.offset(k));
        let value = self.b.ins().load(ty, flags(), self.memory[memory as usize], offset);
        self.loaded.insert(v, (self.at, value));
        value
    }
}

/// Memory of Rust's slices: aligned, and there.
fn flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

pub(super) fn condition(relation: Relation) -> FloatCC {
    match relation {
        Relation::Less => FloatCC::LessThan,
        Relation::LessOrEqual => FloatCC::LessThanOrEqual,
        Relation::Equal => FloatCC::Equal,
    }
}

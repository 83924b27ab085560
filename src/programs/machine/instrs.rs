//! The interpreter: runs instructions, on one number in each slot or on several.
//!
//! The only file of the interpreter with `unsafe`. Slots are accessed without a bounds check, which took a third of
//! the instructions of an operation. It is sound because
//!
//! - the operands of [`Instrs`] and the bound are private, and only [`Instrs::push`] adds to them; it raises the
//!   bound above every slot that the instruction reads or writes. An entry is read as a slot only where the operation
//!   of its run has an operand;
//! - [`Instrs::run`] asserts that the memory has as many slots as the bound, and memory does not shrink in a run: it is a
//!   slice.
//!
//! The numbers of guards, calls and rules are used with a bounds check.

#![allow(unsafe_code)]

use std::array::from_fn;

use super::super::op::{Op, evaluate};
use super::super::rules::Rules;

/// A list of instructions with an upper bound on their slots. Consecutive instructions with the same operation form a
/// run, so that the interpreter dispatches once per run.
///
/// An instruction is an operation on numbers in slots. Two operations have another meaning: `Part(k)` checks guard
/// `k`, `Call(k)` runs call `k`.
#[derive(Clone, Default)]
pub(super) struct Instrs {
    runs: Vec<Run>,
    /// The operands of each instruction and, at the end, the slot of its result. Slots are multiplied by [`SCALE`].
    places: Vec<[u32; 4]>,
    bound: usize,
}

/// Consecutive instructions of one operation, which differ only in their slots.
#[derive(Clone, Copy)]
struct Run {
    op: Op,
    len: u32,
}

/// Slots are stored times 8, the bytes of a number, so that the address of a slot of `N` numbers needs only the
/// factor `N ≤ 8`, which x86 address modes provide.
const SCALE: u32 = size_of::<f64>() as u32;

/// The context of instructions, other than the numbers in their slots. A method that returns false ends the run.
pub(super) trait Around<const N: usize> {
    /// Checks a guard.
    fn ask(&mut self, question: u32, memory: &[[f64; N]]) -> bool;
    /// Runs a call.
    fn call(&mut self, call: u32, memory: &mut [[f64; N]]) -> bool;
}

impl Instrs {
    pub(super) fn push(&mut self, op: Op, to: u32) {
        let mut places = [0; 4];
        for (k, slot) in (0..3).zip(op.operands()).chain([(3, to)]) {
            self.bound = self.bound.max(slot as usize + 1);
            places[k] = slot.checked_mul(SCALE).expect("fewer slots than bytes");
        }
        let op = match op {
            Op::CallResult(k) | Op::Call(k) => {
                places[0] = k;
                if let Op::CallResult(_) = op { Op::CallResult(0) } else { Op::Call(0) }
            }
            op => op.map_operands(|_| 0),
        };
        self.places.push(places);
        match self.runs.last_mut() {
            Some(run) if run.op == op => run.len += 1,
            _ => self.runs.push(Run { op, len: 1 }),
        }
    }
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
    /// Runs the instructions, until a guard or a call returns false. [`evaluate`] defines each operation.
    ///
    /// # Panics
    /// If the memory has fewer slots than the bound.
    pub(super) fn run<const N: usize>(
        &self,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) {
        assert!(memory.len() >= self.bound, "a slot for each number");
        #[cfg(target_arch = "x86_64")]
        if N > 1 && std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions; the slots are as below.
            return unsafe { self.run_avx512(rules, memory, around) };
        }
        #[cfg(target_arch = "x86_64")]
        if N > 1 && std::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { self.run_avx2(rules, memory, around) };
        }
        // SAFETY: `push` has seen all instructions, so their slots are below the bound.
        unsafe { self.run_here(rules, memory, around) }
    }
    /// [`run_here`](Instrs::run_here) with registers of four numbers. Products are not fused with sums, so results
    /// are the same.
    ///
    /// # Safety
    /// As [`run_here`](Instrs::run_here), on a processor with AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2<const N: usize>(
        &self,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) {
        // SAFETY: the caller's.
        unsafe { self.run_here(rules, memory, around) }
    }
    /// [`run_here`](Instrs::run_here) with registers of eight numbers.
    ///
    /// # Safety
    /// As [`run_here`](Instrs::run_here), on a processor with AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn run_avx512<const N: usize>(
        &self,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) {
        // SAFETY: the caller's.
        unsafe { self.run_here(rules, memory, around) }
    }
    /// Runs instructions, run by run.
    ///
    /// # Safety
    /// The memory has as many slots as the bound.
    #[inline(always)]
    unsafe fn run_here<const N: usize>(
        &self,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) {
        // SAFETY: the caller's, for each slot.
        macro_rules! get {
            ($place:expr) => {
                unsafe { *memory.as_ptr().byte_add($place as usize * N) }
            };
        }
        macro_rules! set {
            ($place:expr, $value:expr) => {{
                let value = $value;
                unsafe { *memory.as_mut_ptr().byte_add($place as usize * N) = value };
            }};
        }
        let mut places = &self.places[..];
        for run in &self.runs {
            let (these, others) = places.split_at(run.len as usize);
            places = others;
            macro_rules! each {
                ($op:expr; $($x:ident),+) => {
                    for &[$($x),+, .., to] in these {
                        let of = [$(get!($x)),+];
                        set!(to, from_fn(|lane| evaluate($op, rules, |k| of[k as usize][lane])));
                    }
                };
            }
            match run.op {
                Op::Mul(..) => each!(Op::Mul(0, 1); x, y),
                Op::Add(..) => each!(Op::Add(0, 1); x, y),
                Op::Sub(..) => each!(Op::Sub(0, 1); x, y),
                Op::Div(..) => each!(Op::Div(0, 1); x, y),
                Op::Neg(_) => each!(Op::Neg(0); x),
                Op::MulAdd(..) => each!(Op::MulAdd(0, 1, 2); x, y, z),
                Op::Unary { rule, .. } => {
                    let rule = &rules.unary[rule as usize];
                    for &[x, .., to] in these {
                        let mut value = get!(x);
                        rule.values(&mut value);
                        set!(to, value);
                    }
                }
                Op::Binary { rule, .. } => each!(Op::Binary { rule, x: 0, y: 1 }; x, y),
                Op::Compare { relation, .. } => each!(Op::Compare { relation, x: 0, y: 1 }; x, y),
                Op::Select { .. } => each!(Op::Select { condition: 0, x: 1, y: 2 }; condition, x, y),
                Op::StrongMul { .. } => each!(Op::StrongMul { d: 0, t: 1 }; d, t),
                Op::StrongMulEither { .. } => each!(Op::StrongMulEither { d: 0, t: 1 }; d, t),
                Op::StrongDiv { .. } => each!(Op::StrongDiv { t: 0, y: 1, r: 2 }; t, y, r),
                Op::PropagateNan { .. } => each!(Op::PropagateNan { f: 0, d: 1 }; f, d),
                Op::Detach(_) => each!(Op::Detach(0); x),
                Op::CallResult(_) => {
                    if !these.iter().all(|&[question, ..]| around.ask(question, memory)) {
                        return;
                    }
                }
                Op::Call(_) => {
                    if !these.iter().all(|&[call, ..]| around.call(call, memory)) {
                        return;
                    }
                }
                Op::Input(_) | Op::Constant(_) => {} // never pushed
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Around<1> for () {
        fn ask(&mut self, _: u32, _: &[[f64; 1]]) -> bool {
            true
        }
        fn call(&mut self, _: u32, _: &mut [[f64; 1]]) -> bool {
            true
        }
    }

    /// Whether instructions run in this number of slots.
    fn runs(ops: &[(Op, u32)], slots: usize) -> bool {
        let mut instrs = Instrs::default();
        ops.iter().for_each(|&(op, to)| instrs.push(op, to));
        let run = || instrs.run(&Rules::default(), &mut vec![[1.0]; slots], &mut ());
        std::panic::catch_unwind(run).is_ok()
    }

    #[test]
    fn no_slot_lies_outside_the_memory() {
        let add = [(Op::Add(0, 1), 2)];
        assert!(runs(&add, 3) && runs(&[], 0));
        // Each operand, and the result, of the first instruction and of later ones.
        for ops in [
            &[(Op::Add(3, 1), 2)][..],
            &[(Op::Add(0, 3), 2)],
            &[(Op::Add(0, 1), 3)],
            &[(Op::MulAdd(0, 1, 3), 2)],
            &[(Op::Select { condition: 3, x: 0, y: 1 }, 2)],
            &[add[0], (Op::Neg(3), 0)],
            &[(Op::Neg(3), 0), add[0]],
        ] {
            assert!(!runs(ops, 3) && runs(ops, 4), "{ops:?}");
        }
    }
}

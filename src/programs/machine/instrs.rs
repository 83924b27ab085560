//! Instructions run, on one number in each slot or on several at once.
//!
//! The only file of machines with `unsafe`. Slots are not looked up with a check: that took a third of the instructions of
//! an operation. It is sound because
//!
//! - the list of [`Instrs`] and its bound are private, and grow by [`Instrs::push`] alone, which raises the bound above every
//!   slot that the instruction reads or writes;
//! - [`Instrs::run`] asserts that the memory has as many slots as the bound, and memory does not shrink in a run: it is a
//!   slice.
//!
//! Operands that are no slots (addresses, sites, rules) are looked up with a check.

#![allow(unsafe_code)]

use std::array::from_fn;
use std::ops::Range;

use super::super::evaluate::evaluate;
use super::super::op::Op;
use super::super::rules::Rules;

/// An operation on numbers in slots, and the slot of its result.
///
/// Three operations have another meaning here: `Input(k)` loads from where address `k` is in this iteration, `Part(k)`
/// asks question `k` and has no result, `Detach` copies.
#[derive(Clone, Copy)]
pub(in super::super) struct Instr {
    pub(in super::super) op: Op,
    pub(in super::super) to: u32,
}

/// Instructions, with a bound of their slots.
#[derive(Clone, Default)]
pub(in super::super) struct Instrs {
    list: Vec<Instr>,
    bound: usize,
}

/// What instructions need besides the numbers in their slots.
pub(super) trait Around<const N: usize> {
    /// The numbers at an address.
    fn load(&self, address: u32, memory: &[[f64; N]]) -> [f64; N];
    /// Asks a question; false ends the run.
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool;
}

impl Instrs {
    pub(super) fn push(&mut self, instr: Instr) {
        let slots = instr.op.operands().chain([instr.to]);
        self.bound = slots.fold(self.bound, |bound, slot| bound.max(slot as usize + 1));
        self.list.push(instr);
    }
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
    /// All of them.
    #[cfg(feature = "jit")]
    pub(in super::super) fn list(&self) -> &[Instr] {
        &self.list
    }
    /// Runs the instructions of a range; false if a question ended the run. Each operation means what [`evaluate`] says.
    ///
    /// # Panics
    /// If the memory has fewer slots than the instructions name.
    pub(super) fn run<const N: usize>(
        &self,
        range: Range<u32>,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) -> bool {
        assert!(memory.len() >= self.bound, "a slot for each number");
        let list = &self.list[range.start as usize..range.end as usize];
        #[cfg(target_arch = "x86_64")]
        if N > 1 && std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions; the slots are as below.
            return unsafe { run_avx2(list, rules, memory, around) };
        }
        // SAFETY: `push` has seen all instructions of the list, so their slots are below the bound.
        unsafe { run_here(list, rules, memory, around) }
    }
}

/// [`run_here`] with registers of four numbers. (Products are not fused with sums: results are the same.)
///
/// # Safety
/// As [`run_here`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<const N: usize>(
    list: &[Instr],
    rules: &Rules,
    memory: &mut [[f64; N]],
    around: &mut impl Around<N>,
) -> bool {
    // SAFETY: the caller's.
    unsafe { run_here(list, rules, memory, around) }
}

/// Runs instructions; those of one kind that follow each other without going back to the `match`.
///
/// # Safety
/// The slots of all instructions are those of the memory.
#[inline(always)]
unsafe fn run_here<const N: usize>(
    list: &[Instr],
    rules: &Rules,
    memory: &mut [[f64; N]],
    around: &mut impl Around<N>,
) -> bool {
    let mut i = 0;
    // SAFETY: the caller's, for each slot.
    macro_rules! get {
        ($x:expr) => {
            *unsafe { memory.get_unchecked($x as usize) }
        };
    }
    macro_rules! set {
        ($to:expr, $value:expr) => {{
            let value = $value;
            *unsafe { memory.get_unchecked_mut($to as usize) } = value;
            i += 1;
        }};
    }
    macro_rules! each {
        ($pattern:pat, $op:expr; $($x:ident),+) => {
            while let Some(&Instr { op: $pattern, to }) = list.get(i) {
                let of = [$(get!($x)),+];
                set!(to, from_fn(|lane| evaluate($op, rules, |k| of[k as usize][lane])));
            }
        };
    }
    while let Some(&Instr { op, to }) = list.get(i) {
        match op {
            Op::Mul(..) => each!(Op::Mul(x, y), Op::Mul(0, 1); x, y),
            Op::Add(..) => each!(Op::Add(x, y), Op::Add(0, 1); x, y),
            Op::Sub(..) => each!(Op::Sub(x, y), Op::Sub(0, 1); x, y),
            Op::Div(..) => each!(Op::Div(x, y), Op::Div(0, 1); x, y),
            Op::Neg(_) => each!(Op::Neg(x), Op::Neg(0); x),
            Op::MulAdd(..) => each!(Op::MulAdd(x, y, z), Op::MulAdd(0, 1, 2); x, y, z),
            Op::Unary { rule, x } if N == 1 => {
                set!(to, [rules.unary[rule as usize].value(get!(x)[0]); N]);
            }
            Op::Unary { rule, x } => {
                let mut value = get!(x);
                rules.unary[rule as usize].values(&mut value);
                set!(to, value);
            }
            Op::Binary { .. } => each!(Op::Binary { rule, x, y }, Op::Binary { rule, x: 0, y: 1 }; x, y),
            Op::Compare { .. } => {
                each!(Op::Compare { relation, x, y }, Op::Compare { relation, x: 0, y: 1 }; x, y);
            }
            Op::Select { .. } => {
                each!(Op::Select { condition, x, y }, Op::Select { condition: 0, x: 1, y: 2 }; condition, x, y);
            }
            Op::Strong { .. } => each!(Op::Strong { d, t }, Op::Strong { d: 0, t: 1 }; d, t),
            Op::Both { .. } => each!(Op::Both { d, t }, Op::Both { d: 0, t: 1 }; d, t),
            Op::Over { .. } => each!(Op::Over { t, y, r }, Op::Over { t: 0, y: 1, r: 2 }; t, y, r),
            Op::Partial { .. } => each!(Op::Partial { f, d }, Op::Partial { f: 0, d: 1 }; f, d),
            Op::Detach(x) => set!(to, get!(x)),
            Op::Input(address) => set!(to, around.load(address, memory)),
            Op::Part(site) => {
                if !around.ask(site, memory) {
                    return false;
                }
                i += 1;
            }
            Op::Constant(_) | Op::Call(_) => i += 1, // (A machine has none.)
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Around<1> for () {
        fn load(&self, _: u32, _: &[[f64; 1]]) -> [f64; 1] {
            [0.0]
        }
        fn ask(&mut self, _: u32, _: &[[f64; 1]]) -> bool {
            true
        }
    }

    /// Whether instructions run in so many slots.
    fn runs(ops: &[(Op, u32)], slots: usize) -> bool {
        let mut instrs = Instrs::default();
        ops.iter().for_each(|&(op, to)| instrs.push(Instr { op, to }));
        let run = || instrs.run(0..instrs.len() as u32, &Rules::default(), &mut vec![[1.0]; slots], &mut ());
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
            &[(Op::Input(9), 3)],
            &[add[0], (Op::Neg(3), 0)],
            &[(Op::Neg(3), 0), add[0]],
        ] {
            assert!(!runs(ops, 3) && runs(ops, 4), "{ops:?}");
        }
    }
}

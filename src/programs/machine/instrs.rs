//! Instructions run, on one number in each slot or on several at once.
//!
//! The only file of machines with `unsafe`. Slots are not looked up with a check: that took a third of the instructions of
//! an operation. It is sound because
//!
//! - the places of [`Instrs`] and the bound are private, and grow by [`Instrs::push`] alone, which raises the bound above every
//!   slot that the instruction reads or writes; a place is read as a slot where the operation of its run has an operand;
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

/// Instructions, with a bound of their slots: runs of one kind, so that it is decided once for a run what to do.
#[derive(Clone, Default)]
pub(in super::super) struct Instrs {
    runs: Vec<Run>,
    /// The run of each instruction.
    run_of: Vec<u32>,
    /// The operands of each instruction and, at the end, the slot of its result. Slots are multiplied by [`SCALE`].
    places: Vec<[u32; 4]>,
    bound: usize,
    /// The instruction, counted from 1, that begins a run whatever it is.
    cut: usize,
}

/// So many instructions that follow each other and differ in their places alone.
#[derive(Clone, Copy)]
struct Run {
    op: Op,
    len: u32,
}

/// The bytes of a number. (Processors multiply an offset by 8 in passing, but not by the bytes of eight numbers.)
const SCALE: u32 = size_of::<f64>() as u32;

/// What instructions need besides the numbers in their slots.
pub(super) trait Around<const N: usize> {
    /// The numbers at an address.
    fn load(&self, address: u32, memory: &[[f64; N]]) -> [f64; N];
    /// Asks a question; false ends the run.
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool;
}

impl Instrs {
    pub(super) fn push(&mut self, Instr { op, to }: Instr) {
        let mut places = [0; 4];
        for (k, slot) in (0..3).zip(op.operands()).chain([(3, to)]) {
            self.bound = self.bound.max(slot as usize + 1);
            places[k] = slot.checked_mul(SCALE).expect("fewer slots than bytes");
        }
        let op = match op {
            Op::Input(k) => {
                places[0] = k;
                Op::Input(0)
            }
            Op::Part(k) => {
                places[0] = k;
                Op::Part(0)
            }
            op => op.map_operands(|_| 0),
        };
        self.places.push(places);
        match self.runs.last_mut() {
            Some(run) if run.op == op && self.cut != self.places.len() => run.len += 1,
            _ => self.runs.push(Run { op, len: 1 }),
        }
        self.run_of.push(self.runs.len() as u32 - 1);
    }
    /// Makes the next instruction the first one of a run: a range that is run may begin there, or end before it.
    pub(super) fn cut(&mut self) {
        self.cut = self.places.len() + 1;
    }
    pub(in super::super) fn len(&self) -> usize {
        self.places.len()
    }
    /// The instruction of a number.
    #[cfg(feature = "jit")]
    pub(in super::super) fn at(&self, number: usize) -> Instr {
        let [a, b, c, to] = self.places[number];
        let op = match self.runs[self.run_of[number] as usize].op {
            Op::Input(_) => Op::Input(a),
            Op::Part(_) => Op::Part(a),
            op => {
                let mut slots = [a, b, c].into_iter();
                op.map_operands(|_| slots.next().expect("three at most") / SCALE)
            }
        };
        Instr { op, to: to / SCALE }
    }
    /// The instructions of a range.
    #[cfg(feature = "jit")]
    pub(in super::super) fn list(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = Instr> + ExactSizeIterator {
        range.map(|number| self.at(number))
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
        #[cfg(target_arch = "x86_64")]
        if N > 1 && std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions; the slots are as below.
            return unsafe { self.run_avx512(range, rules, memory, around) };
        }
        #[cfg(target_arch = "x86_64")]
        if N > 1 && std::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { self.run_avx2(range, rules, memory, around) };
        }
        // SAFETY: `push` has seen all instructions, so their slots are below the bound.
        unsafe { self.run_here(range, rules, memory, around) }
    }
    /// [`run_here`](Instrs::run_here) with registers of four numbers. (Products are not fused with sums: results are the
    /// same.)
    ///
    /// # Safety
    /// As there.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2<const N: usize>(
        &self,
        range: Range<u32>,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { self.run_here(range, rules, memory, around) }
    }
    /// The same with registers of eight.
    ///
    /// # Safety
    /// As there.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn run_avx512<const N: usize>(
        &self,
        range: Range<u32>,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { self.run_here(range, rules, memory, around) }
    }
    /// Runs instructions, run by run.
    ///
    /// # Safety
    /// The memory has as many slots as the bound.
    #[inline(always)]
    unsafe fn run_here<const N: usize>(
        &self,
        range: Range<u32>,
        rules: &Rules,
        memory: &mut [[f64; N]],
        around: &mut impl Around<N>,
    ) -> bool {
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
        let mut places = &self.places[range.start as usize..range.end as usize];
        if places.is_empty() {
            return true;
        }
        let (start, first) = (range.start as usize, self.run_of[range.start as usize]);
        assert!(start == 0 || self.run_of[start - 1] < first, "a range of whole runs");
        for run in &self.runs[first as usize..] {
            let (these, others) = places.split_at_checked(run.len as usize).unwrap_or((places, &[]));
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
                Op::Strong { .. } => each!(Op::Strong { d: 0, t: 1 }; d, t),
                Op::Both { .. } => each!(Op::Both { d: 0, t: 1 }; d, t),
                Op::Over { .. } => each!(Op::Over { t: 0, y: 1, r: 2 }; t, y, r),
                Op::Partial { .. } => each!(Op::Partial { f: 0, d: 1 }; f, d),
                Op::Detach(_) => each!(Op::Detach(0); x),
                Op::Input(_) => {
                    for &[address, .., to] in these {
                        set!(to, around.load(address, memory));
                    }
                }
                Op::Part(_) => {
                    for &[site, ..] in these {
                        if !around.ask(site, memory) {
                            return false;
                        }
                    }
                }
                Op::Constant(_) | Op::Call(_) => {} // (A machine has none.)
            }
            if others.is_empty() {
                break;
            }
            places = others;
        }
        true
    }
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
        // A range begins with a run, or none of its instructions runs.
        let mut instrs = Instrs::default();
        for cut in [false, false, true] {
            if cut {
                instrs.cut();
            }
            instrs.push(Instr { op: Op::Add(0, 1), to: 1 });
        }
        let run = |from: u32, to: u32, memory: &mut [[f64; 1]]| {
            instrs.run(from..to, &Rules::default(), memory, &mut ());
            memory[1][0]
        };
        let mut sums = [(0, 3), (0, 1), (0, 2), (2, 3), (3, 3)].into_iter();
        assert!(sums.all(|(from, to)| run(from, to, &mut [[1.0]; 2]) == f64::from(1 + to - from)));
        assert!(std::panic::catch_unwind(|| run(1, 3, &mut [[1.0]; 2])).is_err());
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

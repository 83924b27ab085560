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

use super::super::op::{Op, Relation, evaluate};
use super::Points;
use super::fused::Instr;
use super::registers::registers;

/// A list of instructions with an upper bound on their slots. Consecutive instructions with the same operation form a
/// run, so that the interpreter dispatches once per run.
///
/// The operands of an instruction are slots; the operands of a call are in its list.
#[derive(Clone, Default)]
pub(super) struct Instrs {
    runs: Vec<Run>,
    /// The operands of each instruction and, at the end, the slot of its result. Slots are multiplied by [`SCALE`].
    places: Vec<[u32; 4]>,
    bound: usize,
}

/// Consecutive instructions of one kind, which differ only in their slots, scalars and totals.
#[derive(Clone, Copy)]
struct Run {
    instr: Instr,
    len: u32,
}

/// Slots are stored times 8, the bytes of a number, so that the address of a slot of `N` numbers needs only the
/// factor `N ≤ 8`, which x86 address modes provide.
const SCALE: u32 = size_of::<f64>() as u32;

impl Instrs {
    pub(super) fn push(&mut self, instr: Instr, to: u32) {
        let mut places = [0; 4];
        // A number that is no slot comes first.
        let (number, instr) = match instr {
            Instr::Guard { guard, condition } => (Some(guard), Instr::Guard { guard: 0, condition }),
            Instr::Op(Op::Call(k)) => (Some(k), Instr::Op(Op::Call(0))),
            Instr::Scale { s, x } => (Some(s), Instr::Scale { s: 0, x }),
            Instr::AddScaled { minus, s, x, z } => (Some(s), Instr::AddScaled { minus, s: 0, x, z }),
            Instr::Total { minus, total, x, y } => (Some(total), Instr::Total { minus, total: 0, x, y }),
            instr => (None, instr),
        };
        let first = usize::from(number.is_some());
        places[0] = number.unwrap_or(0);
        for (k, slot) in (first..3).zip(instr.operands()).chain([(3, to)]) {
            self.bound = self.bound.max(slot as usize + 1);
            places[k] = slot.checked_mul(SCALE).expect("fewer slots than bytes");
        }
        let instr = instr.map_operands(|_| 0);
        self.places.push(places);
        match self.runs.last_mut() {
            Some(run) if run.instr == instr => run.len += 1,
            _ => self.runs.push(Run { instr, len: 1 }),
        }
    }
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
    /// Runs the instructions, until a guard or a call returns false. [`evaluate`] defines each operation.
    ///
    /// # Panics
    /// If the memory has fewer slots than the bound.
    pub(super) fn run<const N: usize>(&self, memory: &mut [[f64; N]], around: &mut Points<'_>) {
        assert!(memory.len() >= self.bound, "a slot for each number");
        // SAFETY: `push` has seen all instructions, so their slots are below the bound; the processor has the registers.
        unsafe {
            match registers() {
                #[cfg(target_arch = "x86_64")]
                8 if N > 1 => self.run_avx512(memory, around),
                #[cfg(target_arch = "x86_64")]
                4 if N > 1 => self.run_avx2(memory, around),
                _ => self.run_here(memory, around),
            }
        }
    }
    /// [`run_here`](Instrs::run_here) with registers of four numbers. Products are not fused with sums, so results
    /// are the same.
    ///
    /// # Safety
    /// As [`run_here`](Instrs::run_here), on a processor with AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2<const N: usize>(&self, memory: &mut [[f64; N]], around: &mut Points<'_>) {
        // SAFETY: the caller's.
        unsafe { self.run_here(memory, around) }
    }
    /// [`run_here`](Instrs::run_here) with registers of eight numbers.
    ///
    /// # Safety
    /// As [`run_here`](Instrs::run_here), on a processor with AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn run_avx512<const N: usize>(&self, memory: &mut [[f64; N]], around: &mut Points<'_>) {
        // SAFETY: the caller's.
        unsafe { self.run_here(memory, around) }
    }
    /// Runs instructions, run by run.
    ///
    /// # Safety
    /// The memory has as many slots as the bound.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn run_here<const N: usize>(&self, memory: &mut [[f64; N]], around: &mut Points<'_>) {
        let rules = &around.executable.rules;
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
                        let mut value = [0.0; N];
                        // A loop in place: `from_fn` of a long closure is a call for each lane.
                        for (lane, value) in value.iter_mut().enumerate() {
                            *value = evaluate($op, rules, |k| of[k as usize][lane]);
                        }
                        set!(to, value);
                    }
                };
            }
            macro_rules! compare {
                ($relation:ident) => {
                    each!(Op::Compare { relation: Relation::$relation, x: 0, y: 1 }; x, y)
                };
            }
            macro_rules! add_products {
                ($sign:tt) => {
                    for &[x, y, z, to] in these {
                        let (x, y, z) = (get!(x), get!(y), get!(z));
                        set!(to, from_fn(|lane| z[lane] $sign x[lane] * y[lane]));
                    }
                };
            }
            macro_rules! add_scaled {
                ($sign:tt) => {
                    for &[s, x, z, to] in these {
                        let (s, x, z) = (around.of_all.scalars[s as usize], get!(x), get!(z));
                        set!(to, from_fn(|lane| z[lane] $sign s * x[lane]));
                    }
                };
            }
            macro_rules! add_totals {
                ($minus:expr, $points:expr) => {
                    for &[total, x, y, _] in these {
                        let (x, y) = (get!(x), get!(y));
                        let products: [f64; N] = from_fn(|lane| x[lane] * y[lane]);
                        let sums = four_sums(&products[..$points]);
                        around
                            .of_all
                            .totals
                            .add(total as usize, if $minus { sums.map(|sum| -sum) } else { sums });
                    }
                };
            }
            macro_rules! of_rule {
                ($rule:expr, $last:literal) => {{
                    let rule = &rules.all[$rule as usize];
                    for at in these {
                        let mut value = get!(at[0]);
                        rule.values(&mut value, &get!(at[$last]));
                        set!(at[3], value);
                    }
                }};
            }
            match run.instr {
                Instr::AddProduct { minus: false, .. } => add_products!(+),
                Instr::AddProduct { minus: true, .. } => add_products!(-),
                Instr::Scale { .. } => {
                    for &[s, x, _, to] in these {
                        let (s, x) = (around.of_all.scalars[s as usize], get!(x));
                        set!(to, from_fn(|lane| s * x[lane]));
                    }
                }
                Instr::AddScaled { minus: false, .. } => add_scaled!(+),
                Instr::AddScaled { minus: true, .. } => add_scaled!(-),
                Instr::Total { minus, .. } => match around.of_all.points {
                    points if points < N => add_totals!(minus, points),
                    _ => add_totals!(minus, N),
                },
                Instr::Op(Op::Mul(..)) => each!(Op::Mul(0, 1); x, y),
                Instr::Op(Op::Add(..)) => each!(Op::Add(0, 1); x, y),
                Instr::Op(Op::Sub(..)) => each!(Op::Sub(0, 1); x, y),
                Instr::Op(Op::Div(..)) => each!(Op::Div(0, 1); x, y),
                Instr::Op(Op::Neg(_)) => each!(Op::Neg(0); x),
                Instr::Op(Op::MulAdd(..)) => each!(Op::MulAdd(0, 1, 2); x, y, z),
                Instr::Op(Op::Unary { rule, .. }) => of_rule!(rule, 0),
                Instr::Op(Op::Binary { rule, .. }) => of_rule!(rule, 1),
                Instr::Op(Op::Compare { relation: Relation::Less, .. }) => compare!(Less),
                Instr::Op(Op::Compare { relation: Relation::LessOrEqual, .. }) => compare!(LessOrEqual),
                Instr::Op(Op::Compare { relation: Relation::Equal, .. }) => compare!(Equal),
                Instr::Op(Op::Select { .. }) => {
                    each!(Op::Select { condition: 0, x: 1, y: 2 }; condition, x, y)
                }
                Instr::Op(Op::StrongMul { .. }) => each!(Op::StrongMul { d: 0, t: 1 }; d, t),
                Instr::Op(Op::StrongMulEither { .. }) => each!(Op::StrongMulEither { d: 0, t: 1 }; d, t),
                Instr::Op(Op::StrongDiv { .. }) => each!(Op::StrongDiv { t: 0, y: 1, r: 2 }; t, y, r),
                Instr::Op(Op::PropagateNan { .. }) => each!(Op::PropagateNan { f: 0, d: 1 }; f, d),
                Instr::Op(Op::Detach(_)) => each!(Op::Detach(0); x),
                Instr::Guard { .. } => {
                    // A loop in place: the closure of `all` is compiled without these registers.
                    for &[condition, ..] in these {
                        if !around.check_guard(condition, memory) {
                            return;
                        }
                    }
                }
                Instr::Op(Op::Call(_)) => {
                    if !these.iter().all(|&[call, ..]| around.call(call, memory)) {
                        return;
                    }
                }
                Instr::Op(Op::Input(_) | Op::Constant(_) | Op::CallResult(_)) => {} // never pushed
            }
        }
    }
}

/// The sums of each fourth number, in an order that does not depend on the processor.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn four_sums(numbers: &[f64]) -> [f64; 4] {
    let mut sums = [-0.0; 4]; // adding it changes no number
    for four in numbers.chunks(4) {
        sums.iter_mut().zip(four).for_each(|(sum, x)| *sum += x);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::{Executable, Failures, SharedNumbers, Totals};
    use super::*;

    /// Whether instructions run in this number of slots.
    fn runs(list: &[(Instr, u32)], slots: usize) -> bool {
        let mut instrs = Instrs::default();
        list.iter().for_each(|&(instr, to)| instrs.push(instr, to));
        let run = || {
            let of_totals = Totals { numbers: &mut [0.0; 40], parts: 4 };
            let mut points = Points {
                executable: &Executable::default(),
                shared: &mut [],
                of_all: SharedNumbers { scalars: &[1.0; 10], totals: of_totals, points: 1 },
                failures: Failures::default(),
            };
            instrs.run(&mut vec![[1.0]; slots], &mut points);
        };
        std::panic::catch_unwind(run).is_ok()
    }

    #[test]
    fn no_slot_lies_outside_the_memory() {
        let add = [(Instr::Op(Op::Add(0, 1)), 2)];
        let product = |x, y, z| Instr::AddProduct { minus: false, x, y, z };
        let scaled = |x, z| Instr::AddScaled { minus: true, s: 9, x, z };
        assert!(runs(&add, 3) && runs(&[], 0));
        // Each operand, and the result, of the first instruction and of later ones.
        for list in [
            &[(Instr::Op(Op::Add(3, 1)), 2)][..],
            &[(Instr::Op(Op::Add(0, 3)), 2)],
            &[(Instr::Op(Op::Add(0, 1)), 3)],
            &[(Instr::Op(Op::MulAdd(0, 1, 3)), 2)],
            &[(Instr::Op(Op::Select { condition: 3, x: 0, y: 1 }), 2)],
            &[(product(3, 1, 0), 2)],
            &[(product(0, 3, 0), 2)],
            &[(product(0, 1, 3), 2)],
            &[(Instr::Scale { s: 9, x: 3 }, 2)],
            &[(scaled(3, 0), 2)],
            &[(scaled(0, 3), 2)],
            &[(scaled(0, 1), 3)],
            &[(Instr::Total { minus: true, total: 9, x: 3, y: 0 }, 0)],
            &[(Instr::Total { minus: true, total: 9, x: 0, y: 3 }, 0)],
            &[add[0], (Instr::Op(Op::Neg(3)), 0)],
            &[(Instr::Op(Op::Neg(3)), 0), add[0]],
        ] {
            assert!(!runs(list, 3) && runs(list, 4), "{list:?}");
        }
    }
}

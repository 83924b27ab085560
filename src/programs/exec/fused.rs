//! Instructions: operations, some of which run together, and guards.

use super::super::calls::Call;
use super::super::op::{Code, GuardCondition, Op, Operands};

/// An operation, or several that run together and round as they do apart, or a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Instr {
    Op(Op),
    /// Checks the guard of this number.
    Guard {
        guard: u32,
        condition: GuardCondition,
    },
    /// `z ± x·y`, rounded twice.
    AddProduct {
        minus: bool,
        x: u32,
        y: u32,
        z: u32,
    },
    /// `s·x`, where all points share the number `s`.
    Scale {
        s: u32,
        x: u32,
    },
    /// `z ± s·x`, rounded twice.
    AddScaled {
        minus: bool,
        s: u32,
        x: u32,
        z: u32,
    },
    /// Adds `± Σ x·y` over the points to a total. It has no value.
    Total {
        minus: bool,
        total: u32,
        x: u32,
        y: u32,
    },
}

impl Instr {
    /// Kinds of operations.
    const OPS: usize = 19;
    /// Kinds of instructions.
    pub(super) const KINDS: usize = Instr::OPS + 8;

    /// The number of its kind.
    pub(super) fn kind(self) -> usize {
        match self {
            Instr::Op(op) => (op.key() >> 96) as usize,
            Instr::Scale { .. } => Instr::OPS,
            Instr::AddProduct { minus, .. } => Instr::OPS + 1 + usize::from(minus),
            Instr::AddScaled { minus, .. } => Instr::OPS + 3 + usize::from(minus),
            Instr::Total { minus, .. } => Instr::OPS + 5 + usize::from(minus),
            Instr::Guard { .. } => Instr::OPS + 7,
        }
    }
    /// This instruction with other operands; shared numbers and totals keep theirs.
    pub(super) fn map_operands(self, mut to: impl FnMut(u32) -> u32) -> Instr {
        match self {
            Instr::Op(op) => Instr::Op(op.map_operands(to)),
            Instr::Guard { guard, condition } => {
                Instr::Guard { guard, condition: condition.map_operands(to) }
            }
            Instr::AddProduct { minus, x, y, z } => Instr::AddProduct { minus, x: to(x), y: to(y), z: to(z) },
            Instr::Scale { s, x } => Instr::Scale { s, x: to(x) },
            Instr::AddScaled { minus, s, x, z } => Instr::AddScaled { minus, s, x: to(x), z: to(z) },
            Instr::Total { minus, total, x, y } => Instr::Total { minus, total, x: to(x), y: to(y) },
        }
    }
    /// The values that it reads; the operands of a call are in the program's list.
    #[inline]
    pub(in super::super) fn operands(self) -> Operands {
        let (count, all) = match self {
            Instr::Op(op) => return op.operands(),
            Instr::Guard { condition, .. } => return condition.operands(),
            Instr::AddProduct { x, y, z, .. } => (3, [x, y, z]),
            Instr::Scale { x, .. } => (1, [x, 0, 0]),
            Instr::AddScaled { x, z, .. } => (2, [x, z, 0]),
            Instr::Total { x, y, .. } => (2, [x, y, 0]),
        };
        all.into_iter().take(count)
    }
}

/// An instruction and the number of its value, if it has one.
pub(in super::super) type Item = (Instr, u32);

/// An operation that is an instruction.
fn instr(op: Op) -> Option<Instr> {
    (!matches!(op, Op::Input(_) | Op::Constant(_) | Op::CallResult(_))).then_some(Instr::Op(op))
}

impl Code {
    /// Operations and guards in the order of the program.
    pub(in super::super) fn items(&self) -> Vec<Item> {
        self.in_order(|v| instr(self.ops[v]))
    }
    /// The instructions of operations, and guards, in the order of the program.
    fn in_order(&self, instr: impl Fn(usize) -> Option<Instr>) -> Vec<Item> {
        let mut list = Vec::with_capacity(self.ops.len() + self.guards.len());
        let mut guards = (0..).zip(&self.guards).peekable();
        for v in 0..=self.ops.len() {
            while let Some((guard, g)) = guards.next_if(|(_, guard)| guard.position as usize <= v) {
                list.push((Instr::Guard { guard, condition: g.condition }, u32::MAX));
            }
            list.extend((v < self.ops.len()).then(|| instr(v)).flatten().map(|instr| (instr, v as u32)));
        }
        list
    }
}

/// Numbers that all points of a run share.
#[derive(Clone, Default)]
pub(crate) struct Sharing {
    /// Inputs with one value for all points: the numbers of these values, in the order of inputs.
    pub(crate) scalars: Vec<Option<u32>>,
    /// Results of which only the sum over the points is needed: the numbers of these totals.
    pub(crate) totals: Vec<Option<u32>>,
}

/// The instructions of a program in its order; none for inputs, constants, and operations that run as part of another
/// instruction.
pub(super) fn fused(code: &Code, calls: &[Call], sharing: &Sharing) -> Vec<Item> {
    let mut reads = vec![0_u32; code.ops.len()];
    let of_calls = calls.iter().flat_map(|call| call.groups.iter().flatten().copied());
    let of_guards = code.guards.iter().flat_map(|guard| guard.condition.operands());
    let of_ops = code.ops.iter().flat_map(|op| op.operands());
    let all = of_calls.chain(of_guards).chain(of_ops).chain(code.outputs.iter().copied());
    all.for_each(|x| reads[x as usize] += 1);

    let mut instrs: Vec<Option<Instr>> = code.ops.iter().map(|&op| instr(op)).collect();
    // The value as `±x·y`, with the operations that are read only for it.
    let product = |instrs: &[Option<Instr>], v: u32| {
        let read_once = |v: u32| instrs[v as usize].filter(|_| reads[v as usize] == 1);
        match read_once(v)? {
            Instr::Op(Op::Neg(p)) => read_once(p).map(|product| (true, product, [v, p])),
            product => Some((false, product, [v, v])),
        }
    };
    for (&result, &total) in code.outputs.iter().zip(&sharing.totals) {
        let Some(total) = total else { continue };
        if let Some((minus, Instr::Op(Op::Mul(x, y)), parts)) = product(&instrs, result) {
            parts.into_iter().for_each(|part| instrs[part as usize] = None);
            instrs[result as usize] = Some(Instr::Total { minus, total, x, y });
        }
    }
    let scalar = |x: u32| sharing.scalars.get(x as usize).copied().flatten();
    for v in 0..instrs.len() {
        let Some(Instr::Op(op)) = instrs[v] else { continue };
        let sum = |p: u32, z: u32, minus: bool| {
            let (negative, product, parts) = product(&instrs, p)?;
            let minus = minus ^ negative;
            let instr = match product {
                Instr::Op(Op::Mul(x, y)) => Instr::AddProduct { minus, x, y, z },
                Instr::Scale { s, x } => Instr::AddScaled { minus, s, x, z },
                _ => return None,
            };
            Some((instr, parts))
        };
        let found = match op {
            Op::Mul(x, y) => {
                let scaled = scalar(x).map(|s| (s, y)).or_else(|| scalar(y).map(|s| (s, x)));
                instrs[v] = scaled.map(|(s, x)| Instr::Scale { s, x }).or(instrs[v]);
                None
            }
            Op::Add(a, b) => sum(b, a, false).or_else(|| sum(a, b, false)),
            Op::Sub(a, b) => sum(b, a, true),
            _ => None,
        };
        if let Some((instr, parts)) = found {
            parts.into_iter().for_each(|part| instrs[part as usize] = None);
            instrs[v] = Some(instr);
        }
    }
    code.in_order(|v| instrs[v])
}

#[cfg(test)]
mod tests {
    use super::super::super::calls::Shared;
    use super::super::{NO_SLOT, SharedNumbers, Totals, layout};
    use super::*;
    use crate::programs::{Program, Traced, trace_unoptimized};

    fn kinds(program: &Program, sharing: &Sharing) -> Vec<Option<Instr>> {
        let mut instrs = vec![None; program.code().ops.len()];
        fused(program.code(), &[], sharing)
            .into_iter()
            .for_each(|(instr, v)| instrs[v as usize] = Some(instr));
        instrs.split_off(program.inputs())
    }

    #[test]
    fn products_that_only_a_sum_reads_run_with_it() {
        let program = |f: fn(&[Traced]) -> Traced| trace_unoptimized(f, &[2.0, 3.0, 5.0][..]);
        let plain = Sharing::default();
        let instr = |minus| Some(Instr::AddProduct { minus, x: 0, y: 1, z: 2 });
        for f in [|x: &[Traced]| x[2] + x[0] * x[1], |x: &[Traced]| x[0] * x[1] + x[2]] {
            assert_eq!(kinds(&program(f), &plain), [None, instr(false)]);
        }
        assert_eq!(kinds(&program(|x| x[2] - x[0] * x[1]), &plain), [None, instr(true)]);
        assert_eq!(kinds(&program(|x| x[2] - -(x[0] * x[1])), &plain), [None, None, instr(false)]);
        // Not where the sign is another one, or where the product is read again: by a value, or as a result.
        let apart = |f, sharing: &Sharing| kinds(&program(f), sharing).iter().all(Option::is_some);
        assert!(apart(|x| x[0] * x[1] - x[2], &plain));
        assert!(apart(|x| Some(x[0] * x[1]).map_or(x[2], |product| product.exp() + product), &plain));
        let both = |x: &[Traced]| Some(x[0] * x[1]).map_or(vec![], |product| vec![product, x[2] + product]);
        let both = trace_unoptimized(both, &[1.0; 3][..]);
        assert!(kinds(&both, &plain).iter().all(Option::is_some));
        // An input that all points share.
        let sharing = Sharing { scalars: vec![Some(7), None, None], totals: vec![] };
        let scaled = |minus| Some(Instr::AddScaled { minus, s: 7, x: 1, z: 2 });
        assert_eq!(kinds(&program(|x| x[1] * x[0]), &sharing), [Some(Instr::Scale { s: 7, x: 1 })]);
        assert_eq!(kinds(&program(|x| x[2] + x[1] * x[0]), &sharing), [None, scaled(false)]);
        assert_eq!(kinds(&program(|x| x[2] - x[0] * x[1]), &sharing), [None, scaled(true)]);
    }

    #[test]
    fn shared_numbers_and_totals_are_those_of_the_points() {
        // A result that is a product, one with a minus, one that is read again, and one that is no product.
        let f = |x: &[Traced]| {
            let again = x[0] * x[2];
            vec![x[1] * x[2], -(x[1] * x[3]), again, again + x[3] * x[0], x[0]]
        };
        let program = trace_unoptimized(f, &[1.0; 4][..]);
        let scalars = vec![Some(0), None, None, None];
        let sharing = Sharing { scalars, totals: vec![Some(2), Some(0), Some(1), None, None] };
        let executable = layout(&program, &sharing);
        assert_eq!(executable.outputs.iter().filter(|&&y| y == NO_SLOT).count(), 2);
        assert!((0..4).all(|input| executable.in_slots[input])); // the first one is a result
        let number = |i: usize, lane: usize| ((7 * i + 3 * lane) % 11) as f64 - 4.5;
        for (points, parts) in [(1, 4), (5, 4), (16, 4), (5, 1), (16, 1)] {
            let mut numbers = vec![[0.0; 16]; executable.slots()];
            executable.prepare(&mut numbers);
            (1..4).for_each(|i| numbers[i] = std::array::from_fn(|lane| number(i, lane)));
            numbers[0] = [3.5; 16];
            let (mut totals, mut calls): (_, [Shared; 0]) = (vec![-0.0; 3 * parts], []);
            (0..3).for_each(|i| totals[i * parts] = 0.25);
            let of_totals = Totals { numbers: &mut totals, parts };
            let of_all = SharedNumbers { scalars: &[3.5], totals: of_totals, points };
            assert_eq!(executable.run_slots(&mut numbers, &mut calls, of_all), 0);
            let sum = |f: &dyn Fn(usize) -> f64| (0..points).map(f).sum::<f64>();
            let totals: Vec<f64> = totals.chunks(parts).map(|total| total.iter().sum()).collect();
            assert_eq!(totals[2], 0.25 + sum(&|k| number(1, k) * number(2, k)));
            assert_eq!(totals[0], 0.25 - sum(&|k| number(1, k) * number(3, k)));
            assert_eq!(totals[1], 0.25); // this result has a slot
            let results =
                (0..16).map(|lane| (lane, [2, 3].map(|y| numbers[executable.outputs[y] as usize][lane])));
            for (lane, [again, sum]) in results {
                assert_eq!(again, 3.5 * number(2, lane));
                assert_eq!(sum, 3.5 * number(2, lane) + number(3, lane) * 3.5);
            }
        }
    }
}

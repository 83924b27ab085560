//! Rewrites programs: with other inputs, without unused operations, in another order.

use std::iter;

use super::builder::{BuildOptions, Builder};
use super::linear::{LinearMapProgram, SymbolicTangent};
use super::op::{Guard, Op};
use super::program::Program;

/// A program that is built from another one, and the new numbers of that program's operations.
pub(super) struct Rewritten {
    pub(super) builder: Builder,
    pub(super) places: Vec<u32>,
}

impl Rewritten {
    /// Copies the operations, with more inputs in front.
    pub(super) fn of(program: &Program, more_inputs: usize, care: BuildOptions) -> Self {
        Self::of_live(program, &vec![true; program.code.ops.len()], more_inputs, care)
    }
    /// The operations that are kept, and all inputs.
    pub(super) fn of_live(program: &Program, kept: &[bool], more_inputs: usize, care: BuildOptions) -> Self {
        let inputs = program.inputs() as u32;
        let mut builder = Builder::new(program.inputs() + more_inputs, care);
        let places = builder.append_program(program, kept, &(0..inputs).collect::<Vec<_>>());
        Rewritten { builder, places }
    }
    /// Where the program's results are.
    pub(super) fn outputs(&self, program: &Program) -> Vec<u32> {
        program.code.outputs.iter().map(|&y| self.places[y as usize]).collect()
    }
    /// The results of a linear map program that reads this program's residuals. Zeros are constants.
    pub(super) fn inline_linear(
        &mut self,
        linear: &LinearMapProgram,
        tangents: &[SymbolicTangent],
    ) -> Vec<u32> {
        let lowered = linear.at(&self.places).lower(&mut self.builder, tangents);
        lowered.into_iter().map(|t| t.unwrap_or_else(|| self.builder.constant(0.0))).collect()
    }
    /// The first columns of the matrix of a linear map program that reads this program's residuals, without entries that
    /// are identically zero or have been folded to 0.
    pub(super) fn columns(&mut self, linear: &LinearMapProgram, count: usize) -> Vec<Vec<SymbolicTangent>> {
        let one = self.builder.constant(1.0);
        let linear = linear.at(&self.places);
        let column = |j: usize| {
            let mut seeds = vec![None; linear.inputs()];
            seeds[j] = Some(one);
            let column = linear.lower(&mut self.builder, &seeds);
            column.into_iter().map(|t| t.filter(|&t| self.builder.as_constant(t) != Some(0.0))).collect()
        };
        (0..count).map(column).collect()
    }
    /// The program with these results, without the operations that neither the results nor the guards need.
    pub(super) fn finish(self, outputs: Vec<u32>) -> Program {
        Program::of(self.builder, outputs).without_dead()
    }
}

/// The numbers that a builder has given to the rules of another program.
pub(super) type RuleNumbers = Vec<Option<u32>>;

impl Builder {
    /// As [`Rewritten::finish`], with each operation before `first` moved to its first use.
    pub(super) fn finish_scheduled_late(self, outputs: Vec<u32>, first: usize) -> Program {
        Program::of(self, outputs).scheduled_late(first)
    }
    /// Appends the kept operations of a program, with its guards. Returns their new numbers.
    pub(super) fn append_program(&mut self, program: &Program, kept: &[bool], inputs: &[u32]) -> Vec<u32> {
        let mut places = vec![u32::MAX; program.code.ops.len()];
        places[..inputs.len()].copy_from_slice(inputs);
        self.reserve(kept.len());
        self.append_chosen(program, &program.code.guards, &mut places, |i| kept[i as usize]);
        places
    }
    /// Appends the chosen operations of a program that have no new number yet, with these of its guards.
    pub(super) fn append_chosen<'p>(
        &mut self,
        program: &Program,
        guards: impl IntoIterator<Item = &'p Guard>,
        places: &mut [u32],
        is_chosen: impl Fn(u32) -> bool,
    ) {
        let (n, mut guards) = (program.code.ops.len(), guards.into_iter().peekable());
        let mut numbers = RuleNumbers::default();
        for i in 0..=n {
            while let Some(guard) = guards.next_if(|guard| guard.position as usize <= i) {
                self.copy_guard(guard, places);
            }
            if i < n && places[i] == u32::MAX && is_chosen(i as u32) {
                places[i] = self.copy_op(program, i, places, &mut numbers);
            }
        }
    }
    /// Appends an operation of a program again; `numbers` translates the program's rules.
    pub(super) fn copy_op(
        &mut self,
        program: &Program,
        i: usize,
        places: &[u32],
        numbers: &mut RuleNumbers,
    ) -> u32 {
        let mut op = program.code.ops[i].map_operands(|x| places[x as usize]);
        if let Some(rule) = op.rule_mut() {
            let known = *rule as usize;
            numbers.resize(numbers.len().max(known + 1), None);
            let add = || self.rules.add(program.code.rules.all[known].clone());
            *rule = *numbers[known].get_or_insert_with(add);
        }
        match op {
            Op::Constant(c) => self.constant(c),
            Op::Call(k) => self.call(program.calls[k as usize].map_operands(|x| places[x as usize])) - 1,
            Op::CallResult(index) => places[i - index as usize - 1] + 1 + index,
            op => self.push(op),
        }
    }
    /// A program to which more is appended; its operations keep their numbers.
    pub(super) fn of_program(program: &Program) -> Self {
        let mut builder = Builder::new(program.inputs(), BuildOptions::EXACT);
        builder.continue_from(&program.code, &program.calls);
        builder
    }
}

impl Program {
    /// Marks the operands of marked operations.
    pub(super) fn mark_operands(&self, needed: &mut [bool]) {
        for i in (0..needed.len()).rev() {
            if !needed[i] {
                continue;
            }
            match self.code.ops[i] {
                Op::CallResult(index) => needed[i - index as usize - 1] = true,
                Op::Call(k) => needed[i + 1..=i + self.calls[k as usize].results as usize].fill(true),
                _ => {}
            }
            self.each_operand(i, |x| needed[x as usize] = true);
        }
    }
    /// Removes the operations that neither results nor guards need. A call that decides counts as a guard.
    pub(super) fn without_dead(&self) -> Program {
        self.of_needed(&self.alive())
    }
    /// Marks inputs, and the operations that results and guards need.
    pub(super) fn alive(&self) -> Vec<bool> {
        let mut kept = vec![false; self.code.ops.len()];
        kept[..self.inputs()].fill(true);
        self.code.outputs.iter().for_each(|&y| kept[y as usize] = true);
        let guarded = self.code.guards.iter().flat_map(|guard| guard.condition.operands());
        guarded.for_each(|x| kept[x as usize] = true);
        self.calls.iter().for_each(|call| kept[call.at as usize] |= call.decides);
        self.mark_operands(&mut kept);
        kept
    }
    pub(super) fn of_needed(&self, kept: &[bool]) -> Program {
        let rewritten = Rewritten::of_live(self, kept, 0, BuildOptions::NONE);
        let outputs = rewritten.outputs(self);
        Program::of(rewritten.builder, outputs)
    }
}

const NONE: u32 = u32::MAX;

impl Program {
    /// Keeps the order of the operations from `first` on, and moves every earlier operation to just before its first
    /// use. So the values that the derivative of a term needs live for one term only. Operations that neither results
    /// nor guards need go.
    ///
    /// Each guard is checked as soon as its operands exist. The order of a program with primitives does not change,
    /// because primitives can fail and must fail in order.
    fn scheduled_late(self, first: usize) -> Program {
        let kept = self.alive();
        if !self.calls.is_empty() {
            return self.of_needed(&kept);
        }
        let (n, inputs, ops) = (self.code.ops.len(), self.inputs(), &self.code.ops);
        let last = |guard: &Guard| guard.condition.operands().max().expect("a condition of numbers");
        let mut guards: Vec<(u32, &Guard)> =
            self.code.guards.iter().map(|guard| (last(guard), guard)).collect();
        guards.sort_by_key(|&(last, _)| last);
        // For each operation the first target that needs it, itself or as an operand. A guard belongs to its last operand.
        let guarded = self.code.guards.iter().flat_map(|guard| guard.condition.operands());
        let targets = (first as u32..n as u32).chain(guarded).chain(0..n as u32);
        let (mut target, mut count) = (vec![NONE; n], 0);
        for i in targets.filter(|&i| kept[i as usize]) {
            if target[i as usize] == NONE {
                target[i as usize] = count;
                count += 1;
            }
        }
        // The operations of each target in their order, as linked lists.
        let (mut heads, mut next) = (vec![NONE; count as usize], vec![NONE; n]);
        let mut later = guards.iter().rev().peekable();
        for i in (inputs..n).rev() {
            if target[i] == NONE {
                continue;
            }
            next[i] = std::mem::replace(&mut heads[target[i] as usize], i as u32);
            let of_guards = iter::from_fn(|| later.next_if(|&&(last, _)| last as usize == i));
            let of_guards = of_guards.flat_map(|(_, guard)| guard.condition.list());
            for x in ops[i].list().chain(of_guards) {
                target[x as usize] = target[i].min(target[x as usize]);
            }
        }
        target[..inputs].fill(0);
        guards.sort_by_key(|&(last, _)| target[last as usize]);
        let mut guards = guards.into_iter().peekable();
        let mut builder = Builder::new(inputs, BuildOptions::NONE);
        builder.reserve(n);
        let (mut places, mut numbers): (Vec<u32>, _) = ((0..n as u32).collect(), RuleNumbers::default());
        let list = |head| iter::successors(Some(head), |&i| next.get(i as usize).copied());
        let ordered = heads.into_iter().flat_map(list).filter(|&i| i != NONE);
        for i in (0..inputs as u32).chain(ordered) {
            if i as usize >= inputs {
                places[i as usize] = builder.copy_op(&self, i as usize, &places, &mut numbers);
            }
            while let Some((_, guard)) = guards.next_if(|&(last, _)| last == i) {
                builder.copy_guard(guard, &places);
            }
        }
        let outputs = self.code.outputs.iter().map(|&y| places[y as usize]).collect();
        Program::of(builder, outputs)
    }
}

//! Rewrites programs: with other inputs, without unused operations, in another order.

use super::builder::{BuildOptions, Builder};
use super::linear::{LinearMapProgram, SparseRows};
use super::op::{Code, Guard, Op};
use super::program::Program;

/// A program that is built from another one, and the new numbers of that program's operations.
pub(super) struct Rewritten {
    pub(super) builder: Builder,
    pub(super) places: Vec<u32>,
}

impl Rewritten {
    /// Copies the operations, with more inputs in front.
    pub(super) fn of(program: &Program, more_inputs: usize, care: BuildOptions) -> Self {
        let mut builder = Builder::new(program.inputs() + more_inputs, care);
        let places = builder.append_program(program, 0..program.code.inputs, |_| true);
        Rewritten { builder, places }
    }
    /// Where the program's results are.
    pub(super) fn outputs(&self, program: &Program) -> Vec<u32> {
        program.code.outputs.iter().map(|&y| self.places[y as usize]).collect()
    }
    /// The first columns of the matrix of a linear map program that reads this program's residuals.
    pub(super) fn columns(&mut self, linear: &LinearMapProgram, count: usize) -> SparseRows {
        linear.columns(count, &mut self.builder, |x| self.places[x as usize])
    }
    /// The first rows and columns of a Jacobian, from a linear map program for rows or for columns.
    pub(super) fn rows(
        &mut self,
        linear: &LinearMapProgram,
        by_rows: bool,
        [rows, columns]: [usize; 2],
    ) -> SparseRows {
        let mut all = self.columns(linear, if by_rows { rows } else { columns });
        if by_rows {
            all.iter_mut().for_each(|row| row.retain(|&(j, _)| (j as usize) < columns));
            return all;
        }
        let mut by_row = vec![Vec::new(); rows];
        for (j, column) in (0..).zip(all) {
            let column = column.into_iter().filter(|&(i, _)| (i as usize) < rows);
            column.for_each(|(i, entry)| by_row[i as usize].push((j, entry)));
        }
        by_row
    }
    /// The program with these results, without the operations that neither the results nor the guards need.
    pub(super) fn finish(self, outputs: Vec<u32>) -> Program {
        Program::of(self.builder, outputs).without_dead()
    }
}

/// The numbers that a builder has given to the rules of another program.
pub(super) type RuleNumbers = Vec<Option<u32>>;

impl Builder {
    /// Appends the kept operations of a program, with its guards. Returns their new numbers.
    pub(super) fn append_program(
        &mut self,
        program: &Program,
        inputs: impl IntoIterator<Item = u32>,
        is_kept: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut places = vec![u32::MAX; program.code.ops.len()];
        places.iter_mut().zip(inputs).for_each(|(place, input)| *place = input);
        self.reserve(places.len());
        self.append_chosen(program, &program.code.guards, &mut places, is_kept);
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
            if let Op::Call(k) = self.code.ops[i] {
                needed[i + 1..=i + self.calls[k as usize].results as usize].fill(true);
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
        self.guarded().for_each(|x| kept[x as usize] = true);
        self.calls.iter().for_each(|call| kept[call.at as usize] |= call.decides);
        self.mark_operands(&mut kept);
        kept
    }
    /// The program with other results, without the operations that they do not need.
    pub(super) fn with_outputs(&self, outputs: Vec<u32>) -> Program {
        let code = Code { outputs, ..self.code.clone() };
        Program::new(code, self.calls.clone()).without_dead()
    }
    pub(super) fn of_needed(&self, kept: &[bool]) -> Program {
        let mut builder = Builder::new(self.inputs(), BuildOptions::NONE);
        let places = builder.append_program(self, 0..self.code.inputs, |i| kept[i as usize]);
        let outputs = self.code.outputs.iter().map(|&y| places[y as usize]).collect();
        Program::of(builder, outputs)
    }
}

impl Program {
    /// Keeps the order of the operations from `first` on, and moves every earlier operation to just before its first
    /// use. So the values that the derivative of a term needs live for one term only. Operations that neither results
    /// nor guards need go. Each guard is checked as soon as its operands exist.
    pub(super) fn scheduled_late(&self, first: usize) -> Program {
        let kept = self.alive();
        if !self.calls.is_empty() {
            return self.of_needed(&kept);
        }
        let last = |guard: &Guard| guard.condition.operands().max().expect("a condition of numbers");
        let mut guards: Vec<(u32, &Guard)> =
            self.code.guards.iter().map(|guard| (last(guard), guard)).collect();
        guards.sort_by_key(|&(last, _)| last);
        let late = (first as u32..self.code.ops.len() as u32).filter(|&i| kept[i as usize]);
        let all = late.chain(self.guarded()).chain(self.code.outputs.iter().copied());
        self.in_order_of(all.map(|i| (i, None)), &guards)
    }
    /// Moves each operation directly before the first one that needs it, depth first. Guards keep their order; the
    /// operations that they need come first.
    pub(super) fn ordered(&self) -> Program {
        if !self.calls.is_empty() {
            return self.clone();
        }
        let results = self.code.outputs.iter().copied().chain(0..self.code.ops.len() as u32);
        let mut all = Vec::with_capacity(3 * self.code.guards.len());
        for guard in &self.code.guards {
            all.extend(guard.condition.operands().map(|x| (x, None)));
            all.last_mut().expect("a condition of numbers").1 = Some(guard);
        }
        let all = all.into_iter().chain(results.map(|i| (i, None)));
        self.in_order_of(all, &[])
    }
    /// The operations that guards read.
    fn guarded(&self) -> impl Iterator<Item = u32> {
        self.code.guards.iter().flat_map(|guard| guard.condition.operands())
    }
    /// The operations of these numbers in this order, each after the operations that it needs and no earlier one does;
    /// after an operation its guard. `guards` are further guards, by the last of their operands and checked after it.
    ///
    /// There must be no primitives, because primitives can fail and must fail in order.
    fn in_order_of<'g>(
        &self,
        targets: impl Iterator<Item = (u32, Option<&'g Guard>)>,
        guards: &[(u32, &Guard)],
    ) -> Program {
        const NONE: u32 = u32::MAX;
        let (Code { ops, outputs, .. }, inputs) = (&self.code, self.code.inputs);
        let mut has_guard = vec![false; ops.len()];
        guards.iter().for_each(|&(last, _)| has_guard[last as usize] = true);
        let of = |i: u32| {
            let from = guards.partition_point(|&(last, _)| last < i);
            guards[from..].iter().take_while(move |&&(last, _)| last == i).map(|&(_, guard)| guard)
        };
        let mut builder = Builder::new(self.inputs(), BuildOptions::NONE);
        builder.reserve(ops.len());
        let (mut places, mut numbers, mut open) = (vec![NONE; ops.len()], RuleNumbers::default(), Vec::new());
        for (target, guard) in (0..inputs).map(|i| (i, None)).chain(targets) {
            open.push(target);
            while let Some(&i) = open.last() {
                let (before, is_guarded) = (open.len(), has_guard[i as usize]);
                if places[i as usize] != NONE {
                    open.pop();
                    continue;
                }
                open.extend(ops[i as usize].operands().filter(|&x| places[x as usize] == NONE));
                if is_guarded {
                    let others = of(i).flat_map(|guard| guard.condition.operands()).filter(|&x| x != i);
                    open.extend(others.filter(|&x| places[x as usize] == NONE));
                }
                if open.len() > before {
                    open[before..].reverse();
                    continue;
                }
                open.pop();
                let mut copy = || builder.copy_op(self, i as usize, &places, &mut numbers);
                places[i as usize] = if i < inputs { i } else { copy() };
                if is_guarded {
                    of(i).for_each(|guard| builder.copy_guard(guard, &places));
                }
            }
            guard.into_iter().for_each(|guard| builder.copy_guard(guard, &places));
        }
        let outputs = outputs.iter().map(|&y| places[y as usize]).collect();
        Program::of(builder, outputs)
    }
}

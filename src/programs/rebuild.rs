//! Rewrites programs: with other inputs, without unused operations, in another order.

use super::builder::{Builder, Care};
use super::calls::Call;
use super::linear::{LinearMapProgram, Maybe};
use super::op::Op;
use super::program::Program;

/// A program that is built from another one, and the new numbers of that program's operations.
pub(super) struct Rebuilt {
    pub(super) builder: Builder,
    pub(super) places: Vec<u32>,
}

impl Rebuilt {
    /// Copies the operations, with more inputs in front.
    pub(super) fn of(program: &Program, more_inputs: usize, care: Care) -> Self {
        Self::of_kept(program, &vec![true; program.code.ops.len()], more_inputs, care)
    }
    /// The operations that are kept, and all inputs.
    pub(super) fn of_kept(program: &Program, kept: &[bool], more_inputs: usize, care: Care) -> Self {
        let inputs = program.inputs() as u32;
        let mut builder = Builder::new(program.inputs() + more_inputs, care);
        let places = builder.append_program(program, kept, &(0..inputs).collect::<Vec<_>>());
        Rebuilt { builder, places }
    }
    /// Where the program's results are.
    pub(super) fn outputs(&self, program: &Program) -> Vec<u32> {
        program.code.outputs.iter().map(|&y| self.places[y as usize]).collect()
    }
    /// The results of a linear map program that reads this program's residuals. Zeros are constants.
    pub(super) fn lowered(&mut self, linear: &LinearMapProgram, tangents: &[Maybe]) -> Vec<u32> {
        let lowered = linear.at(&self.places).lower(&mut self.builder, tangents);
        lowered.into_iter().map(|t| t.unwrap_or_else(|| self.builder.constant(0.0))).collect()
    }
    /// The program with these results, without the operations that neither the results nor the guards need.
    pub(super) fn finish(self, outputs: Vec<u32>) -> Program {
        Program::of(self.builder, outputs).without_dead()
    }
}

/// The numbers that a builder has given to the rules of another program.
#[derive(Default)]
pub(super) struct RuleNumbers {
    unary: Vec<Option<u32>>,
    binary: Vec<Option<u32>>,
}

/// The number of a rule, found by `add` once.
fn number_of(numbers: &mut Vec<Option<u32>>, rule: u32, add: impl FnOnce() -> u32) -> u32 {
    numbers.resize(numbers.len().max(rule as usize + 1), None);
    *numbers[rule as usize].get_or_insert_with(add)
}

impl Builder {
    /// As [`Rebuilt::finish`], with each operation before `first` moved to its first use.
    pub(super) fn finish_late(self, outputs: Vec<u32>, first: usize) -> Program {
        let program = Program::of(self, outputs);
        let kept = program.alive();
        program.late(&kept, first)
    }
    /// Appends the kept operations of a program, with its guards. Returns their new numbers.
    pub(super) fn append_program(&mut self, program: &Program, kept: &[bool], inputs: &[u32]) -> Vec<u32> {
        let mut places = vec![u32::MAX; program.code.ops.len()];
        places[..inputs.len()].copy_from_slice(inputs);
        let mut guards = program.code.guards.iter().peekable();
        let mut numbers = RuleNumbers::default();
        self.reserve(kept.len());
        for i in inputs.len()..=program.code.ops.len() {
            while let Some(guard) = guards.next_if(|guard| guard.before as usize <= i) {
                let question = guard.question.map_operands(|x| places[x as usize]);
                self.ask(question, guard.answer, guard.location.clone());
            }
            if i < kept.len() && kept[i] {
                places[i] = self.append_again(program, i, &places, &mut numbers);
            }
        }
        places
    }
    /// Appends an operation of a program again; `numbers` translates the program's rules.
    pub(super) fn append_again(
        &mut self,
        program: &Program,
        i: usize,
        places: &[u32],
        numbers: &mut RuleNumbers,
    ) -> u32 {
        let op = program.code.ops[i].map_operands(|x| places[x as usize]);
        let rules = &program.code.rules;
        match op {
            Op::Unary { rule, x } => {
                let add = || self.rules.add_unary(rules.unary[rule as usize].clone());
                let rule = number_of(&mut numbers.unary, rule, add);
                self.push(Op::Unary { rule, x })
            }
            Op::Binary { rule, x, y } => {
                let add = || self.rules.add_binary(rules.binary[rule as usize].clone());
                let rule = number_of(&mut numbers.binary, rule, add);
                self.push(Op::Binary { rule, x, y })
            }
            Op::Constant(c) => self.constant(c),
            Op::Call(k) => {
                let call = &program.calls[k as usize];
                let again = |group: &Vec<u32>| group.iter().map(|&x| places[x as usize]).collect();
                let groups = call.groups.iter().map(again).collect();
                self.call(Call { groups, ..call.clone() }) - 1
            }
            Op::Part(index) => places[i - index as usize - 1] + 1 + index,
            op => self.push(op),
        }
    }
    /// A program to which more is appended; its operations keep their numbers.
    pub(super) fn of_program(program: &Program) -> Self {
        let mut builder = Builder::new(program.inputs(), Care::EXACT);
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
                Op::Part(index) => needed[i - index as usize - 1] = true,
                Op::Call(k) => {
                    let operands = self.calls[k as usize].groups.iter().flatten();
                    operands.for_each(|&x| needed[x as usize] = true);
                    let results = self.calls[k as usize].results as usize;
                    needed[i + 1..=i + results].fill(true);
                }
                op => op.operands().for_each(|x| needed[x as usize] = true),
            }
        }
    }
    /// Removes the operations that neither results nor guards need. A call that failed counts as a guard.
    pub(super) fn without_dead(&self) -> Program {
        self.of_needed(&self.alive())
    }
    /// Marks inputs, and the operations that results and guards need.
    fn alive(&self) -> Vec<bool> {
        let mut kept = vec![false; self.code.ops.len()];
        kept[..self.inputs()].fill(true);
        self.code.outputs.iter().for_each(|&y| kept[y as usize] = true);
        let asked = self.code.guards.iter().flat_map(|guard| guard.question.operands());
        asked.for_each(|x| kept[x as usize] = true);
        for &at in &self.call_places {
            let Op::Call(k) = self.code.ops[at as usize] else { continue };
            kept[at as usize] |= self.calls[k as usize].fails;
        }
        self.mark_operands(&mut kept);
        kept
    }
    pub(super) fn of_needed(&self, kept: &[bool]) -> Program {
        let rebuilt = Rebuilt::of_kept(self, kept, 0, Care::NONE);
        let outputs = rebuilt.outputs(self);
        Program::of(rebuilt.builder, outputs)
    }
}

//! Instruction scheduling, late: operations move to just before the part of the derivative that needs them.

use super::builder::{Builder, Care};
use super::op::Question;
use super::program::Program;

impl Program {
    /// Keeps the order of the operations from `first` on, and moves every earlier operation to just before its first
    /// use. So the values that the derivative of a term needs live for one term only.
    ///
    /// Each guard is checked as soon as its operands exist. A program with primitives is returned unchanged, because primitives
    /// can fail and must fail in order.
    pub(super) fn late(self, first: usize) -> Program {
        let n = self.code.ops.len();
        if !self.calls.is_empty() {
            return self;
        }
        let mut late = Late {
            builder: Builder::new(self.inputs(), Care::NONE),
            places: (0..n).map(|i| if i < self.inputs() { i as u32 } else { u32::MAX }).collect(),
            guards: vec![Vec::new(); n],
            program: &self,
        };
        for (g, guard) in (0..).zip(&self.code.guards) {
            let last = guard.question.operands().max().expect("a question about numbers");
            late.guards[last as usize].push(g);
        }
        (0..self.inputs()).for_each(|i| late.ask(i));
        let asked = self.code.guards.iter().flat_map(|guard| guard.question.operands());
        (first as u32..n as u32).chain(asked).chain(0..n as u32).for_each(|i| late.append(i));
        let outputs = self.code.outputs.iter().map(|&y| late.places[y as usize]).collect();
        Program::of(late.builder, outputs)
    }
}

/// A program that is written again.
struct Late<'p> {
    program: &'p Program,
    builder: Builder,
    places: Vec<u32>,
    /// The guards that can be checked after each operation.
    guards: Vec<Vec<u32>>,
}

impl Late<'_> {
    /// Appends an operation after all operations that it needs, which keep their old order.
    fn append(&mut self, target: u32) {
        const SEEN: u32 = u32::MAX - 1;
        let (mut needed, mut open) = (Vec::new(), vec![target]);
        while let Some(i) = open.pop() {
            if self.places[i as usize] != u32::MAX {
                continue;
            }
            self.places[i as usize] = SEEN;
            needed.push(i);
            open.extend(self.program.code.ops[i as usize].operands());
            let questions =
                self.guards[i as usize].iter().map(|&g| self.program.code.guards[g as usize].question);
            open.extend(questions.flat_map(Question::operands));
        }
        needed.sort_unstable();
        for i in needed {
            self.places[i as usize] = self.builder.append_again(self.program, i as usize, &self.places);
            self.ask(i as usize);
        }
    }
    /// Records the guards whose operands are now available.
    fn ask(&mut self, i: usize) {
        for g in std::mem::take(&mut self.guards[i]) {
            let guard = &self.program.code.guards[g as usize];
            let question = guard.question.map_operands(|x| self.places[x as usize]);
            self.builder.ask(question, guard.answer, guard.location.clone());
        }
    }
}

//! Instruction scheduling, late: operations move to just before the part of the derivative that needs them.

use super::builder::{Builder, Care};
use super::op::Question;
use super::program::Program;
use super::rebuild::RuleNumbers;

const NONE: u32 = u32::MAX;

impl Program {
    /// Keeps the order of the operations from `first` on, and moves every earlier operation to just before its first
    /// use. So the values that the derivative of a term needs live for one term only. Operations that are not `kept`
    /// go.
    ///
    /// Each guard is checked as soon as its operands exist. The order of a program with primitives does not change,
    /// because primitives can fail and must fail in order.
    pub(super) fn late(self, kept: &[bool], first: usize) -> Program {
        if !self.calls.is_empty() {
            return self.of_needed(kept);
        }
        let (n, guards) = (self.code.ops.len(), &self.code.guards);
        let mut late = Late {
            builder: Builder::new(self.inputs(), Care::NONE),
            places: (0..n as u32).map(|i| if (i as usize) < self.inputs() { i } else { NONE }).collect(),
            first_guard: vec![NONE; if guards.is_empty() { 0 } else { n }],
            next_guard: vec![NONE; guards.len()],
            numbers: RuleNumbers::default(),
            program: &self,
            needed: Vec::new(),
            open: Vec::new(),
        };
        late.builder.reserve(n);
        for (g, guard) in guards.iter().enumerate().rev() {
            let last = guard.question.operands().max().expect("a question about numbers") as usize;
            late.next_guard[g] = std::mem::replace(&mut late.first_guard[last], g as u32);
        }
        (0..self.inputs()).for_each(|i| late.ask(i));
        let asked = guards.iter().flat_map(|guard| guard.question.operands());
        let targets = (first as u32..n as u32).chain(asked).chain(0..n as u32);
        targets.filter(|&i| kept[i as usize]).for_each(|i| late.append(i));
        let outputs = self.code.outputs.iter().map(|&y| late.places[y as usize]).collect();
        Program::of(late.builder, outputs)
    }
}

/// A program that is written again.
struct Late<'p> {
    program: &'p Program,
    builder: Builder,
    places: Vec<u32>,
    numbers: RuleNumbers,
    /// For each operation the first guard whose last operand it is; empty if there are no guards.
    first_guard: Vec<u32>,
    /// For each guard the next one with this last operand.
    next_guard: Vec<u32>,
    /// Memory of `append`.
    needed: Vec<u32>,
    open: Vec<u32>,
}

impl Late<'_> {
    /// Appends an operation after all operations that it needs, which keep their old order.
    fn append(&mut self, target: u32) {
        const SEEN: u32 = NONE - 1;
        if self.places[target as usize] != NONE {
            return;
        }
        let program = self.program;
        let has_guards = self.first_guard.get(target as usize).is_some_and(|&g| g != NONE);
        if !has_guards && program.code.ops[target as usize].list().all(|x| self.places[x as usize] < SEEN) {
            self.write(target);
            return;
        }
        self.open.push(target);
        while let Some(i) = self.open.pop() {
            if self.places[i as usize] != NONE {
                continue;
            }
            self.places[i as usize] = SEEN;
            self.needed.push(i);
            let missing = |x: &u32| self.places[*x as usize] == NONE;
            self.open.extend(program.code.ops[i as usize].list().filter(missing));
            let mut g = self.first_guard.get(i as usize).copied().unwrap_or(NONE);
            while g != NONE {
                self.open.extend(program.code.guards[g as usize].question.list());
                g = self.next_guard[g as usize];
            }
        }
        let mut needed = std::mem::take(&mut self.needed);
        needed.sort_unstable();
        for i in needed.drain(..) {
            self.write(i);
            self.ask(i as usize);
        }
        self.needed = needed;
    }
    fn write(&mut self, i: u32) {
        self.places[i as usize] =
            self.builder.append_again(self.program, i as usize, &self.places, &mut self.numbers);
    }
    /// Records the guards whose last operand is this operation.
    fn ask(&mut self, i: usize) {
        let Some(first) = self.first_guard.get_mut(i) else { return };
        let mut g = std::mem::replace(first, NONE);
        while g != NONE {
            let guard = &self.program.code.guards[g as usize];
            let question: Question = guard.question.map_operands(|x| self.places[x as usize]);
            self.builder.ask(question, guard.answer, guard.location.clone());
            g = self.next_guard[g as usize];
        }
    }
}

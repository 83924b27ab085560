//! Programs run: the scalar interpreter.

use std::sync::Arc;

use super::calls::{self, Call, Map, Shared};
use super::code::Code;
use super::evaluate::evaluate;
use super::machine::{Loops, Machine};
use super::op::{Guard, Op, Question};
use super::program::Program;
use super::workspace::with_memory;
use crate::error::AdError;

impl Shared {
    /// Forgets what is of another run.
    pub fn start(&mut self, program: &Program) {
        self.start_with(&program.maps);
    }
}

impl Code {
    /// Runs the operations of a range; none of them is a call.
    #[inline]
    fn run_straight(&self, values: &mut [f64], from: usize, to: usize) {
        for i in from..to {
            let of = |x: u32| values[x as usize];
            let value = match self.ops[i] {
                Op::Input(_) | Op::Call(_) | Op::Part(_) => continue,
                op => evaluate(op, &self.rules, of),
            };
            values[i] = value;
        }
    }
    /// The results, where all operations have these values.
    fn collect(&self, values: &[f64], out: &mut [f64]) {
        for (out, &y) in out.iter_mut().zip(&self.outputs) {
            *out = values[y as usize];
        }
    }
}

impl Program {
    /// The results at a point, component by component.
    ///
    /// # Errors
    /// [`AdError::Shape`] if the point has another number of components, [`AdError::BranchChanged`] if the traced code
    /// would take another branch there, and the errors of primitives.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let program = trace(|x| x[0] * x[1] + x[0], &[2.0, 3.0]);
    /// assert_eq!(program.run(&[4.0, 5.0])?, [24.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn run(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
        let mut out = vec![0.0; self.outputs()];
        self.run_once(x, &mut out)?;
        Ok(out)
    }
    /// [`run`](Program::run) to a buffer, for many runs: the first one makes the program ready as a [`Machine`]; later ones
    /// allocate nothing, but by primitives. Memory is kept for the thread; [`Machine::run_into`] takes memory of your own.
    ///
    /// # Errors
    /// As [`run`](Program::run), and [`AdError::Shape`] if `out` does not have as many components as the result;
    /// nothing is written then.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let (program, mut y) = (trace(|x| x[0].exp(), &[2.0]), [0.0]);
    /// program.run_into(&[0.0], &mut y)?;
    /// assert_eq!(y, [1.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn run_into(&self, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        with_memory(|memory| self.ready().run_into(memory, x, out))
    }
    /// The machine of this program, which is made once.
    pub fn ready(&self) -> &Machine {
        self.machine.get_or_init(|| Arc::new(self.machine(Loops::default())))
    }
    /// Runs the operations as they are listed.
    fn run_once(&self, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        let code = &self.code;
        AdError::check_len("program", "point", self.inputs(), x.len())?;
        let mut shared = Shared::default();
        shared.start(self);
        let values = &mut vec![0.0; code.ops.len()][..];
        values[..x.len()].copy_from_slice(x);
        let mut at = x.len();
        let (mut guards, mut calls) = (code.guards.iter().peekable(), self.call_places.iter().peekable());
        loop {
            let guard = guards.peek().map_or(usize::MAX, |g| g.before as usize);
            let call = calls.peek().map_or(usize::MAX, |&&at| at as usize);
            let stop = guard.min(call).min(code.ops.len());
            code.run_straight(values, at, stop);
            at = stop;
            if guard <= call && guard != usize::MAX {
                let guard = guards.next().expect("it is there");
                if guard.question.answer(|x| values[x as usize]) != guard.answer {
                    return Err(guard.changed());
                }
            } else if call != usize::MAX {
                calls.next();
                let Op::Call(k) = code.ops[at] else { unreachable!("a call") };
                self.run_call(&mut shared, k as usize, at, values)?;
                at += 1 + self.calls[k as usize].results as usize;
            } else {
                break;
            }
        }
        code.collect(values, out);
        Ok(())
    }
    /// Runs call `k`, which stands at place `at`, and writes its results behind it. Calls run in their order; `memory`
    /// holds what they share, and is [`started`](Shared::start) for each run.
    ///
    /// # Errors
    /// Those of the function, and [`AdError::BranchChanged`] if it failed when it was traced and does not now.
    pub fn run_call(
        &self,
        memory: &mut Shared,
        k: usize,
        at: usize,
        values: &mut [f64],
    ) -> Result<(), AdError> {
        let y = memory.run(&self.calls[k], self.maps[k], |x| values[x as usize])?;
        values[at + 1..at + 1 + y.len()].copy_from_slice(&y);
        Ok(())
    }
}

impl Call {
    /// The results at operands; none where the traced code met an error, and meets one again.
    pub(super) fn results(
        &self,
        kept: Option<&mut Option<Map>>,
        of: impl Fn(u32) -> f64,
    ) -> Result<Vec<f64>, AdError> {
        let y = calls::run(self, kept, of);
        let op = self.function.name();
        if self.fails {
            let failed = || AdError::BranchChanged {
                op,
                recorded: "an error".to_string(),
                location: self.location.into(),
            };
            return y.map_or(Ok(Vec::new()), |_| Err(failed()));
        }
        let y = y?;
        AdError::check_len(op, "result", self.results as usize, y.len())?;
        Ok(y)
    }
}

impl Guard {
    /// What is said if a guard has another answer.
    #[cold]
    pub(super) fn changed(&self) -> AdError {
        let (op, recorded) = self.recorded();
        AdError::BranchChanged { op, recorded, location: self.location.clone() }
    }
    /// The name of the question, and the recorded answer.
    pub(super) fn recorded(&self) -> (&'static str, String) {
        let yes_or_no = || (self.answer != 0).to_string();
        match self.question {
            Question::Compare(relation, ..) => (relation.name(), yes_or_no()),
            Question::Has(property, _) => (property.name(), yes_or_no()),
            Question::Order(..) => {
                let order =
                    ["Less", "Equal", "Greater", "None"][self.answer.clamp(-1, 2).wrapping_add(1) as usize];
                ("partial_cmp", order.to_string())
            }
            Question::Value(_) => ("value", f64::from_bits(self.answer as u64).to_string()),
        }
    }
}

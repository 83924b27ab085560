//! Runs of programs at a point, and their failures.

use super::calls::{self, Call, Map, Shared};
use super::op::{Guard, Question};
use super::program::Program;
use super::workspace::with_memory;
use crate::error::AdError;

impl Shared {
    /// Clears the cache of another run.
    pub fn start(&mut self, program: &Program) {
        self.start_with(&program.maps);
    }
}

impl Program {
    /// The results at a point, component by component: [`run_into`](Program::run_into) of a vector.
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
        self.run_into(x, &mut out)?;
        Ok(out)
    }
    /// Writes the results at a point to a buffer. The first run lowers the program to an
    /// [`Executable`](super::Executable); later runs do not allocate, except in primitives. Memory is kept for the
    /// thread; [`Executable::run_into`](super::Executable::run_into) takes memory of your own.
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
    /// Runs call `k`, which is operation `at`, and writes its results after it. Calls run in their order. `memory` is
    /// their cache, and is [`started`](Shared::start) for each run.
    ///
    /// # Errors
    /// The errors of the function, and [`AdError::BranchChanged`] if it failed when it was traced and does not now.
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
    /// The results at operands; none if the traced code got an error here, and gets one again.
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
    /// The error of a guard that fails.
    #[cold]
    pub(super) fn changed(&self) -> AdError {
        let (op, recorded) = self.recorded();
        AdError::BranchChanged { op, recorded, location: self.location.clone() }
    }
    /// The name of the condition, and the recorded outcome.
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

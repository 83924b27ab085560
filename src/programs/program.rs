//! A program: operations in single assignment, from inputs to outputs.

use std::sync::Arc;
use std::sync::OnceLock;

use super::builder::Builder;
use super::calls::{Call, share_maps};
use super::exec::Executable;
use super::op::{Code, Op};
use super::rules::kinds;
use super::workspace::with_memory;
use crate::error::AdError;

/// A traced function: operations of the rule table from its inputs to its results, see [`programs`](crate::programs).
///
/// ```
/// use wengert::programs::trace;
/// let program = trace(|x| (x[0] * x[1]).sin() + x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((program.inputs(), program.outputs()), (2, 1));
/// assert_eq!(program.operations(), 3); // the product occurs once
/// assert_eq!(program.run(&[0.5, 1.0])?, [0.5f64.sin() + 0.5]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Program {
    pub(super) code: Code,
    pub(super) calls: Vec<Call>,
    /// The executable of the program, from the first run on.
    pub(super) executable: OnceLock<Arc<Executable>>,
}

impl Program {
    /// The program that was built, with these results.
    pub(super) fn of(builder: Builder, outputs: Vec<u32>) -> Self {
        let Builder { ops, rules, calls, guards, inputs, .. } = builder;
        Program::new(Code { inputs, ops, outputs, guards, rules }, calls)
    }
    pub(super) fn new(code: Code, mut calls: Vec<Call>) -> Self {
        share_maps(&mut calls);
        Program { code, calls, executable: OnceLock::new() }
    }
    /// The number of components of the point.
    pub fn inputs(&self) -> usize {
        self.code.inputs as usize
    }
    /// The number of components of the result.
    pub fn outputs(&self) -> usize {
        self.code.outputs.len()
    }
    /// The number of operations, without inputs, constants and the results of calls.
    pub fn operations(&self) -> usize {
        let counts = |op: &&Op| !matches!(op, Op::Input(_) | Op::Constant(_) | Op::CallResult(_));
        self.code.ops.iter().filter(counts).count()
    }
    /// The operations, results and guards: everything except the primitives.
    #[doc(hidden)]
    pub fn code(&self) -> &Code {
        &self.code
    }
    /// The primitives that are called, in order.
    #[doc(hidden)]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }
    /// For each operation, whether it is an integer at each point: rounded, or made of such numbers.
    pub(crate) fn integers(&self) -> Vec<bool> {
        let mut integers: Vec<bool> = Vec::with_capacity(self.code.ops.len());
        for &op in &self.code.ops {
            let both = |x: u32, y: u32| integers[x as usize] && integers[y as usize];
            integers.push(match op {
                Op::Constant(c) => c.fract() == 0.0,
                Op::Compare { .. } => true,
                Op::Neg(x) | Op::Detach(x) => integers[x as usize],
                Op::Add(x, y) | Op::Sub(x, y) | Op::Mul(x, y) | Op::Select { x, y, .. } => both(x, y),
                Op::Unary { rule, x } => {
                    let entry = &self.code.rules.all[rule as usize];
                    entry.is_one_of(&kinds![Floor, Ceil, Round, Trunc])
                        || entry.is_one_of(&kinds![Abs]) && integers[x as usize]
                }
                Op::Binary { rule, x, y } => {
                    self.code.rules.all[rule as usize].is_one_of(&kinds![Min, Max]) && both(x, y)
                }
                _ => false,
            });
        }
        integers
    }
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
}

//! A program: operations in single assignment, from inputs to outputs.

use std::sync::Arc;
use std::sync::OnceLock;

use super::builder::Builder;
use super::calls::{Call, shared_maps};
use super::code::Code;
use super::machine::Executable;
use super::op::Op;

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
    /// The numbers of the calls among the operations.
    pub(super) call_places: Vec<u32>,
    /// The linearizations that calls share.
    pub(super) maps: Vec<Option<usize>>,
    /// The executable of the program, from the first run on.
    pub(super) machine: OnceLock<Arc<Executable>>,
}

impl Program {
    /// The program that was built, with these results.
    pub(super) fn of(builder: Builder, outputs: Vec<u32>) -> Self {
        let Builder { ops, rules, calls, guards, inputs, .. } = builder;
        Program::new(Code { inputs, ops, outputs, guards, rules }, calls)
    }
    pub(super) fn new(code: Code, calls: Vec<Call>) -> Self {
        let is_call = |(i, op): (usize, &Op)| matches!(op, Op::Call(_)).then_some(i as u32);
        let call_places = code.ops.iter().enumerate().filter_map(is_call).collect();
        let maps = shared_maps(&calls);
        Program { code, calls, call_places, maps, machine: OnceLock::new() }
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
        let counts = |op: &&Op| !matches!(op, Op::Input(_) | Op::Constant(_) | Op::Part(_));
        self.code.ops.iter().filter(counts).count()
    }
    /// The operations, results and guards: everything except the primitives.
    pub fn code(&self) -> &Code {
        &self.code
    }
    /// The primitives that are called, in order.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }
}

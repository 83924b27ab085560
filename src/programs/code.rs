//! The data of a program.

use super::op::{Guard, Op};
use super::rules::Rules;

/// The parts of a program other than the primitives that it calls: plain data, which threads may share.
#[derive(Clone)]
pub struct Code {
    /// The number of inputs, which are the first operations.
    pub inputs: u32,
    /// The operations. The number of an operation is its index here; its operands have smaller numbers.
    pub ops: Vec<Op>,
    /// The operations that are the results.
    pub outputs: Vec<u32>,
    /// The guards of the traced code, in order.
    pub guards: Vec<Guard>,
    /// The rules that operations refer to.
    pub rules: Rules,
}

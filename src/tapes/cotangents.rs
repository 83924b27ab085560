//! The result of a sweep: derivatives with respect to the inputs.

use std::fmt;
use std::ops::Range;

use super::var::Var;
use super::{identity, misuse};
use crate::number::Real;

/// The derivatives of one result, or of a weighted sum of results, with respect to the inputs of a tape.
/// ```
/// let tape = wengert::Tape::new();
/// let [x, y] = [2.0, 3.0].map(|x| tape.variable(x));
/// let d = tape.cotangents(x * x * y);
/// assert_eq!((d.of(x), d.of_all(&[x, y])), (12.0, vec![12.0, 4.0]));
/// ```
#[derive(Clone)]
pub struct Cotangents<T> {
    pub(super) tape: u32,
    /// The nodes of the inputs, ascending, and how many inputs come before each range.
    pub(super) inputs: Vec<(Range<usize>, usize)>,
    pub(super) values: Vec<T>,
}

impl<T: fmt::Debug> fmt::Debug for Cotangents<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tape = identity::number(self.tape);
        f.debug_struct("Cotangents").field("tape", &tape).field("values", &self.values).finish()
    }
}

impl<T: Real> Cotangents<T> {
    /// The derivative with respect to the input `x`.
    ///
    /// # Panics
    /// If `x` is not an input of the tape but a constant, a variable of another tape or a computed value. An input
    /// plus a constant is accepted, because the derivative is the same.
    #[track_caller]
    pub fn of(&self, x: Var<T>) -> T {
        if x.is_passive() {
            misuse::constant_as_input();
        }
        if x.tape() != self.tape {
            misuse::input_of_another_tape(x.tape(), self.tape);
        }
        let node = x.node() as usize;
        let after = self.inputs.partition_point(|(range, _)| range.start <= node);
        match self.inputs[..after].last() {
            Some((range, before)) if range.contains(&node) && x.is_fresh() => {
                self.values[before + node - range.start]
            }
            _ => misuse::not_an_input(),
        }
    }
    /// The derivatives with respect to several inputs.
    ///
    /// # Panics
    /// If one is not an input of the tape.
    #[track_caller]
    pub fn of_all(&self, x: &[Var<T>]) -> Vec<T> {
        let mut derivatives = Vec::with_capacity(x.len());
        for &x in x {
            derivatives.push(self.of(x));
        }
        derivatives
    }
}

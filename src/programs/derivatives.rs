//! Programs of derivatives, which have derivatives again.

use super::builder::{BuildOptions, Builder};
use super::linear::{NonzeroEntry, SparseRows, SymbolicTangent};
use super::linearize::LinearizedProgram;
use super::program::Program;
use super::rewrite::Rewritten;
use crate::error::AdError;

/// An entry of a Jacobian that is not zero everywhere: its row and its column.
pub type Place = (usize, usize);

impl Program {
    /// `(x, v) ↦ (f(x), J(x)·v)`.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let program = trace(|x| x[0] * x[1], &[2.0, 3.0]).jvp()?;
    /// assert_eq!(program.run(&[2.0, 3.0, 1.0, 10.0])?, [6.0, 23.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn jvp(&self) -> Result<Program, AdError> {
        self.linearize()?.to_program()
    }
    /// `(x, w) ↦ (f(x), J(x)ᵀ·w)`.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let program = trace(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]).vjp()?;
    /// assert_eq!(program.run(&[2.0, 3.0, 1.0, 10.0])?, [6.0, 2.0, 13.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn vjp(&self) -> Result<Program, AdError> {
        self.linearize()?.transpose().to_program()
    }
    /// `x ↦ ∇f(x)` of a program with one result.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize), and [`AdError::Shape`] if there is not one result.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let gradient = trace(|x| x[0] * x[1].exp(), &[2.0, 3.0]).gradient()?;
    /// assert_eq!(gradient.run(&[2.0, 0.0])?, [1.0, 2.0]);
    /// assert_eq!(gradient.operations(), 2); // the exponential occurs once
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn gradient(&self) -> Result<Program, AdError> {
        self.first("gradient", false)
    }
    /// `x ↦ (f(x), ∇f(x))`.
    ///
    /// # Errors
    /// As [`gradient`](Program::gradient).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let both = trace(|x| x[0] * x[1], &[2.0, 3.0]).value_and_gradient()?;
    /// assert_eq!(both.run(&[2.0, 3.0])?, [6.0, 3.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn value_and_gradient(&self) -> Result<Program, AdError> {
        self.first("value_and_gradient", true)
    }
    fn first(&self, op: &'static str, with_value: bool) -> Result<Program, AdError> {
        AdError::check_len(op, "result", 1, self.outputs())?;
        let values = if with_value { &self.code.outputs[..] } else { &[] };
        self.weighted_gradient(self.inputs(), values, |builder| vec![Some(builder.constant(1.0))])
    }
    /// Some values, then the derivatives with respect to the first inputs, of the results times these weights.
    pub(super) fn weighted_gradient(
        &self,
        active: usize,
        values: &[u32],
        weights: impl FnOnce(&mut Builder) -> Vec<SymbolicTangent>,
    ) -> Result<Program, AdError> {
        let (mut builder, linear) = self.linear_part(&self.first_inputs(active))?;
        let linear = linear.transpose();
        linear.demand_rules()?;
        let weights = weights(&mut builder);
        let first = builder.ops.len();
        let gradient = linear.lower(&mut builder, |x| x, &weights);
        let mut outputs = values.to_vec();
        outputs.extend(gradient[..active].iter().map(|t| t.unwrap_or_else(|| builder.constant(0.0))));
        Ok(Program::of(builder, outputs).scheduled_late(first))
    }
    /// The flags of the first inputs.
    pub(super) fn first_inputs(&self, count: usize) -> Vec<bool> {
        (0..self.inputs()).map(|i| i < count).collect()
    }
    /// `x ↦ J(x)`, row after row: outputs × inputs.
    ///
    /// It is formed by columns, or by rows if there are fewer of them: the other way if a primitive lacks the rule. Entries that are zero everywhere are constants.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let jacobian = trace(|x| [x[0] * x[1], x[0].exp()], &[2.0, 3.0]).jacobian()?;
    /// assert_eq!(jacobian.run(&[0.0, 3.0])?, [3.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn jacobian(&self) -> Result<Program, AdError> {
        self.table(false)
    }
    /// `x ↦ (f(x), J(x))`: the results, and the Jacobian row after row.
    ///
    /// # Errors
    /// As [`jacobian`](Program::jacobian).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let both = trace(|x| [x[0] * x[1], x[0].exp()], &[2.0, 3.0]).value_and_jacobian()?;
    /// assert_eq!(both.run(&[0.0, 3.0])?, [0.0, 1.0, 3.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn value_and_jacobian(&self) -> Result<Program, AdError> {
        self.table(true)
    }
    fn table(&self, with_value: bool) -> Result<Program, AdError> {
        let (mut rewritten, rows, values) = self.rows()?;
        let zero = rewritten.builder.constant(0.0);
        let mut outputs = if with_value { values } else { Vec::new() };
        for row in rows {
            let first = outputs.len();
            outputs.resize(first + self.inputs(), zero);
            row.into_iter().for_each(|(j, entry)| outputs[first + j as usize] = entry);
        }
        Ok(rewritten.finish(outputs))
    }
    /// The entries of the Jacobian that are not identically zero, row after row, with their rows and columns.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let (entries, places) =
    ///     trace(|x| [x[0] * x[1], x[0].exp()], &[2.0, 3.0]).sparse_jacobian()?;
    /// assert_eq!(entries.run(&[0.0, 3.0])?, [3.0, 0.0, 1.0]);
    /// assert_eq!(places, [(0, 0), (0, 1), (1, 0)]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn sparse_jacobian(&self) -> Result<(Program, Vec<Place>), AdError> {
        let (rewritten, rows, _) = self.rows()?;
        let place = |(i, row): (usize, Vec<NonzeroEntry>)| {
            row.into_iter().map(move |(j, entry)| ((i, j as usize), entry))
        };
        let (places, outputs) = rows.into_iter().enumerate().flat_map(place).unzip();
        Ok((rewritten.finish(outputs), places))
    }
    /// The rows of the Jacobian, and the results, as operations.
    fn rows(&self) -> Result<(Rewritten, SparseRows, Vec<u32>), AdError> {
        let size = [self.outputs(), self.inputs()];
        let (by_rows, at) = self.for_jacobian(size)?;
        let mut rewritten = Rewritten::of(&at.program, 0, BuildOptions::EXACT);
        let rows = rewritten.rows(&at.linear, by_rows, size);
        let values = rewritten.outputs(&at.program);
        Ok((rewritten, rows, values))
    }
    /// The linearization for a Jacobian of the first rows and columns, and whether it is transposed: it is if there are
    /// fewer rows; the other direction serves if a primitive lacks the rule.
    pub(super) fn for_jacobian(
        &self,
        [rows, columns]: [usize; 2],
    ) -> Result<(bool, LinearizedProgram), AdError> {
        let forward = self.linearize_wrt(&self.first_inputs(columns))?;
        let lacks = |at: &LinearizedProgram| at.linear.demand_rules().is_err();
        let back = (rows < columns || lacks(&forward)).then(|| forward.transpose());
        let back = back.filter(|back| rows >= columns || !lacks(back));
        let (by_rows, at) = (back.is_some(), back.unwrap_or(forward));
        at.linear.demand_rules()?;
        Ok((by_rows, at))
    }
    /// `x ↦ ∇²f(x)`, row after row, of a program with one result: the Jacobian of the gradient.
    ///
    /// # Errors
    /// As [`gradient`](Program::gradient).
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let hessian = trace(|x| x[0] * x[0] * x[1], &[2.0, 3.0]).hessian()?;
    /// assert_eq!(hessian.run(&[2.0, 3.0])?, [6.0, 4.0, 4.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn hessian(&self) -> Result<Program, AdError> {
        self.gradient()?.jacobian()
    }
}

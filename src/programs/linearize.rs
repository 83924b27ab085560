//! Linearization: appends residuals to the operations of a program, and writes the part that is linear in the
//! tangents as a separate program.

use std::sync::atomic::{AtomicU64, Ordering};

use super::builder::{BuildOptions, Builder};
use super::linear::{LinearMapProgram, SymbolicTangent, ZeroProduct};
use super::op::Op;
use super::partials::Partials;
use super::program::Program;
use super::rewrite::Rewritten;
use super::rules::kinds;
use crate::error::AdError;

/// The identity of one linearization: no two are equal in a process.
/// ```
/// use wengert::programs::trace;
/// let program = trace(|x| x[0] * x[0], &[2.0]);
/// let (a, b) = (program.linearize()?, program.linearize()?);
/// assert!(a.id() != b.id() && a.id() == a.clone().id());
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinearizationId(u64);

impl LinearizationId {
    fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        LinearizationId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A program with its derivative: the program itself, residuals among its operations, and a linear program of them.
///
/// ```
/// use wengert::programs::trace;
/// let at = trace(|x| x[0].sin() * x[1], &[1.0, 2.0]).linearize()?;
/// let (jvp, vjp) = (at.to_program()?, at.transpose().to_program()?);
/// // The point and a tangent; the value and its tangent.
/// assert_eq!(jvp.run(&[0.5, 2.0, 1.0, 0.0])?, [0.5f64.sin() * 2.0, 0.5f64.cos() * 2.0]);
/// assert_eq!(vjp.run(&[0.5, 2.0, 1.0])?[1..], [0.5f64.cos() * 2.0, 0.5f64.sin()]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct LinearizedProgram {
    pub(super) program: Program,
    pub(super) linear: LinearMapProgram,
    id: LinearizationId,
}

impl LinearizedProgram {
    /// The program, with the residuals.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// The part that is linear in the tangents.
    pub fn linear(&self) -> &LinearMapProgram {
        &self.linear
    }
    /// The identity of this pass.
    pub fn id(&self) -> LinearizationId {
        self.id
    }
    /// The linear part in the other direction, with the same residuals.
    pub fn transpose(&self) -> LinearizedProgram {
        LinearizedProgram {
            program: self.program.clone(),
            linear: self.linear.transpose(),
            id: LinearizationId::fresh(),
        }
    }
    /// One program: its inputs are the point and then the tangent, its results the value and then its tangent
    /// (cotangents, after a transposition). A tangent that is identically zero is the constant 0.
    ///
    /// # Errors
    /// [`AdError::Unsupported`] if a primitive does not have the rule for the direction.
    pub fn to_program(&self) -> Result<Program, AdError> {
        self.linear.demand_rules()?;
        let tangents = self.linear.inputs();
        let rewritten = Rewritten::of(&self.program, tangents, BuildOptions::EXACT);
        let first = self.program.inputs() as u32;
        let seeds: Vec<SymbolicTangent> = (0..tangents as u32).map(|i| Some(first + i)).collect();
        let mut outputs = rewritten.outputs(&self.program);
        let Rewritten { mut builder, places } = rewritten;
        let lowered = self.linear.lower(&mut builder, |x| places[x as usize], &seeds);
        outputs.extend(lowered.into_iter().map(|t| t.unwrap_or_else(|| builder.constant(0.0))));
        Ok(Program::of(builder, outputs).without_dead())
    }
}

impl Program {
    /// The derivative with respect to all inputs. Operations that no result depends on, and operations that do not
    /// depend on the inputs, are not differentiated.
    ///
    /// # Errors
    /// [`AdError::Unsupported`] if an operation has no derivative: the derivative of order 5 of a rule whose formula
    /// branches on values, or a primitive without the rule.
    /// [`LinearizedProgram`] has an example.
    pub fn linearize(&self) -> Result<LinearizedProgram, AdError> {
        self.linearize_wrt(&vec![true; self.inputs()])
    }
    /// [`linearize`](Program::linearize) with respect to the inputs whose flag in `active` is true. The others are
    /// constants, and their tangents are not read.
    ///
    /// # Errors
    /// As [`linearize`](Program::linearize), and [`AdError::Shape`] if the number of flags is not the number of
    /// inputs.
    /// ```
    /// use wengert::programs::trace;
    /// let at = trace(|x| x[0] * x[1], &[2.0, 3.0]).linearize_wrt(&[true, false])?;
    /// // The point and a tangent, of which only the first component is read.
    /// assert_eq!(at.to_program()?.run(&[2.0, 3.0, 1.0, 100.0])?, [6.0, 3.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn linearize_wrt(&self, active: &[bool]) -> Result<LinearizedProgram, AdError> {
        AdError::check_len("linearize", "list of active inputs", self.inputs(), active.len())?;
        let (builder, linear) = self.linear_part(active)?;
        let program = Program::of(builder, self.code.outputs.clone());
        Ok(LinearizedProgram { program, linear, id: LinearizationId::fresh() })
    }
    /// The operations with the residuals among them, and the map of the tangents.
    pub(super) fn linear_part(&self, active: &[bool]) -> Result<(Builder, LinearMapProgram), AdError> {
        let needed = self.needed();
        let mut pass = Linearizer {
            residuals: Partials::new(Builder::of_program(self)),
            linear: LinearMapProgram::of_inputs(self.inputs() as u32),
            tangents: vec![None; self.code.ops.len()],
        };
        for (i, &is_active) in active.iter().enumerate() {
            pass.tangents[i] = is_active.then_some(i as u32);
        }
        for (i, &op) in self.code.ops.iter().enumerate().skip(self.inputs()) {
            if let Op::Call(k) = op
                && needed[i]
            {
                let Linearizer { linear, tangents, .. } = &mut pass;
                let parts = linear.tangents_of_call(&self.calls[k as usize], |x| tangents[x as usize]);
                tangents[i + 1..=i + parts.len()].copy_from_slice(&parts);
                continue;
            }
            if needed[i] && !matches!(op, Op::CallResult(_)) {
                pass.tangents[i] = pass.tangent(i as u32, op)?;
            }
        }
        let Linearizer { residuals, mut linear, tangents } = pass;
        linear.outputs = self.code.outputs.iter().map(|&y| tangents[y as usize]).collect();
        Ok((residuals.finish(), linear))
    }
    /// Which operations a result depends on.
    pub(super) fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.code.ops.len()];
        self.code.outputs.iter().for_each(|&y| needed[y as usize] = true);
        self.mark_operands(&mut needed);
        needed
    }
}

/// A linearization in progress.
struct Linearizer {
    residuals: Partials,
    linear: LinearMapProgram,
    /// The tangent of each operation, if it has one.
    tangents: Vec<SymbolicTangent>,
}

impl Linearizer {
    fn of(&self, x: u32) -> SymbolicTangent {
        self.tangents[x as usize]
    }
    /// The tangent of operation `i`.
    fn tangent(&mut self, i: u32, op: Op) -> Result<SymbolicTangent, AdError> {
        if op.operands().all(|x| self.of(x).is_none()) && !matches!(op, Op::Call(_) | Op::CallResult(_)) {
            return Ok(None);
        }
        let linear = &mut self.linear;
        let of = |x: u32| self.tangents[x as usize];
        Ok(match op {
            Op::Input(_) | Op::Constant(_) | Op::Compare { .. } | Op::Detach(_) => None,
            Op::Neg(x) => linear.neg(of(x)),
            Op::Add(x, y) => linear.add(of(x), of(y)),
            Op::Sub(x, y) => linear.sub(of(x), of(y)),
            Op::Mul(x, y) => linear.product(ZeroProduct::Ieee, [(of(x), y), (of(y), x)]),
            Op::MulAdd(x, y, z) => {
                let product = linear.product(ZeroProduct::Ieee, [(of(x), y), (of(y), x)]);
                linear.add(product, of(z))
            }
            Op::Div(x, y) => {
                let by = self.residuals.reciprocal(i, y);
                self.quotient(ZeroProduct::StrongTangent, i, of(x), [y, by])
            }
            Op::StrongDiv { t, y, r } => self.quotient(ZeroProduct::StrongEither, i, of(t), [y, r]),
            Op::Unary { rule, x } if self.residuals.entry(rule, |entry| entry.is_one_of(&kinds![Recip])) => {
                // `−f·ẋ/x`, also where `f²` is out of range.
                let change = linear.div(Some((i, ZeroProduct::StrongTangent)), of(x), [x, i]);
                linear.neg(change)
            }
            Op::StrongMul { d, t } => {
                let along = linear.scale(ZeroProduct::StrongTangent, d, of(t));
                let change = linear.scale(ZeroProduct::StrongEither, t, of(d));
                linear.add(along, change)
            }
            Op::StrongMulEither { d, t } => {
                linear.product(ZeroProduct::StrongEither, [(of(t), d), (of(d), t)])
            }
            Op::PropagateNan { f, d } => {
                let by = self.residuals.where_number(f, 1.0);
                linear.scale(ZeroProduct::StrongTangent, by, of(d))
            }
            Op::Select { condition, x, y } => {
                let (x, y) = (linear.choose(condition, false, of(x)), linear.choose(condition, true, of(y)));
                linear.add(x, y)
            }
            Op::Unary { rule, x } => {
                let [d, _] = self.residuals.slopes(rule, [x, x], i, [true, false])?;
                let t = of(x);
                self.along([(d, t)], ZeroProduct::StrongTangent)
            }
            Op::Binary { rule, x, y } => {
                let (s, t) = (of(x), of(y));
                // The partials of an extremum are 0 and 1.
                let is_extremum =
                    self.residuals.entry(rule, |entry| kinds![Max, Min].contains(&entry.rule.kind()));
                let law = if is_extremum { ZeroProduct::StrongEither } else { ZeroProduct::StrongTangent };
                let wanted = [s.is_some(), t.is_some()];
                let [dx, dy] = self.residuals.slopes(rule, [x, y], i, wanted)?;
                self.along([(dx, s), (dy, t)], law)
            }
            Op::Call(_) | Op::CallResult(_) => None,
        })
    }
    /// The tangent of the quotient `q = x/y`, whose divisor has the reciprocal `r`: `ẋ/y − (q·ẏ)/y`, and in the other
    /// direction `(q·w)/y`. The derivatives of these are in the range where the square of `1/y` is not. `zeros` is the kind
    /// of the product with `q`, as `x` may be a tangent.
    fn quotient(
        &mut self,
        zeros: ZeroProduct,
        q: u32,
        dx: SymbolicTangent,
        [y, r]: [u32; 2],
    ) -> SymbolicTangent {
        let numerator = self.linear.div(None, dx, [y, r]);
        let change = self.linear.div(Some((q, zeros)), self.of(y), [y, r]);
        self.linear.sub(numerator, change)
    }
    /// `Σ d·t` of the partials that are not zero.
    fn along<const N: usize>(
        &mut self,
        terms: [(Option<u32>, SymbolicTangent); N],
        law: ZeroProduct,
    ) -> SymbolicTangent {
        let term = |(d, t): (Option<u32>, SymbolicTangent)| self.linear.scale(law, d?, t);
        let terms = terms.map(term);
        terms.into_iter().fold(None, |sum, term| self.linear.add(sum, term))
    }
}

impl LinearMapProgram {
    /// `s·y + t·x`.
    fn product(&mut self, law: ZeroProduct, terms: [(SymbolicTangent, u32); 2]) -> SymbolicTangent {
        if terms[0] == terms[1] {
            // One product: its transpose then doubles the factor that all squares of a sum have in common.
            let half = self.scale(law, terms[0].1, terms[0].0);
            return self.add(half, half);
        }
        let [left, right] = terms.map(|(t, by)| self.scale(law, by, t));
        self.add(left, right)
    }
}

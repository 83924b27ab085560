//! Programs without strong zeros, for runs whose results are checked afterwards.
//!
//! Strong zeros differ from plain products only where the plain value is not finite:
//!
//! | operation | plain | differs where the plain value is |
//! |---|---|---|
//! | strong products of `d` and `t` | `d·t` | NaN |
//! | `t/y` by the reciprocal `r` | `t·r` | NaN or infinite |
//! | the partial `d` of a result `f` | `d` | anything, but then `f` is NaN |
//!
//! So a plain product is allowed if such a value reaches a result through operations that keep it from becoming
//! finite again. One path to a result is enough, because the whole program is run again. The backward sweep of the
//! tape does the same.

use super::builder::BuildOptions;
use super::op::{Code, Op};
use super::program::Program;
use super::std_functions;

/// Which non-finite values of an operation are certain to make an output non-finite: none, NaN, or NaN and ±∞.
type Shown = u8;
const NOTHING: Shown = 0;
const NAN: Shown = 1;
const INFINITY: Shown = 3;

impl Program {
    /// The program with plain products instead of strong zeros; `None` if there is nothing to replace.
    ///
    /// Its guards have the same conditions and outcomes. Where its results are **all finite**, they equal the results of this
    /// program, bit for bit; elsewhere this program has to be run. `run`, machine code and source code do that. Derivatives of
    /// a plain program do not follow the conventions at singular points.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let gradient = trace(|x| (x[0] * x[0] + x[1] * x[1]).sqrt(), &[3.0, 4.0]).gradient()?;
    /// let plain = gradient.without_strong_zeros().expect("products with cotangents");
    /// assert_eq!(plain.run(&[3.0, 4.0])?, gradient.run(&[3.0, 4.0])?);
    /// assert!(plain.run(&[0.0, 0.0])?[0].is_nan()); // 0·∞
    /// assert_eq!(gradient.run(&[0.0, 0.0])?, [0.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn without_strong_zeros(&self) -> Option<Program> {
        let is_law = |op: &Op| {
            matches!(
                op,
                Op::StrongMul { .. }
                    | Op::StrongMulEither { .. }
                    | Op::StrongDiv { .. }
                    | Op::PropagateNan { .. }
            )
        };
        if !self.code().ops.iter().any(is_law) {
            return None;
        }
        let untouched = sensitive(self);
        let shown = non_finite_reaching_outputs(self, &untouched);
        let (code, mut changed) = (self.code(), self.clone());
        let mut found = false;
        for (i, op) in changed.code.ops.iter_mut().enumerate().filter(|&(i, _)| !untouched[i]) {
            *op = match *op {
                Op::StrongMul { d, t } | Op::StrongMulEither { d, t } if shown[i] >= NAN => Op::Mul(d, t),
                Op::StrongDiv { t, r, .. } if shown[i] == INFINITY => Op::Mul(t, r),
                Op::PropagateNan { f, d } if shown[not_a_number(code, f) as usize] >= NAN => Op::Detach(d),
                _ => continue,
            };
            found = true;
        }
        found.then(|| changed.rebuilt(BuildOptions::PLAIN).without_dead())
    }
    /// The program with integer powers as products, which has the same results; `None` if it has no powers.
    pub(crate) fn with_products(&self) -> Option<Program> {
        let has_powers = self.code().rules.all.iter().any(|entry| entry.power().is_some());
        // Equal operations are found already: this takes a third of the time.
        let options = BuildOptions { values_only: true, ..BuildOptions::NONE };
        has_powers.then(|| self.rebuilt(options).without_dead())
    }
}

/// For each value, the non-finite values that reach an output of the program without strong zeros. Untouched operations
/// keep strong zeros, which may stop a NaN.
fn non_finite_reaching_outputs(program: &Program, untouched: &[bool]) -> Vec<Shown> {
    let code = program.code();
    let mut shown = vec![NOTHING; code.ops.len()];
    code.outputs.iter().for_each(|&y| shown[y as usize] = INFINITY);
    for i in (0..code.ops.len()).rev().filter(|&i| code.ops[i].operands().next().is_some()) {
        let op = code.ops[i];
        if untouched[i]
            && matches!(op, Op::StrongMul { .. } | Op::StrongMulEither { .. } | Op::StrongDiv { .. })
        {
            continue;
        }
        for (x, passed) in op.operands().zip(non_finite_through(code, op, shown[i])) {
            shown[x as usize] |= passed & shown[i];
        }
    }
    shown
}

/// A value that is NaN exactly where `f` is: for a power its argument.
fn not_a_number(code: &Code, f: u32) -> u32 {
    match code.ops[f as usize] {
        Op::Unary { rule, x } if code.rules.all[rule as usize].power().is_some_and(|n| n != 0) => x,
        _ => f,
    }
}

/// For each operand, the non-finite values that the operation is certain to propagate, given which of its results
/// reach an output.
fn non_finite_through(code: &Code, op: Op, shown: Shown) -> [Shown; 3] {
    match op {
        Op::Neg(_) | Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::MulAdd(..) | Op::Detach(_) => {
            [INFINITY; 3]
        }
        // An infinite divisor may be lost.
        Op::Div(..) => [INFINITY, NAN, NOTHING],
        Op::StrongMul { .. } | Op::StrongMulEither { .. } if shown >= NAN => [INFINITY; 3],
        Op::StrongDiv { .. } if shown == INFINITY => [INFINITY, NOTHING, INFINITY],
        // Whether the test of `f` may be dropped depends on the other paths from `f` to an output.
        Op::PropagateNan { .. } => [NOTHING, INFINITY, NOTHING],
        Op::Unary { rule, .. } => {
            let entry = &code.rules.all[rule as usize];
            match entry.power() {
                Some(power) if power > 0 => [INFINITY; 3],
                Some(power) if power < 0 => [NAN; 3],
                _ => [if entry.direct().is_some() { NAN } else { NOTHING }; 3],
            }
        }
        _ => [NOTHING; 3],
    }
}

/// Marks the values that reach a guard, a user's rule or a primitive. They keep strong zeros: a NaN could change the
/// guard's outcome, or make user code panic, fail or loop forever.
fn sensitive(program: &Program) -> Vec<bool> {
    let code = program.code();
    let mut sensitive = vec![false; code.ops.len()];
    code.guards
        .iter()
        .flat_map(|guard| guard.condition.operands())
        .for_each(|x| sensitive[x as usize] = true);
    let known = |rule: &mut u32| {
        let entry = &code.rules.all[*rule as usize];
        std_functions::direct(entry.rule.kind()).is_some() || entry.power().is_some()
    };
    for (i, mut op) in code.ops.iter().copied().enumerate().rev() {
        if matches!(op, Op::Call(_)) || sensitive[i] || !op.rule_mut().is_none_or(known) {
            program.each_operand(i, |x| sensitive[x as usize] = true);
        }
    }
    sensitive
}

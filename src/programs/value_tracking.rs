//! Value tracking: facts about values without running a program, their signs and where they are NaN.

use super::builder::Builder;
use super::op::Op;
use super::rules::kinds;

/// Maximum depth of the search through operands.
const DEPTH: usize = 4;

impl Builder {
    /// Whether a value is NaN or has a positive sign, and so is not −0: squares, exponentials, and operations on
    /// them.
    pub(super) fn sign_bit_is_clear(&self, op: Op) -> bool {
        let of = |x: u32| self.positive[x as usize];
        match op {
            Op::Constant(c) => c.is_nan() || c.is_sign_positive(),
            Op::Mul(x, y) => x == y || of(x) && of(y),
            Op::Add(x, y) | Op::Div(x, y) | Op::Select { x, y, .. } => of(x) && of(y),
            Op::Detach(x) | Op::PropagateNan { d: x, .. } => of(x),
            Op::Unary { x, .. } => {
                self.is_one_of(op, &kinds![Exp, Exp2, Cosh, Abs, Square])
                    || of(x) && self.is_one_of(op, &kinds![Sqrt, Recip])
            }
            _ => false,
        }
    }
    /// `t + t` of a tangent. If it is `w·c` for a power of two `c`, the result is `w·2c`, as in the derivative of
    /// `½x²`.
    pub(super) fn double(&mut self, t: u32) -> Op {
        let is_power = |c: &f64| c.is_normal() && (2.0 * c).is_finite() && c.to_bits() << 12 == 0;
        if let Op::Mul(x, y) = self.ops[t as usize] {
            for (w, c) in [(x, y), (y, x)] {
                if let Some(c) = self.as_constant(c).filter(is_power) {
                    return Op::Mul(w, self.constant(2.0 * c));
                }
            }
        }
        Op::Add(t, t)
    }
    /// Whether an operation is the value of one of these rules.
    fn is_one_of(&self, op: Op, kinds: &[std::any::TypeId]) -> bool {
        let Op::Unary { rule, .. } = op else { return false };
        self.rules.all[rule as usize].is_one_of(kinds)
    }
    /// Whether `d` is NaN wherever the result `f` is. An example is `1/x` with `f = ln x` of a sum of exponentials.
    pub(super) fn covers_nan_of(&self, f: u32, d: u32) -> bool {
        let op = self.ops[f as usize];
        let Op::Unary { x, .. } = op else { return false };
        let is_nan_alone = self.is_one_of(op, &kinds![Ln, Log2, Log10, Ln1p, Sqrt]);
        is_nan_alone && self.positive[x as usize] && self.propagates_nan_of(d, x, DEPTH)
    }
    /// Whether `d` is computed from `x` by operations that are NaN where an operand is.
    fn propagates_nan_of(&self, d: u32, x: u32, depth: usize) -> bool {
        let of = |d: u32| depth > 0 && self.propagates_nan_of(d, x, depth - 1);
        d == x
            || match self.ops[d as usize] {
                Op::Neg(a) => of(a),
                Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => of(a) || of(b),
                Op::Unary { rule, x: a } => self.rules.all[rule as usize].direct().is_some() && of(a),
                _ => false,
            }
    }
}

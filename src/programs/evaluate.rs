//! The meaning of each operation.

use super::laws::{both, over, partial, strong};
use super::op::Op;
use super::rules::Rules;

/// The value of an operation, from the values of its operands. Inputs, calls and their results have none here.
#[inline(always)]
pub fn evaluate(op: Op, rules: &Rules, of: impl Fn(u32) -> f64) -> f64 {
    match op {
        Op::Input(_) | Op::Call(_) | Op::Part(_) => f64::NAN,
        Op::Constant(c) => c,
        Op::Neg(x) => -of(x),
        Op::Add(x, y) => of(x) + of(y),
        Op::Sub(x, y) => of(x) - of(y),
        Op::Mul(x, y) => of(x) * of(y),
        Op::Div(x, y) => of(x) / of(y),
        Op::MulAdd(x, y, z) => of(x).mul_add(of(y), of(z)),
        Op::Unary { rule, x } => rules.unary[rule as usize].value(of(x)),
        Op::Binary { rule, x, y } => rules.binary[rule as usize].value(of(x), of(y)),
        Op::Compare { relation, x, y } => f64::from(u8::from(relation.holds(of(x), of(y)))),
        Op::Select { condition, x, y } => {
            if of(condition) != 0.0 {
                of(x)
            } else {
                of(y)
            }
        }
        Op::Detach(x) => of(x),
        Op::Partial { f, d } => partial(of(f), of(d)),
        Op::Strong { d, t } => strong(of(d), of(t)),
        Op::Both { d, t } => both(of(d), of(t)),
        Op::Over { t, y, r } => over(of(t), of(y), of(r)),
    }
}

//! What each operation means.

use super::op::Op;
use super::rules::Rules;

/// The value of an operation, from those of its operands. Inputs, calls and their results have none here.
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
        Op::Partial { f, d } => {
            if of(f).is_nan() {
                f64::NAN
            } else {
                of(d)
            }
        }
        Op::Strong { d, t } => strong(of(d), of(t)),
        Op::Both { d, t } => both(of(d), of(t)),
        Op::Over { t, y, r } => over(of(t), of(y), of(r)),
    }
}

/// `d·t`, and 0 instead of NaN for a tangent of 0. (So zeros have the sign of the plain product.)
#[inline(always)]
pub fn strong(d: f64, t: f64) -> f64 {
    let product = d * t;
    if product.is_nan() && t == 0.0 { 0.0 } else { product }
}

/// `d·t`, and 0 instead of NaN where either is 0.
#[inline(always)]
pub fn both(d: f64, t: f64) -> f64 {
    let product = d * t;
    if product.is_nan() && (d == 0.0 || t == 0.0) { 0.0 } else { product }
}

/// `t/y` by the reciprocal `r` of `y`; 0 for a tangent of 0, NaN where `r` is.
#[inline(always)]
pub fn over(t: f64, y: f64, r: f64) -> f64 {
    let quotient = t * r;
    if quotient.is_finite() {
        quotient
    } else if t == 0.0 {
        0.0
    } else if r.is_nan() {
        r
    } else {
        t / y
    }
}

//! Forms of expressions.

use syn::{BinOp, Expr};

use super::names::take_data;

/// Whether evaluating the expression runs no other code, so that it may be evaluated later.
pub fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(e) => is_place(&e.base),
        Expr::Index(e) => is_place(&e.expr) && is_place(&e.index),
        Expr::Paren(e) => is_place(&e.expr),
        Expr::Unary(e) => is_place(&e.expr),
        Expr::Cast(e) => is_place(&e.expr),
        Expr::Binary(e) => is_place(&e.left) && is_place(&e.right),
        _ => false,
    }
}

/// Whether a field is read.
pub fn has_field(e: &Expr) -> bool {
    match e {
        Expr::Field(_) => true,
        Expr::Index(e) => has_field(&e.expr),
        Expr::Paren(e) => has_field(&e.expr),
        Expr::Unary(e) => has_field(&e.expr),
        Expr::Cast(e) => has_field(&e.expr),
        Expr::Binary(e) => has_field(&e.left) || has_field(&e.right),
        _ => false,
    }
}

/// Whether it is a field of `self`.
pub fn is_of_self(e: &Expr) -> bool {
    let is_self = |e: &Expr| matches!(e, Expr::Path(path) if path.path.is_ident("self"));
    matches!(e, Expr::Field(e) if is_self(&e.base))
}
/// Whether an expression carries `#[data]`, which is removed.
pub fn take_expression_data(e: &mut Expr) -> bool {
    macro_rules! attributes {
        ($($Kind:ident)*) => {
            match e {
                $(Expr::$Kind(e) => take_data(&mut e.attrs),)*
                _ => false,
            }
        };
    }
    attributes!(Array Binary Block Call Cast Closure Field If Index Lit Macro Match MethodCall Paren Path Range
        Reference Repeat Struct Tuple Unary)
}

/// `== != < <= > >=`.
pub fn is_comparison(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}

/// `+= −= ×= ÷= %=`.
pub fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
    )
}

//! Forms of expressions.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, UnOp, parse_quote_spanned};

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

/// Whether a function or a method is called, which may change what another expression reads.
pub fn has_call(e: &Expr) -> bool {
    struct Find(bool);
    impl<'a> Visit<'a> for Find {
        fn visit_expr(&mut self, e: &'a Expr) {
            self.0 |= matches!(e, Expr::Call(_) | Expr::MethodCall(_));
            visit::visit_expr(self, e);
        }
    }
    let mut find = Find(false);
    find.visit_expr(e);
    find.0
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

/// Whether `place += value` of floats differs from the operator of another type, which takes the place first: an index
/// borrows a `Vec`, and the value may change the place.
pub fn needs_value_first(e: &ExprBinary) -> bool {
    fn is_name(e: &Expr) -> bool {
        match e {
            Expr::Lit(_) | Expr::Path(_) => true,
            Expr::Field(e) => is_name(&e.base),
            Expr::Paren(e) => is_name(&e.expr),
            Expr::Unary(e) => matches!(e.op, UnOp::Deref(_) | UnOp::Neg(_)) && is_name(&e.expr),
            _ => false,
        }
    }
    let is_block = matches!(&*e.right, Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Unsafe(_));
    is_block || !is_name(&e.left) && !matches!(&*e.right, Expr::Lit(_) | Expr::Path(_))
}

/// `place += value` with the value first, as for floats.
pub fn value_first(e: &ExprBinary) -> Expr {
    let ExprBinary { attrs, left, op, right } = e;
    let value = proc_macro2::Ident::new("value", proc_macro2::Span::mixed_site());
    parse_quote_spanned!(syn::spanned::Spanned::span(op)=> #(#attrs)* match #right { #value => #left #op #value })
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

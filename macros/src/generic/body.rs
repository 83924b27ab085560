//! Bodies of functions.
//!
//! An expression that stays `f64` may be an operand unchanged. Everywhere else it becomes a number.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, BinOp, Block, Expr, Item, Macro, Pat, Path, Stmt, Type, parse_quote_spanned};

use super::Context;
use super::bound::without_parentheses;
use super::constants::{is_arithmetic, is_shouted};
use super::forms::{
    has_call, has_field, is_assignment, is_comparison, is_of_self, is_place, needs_value_first,
    take_expression_data, value_first,
};
use super::kind::Kind;
use super::types::Replace;
use super::variables;

/// The walk through the body of a function.
pub struct Body<'c> {
    pub context: &'c mut Context,
    scopes: Vec<HashMap<String, Kind>>,
    /// The names that are arguments for data.
    pub data_names: HashSet<String>,
    /// The mutable names of the innermost block that are assigned nothing but data.
    pub data_variables: HashSet<String>,
    /// The kind of the result of the function or closure.
    pub result: Kind,
    /// Whether closures that receive data return numbers: everywhere but in the value of an immutable name.
    pub lifts: bool,
}

impl<'c> Body<'c> {
    pub fn new(context: &'c mut Context) -> Self {
        Body {
            context,
            scopes: vec![HashMap::new()],
            data_names: HashSet::new(),
            data_variables: HashSet::new(),
            result: Kind::Unknown,
            lifts: true,
        }
    }
    /// The innermost local variable of this name.
    pub fn local(&self, name: &str) -> Option<&Kind> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }
    pub fn bind(&mut self, name: &Ident, kind: Kind) {
        self.scopes.last_mut().expect("a scope").insert(name.to_string(), kind);
    }
    pub fn scope<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.enter();
        let result = inside(self);
        self.leave();
        result
    }
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }
    pub fn leave(&mut self) {
        self.scopes.pop();
    }
    /// Runs with closures of data as they are, or lifted.
    pub fn lifting<R>(&mut self, lifts: bool, inside: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.lifts, lifts);
        let result = inside(self);
        self.lifts = before;
        result
    }
    /// Makes a number of a constant.
    fn lift(&mut self, e: &mut Expr) {
        self.stay(e);
        *e = self.context.bound.number(&self.context.param, e);
    }
    /// Whether it is a constant, or by its names of constants outside of the item: beside a number they are floats.
    fn is_constant_beside(&mut self, e: &Expr, beside: &Expr) -> bool {
        self.is_constant(e) || self.is_outside(e) && self.is_number(beside)
    }
    pub fn is_outside(&mut self, e: &Expr) -> bool {
        match e {
            Expr::Paren(syn::ExprParen { expr: e, .. })
            | Expr::Index(syn::ExprIndex { expr: e, .. })
            | Expr::Field(syn::ExprField { base: e, .. })
            | Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr: e, .. }) => self.is_outside(e),
            Expr::Binary(e) if is_arithmetic(&e.op) => {
                let mut is_one = |e| self.is_constant(e) || self.is_outside(e);
                is_one(&e.left) && is_one(&e.right)
            }
            Expr::Path(path) => {
                let Some(name) = path.path.segments.last().map(|last| last.ident.to_string()) else {
                    return false;
                };
                let is_local = path.path.get_ident().is_some() && self.local(&name).is_some();
                is_shouted(&name) && !is_local && self.kind(e) == Kind::Unknown
            }
            _ => false,
        }
    }
    /// An expression as an operand, where a constant stays.
    pub fn operand(&mut self, e: &mut Expr) {
        let is_constant = self.is_constant(e);
        self.operand_of(e, is_constant);
    }
    fn operand_of(&mut self, e: &mut Expr, is_constant: bool) {
        if take_expression_data(e) {
        } else if !is_constant {
            self.visit_expr_mut(e);
        } else if self.context.bound.has_constant_operands() {
            self.stay(e);
        } else {
            self.lift(e);
        }
    }
    /// Whether the left factor is a number and the right one may be a vector, which takes numbers on the right only. If
    /// the left factor is no number after all, the code does not compile.
    fn has_number_before_vector(&mut self, product: &syn::ExprBinary) -> bool {
        self.context.bound.vectors
            && is_place(&product.left)
            // A field of another struct may have the name of a number and be a matrix.
            && (is_of_self(&product.left) && self.context.names.knows_self() || !has_field(&product.left))
            && (self.is_number(&product.left) || self.is_constant(&product.left))
            && !self.is_number(&product.right)
            && !self.is_constant(&product.right)
    }
    /// Whether the value of an assignment comes before the place, as for floats. Without calls in both, the order is
    /// not seen.
    fn has_value_first(&mut self, e: &syn::ExprBinary) -> bool {
        let is_float = match self.kind(&e.left).value() {
            // The place is a view of a matrix.
            _ if matches!(*e.left, Expr::MethodCall(_) | Expr::Call(_)) => false,
            Kind::Unknown if has_call(&e.left) && has_call(&e.right) => {
                self.no_order(e);
                true
            }
            kind => matches!(kind, Kind::Unknown | Kind::Number),
        };
        is_float && needs_value_first(e)
    }
    /// Reports an assignment whose order of evaluation depends on a type that the text does not show.
    fn no_order(&mut self, e: &syn::ExprBinary) {
        if self.context.bound.vectors || self.context.names.has_assignments {
            let message = "whether the value or the place comes first depends on their type, which is not seen here: \
                write `let value = …;` before";
            self.context.error(e.op, message);
        }
    }
}

impl Body<'_> {
    /// An arm for a value of this kind.
    pub fn arm(&mut self, arm: &mut Arm, kind: Kind, mut visit: impl FnMut(&mut Self, &mut Expr)) {
        self.scope(|body| {
            body.bind_pattern(&mut arm.pat, kind);
            if let Some((_, guard)) = &mut arm.guard {
                body.visit_expr_mut(guard);
            }
            visit(body, &mut arm.body);
        });
    }
    /// A block with its items.
    pub fn block(&mut self, block: &mut Block, mut visit: impl FnMut(&mut Self, &mut Stmt)) {
        let mut items: Vec<Item> = Vec::new();
        for stmt in &block.stmts {
            if let Stmt::Item(item) = stmt {
                items.push(item.clone());
            }
        }
        let before = self.context.names.open(&syn::Generics::default());
        if !items.is_empty() {
            super::items::all(self.context, &mut items);
        }
        self.find_data_names(block);
        let variables = variables::of_data(self, block);
        let outer = std::mem::replace(&mut self.data_variables, variables);
        self.scope(|body| {
            let mut translated = items.into_iter();
            for stmt in &mut block.stmts {
                match stmt {
                    Stmt::Item(item) => *item = translated.next().expect("one for each"),
                    stmt => visit(body, stmt),
                }
            }
            // In front: the last expression is the value of the block.
            block.stmts.splice(..0, translated.map(Stmt::Item));
        });
        self.data_variables = outer;
        self.context.names.at = before;
    }
}

impl VisitMut for Body<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if take_expression_data(e) {
            return;
        }
        match self.kind(e) {
            // The number is made inside of a block.
            Kind::Data if matches!(e, Expr::Block(_)) => return visit_mut::visit_expr_mut(self, e),
            Kind::Data => return self.lift(e),
            kind if kind.is_data() => return self.stay(e),
            _ => {}
        }
        match e {
            Expr::Binary(b) if is_arithmetic(&b.op) || is_comparison(&b.op) => {
                let swap = matches!(b.op, BinOp::Mul(_)) && self.has_number_before_vector(b);
                let constant =
                    [(&b.left, &b.right), (&b.right, &b.left)].map(|(e, by)| self.is_constant_beside(e, by));
                self.operand_of(&mut b.left, constant[0]);
                self.operand_of(&mut b.right, constant[1]);
                if swap {
                    let (span, param) = (syn::spanned::Spanned::span(&b.op), self.context.param.clone());
                    let (left, right) = (without_parentheses(&b.left), without_parentheses(&b.right));
                    *e =
                        parse_quote_spanned!(span=> ::wengert::__private::scaled::<#param, _>(#left, #right));
                }
            }
            // A variable that holds data is assigned data.
            Expr::Binary(b) if is_assignment(&b.op) && self.is_constant(&b.left) => {
                self.stay(&mut b.left);
                self.part(&mut b.right);
            }
            Expr::Assign(a) if self.kind(&a.left).is_data() => {
                self.stay(&mut a.left);
                self.part(&mut a.right);
            }
            Expr::Binary(b) if is_assignment(&b.op) => {
                let late = self.has_value_first(b);
                let is_constant = self.is_constant_beside(&b.right, &b.left);
                self.visit_expr_mut(&mut b.left);
                self.operand_of(&mut b.right, is_constant);
                if late {
                    *e = value_first(b);
                }
            }
            Expr::Cast(_) => self.cast(e),
            Expr::Call(e) => self.call(e),
            Expr::MethodCall(call) => self.method(call),
            Expr::Struct(e) => self.structure(e),
            Expr::Closure(closure) => self.closure(closure, &[], false),
            Expr::Path(_) => {
                self.no_capture(e);
                self.path(e);
            }
            Expr::Match(e) => {
                let kind = self.kind(&e.expr);
                self.part(&mut e.expr);
                e.arms.iter_mut().for_each(|arm| self.arm(arm, kind.clone(), Self::visit_expr_mut));
            }
            Expr::If(e) => {
                self.scope(|body| {
                    body.visit_expr_mut(&mut e.cond);
                    body.visit_block_mut(&mut e.then_branch);
                });
                if let Some((_, otherwise)) = &mut e.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::Return(syn::ExprReturn { expr: Some(e), .. }) => {
                let result = self.result.clone();
                self.expected(e, &result);
            }
            Expr::While(_) | Expr::ForLoop(_) => self.scope(|body| visit_mut::visit_expr_mut(body, e)),
            // The compiler computes it: its floats stay.
            Expr::Const(_) => {}
            Expr::Async(block) => {
                self.context.error(block.async_token, "`#[generic]` does not translate `async` blocks");
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }
    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        let item = self.kind(&e.expr).item();
        self.visit_expr_mut(&mut e.expr);
        self.bind_pattern(&mut e.pat, item);
        self.visit_block_mut(&mut e.body);
    }
    fn visit_expr_let_mut(&mut self, e: &mut syn::ExprLet) {
        let kind = self.kind(&e.expr);
        self.part(&mut e.expr);
        self.bind_pattern(&mut e.pat, kind);
    }
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.block(block, Self::visit_stmt_mut);
    }
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Macro(call) => self.open_macro(&mut call.mac),
            stmt => visit_mut::visit_stmt_mut(self, stmt),
        }
    }
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.declare(local);
    }
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        self.bind_pattern(pat, Kind::Unknown);
    }
    fn visit_type_mut(&mut self, ty: &mut Type) {
        Replace(self.context).visit_type_mut(ty);
    }
    fn visit_path_mut(&mut self, path: &mut Path) {
        Replace(self.context).visit_path_mut(path);
    }
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        self.open_macro(call);
    }
}

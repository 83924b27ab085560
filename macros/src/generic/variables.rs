//! Mutable names that hold data: `let mut last = 0.0;` with `last = t;` later.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat, Stmt};

use super::body::Body;
use super::forms::is_assignment;
use super::kind::Kind;

/// The mutable names of a block that begin as constants and are assigned nothing but data.
pub fn of_data(body: &mut Body, block: &Block) -> HashSet<String> {
    let mutable = |stmt: &Stmt| match stmt {
        Stmt::Local(local) => mutable_name(&local.pat),
        _ => None,
    };
    let mut names: HashSet<String> = block.stmts.iter().filter_map(mutable).collect();
    // Each name may be assigned others.
    while !names.is_empty() {
        let mut found =
            Assignments { body: &mut *body, names, depth: 0, assigned: HashSet::new(), lost: HashSet::new() };
        found.visit_block(block);
        let Assignments { assigned, lost, names: before, .. } = found;
        let count = before.len();
        names = before.into_iter().filter(|name| assigned.contains(name) && !lost.contains(name)).collect();
        if names.len() == count {
            break;
        }
    }
    names
}

pub fn mutable_name(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Type(typed) => mutable_name(&typed.pat),
        Pat::Ident(name) if name.mutability.is_some() && name.by_ref.is_none() => {
            Some(name.ident.to_string())
        }
        _ => None,
    }
}

/// The assignments to names that are taken for data.
struct Assignments<'b, 'c> {
    body: &'b mut Body<'c>,
    names: HashSet<String>,
    depth: usize,
    assigned: HashSet<String>,
    lost: HashSet<String>,
}

impl Assignments<'_, '_> {
    fn inside(&mut self, bind: impl FnOnce(&mut Body), visit: impl FnOnce(&mut Self)) {
        self.body.enter();
        bind(self.body);
        visit(self);
        self.body.leave();
    }
    fn name(&self, e: &Expr) -> Option<String> {
        let Expr::Path(path) = e else { return None };
        path.path.get_ident().map(ToString::to_string).filter(|name| self.names.contains(name))
    }
    fn assign(&mut self, left: &Expr, right: &Expr) {
        match self.name(left) {
            Some(name) => {
                if self.body.kind(right) != Kind::Data {
                    self.lost.insert(name.clone());
                }
                self.assigned.insert(name);
            }
            None => self.lose_all_in(quote::quote!(#left)),
        }
    }
    fn lose_all_in(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => _ = self.lost.insert(name.to_string()),
                TokenTree::Group(group) => self.lose_all_in(group.stream()),
                _ => {}
            }
        }
    }
}

impl<'e> Visit<'e> for Assignments<'_, '_> {
    fn visit_block(&mut self, block: &'e Block) {
        self.depth += 1;
        self.inside(|_| {}, |all| visit::visit_block(all, block));
        self.depth -= 1;
    }
    fn visit_local(&mut self, local: &'e syn::Local) {
        visit::visit_local(self, local);
        let value = self.body.value(local);
        // Another variable of the name.
        if self.depth > 1 || value != Kind::Data {
            let pat = &local.pat;
            self.lose_all_in(quote::quote!(#pat));
        }
        let names = std::mem::take(&mut self.body.data_variables);
        self.body.data_variables.clone_from(&self.names);
        self.body.bind_let_silently(local, value);
        self.body.data_variables = names;
    }
    fn visit_expr_assign(&mut self, e: &'e syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        self.assign(&e.left, &e.right);
    }
    fn visit_expr_binary(&mut self, e: &'e syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_assignment(&e.op) && self.name(&e.left).is_some() {
            self.assign(&e.left, &e.right);
        }
    }
    fn visit_expr_reference(&mut self, e: &'e syn::ExprReference) {
        visit::visit_expr_reference(self, e);
        if let (Some(_), Some(name)) = (e.mutability, self.name(&e.expr)) {
            self.lost.insert(name);
        }
    }
    // `x.add_assign(y)`, `x.clone_from(&y)`.
    fn visit_expr_method_call(&mut self, e: &'e syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        let method = e.method.to_string();
        if method.ends_with("_assign") || method == "clone_from" {
            self.lost.extend(self.name(&e.receiver));
        }
    }
    fn visit_expr_for_loop(&mut self, e: &'e syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        let item = self.body.kind(&e.expr).item();
        self.inside(|body| body.bind_silently(&e.pat, item), |all| all.visit_block(&e.body));
    }
    fn visit_expr_while(&mut self, e: &'e syn::ExprWhile) {
        self.inside(|body| body.bind_conditions(&e.cond), |all| visit::visit_expr_while(all, e));
    }
    fn visit_expr_if(&mut self, e: &'e syn::ExprIf) {
        self.inside(|body| body.bind_conditions(&e.cond), |all| visit::visit_expr_if(all, e));
    }
    fn visit_expr_match(&mut self, e: &'e syn::ExprMatch) {
        self.visit_expr(&e.expr);
        let of = self.body.kind(&e.expr);
        for arm in &e.arms {
            self.inside(|body| body.bind_silently(&arm.pat, of.clone()), |all| visit::visit_arm(all, arm));
        }
    }
    fn visit_expr_closure(&mut self, e: &'e syn::ExprClosure) {
        let unknown =
            |body: &mut Body| e.inputs.iter().for_each(|pat| body.bind_silently(pat, Kind::Unknown));
        self.inside(unknown, |all| visit::visit_expr_closure(all, e));
    }
    // It may assign anything.
    fn visit_macro(&mut self, call: &'e syn::Macro) {
        const READING: &str = " assert assert_eq assert_ne debug_assert debug_assert_eq format matches panic print println \
            unreachable vec write writeln ";
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if !READING.contains(&format!(" {name} ")) {
            self.lose_all_in(call.tokens.clone());
        }
    }
    fn visit_item(&mut self, _: &'e syn::Item) {}
}

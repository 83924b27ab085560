//! Bodies of functions.
//!
//! An expression that stays `f64` may be an operand unchanged. Everywhere else it becomes a number.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprClosure, ExprMethodCall, ExprStruct, FieldPat, Item, Macro, Member, Pat, Path,
    PathArguments, Stmt, Type, parse_quote_spanned,
};

use super::Context;
use super::bound::without_parentheses;
use super::constants::{is_arithmetic, is_float_method, item_of_float};
use super::forms::{
    has_field, in_parentheses, is_assignment, is_comparison, is_of_self, is_place, take_expression_data,
};
use super::names::{Names, take_data};
use super::types::{Replace, add_argument};

/// A local name.
#[derive(Clone)]
pub enum Local {
    /// An unknown type.
    Other,
    /// A constant, of the float's type.
    Constant,
    /// This type in the plain code, and whether it is data.
    Typed(Box<Type>, bool),
}

/// The walk through the body of a function.
pub struct Body<'c> {
    pub context: &'c mut Context,
    scopes: Vec<HashMap<String, Local>>,
}

impl<'c> Body<'c> {
    pub fn new(context: &'c mut Context) -> Self {
        Body { context, scopes: vec![HashMap::new()] }
    }
    /// The innermost local variable of this name.
    pub fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }
    pub fn bind(&mut self, name: &Ident, local: Local) {
        self.scopes.last_mut().expect("a scope").insert(name.to_string(), local);
    }
    fn scope<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(HashMap::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }
    /// Makes a number of a constant.
    fn lift(&mut self, e: &mut Expr) {
        self.inside_constant(e);
        *e = self.context.bound.number(&self.context.param, e);
    }
    /// An expression as an operand, where a constant stays.
    pub fn operand(&mut self, e: &mut Expr) {
        if take_expression_data(e) {
        } else if !self.is_constant(e) {
            self.visit_expr_mut(e);
        } else if self.context.bound.has_constant_operands() {
            self.inside_constant(e);
        } else {
            self.lift(e);
        }
    }
    /// The parts of a constant that may contain anything: the operand of a cast, an index.
    pub fn inside_constant(&mut self, e: &mut Expr) {
        match e {
            Expr::Cast(cast) if self.is_constant(&cast.expr) => self.inside_constant(&mut cast.expr),
            Expr::Cast(cast) => self.visit_expr_mut(&mut cast.expr),
            Expr::Index(e) => self.visit_expr_mut(&mut e.index),
            Expr::Paren(e) => self.inside_constant(&mut e.expr),
            Expr::Group(e) => self.inside_constant(&mut e.expr),
            Expr::Unary(e) => self.inside_constant(&mut e.expr),
            Expr::Binary(e) => {
                self.inside_constant(&mut e.left);
                self.inside_constant(&mut e.right);
            }
            Expr::MethodCall(e) => self.inside_constant(&mut e.receiver),
            // `Vec3::ZERO` of a struct with the parameter.
            Expr::Path(e) => {
                let float = self.context.bound.float();
                self.complete_owner(&mut e.path, &float);
            }
            Expr::Call(e) => {
                for argument in &mut e.args {
                    if self.is_constant(argument) {
                        self.inside_constant(argument);
                    } else {
                        self.visit_expr_mut(argument);
                    }
                }
            }
            _ => {}
        }
    }
    /// Whether the right factor may be a vector. Vectors take numbers on the right only, and a product of two numbers
    /// is the same in both orders.
    fn has_number_before_vector(&self, product: &syn::ExprBinary) -> bool {
        self.context.bound.vectors
            && is_place(&product.left)
            // A field of another struct may have the name of a number and be a matrix.
            && (self.context.knows_self && is_of_self(&product.left) || !has_field(&product.left))
            && (self.is_number(&product.left) || self.is_constant(&product.left))
            && !self.is_number(&product.right)
            && !self.is_constant(&product.right)
    }
    /// Gives the argument to the owner of an associated constant, which nothing else determines.
    fn complete_owner(&self, path: &mut Path, argument: &Ident) {
        let mut owner = path.clone();
        owner.segments.pop();
        owner.segments.pop_punct();
        let is_constant =
            path.segments.last().is_some_and(|s| !s.ident.to_string().chars().any(char::is_lowercase));
        if is_constant && self.context.names.is_generic(&owner) {
            add_argument(&mut owner, argument);
            let at = path.segments.len() - 2;
            path.segments[at] = owner.segments[at].clone();
            if let PathArguments::AngleBracketed(arguments) = &mut path.segments[at].arguments {
                arguments.colon2_token.get_or_insert_default();
            }
        }
    }
    /// Arguments of a function whose data arguments are known.
    fn arguments<'a>(&mut self, arguments: impl Iterator<Item = &'a mut Expr>, data: &[bool]) {
        for (i, argument) in arguments.enumerate() {
            let is_data = data.get(i).copied().unwrap_or(false);
            if is_data && self.is_constant(argument) {
                self.inside_constant(argument);
            } else if is_data && let Expr::Reference(e) = argument {
                self.data(&mut e.expr);
            } else {
                self.value_or_function(argument);
            }
        }
    }
    /// Visits an expression that `#[data]` marks: its floats stay `f64`.
    fn data(&mut self, e: &mut Expr) {
        if let Expr::Array(array) = e {
            array.elems.iter_mut().for_each(|e| self.data(e));
        } else if matches!(e, Expr::Macro(_)) {
            // `vec![1.0; n]`
        } else if self.is_constant(e) {
            self.inside_constant(e);
        } else {
            self.visit_expr_mut(e);
        }
    }
    fn method(&mut self, call: &mut ExprMethodCall) {
        let name = call.method.to_string();
        // `text.parse::<f64>()` reads a float.
        if let Some(turbofish) = &mut call.turbofish
            && name != "parse"
        {
            Replace(self.context).visit_angle_bracketed_generic_arguments_mut(turbofish);
        }
        self.visit_expr_mut(&mut call.receiver);
        let known = self.context.names.methods.get(&name).cloned();
        match known {
            Some(data) => self.arguments(call.args.iter_mut(), &data),
            // These methods take arguments that can become numbers.
            None if is_float_method(&name) => call.args.iter_mut().for_each(|e| self.operand(e)),
            None => call.args.iter_mut().for_each(|e| self.value_or_function(e)),
        }
    }
    /// An argument, which may be the name of a function.
    fn value_or_function(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Path(_)) && !self.is_constant(e) { self.path(e) } else { self.visit_expr_mut(e) }
    }
    fn path(&mut self, e: &mut Expr) {
        let Expr::Path(path) = e else { return };
        let param = self.context.param.clone();
        if let Some(item) = item_of_float(path, self.context.bound.float) {
            let span = syn::spanned::Spanned::span(&path.path);
            let (param, item) = (Ident::new(&param.to_string(), span), Ident::new(&item, span));
            *e = parse_quote_spanned!(span=> #param::#item);
        } else {
            visit_mut::visit_expr_path_mut(self, path);
            self.complete_owner(&mut path.path, &param);
        }
    }
    fn call(&mut self, func: &mut Expr, arguments: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let Expr::Path(path) = func else {
            self.visit_expr_mut(func);
            return self.arguments(arguments.iter_mut(), &[]);
        };
        if item_of_float(path, self.context.bound.float).is_some() {
            self.visit_expr_mut(func);
            let mut arguments = arguments.iter_mut();
            arguments.by_ref().take(1).for_each(|e| self.visit_expr_mut(e));
            return arguments.for_each(|e| self.operand(e));
        }
        let local = path.path.get_ident().is_some_and(|name| self.local(&name.to_string()).is_some());
        let names = &self.context.names;
        let function = Names::key(&path.path).filter(|_| !local);
        let method = || {
            let (owner, last) = (path.path.segments.first()?, path.path.segments.last()?);
            let is_ours = owner.ident == "Self" || names.data_fields.contains_key(&owner.ident.to_string());
            names
                .methods
                .get(&last.ident.to_string())
                .filter(|_| is_ours && path.path.segments.len() == 2)
                .cloned()
        };
        let known = function.as_ref().and_then(|key| names.functions.get(key)).cloned();
        let mut data =
            known.as_ref().map(|function| function.data.clone()).or_else(method).unwrap_or_default();
        // A method called as a function has its receiver first.
        if known.is_none() && data.len() + 1 == arguments.len() {
            data.insert(0, false);
        }
        if known.is_some()
            && let Some(last) = path.path.segments.last_mut()
            && let PathArguments::AngleBracketed(given) = &mut last.arguments
        {
            given.args.push(parse_quote_spanned!(last.ident.span()=> _));
        }
        self.visit_path_mut(&mut path.path);
        self.arguments(arguments.iter_mut(), &data);
    }
    fn cast(&mut self, e: &mut Expr) {
        let Expr::Cast(cast) = e else { return };
        if self.is_constant(&cast.expr) {
            return self.inside_constant(&mut cast.expr);
        }
        let to_integer = matches!(&*cast.ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| {
            " i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize ".contains(&format!(" {name} "))
        }));
        let is_number = self.is_number(&cast.expr);
        self.visit_expr_mut(&mut cast.expr);
        if !is_number {
            return;
        }
        if !to_integer || !self.context.bound.is_real() {
            let message = "a number has no such conversion: integers come from its value, `x.primal() as usize`, for \
                table look-ups `x.floor().primal() as usize`; other floats by `cast`";
            return self.context.error(&*cast, message);
        }
        let number = without_parentheses(&cast.expr);
        let span = syn::spanned::Spanned::span(number);
        cast.expr = parse_quote_spanned!(span=> ::wengert::Real::primal(::wengert::Number::trunc(#number)));
    }
    fn structure(&mut self, e: &mut ExprStruct) {
        self.visit_path_mut(&mut e.path);
        let name = e.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let data = self.context.names.data_fields.get(&name).cloned().unwrap_or_default();
        for field in &mut e.fields {
            let is_data = take_data(&mut field.attrs)
                || matches!(&field.member, Member::Named(name) if data.contains(&name.to_string()));
            if is_data {
                self.data(&mut field.expr);
                continue;
            }
            // `S { h }` of a constant `h` is `S { h: T::lit(h) }`.
            if self.is_constant(&field.expr) {
                field.colon_token.get_or_insert_default();
            }
            self.visit_expr_mut(&mut field.expr);
        }
        if let Some(rest) = &mut e.rest {
            self.visit_expr_mut(rest);
        }
    }
}

impl VisitMut for Body<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if take_expression_data(e) {
            return;
        }
        if self.is_constant(e) {
            return self.lift(e);
        }
        match e {
            Expr::Binary(b) if is_arithmetic(&b.op) || is_comparison(&b.op) => {
                let swap = matches!(b.op, BinOp::Mul(_)) && self.has_number_before_vector(b);
                self.operand(&mut b.left);
                self.operand(&mut b.right);
                if swap {
                    std::mem::swap(&mut b.left, &mut b.right);
                    in_parentheses(&mut b.left);
                    in_parentheses(&mut b.right);
                }
            }
            Expr::Binary(b) if is_assignment(&b.op) => {
                self.visit_expr_mut(&mut b.left);
                self.operand(&mut b.right);
            }
            Expr::Cast(_) => self.cast(e),
            Expr::Call(call) => self.call(&mut call.func, &mut call.args),
            Expr::MethodCall(call) => self.method(call),
            Expr::Struct(e) => self.structure(e),
            Expr::Closure(closure) => self.scope(|body| body.visit_expr_closure_mut(closure)),
            Expr::Path(_) => {
                self.no_capture(e);
                self.path(e);
            }
            Expr::If(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.scope(|body| visit_mut::visit_expr_mut(body, e))
            }
            Expr::Async(block) => {
                self.context.error(block.async_token, "`#[generic]` does not translate `async` blocks");
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }
    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        for input in &mut closure.inputs {
            if let Pat::Type(typed) = input {
                let data = take_data(&mut typed.attrs);
                self.bind_typed(&mut typed.pat, &typed.ty.clone(), data);
                if !data {
                    Replace(self.context).visit_type_mut(&mut typed.ty);
                }
            } else {
                self.visit_pat_mut(input);
            }
        }
        Replace(self.context).visit_return_type_mut(&mut closure.output);
        self.visit_expr_mut(&mut closure.body);
    }
    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        self.visit_pat_mut(&mut e.pat);
        self.visit_block_mut(&mut e.body);
    }
    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|body| visit_mut::visit_arm_mut(body, arm));
    }
    fn visit_expr_let_mut(&mut self, e: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut e.expr);
        self.visit_pat_mut(&mut e.pat);
    }
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut items: Vec<Item> = Vec::new();
        for stmt in &block.stmts {
            if let Stmt::Item(item) = stmt {
                items.push(item.clone());
            }
        }
        let before = (!items.is_empty()).then(|| self.context.names.clone());
        if !items.is_empty() {
            super::items::all(self.context, &mut items);
        }
        self.scope(|body| {
            let mut translated = items.into_iter();
            for stmt in &mut block.stmts {
                match stmt {
                    Stmt::Item(item) => *item = translated.next().expect("one for each"),
                    stmt => body.visit_stmt_mut(stmt),
                }
            }
            block.stmts.extend(translated.map(Stmt::Item));
        });
        if let Some(names) = before {
            self.context.names = names;
        }
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
        self.bind_pattern(pat);
    }
    fn visit_field_pat_mut(&mut self, field: &mut FieldPat) {
        self.visit_pat_mut(&mut field.pat);
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

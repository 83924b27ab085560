//! Data: expressions whose floats stay `f64`.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, ExprMethodCall, Stmt};

use super::body::Body;
use super::bound::without_parentheses;
use super::constants::is_unstable;
use super::forms::take_expression_data;
use super::infer::is_integer;
use super::kind::Kind;
use super::names::take_data;

impl Body<'_> {
    /// Translates the parts of data that may contain anything: the operand of a cast, an index.
    pub fn stay(&mut self, e: &mut Expr) {
        self.lifting(false, |body| body.keep(e));
    }
    fn keep(&mut self, e: &mut Expr) {
        match e {
            Expr::Cast(cast) if self.kind(&cast.expr).is_data() => self.stay(&mut cast.expr),
            Expr::Cast(cast) => self.visit_expr_mut(&mut cast.expr),
            Expr::Index(e) => {
                self.stay(&mut e.expr);
                self.visit_expr_mut(&mut e.index);
            }
            Expr::Paren(e) => self.stay(&mut e.expr),
            Expr::Group(e) => self.stay(&mut e.expr),
            Expr::Unary(e) => self.stay(&mut e.expr),
            Expr::Reference(e) => self.stay(&mut e.expr),
            Expr::Field(e) => self.stay(&mut e.base),
            Expr::Try(e) => self.stay(&mut e.expr),
            Expr::Binary(e) => {
                self.part(&mut e.left);
                self.part(&mut e.right);
            }
            Expr::MethodCall(call) if is_unstable(&call.method.to_string()) => {
                let is_reference = matches!(self.kind(&call.receiver), Kind::Ref(_));
                self.part(&mut call.receiver);
                let (x, name) = (without_parentheses(&call.receiver), &call.method);
                let x = if is_reference { quote::quote!(*#x) } else { quote::quote!(#x) };
                *e = syn::parse_quote_spanned!(name.span()=> ::wengert::Real::#name(#x));
            }
            Expr::MethodCall(call) => self.method_of_data(call),
            Expr::Path(e) if self.context.names.item_of_float(e).is_some() => {}
            // `Vec3::ZERO` of a struct with the parameter.
            Expr::Path(e) => {
                let float = self.context.bound.float();
                self.complete_owner(&mut e.path, &float, false);
            }
            Expr::Call(e) if matches!(&*e.func, Expr::Path(f) if self.context.names.item_of_float(f).is_some()) =>
            {
                e.args.iter_mut().for_each(|e| self.part(e));
            }
            Expr::Call(e) => self.call(e),
            Expr::If(e) => {
                self.scope(|body| {
                    body.visit_expr_mut(&mut e.cond);
                    body.block_of_data(&mut e.then_branch);
                });
                if let Some((_, otherwise)) = &mut e.else_branch {
                    self.stay(otherwise);
                }
            }
            Expr::Match(e) => {
                let kind = self.kind(&e.expr);
                self.part(&mut e.expr);
                for arm in &mut e.arms {
                    self.arm(arm, kind.clone(), |body, e| body.part(e));
                }
            }
            Expr::Block(e) => self.block_of_data(&mut e.block),
            Expr::Unsafe(e) => self.block_of_data(&mut e.block),
            Expr::Lit(_) | Expr::Const(_) => {}
            e => visit_mut::visit_expr_mut(self, e),
        }
    }
    /// Visits an expression that `#[data]` marks: its floats stay `f64`.
    pub fn data(&mut self, e: &mut Expr) {
        self.lifting(false, |body| body.keep_data(e));
    }
    fn keep_data(&mut self, e: &mut Expr) {
        match e {
            Expr::Array(array) => array.elems.iter_mut().for_each(|e| self.data(e)),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.data(e)),
            Expr::Reference(e) => self.data(&mut e.expr),
            Expr::Repeat(e) => {
                self.data(&mut e.expr);
                self.visit_expr_mut(&mut e.len);
            }
            Expr::Call(call) if matches!(&*call.func, Expr::Path(f) if f.path.is_ident("Some") || f.path.is_ident("Ok") || self.fields_of_call(f).is_some()) =>
            {
                call.args.iter_mut().for_each(|e| self.data(e));
            }
            Expr::Struct(e) => {
                for field in &mut e.fields {
                    take_data(&mut field.attrs);
                    self.data(&mut field.expr);
                }
                e.rest.iter_mut().for_each(|e| self.data(e));
            }
            // `vec![1.0; n]`, or a name.
            Expr::Macro(_) | Expr::Path(_) => {}
            e => self.part(e),
        }
    }
    /// Whether it is a list of constants.
    pub fn is_list_of_constants(&mut self, e: &Expr) -> bool {
        match e {
            Expr::Array(array) => array.elems.iter().all(|e| self.is_list_of_constants(e)),
            Expr::Tuple(tuple) => tuple.elems.iter().all(|e| self.is_list_of_constants(e)),
            Expr::Repeat(e) => self.is_list_of_constants(&e.expr),
            Expr::Reference(e) => self.is_list_of_constants(&e.expr),
            Expr::Macro(e) if e.mac.path.is_ident("vec") => {
                let tokens = &e.mac.tokens;
                syn::parse2(quote::quote!([#tokens])).is_ok_and(|list| self.is_list_of_constants(&list))
            }
            e => self.is_constant(e) || is_integer(e),
        }
    }
    /// Finds the names that are arguments for data.
    pub fn find_data_names(&mut self, block: &Block) {
        let mut find = DataArguments { body: self, found: HashSet::new() };
        find.visit_block(block);
        let found = find.found;
        self.data_names.extend(found);
    }
    /// An expression for which a kind is expected: an `Option` or a list of data becomes one of numbers.
    pub fn expected(&mut self, e: &mut Expr, kind: &Kind) {
        match e {
            Expr::Block(e) => self.expected_of_block(&mut e.block, kind),
            Expr::If(e) => {
                self.scope(|body| {
                    body.visit_expr_mut(&mut e.cond);
                    body.expected_of_block(&mut e.then_branch, kind);
                });
                if let Some((_, otherwise)) = &mut e.else_branch {
                    self.expected(otherwise, kind);
                }
            }
            Expr::Match(e) => {
                let of = self.kind(&e.expr);
                self.part(&mut e.expr);
                e.arms.iter_mut().for_each(|arm| self.arm(arm, of.clone(), |body, e| body.expected(e, kind)));
            }
            e => {
                let of = self.kind(e);
                let lifts = of.is_data() && of != Kind::Data && of.with_floats(false) == *kind;
                self.visit_expr_mut(e);
                if lifts && let Some(lifted) = self.context.bound.lifted(&self.context.param, e) {
                    *e = lifted;
                }
            }
        }
    }
    pub fn expected_of_block(&mut self, block: &mut Block, kind: &Kind) {
        self.block(block, |body, stmt| match stmt {
            Stmt::Expr(e, None) => body.expected(e, kind),
            stmt => body.visit_stmt_mut(stmt),
        });
    }
    /// A part of data, which may be none.
    pub fn part(&mut self, e: &mut Expr) {
        if take_expression_data(e) {
        } else if self.kind(e).is_data() || self.is_outside(e) {
            self.stay(e);
        } else {
            self.visit_expr_mut(e);
        }
    }
    fn block_of_data(&mut self, block: &mut Block) {
        self.block(block, |body, stmt| match stmt {
            Stmt::Expr(e, None) => body.part(e),
            stmt => body.visit_stmt_mut(stmt),
        });
    }
    pub fn method_of_data(&mut self, call: &mut ExprMethodCall) {
        let receiver = self.kind(&call.receiver);
        let received = self.received(call, &receiver);
        self.part(&mut call.receiver);
        for e in &mut call.args {
            match e {
                Expr::Closure(closure) => self.closure(closure, &received, receiver.is_data()),
                // `f64::max` of data.
                Expr::Path(path) if self.context.names.item_of_float(path).is_some() => {}
                e => self.part(e),
            }
        }
    }
    /// The closure of a method, with what it receives. Its result stays data where the method's receiver is.
    pub fn closure(&mut self, closure: &mut ExprClosure, received: &[Kind], stays: bool) {
        self.scope(|body| {
            for (i, pat) in closure.inputs.iter_mut().enumerate() {
                body.bind_pattern(pat, received.get(i).cloned().unwrap_or(Kind::Unknown));
            }
            let of = body.kind(&closure.body);
            let result = match (&of, &closure.output) {
                (_, syn::ReturnType::Type(_, ty)) => body.kind_of_type(ty),
                (Kind::Maybe(_), _) => of.clone().with_floats(false),
                _ => Kind::Unknown,
            };
            let before = std::mem::replace(&mut body.result, result.clone());
            if stays && !body.lifts && of.is_data() {
                body.stay(&mut closure.body);
            } else {
                super::types::Replace(body.context).visit_return_type_mut(&mut closure.output);
                body.expected(&mut closure.body, &result);
            }
            body.result = before;
        });
    }
}

/// Collects the names that are arguments for data.
struct DataArguments<'b, 'c> {
    body: &'b Body<'c>,
    found: HashSet<String>,
}

impl DataArguments<'_, '_> {
    /// Which arguments of a function or a constructor are data.
    fn marks(&self, path: &syn::ExprPath) -> Option<Vec<bool>> {
        let of_fields = self.body.fields_of_call(path).map(|all| all.iter().map(|f| f.data).collect());
        of_fields.or_else(|| self.body.function_of(&path.path).map(|function| function.data))
    }
    fn collect<'e>(found: &mut HashSet<String>, arguments: impl Iterator<Item = &'e Expr>, data: &[bool]) {
        for (e, _) in arguments.zip(data).filter(|(_, data)| **data) {
            let mut e = e;
            while let Expr::Reference(r) = e {
                e = &r.expr;
            }
            if let Expr::Path(path) = e
                && let Some(name) = path.path.get_ident()
            {
                found.insert(name.to_string());
            }
        }
    }
}

impl<'e> Visit<'e> for DataArguments<'_, '_> {
    fn visit_expr_call(&mut self, call: &'e syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(data) = self.marks(path)
        {
            Self::collect(&mut self.found, call.args.iter(), &data);
        }
        visit::visit_expr_call(self, call);
    }
    fn visit_expr_struct(&mut self, e: &'e syn::ExprStruct) {
        let fields = self.body.fields_of(&e.path).unwrap_or_default();
        let data = |f: &syn::FieldValue| fields.iter().any(|of| of.data && of.member == f.member);
        let marks: Vec<bool> = e.fields.iter().map(data).collect();
        Self::collect(&mut self.found, e.fields.iter().map(|f| &f.expr), &marks);
        visit::visit_expr_struct(self, e);
    }
    fn visit_expr_method_call(&mut self, call: &'e ExprMethodCall) {
        let name = call.method.to_string();
        let methods = self.body.context.names.methods(&name);
        methods.for_each(|method| Self::collect(&mut self.found, call.args.iter(), &method.data));
        visit::visit_expr_method_call(self, call);
    }
    // `for t in ts { f(t) }`
    fn visit_expr_for_loop(&mut self, e: &'e syn::ExprForLoop) {
        visit::visit_expr_for_loop(self, e);
        let (mut pat, mut list) = (&*e.pat, &*e.expr);
        while let syn::Pat::Reference(r) = pat {
            pat = &r.pat;
        }
        while let Expr::Reference(syn::ExprReference { expr, .. })
        | Expr::MethodCall(ExprMethodCall { receiver: expr, .. }) = list
        {
            list = expr;
        }
        if let (syn::Pat::Ident(item), Expr::Path(list)) = (pat, list)
            && self.found.contains(&item.ident.to_string())
            && let Some(name) = list.path.get_ident()
        {
            self.found.insert(name.to_string());
        }
    }
    fn visit_item(&mut self, _: &'e syn::Item) {}
}

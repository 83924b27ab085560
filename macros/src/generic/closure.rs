//! `function!`: a closure in plain code as a function object.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprClosure, Ident, Lifetime, ParenthesizedGenericArguments, Pat, PatType, ReturnType, Stmt,
    Token, Type, TypeBareFn, TypeReference, parse_quote,
};

use super::Context;
use super::body::Body;
use super::kind::Kind;
use super::names::has_data;

/// The way to write a function with data.
pub const CAPTURES: &str = "`function!` captures the variables that its closure names with their types, as data that do not \
    change: `|x, #[data] k: f64| …`";
const FORMS: &str = "write `function!(|x| …)` for one result, `function!(|x| [a, b])` for two, or `function!(|x, y: [_; 2]| …)` \
    to fill a buffer";

/// The function object of a closure.
pub fn object(context: &mut Context, mut closure: ExprClosure) -> TokenStream {
    context.is_closed = true;
    if let Some(token) = &closure.capture {
        context.error(token, CAPTURES);
    }
    let is_data = |pat: &Pat| match pat {
        Pat::Type(typed) => has_data(&typed.attrs),
        Pat::Ident(name) => has_data(&name.attrs),
        _ => false,
    };
    let (data, numbers): (Vec<Pat>, Vec<Pat>) = closure.inputs.iter().cloned().partition(is_data);
    let (mut x, mut y) = match &numbers[..] {
        [x] => (x.clone(), array_of_results(&mut closure.body)),
        [x, y] => (x.clone(), Some(y.clone())),
        _ => {
            context.error(&closure, FORMS);
            return TokenStream::new();
        }
    };
    if let (1, Some(_), ReturnType::Type(_, ty)) = (numbers.len(), &y, &closure.output) {
        context.error(ty, "the number of results is that of the array at the end: write no type");
    }
    let size = y.as_ref().map(|y| size(context, y));
    arguments(context, &x);
    let param = context.param.clone();
    let mut body = Body::new(context);
    let x = body.slice(&mut x);
    let y = y.as_mut().map(|y| body.slice(y));
    let mut lifetimes = Lifetimes { lifetime: None };
    let data: Vec<_> = data.iter().filter_map(|pat| body.captured(pat, &mut lifetimes)).collect();
    let [fields, values, names] =
        [0, 1, 2].map(|part| data.iter().map(|parts| parts[part].clone()).collect::<TokenStream>());
    let lifetime = lifetimes.lifetime.into_iter();
    let (generics, arguments) = (lifetime.clone().map(|l| quote!(<#l>)), lifetime.map(|_| quote!(<'_>)));
    body.visit_expr_mut(&mut closure.body);
    let inside = &closure.body;
    let (of, outputs, rest) = match (size, y) {
        (Some(m), Some(y)) => (
            quote!(VectorFunction),
            quote! {
                #[allow(unused_variables)]
                fn outputs(&self, _: usize) -> usize {
                    #names
                    #m
                }
            },
            quote!(, #y: &mut [#param]),
        ),
        _ => (quote!(Function), quote!(), quote!()),
    };
    let result = outputs.is_empty().then(|| quote!(-> #param));
    quote! {{
        #[derive(Clone)]
        struct __WengertFunction #(#generics)* { #fields }
        impl ::wengert::#of for __WengertFunction #(#arguments)* {
            #outputs
            #[inline]
            #[allow(clippy::unnecessary_cast, unused_braces)]
            fn call<#param: ::wengert::Scalar>(&self, #x: &[#param] #rest) #result {
                #names
                #inside
            }
        }
        __WengertFunction { #values }
    }}
}

/// Where each branch of a body ends with an array of as many results, it fills a buffer with them: the argument that
/// stands for it.
fn array_of_results(body: &mut Expr) -> Option<Pat> {
    let mut ends = Vec::new();
    collect_ends(body, &mut ends);
    let lists: Vec<_> = ends.iter().map(|end| list(end)).collect::<Option<_>>()?;
    let count = lists.first()?.len();
    if lists.iter().any(|list| list.len() != count) {
        return None;
    }
    let name = Ident::new("__results", Span::mixed_site());
    for (end, list) in ends.into_iter().zip(lists) {
        let (results, places) = (list.iter(), 0..count);
        *end = parse_quote!({ #(#name[#places] = #results;)* });
    }
    let typed: PatType = parse_quote!(#name: [_; #count]);
    Some(Pat::Type(typed))
}

/// The expressions of which one is the value of the body.
fn collect_ends<'e>(body: &'e mut Expr, ends: &mut Vec<&'e mut Expr>) {
    let mut of_block = |block: &'e mut Block| {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            collect_ends(last, ends);
        }
    };
    match body {
        Expr::Block(e) => of_block(&mut e.block),
        Expr::If(e) => {
            of_block(&mut e.then_branch);
            if let Some((_, other)) = &mut e.else_branch {
                collect_ends(other, ends);
            }
        }
        Expr::Match(e) => e.arms.iter_mut().for_each(|arm| collect_ends(&mut arm.body, ends)),
        Expr::Paren(e) => collect_ends(&mut e.expr, ends),
        Expr::Group(e) => collect_ends(&mut e.expr, ends),
        end => ends.push(end),
    }
}

/// The elements of an array or of `vec![…]`.
fn list(e: &Expr) -> Option<Punctuated<Expr, Token![,]>> {
    match e {
        Expr::Array(array) => Some(array.elems.clone()),
        Expr::Macro(list) if list.mac.path.segments.last()?.ident == "vec" => {
            list.mac.parse_body_with(Punctuated::parse_terminated).ok()
        }
        _ => None,
    }
}

/// Gives a lifetime to the references in the types of captured variables.
struct Lifetimes {
    /// The lifetime, if there is a reference.
    lifetime: Option<Lifetime>,
}

impl VisitMut for Lifetimes {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.get_or_insert_with(|| parse_quote!('_));
        visit_mut::visit_type_reference_mut(self, reference);
    }
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = self.lifetime.get_or_insert_with(|| parse_quote!('data)).clone();
        }
    }
    // The arguments of a function have lifetimes of each call.
    fn visit_type_bare_fn_mut(&mut self, _: &mut TypeBareFn) {}
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
}

/// Whether values of the type are surely `Copy`.
fn is_copied(ty: &Type) -> bool {
    match ty {
        Type::Reference(r) => r.mutability.is_none(),
        Type::Array(array) => is_copied(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_copied),
        Type::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            let is_number = name.starts_with(['f', 'i', 'u']) && name[1..].parse::<u32>().is_ok();
            is_number || ["usize", "isize", "bool", "char"].contains(&&*name)
        }),
        _ => false,
    }
}

/// The name and the type of a captured variable.
fn variable(pat: &Pat) -> Option<(Ident, Type)> {
    let Pat::Type(typed) = pat else { return None };
    let Pat::Ident(name) = &*typed.pat else { return None };
    let is_changed = matches!(&*typed.ty, Type::Reference(r) if r.mutability.is_some());
    let is_plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
    (is_plain && !is_changed).then(|| (name.ident.clone(), (*typed.ty).clone()))
}

/// The first argument: numbers.
fn arguments(context: &mut Context, x: &Pat) {
    if let Pat::Type(typed) = x
        && !matches!(&*typed.ty, Type::Reference(r) if r.mutability.is_none()
            && matches!(&*r.elem, Type::Slice(slice) if is_number(context, &slice.elem)))
    {
        context.error(
            &typed.ty,
            "the argument of a `function!` is a slice of numbers: `|x| …` or `|x: &[f64]| …`",
        );
    }
}

fn is_number(context: &Context, ty: &Type) -> bool {
    match ty {
        Type::Infer(_) => true,
        ty => context.names.is_float_type(ty),
    }
}

/// The number of results: `m` of `y: [_; m]`.
fn size(context: &mut Context, y: &Pat) -> Expr {
    if let Pat::Type(typed) = y {
        let array = match &*typed.ty {
            Type::Reference(r) if r.mutability.is_some() => &r.elem,
            _ => &typed.ty,
        };
        if let Type::Array(array) = &**array
            && is_number(context, &array.elem)
        {
            return array.len.clone();
        }
    }
    context.error(y, format_args!("a function that fills a buffer states its size: {FORMS}; {CAPTURES}"));
    parse_quote!(0)
}

impl Body<'_> {
    /// The pattern of an argument, a slice of numbers, whose names it binds.
    fn slice(&mut self, pat: &mut Pat) -> Pat {
        let mut pat = match pat {
            Pat::Type(typed) => (*typed.pat).clone(),
            pat => pat.clone(),
        };
        self.bind_pattern(&mut pat, Kind::Number.list().by_ref());
        pat
    }
    /// A variable that the object holds: its field, the field's value, and the variable in the function.
    fn captured(&mut self, pat: &Pat, lifetimes: &mut Lifetimes) -> Option<[TokenStream; 3]> {
        let Some((name, mut ty)) = variable(pat) else {
            self.context.error(pat, CAPTURES);
            return None;
        };
        if self.local(&name.to_string()).is_some() {
            self.context.error(&name, format_args!("`{name}` is the name of another argument, too"));
            return None;
        }
        let (kind, is_copied) = (self.kind_of_type(&ty).into_data(), is_copied(&ty));
        self.bind(&name, if is_copied { kind } else { kind.by_ref() });
        lifetimes.visit_type_mut(&mut ty);
        // Where a reference is wanted, the variable may also be the value itself.
        let value = if matches!(ty, Type::Reference(_)) { quote!(#name: &#name,) } else { quote!(#name,) };
        let inside = if is_copied { quote!(self.#name) } else { quote!(&self.#name) };
        Some([quote!(#name: #ty,), value, quote!(let #name = #inside;)])
    }
    /// Reports a captured variable where `function!` may not have one: a lower-case name that is no function.
    pub fn no_capture(&mut self, e: &Expr) {
        let Expr::Path(path) = e else { return };
        let Some(name) = path.path.get_ident().map(Ident::to_string) else { return };
        let is_variable = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if self.context.is_closed && is_variable && self.local(&name).is_none() {
            self.context.error(path, CAPTURES);
        }
    }
}

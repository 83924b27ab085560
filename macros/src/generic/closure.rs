//! `function!`: a closure in plain code as a function object.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprClosure, Ident, Pat, Type, parse_quote};

use super::Context;
use super::body::Body;
use super::kind::Kind;

/// The way to write a function with data.
pub const CAPTURES: &str = "`function!` captures no variables: its data are fields of a struct with `#[generic] impl \
    wengert::Function for …`";
const FORMS: &str =
    "write `function!(|x| …)`, or `function!(|x, y: [_; 2]| …)` for a function that fills two results";

/// The function object of a closure.
pub fn object(context: &mut Context, mut closure: ExprClosure) -> TokenStream {
    context.is_closed = true;
    if let Some(token) = &closure.capture {
        context.error(token, CAPTURES);
    }
    let (mut x, mut y) = match closure.inputs.len() {
        1 => (closure.inputs[0].clone(), None),
        2 => (closure.inputs[0].clone(), Some(closure.inputs[1].clone())),
        _ => {
            context.error(&closure, FORMS);
            return TokenStream::new();
        }
    };
    let size = y.as_ref().map(|y| size(context, y));
    arguments(context, &x);
    let param = context.param.clone();
    let mut body = Body::new(context);
    let x = body.slice(&mut x);
    let y = y.as_mut().map(|y| body.slice(y));
    body.visit_expr_mut(&mut closure.body);
    let inside = &closure.body;
    let (of, outputs, rest) = match (size, y) {
        (Some(m), Some(y)) => (
            quote!(VectorFunction),
            quote!(fn outputs(&self, _: usize) -> usize { #m }),
            quote!(, #y: &mut [#param]),
        ),
        _ => (quote!(Function), quote!(), quote!()),
    };
    let result = outputs.is_empty().then(|| quote!(-> #param));
    quote! {{
        #[derive(Clone)]
        struct __WengertFunction;
        impl ::wengert::#of for __WengertFunction {
            #outputs
            #[inline]
            #[allow(clippy::unnecessary_cast, unused_braces)]
            fn call<#param: ::wengert::Scalar>(&self, #x: &[#param] #rest) #result {
                #inside
            }
        }
        __WengertFunction
    }}
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
    context.error(y, format_args!("a function that fills a buffer states its size: {FORMS}"));
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

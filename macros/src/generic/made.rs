//! Constants that contain structs over numbers, or functions of numbers: functions make their values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Expr, Ident, Type, Visibility, parse_quote};

use super::Context;
use super::body::Body;
use super::types::Replace;

/// The name of the function that makes a constant of a struct over numbers.
pub fn name_of_made(constant: &Ident) -> Ident {
    Ident::new(&format!("__wengert_{constant}"), constant.span())
}

/// The function that makes a constant of a struct over numbers.
pub fn made(
    context: &mut Context,
    vis: &Visibility,
    name: &Ident,
    ty: &Type,
    value: &Expr,
    is_free: bool,
) -> TokenStream {
    let (name, mut ty, mut value) = (name_of_made(name), ty.clone(), value.clone());
    Body::new(context).visit_expr_mut(&mut value);
    Replace(context).visit_type_mut(&mut ty);
    StaticReferences.visit_type_mut(&mut ty);
    let (param, bound) = (&context.param, context.bound.tokens());
    let parameter = is_free.then(|| quote!(<#param: #bound>));
    quote!(#[doc(hidden)] #[allow(dead_code, non_snake_case)] #vis fn #name #parameter() -> #ty { #value })
}

/// References of constants are static, written or not.
struct StaticReferences;
impl VisitMut for StaticReferences {
    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        ty.lifetime.get_or_insert(parse_quote!('static));
        self.visit_type_mut(&mut ty.elem);
    }
    fn visit_type_bare_fn_mut(&mut self, _: &mut syn::TypeBareFn) {}
}

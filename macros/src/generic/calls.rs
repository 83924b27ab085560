//! Function objects: a struct with a method `call` gets an `impl Function` or `impl VectorFunction`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, ImplItem, ItemImpl, ReturnType, Signature, Type};

use super::Context;
use super::names::has_data;

/// `Function` or `VectorFunction` for a struct with a method `call(&self, x: &[f64])`.
pub fn function_object(context: &Context, block: &ItemImpl) -> TokenStream {
    if block.trait_.is_some() || !context.bound.is_real() {
        return TokenStream::new();
    }
    let method = |name: &str| {
        block.items.iter().find_map(|item| match item {
            ImplItem::Fn(item) if item.sig.ident == name && !has_data(&item.attrs) => Some(&item.sig),
            _ => None,
        })
    };
    let Some(call) = method("call") else { return TokenStream::new() };
    let number = |ty: &Type| context.names.is_float_type(ty);
    let slice = |ty: &Type, is_mutable: bool| {
        matches!(ty, Type::Reference(r) if r.mutability.is_some() == is_mutable
            && matches!(&*r.elem, Type::Slice(s) if number(&s.elem)))
    };
    let (generics, _, condition) = block.generics.split_for_impl();
    let ty = &block.self_ty;
    let (param, bound) = (&context.param, quote!(::wengert::Scalar));
    match (&arguments(call)[..], &call.output) {
        ([x], ReturnType::Type(_, result)) if slice(x, false) && number(result) => quote! {
            impl #generics ::wengert::Function for #ty #condition {
                #[inline]
                fn call<#param: #bound>(&self, x: &[#param]) -> #param {
                    Self::call(self, x)
                }
            }
        },
        ([x, y], ReturnType::Default) if slice(x, false) && slice(y, true) && method("outputs").is_some() => {
            quote! {
                impl #generics ::wengert::VectorFunction for #ty #condition {
                    fn outputs(&self, n: usize) -> usize {
                        Self::outputs(self, n)
                    }
                    #[inline]
                    fn call<#param: #bound>(&self, x: &[#param], y: &mut [#param]) {
                        Self::call(self, x, y)
                    }
                }
            }
        }
        _ => TokenStream::new(),
    }
}

/// The types of the arguments after `&self` that are no data.
fn arguments(signature: &Signature) -> Vec<&Type> {
    let by_reference = matches!(signature.inputs.first(), Some(FnArg::Receiver(r)) if r.reference.is_some());
    let typed = signature.inputs.iter().skip(1).filter_map(|arg| match arg {
        FnArg::Typed(arg) if by_reference && !has_data(&arg.attrs) => Some(&*arg.ty),
        _ => None,
    });
    typed.collect()
}

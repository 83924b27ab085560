//! The macros of wengert; use them from there.

mod differentiable;
mod generic;
#[cfg(test)]
mod shown;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn generic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    generic::expand(arguments.into(), item.into()).into()
}

#[proc_macro_derive(Differentiable, attributes(data, differentiable))]
pub fn differentiable(item: TokenStream) -> TokenStream {
    differentiable::expand(item.into()).into()
}

#[proc_macro]
pub fn function(closure: TokenStream) -> TokenStream {
    generic::function(closure.into()).into()
}

//! The macros of wengert; use them from there.

mod differentiable;
mod generic;
#[cfg(test)]
mod shown;

use proc_macro::TokenStream;

/// See `wengert::generic`.
#[proc_macro_attribute]
pub fn generic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    generic::expand(arguments.into(), item.into()).into()
}

/// See `wengert::Differentiable`.
#[proc_macro_derive(Differentiable, attributes(data, differentiable))]
pub fn differentiable(item: TokenStream) -> TokenStream {
    differentiable::expand(item.into()).into()
}

/// See `wengert::function`.
#[proc_macro]
pub fn function(closure: TokenStream) -> TokenStream {
    generic::function(closure.into()).into()
}

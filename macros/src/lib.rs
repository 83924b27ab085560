//! The macros of wengert; use them from there.

mod generic;

use proc_macro::TokenStream;

/// See `wengert::generic`.
#[proc_macro_attribute]
pub fn generic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    generic::expand(arguments.into(), item.into()).into()
}

//! `#[derive(Differentiable)]`: structs and enums as points.
//!
//! `read` finds the number, the parts and the data of a declaration; `code` writes the implementations; `tangent`
//! writes the generated types: tangents of other types, and a struct without a parameter over other numbers.

mod code;
mod read;
mod tangent;

use proc_macro2::TokenStream;
use quote::quote;

/// The implementations, or the error.
pub fn expand(item: TokenStream) -> TokenStream {
    let written = syn::parse2(item).and_then(read::Point::read).map(|point| {
        let tokens = match (&point.number, &point.tangent) {
            (None, _) => tangent::over_other_numbers(&point),
            (Some(_), Some(_)) => tangent::of_another_type(&point),
            (Some(_), None) => code::flat(&point),
        };
        let complex = if point.complex { code::complex(&point) } else { TokenStream::new() };
        let checks = point.checks();
        quote!(#checks #tokens #complex)
    });
    written.unwrap_or_else(|error| error.to_compile_error())
}

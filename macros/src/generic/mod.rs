//! `#[generic]`: functions over `f64` become functions over a number type.
//!
//! `gather` finds the items that depend on the number; `items` adds the parameter; `types` replaces `f64`; `body`
//! translates expressions, `patterns` binds names; `constants` finds the expressions that stay `f64`; `macros`
//! translates the arguments of std's macros.

mod body;
mod bound;
mod calls;
mod constants;
mod forms;
mod gather;
mod items;
mod macros;
mod names;
mod patterns;
mod types;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The context of a translation, and the errors that it finds.
pub struct Context {
    pub bound: bound::Bound,
    /// The name of the parameter.
    pub param: syn::Ident,
    pub names: names::Names,
    /// Whether `self` is of a struct whose declaration is known.
    pub knows_self: bool,
    errors: Vec<syn::Error>,
}

impl Context {
    /// Reports an error at `tokens`.
    pub fn error(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }
}

/// The item with its parameter, or the errors.
pub fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let translated = syn::parse2(arguments).and_then(|mut bound: bound::Bound| {
        let param = names::free_name(&item);
        let item: syn::Item = syn::parse2(item)?;
        bound.vectors |= types::has_vectors(&item, bound.float);
        let mut context =
            Context { bound, param, names: names::Names::default(), knows_self: false, errors: Vec::new() };
        let item = items::translate(&mut context, item);
        match context.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        }) {
            // `x as f64` makes a constant a number; in code over `f64` only the cast would be needless.
            None => Ok(quote::quote!(#[allow(clippy::unnecessary_cast)] #item)),
            Some(error) => Err(error),
        }
    });
    translated.unwrap_or_else(|error| error.to_compile_error())
}

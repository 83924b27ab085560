//! `#[generic]`: functions over `f64` become functions over a number type.
//!
//! `gather` finds the items that depend on the number; `items` adds the parameter; `types` replaces `f64`. `body`
//! translates expressions, `arguments` calls, `data` what stays `f64`, `macros` calls of std's macros; `structs` makes
//! values of structs; `patterns` binds names. `infer` and `methods` find the `kind` of an expression: what the text shows
//! of its type. `calls` makes function objects of structs, `closure` of closures: `function!`.

mod arguments;
mod body;
mod bound;
mod calls;
mod closure;
mod constants;
mod data;
mod forms;
mod gather;
mod infer;
mod items;
mod kind;
mod macros;
mod made;
mod methods;
mod names;
mod paths;
mod patterns;
mod structs;
mod types;
mod variables;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// The context of a translation, and the errors that it finds.
pub struct Context {
    pub bound: bound::Bound,
    /// The name of the parameter.
    pub param: syn::Ident,
    pub names: names::Names,
    /// Whether the code may use no variables of its surroundings.
    pub is_closed: bool,
    errors: Vec<syn::Error>,
}

impl Context {
    /// Reports an error at `tokens`.
    pub fn error(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors.len()
    }
    /// Forgets all errors but the first ones.
    pub fn forget(&mut self, first: usize) {
        self.errors.truncate(first);
    }
}

/// The item with its parameter, or the errors.
pub fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    translated(arguments, item, |context, item| {
        let item = items::translate(context, item);
        // `x as f64` makes a constant a number; in code over `f64` only the cast would be needless.
        quote::quote!(#[allow(clippy::unnecessary_cast)] #item)
    })
}

/// The function object of a closure, or the errors.
pub fn function(closure: TokenStream) -> TokenStream {
    let mut tokens = closure.clone().into_iter();
    if let Some(TokenTree::Group(first)) = tokens.next() {
        // An expression that another macro passes is a group.
        if first.delimiter() == Delimiter::None && tokens.next().is_none() {
            return function(first.stream());
        }
        return syn::Error::new_spanned(closure, closure::CAPTURES).to_compile_error();
    }
    translated(TokenStream::new(), closure, closure::object)
}

fn translated<P: syn::parse::Parse>(
    arguments: TokenStream,
    code: TokenStream,
    translate: impl FnOnce(&mut Context, P) -> TokenStream,
) -> TokenStream {
    let translated = syn::parse2(arguments).and_then(|bound: bound::Bound| {
        let (param, names) = (names::free_name(&code), names::Names::of(bound.float));
        let mut context = Context { bound, param, names, is_closed: false, errors: Vec::new() };
        let code = translate(&mut context, syn::parse2(code)?);
        match context.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        }) {
            None => Ok(code),
            Some(error) => Err(error),
        }
    });
    translated.unwrap_or_else(|error| error.to_compile_error())
}

//! Calls of macros inside functions.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprRepeat, Lit, Macro, Pat, Token};

use super::body::Body;

/// Whether the tokens contain a float literal or the name of the float.
pub fn has_numbers(tokens: &TokenStream, float: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_numbers(&group.stream(), float),
        TokenTree::Ident(ident) => ident == float,
        TokenTree::Literal(literal) => {
            matches!(syn::parse2::<Lit>(literal.into_token_stream()), Ok(Lit::Float(_)))
        }
        TokenTree::Punct(_) => false,
    })
}

/// The macros of std whose arguments are expressions that are compared, shown or returned.
const SHOWN: &str = " assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne print println eprint \
    eprintln format write writeln panic todo unimplemented unreachable ";
/// Macros of lists of numbers: std's, and nalgebra's.
const LISTS: &str = " vec vector dvector point matrix dmatrix ";

impl Body<'_> {
    /// The arguments of a macro that is known.
    pub fn open_macro(&mut self, call: &mut Macro) {
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let named = |list: &str| list.contains(&format!(" {name} "));
        if named(SHOWN) {
            let list = Punctuated::<Expr, Token![,]>::parse_terminated;
            if let Ok(mut arguments) = list.parse2(call.tokens.clone()) {
                for argument in &mut arguments {
                    match argument {
                        Expr::Assign(named) => self.operand(&mut named.right),
                        argument => self.operand(argument),
                    }
                }
                call.tokens = arguments.into_token_stream();
                return;
            }
        }
        if named(LISTS) {
            if let Ok(Expr::Repeat(mut repeat)) = syn::parse2::<Expr>({
                let tokens = &call.tokens;
                quote!([#tokens])
            }) {
                self.visit_expr_mut(&mut repeat.expr);
                self.visit_expr_mut(&mut repeat.len);
                let ExprRepeat { expr, len, .. } = repeat;
                call.tokens = quote!(#expr; #len);
                return;
            }
            let rows = Punctuated::<Row, Token![;]>::parse_terminated;
            if let Ok(mut rows) = rows.parse2(call.tokens.clone()) {
                rows.iter_mut().flat_map(|row| &mut row.0).for_each(|e| self.visit_expr_mut(e));
                call.tokens = rows.into_token_stream();
                return;
            }
        }
        if name == "matches"
            && let Ok(mut matches) = syn::parse2::<Matches>(call.tokens.clone())
        {
            let kind = self.kind(&matches.value);
            self.part(&mut matches.value);
            self.scope(|body| {
                body.bind_pattern(&mut matches.pat, kind);
                matches.guard.iter_mut().for_each(|guard| body.visit_expr_mut(guard));
            });
            call.tokens = matches.into_token_stream();
            return;
        }
        if name != "dbg" && !has_numbers(&call.tokens, self.context.bound.float) {
            return;
        }
        if name == "dbg"
            && let Ok(mut e) = syn::parse2::<Expr>(call.tokens.clone())
        {
            self.visit_expr_mut(&mut e);
            call.tokens = e.into_token_stream();
            return;
        }
        let message = format!(
            "`#[generic]` does not know what `{name}!` makes of these numbers: write it as plain code, or put the call \
             into a function marked `#[data]`"
        );
        self.context.error(&call.path, message);
    }
}

/// The arguments of `matches!`.
struct Matches {
    value: Expr,
    pat: Pat,
    guard: Option<Expr>,
}

impl syn::parse::Parse for Matches {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Matches { value, pat, guard })
    }
}

impl ToTokens for Matches {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (value, pat, guard) = (&self.value, &self.pat, self.guard.iter());
        tokens.extend(quote!(#value, #pat #(if #guard)*));
    }
}

/// Expressions between commas.
struct Row(Punctuated<Expr, Token![,]>);

impl syn::parse::Parse for Row {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Self> {
        let mut row = Punctuated::new();
        while !input.is_empty() && !input.peek(Token![;]) {
            row.push_value(input.parse()?);
            if input.peek(Token![,]) {
                row.push_punct(input.parse()?);
            }
        }
        Ok(Row(row))
    }
}

impl ToTokens for Row {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

//! Paths and casts: items of the float, items with the parameter, conversions of numbers.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Path, PathArguments, Type, parse_quote_spanned};

use super::body::Body;
use super::bound::without_parentheses;
use super::constants::is_integer_of_float;
use super::made::name_of_made;
use super::names::arguments;
use super::types::add_argument;

impl Body<'_> {
    /// Gives the argument to the owner of an associated item, if nothing else determines it.
    pub fn complete_owner(&self, path: &mut Path, argument: &Ident, is_over_numbers: bool) {
        let mut owner = path.clone();
        owner.segments.pop();
        owner.segments.pop_punct();
        let is_constant =
            path.segments.last().is_some_and(|s| !s.ident.to_string().chars().any(char::is_lowercase));
        // Where some arguments are written, the compiler takes the default of the others.
        let is_written =
            owner.segments.last().is_some_and(|s| matches!(s.arguments, PathArguments::AngleBracketed(_)));
        if (is_constant || is_written || is_over_numbers) && self.context.names.is_generic(&owner) {
            let of = &mut path.segments[owner.segments.len() - 1].arguments;
            if is_written {
                add_argument(&mut owner, argument);
                *of = owner.segments.last().expect("a name").arguments.clone();
            } else {
                let parameters = self.context.names.parameters.get(&self.context.names.key(&owner));
                *of = PathArguments::AngleBracketed(arguments(parameters.map_or(0, Vec::len), argument));
            }
            if let PathArguments::AngleBracketed(arguments) = of {
                arguments.colon2_token.get_or_insert_default();
            }
        }
    }
    /// A path as a value.
    pub fn path(&mut self, e: &mut Expr) {
        let Expr::Path(path) = e else { return };
        let param = self.context.param.clone();
        if let Some(item) = self.context.names.item_of_float(path) {
            if is_integer_of_float(&item) {
                return;
            }
            let span = syn::spanned::Spanned::span(&path.path);
            let (param, item) = (Ident::new(&param.to_string(), span), Ident::new(&item, span));
            *e = parse_quote_spanned!(span=> #param::#item);
        } else {
            let is_made = self.context.names.made.contains(&self.context.names.key(&path.path));
            let is_local = path.path.get_ident().is_some_and(|name| self.local(&name.to_string()).is_some());
            visit_mut::visit_expr_path_mut(self, path);
            self.complete_owner(&mut path.path, &param, false);
            if is_made
                && !is_local
                && let Some(last) = path.path.segments.last_mut()
            {
                last.ident = name_of_made(&last.ident);
                let span = last.ident.span();
                let of_type = path.path.segments.iter().rev().nth(1).is_some_and(|owner| {
                    owner.ident == "Self" || matches!(owner.arguments, PathArguments::AngleBracketed(_))
                });
                *e = if of_type {
                    parse_quote_spanned!(span=> #path())
                } else {
                    parse_quote_spanned!(span=> #path::<#param>())
                };
            }
        }
    }
    /// `x as usize` of a number, or another cast.
    pub fn cast(&mut self, e: &mut Expr) {
        let Expr::Cast(cast) = e else { return };
        let is_number = self.is_number(&cast.expr);
        let to = match &*cast.ty {
            Type::Path(path) => path.path.get_ident().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        let is_float = self.context.names.is_float_type(&cast.ty);
        self.part(&mut cast.expr);
        if !is_number {
            // `as Box<dyn Payoff>`, `as fn(f64) -> f64`.
            if !is_float {
                self.visit_type_mut(&mut cast.ty);
            }
            return;
        }
        if is_float {
            // A number already.
            *e = (*cast.expr).clone();
            return;
        }
        let to_integer = " i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize ".contains(&format!(" {to} "));
        if !to_integer || !self.context.bound.is_real() {
            let value = self.context.bound.value();
            let message = format!(
                "a number has no such conversion: integers come from its value, `{value} as usize`, for table look-ups \
                 of `x.floor()`; other floats by `cast`"
            );
            return self.context.error(&*cast, message);
        }
        let number = without_parentheses(&cast.expr);
        let span = syn::spanned::Spanned::span(number);
        cast.expr = parse_quote_spanned!(span=> ::wengert::Real::primal_of_integer(#number));
    }
}

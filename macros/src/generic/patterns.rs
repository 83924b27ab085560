//! Patterns and `let`: the types of the names that they bind.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lit, Local as Let, Pat, Type};

use super::body::{Body, Local};
use super::constants::element;
use super::names::take_data;
use super::types::Replace;

impl Body<'_> {
    /// Binds the names of a pattern with a type of the plain code.
    pub fn bind_typed(&mut self, pat: &mut Pat, ty: &Type, data: bool) {
        match (pat, ty) {
            (Pat::Ident(name), _) => self.bind(&name.ident, Local::Typed(Box::new(ty.clone()), data)),
            (Pat::Reference(pat), Type::Reference(ty)) => self.bind_typed(&mut pat.pat, &ty.elem, data),
            (Pat::Tuple(pats), Type::Tuple(types)) if pats.elems.len() == types.elems.len() => {
                pats.elems.iter_mut().zip(&types.elems).for_each(|(pat, ty)| self.bind_typed(pat, ty, data));
            }
            (Pat::Slice(pats), ty) if element(ty).is_some() => {
                let ty = element(ty).expect("just seen");
                pats.elems.iter_mut().for_each(|pat| self.bind_typed(pat, &ty, data));
            }
            (pat, _) => self.visit_pat_mut(pat),
        }
    }
    /// A `let`. An immutable name of a constant is one, too.
    pub fn declare(&mut self, local: &mut Let) {
        if take_data(&mut local.attrs) {
            match &mut local.pat {
                Pat::Type(typed) => self.bind_typed(&mut typed.pat, &typed.ty.clone(), true),
                pat => self.visit_pat_mut(pat),
            }
            return;
        }
        let Some(init) = &mut local.init else { return self.visit_pat_mut(&mut local.pat) };
        if let Some((_, otherwise)) = &mut init.diverge {
            self.visit_expr_mut(otherwise);
        }
        if let Pat::Ident(name) = &local.pat
            && name.mutability.is_none()
            && name.by_ref.is_none()
            && self.is_constant(&init.expr)
            && self.context.bound.has_constant_operands()
        {
            self.inside_constant(&mut init.expr);
            return self.bind(&name.ident, Local::Constant);
        }
        let is_number = self.is_number(&init.expr) || self.is_constant(&init.expr);
        self.visit_expr_mut(&mut init.expr);
        match &mut local.pat {
            Pat::Type(typed) => {
                self.bind_typed(&mut typed.pat, &typed.ty.clone(), false);
                Replace(self.context).visit_type_mut(&mut typed.ty);
            }
            Pat::Ident(name) if is_number && name.subpat.is_none() => {
                let float = self.context.bound.float();
                self.bind(&name.ident, Local::Typed(Box::new(syn::parse_quote!(#float)), false));
            }
            pat => self.visit_pat_mut(pat),
        }
    }
    /// Binds the names of a pattern without a known type.
    pub fn bind_pattern(&mut self, pat: &mut Pat) {
        let float = |e: &Expr| {
            let negated = matches!(e, Expr::Unary(e) if matches!(&*e.expr, Expr::Lit(e) if matches!(e.lit, Lit::Float(_))));
            negated || matches!(e, Expr::Lit(e) if matches!(e.lit, Lit::Float(_)))
        };
        match pat {
            Pat::Ident(name) => {
                self.bind(&name.ident, Local::Other);
                if let Some((_, pat)) = &mut name.subpat {
                    self.visit_pat_mut(pat);
                }
            }
            Pat::Lit(lit) if matches!(lit.lit, Lit::Float(_)) => {
                let message =
                    "a number is not matched with a literal: write a comparison, `x if x == 0.0 => …`";
                self.context.error(lit, message);
            }
            Pat::Range(range)
                if range.start.as_deref().is_some_and(float) || range.end.as_deref().is_some_and(float) =>
            {
                let message = "a number is not matched with a range: write comparisons, `x if 0.0 <= x && x < 1.0 => …`";
                self.context.error(range, message);
            }
            Pat::Type(typed) => {
                self.bind_typed(&mut typed.pat, &typed.ty.clone(), false);
                Replace(self.context).visit_type_mut(&mut typed.ty);
            }
            pat => visit_mut::visit_pat_mut(self, pat),
        }
    }
}

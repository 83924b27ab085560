//! Patterns and `let`: the kinds of the names that they bind.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lit, Local, Member, Pat, PatType};

use super::body::Body;
use super::kind::Kind;
use super::names::take_data;
use super::types::Replace;
use super::variables::mutable_name;

impl Body<'_> {
    /// Binds the names of a pattern with a type, and translates the type.
    pub fn bind_typed(&mut self, typed: &mut PatType) {
        let data = take_data(&mut typed.attrs);
        let stated = self.kind_of_type(&typed.ty);
        self.bind_pattern(&mut typed.pat, if data { stated.into_data() } else { stated });
        if !data {
            Replace(self.context).visit_type_mut(&mut typed.ty);
        }
    }
    /// Binds the names of a pattern of this kind.
    pub fn bind_pattern(&mut self, pat: &mut Pat, kind: Kind) {
        let by_ref = matches!(kind, Kind::Ref(_));
        let part = |part: Kind| if by_ref { part.by_ref() } else { part };
        match pat {
            Pat::Ident(name) => {
                let of = if name.by_ref.is_some() { kind.clone().by_ref() } else { kind.clone() };
                self.bind(&name.ident, of);
                if let Some((_, pat)) = &mut name.subpat {
                    self.bind_pattern(pat, kind);
                }
            }
            Pat::Type(typed) => self.bind_typed(typed),
            Pat::Reference(pat) => self.bind_pattern(&mut pat.pat, kind.target()),
            Pat::Paren(pat) => self.bind_pattern(&mut pat.pat, kind),
            Pat::Or(pat) => pat.cases.iter_mut().for_each(|pat| self.bind_pattern(pat, kind.clone())),
            Pat::Tuple(pats) => {
                let parts = match kind.value() {
                    Kind::Tuple(parts) if parts.len() == pats.elems.len() => parts.clone(),
                    _ => vec![Kind::Unknown; pats.elems.len()],
                };
                pats.elems.iter_mut().zip(parts).for_each(|(pat, of)| self.bind_pattern(pat, part(of)));
            }
            Pat::Slice(pats) => {
                let item = match kind.value() {
                    Kind::List(item) => (**item).clone(),
                    _ => Kind::Unknown,
                };
                for pat in &mut pats.elems {
                    // `rest @ ..`
                    let is_rest = matches!(pat, Pat::Ident(name) if name.subpat.is_some());
                    self.bind_pattern(pat, part(if is_rest { item.clone().list() } else { item.clone() }));
                }
            }
            Pat::TupleStruct(pats) => {
                let key = self.context.names.key(&pats.path);
                for (i, pat) in pats.elems.iter_mut().enumerate() {
                    let of = match (&*key, kind.value()) {
                        ("::Some" | "::Ok", Kind::Maybe(item)) => (**item).clone(),
                        _ => self.kind_of_member(&key, &Member::from(i), &kind),
                    };
                    self.bind_pattern(pat, part(of));
                }
                self.visit_path_mut(&mut pats.path);
            }
            Pat::Struct(pats) => {
                let key = self.context.names.key(&pats.path);
                for field in &mut pats.fields {
                    let of = self.kind_of_member(&key, &field.member, &kind);
                    self.bind_pattern(&mut field.pat, part(of));
                }
                self.visit_path_mut(&mut pats.path);
            }
            Pat::Lit(lit) if matches!(lit.lit, Lit::Float(_)) && !kind.is_data() => {
                let message =
                    "a number is not matched with a literal: write a comparison, `x if x == 0.0 => …`";
                self.context.error(lit, message);
            }
            Pat::Range(range)
                if !kind.is_data()
                    && [&range.start, &range.end].iter().any(|e| e.as_deref().is_some_and(is_float)) =>
            {
                let message = "a number is not matched with a range: write comparisons, `x if 0.0 <= x && x < 1.0 => …`";
                self.context.error(range, message);
            }
            Pat::Lit(_) | Pat::Range(_) => {}
            pat => visit_mut::visit_pat_mut(self, pat),
        }
    }
    /// The member of a struct or variant.
    pub fn kind_of_member(&self, key: &str, member: &Member, of: &Kind) -> Kind {
        let names = &self.context.names;
        let field = names.fields.get(key).and_then(|all| all.iter().find(|f| f.member == *member));
        field.map_or(Kind::Unknown, |f| names.kind_of_field(f, matches!(of.value(), Kind::Struct(_, true))))
    }
    /// A `let`, translated. An immutable name of a constant is one, too.
    pub fn declare(&mut self, local: &mut Local) {
        let value = self.value(local);
        let stays = self.stays(local, &value);
        let mut plain = local.clone();
        if let Some(init) = &mut local.init
            && !super::names::has_data(&local.attrs)
        {
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_expr_mut(otherwise);
            }
            let lifts = mutable_name(&plain.pat).is_some();
            self.lifting(lifts, |body| {
                if stays { body.data(&mut init.expr) } else { body.visit_expr_mut(&mut init.expr) }
            });
        }
        self.bind_let(&mut plain, value);
        (local.pat, local.attrs) = (plain.pat, plain.attrs);
    }
    /// The kind of the value of a `let`.
    pub fn value(&mut self, local: &Local) -> Kind {
        let Some(init) = &local.init else { return Kind::Unknown };
        self.lifting(mutable_name(&local.pat).is_some(), |body| body.kind(&init.expr))
    }
    /// Binds the names of a `let` of this value, which is still in plain code.
    pub fn bind_let(&mut self, local: &mut Local, value: Kind) {
        let stays = self.stays(local, &value);
        if take_data(&mut local.attrs) {
            let kind = match &local.pat {
                Pat::Type(typed) => self.kind_of_type(&typed.ty),
                _ => value,
            };
            return self.bind_pattern(untyped(&mut local.pat), kind.into_data());
        }
        if stays {
            return self.bind_pattern(untyped(&mut local.pat), value.into_data());
        }
        match &mut local.pat {
            Pat::Type(typed) => {
                let stated = self.kind_of_type(&typed.ty);
                let kind = if stated.is_known() || value == Kind::Unknown { stated } else { value.lifted() };
                self.bind_pattern(&mut typed.pat, kind);
                Replace(self.context).visit_type_mut(&mut typed.ty);
            }
            pat => self.bind_pattern(pat, value.lifted()),
        }
    }
    /// Whether the value of a `let` stays in plain code: data, a constant with an immutable name, or a list of
    /// constants that is an argument for data.
    fn stays(&mut self, local: &Local, value: &Kind) -> bool {
        let Some(init) = &local.init else { return false };
        let (pat, is_float) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, self.context.names.is_float_type(&typed.ty)),
            pat => (pat, true),
        };
        let name = match pat {
            Pat::Ident(name) if name.mutability.is_none() && name.by_ref.is_none() => {
                Some(name.ident.to_string())
            }
            _ => None,
        };
        if *value == Kind::Data {
            let is_variable = mutable_name(pat).is_some_and(|name| self.data_variables.contains(&name));
            let stays = name.is_some() || is_variable;
            return stays && is_float && self.context.bound.has_constant_operands();
        }
        value.is_data()
            || name.is_some_and(|name| self.data_names.contains(&name))
                && self.is_list_of_constants(&init.expr)
    }
}

/// The pattern below its type.
fn untyped(pat: &mut Pat) -> &mut Pat {
    match pat {
        Pat::Type(typed) => &mut typed.pat,
        pat => pat,
    }
}

fn is_float(e: &Expr) -> bool {
    match e {
        Expr::Lit(e) => matches!(e.lit, Lit::Float(_)),
        Expr::Unary(e) => is_float(&e.expr),
        _ => false,
    }
}

//! Values of structs and of variants: `S { x: 1.0 }` and `S(1.0)`.

use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprPath, ExprStruct, Member, Path, PathArguments, Token};

use super::body::Body;
use super::forms::take_expression_data;
use super::kind::Kind;
use super::names::{Field, arguments, take_data};

impl Body<'_> {
    /// The fields of the struct or variant that a path names.
    pub fn fields_of(&self, path: &Path) -> Option<Vec<Field>> {
        let names = &self.context.names;
        names.fields.get(&names.key(path)).cloned()
    }
    /// The fields of the tuple struct or variant whose constructor is called.
    pub fn fields_of_call(&self, function: &ExprPath) -> Option<Vec<Field>> {
        let is_tuple = |fields: &Vec<Field>| fields.iter().all(|f| matches!(f.member, Member::Unnamed(_)));
        let is_local = function.path.get_ident().is_some_and(|name| self.local(&name.to_string()).is_some());
        self.fields_of(&function.path).filter(|all| is_tuple(all) && !is_local && function.qself.is_none())
    }
    pub fn structure(&mut self, e: &mut ExprStruct) {
        let fields = self.fields_of(&e.path).unwrap_or_default();
        let is_number = |body: &mut Self, f: &syn::FieldValue| {
            body.kind(&f.expr).has_numbers() && !fields.iter().any(|of| of.data && of.member == f.member)
        };
        if self.context.names.is_generic(&e.path) && e.fields.iter().any(|f| is_number(self, f)) {
            let names = &self.context.names;
            let parameters = names.parameters.get(&names.key(&e.path)).map_or(0, Vec::len);
            let last = e.path.segments.last_mut().expect("a name");
            last.arguments = PathArguments::AngleBracketed(arguments(parameters, &self.context.param));
        } else {
            self.path_of_fields(&mut e.path, &fields);
        }
        for field in &mut e.fields {
            if take_data(&mut field.attrs) {
                self.data(&mut field.expr);
                continue;
            }
            let of = fields.iter().find(|of| of.member == field.member);
            // `S { h }` of a constant `h` is `S { h: T::lit(h) }`.
            if !of.is_some_and(|of| of.data) && self.is_constant(&field.expr) {
                field.colon_token.get_or_insert_default();
            }
            self.field(&mut field.expr, of);
        }
        if let Some(rest) = &mut e.rest {
            self.visit_expr_mut(rest);
        }
    }
    /// The call of a constructor.
    pub fn tuple_structure(
        &mut self,
        path: &mut Path,
        values: &mut Punctuated<Expr, Token![,]>,
        fields: &[Field],
    ) {
        self.path_of_fields(path, fields);
        values.iter_mut().zip(fields).for_each(|(e, of)| self.field(e, Some(of)));
    }
    /// The path of a struct or variant. Data say nothing of the parameter of an enum.
    fn path_of_fields(&mut self, path: &mut Path, fields: &[Field]) {
        let names = &self.context.names;
        let is_of_data = fields.iter().all(|f| f.data || names.kind_of_field(f, false) == Kind::Plain);
        let param = self.context.param.clone();
        self.visit_path_mut(path);
        self.complete_owner(path, &param, is_of_data);
    }
    fn field(&mut self, e: &mut Expr, of: Option<&Field>) {
        match of {
            _ if take_expression_data(e) => {}
            Some(of) if of.data => self.data(e),
            of => {
                let kind = of.map_or(Kind::Unknown, |f| self.context.names.kind_of_field(f, false));
                self.expected(e, &kind);
            }
        }
    }
}

//! Constants that contain structs over numbers, or functions of numbers: functions make their values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Ident, ItemUse, Type, UseTree, Visibility, parse_quote};

use super::Context;
use super::body::Body;
use super::names::Names;
use super::types::Replace;

/// The name of the function that makes a constant of a struct over numbers.
pub fn name_of_made(constant: &Ident) -> Ident {
    Ident::new(&format!("__wengert_{constant}"), constant.span())
}

/// The function that makes a constant of a struct over numbers.
pub fn made(
    context: &mut Context,
    vis: &Visibility,
    name: &Ident,
    ty: &Type,
    value: &Expr,
    is_free: bool,
) -> TokenStream {
    let (name, mut ty, mut value) = (name_of_made(name), ty.clone(), value.clone());
    Body::new(context).visit_expr_mut(&mut value);
    Replace(context).visit_type_mut(&mut ty);
    StaticReferences.visit_type_mut(&mut ty);
    let (param, bound) = (&context.param, context.bound.tokens());
    let parameter = is_free.then(|| quote!(<#param: #bound>));
    quote!(#[doc(hidden)] #[allow(dead_code, non_snake_case)] #vis fn #name #parameter() -> #ty { #value })
}

/// References of constants are static, written or not.
struct StaticReferences;
impl VisitMut for StaticReferences {
    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        ty.lifetime.get_or_insert(parse_quote!('static));
        self.visit_type_mut(&mut ty.elem);
    }
    fn visit_type_bare_fn_mut(&mut self, _: &mut syn::TypeBareFn) {}
}

/// Replaces `Self` by the type of the plain code.
pub struct AtFloats<'t>(pub &'t Type);
impl VisitMut for AtFloats<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.path.is_ident("Self") => *ty = self.0.clone(),
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        syn::visit_mut::visit_path_mut(self, path);
        if let Type::Path(of) = self.0
            && path.segments[0].ident == "Self"
        {
            // The compiler infers its arguments.
            let owner = of.path.segments.iter().map(|s| syn::PathSegment::from(s.ident.clone()));
            path.segments = owner.chain(path.segments.iter().skip(1).cloned()).collect();
        }
    }
}

/// Whether a block only puts its arguments into structs, so that it may be a `const fn`.
pub fn is_made_of_places(block: &Block) -> bool {
    struct Find(bool);
    impl<'a> Visit<'a> for Find {
        fn visit_expr(&mut self, e: &'a Expr) {
            let is_integer = matches!(e, Expr::Lit(e) if !matches!(e.lit, syn::Lit::Float(_)));
            self.0 &= is_integer
                || matches!(
                    e,
                    Expr::Path(_)
                        | Expr::Field(_)
                        | Expr::Struct(_)
                        | Expr::Tuple(_)
                        | Expr::Array(_)
                        | Expr::Call(_)
                        | Expr::Block(_)
                        | Expr::Paren(_)
                        | Expr::Reference(_)
                );
            syn::visit::visit_expr(self, e);
        }
    }
    let mut find = Find(true);
    find.visit_block(block);
    find.0
}

/// Imports of the functions of the constants that an item imports.
pub fn imports(names: &Names, item: &ItemUse) -> TokenStream {
    fn each(tree: &UseTree, under: TokenStream, found: &mut dyn FnMut(TokenStream, &Ident, &Ident)) {
        match tree {
            UseTree::Path(path) => {
                let ident = &path.ident;
                each(&path.tree, quote!(#under #ident::), found);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| each(tree, under.clone(), found)),
            UseTree::Name(name) => found(under, &name.ident, &name.ident),
            UseTree::Rename(name) => found(under, &name.ident, &name.rename),
            UseTree::Glob(_) => {}
        }
    }
    let mut all = TokenStream::new();
    each(&item.tree, TokenStream::new(), &mut |under, of, name| {
        if names.made.contains(&names.key(&name.clone().into())) {
            let (attributes, vis, of, name) = (&item.attrs, &item.vis, name_of_made(of), name_of_made(name));
            all.extend(quote!(#(#attributes)* #[allow(unused_imports)] #vis use #under #of as #name;));
        }
    });
    all
}

//! Types: the float becomes the parameter, and items with the parameter get it as an argument.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Ident, Path, PathArguments, PathSegment, TraitBound, Type, parse_quote};

use super::Context;
use super::bound::is_of_vectors;
use super::names::{Names, is_float};

/// Replaces the float in types.
pub struct Replace<'c>(pub &'c Context);

impl VisitMut for Replace<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
        {
            if is_float(&path.path, self.0.bound.float) {
                let span = path.path.segments[0].ident.span();
                let param = Ident::new(&self.0.param.to_string(), span);
                *ty = parse_quote!(#param);
                return;
            }
            visit_mut::visit_path_mut(self, &mut path.path);
            if self.0.names.is_generic(&path.path) {
                add_argument(&mut path.path, &self.0.param);
            }
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }
    fn visit_trait_bound_mut(&mut self, bound: &mut TraitBound) {
        visit_mut::visit_trait_bound_mut(self, bound);
        if self.0.names.is_generic(&bound.path) {
            add_argument(&mut bound.path, &self.0.param);
        }
    }
    // Constant expressions stay.
    fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
}

/// `Name` becomes `Name<T>`, and `Name<'a, X>` `Name<'a, X, T>`.
pub fn add_argument(path: &mut Path, param: &Ident) {
    let Some(PathSegment { ident, arguments }) = path.segments.last_mut() else { return };
    let param = Ident::new(&param.to_string(), ident.span());
    match arguments {
        PathArguments::None => *arguments = PathArguments::AngleBracketed(parse_quote!(<#param>)),
        PathArguments::AngleBracketed(given) => {
            let is_argument = |a: &GenericArgument| {
                matches!(
                    a,
                    GenericArgument::Lifetime(_) | GenericArgument::Type(_) | GenericArgument::Const(_)
                )
            };
            let at = given.args.iter().take_while(|a| is_argument(a)).count();
            given.args.insert(at, parse_quote!(#param));
        }
        PathArguments::Parenthesized(_) => {}
    }
}

/// Whether types mention the float, or an item with the parameter.
pub struct Mentions<'n> {
    names: &'n Names,
    float: &'static str,
    found: bool,
    bounded: bool,
}

impl<'n> Mentions<'n> {
    pub fn new(names: &'n Names, float: &'static str) -> Self {
        Mentions { names, float, found: false, bounded: false }
    }
    /// Whether anything that was visited depends on the number.
    pub fn found(&self) -> bool {
        self.found
    }
    /// Whether it depends on the number by an item whose parameter has a bound.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }
}

impl<'a> Visit<'a> for Mentions<'_> {
    fn visit_path(&mut self, path: &'a Path) {
        let generic = self.names.is_generic(path);
        self.found |= generic || is_float(path, self.float);
        self.bounded |= generic && Names::key(path).is_some_and(|key| self.names.bounded.contains(&key));
        visit::visit_path(self, path);
    }
    fn visit_fn_arg(&mut self, arg: &'a syn::FnArg) {
        if let syn::FnArg::Typed(arg) = arg
            && !super::names::has_data(&arg.attrs)
        {
            visit::visit_type(self, &arg.ty);
        }
    }
    fn visit_field(&mut self, field: &'a syn::Field) {
        if !super::names::has_data(&field.attrs) {
            visit::visit_type(self, &field.ty);
        }
    }
    fn visit_expr(&mut self, _: &'a syn::Expr) {}
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
}

impl Names {
    /// The name of a type in it that changes behind a shared reference.
    pub fn cell_in(&self, ty: &Type) -> Option<String> {
        struct Find<'n> {
            names: &'n Names,
            seen: Vec<String>,
            cell: Option<String>,
        }
        impl<'a> Visit<'a> for Find<'_> {
            fn visit_path_segment(&mut self, segment: &'a PathSegment) {
                let name = segment.ident.to_string();
                let is_cell = name.starts_with("Atomic") || CELLS.contains(&name.as_str());
                visit::visit_path_segment(self, segment);
                if is_cell {
                    self.cell = Some(name);
                } else if !self.seen.contains(&name) {
                    self.seen.push(name.clone());
                    let names = self.names;
                    names.aliases.get(&name).into_iter().for_each(|ty| self.visit_type(ty));
                    names.fields.get(&name).into_iter().flatten().for_each(|f| self.visit_type(&f.ty));
                }
            }
        }
        let mut find = Find { names: self, seen: Vec::new(), cell: None };
        find.visit_type(ty);
        find.cell
    }
}

/// The types of std that change behind a shared reference, besides the atomic ones.
const CELLS: [&str; 11] = [
    "Cell",
    "RefCell",
    "UnsafeCell",
    "OnceCell",
    "LazyCell",
    "Mutex",
    "RwLock",
    "OnceLock",
    "LazyLock",
    "Once",
    "Condvar",
];

/// Whether there are vectors of the float: a type of nalgebra or num-complex, or an operator with the float.
pub fn has_vectors(item: &syn::Item, float: &'static str) -> bool {
    struct Find(&'static str, bool);
    impl<'a> Visit<'a> for Find {
        fn visit_path_segment(&mut self, segment: &'a PathSegment) {
            let name = segment.ident.to_string();
            let operator = matches!(&*name, "Mul" | "Div" | "Add" | "Sub" | "MulAssign" | "DivAssign");
            if let PathArguments::AngleBracketed(arguments) = &segment.arguments
                && (operator || is_of_vectors(&name))
            {
                let float = |a: &GenericArgument| matches!(a, GenericArgument::Type(Type::Path(path)) if is_float(&path.path, self.0));
                self.1 |= arguments.args.iter().any(float);
            }
            visit::visit_path_segment(self, segment);
        }
    }
    let mut find = Find(float, false);
    find.visit_item(item);
    find.1
}

//! Types: the float becomes the parameter, and items with the parameter get it as an argument.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    GenericArgument, Generics, Ident, Path, PathArguments, PathSegment, TraitBound, Type, WherePredicate,
    parse_quote,
};

use super::Context;
use super::bound::is_of_vectors;
use super::names::Names;

/// Replaces the float in types.
pub struct Replace<'c>(pub &'c Context);

impl VisitMut for Replace<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
        {
            if self.0.names.is_float(&path.path) {
                let span = path.path.segments[0].ident.span();
                let param = Ident::new(&self.0.param.to_string(), span);
                *ty = parse_quote!(#param);
                return;
            }
            if self.0.names.is_generic(&path.path) {
                self.with_defaults(&mut path.path);
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

impl Replace<'_> {
    /// Writes the defaults that a type leaves out: the parameter comes after them.
    fn with_defaults(&self, path: &mut Path) {
        let Some(all) = self.0.names.parameters.get(&self.0.names.key(path)) else { return };
        let Some(last) = path.segments.last_mut() else { return };
        let given = match &last.arguments {
            PathArguments::AngleBracketed(given) => &given.args,
            _ => &Punctuated::new(),
        };
        let is_lifetime = |a: &&GenericArgument| matches!(a, GenericArgument::Lifetime(_));
        let count = given.len() - given.iter().filter(is_lifetime).count();
        let more: Vec<_> = all.iter().skip(count).flatten().collect();
        if !more.is_empty() {
            let given = given.iter();
            last.arguments = PathArguments::AngleBracketed(parse_quote!(<#(#given,)* #(#more),*>));
        }
    }
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
    found: bool,
    bounded: bool,
}

impl<'n> Mentions<'n> {
    pub fn new(names: &'n Names) -> Self {
        Mentions { names, found: false, bounded: false }
    }
    /// Whether the type or the trait of an `impl` depends on the number.
    pub fn in_header(names: &'n Names, block: &syn::ItemImpl) -> bool {
        let mut m = Mentions::new(names);
        m.visit_type(&block.self_ty);
        block.trait_.iter().for_each(|(_, path, _)| m.visit_path(path));
        m.found
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
        self.found |= generic || self.names.is_float(path);
        self.bounded |= generic && self.names.bounded.contains(&self.names.key(path));
        // `Cow<[f64]>` needs numbers that are `Clone`.
        self.bounded |= path.segments.last().is_some_and(|last| last.ident == "Cow");
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
    /// The name of a type in it that may change behind a shared reference: a cell, or a type from elsewhere.
    pub fn cell_in(&self, ty: &Type) -> Option<String> {
        struct Find<'n> {
            names: &'n Names,
            at: &'n str,
            seen: Vec<String>,
            cell: Option<String>,
        }
        impl<'a> Visit<'a> for Find<'a> {
            fn visit_path(&mut self, path: &'a Path) {
                visit::visit_path(self, path);
                let (names, at) = (self.names, self.at);
                let key = names.key_at(path, at);
                let name = key.rsplit("::").next().unwrap_or_default();
                let is_unknown = key.starts_with("::")
                    && !is_of_vectors(name)
                    && !UNCHANGING.contains(&format!(" {name} "));
                if is_unknown && !names.is_float_at(path, at) {
                    self.cell = Some(name.to_string());
                } else if !self.seen.contains(&key) {
                    let variants = format!("{key}::");
                    let parts =
                        names.fields.iter().filter(|(of, _)| **of == key || of.starts_with(&variants));
                    let parts = parts.flat_map(|(_, fields)| fields).map(|field| &field.ty);
                    for part in parts.chain(names.aliases.get(&key)) {
                        self.at = &part.at;
                        self.seen.push(key.clone());
                        self.visit_type(&part.ty);
                    }
                    self.at = at;
                }
            }
        }
        let mut find = Find { names: self, at: &self.at, seen: Vec::new(), cell: None };
        find.visit_type(ty);
        find.cell
    }
}

/// Takes the bounds with numbers from the parameters of an item without numbers: functions have them.
pub fn take_bounds(names: &Names, generics: &mut Generics) -> Vec<WherePredicate> {
    let mentions = |visit: &dyn Fn(&mut Mentions)| {
        let mut m = Mentions::new(names);
        visit(&mut m);
        m.found
    };
    let mut taken = Vec::new();
    for param in generics.type_params_mut() {
        let ident = &param.ident;
        for bound in std::mem::take(&mut param.bounds) {
            if mentions(&|m| m.visit_type_param_bound(&bound)) {
                taken.push(parse_quote!(#ident: #bound));
            } else {
                param.bounds.push(bound);
            }
        }
    }
    if let Some(clause) = &mut generics.where_clause {
        for predicate in std::mem::take(&mut clause.predicates) {
            if mentions(&|m| m.visit_where_predicate(&predicate)) {
                taken.push(predicate);
            } else {
                clause.predicates.push(predicate);
            }
        }
    }
    taken
}

/// The types of std that do not change behind a shared reference, if their parts do not.
const UNCHANGING: &str = " i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec VecDeque \
    Option Result Box Rc Arc Cow HashMap HashSet BTreeMap BTreeSet Range RangeInclusive Duration Instant PathBuf Ordering \
    PhantomData Fn ";

/// Whether there are vectors of the float: a type of nalgebra or num-complex, or an operator with the float.
pub fn has_vectors(items: &[syn::Item], names: &Names) -> bool {
    struct Find<'n>(&'n Names, bool);
    impl<'a> Visit<'a> for Find<'_> {
        fn visit_path(&mut self, path: &'a Path) {
            for (i, segment) in path.segments.iter().enumerate() {
                let name = segment.ident.to_string();
                let is_of_vectors = is_of_vectors(&name) && !self.0.declares(&name);
                let operator = matches!(&*name, "Mul" | "Div" | "Add" | "Sub" | "MulAssign" | "DivAssign");
                let float =
                    |a: &GenericArgument| matches!(a, GenericArgument::Type(ty) if self.0.is_float_type(ty));
                let of_float = matches!(&segment.arguments, PathArguments::AngleBracketed(given) if given.args.iter().any(float));
                // `DVector::from_vec(…)`
                let of_function = is_of_vectors && i + 1 < path.segments.len();
                self.1 |= of_function || of_float && (operator || is_of_vectors);
            }
            visit::visit_path(self, path);
        }
    }
    let mut find = Find(names, false);
    items.iter().for_each(|item| find.visit_item(item));
    find.1
}

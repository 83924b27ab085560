//! The names of the items that are translated together.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Attribute, Generics, Member, Path, Type, UseTree};

use super::constants::is_constant_of_std;
use super::kind::Kind;

/// The items of a module and of the modules and functions in it.
///
/// A *scope* is a module, or a block, function or `impl` with a number; `geometry::3::` is in the module `geometry`. The
/// *key* of an item is its scope and its name, `geometry::Disc`. Its methods, constants and variants have keys too:
/// `geometry::Disc::area`. The key of an item from elsewhere is its path: `::std::f64::consts::E`.
#[derive(Default)]
pub struct Names {
    float: &'static str,
    /// The scope of the code that is translated.
    pub at: String,
    /// The number of scopes with a number.
    numbered: usize,
    /// Modules, types and traits by scope and name; for an import its path.
    types: HashMap<String, Option<Vec<String>>>,
    /// Functions, constants and imports in the same way.
    values: HashMap<String, Option<Vec<String>>>,
    /// The paths of glob imports of each scope.
    globs: HashMap<String, Vec<Vec<String>>>,
    /// Structs, enums, type aliases and traits with the parameter.
    pub generic: HashSet<String>,
    /// The items whose parameter needs its bound.
    pub bounded: HashSet<String>,
    /// Whether a struct has an operator `+=` or the like.
    pub has_assignments: bool,
    /// Aliases of the float.
    pub floats: HashSet<String>,
    /// Constants.
    pub constants: HashMap<String, Kind>,
    /// Constants of structs with the parameter or of functions: functions make their values over numbers.
    pub made: HashSet<String>,
    /// Functions and methods.
    pub functions: HashMap<String, Function>,
    /// The parameters of each type that are types or constants, and their defaults.
    pub parameters: HashMap<String, Vec<Option<Type>>>,
    /// The fields of structs and variants. An enum has none itself.
    pub fields: HashMap<String, Vec<Field>>,
    /// The types that aliases stand for.
    pub aliases: HashMap<String, Written>,
}

/// A type, and the scope in which it is written.
#[derive(Clone)]
pub struct Written {
    pub ty: Type,
    pub at: String,
}

/// A function or a method.
#[derive(Clone)]
pub struct Function {
    /// Which arguments are data, without the receiver.
    pub data: Vec<bool>,
    pub result: Written,
    /// The number of its types and constants that are parameters.
    pub parameters: usize,
    /// Whether it stays in plain code: it is marked, or has arguments of data alone.
    pub is_plain: bool,
    /// Whether it is a function with the parameter of its own.
    pub is_generic: bool,
    pub is_method: bool,
}

/// A field of a struct.
#[derive(Clone)]
pub struct Field {
    pub member: Member,
    pub ty: Written,
    pub data: bool,
}

impl Names {
    /// No names, and a float that becomes the parameter.
    pub fn of(float: &'static str) -> Self {
        Names { float, ..Names::default() }
    }
    /// The key of an item of this name, here.
    pub fn here(&self, name: &Ident) -> String {
        format!("{}{name}", self.at)
    }
    pub fn written(&self, ty: &Type) -> Written {
        Written { ty: ty.clone(), at: self.at.clone() }
    }
    pub fn declare_type(&mut self, name: &Ident) -> String {
        self.types.insert(self.here(name), None);
        self.here(name)
    }
    pub fn declare_value(&mut self, name: &Ident) {
        self.values.insert(self.here(name), None);
    }
    /// Opens a scope inside of the present one, and returns the present one.
    pub fn open(&mut self, generics: &Generics) -> String {
        self.numbered += 1;
        let inner = format!("{}{}::", self.at, self.numbered);
        let before = std::mem::replace(&mut self.at, inner);
        generics.type_params().for_each(|param| _ = self.declare_type(&param.ident));
        generics.const_params().for_each(|param| self.declare_value(&param.ident));
        before
    }
    /// Opens the scope of an `impl` or a trait, where `Self` is the type.
    pub fn open_type(&mut self, generics: &Generics, ty: &Type) -> String {
        let before = self.open(generics);
        let path = match ty {
            Type::Path(path) => Some(segments(&path.path)),
            _ => None,
        };
        self.types.insert(format!("{}Self", self.at), path);
        before
    }
    /// Declares what a tree of imports names. Items of the same scope come first.
    pub fn import(&mut self, tree: &UseTree, mut under: Vec<String>) {
        let mut declare = |name: &Ident, path: Vec<String>| {
            let key = self.here(name);
            self.types.entry(key.clone()).or_insert_with(|| Some(path.clone()));
            self.values.entry(key).or_insert(Some(path));
        };
        match tree {
            UseTree::Path(path) => {
                under.push(path.ident.to_string());
                self.import(&path.tree, under);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, under.clone())),
            UseTree::Glob(_) => self.globs.entry(self.at.clone()).or_default().push(under),
            UseTree::Name(name) if name.ident == "self" => {
                let last = Ident::new(under.last().map_or("_", |s| s), name.ident.span());
                declare(&last, under);
            }
            UseTree::Name(name) => {
                under.push(name.ident.to_string());
                declare(&name.ident, under);
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    under.push(rename.ident.to_string());
                }
                declare(&rename.rename, under);
            }
        }
    }
    /// The key of what a path names here.
    pub fn key(&self, path: &Path) -> String {
        self.key_at(path, &self.at)
    }
    pub fn key_at(&self, path: &Path, at: &str) -> String {
        let segments = segments(path);
        if path.leading_colon.is_some() { foreign(&segments) } else { self.find(&segments, at, 16) }
    }
    fn find(&self, path: &[String], at: &str, depth: usize) -> String {
        let (mut at, mut rest) = (at.to_string(), path);
        while let [first @ ("self" | "super"), more @ ..] = &strs(rest)[..] {
            let is_super = *first == "super";
            rest = &rest[rest.len() - more.len()..];
            while is_numbered(&at) {
                at = outer(&at);
            }
            if is_super && at.is_empty() {
                return foreign(path);
            }
            if is_super {
                at = outer(&at);
            }
        }
        let is_absolute = rest.len() < path.len();
        let Some((first, rest)) = rest.split_first() else { return at.trim_end_matches("::").to_string() };
        loop {
            // `Self::Output` of this `impl`.
            let own = format!("{at}Self::{}", rest.join("::"));
            if first == "Self" && self.aliases.contains_key(&own) {
                return own;
            }
            if let Some(found) = self.look(first, &at, rest.is_empty(), depth) {
                return rest.iter().enumerate().fold(found, |found, (i, name)| {
                    let inner = self.look(name, &format!("{found}::"), i + 1 == rest.len(), depth);
                    inner.unwrap_or_else(|| format!("{found}::{name}"))
                });
            }
            if is_absolute || !is_numbered(&at) {
                return foreign(path);
            }
            at = outer(&at);
        }
    }
    /// The key of a name of this very scope.
    fn look(&self, name: &str, at: &str, is_last: bool, depth: usize) -> Option<String> {
        self.look_unseen(name, at, is_last, depth, &mut Vec::new())
    }
    /// The same, without the scopes whose glob imports have been searched.
    fn look_unseen(
        &self,
        name: &str,
        at: &str,
        is_last: bool,
        depth: usize,
        seen: &mut Vec<String>,
    ) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let key = format!("{at}{name}");
        let value = self.values.get(&key).filter(|_| is_last);
        if let Some(entry) = value.or_else(|| self.types.get(&key)) {
            return Some(entry.as_ref().map_or(key, |path| self.find(path, at, depth)));
        }
        let globs = self.globs.get(at)?;
        if seen.iter().any(|seen| seen == at) {
            return None;
        }
        seen.push(at.to_string());
        globs.iter().find_map(|path| {
            // Its first name may come from a glob import, which may come from another, and no further.
            let module = self.find(path, at, depth.min(3));
            let is_of_std = module.ends_with("::consts") && is_constant_of_std(name);
            let found = self.look_unseen(name, &format!("{module}::"), is_last, depth, seen);
            found.or_else(|| is_of_std.then(|| format!("{module}::{name}")))
        })
    }
    pub fn is_generic(&self, path: &Path) -> bool {
        !path.is_ident("Self") && self.generic.contains(&self.key(path))
    }
    /// Whether the path is just the float.
    pub fn is_float(&self, path: &Path) -> bool {
        self.is_float_at(path, &self.at)
    }
    pub fn is_float_at(&self, path: &Path, at: &str) -> bool {
        let key = self.key_at(path, at);
        let float =
            key.strip_prefix("::").map(|s| s.strip_prefix("std::").or(s.strip_prefix("core::")).unwrap_or(s));
        float.is_some_and(|s| s.strip_prefix("primitive::").unwrap_or(s) == self.float)
            || self.floats.contains(&key)
    }
    /// Whether a struct, an enum or an alias has this name.
    pub fn declares(&self, name: &str) -> bool {
        let mut all = self.fields.keys().chain(self.aliases.keys());
        all.any(|key| key.rsplit("::").next() == Some(name))
    }
    /// Whether `Self` is a struct whose declaration is known.
    pub fn knows_self(&self) -> bool {
        self.fields.contains_key(&self.key(&syn::parse_quote!(Self)))
    }
    /// The struct or enum of this key, or the enum of this variant.
    pub fn type_of(&self, key: &str) -> Option<String> {
        self.fields.get(key)?;
        let owner = key.rsplit_once("::").map(|(owner, _)| owner).filter(|o| self.fields.contains_key(*o));
        Some(owner.unwrap_or(key).to_string())
    }
    /// The method of a type of this key. If the type is unknown, or a trait has the method, what all methods of the name
    /// have in common.
    pub fn method(&self, owner: Option<&str>, name: &str) -> Option<Function> {
        if let Some(method) = owner.and_then(|owner| self.functions.get(&format!("{owner}::{name}"))) {
            return Some(method.clone());
        }
        self.methods(name).cloned().reduce(|a, b| self.common(a, b))
    }
    /// All methods of a name.
    pub fn methods(&self, name: &str) -> impl Iterator<Item = &Function> {
        let suffix = format!("::{name}");
        let all = self.functions.iter().filter(move |(key, f)| f.is_method && key.ends_with(&suffix));
        all.map(|(_, method)| method)
    }
    /// The marks that both of two methods of the same name have.
    pub fn common(&self, a: Function, b: Function) -> Function {
        let of = |f: &Function| self.kind(&f.result.ty, &f.result.at, f.is_plain);
        let result = if of(&a) == of(&b) { a.result.clone() } else { self.written(&syn::parse_quote!(_)) };
        let data = if a.data == b.data { a.data } else { Vec::new() };
        Function { data, result, is_plain: a.is_plain && b.is_plain, ..a }
    }
}

fn segments(path: &Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

fn strs(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// The key of a path to something that is not among the items.
fn foreign(path: &[String]) -> String {
    format!("::{}", path.join("::"))
}

/// Whether it is the scope of a block, whose names do not hide those around it.
fn is_numbered(at: &str) -> bool {
    at.trim_end_matches("::")
        .rsplit("::")
        .next()
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()))
}

/// The scope around a scope.
fn outer(at: &str) -> String {
    at.trim_end_matches("::").rsplit_once("::").map_or_else(String::new, |(outer, _)| format!("{outer}::"))
}

/// Removes `#[data]` and returns whether it was there.
pub fn take_data(attributes: &mut Vec<Attribute>) -> bool {
    let before = attributes.len();
    attributes.retain(|a| !a.path().is_ident("data"));
    attributes.len() < before
}

/// Whether there is a `#[data]`.
pub fn has_data(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("data"))
}

/// `::<_, _, T>`: the arguments of an item with so many parameters of its own.
pub fn arguments(parameters: usize, param: &Ident) -> syn::AngleBracketedGenericArguments {
    let own = std::iter::repeat_n(quote::quote!(_), parameters);
    syn::parse_quote!(::<#(#own,)* #param>)
}

/// A name for the parameter that the item does not contain.
pub fn free_name(item: &TokenStream) -> Ident {
    fn collect(tokens: TokenStream, names: &mut HashSet<String>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => collect(group.stream(), names),
                TokenTree::Ident(ident) => drop(names.insert(ident.to_string())),
                _ => {}
            }
        }
    }
    let mut names = HashSet::new();
    collect(item.clone(), &mut names);
    let candidates = ["T", "F", "S", "R", "Num", "Numeric"].map(String::from).into_iter();
    let mut more = candidates.chain((0..).map(|i| format!("Num{i}")));
    let free = more.find(|name| !names.contains(name)).expect("there are infinitely many");
    Ident::new(&free, Span::call_site())
}

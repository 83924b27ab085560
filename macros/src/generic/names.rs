//! The names of the items that are translated together, and of local variables.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Attribute, Path, Type};

/// The items of a module, or of the body of a function.
#[derive(Clone, Default)]
pub struct Names {
    /// Structs, enums, type aliases and traits with the parameter.
    pub generic: HashSet<String>,
    /// The items whose parameter needs its bound.
    pub bounded: HashSet<String>,
    /// Constants of the float.
    pub constants: HashSet<String>,
    /// Functions with the parameter, and which of their arguments are data.
    pub functions: HashMap<String, Function>,
    /// For each method, which of its arguments are data.
    pub methods: HashMap<String, Vec<bool>>,
    /// The data fields of each struct.
    pub data_fields: HashMap<String, HashSet<String>>,
    /// The types of fields and whether they are data; `None` for names that several fields share.
    pub field_types: HashMap<String, Option<(Type, bool)>>,
}

/// A function with the parameter.
#[derive(Clone, Default)]
pub struct Function {
    pub data: Vec<bool>,
}

impl Names {
    /// The name of an item of these, as a path from where they are.
    pub fn key(path: &Path) -> Option<String> {
        if path.leading_colon.is_some() {
            return None;
        }
        let segments = path.segments.iter().map(|s| s.ident.to_string());
        Some(segments.skip_while(|s| s == "self").collect::<Vec<_>>().join("::"))
    }
    pub fn is_generic(&self, path: &Path) -> bool {
        Self::key(path).is_some_and(|key| self.generic.contains(&key))
    }
}

/// Whether the path is just the float.
pub fn is_float(path: &Path, float: &str) -> bool {
    if let Some(ident) = path.get_ident() {
        return ident == float;
    }
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let [root, primitive, last] = &segments[..] else { return false };
    (root == "std" || root == "core") && primitive == "primitive" && last == float
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

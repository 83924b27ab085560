//! The names of the items that are translated together, and of local variables.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Attribute, Member, Path, Type};

use super::kind::Kind;

/// The items of a module, or of the body of a function.
#[derive(Clone, Default)]
pub struct Names {
    /// Structs, enums, type aliases and traits with the parameter.
    pub generic: HashSet<String>,
    /// The items whose parameter needs its bound.
    pub bounded: HashSet<String>,
    /// Constants that contain the float.
    pub constants: HashMap<String, Kind>,
    /// Functions with the parameter, and which of their arguments are data.
    pub functions: HashMap<String, Function>,
    /// Constants of structs with the parameter: functions make their values over numbers.
    pub made: HashSet<String>,
    /// Methods, by name.
    pub methods: HashMap<String, Function>,
    /// The number of parameters of each struct that are types or constants.
    pub parameters: HashMap<String, usize>,
    /// The fields of each struct.
    pub fields: HashMap<String, Vec<Field>>,
    /// The types that aliases stand for.
    pub aliases: HashMap<String, Type>,
}

/// A function with the parameter.
#[derive(Clone)]
pub struct Function {
    /// Which arguments are data, without the receiver.
    pub data: Vec<bool>,
    pub result: Type,
    /// The number of its types and constants that are parameters.
    pub parameters: usize,
    /// Whether it stays in plain code: it is marked, or has arguments of data alone.
    pub is_plain: bool,
}

/// A field of a struct.
#[derive(Clone)]
pub struct Field {
    pub member: Member,
    pub ty: Type,
    pub data: bool,
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

/// The name of the function that makes a constant of a struct over numbers.
pub fn name_of_made(constant: &Ident) -> Ident {
    Ident::new(&format!("__wengert_{constant}"), constant.span())
}

//! Kinds of expressions, read from the text: numbers, data, and lists of them.

use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeParamBound};

use super::names::{Field, Names};

/// The type of an expression.
#[derive(Clone, PartialEq)]
pub enum Kind {
    Unknown,
    /// The expression does not return.
    Never,
    /// A float that becomes the parameter.
    Number,
    /// A float that stays: a constant, or data.
    Data,
    /// No float: an integer, a truth value, a text.
    Plain,
    Ref(Box<Kind>),
    /// An array, a slice or a `Vec`.
    List(Box<Kind>),
    Iter(Box<Kind>),
    /// An `Option` or a `Result`.
    Maybe(Box<Kind>),
    Tuple(Vec<Kind>),
    /// A struct or enum of a known declaration by its key, and whether all of it is data.
    Struct(String, bool),
    /// A closure: its arguments and its result.
    Function(Vec<Kind>, Box<Kind>),
}
use Kind::{Data, Function, Iter, List, Maybe, Never, Number, Plain, Ref, Struct, Tuple, Unknown};

impl Kind {
    pub fn by_ref(self) -> Kind {
        Ref(Box::new(self))
    }
    pub fn list(self) -> Kind {
        List(Box::new(self))
    }
    pub fn iter(self) -> Kind {
        Iter(Box::new(self))
    }
    pub fn maybe(self) -> Kind {
        Maybe(Box::new(self))
    }
    /// The target of a reference.
    pub fn target(self) -> Kind {
        match self {
            Ref(of) => *of,
            _ => Unknown,
        }
    }
    /// Without references.
    pub fn value(&self) -> &Kind {
        match self {
            Ref(of) => of.value(),
            kind => kind,
        }
    }
    /// The items of an iterator or list; the content of an `Option`.
    pub fn item(&self) -> Kind {
        match self {
            Iter(item) | List(item) | Maybe(item) => (**item).clone(),
            Ref(of) => match of.value() {
                List(item) | Maybe(item) => item.clone().by_ref(),
                Iter(item) => (**item).clone(),
                _ => Unknown,
            },
            _ => Unknown,
        }
    }
    /// Whether it is made of data, and of no numbers.
    pub fn is_data(&self) -> bool {
        match self {
            Data | Struct(_, true) => true,
            Ref(of) | List(of) | Iter(of) | Maybe(of) => of.is_data(),
            Tuple(of) => of.iter().any(Kind::is_data) && of.iter().all(|k| k.is_data() || *k == Plain),
            _ => false,
        }
    }
    /// Whether there are no floats in it.
    pub fn is_plain(&self) -> bool {
        match self {
            Plain => true,
            Ref(of) | List(of) | Maybe(of) => of.is_plain(),
            Tuple(of) => of.iter().all(Kind::is_plain),
            _ => false,
        }
    }
    /// As an element of something that is no operand: there a constant becomes a number.
    pub fn lifted(self) -> Kind {
        if self == Data { Number } else { self }
    }
    /// The same under `#[data]`.
    pub fn into_data(self) -> Kind {
        self.with_floats(true)
    }
    /// The same with all floats data, or numbers.
    pub fn with_floats(self, data: bool) -> Kind {
        match self {
            Number | Data => {
                if data {
                    Data
                } else {
                    Number
                }
            }
            Ref(of) => of.with_floats(data).by_ref(),
            List(of) => of.with_floats(data).list(),
            Iter(of) => of.with_floats(data).iter(),
            Maybe(of) => of.with_floats(data).maybe(),
            Tuple(of) => Tuple(of.into_iter().map(|kind| kind.with_floats(data)).collect()),
            Struct(name, _) => Struct(name, data),
            kind => kind,
        }
    }
    /// Whether it contains numbers, also as a literal that becomes one, or as an argument of a closure.
    pub fn has_numbers(&self) -> bool {
        match self {
            Number | Data | Struct(_, false) | Function(..) => true,
            Ref(of) | List(of) | Iter(of) | Maybe(of) => **of != Data && of.has_numbers(),
            Tuple(of) => of.iter().any(|kind| *kind != Data && kind.has_numbers()),
            _ => false,
        }
    }
    /// Whether it or a part of it is of these kinds.
    pub fn has(&self, of: &impl Fn(&Kind) -> bool) -> bool {
        of(self)
            || match self {
                Ref(kind) | List(kind) | Iter(kind) | Maybe(kind) => kind.has(of),
                Tuple(all) => all.iter().any(|kind| kind.has(of)),
                _ => false,
            }
    }
    /// The kind of either of two branches.
    pub fn join(self, other: Kind) -> Kind {
        match (self, other) {
            (Never, kind) | (kind, Never) => kind,
            (Data, Number) | (Number, Data) => Number,
            (a, b) if a == b => a,
            _ => Unknown,
        }
    }
    /// Whether nothing in it is unknown.
    pub fn is_known(&self) -> bool {
        match self {
            Unknown => false,
            Ref(of) | List(of) | Iter(of) | Maybe(of) => of.is_known(),
            Tuple(of) => of.iter().all(Kind::is_known),
            _ => true,
        }
    }
    /// The kind of `+ − × ÷ %`. Where there are vectors, an operand may be one.
    pub fn arithmetic(&self, other: &Kind, vectors: bool) -> Kind {
        match (self.value(), other.value()) {
            (Data, Data) => Data,
            (Number, Data | Number) | (Data, Number) => Number,
            (Number, _) | (_, Number) if !vectors => Number,
            (Plain, Plain) => Plain,
            _ => Unknown,
        }
    }
}

impl Names {
    /// Whether values of the kind are made over the parameter: of structs with it, and functions of numbers.
    pub fn is_over_numbers(&self, kind: &Kind) -> bool {
        match kind {
            Struct(key, _) => self.generic.contains(key),
            Function(arguments, result) => arguments.iter().chain([&**result]).any(Kind::has_numbers),
            _ => false,
        }
    }
    /// The kind of a type of the plain code in a scope.
    pub fn kind(&self, ty: &Type, at: &str, data: bool) -> Kind {
        let of = |ty: &Type| self.kind(ty, at, data);
        match ty {
            Type::Reference(r) => of(&r.elem).by_ref(),
            Type::Paren(ty) => of(&ty.elem),
            Type::Group(ty) => of(&ty.elem),
            Type::Array(array) => of(&array.elem).list(),
            Type::Slice(slice) => of(&slice.elem).list(),
            Type::Tuple(tuple) => Tuple(tuple.elems.iter().map(of).collect()),
            Type::BareFn(f) => {
                Function(f.inputs.iter().map(|a| of(&a.ty)).collect(), Box::new(self.result(&f.output, at)))
            }
            Type::ImplTrait(ty) => self.bounds(ty.bounds.iter(), at, data),
            Type::TraitObject(ty) => self.bounds(ty.bounds.iter(), at, data),
            Type::Path(path) if self.is_float_at(&path.path, at) => {
                if data {
                    Data
                } else {
                    Number
                }
            }
            Type::Path(path) => {
                let Some(last) = path.path.segments.last() else { return Unknown };
                let first = match &last.arguments {
                    PathArguments::AngleBracketed(list) => list.args.iter().find_map(|a| match a {
                        GenericArgument::Type(ty) => Some(of(ty)),
                        _ => None,
                    }),
                    _ => None,
                };
                let key = self.key_at(&path.path, at);
                if let Some(alias) = self.aliases.get(&key) {
                    return self.kind(&alias.ty, &alias.at, data);
                }
                if let Some(key) = self.type_of(&key) {
                    return Struct(key, data);
                }
                match (key.rsplit("::").next().unwrap_or_default(), first) {
                    ("Vec" | "VecDeque", Some(of)) => of.list(),
                    ("Box" | "Rc" | "Arc" | "LazyLock" | "LazyCell", Some(of)) => of.by_ref(),
                    ("Option" | "Result", Some(of)) => of.maybe(),
                    (
                        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64"
                        | "u128" | "usize" | "bool" | "char" | "str" | "String",
                        None,
                    ) => Plain,
                    _ => Unknown,
                }
            }
            _ => Unknown,
        }
    }
    pub fn kind_of_field(&self, field: &Field, data: bool) -> Kind {
        self.kind(&field.ty.ty, &field.ty.at, data || field.data)
    }
    fn result(&self, result: &ReturnType, at: &str) -> Kind {
        match result {
            ReturnType::Default => Plain,
            ReturnType::Type(_, ty) => self.kind(ty, at, false),
        }
    }
    /// The kind of `impl Fn(f64) -> f64` or `dyn Iterator<Item = f64>`.
    fn bounds<'b>(&self, mut bounds: impl Iterator<Item = &'b TypeParamBound>, at: &str, data: bool) -> Kind {
        let Some(TypeParamBound::Trait(bound)) = bounds.next() else { return Unknown };
        let Some(last) = bound.path.segments.last() else { return Unknown };
        match &last.arguments {
            PathArguments::Parenthesized(f) => Function(
                f.inputs.iter().map(|ty| self.kind(ty, at, data)).collect(),
                Box::new(self.result(&f.output, at)),
            ),
            PathArguments::AngleBracketed(list) => {
                let item = list.args.iter().find_map(|a| match a {
                    GenericArgument::AssocType(a) if a.ident == "Item" => Some(self.kind(&a.ty, at, data)),
                    _ => None,
                });
                item.map_or(Unknown, Kind::iter)
            }
            PathArguments::None => Unknown,
        }
    }
}

//! Collects the names of the items that are translated together.

use syn::visit::Visit;
use syn::{
    FnArg, GenericParam, Generics, Ident, ImplItem, Item, ItemImpl, ItemTrait, Member, Signature, TraitItem,
    Type,
};

use super::Context;
use super::kind::Kind;
use super::names::{Field, Function, Names, has_data};
use super::types::{Mentions, has_vectors};

/// Adds the names of these items to the known ones.
pub fn gather(context: &mut Context, items: &[Item]) {
    let names = &mut context.names;
    declare(names, items, false);
    // A type with a field of a type that depends on the number depends on it too.
    loop {
        let before = (names.generic.len(), names.bounded.len(), names.floats.len());
        types(names, items, false);
        if before == (names.generic.len(), names.bounded.len(), names.floats.len()) {
            break;
        }
    }
    context.bound.vectors |= has_vectors(items, names);
    values(names, items, false);
    for item in items {
        let ident = match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Use(item) => imported(&item.tree, context.bound.float),
            _ => None,
        };
        if let Some(ident) = ident.filter(|ident| *ident == context.bound.float) {
            let message = format!("a type of the name `{ident}` hides the float: give it another name");
            context.error(ident, message);
        }
    }
}

/// The name under which a tree of imports brings in something called as the float.
fn imported<'a>(tree: &'a syn::UseTree, float: &str) -> Option<&'a Ident> {
    match tree {
        syn::UseTree::Path(path) => imported(&path.tree, float),
        syn::UseTree::Group(group) => group.items.iter().find_map(|tree| imported(tree, float)),
        syn::UseTree::Rename(rename) => Some(&rename.rename).filter(|name| *name == float),
        syn::UseTree::Name(_) | syn::UseTree::Glob(_) => None,
    }
}

/// Visits the items of inner modules, and whether they are data.
fn within(names: &mut Names, item: &Item, data: bool, visit: fn(&mut Names, &[Item], bool)) {
    if let Item::Mod(module) = item
        && let Some((_, items)) = &module.content
    {
        let before = names.at.clone();
        names.at = format!("{}::", names.here(&module.ident));
        visit(names, items, data || has_data(&module.attrs));
        names.at = before;
    }
}

/// The scopes of these names, fields and aliases.
fn declare(names: &mut Names, items: &[Item], data: bool) {
    for item in items {
        match item {
            Item::Struct(item) => {
                let key = names.declare_type(&item.ident);
                names.parameters.insert(key.clone(), defaults(&item.generics));
                fields(names, key, &item.generics, &item.fields, data || has_data(&item.attrs));
            }
            Item::Enum(item) => {
                let key = names.declare_type(&item.ident);
                names.fields.insert(key.clone(), Vec::new());
                names.parameters.insert(key.clone(), defaults(&item.generics));
                for variant in &item.variants {
                    let data = data || has_data(&item.attrs);
                    let before = std::mem::replace(&mut names.at, format!("{key}::"));
                    let key = names.declare_type(&variant.ident);
                    names.at = before;
                    fields(names, key, &item.generics, &variant.fields, data);
                }
            }
            Item::Type(item) => {
                let key = names.declare_type(&item.ident);
                names.parameters.insert(key.clone(), defaults(&item.generics));
                let alias = names.written(&item.ty);
                names.aliases.insert(key, alias);
            }
            Item::Trait(item) => _ = names.declare_type(&item.ident),
            Item::Mod(item) => _ = names.declare_type(&item.ident),
            Item::Fn(item) => names.declare_value(&item.sig.ident),
            Item::Const(item) => names.declare_value(&item.ident),
            Item::Static(item) => names.declare_value(&item.ident),
            _ => {}
        }
        within(names, item, data, declare);
    }
    for item in items {
        if let Item::Use(item) = item {
            names.import(&item.tree, Vec::new());
        }
    }
}

fn fields(names: &mut Names, key: String, generics: &Generics, fields: &syn::Fields, all_data: bool) {
    let before = names.open(generics);
    let field = |(i, field): (usize, &syn::Field)| Field {
        member: field.ident.clone().map_or(Member::from(i), Member::from),
        ty: names.written(&field.ty),
        data: all_data || has_data(&field.attrs),
    };
    let fields = fields.iter().enumerate().map(field).collect();
    names.fields.insert(key, fields);
    names.at = before;
}

/// One round of finding types that depend on the number.
fn types(names: &mut Names, items: &[Item], data: bool) {
    for item in items.iter().filter(|_| !data) {
        let mut m = Mentions::new(names);
        let (attributes, ident, generics) = match item {
            Item::Struct(item) => {
                m.visit_fields(&item.fields);
                (&item.attrs, &item.ident, &item.generics)
            }
            Item::Enum(item) => {
                item.variants.iter().for_each(|variant| m.visit_fields(&variant.fields));
                (&item.attrs, &item.ident, &item.generics)
            }
            Item::Type(item) if names.is_float_type(&item.ty) => {
                names.floats.insert(names.here(&item.ident));
                continue;
            }
            Item::Type(item) => {
                m.visit_type(&item.ty);
                (&item.attrs, &item.ident, &item.generics)
            }
            Item::Trait(item) => {
                m.visit_item_trait(item);
                (&item.attrs, &item.ident, &item.generics)
            }
            // `Drop` has the bounds of the struct.
            Item::Impl(ItemImpl { trait_: Some((_, of, _)), self_ty, .. }) if of.is_ident("Drop") => {
                if let Type::Path(ty) = &**self_ty {
                    names.bounded.insert(names.key(&ty.path));
                }
                continue;
            }
            _ => {
                within(names, item, data, types);
                continue;
            }
        };
        if m.found() && !has_data(attributes) {
            m.visit_generics(generics);
            let bounded = m.is_bounded() || matches!(item, Item::Trait(_));
            let key = names.here(ident);
            if bounded {
                names.bounded.insert(key.clone());
            }
            names.generic.insert(key);
        }
    }
}

/// Functions, methods and constants.
fn values(names: &mut Names, items: &[Item], data: bool) {
    for item in items {
        match item {
            Item::Fn(item) => function(names, None, &item.sig, data || has_data(&item.attrs), false),
            Item::Const(item) => constant(names, names.here(&item.ident), &item.ty, data),
            Item::Static(item) => constant(names, names.here(&item.ident), &item.ty, data),
            Item::Impl(block) => {
                let before = names.open_type(&block.generics, &block.self_ty);
                let owner = names.key(&syn::parse_quote!(Self));
                let data = data || has_data(&block.attrs);
                let of = block.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                names.has_assignments |= of.is_some_and(|of| of.ident.to_string().ends_with("Assign"));
                let mut m = Mentions::new(names);
                m.visit_generics(&block.generics);
                let is_of_data = block.trait_.is_none() && !m.found() && !Mentions::in_header(names, block);
                for item in &block.items {
                    match item {
                        ImplItem::Const(item) => {
                            constant(names, format!("{owner}::{}", item.ident), &item.ty, data);
                        }
                        ImplItem::Fn(item) => {
                            let is_plain = data || has_data(&item.attrs);
                            function(names, Some(&owner), &item.sig, is_plain, is_of_data);
                        }
                        ImplItem::Type(item) => {
                            let alias = names.written(&item.ty);
                            names.aliases.insert(format!("{}Self::{}", names.at, item.ident), alias);
                        }
                        _ => {}
                    }
                }
                names.at = before;
            }
            Item::Trait(item) => {
                let owner = names.here(&item.ident);
                let before = open_trait(names, item);
                for item in &item.items {
                    match item {
                        TraitItem::Const(item) => {
                            constant(names, format!("{owner}::{}", item.ident), &item.ty, data);
                        }
                        TraitItem::Fn(item) => {
                            let is_plain = data || has_data(&item.attrs);
                            function(names, Some(&owner), &item.sig, is_plain, false);
                        }
                        _ => {}
                    }
                }
                names.at = before;
            }
            item => within(names, item, data, values),
        }
    }
}

/// Opens the scope of a trait, where `Self` has its methods.
pub fn open_trait(names: &mut Names, item: &ItemTrait) -> String {
    let ident = &item.ident;
    names.open_type(&item.generics, &syn::parse_quote!(#ident))
}

/// A constant, whose floats stay unless it contains structs with the parameter, or functions.
fn constant(names: &mut Names, key: String, ty: &Type, data: bool) {
    let mut kind = names.kind(ty, &names.at, true);
    if !data && kind.has(&|kind| names.is_over_numbers(kind)) {
        kind = kind.with_floats(false);
        names.made.insert(key.clone());
    }
    names.constants.insert(key, kind);
}

/// A function, or a method whose type may be of data.
fn function(names: &mut Names, owner: Option<&str>, signature: &Signature, is_plain: bool, is_of_data: bool) {
    let key =
        owner.map_or_else(|| names.here(&signature.ident), |owner| format!("{owner}::{}", signature.ident));
    let before = names.open(&signature.generics);
    let is_plain = is_plain || (is_of_data || owner.is_none()) && takes_data(names, signature, is_of_data);
    let mut m = Mentions::new(names);
    m.visit_signature(signature);
    let function = Function {
        data: data_arguments(signature).into_iter().map(|data| data || is_plain).collect(),
        result: names.written(&result(signature)),
        parameters: parameters(&signature.generics),
        is_plain,
        is_generic: owner.is_none() && !is_plain && m.found(),
        is_method: owner.is_some(),
    };
    // Methods of two traits may share the name.
    let function = match names.functions.remove(&key) {
        Some(other) if function.is_method => names.common(other, function),
        _ => function,
    };
    names.functions.insert(key, function);
    names.at = before;
}

fn result(signature: &Signature) -> Type {
    match &signature.output {
        syn::ReturnType::Default => syn::parse_quote!(()),
        syn::ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// The types and constants, and the defaults of types.
fn defaults(generics: &Generics) -> Vec<Option<Type>> {
    let of = |param: &GenericParam| match param {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(param) => Some(param.default.clone()),
        GenericParam::Const(_) => Some(None),
    };
    generics.params.iter().filter_map(of).collect()
}

/// The number of types and constants.
fn parameters(generics: &Generics) -> usize {
    generics.type_params().count() + generics.const_params().count()
}

/// Whether no numbers come in, and what goes out is a float of marked data or of a struct of data, or a static table.
/// Such a function needs no parameter.
fn takes_data(names: &Names, signature: &Signature, is_of_data: bool) -> bool {
    let mut arguments = Mentions::new(names);
    signature.inputs.iter().for_each(|arg| arguments.visit_fn_arg(arg));
    arguments.visit_generics(&signature.generics);
    let result = result(signature);
    let is_static =
        matches!(&result, Type::Reference(r) if r.lifetime.as_ref().is_some_and(|l| l.ident == "static"));
    let is_float = names.kind(&result, &names.at, false) == Kind::Number;
    !arguments.found() && (is_static || is_float && (is_of_data || data_arguments(signature).contains(&true)))
}

/// Which arguments are data, without the receiver.
fn data_arguments(signature: &Signature) -> Vec<bool> {
    let of = |arg: &FnArg| match arg {
        FnArg::Receiver(_) => None,
        FnArg::Typed(arg) => Some(has_data(&arg.attrs)),
    };
    signature.inputs.iter().filter_map(of).collect()
}

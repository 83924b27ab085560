//! Collects the names of a module: its generic types, its functions and its constants.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{FnArg, ImplItem, Item, ItemMod, Member, Signature, TraitItem, Type};

use super::Context;
use super::kind::Kind;
use super::names::{Field, Function, Names, has_data};
use super::types::Mentions;

/// The known names, and the names of these items.
pub fn gather(context: &mut Context, items: &[Item]) -> Names {
    let float = context.bound.float;
    let mut names = std::mem::take(&mut context.names);
    collect(&mut names, items, "", float);
    // A type with a field of a type that depends on the number depends on it too.
    loop {
        let before = (names.generic.len(), names.bounded.len());
        types(&mut names, items, "", float);
        if before == (names.generic.len(), names.bounded.len()) {
            break;
        }
    }
    functions(&mut names, items, "", float);
    let Names { constants, made, generic, .. } = &mut names;
    for (key, kind) in constants {
        if kind.has_struct(&|name| generic.contains(name)) {
            *kind = kind.clone().with_floats(false);
            made.insert(key.clone());
        }
    }
    for item in items {
        let ident = match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Use(item) => imported(&item.tree, float),
            _ => None,
        };
        if let Some(ident) = ident.filter(|ident| *ident == float) {
            context.error(
                ident,
                format_args!("a type of the name `{float}` hides the float: give it another name"),
            );
        }
    }
    names
}

/// The name under which a tree of imports brings in something called as the float.
fn imported<'a>(tree: &'a syn::UseTree, float: &str) -> Option<&'a syn::Ident> {
    match tree {
        syn::UseTree::Path(path) => imported(&path.tree, float),
        syn::UseTree::Group(group) => group.items.iter().find_map(|tree| imported(tree, float)),
        syn::UseTree::Rename(rename) => Some(&rename.rename).filter(|name| *name == float),
        syn::UseTree::Name(_) | syn::UseTree::Glob(_) => None,
    }
}

/// Constants, fields, methods and aliases.
fn collect(names: &mut Names, items: &[Item], under: &str, float: &str) {
    for item in items {
        match item {
            Item::Struct(item) => {
                let all = has_data(&item.attrs);
                let field = |(i, field): (usize, &syn::Field)| Field {
                    member: field.ident.clone().map_or(Member::from(i), Member::from),
                    ty: field.ty.clone(),
                    data: all || has_data(&field.attrs),
                };
                names.parameters.insert(item.ident.to_string(), parameters(&item.generics));
                names
                    .fields
                    .insert(item.ident.to_string(), item.fields.iter().enumerate().map(field).collect());
            }
            Item::Type(item) => drop(names.aliases.insert(item.ident.to_string(), (*item.ty).clone())),
            _ => {}
        }
    }
    for item in items {
        match item {
            Item::Const(item) => constant(names, format!("{under}{}", item.ident), &item.ty, float),
            Item::Static(item) => constant(names, format!("{under}{}", item.ident), &item.ty, float),
            Item::Impl(block) => {
                let owner = block.self_ty.to_token_stream().to_string();
                for item in &block.items {
                    match item {
                        ImplItem::Const(item) => {
                            constant(names, format!("Self::{}", item.ident), &item.ty, float);
                            constant(names, format!("{under}{owner}::{}", item.ident), &item.ty, float);
                        }
                        ImplItem::Fn(item) => {
                            let is_plain = has_data(&block.attrs) || has_data(&item.attrs);
                            method(names, &item.sig, is_plain, Some(&block.self_ty));
                        }
                        _ => {}
                    }
                }
            }
            Item::Trait(item) => {
                for item in &item.items {
                    if let TraitItem::Fn(item) = item {
                        method(names, &item.sig, has_data(&item.attrs), None);
                    }
                }
            }
            Item::Mod(item) => {
                if let Some((_, items)) = &item.content {
                    collect(names, items, &format!("{under}{}::", item.ident), float);
                }
            }
            _ => {}
        }
    }
}

/// A constant that contains floats, which stay.
fn constant(names: &mut Names, name: String, ty: &Type, float: &str) {
    let kind = names.kind(ty, true, float);
    if kind.is_data() {
        names.constants.insert(name, kind);
    }
}

/// A method. Of methods of one name that return different types the type is unknown.
fn method(names: &mut Names, signature: &Signature, is_plain: bool, owner: Option<&Type>) {
    let mut result = result(signature);
    if let (Type::Path(path), Some(owner)) = (&result, owner)
        && path.path.is_ident("Self")
    {
        result = owner.clone();
    }
    let new = Function { result: result.clone(), ..function(signature, is_plain) };
    names
        .methods
        .entry(signature.ident.to_string())
        .and_modify(|method| {
            method.data.clone_from(&new.data);
            let text = |ty: &Type| ty.to_token_stream().to_string();
            if text(&method.result) != text(&result) || method.is_plain != new.is_plain {
                method.result = syn::parse_quote!(_);
            }
        })
        .or_insert(new.clone());
}

fn result(signature: &Signature) -> Type {
    match &signature.output {
        syn::ReturnType::Default => syn::parse_quote!(()),
        syn::ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// One round of finding types that depend on the number.
fn types(names: &mut Names, items: &[Item], under: &str, float: &'static str) {
    for item in items {
        let mut m = Mentions::new(names, float);
        let (attributes, ident) = match item {
            Item::Struct(item) => {
                m.visit_fields(&item.fields);
                (&item.attrs, &item.ident)
            }
            Item::Enum(item) => {
                item.variants.iter().for_each(|variant| m.visit_fields(&variant.fields));
                (&item.attrs, &item.ident)
            }
            Item::Type(item) => {
                m.visit_type(&item.ty);
                (&item.attrs, &item.ident)
            }
            Item::Trait(item) => {
                m.visit_item_trait(item);
                (&item.attrs, &item.ident)
            }
            Item::Mod(item) if !has_data(&item.attrs) => {
                if let Some((_, items)) = &item.content {
                    types(names, items, &format!("{under}{}::", item.ident), float);
                }
                continue;
            }
            _ => continue,
        };
        if m.found() && !has_data(attributes) {
            let bounded = m.is_bounded() || matches!(item, Item::Trait(_));
            let key = format!("{under}{ident}");
            if bounded {
                names.bounded.insert(key.clone());
            }
            names.generic.insert(key);
        }
    }
}

fn functions(names: &mut Names, items: &[Item], under: &str, float: &'static str) {
    for item in items {
        match item {
            Item::Fn(item) => {
                let mut m = Mentions::new(names, float);
                m.visit_signature(&item.sig);
                let mut function = function(&item.sig, has_data(&item.attrs));
                function.is_plain |= is_of_data(names, &item.sig, float);
                if m.found() || function.is_plain {
                    names.functions.insert(format!("{under}{}", item.sig.ident), function);
                }
            }
            Item::Mod(item) if !has_data(&item.attrs) => {
                if let Some((_, items)) = &item.content {
                    functions(names, items, &format!("{under}{}::", item.ident), float);
                }
            }
            _ => {}
        }
    }
}

/// The number of types and constants.
fn parameters(generics: &syn::Generics) -> usize {
    generics.type_params().count() + generics.const_params().count()
}

fn function(signature: &Signature, is_plain: bool) -> Function {
    let data = data_arguments(signature).into_iter().map(|data| data || is_plain).collect();
    let parameters = parameters(&signature.generics);
    Function { data, result: result(signature), parameters, is_plain }
}

/// Whether floats come in as marked data only, and one goes out. Such a function needs no parameter.
fn is_of_data(names: &Names, signature: &Signature, float: &'static str) -> bool {
    let mut arguments = Mentions::new(names, float);
    signature.inputs.iter().for_each(|arg| arguments.visit_fn_arg(arg));
    arguments.visit_generics(&signature.generics);
    let result = names.kind(&result(signature), false, float);
    data_arguments(signature).contains(&true)
        && signature.receiver().is_none()
        && !arguments.found()
        && result == Kind::Number
}

/// Which arguments are data, without the receiver.
fn data_arguments(signature: &Signature) -> Vec<bool> {
    let of = |arg: &FnArg| match arg {
        FnArg::Receiver(_) => None,
        FnArg::Typed(arg) => Some(has_data(&arg.attrs)),
    };
    signature.inputs.iter().filter_map(of).collect()
}

/// The names of a module as an inner one sees them: by `super::`, and directly after `use super::*`.
pub fn seen_inside(names: &Names, module: &ItemMod) -> Names {
    let text = |item: &Item| matches!(item, Item::Use(u) if u.tree.to_token_stream().to_string().starts_with("super"));
    let imports = module.content.iter().any(|(_, items)| items.iter().any(text));
    let mut inside = names.clone();
    let under = |key: &String| format!("super::{key}");
    inside.generic = names.generic.iter().map(under).collect();
    inside.bounded = names.bounded.iter().map(under).collect();
    inside.constants = names.constants.iter().map(|(key, kind)| (under(key), kind.clone())).collect();
    inside.made = names.made.iter().map(under).collect();
    inside.functions = names.functions.iter().map(|(key, f)| (under(key), f.clone())).collect();
    if imports {
        inside.generic.extend(names.generic.iter().cloned());
        inside.bounded.extend(names.bounded.iter().cloned());
        inside.constants.extend(names.constants.clone());
        inside.made.extend(names.made.iter().cloned());
        inside.functions.extend(names.functions.clone());
    }
    inside
}

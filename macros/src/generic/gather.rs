//! Collects the names of a module: its generic types, its functions and its constants.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{FnArg, ImplItem, Item, ItemMod, Signature, TraitItem, Type};

use super::Context;
use super::names::{Function, Names, has_data, is_float};
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
    for item in items {
        let (Item::Struct(syn::ItemStruct { ident, .. }) | Item::Type(syn::ItemType { ident, .. })) = item
        else {
            continue;
        };
        if ident == float {
            context.error(
                ident,
                format_args!("a type of the name `{float}` hides the float: give it another name"),
            );
        }
    }
    names
}

/// Constants and data fields.
fn collect(names: &mut Names, items: &[Item], under: &str, float: &str) {
    let is_the_float = |ty: &Type| matches!(ty, Type::Path(path) if is_float(&path.path, float));
    for item in items {
        match item {
            Item::Const(item) if is_the_float(&item.ty) => {
                names.constants.insert(format!("{under}{}", item.ident));
            }
            Item::Static(item) if is_the_float(&item.ty) => {
                names.constants.insert(format!("{under}{}", item.ident));
            }
            Item::Impl(block) => {
                let owner = block.self_ty.to_token_stream().to_string();
                for item in &block.items {
                    match item {
                        ImplItem::Const(item) if is_the_float(&item.ty) => {
                            names.constants.insert(format!("Self::{}", item.ident));
                            names.constants.insert(format!("{under}{owner}::{}", item.ident));
                        }
                        ImplItem::Fn(item) => {
                            names.methods.insert(item.sig.ident.to_string(), data_arguments(&item.sig));
                        }
                        _ => {}
                    }
                }
            }
            Item::Trait(item) => {
                for item in &item.items {
                    if let TraitItem::Fn(item) = item {
                        names.methods.insert(item.sig.ident.to_string(), data_arguments(&item.sig));
                    }
                }
            }
            Item::Struct(item) => {
                let fields = names.data_fields.entry(item.ident.to_string()).or_default();
                for field in &item.fields {
                    let Some(name) = field.ident.as_ref().map(ToString::to_string) else { continue };
                    let data = has_data(&field.attrs);
                    if data {
                        fields.insert(name.clone());
                    }
                    // A field of that name and another type makes the name useless.
                    let text = |of: &Option<(Type, bool)>| {
                        of.as_ref().map(|(ty, data)| (ty.to_token_stream().to_string(), *data))
                    };
                    let ty = Some((field.ty.clone(), data));
                    let of_this_name = names.field_types.entry(name).or_insert(ty.clone());
                    if text(of_this_name) != text(&ty) {
                        *of_this_name = None;
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
            Item::Fn(item) if !has_data(&item.attrs) => {
                let mut m = Mentions::new(names, float);
                m.visit_signature(&item.sig);
                if m.found() {
                    let function = Function { data: data_arguments(&item.sig) };
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
    inside.constants = names.constants.iter().map(under).collect();
    inside.functions = names.functions.iter().map(|(key, f)| (under(key), f.clone())).collect();
    if imports {
        inside.generic.extend(names.generic.iter().cloned());
        inside.bounded.extend(names.bounded.iter().cloned());
        inside.constants.extend(names.constants.iter().cloned());
        inside.functions.extend(names.functions.clone());
    }
    inside
}

//! Items: which of them depend on the number, and the parameter that these get.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Block, Fields, FnArg, Generics, Ident, ImplItem, Item, ItemImpl, ItemTrait, Signature,
    TraitItem, parse_quote,
};

use super::body::Body;
use super::gather::{gather, open_trait};
use super::kind::Kind;
use super::made::{self, AtFloats, is_made_of_places, made};
use super::names::{has_data, take_data};
use super::types::{Mentions, Replace, add_argument, take_bounds};
use super::{Context, calls};

const NOTHING: &str = "there is no `f64` in the header or the signature, so nothing depends on a number: \
    write `f64` itself (an alias of it from elsewhere is not seen), as in `impl Add for Point<f64>` if `Point` is generic \
    itself, or remove `#[generic]`; code in `f32` takes `#[generic(f32)]`";

/// The item of an attribute.
pub fn translate(context: &mut Context, mut item: Item) -> TokenStream {
    if let Item::Mod(module) = &mut item {
        if module.content.is_none() {
            context.error(&module, "`#[generic]` sees the items of an inline module only: `mod name { … }`");
        }
        if let Some((_, items)) = &mut module.content {
            all(context, items);
        }
        return item.into_token_stream();
    }
    gather(context, std::slice::from_ref(&item));
    let depends = match &item {
        Item::Impl(block) => {
            block.items.iter().any(|item| mentions(context, |m| m.visit_impl_item(item)))
                || Mentions::in_header(&context.names, block)
        }
        Item::Fn(_) | Item::Struct(_) | Item::Enum(_) | Item::Trait(_) | Item::Type(_) => {
            !context.names.generic.is_empty()
                || !context.names.floats.is_empty()
                || context.names.functions.values().any(|f| f.is_generic || f.is_plain)
        }
        _ => {
            let message = "`#[generic]` stands on functions, structs, enums, traits, `impl` blocks, type aliases and \
                inline modules";
            context.error(&item, message);
            return TokenStream::new();
        }
    };
    if !depends {
        let message = NOTHING.replace("f64", context.bound.float);
        context.error(head(&item), message);
    }
    let more = one(context, &mut item);
    quote!(#item #more)
}

/// The name of an item, for errors.
fn head(item: &Item) -> TokenStream {
    match item {
        Item::Fn(item) => item.sig.ident.to_token_stream(),
        Item::Struct(item) => item.ident.to_token_stream(),
        Item::Enum(item) => item.ident.to_token_stream(),
        Item::Trait(item) => item.ident.to_token_stream(),
        Item::Type(item) => item.ident.to_token_stream(),
        Item::Impl(item) => item.self_ty.to_token_stream(),
        other => other.to_token_stream(),
    }
}

fn mentions(context: &Context, visit: impl FnOnce(&mut Mentions)) -> bool {
    let mut mentions = Mentions::new(&context.names);
    visit(&mut mentions);
    mentions.found()
}

/// Items that may use each other.
pub fn all(context: &mut Context, items: &mut Vec<Item>) {
    gather(context, items);
    each(context, items);
}

fn each(context: &mut Context, items: &mut Vec<Item>) {
    let mut more = Vec::new();
    for item in items.iter_mut() {
        let tokens = match item {
            Item::Mod(module) => {
                if take_data(&mut module.attrs) {
                    continue;
                }
                let inner = format!("{}::", context.names.here(&module.ident));
                let before = std::mem::replace(&mut context.names.at, inner);
                module.content.iter_mut().for_each(|(_, items)| each(context, items));
                context.names.at = before;
                TokenStream::new()
            }
            item => one(context, item),
        };
        if !tokens.is_empty() {
            more.push(Item::Verbatim(tokens));
        }
    }
    items.extend(more);
}

/// An item, and the items generated for it.
fn one(context: &mut Context, item: &mut Item) -> TokenStream {
    if is_data(item) {
        return TokenStream::new();
    }
    let float = context.bound.float();
    let depends = |name: &Ident| context.names.generic.contains(&context.names.here(name));
    let is_made = |name: &Ident| context.names.made.contains(&context.names.here(name));
    match item {
        Item::Fn(item) => {
            let key = context.names.here(&item.sig.ident);
            function(context, &key, &mut item.sig, Some(&mut item.block), false);
        }
        Item::Struct(item) if depends(&item.ident) => {
            let keep = is_derived(&item.attrs);
            fields(context, &mut item.fields, keep);
            with_default(context, &mut item.generics, &item.ident);
        }
        Item::Enum(item) if depends(&item.ident) => {
            let keep = is_derived(&item.attrs);
            item.variants.iter_mut().for_each(|variant| fields(context, &mut variant.fields, keep));
            with_default(context, &mut item.generics, &item.ident);
        }
        Item::Struct(item) => {
            take_bounds(&context.names, &mut item.generics);
            unmarked(&mut item.fields, is_derived(&item.attrs));
        }
        Item::Enum(item) => {
            take_bounds(&context.names, &mut item.generics);
            let keep = is_derived(&item.attrs);
            item.variants.iter_mut().for_each(|variant| unmarked(&mut variant.fields, keep));
        }
        Item::Type(item) if depends(&item.ident) => {
            Replace(context).visit_type_mut(&mut item.ty);
            let param = &context.param;
            item.generics.params.push(parse_quote!(#param = #float));
        }
        // Its uses become the parameter.
        Item::Type(item) if context.names.is_float_type(&item.ty) => {
            item.attrs.push(parse_quote!(#[allow(dead_code)]));
        }
        Item::Trait(item) if depends(&item.ident) => generic_trait(context, item),
        Item::Impl(block) => return implementation(context, block),
        Item::Use(item) => {
            let more = made::imports(&context.names, item);
            if !more.is_empty() {
                item.attrs.push(parse_quote!(#[allow(unused_imports)]));
            }
            return more;
        }
        Item::Const(item) if is_made(&item.ident) => {
            return made(context, &item.vis, &item.ident, &item.ty, &item.expr, true);
        }
        Item::Static(item) if is_made(&item.ident) => {
            let keeps = "a static of numbers is made anew at each use, so it keeps no changes";
            let advice = "pass a `&mut` argument instead, or mark the struct `#[data]`";
            if let syn::StaticMutability::Mut(token) = &item.mutability {
                context.error(token, format_args!("{keeps}: {advice}"));
            } else if let Some(cell) = context.names.cell_in(&item.ty) {
                context.error(&item.ty, format_args!("{keeps} of `{cell}`: {advice}"));
            }
            return made(context, &item.vis, &item.ident, &item.ty, &item.expr, true);
        }
        Item::Macro(item) if super::macros::has_numbers(&item.mac.tokens, context.bound.float) => {
            let Some(name) = &item.ident else {
                let name = item.mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
                let message = format!(
                    "`#[generic]` does not look into `{name}!`: move it out of what the attribute marks"
                );
                context.error(&item.mac.path, message);
                return TokenStream::new();
            };
            let message = "`#[generic]` does not look into `macro_rules!`: write the macro outside, or a function in \
                its place";
            context.error(name, message);
        }
        _ => {}
    }
    TokenStream::new()
}

/// Whether an item carries `#[data]`, which is removed.
fn is_data(item: &mut Item) -> bool {
    match item {
        Item::Fn(item) => take_data(&mut item.attrs),
        Item::Struct(item) => take_data(&mut item.attrs),
        Item::Enum(item) => take_data(&mut item.attrs),
        Item::Type(item) => take_data(&mut item.attrs),
        Item::Trait(item) => take_data(&mut item.attrs),
        Item::Impl(item) => take_data(&mut item.attrs),
        _ => false,
    }
}

/// Whether a derive that supports `#[data]` reads the fields.
fn is_derived(attributes: &[Attribute]) -> bool {
    let names = |a: &Attribute| {
        a.path().is_ident("derive") && a.meta.to_token_stream().to_string().contains("Differentiable")
    };
    attributes.iter().any(names)
}

/// The parameter of a type, with the float as default.
fn with_default(context: &mut Context, generics: &mut Generics, name: &Ident) {
    let bounded = context.names.bounded.contains(&context.names.here(name));
    let before = context.names.open(generics);
    Replace(context).visit_generics_mut(generics);
    context.names.at = before;
    let (param, bound, float) = (&context.param, context.bound.tokens(), context.bound.float());
    generics.params.push(if bounded {
        parse_quote!(#param: #bound = #float)
    } else {
        parse_quote!(#param = #float)
    });
}

/// Removes the marks from fields of a type that does not depend on the number.
fn unmarked(fields: &mut Fields, keep: bool) {
    fields.iter_mut().filter(|_| !keep).for_each(|field| _ = take_data(&mut field.attrs));
}

fn fields(context: &mut Context, fields: &mut Fields, keep_attributes: bool) {
    for field in fields {
        let data = if keep_attributes { has_data(&field.attrs) } else { take_data(&mut field.attrs) };
        if !data {
            Replace(context).visit_type_mut(&mut field.ty);
        }
    }
}

fn generic_trait(context: &mut Context, item: &mut ItemTrait) {
    with_default(context, &mut item.generics, &item.ident);
    let before = open_trait(&mut context.names, item);
    for bound in &mut item.supertraits {
        Replace(context).visit_type_param_bound_mut(bound);
    }
    for item in &mut item.items {
        match item {
            TraitItem::Fn(item) => function(context, "", &mut item.sig, item.default.as_mut(), true),
            TraitItem::Type(item) => {
                item.bounds.iter_mut().for_each(|bound| Replace(context).visit_type_param_bound_mut(bound));
            }
            _ => {}
        }
    }
    context.names.at = before;
}

/// An `impl` with its scope.
fn implementation(context: &mut Context, block: &mut ItemImpl) -> TokenStream {
    let before = context.names.open_type(&block.generics, &block.self_ty);
    let more = block_of_items(context, block);
    context.names.at = before;
    more
}

fn block_of_items(context: &mut Context, block: &mut ItemImpl) -> TokenStream {
    if context.names.is_float_type(&block.self_ty) {
        let float = context.bound.float;
        let message = format!(
            "`#[generic]` cannot implement a trait for `{float}` itself, the parameter: for an operator with the \
             number on the left write the number on the right (`v * h`), else move the `impl` out"
        );
        context.error(&block.self_ty, message);
    }
    let owner = context.names.key(&parse_quote!(Self));
    if !Mentions::in_header(&context.names, block) {
        let of_trait = block.trait_.is_some();
        let bounds = if of_trait { Vec::new() } else { take_bounds(&context.names, &mut block.generics) };
        let object =
            if bounds.is_empty() { calls::function_object(context, block) } else { TokenStream::new() };
        for item in &mut block.items {
            if let ImplItem::Fn(item) = item
                && !take_data(&mut item.attrs)
            {
                let sig = &mut item.sig;
                if sig.receiver().is_none() || mentions(context, |m| m.visit_signature(sig)) {
                    let bounds = bounds.iter().cloned();
                    bounds.for_each(|bound| sig.generics.make_where_clause().predicates.push(bound));
                }
                let key = format!("{owner}::{}", sig.ident);
                function(context, &key, sig, Some(&mut item.block), false);
            }
        }
        return object;
    }
    let over_floats = block.self_ty.clone();
    Replace(context).visit_type_mut(&mut block.self_ty);
    let mut more = Vec::new();
    if let Some((_, path, _)) = &mut block.trait_ {
        Replace(context).visit_path_mut(path);
        if context.names.is_generic(path) {
            add_argument(path, &context.param);
        }
    }
    for item in &mut block.items {
        match item {
            ImplItem::Fn(item) => {
                let data = take_data(&mut item.attrs);
                if !data {
                    function(context, "", &mut item.sig, Some(&mut item.block), true);
                }
            }
            ImplItem::Type(item) => Replace(context).visit_type_mut(&mut item.ty),
            ImplItem::Const(item) if context.names.made.contains(&format!("{owner}::{}", item.ident)) => {
                more.push(made(context, &item.vis, &item.ident, &item.ty, &item.expr, false));
                // The constant itself is of the type over floats. This code may need its function only.
                item.attrs.push(parse_quote!(#[allow(dead_code)]));
                AtFloats(&over_floats).visit_impl_item_const_mut(item);
            }
            _ => {}
        }
    }
    block.items.extend(more.into_iter().map(ImplItem::Verbatim));
    Replace(context).visit_generics_mut(&mut block.generics);
    let (param, bound) = (&context.param, context.bound.tokens());
    block.generics.params.push(parse_quote!(#param: #bound));
    TokenStream::new()
}

/// A function, which has the parameter of its surroundings or gets its own.
fn function(
    context: &mut Context,
    key: &str,
    signature: &mut Signature,
    block: Option<&mut Block>,
    is_inside: bool,
) {
    if context.names.functions.get(key).is_some_and(|f| f.is_plain) {
        for arg in &mut signature.inputs {
            if let FnArg::Typed(arg) = arg {
                take_data(&mut arg.attrs);
            }
        }
        return;
    }
    let before = context.names.open(&signature.generics);
    if is_inside || mentions(context, |m| m.visit_signature(signature)) {
        over_numbers(context, signature, block, is_inside);
    }
    context.names.at = before;
}

fn over_numbers(
    context: &mut Context,
    signature: &mut Signature,
    block: Option<&mut Block>,
    is_inside: bool,
) {
    if let Some(token) = &signature.constness
        && block.as_ref().is_some_and(|block| !is_made_of_places(block))
    {
        context
            .error(token, "a `const fn` cannot compute with numbers: remove `const`, or mark it `#[data]`");
    }
    if let Some(token) = &signature.asyncness {
        context
            .error(token, "`#[generic]` does not translate `async fn`: compute in a function that it calls");
    }
    let mut body = Body::new(context);
    for arg in &mut signature.inputs {
        match arg {
            FnArg::Receiver(receiver) => {
                let kind = body.kind_of_type(&receiver.ty);
                body.bind(&receiver.self_token.into(), kind);
            }
            FnArg::Typed(arg) => body.bind_typed(arg),
        }
    }
    if let Some(block) = block {
        let result = match &signature.output {
            syn::ReturnType::Type(_, ty) => body.kind_of_type(ty),
            syn::ReturnType::Default => Kind::Plain,
        };
        body.result = result.clone();
        body.expected_of_block(block, &result);
    }
    Replace(context).visit_return_type_mut(&mut signature.output);
    Replace(context).visit_generics_mut(&mut signature.generics);
    if !is_inside {
        let (param, bound) = (&context.param, context.bound.tokens());
        signature.generics.params.push(parse_quote!(#param: #bound));
    }
}

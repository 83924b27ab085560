//! The types that the derive generates for a struct.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Member};

use super::code::{Implementation, boxed};
use super::read::{Part, Point, Variant};

/// The member of a struct of tangents, which has no data, for the `i`th part that is none.
pub fn member(part: &Part, i: usize) -> Member {
    match &part.member {
        Member::Named(name) => Member::Named(name.clone()),
        Member::Unnamed(_) => Member::from(i),
    }
}

/// The declaration of a struct with these fields.
fn declaration(variant: &Variant, head: &TokenStream, fields: &[TokenStream]) -> TokenStream {
    if variant.is_tuple { quote!(#head (#(#fields),*);) } else { quote!(#head { #(#fields),* }) }
}

/// A struct with rotations as parts: its tangent is another struct.
pub fn of_another_type(point: &Point) -> TokenStream {
    let (tangent, derives) = point.tangent.as_ref().expect("just seen");
    let (number, variant, name) = (point.number_type(), &point.variants[0], &point.name);
    let generics = point.generics(&quote!(::wengert::Real));
    let text = format!("Tangents of [`{name}`].");
    let numbers: Vec<&Part> = variant.parts.iter().filter(|part| !part.is_data).collect();
    let fields: Vec<TokenStream> = numbers
        .iter()
        .enumerate()
        .map(|(i, part)| {
            let vis = &part.vis;
            let text = match &part.member {
                Member::Named(name) => format!("The tangent of `{name}`."),
                Member::Unnamed(_) => format!("The tangent of part {i}."),
            };
            let name = match &part.member {
                Member::Named(name) => quote!(#name:),
                Member::Unnamed(_) => quote!(),
            };
            let checked = point.part(part, &quote!(#number), &quote!(::wengert::space::PairLayout));
            quote!(#[doc = #text] #vis #name <#checked as ::wengert::space::Differentiable>::Tangent)
        })
        .collect();
    let vis = &point.vis;
    let head =
        quote!(#[doc = #text] #derives #[derive(::wengert::Differentiable)] #vis struct #tangent<#generics>);
    let declared = declaration(variant, &head, &fields);
    let (ty, with) = (point.over(name, &quote!(#number)), point.over(name, &quote!(__WengertS)));
    let boxes = boxed(point, &generics, &number, &ty, &with, false);
    let implementation = Implementation {
        point,
        generics,
        ty,
        name: name.clone(),
        number: quote!(#number),
        layout: quote!(::wengert::space::PairLayout),
        with,
        with_name: name.clone(),
        tangent: Some((point.over(tangent, &quote!(#number)), tangent.clone())),
        is_generated: false,
    };
    let components = implementation.write();
    quote!(#declared #boxes #components)
}

/// A struct of `f64`: a struct with the same parts over other numbers, and both as points.
pub fn over_other_numbers(point: &Point) -> TokenStream {
    let (name, variant, over) = (&point.name, &point.variants[0], format_ident!("__WengertOver"));
    let fields: Vec<TokenStream> = variant
        .parts
        .iter()
        .map(|part| {
            let ty = &part.ty;
            let ty = if part.is_data {
                quote!(#ty)
            } else {
                let checked = point.part(part, &quote!(f64), &quote!(::wengert::space::PairLayout));
                quote_spanned!(part.span()=> <#checked as ::wengert::space::Components<f64, ::wengert::space::PairLayout>>::With<__WengertS>)
            };
            match &part.member {
                Member::Named(name) => quote!(pub #name: #ty),
                Member::Unnamed(_) => quote!(pub #ty),
            }
        })
        .collect();
    let own = &point.generics.params;
    let comma = (!own.is_empty() && !own.trailing_punct()).then(|| quote!(,));
    let head = quote! {
        #[doc(hidden)]
        #[allow(missing_docs, unnameable_types, private_interfaces, private_bounds)]
        pub struct #over<#own #comma __WengertS: ::wengert::Real>
    };
    let declared = declaration(variant, &head, &fields);
    let generics = point.generics(&quote!(::wengert::Real));
    let with = |number: TokenStream| {
        let arguments = point.over(&over, &quote!()).to_string();
        // The number is the last argument.
        let own: TokenStream = arguments
            .trim_start_matches("__WengertOver")
            .trim()
            .trim_start_matches('<')
            .trim_end_matches('>')
            .parse()
            .expect("arguments");
        let comma = (!own.is_empty()).then(|| quote!(,));
        quote!(#over<#own #comma #number>)
    };
    let t = format_ident!("__WengertT");
    let more = if generics.is_empty() {
        quote!(#t: ::wengert::Real)
    } else {
        quote!(#generics, #t: ::wengert::Real)
    };
    let f64 = Ident::new("f64", proc_macro2::Span::call_site());
    let (ty, own_ty, with_s) = (point.over(name, &quote!()), with(quote!(#t)), with(quote!(__WengertS)));
    let boxes =
        [boxed(point, &generics, &f64, &ty, &with_s, true), boxed(point, &more, &t, &own_ty, &with_s, true)];
    let first = Implementation {
        point,
        generics,
        ty,
        name: name.clone(),
        number: quote!(f64),
        layout: quote!(::wengert::space::PairLayout),
        with: with_s.clone(),
        with_name: over.clone(),
        tangent: None,
        is_generated: false,
    };
    let second = Implementation {
        point,
        generics: more,
        ty: own_ty,
        name: over.clone(),
        number: quote!(#t),
        layout: quote!(::wengert::space::PairLayout),
        with: with_s.clone(),
        with_name: over.clone(),
        tangent: None,
        is_generated: true,
    };
    let (first, second) = (first.write(), second.write());
    quote!(const _: () = { #declared #(#boxes)* #first #second };)
}

//! Implementations for points: each method visits the parts in order.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;

use super::read::{Part, Point, Variant};

/// One implementation of `Components`.
pub struct Implementation<'p> {
    pub point: &'p Point,
    /// The generics of the implementation.
    pub generics: TokenStream,
    /// The type, and its name.
    pub ty: TokenStream,
    pub name: Ident,
    /// The type of the struct's numbers.
    pub number: TokenStream,
    /// The layout of complex numbers.
    pub layout: TokenStream,
    /// The type over numbers `__WengertS`, and its name.
    pub with: TokenStream,
    pub with_name: Ident,
    /// The type of tangents, unless it is the type itself.
    pub tangent: Option<(TokenStream, Ident)>,
    /// Whether the parts have the types of the declaration over another number, which a projection gives.
    pub is_generated: bool,
}

/// A struct or enum that is its own tangent.
pub fn flat(point: &Point) -> TokenStream {
    let number = point.number_type();
    let generics = point.generics(&quote!(::wengert::Real));
    let (ty, with) =
        (point.over(&point.name, &quote!(#number)), point.over(&point.name, &quote!(__WengertS)));
    let boxes = boxed(point, &generics, &number, &ty, &with, true);
    let implementation = Implementation {
        point,
        generics,
        ty,
        name: point.name.clone(),
        number: quote!(#number),
        layout: quote!(::wengert::space::PairLayout),
        with,
        with_name: point.name.clone(),
        tangent: None,
        is_generated: false,
    };
    let components = implementation.write();
    quote!(#boxes #components)
}

/// The implementation for complex numbers as single numbers.
pub fn complex(point: &Point) -> TokenStream {
    let number = point.number_type();
    let over = quote!(<#number as ::wengert::Number>::Over<__WengertS>);
    let implementation = Implementation {
        point,
        generics: point.generics(&quote!(::wengert::Number)),
        ty: point.over(&point.name, &quote!(#number)),
        name: point.name.clone(),
        number: quote!(<#number as ::wengert::Number>::Re),
        layout: quote!(::wengert::space::NumberLayout),
        with: point.over(&point.name, &over),
        with_name: point.name.clone(),
        tangent: None,
        is_generated: false,
    };
    implementation.write()
}

/// `Box`es of the type, and its dimension.
pub fn boxed(
    point: &Point,
    generics: &TokenStream,
    number: &Ident,
    ty: &TokenStream,
    with: &TokenStream,
    is_flat: bool,
) -> TokenStream {
    let condition = point.generics.where_clause.as_ref().map(|w| {
        let predicates = &w.predicates;
        quote!(, where [#predicates])
    });
    let (form, flat) = if is_flat { (quote!(), quote!([#generics])) } else { (quote!(@points), quote!()) };
    quote! {
        ::wengert::space::boxed!(
            #form #flat [#generics] [#generics] #number, #ty, ::std::boxed::Box<#with> #condition
        );
        ::wengert::space::shaped! { [#generics] #number, #ty, ::wengert::space::Dyn #condition; }
    }
}

impl Implementation<'_> {
    /// `Components::<number, layout>::method` for a part.
    fn component(&self, part: &Part, method: &str) -> TokenStream {
        let (number, layout) = (&self.number, &self.layout);
        let method = Ident::new(method, Span::call_site());
        if self.is_generated {
            return quote!(::wengert::space::Components::<#number, #layout>::#method);
        }
        let checked = self.point.part(part, number, layout);
        quote_spanned!(part.span()=> <#checked as ::wengert::space::Components<#number, #layout>>::#method)
    }
    /// A clone of plain data by a method of `Clone`.
    fn data(&self, part: &Part, method: &str, arguments: TokenStream) -> TokenStream {
        let (ty, method, checked) = (&part.ty, Ident::new(method, part.span()), self.point.checked());
        quote_spanned!(part.span()=>
            <<#ty as ::wengert::space::PlainData<#checked>>::Itself as ::core::clone::Clone>::#method(#arguments)
        )
    }
    fn path(&self, name: &Ident, variant: &Variant) -> TokenStream {
        match &variant.name {
            Some(variant) => quote!(#name::#variant),
            None => name.to_token_stream(),
        }
    }
    fn pattern(&self, name: &Ident, variant: &Variant, prefix: &str) -> TokenStream {
        let path = self.path(name, variant);
        let parts = variant.parts.iter().map(|part| {
            let (member, name) =
                (&part.member, Ident::new(&format!("{prefix}{}", part.name), Span::call_site()));
            quote!(#member: #name)
        });
        quote!(#path { #(#parts),* })
    }
    /// `match self { … }` with statements for each part.
    fn each(&self, of: impl Fn(usize, &Part) -> TokenStream) -> TokenStream {
        let arms = self.point.variants.iter().enumerate().map(|(i, variant)| {
            let pattern = self.pattern(&self.name, variant, "");
            let statements = variant.parts.iter().map(|part| of(i, part));
            quote!(#pattern => { #(#statements)* })
        });
        quote!(match self { #(#arms)* })
    }
    /// `match self { … }` that makes a value of the type `name`; data are cloned.
    fn made(&self, name: &Ident, of: impl Fn(&Part) -> TokenStream) -> TokenStream {
        let arms = self.point.variants.iter().map(|variant| {
            let (pattern, path) = (self.pattern(&self.name, variant, ""), self.path(name, variant));
            let parts = variant.parts.iter().map(|part| {
                let (member, name) = (&part.member, &part.name);
                let value = if part.is_data { self.data(part, "clone", quote!(#name)) } else { of(part) };
                quote!(#member: #value)
            });
            quote!(#pattern => #path { #(#parts),* },)
        });
        quote!(match self { #(#arms)* })
    }
    /// A call for a part that is no data.
    fn call(&self, part: &Part, method: &str, arguments: TokenStream) -> TokenStream {
        let (path, name) = (self.component(part, method), &part.name);
        quote_spanned!(part.span()=> #path(#name, #arguments))
    }
    fn statements(&self, method: &str, arguments: &TokenStream) -> TokenStream {
        self.each(|_, part| {
            if part.is_data {
                return TokenStream::new();
            }
            let call = self.call(part, method, arguments.clone());
            quote!(#call;)
        })
    }
    fn outline(&self) -> TokenStream {
        let arms = self.point.variants.iter().enumerate().map(|(i, variant)| {
            let pattern = self.pattern(&self.name, variant, "");
            let which = variant.name.as_ref().map(|_| quote!(function(::wengert::space::variant(#i));));
            let parts = variant.parts.iter().filter(|part| !part.is_data).map(|part| {
                let call = self.call(part, "outline", quote!(function));
                quote!(#call;)
            });
            quote!(#pattern => { #which #(#parts)* })
        });
        quote!(match self { #(#arms)* })
    }
    fn has_plain_of(&self) -> TokenStream {
        let arms = self.point.variants.iter().map(|variant| {
            let (mine, theirs) =
                (self.pattern(&self.name, variant, ""), self.pattern(&self.with_name, variant, "of"));
            let parts = variant.parts.iter().map(|part| {
                let (name, of) = (&part.name, Ident::new(&format!("of{}", part.name), Span::call_site()));
                if part.is_data {
                    return quote!(&&::wengert::__wengert_same_plain!(*#name, *#of));
                }
                let path = self.component(part, "has_plain_of");
                let call = quote_spanned!(part.span()=> #path::<__WengertS>(#name, #of));
                quote!(&& #call)
            });
            quote!((#mine, #theirs) => { true #(#parts)* })
        });
        quote!(match (self, other) { #(#arms)* _ => false })
    }
    fn seed_over(&self) -> TokenStream {
        let arms = self.point.variants.iter().map(|variant| {
            let (mine, theirs) =
                (self.pattern(&self.name, variant, ""), self.pattern(&self.with_name, variant, "to"));
            let parts = variant.parts.iter().map(|part| {
                let (name, to) = (&part.name, Ident::new(&format!("to{}", part.name), Span::call_site()));
                let call = if part.is_data {
                    self.data(part, "clone_from", quote!(#to, #name))
                } else {
                    self.call(part, "seed_over", quote!(lift, next, #to))
                };
                quote!(#call;)
            });
            quote!((#mine, #theirs) => { #(#parts)* })
        });
        let (number, layout) = (&self.number, &self.layout);
        quote!(match (self, kept) {
            #(#arms)*
            (_, kept) => *kept = ::wengert::space::Components::<#number, #layout>::seeded(self, lift, next),
        })
    }
    /// The methods of a type whose tangents have another type.
    fn curved(&self, tangent: &Ident) -> TokenStream {
        let (number, other, ty) = (&self.number, quote!(__WengertS), &self.ty);
        let with = &self.with;
        let from = self.variants_with_tangents(tangent);
        let embed = self.statements("embed", &quote!(how, next, out));
        let seeded = self.made(&self.with_name, |part| self.call(part, "seeded", quote!(lift, next)));
        let retract = self.made(&self.name, |part| self.call(part, "retract", quote!(next)));
        let difference = self.each(|_, part| {
            if part.is_data {
                return TokenStream::new();
            }
            let member = &part.member;
            let call = self.call(part, "difference", quote!(&from.#member, out));
            quote!(#call;)
        });
        let tangent = &self.tangent.as_ref().expect("of another type").0;
        quote! {
            const FLAT: bool = false;
            fn tangent_from(&self, next: &mut impl FnMut() -> #number) -> #tangent {
                #from
            }
            fn embed(
                &self,
                how: ::wengert::space::Embedding,
                next: &mut impl FnMut() -> #number,
                out: &mut impl FnMut(#number),
            ) {
                #embed
            }
            fn seeded<#other: ::wengert::Real>(
                &self,
                lift: &impl Fn(#number) -> #other,
                next: &mut impl FnMut(#number) -> #other,
            ) -> #with {
                #seeded
            }
            fn retract(&self, next: &mut impl FnMut() -> #number) -> #ty {
                #retract
            }
            fn difference(&self, from: &Self, out: &mut impl FnMut(#number)) {
                #difference
            }
        }
    }
    fn variants_with_tangents(&self, tangent: &Ident) -> TokenStream {
        let variant = &self.point.variants[0];
        let pattern = self.pattern(&self.name, variant, "");
        let numbers = || variant.parts.iter().filter(|part| !part.is_data);
        let parts = numbers().enumerate().map(|(i, part)| {
            let member = super::tangent::member(part, i);
            let call = self.call(part, "tangent_from", quote!(next));
            quote!(#member: #call)
        });
        quote!(match self { #pattern => #tangent { #(#parts),* } })
    }
    /// All implementations for the type.
    pub fn write(&self) -> TokenStream {
        let (number, other, layout) = (&self.number, quote!(__WengertS), &self.layout);
        let (ty, with) = (&self.ty, &self.with);
        let (generics, condition) = (&self.generics, &self.point.generics.where_clause);
        let visit = self.statements("visit", &quote!(function));
        let visit_mut = self.statements("visit_mut", &quote!(function));
        let map = self.made(&self.with_name, |part| self.call(part, "map", quote!(function)));
        let map_same = self.made(&self.name, |part| self.call(part, "map_same", quote!(function)));
        let (outline, has_plain_of, seed_over) = (self.outline(), self.has_plain_of(), self.seed_over());
        let (own, tangent, rest) = match &self.tangent {
            Some((tangent, name)) => (quote!(), tangent.clone(), self.curved(name)),
            None => (
                quote!(impl<#generics> ::wengert::space::SelfTangent<#layout> for #ty #condition {}),
                ty.clone(),
                quote! {
                    fn tangent_from(&self, next: &mut impl FnMut() -> #number) -> #ty {
                        ::wengert::space::Components::<#number, #layout>::map_same(self, &mut |_| next())
                    }
                },
            ),
        };
        quote! {
            #own
            impl<#generics> ::wengert::space::Differentiable<#layout> for #ty #condition {
                type Tangent = #tangent;
                type Owned = #ty;
            }
            #[allow(unused_variables, unreachable_patterns, clippy::all)]
            impl<#generics> ::wengert::space::Components<#number, #layout> for #ty #condition {
                type Arg<#other: ::wengert::Real> = #with;
                type With<#other: ::wengert::Real> = #with;
                fn visit(&self, function: &mut impl FnMut(#number)) {
                    #visit
                }
                fn visit_mut(&mut self, function: &mut impl FnMut(&mut #number)) {
                    #visit_mut
                }
                fn map<#other: ::wengert::Real>(&self, function: &mut impl FnMut(#number) -> #other) -> #with {
                    #map
                }
                fn map_same(&self, function: &mut impl FnMut(#number) -> #number) -> #ty {
                    #map_same
                }
                fn outline(&self, function: &mut impl FnMut((usize, usize))) {
                    #outline
                }
                fn has_plain_of<#other: ::wengert::Real>(&self, other: &#with) -> bool {
                    #has_plain_of
                }
                fn seed_over<#other: ::wengert::Real>(
                    &self,
                    lift: &impl Fn(#number) -> #other,
                    next: &mut impl FnMut(#number) -> #other,
                    kept: &mut #with,
                ) {
                    #seed_over
                }
                #rest
            }
        }
    }
}

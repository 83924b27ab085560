//! The parsed form of a struct or an enum: its variants, parts, parameters and attributes.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, GenericParam, Generics, Ident, Member, Path, Result, Token,
    Type, TypeParam, TypeParamBound, Visibility,
};

/// A part of a variant.
pub struct Part {
    pub member: Member,
    /// The name of the part in patterns.
    pub name: Ident,
    pub ty: Type,
    pub is_data: bool,
    pub vis: Visibility,
}

impl Part {
    /// The position of the part's type, where errors about it belong.
    pub fn span(&self) -> Span {
        Span::call_site().located_at(self.ty.span())
    }
}

/// A variant of an enum, or a struct.
pub struct Variant {
    /// The name, if it is of an enum.
    pub name: Option<Ident>,
    pub parts: Vec<Part>,
    pub is_tuple: bool,
}

/// A declaration.
pub struct Point {
    pub name: Ident,
    pub vis: Visibility,
    pub generics: Generics,
    /// The parameter of the numbers; without one they are `f64`.
    pub number: Option<Ident>,
    pub variants: Vec<Variant>,
    /// The name of the type of tangents, with the traits that it derives.
    pub tangent: Option<(Ident, TokenStream)>,
    pub complex: bool,
}

const OPTIONS: &str = "`#[differentiable(…)]` takes `tangent = Name`, `derive(…)` for this tangent, `complex`, \
    `number = T` and `of = Type`";

impl Point {
    pub fn read(input: DeriveInput) -> Result<Point> {
        let mut point = Point {
            name: input.ident,
            vis: input.vis,
            generics: input.generics,
            number: None,
            variants: Vec::new(),
            tangent: None,
            complex: false,
        };
        let stated = point.options(&input.attrs)?;
        match input.data {
            Data::Struct(data) => point.variants.push(variant(None, data.fields)?),
            Data::Enum(data) => {
                point.variants = data
                    .variants
                    .into_iter()
                    .map(|v| variant(Some(v.ident), v.fields))
                    .collect::<Result<_>>()?;
            }
            Data::Union(data) => {
                return Err(Error::new(
                    data.union_token.span,
                    "a union is no point: write a struct or an enum",
                ));
            }
        }
        point.number = find_number(&point.generics, stated)?;
        point.check()?;
        Ok(point)
    }
    /// Reads `#[differentiable(…)]`; returns the parameter that it names.
    fn options(&mut self, attributes: &[Attribute]) -> Result<Option<Ident>> {
        let (mut number, mut derives) = (None, None);
        for attribute in attributes.iter().filter(|a| is_option(a)) {
            attribute.parse_nested_meta(|option| {
                if option.path.is_ident("tangent") {
                    self.tangent = Some((option.value()?.parse()?, TokenStream::new()));
                } else if option.path.is_ident("derive") {
                    let list;
                    syn::parenthesized!(list in option.input);
                    let traits = Punctuated::<Path, Token![,]>::parse_terminated(&list)?;
                    derives = Some((option.path.clone(), quote!(#[derive(#traits)])));
                } else if option.path.is_ident("complex") {
                    self.complex = true;
                } else if option.path.is_ident("number") {
                    number = Some(option.value()?.parse()?);
                } else if option.path.is_ident("of") {
                    self.name = option.value()?.parse()?;
                } else {
                    return Err(option.error(OPTIONS));
                }
                Ok(())
            })?;
        }
        match (&mut self.tangent, derives) {
            (Some(tangent), Some((_, traits))) => tangent.1 = traits,
            (None, Some((path, _))) => {
                return Err(Error::new_spanned(
                    path,
                    "`derive(…)` is for the tangent: `tangent = Name, derive(…)`",
                ));
            }
            _ => {}
        }
        Ok(number)
    }
    fn check(&self) -> Result<()> {
        if let Some(lifetime) = self.generics.lifetimes().next() {
            let message = "drivers keep points between calls, so a point borrows nothing: its data may be `Arc<[f64]>`, \
                `Rc` or `&'static`, or stay outside, captured by the function";
            return Err(Error::new_spanned(lifetime, message));
        }
        if self.variants.is_empty() {
            return Err(Error::new_spanned(&self.name, "an enum without variants has no points"));
        }
        if !self.variants.iter().any(|variant| variant.parts.iter().any(|part| !part.is_data)) {
            let message = "there are no numbers in it, so it is no point: where it is a part of a point, mark it `#[data]`";
            return Err(Error::new_spanned(&self.name, message));
        }
        let is_enum = self.variants[0].name.is_some();
        let with_parameter = |what: &str| {
            let (keyword, name) = (if is_enum { "enum" } else { "struct" }, &self.name);
            Error::new_spanned(
                name,
                format!("{what} needs a parameter for its numbers: `{keyword} {name}<T>`"),
            )
        };
        if self.number.is_none() && is_enum {
            return Err(with_parameter("an enum"));
        }
        if self.number.is_none() && (self.complex || self.tangent.is_some()) {
            return Err(with_parameter("`tangent` or `complex`"));
        }
        if let Some((tangent, _)) = &self.tangent
            && (is_enum || self.complex)
        {
            return Err(Error::new_spanned(
                tangent,
                "only a struct of real numbers has tangents of another type",
            ));
        }
        for part in self.variants.iter().flat_map(|variant| &variant.parts).filter(|part| part.is_data) {
            if let Some(number) = self.number.as_ref().filter(|n| mentions(&part.ty, n)) {
                let message = format!(
                    "data remain as they are where other numbers replace `{number}`, so their type cannot \
                    contain it: write `f64`, or remove `#[data]`"
                );
                return Err(Error::new_spanned(&part.ty, message));
            }
        }
        if let Some(number) = &self.number {
            let parts = self.variants.iter().flat_map(|variant| &variant.parts);
            let others: Vec<&Ident> =
                self.generics.type_params().map(|p| &p.ident).filter(|p| *p != number).collect();
            for part in parts.filter(|part| !part.is_data && !mentions(&part.ty, number)) {
                if let Some(other) = others.iter().find(|other| mentions(&part.ty, other)) {
                    let message = format!(
                        "`{other}` is not the parameter of the numbers, so this cannot be a part of the point: write \
                        `{number}`, or mark plain data `#[data]`"
                    );
                    return Err(Error::new_spanned(&part.ty, message));
                }
            }
        }
        for param in self.generics.type_params().filter(|p| Some(&p.ident) == self.number.as_ref()) {
            for bound in &param.bounds {
                let named = |name: &str| {
                    matches!(bound, TypeParamBound::Trait(b)
                    if b.path.segments.last().is_some_and(|s| s.ident == name && s.arguments.is_none()))
                };
                if !(named("Real") || self.complex && named("Number")) {
                    let message = "every kind of number replaces this parameter: bound it by `Real` (by `Number` with \
                        `#[differentiable(complex)]`) or not at all, and write other bounds at the functions";
                    return Err(Error::new_spanned(bound, message));
                }
            }
        }
        Ok(())
    }
    /// The generics of an implementation, the parameter bounded by `bound`; `more` parameters at the end.
    pub fn generics(&self, bound: &TokenStream) -> TokenStream {
        let params = self.generics.params.iter().map(|param| match param {
            GenericParam::Type(TypeParam { ident, .. }) if Some(ident) == self.number.as_ref() => {
                quote!(#ident: #bound)
            }
            GenericParam::Type(param) => {
                // Bounds for data: drivers clone and keep them.
                let (ident, bounds) = (&param.ident, param.bounds.iter());
                quote!(#ident: #(#bounds +)* ::core::clone::Clone + 'static)
            }
            GenericParam::Const(param) => {
                let (ident, ty) = (&param.ident, &param.ty);
                quote!(const #ident: #ty)
            }
            lifetime => quote!(#lifetime),
        });
        quote!(#(#params),*)
    }
    /// The type over other numbers.
    pub fn over(&self, name: &Ident, number: &TokenStream) -> TokenStream {
        let arguments = self.generics.params.iter().map(|param| match param {
            GenericParam::Type(param) if Some(&param.ident) == self.number.as_ref() => number.clone(),
            GenericParam::Type(TypeParam { ident, .. }) => quote!(#ident),
            GenericParam::Const(param) => {
                // In braces: a type may have the same name.
                let ident = &param.ident;
                quote!({ #ident })
            }
            GenericParam::Lifetime(param) => {
                let lifetime = &param.lifetime;
                quote!(#lifetime)
            }
        });
        quote!(#name<#(#arguments),*>)
    }
    /// The type of a part, with an error if a part is refused.
    pub fn part(&self, part: &Part, number: &TokenStream, layout: &TokenStream) -> TokenStream {
        let (ty, flat, checked) = (&part.ty, self.tangent.is_none(), self.checked());
        quote_spanned!(part.span()=> <#ty as ::wengert::space::Part<#number, #layout, #flat, #checked>>::Itself)
    }
    /// The name of the constant that checks the parts.
    pub fn checked(&self) -> Ident {
        format_ident!("__WENGERT_{}", self.name)
    }
    /// A constant whose body checks the parts at one type of numbers: a constant has no parameters.
    pub fn checks(&self) -> TokenStream {
        let (name, flat, number) = (self.checked(), self.tangent.is_none(), self.number.as_ref());
        let names = self.generics.params.iter().map(|param| match param {
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
            GenericParam::Lifetime(param) => &param.lifetime.ident,
        });
        let others: Vec<&Ident> = names.filter(|name| Some(*name) != number).collect();
        let has_others = |ty: &Type| others.iter().any(|other| mentions(ty, other));
        let parts = self.variants.iter().flat_map(|variant| &variant.parts);
        let checks = parts.map(|part| (part, without_arrays(&part.ty))).filter(|(_, ty)| !has_others(ty)).map(|(part, ty)| {
            let at = at_f64(ty.to_token_stream(), number);
            if part.is_data {
                return quote_spanned!(part.span()=> & <#at as ::wengert::space::PlainData<true>>::IS_PART);
            }
            // A type without the number is a part over all numbers.
            let of = match number.is_some_and(|number| !mentions(ty, number)) {
                true => quote!(::wengert::Dual<f64>),
                false => quote!(f64),
            };
            quote_spanned!(part.span()=> & <#at as ::wengert::space::Part<#of, ::wengert::space::PairLayout, #flat, true>>::IS_PART)
        });
        quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #name: bool = true #(#checks)*;
        }
    }
    /// The type of the numbers.
    pub fn number_type(&self) -> Ident {
        self.number.clone().unwrap_or_else(|| format_ident!("f64"))
    }
}

/// The elements of an array, whose length may be a parameter.
fn without_arrays(ty: &Type) -> &Type {
    if let Type::Array(array) = ty { without_arrays(&array.elem) } else { ty }
}

/// Whether the name occurs in a type.
fn mentions(ty: &Type, name: &Ident) -> bool {
    fn occurs(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == *name,
            TokenTree::Group(group) => occurs(group.stream(), name),
            _ => false,
        })
    }
    occurs(ty.to_token_stream(), name)
}

/// A type with `f64` in place of the number.
fn at_f64(ty: TokenStream, number: Option<&Ident>) -> TokenStream {
    let at_f64 = |token| match token {
        TokenTree::Ident(ident) if Some(&ident) == number => Ident::new("f64", ident.span()).into(),
        TokenTree::Group(group) => {
            let mut changed = Group::new(group.delimiter(), at_f64(group.stream(), number));
            changed.set_span(group.span());
            TokenTree::Group(changed)
        }
        token => token,
    };
    ty.into_iter().map(at_f64).collect()
}

fn is_option(attribute: &Attribute) -> bool {
    attribute.path().is_ident("differentiable")
}

fn variant(name: Option<Ident>, fields: Fields) -> Result<Variant> {
    let of_field = |field: &syn::Field| field.attrs.iter().find(|a| is_option(a)).cloned();
    if let Some(option) = fields.iter().find_map(of_field) {
        let message = "options stand at the type; a field that no derivative takes part in has `#[data]`";
        return Err(Error::new_spanned(option, message));
    }
    let is_tuple = matches!(fields, Fields::Unnamed(_));
    let part = |(i, field): (usize, syn::Field)| Part {
        member: field.ident.clone().map_or(Member::from(i), Member::from),
        name: format_ident!("__part{i}"),
        is_data: field.attrs.iter().any(|a| a.path().is_ident("data")),
        ty: field.ty,
        vis: field.vis,
    };
    Ok(Variant { name, parts: fields.into_iter().enumerate().map(part).collect(), is_tuple })
}

/// The parameter of the numbers: the stated one, the only one, or the one with the bound or default of numbers.
fn find_number(generics: &Generics, stated: Option<Ident>) -> Result<Option<Ident>> {
    if let Some(stated) = stated {
        let found = generics.type_params().any(|p| p.ident == stated);
        let missing = || Error::new_spanned(&stated, format!("there is no type parameter `{stated}`"));
        return if found { Ok(Some(stated)) } else { Err(missing()) };
    }
    let all: Vec<&TypeParam> = generics.type_params().collect();
    if all.len() < 2 {
        return Ok(all.first().map(|p| p.ident.clone()));
    }
    let says_so = |p: &&&TypeParam| {
        let real = |b: &TypeParamBound| {
            matches!(b, TypeParamBound::Trait(b)
            if b.path.segments.last().is_some_and(|s| s.ident == "Real" || s.ident == "Number"))
        };
        let float = matches!(&p.default, Some(Type::Path(path)) if path.path.is_ident("f64") || path.path.is_ident("f32"));
        p.bounds.iter().any(real) || float
    };
    match &all.iter().filter(says_so).collect::<Vec<_>>()[..] {
        [only] => Ok(Some(only.ident.clone())),
        _ => {
            let message = "which of these parameters is the number? Say `#[differentiable(number = T)]`";
            Err(Error::new_spanned(&generics.params, message))
        }
    }
}

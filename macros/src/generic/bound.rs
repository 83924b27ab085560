//! The bound of the parameter, and how a constant becomes a number under it.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Token, parse_quote, parse_quote_spanned};

/// The argument of `#[generic(…)]`.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Scalar,
    Real,
    RealField,
    Float,
    Number,
}

/// The bound, and the float that it replaces.
pub struct Bound {
    kind: Kind,
    /// `"f64"` or `"f32"`.
    pub float: &'static str,
    /// Whether operators of vectors, which take numbers and no constants, are at work.
    pub vectors: bool,
}

const CHOICES: &str = "`#[generic]` takes no argument, or one of: `f32` (the plain code is in `f32`), \
    `vectors` (constants become numbers, for operators of vectors), `Real` (the bound of hand-written code), `RealField` (nalgebra's geometry and decompositions), \
    `Float` (num-traits), `Number` (complex numbers too); `f32` may stand before one of the others";

impl Parse for Bound {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut bound = Bound { kind: Kind::Scalar, float: "f64", vectors: false };
        while !input.is_empty() {
            let name: Ident = input.parse().map_err(|e| syn::Error::new(e.span(), CHOICES))?;
            match &*name.to_string() {
                "vectors" => bound.vectors = true,
                "f32" => bound.float = "f32",
                "Real" => bound.kind = Kind::Real,
                "RealField" => bound.kind = Kind::RealField,
                "Float" => bound.kind = Kind::Float,
                "Number" => bound.kind = Kind::Number,
                _ => return Err(syn::Error::new(name.span(), CHOICES)),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(bound)
    }
}

impl Bound {
    /// The float as a type.
    pub fn float(&self) -> Ident {
        Ident::new(self.float, proc_macro2::Span::call_site())
    }
    /// The bound of the parameter.
    pub fn tokens(&self) -> TokenStream {
        let float = self.float();
        match self.kind {
            Kind::Scalar if self.float == "f64" => parse_quote!(::wengert::Scalar),
            Kind::Scalar => parse_quote!(::wengert::Scalar<#float>),
            Kind::Real => parse_quote!(::wengert::Real<Base = #float>),
            Kind::RealField => parse_quote!(::wengert::matrix::RealEntry<Base = #float>),
            Kind::Float => parse_quote!(::wengert::__private::Float + ::wengert::__private::NumAssign),
            Kind::Number => parse_quote!(::wengert::Number<Base = #float>),
        }
    }
    /// Whether constants stay unchanged as operands; otherwise they become numbers.
    pub fn has_constant_operands(&self) -> bool {
        self.kind == Kind::Scalar && !self.vectors
    }
    /// Whether numbers have this crate's methods.
    pub fn is_real(&self) -> bool {
        matches!(self.kind, Kind::Scalar | Kind::Real)
    }
    /// How the value of a number `x` is read as a float.
    pub fn value(&self) -> &'static str {
        match self.kind {
            Kind::Scalar | Kind::Real => "x.primal()",
            Kind::RealField => "x.as_number().primal()",
            Kind::Float => "x.to_f64().unwrap()",
            Kind::Number => "x.re().primal()",
        }
    }
    /// A constant as a number, at the position of the constant.
    pub fn number(&self, param: &Ident, constant: &Expr) -> Expr {
        let span = constant.span();
        let param = Ident::new(&param.to_string(), span);
        let constant = without_parentheses(constant);
        match self.kind {
            Kind::Float => {
                let cast = quote_spanned!(span=> ::wengert::__private::NumCast);
                parse_quote_spanned!(span=> <#param as #cast>::from(#constant).unwrap())
            }
            Kind::RealField if self.float == "f64" => {
                parse_quote_spanned!(span=> #param::constant(#constant))
            }
            Kind::RealField => {
                parse_quote_spanned!(span=> #param::from_number(::wengert::Number::base(#constant)))
            }
            // The nearest `f32` to the decimal text.
            _ if self.float == "f32" => parse_quote_spanned!(span=> #param::base(#constant)),
            _ => parse_quote_spanned!(span=> #param::lit(#constant)),
        }
    }
}

impl Bound {
    /// An `Option` or a list of constants as one of numbers.
    pub fn lifted(&self, param: &Ident, constants: &Expr) -> Option<Expr> {
        let is_number = matches!(self.kind, Kind::Scalar | Kind::Real | Kind::Number);
        let (span, constants) = (constants.span(), without_parentheses(constants));
        is_number.then(|| parse_quote_spanned!(span=> ::wengert::__private::lifted::<#param, _>(#constants)))
    }
}

/// The expression without its outer parentheses: the compiler warns of parentheses around an argument.
pub fn without_parentheses(mut e: &Expr) -> &Expr {
    while let Expr::Paren(inner) = e {
        e = &inner.expr;
    }
    e
}

/// Whether a type has the name of a vector, a matrix or a complex number of nalgebra or num-complex. Their operators take
/// numbers of the type of their entries.
pub fn is_of_vectors(name: &str) -> bool {
    // `Matrix2x3`, `SMatrix`, `RowDVector`.
    let stem = name.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let stem = stem.trim_start_matches("Row").trim_start_matches(['S', 'D', 'O']);
    let stem = stem.strip_suffix("X").or(stem.strip_suffix("Xx")).unwrap_or(stem);
    matches!(stem, "Matrix" | "Vector" | "Point" | "Quaternion" | "Complex")
}

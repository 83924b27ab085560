//! The expressions that have type `f64` after the translation, too: literals, constants, casts, data.

use syn::{BinOp, Expr, ExprPath, Lit, Path, Type, UnOp};

use super::body::{Body, Local};
use super::names::{Names, is_float};

/// Methods of a float with a float as the result.
const METHODS: &str = " abs acos acosh asin asinh atan atan2 atanh cbrt ceil clamp copysign cos cosh div_euclid exp \
    exp2 exp_m1 floor fract hypot ln ln_1p log log10 log2 max min mul_add powf powi recip rem_euclid round signum sin \
    sinh sqrt tan tanh to_degrees to_radians trunc ";

/// Whether it is a method of a float with a float as the result.
pub fn is_float_method(name: &str) -> bool {
    METHODS.contains(&format!(" {name} "))
}

/// Names of std's constants that are hardly used for anything else.
const CONSTANTS: [&str; 17] = [
    "PI",
    "TAU",
    "SQRT_2",
    "LN_2",
    "LN_10",
    "LOG2_E",
    "LOG10_E",
    "FRAC_PI_2",
    "FRAC_PI_3",
    "FRAC_PI_4",
    "FRAC_PI_6",
    "FRAC_PI_8",
    "FRAC_1_PI",
    "FRAC_2_PI",
    "FRAC_2_SQRT_PI",
    "FRAC_1_SQRT_2",
    "EULER_GAMMA",
];

/// The item of the float that a path names: `exp` of `f64::exp`.
pub fn item_of_float(path: &ExprPath, float: &str) -> Option<String> {
    let segments = &path.path.segments;
    let last = segments.last()?.ident.to_string();
    if let Some(qself) = &path.qself {
        let is_float = matches!(&*qself.ty, Type::Path(path) if is_float(&path.path, float));
        return (is_float && segments.len() == 1).then_some(last);
    }
    let owner = segments.iter().rev().nth(1)?;
    let root = segments.first()?.ident.to_string();
    let known = segments.len() == 2 || (segments.len() == 3 && (root == "std" || root == "core"));
    (known && owner.ident == float).then_some(last)
}

fn is_shouted(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

impl Body<'_> {
    /// Whether the expression stays of the float's type.
    pub fn is_constant(&self, e: &Expr) -> bool {
        let float = self.context.bound.float;
        match e {
            Expr::Lit(e) => matches!(&e.lit, Lit::Float(x) if x.suffix().is_empty() || x.suffix() == float),
            Expr::Paren(e) => self.is_constant(&e.expr),
            Expr::Group(e) => self.is_constant(&e.expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => self.is_constant(&e.expr),
            Expr::Binary(e) if is_arithmetic(&e.op) => {
                self.is_constant(&e.left) && self.is_constant(&e.right)
            }
            Expr::Cast(e) => matches!(&*e.ty, Type::Path(path) if is_float(&path.path, float)),
            Expr::Path(path) => self.is_constant_path(path),
            Expr::MethodCall(e) => {
                let is_integer = |e: &Expr| matches!(e, Expr::Lit(e) if matches!(e.lit, Lit::Int(_)));
                let all = |e: &Expr| is_integer(e) || is_negated(e, is_integer) || self.is_constant(e);
                is_float_method(&e.method.to_string())
                    && self.is_constant(&e.receiver)
                    && e.args.iter().all(all)
            }
            Expr::Call(e) => {
                let Expr::Path(path) = &*e.func else { return false };
                match item_of_float(path, float).as_deref() {
                    // `from` of an integer, unless the argument is known to be a number.
                    Some("from") => e.args.iter().all(|e| !self.is_number(e)),
                    Some("from_bits") => true,
                    Some(_) => e.args.iter().all(|e| self.is_constant(e)),
                    None => false,
                }
            }
            Expr::Unary(_) | Expr::Index(_) | Expr::Field(_) => self
                .type_of(e)
                .is_some_and(|(ty, data)| data && matches!(&ty, Type::Path(p) if is_float(&p.path, float))),
            _ => false,
        }
    }
    fn is_constant_path(&self, path: &ExprPath) -> bool {
        let float = self.context.bound.float;
        if let Some(name) = path.path.get_ident().map(ToString::to_string)
            && let Some(local) = self.local(&name)
        {
            return match local {
                Local::Constant => true,
                Local::Typed(ty, true) => matches!(&**ty, Type::Path(path) if is_float(&path.path, float)),
                _ => false,
            };
        }
        if let Some(item) = item_of_float(path, float) {
            return is_shouted(&item);
        }
        path.qself.is_none() && (self.is_known(&path.path) || is_of_std(&path.path))
    }
    fn is_known(&self, path: &Path) -> bool {
        Names::key(path).is_some_and(|key| self.context.names.constants.contains(&key))
    }
    /// The type of a path expression that begins with a typed name, and whether it is data.
    pub fn type_of(&self, e: &Expr) -> Option<(Type, bool)> {
        match e {
            Expr::Path(path) => match self.local(&path.path.get_ident()?.to_string())? {
                Local::Typed(ty, data) => Some(((**ty).clone(), *data)),
                _ => None,
            },
            Expr::Paren(e) => self.type_of(&e.expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => match self.type_of(&e.expr)? {
                (Type::Reference(r), data) => Some((*r.elem, data)),
                _ => None,
            },
            Expr::Index(e) if !matches!(&*e.index, Expr::Range(_)) => {
                let (ty, data) = self.type_of(&e.expr)?;
                Some((element(&ty)?, data))
            }
            Expr::Field(e) => {
                let syn::Member::Named(name) = &e.member else { return None };
                self.context.names.field_types.get(&name.to_string())?.clone()
            }
            _ => None,
        }
    }
    /// Whether the expression is a number, judged by its form.
    pub fn is_number(&self, e: &Expr) -> bool {
        let float = self.context.bound.float;
        match e {
            Expr::Paren(e) => self.is_number(&e.expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => self.is_number(&e.expr),
            Expr::Binary(e) if is_arithmetic(&e.op) => {
                let is = |e: &Expr| self.is_number(e) || self.is_constant(e);
                // A product with a vector is not a number.
                if self.context.bound.vectors {
                    is(&e.left) && is(&e.right)
                } else {
                    is(&e.left) || is(&e.right)
                }
            }
            Expr::MethodCall(e) => {
                let name = e.method.to_string();
                // Integers have the others too, and matrices have functions.
                let of_floats_only = !" abs clamp max min div_euclid rem_euclid signum "
                    .contains(&format!(" {name} "))
                    && !self.context.bound.vectors;
                is_float_method(&name) && (of_floats_only || self.is_number(&e.receiver))
            }
            Expr::Call(e) => {
                matches!(&*e.func, Expr::Path(path) if item_of_float(path, float).is_some_and(|name| is_float_method(&name)))
            }
            _ => self
                .type_of(e)
                .is_some_and(|(ty, data)| !data && matches!(&ty, Type::Path(p) if is_float(&p.path, float))),
        }
    }
}

fn is_negated(e: &Expr, is: impl Fn(&Expr) -> bool) -> bool {
    matches!(e, Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) && is(&e.expr))
}

/// `std::f64::consts::PI`, `consts::PI` or `PI`.
fn is_of_std(path: &Path) -> bool {
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match &segments[..] {
        [name] => CONSTANTS.contains(&name.as_str()),
        [.., module, name] => module == "consts" && is_shouted(name),
        _ => false,
    }
}

/// The element of an array, a slice or a `Vec`, through references.
pub fn element(ty: &Type) -> Option<Type> {
    match ty {
        Type::Reference(r) => element(&r.elem),
        Type::Array(array) => Some((*array.elem).clone()),
        Type::Slice(slice) => Some((*slice.elem).clone()),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            match arguments.args.first()? {
                syn::GenericArgument::Type(ty) if last.ident == "Vec" => Some(ty.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `+ − × ÷ %`.
pub fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

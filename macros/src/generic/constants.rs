//! The expressions that have type `f64` after the translation, too: literals, constants, casts, data.

use syn::{BinOp, ExprPath, Path, Type};

use super::names::Names;

/// Methods of a float with a float as the result.
const METHODS: &str = " abs acos acosh asin asinh atan atan2 atanh cbrt ceil clamp copysign cos cosh div_euclid exp \
    exp2 exp_m1 floor fract hypot ln ln_1p log log10 log2 max midpoint min mul_add powf powi recip rem_euclid round \
    round_ties_even signum sin sinh sqrt tan tanh to_degrees to_radians trunc ";

/// Whether it is a method of a float with a float as the result.
pub fn is_float_method(name: &str) -> bool {
    METHODS.contains(&format!(" {name} "))
}

/// Whether std has a method of this name that is not stable: data have this crate's.
pub fn is_unstable(name: &str) -> bool {
    matches!(name, "erf" | "erfc" | "gamma" | "ln_gamma")
}

/// Whether it is a method of a number whose argument is data: two shapes.
pub fn has_shape(name: &str) -> bool {
    matches!(name, "beta_i" | "beta_pdf")
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

impl Names {
    /// The item of the float that a path names: `exp` of `f64::exp`.
    pub fn item_of_float(&self, path: &ExprPath) -> Option<String> {
        let mut owner = path.path.clone();
        let last = owner.segments.pop()?.into_value().ident.to_string();
        owner.segments.pop_punct();
        let is_float = match &path.qself {
            Some(qself) => owner.segments.is_empty() && self.is_float_type(&qself.ty),
            None => !owner.segments.is_empty() && self.is_float(&owner),
        };
        is_float.then_some(last)
    }
    /// Whether a path names a constant of std: `std::f64::consts::PI`, `consts::PI` or `PI`.
    pub fn is_of_std(&self, path: &Path) -> bool {
        let key = self.key(path);
        let path: Vec<&str> = key.strip_prefix("::").unwrap_or_default().split("::").collect();
        match &path[..] {
            [name] => CONSTANTS.contains(name),
            [.., module, name] => *module == "consts" && is_shouted(name),
            _ => false,
        }
    }
    pub fn is_float_type(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(path) if path.qself.is_none() && self.is_float(&path.path))
    }
}

/// Whether the module of std's constants has a constant of this name.
pub fn is_constant_of_std(name: &str) -> bool {
    name == "E" || CONSTANTS.contains(&name)
}

/// Whether it is an integer among the constants of a float.
pub fn is_integer_of_float(name: &str) -> bool {
    " RADIX MANTISSA_DIGITS DIGITS MIN_EXP MAX_EXP MIN_10_EXP MAX_10_EXP ".contains(&format!(" {name} "))
}

pub fn is_shouted(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

/// The method of an operator of two structs.
pub fn method_of_operator(op: &BinOp) -> &'static str {
    match op {
        BinOp::Add(_) => "add",
        BinOp::Sub(_) => "sub",
        BinOp::Mul(_) => "mul",
        BinOp::Div(_) => "div",
        _ => "rem",
    }
}

/// `+ − × ÷ %`.
pub fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

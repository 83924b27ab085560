//! The expressions that have type `f64` after the translation, too: literals, constants, casts, data.

use syn::{BinOp, ExprPath, Path, Type};

use super::names::is_float;

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

pub fn is_shouted(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

/// `std::f64::consts::PI`, `consts::PI` or `PI`.
pub fn is_of_std(path: &Path) -> bool {
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match &segments[..] {
        [name] => CONSTANTS.contains(&name.as_str()),
        [.., module, name] => module == "consts" && is_shouted(name),
        _ => false,
    }
}

/// `+ − × ÷ %`.
pub fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

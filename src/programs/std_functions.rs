//! Rules whose value is a function of std: machine code calls it by address, source code by name.

use std::any::TypeId;

use crate::rules;

/// A rule whose value is a method of `f64`.
#[derive(Clone, Copy)]
pub(super) struct Direct {
    /// The method.
    pub(super) method: &'static str,
    /// The function of the crate `libm`; none if `f64` has the method without std.
    pub(super) libm: Option<&'static str>,
    /// The function that machine code calls, of one or two floats.
    #[cfg_attr(not(feature = "jit"), allow(dead_code))]
    pub(super) pointer: *const u8,
}

macro_rules! libm {
    (core) => {
        None
    };
    ($name:ident) => {
        Some(stringify!($name))
    };
}

macro_rules! pointer {
    ($method:ident [$x:ident $($y:ident)?]) => {{
        extern "C" fn pointer($x: f64 $(, $y: f64)?) -> f64 {
            $x.$method($($y)?)
        }
        pointer as *const u8
    }};
}

/// The functions of rules without data, by their variables: rule, method of `f64`, function of libm or `core`.
macro_rules! direct {
    ($($variables:tt { $($Rule:ident $method:ident $libm:ident;)* })*) => {
        /// The function of the rule of this type, if it is one of std.
        pub(super) fn direct(kind: TypeId) -> Option<Direct> {
            $($(if kind == TypeId::of::<rules::$Rule>() {
                return Some(Direct { method: stringify!($method), libm: libm!($libm), pointer: pointer!($method $variables) });
            })*)*
            None
        }
    };
}

direct! {
    [x] {
        Sqrt sqrt sqrt; Cbrt cbrt cbrt; Exp exp exp; Exp2 exp2 exp2; ExpM1 exp_m1 expm1; Ln ln log; Log2 log2 log2;
        Log10 log10 log10; Ln1p ln_1p log1p; Sin sin sin; Cos cos cos; Tan tan tan; Asin asin asin; Acos acos acos;
        Atan atan atan; Sinh sinh sinh; Cosh cosh cosh; Tanh tanh tanh; Asinh asinh asinh; Acosh acosh acosh;
        Atanh atanh atanh; Floor floor floor; Ceil ceil ceil; Round round round; Trunc trunc trunc; Abs abs core;
        Signum signum core; Recip recip core; ToDegrees to_degrees core; ToRadians to_radians core;
    }
    [x y] {
        Hypot hypot hypot; Atan2 atan2 atan2; Max max core; Min min core; Powf powf pow; Powc powf pow;
    }
}

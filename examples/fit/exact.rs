//! Numbers of 192 bits for residuals that `f64` cannot resolve.
//!
//! Where a model fits to the last digits (Lanczos1: residuals of 1e-13 on data of size 1), the rounding of the
//! model's value in `f64` is a visible part of the residual. The residuals of the final estimate are then computed
//! again in this type, from the decimal digits of the data.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

use astro_float_num::{BigFloat, Consts, Radix, RoundingMode};

const BITS: usize = 192;
const NEAREST: RoundingMode = RoundingMode::ToEven;
/// For functions, whose last bits do not matter. With correct rounding the crate computes until it has the next bit,
/// which takes forever if the result is exact, such as 4^½.
const FAITHFUL: RoundingMode = RoundingMode::None;

/// A floating-point number of 192 bits. An undefined result is NaN, as in `f64`.
#[derive(Clone, Debug)]
pub struct Exact(BigFloat);

thread_local! {
    /// π, ln 2 and the like, computed when first needed.
    static CONSTANTS: RefCell<Option<Consts>> = RefCell::new(Consts::new().ok());
}

fn with_constants(operation: impl FnOnce(&mut Consts) -> BigFloat) -> Exact {
    CONSTANTS.with_borrow_mut(|constants| Exact(constants.as_mut().map_or(BigFloat::nan(None), operation)))
}

macro_rules! functions {
    ($($name:ident)*) => { $(
        pub fn $name(self) -> Exact {
            with_constants(|constants| self.0.$name(BITS, FAITHFUL, constants))
        }
    )* };
}

impl Exact {
    functions!(exp ln log2 log10 sin cos tan asin acos atan sinh cosh tanh);

    pub fn sqrt(self) -> Exact {
        Exact(self.0.sqrt(BITS, FAITHFUL))
    }

    pub fn cbrt(self) -> Exact {
        Exact(self.0.cbrt(BITS, FAITHFUL))
    }

    pub fn abs(self) -> Exact {
        Exact(self.0.abs())
    }

    pub fn pi() -> Exact {
        with_constants(|constants| constants.pi(BITS, FAITHFUL))
    }

    /// As `f64::powf`: a negative number has its integer powers. An exponent counts as an integer if it is one up to
    /// the rounding of its computation.
    pub fn powf(self, exponent: Exact) -> Exact {
        const MOST: f64 = 1e6;
        let integer = exponent.to_f64().round();
        let distance = (exponent.clone() - Exact::from(integer)).to_f64().abs();
        if integer.abs() > MOST || distance > 1e-40 || distance.is_nan() {
            return (exponent * self.ln()).exp();
        }
        let power = Exact(self.0.powi(integer.abs() as usize, BITS, FAITHFUL));
        if integer < 0.0 { Exact::from(1.0) / power } else { power }
    }

    /// The nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        // The decimal form is the only way out of the number type.
        self.0.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl From<f64> for Exact {
    fn from(value: f64) -> Exact {
        if value.is_subnormal() {
            // `from_f64` takes half of it.
            const SCALE: f64 = (1_u64 << 52) as f64;
            return Exact::from(value * SCALE) / Exact::from(SCALE);
        }
        Exact(BigFloat::from_f64(value, BITS))
    }
}

/// The placeholder that `exmex` uses.
impl Default for Exact {
    fn default() -> Exact {
        Exact::from(0.0)
    }
}

impl FromStr for Exact {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Exact, Self::Err> {
        let number = with_constants(|constants| BigFloat::parse(text, Radix::Dec, BITS, NEAREST, constants));
        if number.0.is_nan() { Err("not a number") } else { Ok(number) }
    }
}

impl Neg for Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        Exact(self.0.neg())
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident)*) => { $(
        impl $Trait for Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                Exact(self.0.$method(&other.0, BITS, NEAREST))
            }
        }
    )* };
}
operators!(Add add Sub sub Mul mul Div div);

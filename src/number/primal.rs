//! Primal numbers: f32, f64 and complex numbers of them. They have no tangents.

use core::fmt::{LowerExp, UpperExp};
use core::num::ParseFloatError;
use core::str::FromStr;
use num_complex::Complex;
use num_traits::{Euclid, Float, FloatConst, FromPrimitive, MulAdd};

use super::{Number, Passive, Real};
#[cfg(feature = "std")]
use crate::error::AdError;
#[cfg(feature = "std")]
use crate::lift::Primitive;
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// A base float, `f32` or `f64`: the innermost component type of the numbers.
///
/// The trait is sealed: operators such as `Dual<T> * f64` rely on no other type implementing it.
///
/// The methods of [`Real`] are available here too, including the special functions, and so are your functions over
/// `T: Real`.
///
/// ```
/// use wengert::BaseFloat;
/// fn normal_cdf<F: BaseFloat>(x: F) -> F {
///     (-x / F::from_double(2.0).sqrt()).erfc() * F::from_double(0.5)
/// }
/// assert_eq!((normal_cdf(0.0_f64), normal_cdf(0.0_f32)), (0.5, 0.5));
/// assert_eq!(f32::from_double(0.1).to_double(), 0.1f32 as f64);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a base float",
    note = "arithmetic mixes a number with its base float and with its own type one level down: `Var<Var<f64>>` with `Var<f64>`",
    note = "an integer becomes a number by `n as f64`; convert a number of another type explicitly, by the type of the other operand: `Dual::constant(x)`, `Var::constant(x)`, `Taylor::constant(x)`, …",
    note = "a derivative inside generic code is the same: `gradient(|y| y[0] - Var::constant(x), …)`, `second_derivative(|y| y - Taylor::constant(x), …)`, for `hessian` `Var::constant(DualN::constant(x))`; the bound `BaseFloat` admits `f32` and `f64` only"
)]
pub trait BaseFloat:
    Real<Base = Self, Primal = Self>
    + FloatConst
    + FromPrimitive
    + approx::RelativeEq<Epsilon = Self>
    + approx::UlpsEq<Epsilon = Self>
    + LowerExp
    + UpperExp
    + FromStr<Err = ParseFloatError>
    + sealed::Closed
{
    /// The nearest float to a double.
    fn from_double(x: f64) -> Self;
    /// The double that equals this float.
    fn to_double(self) -> f64;
    /// This type with num-traits' functions, which the rules of the table use for values.
    #[doc(hidden)]
    type Own: BaseFloat + Float + Euclid;
    #[doc(hidden)]
    fn own(self) -> Self::Own;
    #[doc(hidden)]
    fn of_own(x: Self::Own) -> Self;
}

/// `2^exponent`.
pub(crate) fn power_of_two<B: BaseFloat>(exponent: i32) -> B {
    B::from_double(libm::scalbn(1.0, exponent))
}

mod sealed {
    pub trait Closed {}
    impl Closed for f32 {}
    impl Closed for f64 {}
}

/// A primal number, without tangents: f32, f64 or `Complex` of them. Matrix kernels run on these.
///
/// A function over primal numbers runs on real and on complex ones:
///
/// ```
/// use num_complex::Complex;
/// use wengert::primitive::PrimalNumber;
/// fn modulus_squared<P: PrimalNumber>(z: P) -> P { z.conj() * z }
/// assert_eq!(modulus_squared(3.0), 9.0);
/// assert_eq!(modulus_squared(Complex::new(3.0, 4.0)), Complex::new(25.0, 0.0));
/// ```
pub trait PrimalNumber: Number<Primal = Self> + Field<RealField = <Self as Number>::Base> + Passive {
    /// `xa + b`, rounded once.
    #[doc(hidden)]
    fn fused(x: Self, a: Self, b: Self) -> Self;
}

macro_rules! fused {
    ($($P:ty)*) => {$(
        impl PrimalNumber for $P {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn fused(x: Self, a: Self, b: Self) -> Self {
                MulAdd::mul_add(x, a, b)
            }
        }
    )*};
}
fused!(f32 f64 Complex<f32> Complex<f64>);

no_derivatives!(f32, f64, Complex<f32>, Complex<f64>);

/// The requirements of matrix kernels on a number.
#[cfg(feature = "nalgebra")]
pub use simba::scalar::ComplexField as Field;
/// No requirements without matrix kernels.
#[cfg(not(feature = "nalgebra"))]
pub trait Field {
    /// The type of real parts.
    type RealField;
}
#[cfg(not(feature = "nalgebra"))]
macro_rules! bare {
    ($($F:ident)*) => {$(
        impl Field for $F {
            type RealField = $F;
        }
        impl Field for Complex<$F> {
            type RealField = $F;
        }
    )*};
}
#[cfg(not(feature = "nalgebra"))]
bare!(f32 f64);

/// A primal number: without derivatives, and its own innermost value.
macro_rules! primal {
    () => {
        type Primal = Self;
        const ORDER: usize = 0;
        const RECORDS: bool = false;
        const TRACES: bool = false;
        const PLAIN: bool = true;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn innermost(self) -> Self {
            self
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn with_innermost(self, value: Self) -> Self {
            value
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn constant_of(value: Self) -> Self {
            value
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn detach(self) -> Self {
            self
        }
        #[inline]
        fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
            PrimalNumber::fused(self, a.into(), b.into())
        }
        #[cfg(feature = "std")]
        fn lift_primitive<R: Primitive<Self>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
            rule.value(x)
        }
    };
}

macro_rules! real_primal {
    ($($F:ident)*) => {$(
        impl BaseFloat for $F {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_double(x: f64) -> Self {
                x as $F
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_double(self) -> f64 {
                self as f64
            }
            type Own = $F;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn own(self) -> $F {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn of_own(x: $F) -> $F {
                x
            }
        }
        impl Number for $F {
            type Base = $F;
            type Over<S: Real> = S;
            primal!();
            own_real!();
            own_part!();
            const IS_F64: bool = size_of::<$F>() == 8;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn base(x: $F) -> Self {
                x
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn magnitude(self) -> $F {
                <$F>::abs(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn component_sum(self) -> $F {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn all_finite(self) -> bool {
                <$F>::is_finite(self)
            }
            fn visit(self, each: &mut dyn FnMut(f64)) {
                each(self.to_double());
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn map_components(self, f: impl Fn($F) -> $F + Copy) -> Self {
                f(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn value_sum(self) -> $F {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_constant(self) -> bool {
                true
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_exactly_zero(self) -> bool {
                self == 0.0
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn strong_mul(self, tangent: Self) -> Self {
                if tangent == 0.0 { 0.0 } else { self * tangent }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn strong_both(self, tangent: Self) -> Self {
                if (self == 0.0) | (tangent == 0.0) { 0.0 } else { self * tangent }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn nan_like(self) -> Self {
                <$F>::NAN
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn zip_components(self, other: Self, f: impl Fn($F, $F) -> $F + Copy) -> Self {
                f(self, other)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mask_inactive(self, _: Self) -> Self {
                self
            }
        }
        impl Real for $F {
            type Complex = Complex<$F>;
            type Pair = Complex<$F>;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn primal(self) -> $F {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lift1<U: Unary>(self, rule: U) -> Self {
                rule.value(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
                rule.value(self, y)
            }
        }
    )*};
}
real_primal!(f32 f64);

macro_rules! complex_primal {
    ($($F:ident)*) => {$(
        impl Number for Complex<$F> {
            type Base = $F;
            primal!();
            type Re = $F;
            own_pair!(#[cfg_attr(not(debug_assertions), inline(always))]);
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn magnitude(self) -> $F {
                Float::abs(self.re) + Float::abs(self.im)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
                rule.value_complex(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
                rule.value_complex(self, y)
            }
        }
    )*};
}
complex_primal!(f32 f64);

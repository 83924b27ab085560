//! The requirements of the forward workloads on a number, for the types of all peers: their own traits differ.

use std::ops::{Add, Div, Mul, Sub};

use ad_trait::AD;
use ad_trait::forward_ad::adfn::adfn;
use ad_trait::hyper_ad::{hyper::HyperAD_ADFN, hyper_adr::HyperAD_ADR};
use ad_trait::nalgebra::ComplexField;
use num_dual::DualNum;
use num_traits::Float;

/// A number of a peer. Constants are `f64` wherever the peer has operations with them.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn lit(x: f64) -> Self;
    fn plus(self, c: f64) -> Self;
    fn times(self, c: f64) -> Self;
    fn sin(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
}

/// Implements [`Number`] by the functions of a peer's trait, given how it lifts, adds and multiplies constants.
macro_rules! number {
    ($type:ty, $([$($generics:tt)*],)? $trait:ident, $lit:expr, $plus:expr, $times:expr) => {
        impl$(<$($generics)*>)? Number for $type {
            #[inline(always)]
            fn lit(x: f64) -> Self {
                $lit(x)
            }
            #[inline(always)]
            fn plus(self, c: f64) -> Self {
                $plus(self, c)
            }
            #[inline(always)]
            fn times(self, c: f64) -> Self {
                $times(self, c)
            }
            number!(@ $trait: sin exp ln sqrt);
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                $trait::sin_cos(number!(@self $trait self))
            }
        }
    };
    (@ $trait:ident: $($name:ident)*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            $trait::$name(number!(@self $trait self))
        }
    )*};
    (@self DualNum $x:ident) => { &$x };
    (@self $trait:ident $x:ident) => { $x };
}

number!(wengert::Var<f64>, Float, Self::constant, Add::add, Mul::mul);
number!(wengert::DualN<f64, N>, [const N: usize], Float, Self::constant, Add::add, Mul::mul);
number!(echidna::Dual<f64>, Float, Self::constant, Add::add, Mul::mul);
number!(echidna::DualVec<f64, N>, [const N: usize], Float, Self::constant, Add::add, Mul::mul);
number!(echidna::BReverse<f64>, Float, Self::constant, Add::add, Mul::mul);
number!(
    echidna::DualVec<echidna::DualVec<f64, N>, N>,
    [const N: usize],
    Float,
    |x| Self::constant(echidna::DualVec::constant(x)),
    |x, c| x + Self::lit(c),
    |x, c| x * Self::lit(c)
);
number!(num_dual::Dual64, DualNum, Self::from_re, Add::add, Mul::mul);
number!(num_dual::DualSVec64<N>, [const N: usize], DualNum, Self::from_re, Add::add, Mul::mul);
number!(num_dual::HyperDual64, DualNum, Self::from_re, Add::add, Mul::mul);
number!(num_dual::Dual2SVec64<N>, [const N: usize], DualNum, Self::from_re, Add::add, Mul::mul);
number!(
    adfn<N>,
    [const N: usize],
    ComplexField,
    <Self as AD>::constant,
    |x, c| AD::add_scalar(c, x),
    |x, c| AD::mul_scalar(c, x)
);
number!(
    HyperAD_ADFN<N>,
    [const N: usize],
    ComplexField,
    <Self as AD>::constant,
    |x, c| AD::add_scalar(c, x),
    |x, c| AD::mul_scalar(c, x)
);
number!(
    HyperAD_ADR<N>,
    [const N: usize],
    ComplexField,
    <Self as AD>::constant,
    |x, c| AD::add_scalar(c, x),
    |x, c| AD::mul_scalar(c, x)
);
number!(autodiff::F1, Float, Self::cst, Add::add, Mul::mul);
number!(
    autodiff::F<autodiff::F1, autodiff::F1>,
    Float,
    |x: f64| Self::cst(autodiff::F1::cst(x)),
    |x, c: f64| x + autodiff::F1::cst(c),
    |x, c: f64| x * autodiff::F1::cst(c)
);
number!(hyperdual::Hyperdual<f64, N>, [const N: usize], Float, Self::from_real, Add::add, Mul::mul);

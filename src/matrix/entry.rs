//! What the entries of a matrix may be.

use core::fmt::Debug;
use core::ops::Neg;

use num_traits::{Num, NumAssign};

use crate::error::AdError;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// A number that matrices may hold: every [`Number`].
///
/// The methods are those of `Number` as far as functions of matrices use them, under names of their own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no entry of a matrix for `wengert::matrix`",
    note = "entries are f32, f64, `Complex` of them, and Dual, DualN, Dual2, HyperDual and Var of numbers"
)]
pub trait Entry: Copy + Debug + PartialEq + 'static + Num + NumAssign + Neg<Output = Self> {
    /// The machine float at the bottom.
    type Base: BaseFloat;
    /// The machine number at the bottom.
    type Primal: Machine<Base = Self::Base>;
    /// The type of real parts.
    type Re: Real<Base = Self::Base>;
    /// Whether imaginary parts are zero by type.
    const IS_REAL: bool;
    /// Applies a primitive to groups of entries.
    #[doc(hidden)]
    fn lift<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError>;
    /// A constant.
    fn constant(x: f64) -> Self;
    /// A constant from a machine number.
    fn from_primal(x: Self::Primal) -> Self;
    /// The value at the bottom, without any tangent.
    fn primal_value(self) -> Self::Primal;
    /// `|x|` of the innermost value, `|re| + |im|` for a complex one.
    fn size(self) -> Self::Base;
    /// The complex conjugate.
    fn conjugated(self) -> Self;
    /// The real part.
    fn real_part(self) -> Self::Re;
    /// The imaginary part.
    fn imaginary_part(self) -> Self::Re;
    /// A number of real and imaginary part; of a real type, the real part alone.
    fn from_parts(re: Self::Re, im: Self::Re) -> Self;
    /// A number without imaginary part.
    fn from_real(re: Self::Re) -> Self {
        Self::from_parts(re, Self::Re::lit(0.0))
    }
    /// Whether the number is exactly zero in every component.
    #[doc(hidden)]
    fn is_all_zero(self) -> bool;
    /// The product, zero wherever a component of `x` is exactly zero.
    #[doc(hidden)]
    fn times_strongly(self, x: Self) -> Self;
    /// The sum of all items; one step on a tape.
    #[doc(hidden)]
    fn sum_of<I: Iterator<Item = Self>>(items: I) -> Self;
    /// The product of all items; one step on a tape.
    #[doc(hidden)]
    fn product_of<I: Iterator<Item = Self>>(items: I) -> Self;
    /// `Σ xᵢyᵢ`; one step on a tape.
    #[doc(hidden)]
    fn sum_of_products<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self;
}

impl<S: Number> Entry for S {
    type Base = S::Base;
    type Primal = S::Primal;
    type Re = S::Re;
    const IS_REAL: bool = S::REAL;
    #[inline(always)]
    fn lift<R: Primitive<S::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        S::lift_primitive(rule, x)
    }
    #[inline(always)]
    fn constant(x: f64) -> Self {
        S::lit(x)
    }
    #[inline(always)]
    fn from_primal(x: S::Primal) -> Self {
        S::constant_of(x)
    }
    #[inline(always)]
    fn primal_value(self) -> S::Primal {
        self.innermost()
    }
    #[inline(always)]
    fn size(self) -> S::Base {
        self.magnitude()
    }
    #[inline(always)]
    fn conjugated(self) -> Self {
        self.conj()
    }
    #[inline(always)]
    fn real_part(self) -> S::Re {
        self.re()
    }
    #[inline(always)]
    fn imaginary_part(self) -> S::Re {
        self.im()
    }
    /// `re + i·im`, with `i = √−1` of the type.
    #[inline]
    fn from_parts(re: S::Re, im: S::Re) -> Self {
        let re = S::from_re(re);
        if S::REAL { re } else { re + S::from_re(im) * S::constant_of(Number::sqrt(S::Primal::lit(-1.0))) }
    }
    #[inline(always)]
    fn from_real(re: S::Re) -> Self {
        S::from_re(re)
    }
    #[inline(always)]
    fn is_all_zero(self) -> bool {
        self.is_exactly_zero()
    }
    #[inline(always)]
    fn times_strongly(self, x: Self) -> Self {
        self.strong_mul(x)
    }
    #[inline(always)]
    fn sum_of<I: Iterator<Item = Self>>(items: I) -> Self {
        S::total(items)
    }
    #[inline(always)]
    fn product_of<I: Iterator<Item = Self>>(items: I) -> Self {
        S::multiplied(items)
    }
    #[inline(always)]
    fn sum_of_products<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        S::inner_product(pairs)
    }
}

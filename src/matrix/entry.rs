//! What the entries of a matrix may be.

use core::fmt::Debug;
use core::ops::Neg;

use num_traits::{Float, Num, NumAssign};

use crate::error::AdError;
use crate::lift::Primitive;
use crate::number::{AsNumber, BaseFloat, Machine, Number, Real};

/// A number that matrices may hold: every [`Number`], and `Complex<T>` of every real one with derivatives.
///
/// The methods are those of `Number` as far as functions of matrices use them, under names of their own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no entry of a matrix for `wengert::matrix`",
    note = "entries are f32, f64, Dual, DualN, Dual2, HyperDual and Var of numbers, `Complex` of any of these, ComplexVar"
)]
pub trait Entry: Copy + Debug + PartialEq + 'static + Num + NumAssign + Neg<Output = Self> {
    /// The machine float at the bottom.
    type Base: BaseFloat + Float;
    /// The machine number at the bottom.
    type Primal: Machine<Base = Self::Base>;
    /// The type of real parts.
    type Re: Real<Base = Self::Base>;
    /// Whether imaginary parts are zero by type.
    const IS_REAL: bool;
    /// Whether the type has no tangents at all.
    #[doc(hidden)]
    const PLAIN: bool;
    /// Whether arithmetic is recorded on a tape.
    #[doc(hidden)]
    const RECORDS: bool;
    /// Applies a primitive to groups of entries.
    #[doc(hidden)]
    #[track_caller]
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
    /// The logarithm by the rule.
    #[doc(hidden)]
    fn logarithm(self) -> Self;
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

impl<S> Entry for S
where
    S: AsNumber + Debug + PartialEq + 'static + Num + NumAssign + Neg<Output = Self>,
{
    type Base = <S::Number as Number>::Base;
    type Primal = <S::Number as Number>::Primal;
    type Re = <S::Number as Number>::Re;
    const IS_REAL: bool = S::Number::REAL;
    const PLAIN: bool = <S::Number as Number>::PLAIN;
    const RECORDS: bool = <S::Number as Number>::RECORDS;
    #[inline(always)]
    fn lift<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        S::lift_groups(rule, x)
    }
    #[inline(always)]
    fn constant(x: f64) -> Self {
        S::from_number(S::Number::lit(x))
    }
    #[inline(always)]
    fn from_primal(x: Self::Primal) -> Self {
        S::from_number(S::Number::constant_of(x))
    }
    #[inline(always)]
    fn primal_value(self) -> Self::Primal {
        self.as_number().innermost()
    }
    #[inline(always)]
    fn size(self) -> Self::Base {
        self.as_number().magnitude()
    }
    #[inline(always)]
    fn conjugated(self) -> Self {
        S::from_number(self.as_number().conj())
    }
    #[inline(always)]
    fn real_part(self) -> Self::Re {
        self.as_number().re()
    }
    #[inline(always)]
    fn imaginary_part(self) -> Self::Re {
        self.as_number().im()
    }
    #[inline(always)]
    fn from_parts(re: Self::Re, im: Self::Re) -> Self {
        S::from_number(<S::Number as Number>::from_parts(re, im))
    }
    #[inline(always)]
    fn from_real(re: Self::Re) -> Self {
        S::from_number(S::Number::from_re(re))
    }
    #[inline(always)]
    fn is_all_zero(self) -> bool {
        self.as_number().is_exactly_zero()
    }
    #[inline(always)]
    fn times_strongly(self, x: Self) -> Self {
        S::from_number(self.as_number().strong_mul(x.as_number()))
    }
    #[inline(always)]
    fn logarithm(self) -> Self {
        S::from_number(Number::ln(self.as_number()))
    }
    #[inline(always)]
    fn sum_of<I: Iterator<Item = Self>>(items: I) -> Self {
        S::from_number(S::Number::total(items.map(S::as_number)))
    }
    #[inline(always)]
    fn product_of<I: Iterator<Item = Self>>(items: I) -> Self {
        S::from_number(S::Number::multiplied(items.map(S::as_number)))
    }
    #[inline(always)]
    fn sum_of_products<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        S::from_number(S::Number::inner_product(pairs.map(|(x, y)| (x.as_number(), y.as_number()))))
    }
}

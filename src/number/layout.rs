//! The two layouts of a complex number with derivatives: `Dual<Complex<f64>>`, which is a [`Number`], and
//! num-complex's `Complex<Dual<f64>>`. They have the same components in another order.

use core::fmt::Debug;
use core::ops::Neg;

use num_traits::{Float, Num, NumAssign};

use super::{BaseFloat, Number, PrimalNumber, Real};
#[cfg(feature = "std")]
use crate::error::AdError;
#[cfg(feature = "std")]
use crate::lift::{self, Primitive, map_groups, views};

/// A [`Number`] in either layout: a number, or `Complex<T>` of a real number `T`. Entries of
/// [matrices](crate::matrix) have this trait.
///
/// The methods are the methods of `Number` that functions over both layouts need, under other names.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{AsNumber, Dual};
/// let z = Complex::new(Dual::variable(3.0), Dual::constant(4.0));
/// let w: Dual<Complex<f64>> = z.as_number();
/// assert_eq!((w.value(), w.tangent()), (Complex::new(3.0, 4.0), Complex::new(1.0, 0.0)));
/// assert_eq!(Complex::<Dual<f64>>::from_number(w).re.tangent(), 1.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of wengert, and cannot be an entry of a matrix",
    note = "in a function over `T: Real` complex numbers are of the type `T::Complex`, not `Complex<T>`: `T::Complex::from_parts(x, y)`, and with `use wengert::Number` the methods `z.exp()`, `z.re()`, `z.im()`; see the guide's page \"Complex numbers inside real functions\"",
    note = "numbers are f32, f64, Dual, DualN, Dual2, HyperDual and Var of numbers, `Complex` of any of these, ComplexVar"
)]
pub trait AsNumber: Copy + Debug + PartialEq + 'static + Num + NumAssign + Neg<Output = Self> {
    /// The innermost base float.
    type Base: BaseFloat + Float;
    /// The innermost primal number.
    type Primal: PrimalNumber<Base = Self::Base>;
    /// The type of real parts.
    type Re: Real<Base = Self::Base>;
    /// This type in the layout of a `Number`.
    type Number: Number<Base = Self::Base, Primal = Self::Primal, Re = Self::Re>;
    /// The complex number over these real parts, for eigenvalues and eigenvectors.
    type Complex: AsNumber<Base = Self::Base, Re = Self::Re>;
    /// Whether imaginary parts are zero by type.
    const IS_REAL: bool = Self::Number::REAL;
    /// Whether the type has no tangents at all.
    #[doc(hidden)]
    const IS_PLAIN: bool = Self::Number::PLAIN;
    /// Whether arithmetic is recorded on a tape.
    #[doc(hidden)]
    const IS_RECORDED: bool = Self::Number::RECORDS;
    /// Converts to a `Number`.
    fn as_number(self) -> Self::Number;
    /// Converts from a `Number`.
    fn from_number(x: Self::Number) -> Self;
    /// Applies a primitive to groups of these.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[track_caller]
    fn lift<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        lift::through(rule, x, Self::as_number, Self::from_number)
    }
    /// Panics if numbers on tapes cannot be recorded together here.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn demand_one_tape(_groups: &[&[Self]]) {
        #[cfg(feature = "std")]
        if Self::IS_RECORDED {
            Number::demand_recordable(&views(&map_groups(_groups, Self::as_number)));
        }
    }
    /// As [`demand_one_tape`](Self::demand_one_tape), before a sum, which reports a misuse of plain variables itself.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn demand_one_tape_within(_groups: &[&[Self]]) {
        #[cfg(feature = "std")]
        if <Self::Number as Number>::Part::RECORDS {
            Self::demand_one_tape(_groups);
        }
    }
    /// A constant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: f64) -> Self {
        Self::from_number(Self::Number::lit(x))
    }
    /// A constant from a primal number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_primal(x: Self::Primal) -> Self {
        Self::from_number(Self::Number::constant_of(x))
    }
    /// The innermost value, without tangents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn primal_value(self) -> Self::Primal {
        self.as_number().innermost()
    }
    /// `|x|` of the innermost value, `|re| + |im|` for a complex one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn size(self) -> Self::Base {
        self.as_number().magnitude()
    }
    /// The complex conjugate.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn conjugated(self) -> Self {
        Self::from_number(self.as_number().conj())
    }
    /// The real part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn real_part(self) -> Self::Re {
        self.as_number().re()
    }
    /// The imaginary part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn imaginary_part(self) -> Self::Re {
        self.as_number().im()
    }
    /// A number from its real and imaginary part; for a real type, the real part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_parts(re: Self::Re, im: Self::Re) -> Self {
        Self::from_number(Number::from_parts(re, im))
    }
    /// A number with imaginary part zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_real(re: Self::Re) -> Self {
        Self::from_number(Self::Number::from_re(re))
    }
    /// The sum of all items; one step on a tape.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn sum_of<I: Iterator<Item = Self>>(items: I) -> Self {
        Self::from_number(Self::Number::total(items.map(Self::as_number)))
    }
    /// The product of all items; one step on a tape.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn product_of<I: Iterator<Item = Self>>(items: I) -> Self {
        Self::from_number(Self::Number::multiplied(items.map(Self::as_number)))
    }
    /// `Σ xᵢyᵢ` of slices of equal length; of real numbers one block on a tape if they are long.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn inner_product_of(x: &[Self], y: &[Self]) -> Self {
        Self::sum_of_products(x.iter().copied().zip(y.iter().copied()))
    }
    /// `Σ xᵢyᵢ`.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn sum_of_products<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        Self::from_number(Self::Number::inner_product(pairs.map(|(x, y)| (x.as_number(), y.as_number()))))
    }
}

impl<S: Number> AsNumber for S {
    type Base = S::Base;
    type Primal = S::Primal;
    type Re = S::Re;
    type Number = S;
    type Complex = <S::Re as Real>::Pair;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn as_number(self) -> S {
        self
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_number(x: S) -> S {
        x
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn inner_product_of(x: &[S], y: &[S]) -> S {
        S::dot(x, y)
    }
    #[cfg(feature = "std")]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn demand_one_tape(groups: &[&[S]]) {
        Number::demand_recordable(groups);
    }
    #[cfg(feature = "std")]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lift<R: Primitive<S::Primal>>(rule: &R, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        S::lift_primitive(rule, x)
    }
}

/// `Complex<T>` for each type `T` of numbers with derivatives.
macro_rules! complex_layout {
    (($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> $crate::number::AsNumber for num_complex::Complex<$Ty> {
            type Base = <$Ty as $crate::number::Number>::Base;
            type Primal = <Self::Number as $crate::number::Number>::Primal;
            type Re = $Ty;
            type Complex = Self;
            type Number = <$Ty as $crate::number::Real>::Complex;
            #[inline]
            fn as_number(self) -> Self::Number {
                $crate::number::Number::from_parts(self.re, self.im)
            }
            #[inline]
            fn from_number(x: Self::Number) -> Self {
                num_complex::Complex::new($crate::number::Number::re(x), $crate::number::Number::im(x))
            }
        }
    };
}

/// A number that is its own part: a primal number, or a number whose tangents are not parts.
macro_rules! own_part {
    () => {
        type Part = Self;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn of_part(value: Self) -> Self {
            value
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn map_parts(self, f: impl Fn(Self) -> Self + Copy) -> Self {
            f(self)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn zip_parts(
            self,
            other: Self,
            value: impl FnOnce(Self, Self) -> Self,
            _: impl Fn(Self, Self) -> Self + Copy,
        ) -> Self {
            value(self, other)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn fold_parts<A>(self, value: impl FnOnce(Self) -> A, _: impl Fn(A, Self) -> A) -> A {
            value(self)
        }
    };
}

/// A real number: it is its own real part, and rules of holomorphic functions are rules of real ones.
macro_rules! own_real {
    () => {
        type Re = Self;
        const REAL: bool = true;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn re(self) -> Self {
            self
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn im(self) -> Self {
            Self::lit(0.0)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn conj(self) -> Self {
            self
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn from_re(x: Self) -> Self {
            x
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
            self.lift1(rule)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self {
            self.lift2(y, rule)
        }
    };
}

/// A complex number as two real parts, without tangents of its own. The attribute is for the longer methods.
macro_rules! own_pair {
    ($(#[$long:meta])?) => {
        type Over<S: Real> = S::Complex;
        const REAL: bool = false;
        own_part!();
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn base(x: Self::Base) -> Self {
            Self::from_re(Self::Re::base(x))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn re(self) -> Self::Re {
            self.re
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn im(self) -> Self::Re {
            self.im
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn conj(self) -> Self {
            Self { re: self.re, im: -self.im }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn from_re(x: Self::Re) -> Self {
            Self { re: x, im: Self::Re::lit(0.0) }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn from_parts(re: Self::Re, im: Self::Re) -> Self {
            Self { re, im }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn component_sum(self) -> Self::Base {
            self.re.component_sum() + self.im.component_sum()
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn all_finite(self) -> bool {
            self.re.all_finite() & self.im.all_finite()
        }
        fn visit(self, each: &mut dyn FnMut(f64)) {
            [self.re, self.im].into_iter().for_each(|part| part.visit(each));
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn map_components(self, f: impl Fn(Self::Base) -> Self::Base + Copy) -> Self {
            Self { re: self.re.map_components(f), im: self.im.map_components(f) }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn value_sum(self) -> Self::Base {
            self.re.value_sum() + self.im.value_sum()
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn is_constant(self) -> bool {
            self.re.is_constant() && self.im.is_constant()
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn is_exactly_zero(self) -> bool {
            self.re.is_exactly_zero() && self.im.is_exactly_zero()
        }
        $(#[$long])?
        fn strong_mul(self, t: Self) -> Self {
            Self {
                re: self.re.strong_mul(t.re) - self.im.strong_mul(t.im),
                im: self.re.strong_mul(t.im) + self.im.strong_mul(t.re),
            }
        }
        $(#[$long])?
        fn strong_both(self, t: Self) -> Self {
            Self {
                re: self.re.strong_both(t.re) - self.im.strong_both(t.im),
                im: self.re.strong_both(t.im) + self.im.strong_both(t.re),
            }
        }
        $(#[$long])?
        fn nan_like(self) -> Self {
            Self { re: self.re.nan_like(), im: self.im.nan_like() }
        }
        $(#[$long])?
        fn zip_components(self, other: Self, f: impl Fn(Self::Base, Self::Base) -> Self::Base + Copy) -> Self {
            Self { re: self.re.zip_components(other.re, f), im: self.im.zip_components(other.im, f) }
        }
        $(#[$long])?
        fn mask_inactive(self, by: Self) -> Self {
            let by = by.re.union_activity(by.im);
            Self { re: self.re.mask_inactive(by), im: self.im.mask_inactive(by) }
        }
    };
}

//! Real numbers with constants and references on either side of an operator, in generic code.
//!
//! A bound on `T` implies only bounds on `T`. A bound on another type, such as `f64: Mul<T>` or `&T: Mul<T>`, has to
//! be repeated by each caller. [`Implies`] turns it into a bound on an associated type of `T`, and bounds on the
//! associated types of supertraits do follow from a trait.

use core::cmp::Ordering;
use core::fmt::{LowerExp, UpperExp};
use core::num::{FpCategory, ParseFloatError};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};
use core::str::FromStr;

use super::Real;

/// A [`Real`] number over the base float `B`, with constants and references on either side of an operator.
///
/// All real numbers of this crate over `f64` are `Scalar`, all over `f32` are `Scalar<f32>`. Generic code over
/// `T: Scalar` reads like code over `f64`: `2.0 * x`, `1.0 - x`, `0.0 < x`, and `v * w` of two references compile.
/// [`#[generic]`](macro@crate::generic) translates functions over `f64` to such code.
///
/// ```
/// use wengert::{Scalar, gradient};
/// fn rosenbrock<T: Scalar>(x: &[T]) -> T {
///     x.windows(2)
///         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
///         .sum()
/// }
/// assert_eq!(gradient(|x| rosenbrock(x), &[-1.0, 1.0, 2.0]), [-4.0, -400.0, 200.0]);
///
/// fn dot<T: Scalar>(data: &[f64], x: &[T]) -> T {
///     data.iter().zip(x).map(|(d, x)| d * x).sum() // &f64 × &T
/// }
/// assert_eq!(gradient(|x| dot(&[2.0, 3.0], x), &[1.0, 1.0]), [2.0, 3.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real number of wengert over `{B}` with constants on both sides of operators",
    note = "generic code that calls this function has the bound `T: Scalar`, which implies `T: Real<Base = f64>`",
    note = "`Scalar` holds for f64, and Dual, DualN, Dual2, HyperDual, Taylor and Var of any such number"
)]
pub trait Scalar<B = f64>:
    Real<Base = B>
    + LowerExp
    + UpperExp
    + FromStr<Err = ParseFloatError>
    + for<'r> Operators<&'r Self, Self>
    + for<'r> Operators<&'r B, Self>
    + for<'r> Assignments<&'r Self>
    + for<'r> Assignments<&'r B>
    + for<'l> Implies<
        &'l Self,
        Is: Operators<Self, Self>
                + Operators<B, Self>
                + for<'r> Operators<&'r Self, Self>
                + for<'r> Operators<&'r B, Self>
                + Neg<Output = Self>,
    > + Implies<
        B,
        Is: Operators<Self, Self> + for<'r> Operators<&'r Self, Self> + PartialOrd<Self> + PartialOrd<B>,
    > + for<'l> Implies<&'l B, Is: Operators<Self, Self> + for<'r> Operators<&'r Self, Self>>
{
    property_table!(property_methods);
    /// The category of the value.
    #[inline]
    #[track_caller]
    fn classify(self) -> FpCategory {
        match () {
            () if self.is_normal() => FpCategory::Normal,
            () if self.is_zero() => FpCategory::Zero,
            () if self.is_subnormal() => FpCategory::Subnormal,
            () if self.is_infinite() => FpCategory::Infinite,
            () => FpCategory::Nan,
        }
    }
    /// The nearest integer; of two the even one.
    #[inline]
    #[track_caller]
    fn round_ties_even(self) -> Self {
        let half = Self::lit(0.5);
        if (self - self.trunc()).abs() == half {
            (self * half).round() * Self::lit(2.0)
        } else {
            self.round()
        }
    }
    /// The middle between two numbers, without overflow.
    #[inline]
    #[track_caller]
    fn midpoint(self, other: impl Into<Self>) -> Self {
        let (other, half) = (other.into(), Self::lit(0.5));
        let sum = self + other;
        if sum.is_finite() { sum * half } else { self * half + other * half }
    }
    /// The total order of std's `total_cmp`, by values: −0 is before 0, NaN with a sign bit before all numbers, other NaN
    /// after them. NaN of one sign are equal.
    #[inline]
    #[track_caller]
    fn total_cmp(&self, other: &Self) -> Ordering {
        match self.partial_cmp(other) {
            Some(Ordering::Equal) => self.is_sign_positive().cmp(&other.is_sign_positive()),
            Some(order) => order,
            None => {
                let rank = |x: &Self| match (x.is_nan(), x.is_sign_positive()) {
                    (false, _) => 0,
                    (true, false) => -1,
                    (true, true) => 1,
                };
                rank(self).cmp(&rank(other))
            }
        }
    }
}

// An error names the missing `Scalar`, not each operator of it.
#[diagnostic::do_not_recommend]
impl<B, T> Scalar<B> for T
where
    T: Real<Base = B>
        + LowerExp
        + UpperExp
        + FromStr<Err = ParseFloatError>
        + for<'r> Operators<&'r T, T>
        + for<'r> Operators<&'r B, T>
        + for<'r> Assignments<&'r T>
        + for<'r> Assignments<&'r B>,
    for<'l> &'l T: Operators<T, T> + Operators<B, T> + Neg<Output = T>,
    for<'l, 'r> &'l T: Operators<&'r T, T> + Operators<&'r B, T>,
    B: Operators<T, T> + for<'r> Operators<&'r T, T> + PartialOrd<T> + PartialOrd<B>,
    for<'l> &'l B: Operators<T, T>,
    for<'l, 'r> &'l B: Operators<&'r T, T>,
{
}

/// `+ − × ÷ %` with an `R` on the right.
#[doc(hidden)]
pub trait Operators<R, O>:
    Add<R, Output = O> + Sub<R, Output = O> + Mul<R, Output = O> + Div<R, Output = O> + Rem<R, Output = O>
{
}
#[diagnostic::do_not_recommend]
impl<L, R, O> Operators<R, O> for L where
    L: Add<R, Output = O> + Sub<R, Output = O> + Mul<R, Output = O> + Div<R, Output = O> + Rem<R, Output = O>
{
}

/// `+= −= ×= ÷= %=` with an `R` on the right.
#[doc(hidden)]
pub trait Assignments<R>: AddAssign<R> + SubAssign<R> + MulAssign<R> + DivAssign<R> + RemAssign<R> {}
#[diagnostic::do_not_recommend]
impl<L, R> Assignments<R> for L where
    L: AddAssign<R> + SubAssign<R> + MulAssign<R> + DivAssign<R> + RemAssign<R>
{
}

/// `Self: Implies<X, Is: Bound>` as a supertrait implies `X: Bound`.
#[doc(hidden)]
pub trait Implies<X>: Is<X, Is = X> {}
impl<S: ?Sized, X> Implies<X> for S {}

/// The type in [`Implies`].
#[doc(hidden)]
pub trait Is<X> {
    /// `X`.
    type Is;
}
impl<S: ?Sized, X> Is<X> for S {
    type Is = X;
}

/// `number · vector`, whose operator takes the number on the right. The left factor is evaluated first.
#[inline]
#[track_caller]
pub fn scaled<T: Copy, V: core::ops::Mul<T>>(by: impl core::borrow::Borrow<T>, vector: V) -> V::Output {
    vector * *by.borrow()
}

/// Constants that become numbers `T`, and what contains them.
#[doc(hidden)]
pub trait Constants<T> {
    /// The container of the numbers.
    type Numbers;
    fn lifted(self) -> Self::Numbers;
}

/// Makes numbers of the constants in an `Option`, a list or the like.
#[inline]
pub fn lifted<T, C: Constants<T>>(constants: C) -> C::Numbers {
    constants.lifted()
}

macro_rules! constants {
    (floats $($F:ty)*) => {$(
        impl<T: crate::Number<Base = $F>> Constants<T> for $F {
            type Numbers = T;
            #[inline]
            fn lifted(self) -> T {
                T::base(self)
            }
        }
    )*};
    (plain $($P:ty)*) => {$(
        impl<T> Constants<T> for $P {
            type Numbers = Self;
            #[inline]
            fn lifted(self) -> Self {
                self
            }
        }
    )*};
    (lists $([$($g:tt)*] $List:ty, $Numbers:ty, $map:expr;)*) => {$(
        impl<T, C: Constants<T>, $($g)*> Constants<T> for $List {
            type Numbers = $Numbers;
            #[inline]
            fn lifted(self) -> $Numbers {
                $map(self)
            }
        }
    )*};
    (tuples $(($($C:ident $i:tt),*))*) => {$(
        impl<T, $($C: Constants<T>),*> Constants<T> for ($($C,)*) {
            type Numbers = ($($C::Numbers,)*);
            #[inline]
            fn lifted(self) -> Self::Numbers {
                ($(self.$i.lifted(),)*)
            }
        }
    )*};
}
constants!(floats f32 f64);
constants!(plain bool char i32 i64 u32 u64 usize &str);
constants! { lists
    [] Option<C>, Option<C::Numbers>, |list: Option<C>| list.map(C::lifted);
    [E] Result<C, E>, Result<C::Numbers, E>, |list: Result<C, E>| list.map(C::lifted);
    [const N: usize] [C; N], [C::Numbers; N], |list: [C; N]| list.map(C::lifted);
}
#[cfg(feature = "std")]
constants!(lists [] Vec<C>, Vec<C::Numbers>, |list: Vec<C>| list.into_iter().map(C::lifted).collect(););
constants!(tuples (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3));

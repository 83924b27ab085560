//! The two layouts of a complex number with derivatives: `Dual<Complex<f64>>`, a number of this crate with all its
//! functions, and `Complex<Dual<f64>>`, num-complex's. One is the other with the parts in another order.

use super::Number;
#[cfg(feature = "std")]
use crate::error::AdError;
#[cfg(feature = "std")]
use crate::lift::Primitive;

/// What is a [`Number`] in one layout or the other: every number, and `Complex<T>` of every real one.
///
/// ```
/// use num_complex::Complex;
/// use wengert::{AsNumber, Dual};
/// let z = Complex::new(Dual::variable(3.0), Dual::constant(4.0));
/// let w: Dual<Complex<f64>> = z.as_number();
/// assert_eq!((w.value(), w.tangent()), (Complex::new(3.0, 4.0), Complex::new(1.0, 0.0)));
/// assert_eq!(Complex::<Dual<f64>>::from_number(w).re.tangent(), 1.0);
/// ```
pub trait AsNumber: Copy {
    /// The same as a number.
    type Number: Number;
    /// This as a number.
    fn as_number(self) -> Self::Number;
    /// A number in this layout.
    fn from_number(x: Self::Number) -> Self;
    /// Applies a primitive to groups of these.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[track_caller]
    fn lift_groups<R>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError>
    where
        R: Primitive<<Self::Number as Number>::Primal>,
    {
        let x: Vec<Vec<Self::Number>> =
            x.iter().map(|group| group.iter().map(|x| x.as_number()).collect()).collect();
        let y = Self::Number::lift_primitive(rule, &crate::lift::views(&x))?;
        Ok(y.into_iter().map(Self::from_number).collect())
    }
}

impl<S: Number> AsNumber for S {
    type Number = S;
    #[inline(always)]
    fn as_number(self) -> S {
        self
    }
    #[inline(always)]
    fn from_number(x: S) -> S {
        x
    }
    #[cfg(feature = "std")]
    #[inline(always)]
    fn lift_groups<R: Primitive<S::Primal>>(rule: &R, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        S::lift_primitive(rule, x)
    }
}

/// `Complex<T>` for each type `T` of numbers with derivatives.
macro_rules! complex_layout {
    (($($g:tt)*) $Ty:ty) => {
        impl<$($g)*> $crate::number::AsNumber for num_complex::Complex<$Ty> {
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

/// A number that is its own part: of the machine, or with tangents of another kind.
macro_rules! own_part {
    () => {
        type Part = Self;
        #[inline(always)]
        fn map_parts(self, f: impl Fn(Self) -> Self + Copy) -> Self {
            f(self)
        }
        #[inline(always)]
        fn zip_parts(
            self,
            other: Self,
            value: impl FnOnce(Self, Self) -> Self,
            _: impl Fn(Self, Self) -> Self + Copy,
        ) -> Self {
            value(self, other)
        }
        #[inline(always)]
        fn fold_parts<A>(self, value: impl FnOnce(Self) -> A, _: impl Fn(A, Self) -> A) -> A {
            value(self)
        }
    };
}

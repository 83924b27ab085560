//! The operands of a number's operators.

use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use num_traits::{Num, NumAssign};

/// Operators with a number of the same type, and with a constant of the type `B` on the right; sums and products of
/// iterators. Implemented for all types that have them.
pub trait Arithmetic<B>:
    Num
    + NumAssign
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
    + Neg<Output = Self>
    + From<B>
    + Add<B, Output = Self>
    + Sub<B, Output = Self>
    + Mul<B, Output = Self>
    + Div<B, Output = Self>
    + Rem<B, Output = Self>
    + AddAssign<B>
    + SubAssign<B>
    + MulAssign<B>
    + DivAssign<B>
    + RemAssign<B>
{
}

impl<B, T> Arithmetic<B> for T where
    T: Num
        + NumAssign
        + Sum
        + for<'a> Sum<&'a T>
        + Product
        + for<'a> Product<&'a T>
        + Neg<Output = T>
        + From<B>
        + Add<B, Output = T>
        + Sub<B, Output = T>
        + Mul<B, Output = T>
        + Div<B, Output = T>
        + Rem<B, Output = T>
        + AddAssign<B>
        + SubAssign<B>
        + MulAssign<B>
        + DivAssign<B>
        + RemAssign<B>
{
}

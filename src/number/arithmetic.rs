//! The operands of a number's operators.

use core::iter::{Product, Sum};
use core::ops::Neg;

use num_traits::{Num, NumAssign};

use super::scalar::{Assignments, Operators};

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
    + Operators<B, Self>
    + Assignments<B>
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
        + Operators<B, T>
        + Assignments<B>
{
}

//! Zero and one as constants of a type, where the components have them.

use num_traits::{ConstOne, ConstZero};

use super::{Dual, Dual2, DualN, HyperDual, Taylor, TaylorDyn};
use crate::number::Number;

/// Zero, one: a value with tangents of zero.
macro_rules! constants {
    ([$($g:tt)*] $Ty:ty: $value:ident => $number:expr) => {
        impl<T: Number + ConstZero, $($g)*> ConstZero for $Ty {
            const ZERO: Self = {
                let $value = T::ZERO;
                $number
            };
        }
        impl<T: Number + ConstZero + ConstOne, $($g)*> ConstOne for $Ty {
            const ONE: Self = {
                let $value = T::ONE;
                $number
            };
        }
    };
}
constants!([] Dual<T>: x => Dual::new(x, T::ZERO));
constants!([] HyperDual<T>: x => HyperDual::new(x, T::ZERO, T::ZERO, T::ZERO));
constants!([const N: usize] DualN<T, N>: x => DualN::new(x, [T::ZERO; N]));
constants!([const N: usize, const M: usize] Dual2<T, N, M>: x => Dual2::new(x, [T::ZERO; N], [T::ZERO; M]));
constants!([const K: usize] Taylor<T, K>: x => Taylor::new(x, [T::ZERO; K]));
constants!([const MAX: usize] TaylorDyn<T, MAX>: x => TaylorDyn::known(Taylor::new(x, [T::ZERO; MAX])));

//! Complex numbers of dual ones: `Complex<Dual<T>>` is `Dual<Complex<T>>` with the parts in another order.

use super::{Dual, Dual2, DualN, HyperDual};
use crate::number::Complexify;

impl<T: Complexify> Complexify for Dual<T> {
    type Complex = Dual<T::Complex>;
}
complex_layout!((T: Complexify) Dual<T>);

impl<T: Complexify, const N: usize> Complexify for DualN<T, N> {
    type Complex = DualN<T::Complex, N>;
}
complex_layout!((T: Complexify, const N: usize) DualN<T, N>);

impl<T: Complexify> Complexify for HyperDual<T> {
    type Complex = HyperDual<T::Complex>;
}
complex_layout!((T: Complexify) HyperDual<T>);

impl<T: Complexify, const N: usize, const M: usize> Complexify for Dual2<T, N, M> {
    type Complex = Dual2<T::Complex, N, M>;
}
complex_layout!((T: Complexify, const N: usize, const M: usize) Dual2<T, N, M>);

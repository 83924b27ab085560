//! Conversions of dual numbers, part by part.

use super::{Dual, Dual2, DualN, HyperDual, Taylor, TaylorDyn};
use crate::number::{CastFrom, Number};

impl<T: Copy, U: CastFrom<T>> CastFrom<Dual<T>> for Dual<U> {
    #[inline(always)]
    fn cast_from(x: Dual<T>) -> Self {
        Dual::new(U::cast_from(x.value()), U::cast_from(x.tangent()))
    }
}

impl<T: Copy, U: CastFrom<T>, const N: usize> CastFrom<DualN<T, N>> for DualN<U, N> {
    #[inline(always)]
    fn cast_from(x: DualN<T, N>) -> Self {
        DualN::new(U::cast_from(x.value()), x.tangents().map(U::cast_from))
    }
}

impl<T: Copy, U: CastFrom<T>> CastFrom<HyperDual<T>> for HyperDual<U> {
    #[inline(always)]
    fn cast_from(x: HyperDual<T>) -> Self {
        let [re, e1, e2, e12] = [x.value(), x.e1(), x.e2(), x.e12()].map(U::cast_from);
        HyperDual::new(re, e1, e2, e12)
    }
}

impl<T: Number, U: Number + CastFrom<T>, const N: usize, const M: usize> CastFrom<Dual2<T, N, M>>
    for Dual2<U, N, M>
{
    #[inline(always)]
    fn cast_from(x: Dual2<T, N, M>) -> Self {
        let gradient = x.gradient();
        let second = |i, j| U::cast_from(x.second(i, j));
        Dual2::from_fn(U::cast_from(x.value()), |i| U::cast_from(gradient[i]), second)
    }
}

impl<T: Copy, U: CastFrom<T>, const K: usize> CastFrom<Taylor<T, K>> for Taylor<U, K> {
    #[inline(always)]
    fn cast_from(x: Taylor<T, K>) -> Self {
        Taylor::new(U::cast_from(x.value()), x.coefficients().map(U::cast_from))
    }
}

impl<T: Number, U: Number + CastFrom<T>, const MAX: usize> CastFrom<TaylorDyn<T, MAX>> for TaylorDyn<U, MAX> {
    #[inline(always)]
    fn cast_from(x: TaylorDyn<T, MAX>) -> Self {
        TaylorDyn::cut(&Taylor::cast_from(*x.series()), x.order())
    }
}

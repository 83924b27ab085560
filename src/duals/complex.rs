//! Complex numbers of dual ones: `Complex<Dual<T>>` is `Dual<Complex<T>>` with the parts in another order.

use super::{Dual, Dual2, DualN, HyperDual, Taylor, TaylorDyn};
use crate::number::Real;

complex_layout!((T: Real) Dual<T>);

complex_layout!((T: Real, const N: usize) DualN<T, N>);

complex_layout!((T: Real) HyperDual<T>);

complex_layout!((T: Real, const N: usize, const M: usize) Dual2<T, N, M>);

complex_layout!((T: Real, const K: usize) Taylor<T, K>);

complex_layout!((T: Real, const MAX: usize) TaylorDyn<T, MAX>);

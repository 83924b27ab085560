//! `C = α·AB + β·C` with factors in their memory layout.

use nalgebra::{DMatrix, DMatrixView, Dyn, Matrix, Storage, StorageMut};

use crate::matrix::sizes::COPIED_AT_ONCE;
use crate::number::Number;

/// `C = α·AB + β·C`.
///
/// A left factor whose rows are not contiguous is copied first: nalgebra 0.35 takes the extent of a strided column
/// for its length and writes beyond the end of `C` (its issue 1616), except at sizes for which it uses another
/// kernel, which is not guaranteed.
pub(crate) fn gemm<T: Number>(
    alpha: T,
    a: &DMatrixView<T, Dyn, Dyn>,
    b: &Matrix<T, Dyn, Dyn, impl Storage<T, Dyn, Dyn>>,
    beta: T,
    c: &mut Matrix<T, Dyn, Dyn, impl StorageMut<T, Dyn, Dyn>>,
) {
    if a.strides().0 == 1 {
        c.gemm(alpha, a, b, beta);
    } else {
        c.gemm(alpha, &side_by_side(a), b, beta);
    }
}

/// A copy with contiguous rows, a few columns at a time, so that each cache line is read once.
fn side_by_side<T: Number>(a: &DMatrixView<T, Dyn, Dyn>) -> DMatrix<T> {
    let (rows, columns) = a.shape();
    let mut copy = DMatrix::from_element(rows, columns, T::lit(0.0));
    for (c, columns) in copy.as_mut_slice().chunks_mut((COPIED_AT_ONCE * rows).max(1)).enumerate() {
        for i in 0..rows {
            for (j, column) in columns.chunks_exact_mut(rows).enumerate() {
                column[i] = a[(i, c * COPIED_AT_ONCE + j)];
            }
        }
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::op::Op;
    use num_complex::Complex64;

    fn check<T: Number<Base = f64>>(n: usize, unit: T) {
        let entry = |i: usize, j: usize| unit * T::lit((i + 2 * j) as f64) + T::lit((i * j) as f64 - 3.0);
        let (a, b) = (DMatrix::from_fn(n, n, entry), DMatrix::from_fn(n, 4, |i, j| entry(j, i)));
        for op in [Op::Plain, Op::Transpose] {
            let mut c = DMatrix::from_element(n, 4, unit);
            gemm(unit, &op.view(a.as_slice(), (n, n), n), &b, T::lit(2.0), &mut c);
            for (i, j) in (0..n).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let sum = (0..n).fold(T::lit(0.0), |s, k| s + op.entry(&a, i, k) * b[(k, j)]);
                assert_eq!(c[(i, j)], unit * sum + unit * T::lit(2.0));
            }
        }
    }

    #[test]
    fn products_of_strided_views_stay_in_their_place() {
        for n in [1, 2, 3, 7, 8] {
            check(n, 1.0);
            check(n, Complex64::i());
        }
    }
}

//! The Kronecker product.

use nalgebra::{DefaultAllocator, Dim, DimMul, DimProd, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::op::Op;
use crate::matrix::rules::product::ProductRule;

/// `A ⊗ B`: the entry `(ip+k, jq+l)` is `aᵢⱼbₖₗ` for a p × q matrix B. `Ċ = Ȧ ⊗ B + A ⊗ Ḃ`.
///
/// ```
/// use nalgebra::matrix;
/// let c = wengert::matrix::kron(&matrix![1.0, 10.0], &matrix![1.0; 2.0]);
/// assert_eq!(c, matrix![1.0, 10.0; 2.0, 20.0]);
/// ```
#[track_caller]
pub fn kron<S: Entry, R1, C1, R2: Dim, C2: Dim>(
    a: &OMatrix<S, R1, C1>,
    b: &OMatrix<S, R2, C2>,
) -> OMatrix<S, DimProd<R1, R2>, DimProd<C1, C2>>
where
    R1: DimMul<R2>,
    C1: DimMul<C2>,
    DefaultAllocator: Allocator<R1, C1> + Allocator<R2, C2> + Allocator<DimProd<R1, R2>, DimProd<C1, C2>>,
{
    let ((p, q), (r, c)) = (b.shape(), a.shape());
    let (rows, columns) =
        (a.shape_generic().0.mul(b.shape_generic().0), a.shape_generic().1.mul(b.shape_generic().1));
    if !S::IS_RECORDED {
        let nothing = S::sum_of(core::iter::empty());
        return OMatrix::from_fn_generic(rows, columns, |i, j| {
            nothing + a[(i / p, j / q)] * b[(i % p, j % q)] // a sum of one product, as on a tape
        });
    }
    // One step on a tape: an outer product of all entries, put in order.
    let pairs = {
        let rule = ProductRule { ops: [Op::Plain, Op::Transpose], shapes: [(p * q, 1), (r * c, 1)] };
        S::lift(&rule, &[b.as_slice(), a.as_slice()]).expect("products always exist")
    };
    OMatrix::from_fn_generic(rows, columns, |i, j| {
        let (of_a, of_b) = ((j / q) * r + i / p, (j % q) * p + i % p);
        pairs[of_a * p * q + of_b]
    })
}

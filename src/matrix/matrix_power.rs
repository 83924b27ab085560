//! The powers of a matrix.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::lu::Lu;
use crate::matrix::matmul::matmul;
use crate::matrix::shapes::square;

/// `Aᵏ` by repeated squaring, of the inverse for negative `k`; `A⁰` is the identity, with derivative zero.
/// `(Aᵏ)˙ = Σ AⁱȦAᵏ⁻¹⁻ⁱ`, by the rules of products and inverses.
///
/// # Errors
/// `Singular` if `k` is negative and a pivot of `A` is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::matrix_power};
/// let a = matrix![1.0_f64, 1.0; 0.0, 1.0].zip_map(&matrix![0.0, 0.0; 1.0, 0.0], Dual::new);
/// let y = matrix_power(&a, 3)?;
/// assert_eq!(y.map(|y| y.value()), matrix![1.0, 3.0; 0.0, 1.0]);
/// assert_eq!(y.map(|y| y.tangent()), matrix![3.0, 1.0; 3.0, 3.0]);
/// assert_eq!(matrix_power(&a, -1)?[(0, 1)].value(), -1.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn matrix_power<S: Entry, D: Dim>(a: &OMatrix<S, D, D>, k: i32) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    square("matrix_power", a);
    let (rows, columns) = a.shape_generic();
    let one = OMatrix::identity_generic(rows, columns);
    let mut base = if k < 0 { Lu::named("matrix_power", a)?.solve(&one) } else { a.clone() };
    let (mut left, mut y) = (k.unsigned_abs(), None);
    while left > 0 {
        if left % 2 == 1 {
            y = Some(y.map_or_else(|| base.clone(), |y| matmul(&y, &base)));
        }
        left /= 2;
        if left > 0 {
            base = matmul(&base, &base);
        }
    }
    Ok(y.unwrap_or(one))
}

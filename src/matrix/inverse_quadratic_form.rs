//! Quadratic forms with an inverse matrix.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::dot::dotc;
use crate::matrix::entry::Entry;
use crate::matrix::op::Op;
use crate::matrix::solve::solve_as;

/// `bᴴA⁻¹b` (`bᵀA⁻¹b` for real numbers), by one solve: with `x = A⁻¹b` and `z = A⁻ᴴb`, the derivative is
/// `ḃᴴx + zᴴḃ − zᴴȦx`.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If `A` is not square or the length of `b` does not match it.
///
/// ```
/// use nalgebra::{matrix, vector};
/// let a = matrix![4.0, 1.0; 2.0, 3.0];
/// let q: f64 = wengert::matrix::inverse_quadratic_form(&a, &vector![1.0, 2.0])?;
/// assert!((q - 1.3).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn inverse_quadratic_form<S: Entry, D: Dim>(a: &OMatrix<S, D, D>, b: &OVector<S, D>) -> Result<S, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
{
    Ok(dotc(b, &solve_as("inverse_quadratic_form", Op::Plain, a, b)?))
}

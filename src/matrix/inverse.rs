//! The inverse of a matrix.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::inverse::inverse_by_cofactors;
use crate::matrix::kernels::small::lu::SmallLu;
use crate::matrix::op::Op;
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::inverse::InverseRule;
use crate::matrix::shapes::square;

/// The inverse `Y = A⁻¹`: `Ẏ = −YȦY`, `Ā = −YᴴȲYᴴ`. To solve a system, [`solve`](super::solve) is cheaper and more
/// accurate.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::inverse};
/// let a = matrix![4.0, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new);
/// let y = inverse(&a)?;
/// assert!((y.map(|y| y.tangent()) - matrix![-0.02, 0.04; 0.01, -0.07]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn inverse<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("inverse", a);
    let (rows, columns) = a.shape_generic();
    return_recorded!((rows, columns), "inverse", [a] => inverse(a)?.data.into());
    if let Some(y) = inverse_by_cofactors(a) {
        return Ok(y);
    }
    if let Some(lu) = SmallLu::new("inverse", a)? {
        let mut y = OMatrix::identity_generic(rows, columns);
        lu.solve(Op::Plain, &mut y);
        return Ok(y);
    }
    let factors = Factors::lu("inverse", n, a.as_slice())?;
    let y = S::lift(&InverseRule { n, value: factors.inverse(n).data.into() }, &[a.as_slice()])?;
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

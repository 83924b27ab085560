//! Eigenvalues of symmetric and hermitian matrices, without their vectors.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::spectrum::{Spectrum, decompose, hermitian};
use crate::matrix::operation::{of_reals, operation};
use crate::matrix::rules::singular_values::ValuesRule;
use crate::matrix::shapes::square;
use crate::matrix::symmetric_eigen::pair;
use crate::number::Number;

/// The eigenvalues of a symmetric or hermitian matrix, ascending: `λ̇ᵢ = vᵢᴴȦvᵢ`, `Ā = V diag(λ̄) Vᴴ`.
///
/// The function uses the hermitian part of the matrix, as [`symmetric_eigen`](super::symmetric_eigen). Each of
/// several eigenvalues that are equal to rounding has the mean of their tangents, as in a tie of `max`. So symmetric
/// functions of them, such as sums, have the right first derivatives, and the largest one has its subgradient of least
/// norm.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values), in symmetric functions of close
/// eigenvalues too: for a sum `Σ f(λᵢ)` take `trace(symmetric_function(a, f))`, which has derivatives to rounding up to
/// the fourth order. The energy of a hyperelastic material is such a sum over the stretches, the eigenvalues of the
/// symmetric factor of [`polar`](super::polar()); their squares, the eigenvalues of `FᵀF`, lose half of the digits.
///
/// # Errors
/// - `Degenerate` for second derivatives if two eigenvalues are equal to rounding; a simple one has them by
///   [`symmetric_eigenpair`](super::symmetric_eigenpair()), a sum over all by
///   [`symmetric_function`](super::symmetric_function()).
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigenvalues};
/// let a = matrix![2.0_f64, 1.0; 1.0, 2.0].zip_map(&matrix![0.1, 0.2; 0.2, -0.3], Dual::new);
/// let eigenvalues = symmetric_eigenvalues(&a)?;
/// assert!((eigenvalues.map(|x| x.value()) - vector![1.0, 3.0]).norm() < 1e-14);
/// assert!((eigenvalues.map(|x| x.tangent()) - vector![-0.3, 0.1]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<S::Re, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let op = "symmetric_eigenvalues";
    let n = square(op, a);
    let rows = a.shape_generic().0;
    let y = if let Some(y) = operation!(op, [a] => of_reals(symmetric_eigenvalues(a)?.as_slice())) {
        y?
    } else if let Some([values, _]) = pair(a.as_slice()) {
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| values[i]));
    } else if S::IS_PLAIN {
        let (values, _) = decompose(op, hermitian(op, n, a.as_slice())?, false)?;
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| S::Re::base(values[i])));
    } else {
        let found = Spectrum::new(op, n, a.as_slice())?;
        S::lift(&ValuesRule::Symmetric(found), &[a.as_slice()])?
    };
    Ok(OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()))
}

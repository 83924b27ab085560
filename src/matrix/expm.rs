//! The exponential of a matrix.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{balancing, between};
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::expm::{ExpmRule, NAME};
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::shapes::square;
use crate::number::Number;

/// The exponential of a matrix: `Ẏ = L(A, Ȧ)`, the upper right block of `exp [A, Ȧ; 0, A]`; `Ā = L(Aᴴ, Ȳ)`.
///
/// Computed by a Padé approximant of degree 3, 5, 7 or 9, or of degree 13 with scaling and squaring (A. H. Al-Mohy & N. J.
/// Higham, SIAM J. Matrix Anal. Appl. 31, 2009). The derivative differentiates the same steps, and the degree suffices for both
/// (the same authors, ibid. 30, 2009). Second and higher derivatives take degree 13. A matrix whose rows and columns
/// have very different sizes is [balanced](super::eigenvalues#balancing) first.
///
/// # Errors
/// `NotFinite` if an entry of `A` is infinite or NaN; `NoConvergence` if the exponential, or a power on the way to it, overflows.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::expm};
/// // A rotation by the angle t; its derivative is the rotation by t + π/2.
/// let t = 0.5_f64;
/// let a = matrix![0.0, -t; t, 0.0].zip_map(&matrix![0.0, -1.0; 1.0, 0.0], Dual::new);
/// let y = expm(&a)?;
/// let (sin, cos) = t.sin_cos();
/// assert!((y.map(|y| y.value()) - matrix![cos, -sin; sin, cos]).norm() < 1e-15);
/// assert!((y.map(|y| y.tangent()) - matrix![-sin, -cos; cos, -sin]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn expm<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (n, (rows, columns)) = (square(NAME, a), a.shape_generic());
    // A program balances at each of its points.
    return_recorded!((rows, columns), NAME, [a] => expm(a)?.data.into());
    let (rule, entries) = (ExpmRule { n }, a.as_slice());
    let y = match balancing(entries, n) {
        None => S::lift(&rule, &[entries])?,
        Some(d) => {
            // exp A = D·exp(D⁻¹AD)·D⁻¹
            let of_a = between(&d, &d);
            let of_y = of_a.iter().map(|power| -power).collect();
            let y = lift(rule, Some(Scales::new([of_a], of_y)), &[entries])?;
            if !y.iter().all(|y| y.primal_value().all_finite()) {
                return Err(AdError::NoConvergence { op: NAME });
            }
            y
        }
    };
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

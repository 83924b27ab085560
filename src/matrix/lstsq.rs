//! Least squares.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::qr::QrFactors;
use crate::matrix::kernels::small::gram_schmidt::solution;
use crate::matrix::operation::return_recorded;
use crate::matrix::qr::direct;
use crate::matrix::rules::lstsq::least_squares;
use crate::matrix::shapes::{demand, failure};
use crate::matrix::sizes::ELEMENTWISE;

/// The least-squares solution X, which minimises `|AX − B|`, for one or several right-hand sides and a matrix with
/// independent columns, by one factorisation `A = QR` for any number type.
///
/// With the residual `P = B − AX` and `G = QR⁻ᴴX̄`, `W = R⁻¹R⁻ᴴX̄`: `Ẋ = R⁻¹(Qᴴ(Ḃ − ȦX) + R⁻ᴴȦᴴP)`, `B̄ = G`, `Ā =
/// PWᴴ − GXᴴ`; no normal equations are formed. Golub and Pereyra, The differentiation of pseudo-inverses and
/// nonlinear least squares problems whose variables separate, SIAM J. Numer. Anal. 10, 1973.
///
/// # Errors
/// `Singular` if the columns are not independent: the distance of a column from the span of the others is at most
/// `m·ε` of its length, or there are more columns than rows. Use [`pinv`](super::pinv()) for the solution of least
/// norm. `NotFinite` if an entry of the matrix is infinite or NaN.
///
/// # Panics
/// If `B` has another number of rows.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::lstsq};
/// // The line through three points, differentiated with respect to the second ordinate.
/// let a = matrix![0.0, 1.0; 1.0, 1.0; 3.0, 1.0].map(Dual::constant);
/// let b = vector![Dual::constant(1.0), Dual::variable(2.0), Dual::constant(4.0)];
/// let x = lstsq(&a, &b)?;
/// assert!((x.map(|x| x.value()) - vector![1.0, 1.0]).norm() < 1e-14);
/// assert!((x.map(|x| x.tangent()) - vector![-1.0 / 14.0, 3.0 / 7.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn lstsq<S: Entry, R: Dim, C: Dim, K: Dim>(
    a: &OMatrix<S, R, C>,
    b: &OMatrix<S, R, K>,
) -> Result<OMatrix<S, C, K>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, K> + Allocator<C, K>,
{
    demand("lstsq", "right-hand side", (a.nrows(), b.ncols()), b.shape());
    let shape = (a.shape_generic().1, b.shape_generic().1);
    return_recorded!(shape, "lstsq", [a, b] => lstsq(a, b)?.data.into());
    if a.nrows() < a.ncols() {
        return Err(failure("lstsq", a.as_slice(), AdError::Singular { op: "lstsq" }));
    }
    if b.ncols() <= ELEMENTWISE
        && let Some([q, r]) = direct(a)
    {
        return Ok(solution((q.as_slice(), r.as_slice()), b.as_slice(), a.nrows(), shape));
    }
    Ok(least_squares(&QrFactors::new("lstsq", a.shape(), a.as_slice())?, a, b))
}

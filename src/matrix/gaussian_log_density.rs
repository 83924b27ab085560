//! The multivariate normal distribution.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::cholesky::solved_with_ln_det;
use crate::matrix::dot::dot;
use crate::matrix::entry::Entry;
use crate::matrix::shapes::demand;

/// The logarithm of the normal density with mean `μ` and covariance `Σ` at `x`, for real numbers:
/// `−½((x−μ)ᵀΣ⁻¹(x−μ) + ln det Σ + n ln 2π)`, from one Cholesky factorisation. Only the lower triangle of `Σ` is
/// read.
///
/// # Errors
/// `NotPositiveDefinite` if the covariance is not positive definite.
///
/// # Panics
/// If `Σ` is not square or the lengths of the vectors do not match it.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::gaussian_log_density;
/// let (x, mean) = (vector![1.0, 1.0], vector![0.0, 0.0]);
/// let y: f64 = gaussian_log_density(&x, &mean, &matrix![1.0, 0.0; 0.0, 4.0])?;
/// assert!((y + 0.625 + 0.5 * 4f64.ln() + (2.0 * std::f64::consts::PI).ln()).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn gaussian_log_density<T: Entry<Re = T>, D: Dim>(
    x: &OVector<T, D>,
    mean: &OVector<T, D>,
    covariance: &OMatrix<T, D, D>,
) -> Result<T, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D> + Allocator<D, U1>,
{
    let n = x.nrows();
    demand("gaussian_log_density", "mean", (n, 1), mean.shape());
    demand("gaussian_log_density", "covariance", (n, n), covariance.shape());
    T::demand_one_tape(&[x.as_slice(), mean.as_slice(), covariance.as_slice()]);
    let d = x - mean;
    let (solved, ln_det) = solved_with_ln_det(covariance, &d)?;
    let ln_2pi = (2.0 * core::f64::consts::PI).ln();
    Ok((dot(&d, &solved) + ln_det + T::constant(n as f64 * ln_2pi)) * T::constant(-0.5))
}

//! Norms of vectors and matrices.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{near_one, scaled};
use crate::matrix::kernels::svd::{PrimalSvd, primal_values};
use crate::matrix::operation::{operation, return_recorded};
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::singular_norm::{NormOf, SingularNormRule};
use crate::matrix::singular_values::is_machine;
use crate::number::{BaseFloat, Number};
use crate::reduce;

/// The Frobenius norm `√Σ|aᵢⱼ|²`, for a vector the Euclidean norm: `ẏ = Re Σ conj(aᵢⱼ)ȧᵢⱼ/y`, `Ā = ȳA/y`. At zero the
/// derivative is 0, the subgradient of least norm, in higher orders too: the second derivative of `norm(a)²` is 0 there; take
/// `dot(a, a)`. No intermediate result overflows unless the
/// norm does.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::norm};
/// let da = matrix![1.0, 5.0; 5.0, 0.0];
/// let a = matrix![3e200_f64, 0.0; 0.0, 4e200].zip_map(&da, Dual::new);
/// assert!((norm(&a).tangent() - 0.6).abs() < 1e-15);
/// assert_eq!(norm(&matrix![Dual::variable(0.0)]).tangent(), 0.0);
/// ```
#[track_caller]
pub fn norm<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> S::Re
where
    DefaultAllocator: Allocator<R, C>,
{
    let real = a.iter().map(|a| a.real_part());
    match S::IS_REAL {
        true => reduce::norm(&real.collect::<Vec<_>>()),
        false => reduce::norm(&real.chain(a.iter().map(|a| a.imaginary_part())).collect::<Vec<_>>()),
    }
}

/// `u = v/|v|`: `u̇ = (v̇ − u·Re(uᴴv̇))/|v|`, for vectors and (by the Frobenius norm) matrices.
///
/// # Errors
/// `NoDirection` if every entry is zero, or one is not finite.
///
/// ```
/// use nalgebra::vector;
/// use wengert::{Dual, matrix::normalize};
/// let u = normalize(&vector![3.0_f64, 4.0].zip_map(&vector![1.0, 0.0], Dual::new))?;
/// assert!((u.map(|u| u.value()) - vector![0.6, 0.8]).norm() < 1e-15);
/// assert!((u.map(|u| u.tangent()) - vector![0.128, -0.096]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn normalize<S: Entry, R: Dim, C: Dim>(v: &OMatrix<S, R, C>) -> Result<OMatrix<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    return_recorded!(v.shape_generic(), "normalize", [v] => normalize(v)?.data.into());
    let total = norm(v);
    let length = total.magnitude();
    if length == S::Base::from_double(0.0) {
        return Err(AdError::NoDirection { op: "normalize" });
    }
    // If the length exceeds the range or has lost digits, the vector is first scaled by a power of two.
    let scaled = |by: f64| v.map(|v| v * S::constant(by));
    if !Float::is_finite(length) {
        let v = scaled(2f64.powi(-64));
        let is_long = Float::is_finite(norm(&v).magnitude());
        return if is_long { normalize(&v) } else { Err(AdError::NoDirection { op: "normalize" }) };
    }
    if length < S::Base::min_positive_value() / S::Base::epsilon() {
        return normalize(&scaled(2f64.powi(64)));
    }
    let (rows, columns) = v.shape_generic();
    let part = |of: fn(S) -> S::Re| v.iter().map(|&v| of(v)).collect::<Vec<_>>();
    let mut all = part(S::real_part);
    if !S::IS_REAL {
        all.extend(part(S::imaginary_part));
    }
    let part = reduce::direction(&all, total);
    Ok(OMatrix::from_iterator_generic(
        rows,
        columns,
        (0..v.len()).map(|k| match S::IS_REAL {
            true => S::of_real(part(k)),
            false => S::of_parts(part(k), part(v.len() + k)),
        }),
    ))
}

/// The nuclear norm `Σσᵢ`: `ẏ = Re tr(WᴴȦ)`, `Ā = ȳW` with `W = UVᴴ`, for equal singular values too.
///
/// If singular values are zero (up to `ε·max(m, n)·σ₁`), the norm has a kink: W then contains only the vectors of the
/// other values, which gives the subgradient of least norm. There is no second derivative. Elsewhere derivatives of every
/// order exist, where values are equal too.
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN. At nested numbers `Singular` if a singular value is zero.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::nuclear_norm};
/// let da = matrix![1.0, 2.0; 3.0, 0.5];
/// let y = nuclear_norm(&matrix![3.0_f64, 0.0; 0.0, -3.0].zip_map(&da, Dual::new))?;
/// assert!((y.value() - 6.0).abs() < 1e-14 && (y.tangent() - 0.5).abs() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn nuclear_norm<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    norm_of(NormOf::Sum, a)
}

/// The spectral norm, the largest singular value: `ẏ = Re(uᴴȦv)`, `Ā = ȳuvᴴ` with its vectors `u` and `v`. If k
/// values tie (up to `ε·max(m, n)·σ₁`), each has the weight `1/k`, as in [`max`](crate::Real::max); at zero the
/// derivative is 0. These are the subgradients of least norm.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values).
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN. At nested numbers `Degenerate` if the largest value is not simple;
/// beyond second derivatives if any two are equal.
///
/// ```
/// use nalgebra::{matrix, Matrix2};
/// use wengert::{Dual, matrix::spectral_norm};
/// let da = matrix![1.0, 2.0; 3.0, 0.5];
/// let y = spectral_norm(&matrix![3.0_f64, 0.0; 0.0, -4.0].zip_map(&da, Dual::new))?;
/// assert!((y.value() - 4.0).abs() < 1e-14 && (y.tangent() + 0.5).abs() < 1e-14);
/// let da = matrix![1.0, 0.0; 0.0, 0.0];
/// let tie = spectral_norm(&Matrix2::<f64>::identity().zip_map(&da, Dual::new))?;
/// assert_eq!(tie.tangent(), 0.5);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn spectral_norm<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    norm_of(NormOf::Largest, a)
}

/// The norm of these singular values.
#[track_caller]
pub(super) fn norm_of<S: Entry, R: Dim, C: Dim>(part: NormOf, a: &OMatrix<S, R, C>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    if let Some(y) = operation!(part.name(), [a] {part: NormOf} => vec![S::of_real(norm_of(part, a)?)]) {
        return Ok(y?[0].real_part());
    }
    let (near_one, power) = near_one(a.as_slice());
    if is_machine::<S>() || a.is_empty() {
        let values = primal_values(part.name(), a.shape(), &near_one)?;
        let taken = if part == NormOf::Sum { values.len() } else { values.len().min(1) };
        let norm: S::Base = values[..taken].iter().copied().sum();
        // The sum of no numbers is −0.
        let norm = S::from_primal(S::Primal::base(norm + S::Base::from_double(0.0)));
        return Ok(scaled(norm, power).real_part());
    }
    let of = PrimalSvd::new(part.name(), a.shape(), &near_one)?;
    let powers = Scales::of_matrix(power, a.len(), &[(1, 1)]);
    Ok(lift(SingularNormRule { part, of }, powers, &[a.as_slice()])?[0].real_part())
}

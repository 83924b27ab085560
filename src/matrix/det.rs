//! The determinant, its logarithm and sign.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::Balanced;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::det::{det_by_complete_pivoting, det_by_pivots, divisionless_det};
use crate::matrix::kernels::small::has_one_tangent;
use crate::matrix::lu::{Lu, Stored};
use crate::matrix::operation::operation;
use crate::matrix::rules::det::{DetForm, determinant, determinant_by_cofactors};
use crate::matrix::shapes::square;
use crate::matrix::sizes::{ONE_PIVOT, RECORDED_DET, SMALL};
use crate::number::{BaseFloat, Number};

/// The determinant: `ḋ = d·tr(A⁻¹Ȧ)`. At a singular matrix of any rank the derivatives come from the cofactors, to
/// any order. Rows and columns may have very different sizes: beyond three rows they are scaled by powers of two. If
/// the determinant itself overflows or underflows, derivatives of reverse mode may do so too beyond three rows; up to
/// three rows they are right as long as they are in the range of the float.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, Matrix2};
/// use wengert::{Dual, matrix::det};
/// let a = matrix![4.0_f64, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new);
/// let d = det(&a);
/// assert!((d.value() - 10.0).abs() < 1e-14 && (d.tangent() - 2.0).abs() < 1e-14);
/// let singular = matrix![1.0_f64, 2.0; 2.0, 4.0].zip_map(&Matrix2::identity(), Dual::new);
/// assert_eq!(det(&singular).tangent(), 5.0);
/// ```
#[inline]
#[track_caller]
pub fn det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("det", a);
    if let Some(y) = operation!("det", [a] => vec![det(a)]) {
        return y.expect("a determinant always exists")[0];
    }
    // Up to three rows the formula has no pivots. It needs scales only if values beyond the range of numbers are
    // lost.
    if n <= 3 {
        let det = divisionless_det(n, |i, j| a[(i, j)]);
        if n == 1 || Float::is_finite(det.size()) && det.size() != S::Base::from_double(0.0) {
            return det;
        }
    }
    det_by_elimination(a)
}

/// The determinant where the formula does not do.
#[inline(never)]
#[track_caller]
fn det_by_elimination<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    match Balanced::new(a) {
        Some(_) if a.nrows() <= 3 => determinant_by_cofactors(a.nrows(), a.as_slice()),
        Some(balanced) => balanced.unscaled(balanced_det(&balanced.matrix)),
        None => balanced_det(a),
    }
}

/// The determinant of a matrix with rows and columns of similar size.
#[track_caller]
fn balanced_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    let recorded = RECORDED_DET[usize::from(<S::Number as Number>::ORDER > 1)];
    if n > ONE_PIVOT
        && (n <= SMALL || has_one_tangent::<S>() || S::IS_RECORDED && n <= recorded)
        && let Some(det) = det_by_pivots(a)
    {
        return det;
    }
    if n > SMALL
        && let Ok(factors) = Factors::lu("det", n, a.as_slice())
    {
        return determinant(&factors, n, a.as_slice(), DetForm::Plain);
    }
    det_by_complete_pivoting(a.clone())
}

/// `ln |det A|`: derivative `Re tr(A⁻¹Ȧ)`, cotangent `A⁻ᴴ`. The result does not overflow when the determinant does.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::ln_abs_det};
/// let a = matrix![4.0_f64, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new);
/// let y = ln_abs_det(&a)?;
/// assert!((y.value() - 10f64.ln()).abs() < 1e-15 && (y.tangent() - 0.2).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[doc(alias("ln_det", "slogdet"))]
#[track_caller]
pub fn ln_abs_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    if let Some(y) = operation!("ln_abs_det", [a] => vec![S::of_real(ln_abs_det(a)?)]) {
        return Ok(y?[0].real_part());
    }
    Ok(Lu::named("ln_abs_det", a)?.ln_abs_det())
}

/// `(sign, ln |det A|)` with `det A = sign·|det A|`: the sign is the constant ±1 for a real matrix, and a number of
/// modulus 1 with the derivative `i·sign·Im tr(A⁻¹Ȧ)` for a complex one.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let (sign, ln) = wengert::matrix::sign_ln_det(&matrix![0.0, 2.0; 3.0, 0.0])?;
/// assert_eq!((sign, ln), (-1.0, 6f64.ln()));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn sign_ln_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<(S, S::Re), AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let recorded =
        operation!("sign_ln_det", [a] => sign_ln_det(a).map(|(sign, ln)| vec![sign, S::of_real(ln)])?);
    if let Some(y) = recorded {
        return y.map(|y| (y[0], y[1].real_part()));
    }
    let lu = Lu::named("sign_ln_det", a)?;
    let ln = lu.ln_det();
    if S::IS_REAL {
        return Ok((S::constant(lu.sign()), ln.real_part()));
    }
    let angle = match &lu.form {
        Stored::Small(small) if small.sign() < 0.0 => ln.imaginary_part() + S::Re::lit(core::f64::consts::PI),
        _ => ln.imaginary_part(),
    };
    let (sine, cosine) = Number::sin_cos(angle);
    Ok((S::of_parts(cosine, sine), ln.real_part()))
}

//! Functions of symmetric and hermitian matrices.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::kept::once_by;
use crate::matrix::kernels::on_spectrum::OnSpectrum;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::symmetric_function::SymmetricFunctionRule;
use crate::matrix::shapes::square;
use crate::rules::Unary;
use crate::rules::{Exp, Sqrt};

/// `f(A) = V f(Λ) Vᴴ` of a symmetric or hermitian matrix, for a rule f of one variable, from the
/// [table](crate::rules) or user-defined.
///
/// `Ẏ = V(G∘VᴴȦV)Vᴴ`, `Ā = V(G∘VᴴȲV)Vᴴ` with the divided differences `Gᵢⱼ = f[λᵢ, λⱼ]` (Yu. L. Daleckii & S. G.
/// Krein, 1965; N. J. Higham, Functions of Matrices, 3.2); derivatives up to the fourth order use divided differences
/// of higher order. They are accurate to rounding for close and repeated eigenvalues. The function uses the hermitian
/// part `(A + Aᴴ)/2` of the matrix; the cotangent is hermitian.
///
/// # Errors
/// - `Domain` if f or a required derivative is not a finite float at an eigenvalue: infinite or without a value, or
///   beyond the range (the first derivative of a power is then ±∞). An eigenvalue that is zero to rounding counts as zero if f has no value on its side of zero.
///   Where all tangents are zero, forward mode requires no derivative; a tape always does.
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
/// - `Unsupported` for derivatives beyond the fourth, except for series of a square root or of an exponential.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, Matrix2};
/// use wengert::{Dual, matrix::symmetric_function, rules::Ln};
/// // At the identity the derivative is f′(1)·Ȧ, although eigenvectors have none.
/// let da = matrix![0.5_f64, 1.0; 1.0, -2.0];
/// let y = symmetric_function(&Matrix2::identity().zip_map(&da, Dual::new), Ln)?;
/// assert!((y.map(|y| y.tangent()) - da).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_function<S: Entry, D: Dim, U: Unary>(
    a: &OMatrix<S, D, D>,
    rule: U,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("symmetric_function", a);
    let (rows, columns) = a.shape_generic();
    return_recorded!((rows, columns), "symmetric_function", [a] {rule: U} <U: Unary> => {
        symmetric_function(a, rule)?.data.into()
    });
    let a = a.as_slice();
    let f = once_by(U::NAME, &rule, n, a, || {
        OnSpectrum::new(rule, &*Spectrum::new("symmetric_function", n, a)?)
    })?;
    let y = S::lift(&SymmetricFunctionRule { f, order: 0 }, &[a])?;
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

/// The square root of a positive semidefinite symmetric or hermitian matrix: `ẎY + YẎ = Ȧ`.
///
/// # Errors
/// As for [`symmetric_function`]: `Domain` for a negative eigenvalue, and for a derivative if one is zero.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::matrix::symmetric_sqrt;
/// let a = matrix![5.0_f64, 4.0; 4.0, 5.0];
/// assert!((symmetric_sqrt(&a)? - matrix![2.0, 1.0; 1.0, 2.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_sqrt<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    symmetric_function(a, Sqrt)
}

/// The exponential of a symmetric or hermitian matrix, a [`symmetric_function`]. For other matrices use
/// [`expm`](super::expm).
///
/// # Errors
/// As for [`symmetric_function`].
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let y = wengert::matrix::symmetric_exp(&matrix![0.0_f64, 1.0; 1.0, 0.0])?;
/// let (c, s) = (1_f64.cosh(), 1_f64.sinh());
/// assert!((y - matrix![c, s; s, c]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_exp<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    symmetric_function(a, Exp)
}

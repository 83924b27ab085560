//! Eigenvalues and eigenvectors of symmetric and hermitian matrices.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::near_one;
use crate::matrix::kernels::small::pairs::symmetric_pair;
use crate::matrix::kernels::spectrum::{Spectrum, leading};
use crate::matrix::operation::{of_reals, operation};
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::symmetric_eigen::SymmetricEigenRule;
use crate::matrix::shapes::square;
use crate::number::{BaseFloat, Number, Real};

/// The eigenvalues and eigenvectors of a symmetric or hermitian matrix, `A = VΛVᴴ`. Returned by
/// [`symmetric_eigen`](symmetric_eigen()), which has an example.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    /// The eigenvalues, ascending.
    pub eigenvalues: OVector<S::Re, D>,
    /// The eigenvectors as columns of a unitary matrix, in the order of their values.
    pub eigenvectors: OMatrix<S, D, D>,
}

/// Eigenvalues and the second vector of a real matrix of two rows, in the arithmetic of the numbers themselves, which
/// is right wherever the eigenvalues differ.
pub(super) fn pair<S: Entry>(a: &[S]) -> Option<[[S::Re; 2]; 2]> {
    let entry = |i: usize| a[i].real_part();
    let off_diagonal = || (entry(1) + entry(2)) * S::Re::lit(0.5);
    let applies = S::IS_REAL && a.len() == 4;
    applies.then(|| symmetric_pair(entry(0), off_diagonal(), entry(3))).flatten()
}

/// A vector with its leading entry positive.
fn positive<R: Real>(v: [R; 2]) -> [R; 2] {
    let row = leading(&v.map(Number::innermost));
    if v[row].primal() < R::Base::from_double(0.0) { v.map(|x| -x) } else { v }
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric or hermitian matrix.
///
/// With `P = VᴴȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`, `Ā = V(diag λ̄ +
/// F∘VᴴV̄)Vᴴ` (M. B. Giles, Collected matrix derivative results, 2008). The derivatives are right at diagonal and
/// block-diagonal matrices; nalgebra's algorithm on dual numbers is wrong there.
///
/// **Symmetry.** The function uses the hermitian part `(A + Aᴴ)/2` of the matrix and of a tangent; the cotangent is
/// hermitian.
///
/// **Gauge.** The largest entry of each vector (the first of several that are equal to rounding) is real and
/// positive. The derivative keeps it real: the derivative of a complex vector is turned by `−i Im(v̇ₖ)/vₖ`. A result
/// that depends on signs or phases depends on this choice.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values).
///
/// # Errors
/// - `Degenerate` if the matrix is active and two eigenvalues are equal to rounding (closer than `n·ε·max |λ|`): the
///   vectors have no derivative there. [`symmetric_eigenvalues`](super::symmetric_eigenvalues) and
///   [`symmetric_function`](super::symmetric_function) have one, and [`symmetric_eigenpair`](super::symmetric_eigenpair())
///   at an eigenvalue that is simple.
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigen};
/// let a = matrix![1.0_f64, 0.0; 0.0, 3.0].zip_map(&matrix![0.5, 1.0; 1.0, 0.0], Dual::new);
/// let eigen = symmetric_eigen(&a)?;
/// assert_eq!(eigen.eigenvalues.map(|x| x.value()), vector![1.0, 3.0]);
/// assert_eq!(eigen.eigenvalues.map(|x| x.tangent()), vector![0.5, 0.0]);
/// assert_eq!(eigen.eigenvectors.map(|x| x.tangent()), matrix![0.0, 0.5; -0.5, 0.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn symmetric_eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<SymmetricEigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("symmetric_eigen", a);
    let (rows, columns) = a.shape_generic();
    let recorded = operation!("symmetric_eigen", [a] => {
        let SymmetricEigen { eigenvalues, eigenvectors } = symmetric_eigen(a)?;
        [&of_reals(eigenvalues.as_slice())[..], eigenvectors.as_slice()].concat()
    });
    let y = if let Some(y) = recorded {
        y?
    } else {
        let (near_one, power) = near_one(a.as_slice());
        // Columns (−y, x) and (x, y), each with its leading entry positive.
        let closed = pair(&near_one).map(|[values, [x, y]]| (values, [positive([-y, x]), positive([x, y])]));
        let found = match closed {
            Some((values, vectors)) if power == 0 => {
                return Ok(SymmetricEigen {
                    eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| values[i]),
                    eigenvectors: OMatrix::from_fn_generic(rows, columns, |i, j| S::of_real(vectors[j][i])),
                });
            }
            Some((values, vectors)) => Arc::new(Spectrum {
                op: "symmetric_eigen",
                values: DVector::from_fn(n, |i, _| values[i].primal()),
                vectors: DMatrix::from_fn(n, n, |i, j| S::Primal::base(vectors[j][i].primal())),
                leading: Vec::new(),
            }),
            None => Spectrum::new("symmetric_eigen", n, &near_one)?,
        };
        let powers = Scales::of_matrix(power, n * n, &[(n, 1), (n * n, 0)]);
        lift(SymmetricEigenRule { found }, powers, &[a.as_slice()])?
    };
    Ok(SymmetricEigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()),
        eigenvectors: OMatrix::from_column_slice_generic(rows, columns, &y[n..]),
    })
}

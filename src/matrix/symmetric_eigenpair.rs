//! One eigenvalue of a symmetric or hermitian matrix, and its vector.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::near_one;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::operation::operation;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::symmetric_eigenpair::SymmetricEigenpairRule;
use crate::matrix::shapes::square;

/// The eigenvalue `λ` at this index of the ascending eigenvalues of a symmetric or hermitian matrix, and its eigenvector
/// `v`: `λ̇ = vᴴȦv`, `v̇ = −(A − λI)⁺Ȧv`; `Ā` is the hermitian part of `λ̄vvᴴ − (A − λI)⁺v̄vᴴ` (J. R. Magnus, On
/// differentiating eigenvalues and eigenvectors, Econometric Theory 1, 1985).
///
/// Only this eigenvalue must be simple: derivatives of every order exist where others are equal to each other, for which
/// [`symmetric_eigen`](super::symmetric_eigen()) is an error. A tangent takes n² operations; at nested numbers the bordered
/// matrix `B = [A − λI, v; vᴴ, 0]` is factorised once. Symmetry and gauge are as in `symmetric_eigen`.
///
/// # Errors
/// - `Degenerate` if the matrix is active and a neighbour of the eigenvalue is equal to rounding, closer than `n·ε·max |λ|`;
///   at nested numbers `Singular` if it is so close that `B` is singular to rounding.
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If the matrix is not square or has no such eigenvalue.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Taylor, matrix::symmetric_eigenpair, second_derivative};
/// // A ring of three, with t at one place: the upper two eigenvalues are equal,
/// // the lowest is t/3 − 2t²/27 + …
/// let second = second_derivative(
///     |t| {
///         let [two, off] = [2.0, -1.0].map(Taylor::constant);
///         let ring = matrix![two + t, off, off; off, two, off; off, off, two];
///         symmetric_eigenpair(&ring, 0).unwrap().0
///     },
///     0.0_f64,
/// );
/// assert!((second + 4.0 / 27.0).abs() < 1e-15);
/// ```
#[track_caller]
pub fn symmetric_eigenpair<S: Entry, D: Dim>(
    a: &OMatrix<S, D, D>,
    index: usize,
) -> Result<(S::Re, OVector<S, D>), AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let op = "symmetric_eigenpair";
    let n = square(op, a);
    assert!(index < n, "{op}: eigenvalue {index} of a matrix of {n} rows");
    let rows = a.shape_generic().0;
    let recorded = operation!(op, [a] {index: usize} => {
        let (value, vector) = symmetric_eigenpair(a, index)?;
        [&[S::of_real(value)], vector.as_slice()].concat()
    });
    let y = if let Some(y) = recorded {
        y?
    } else {
        let (near_one, power) = near_one(a.as_slice());
        let found = Spectrum::new(op, n, &near_one)?;
        let powers = Scales::of_matrix(power, n * n, &[(1, 1), (n, 0)]);
        lift(SymmetricEigenpairRule { found, index }, powers, &[a.as_slice()])?
    };
    Ok((y[0].real_part(), OVector::from_column_slice_generic(rows, U1, &y[1..])))
}

//! Functions of matrices with rules of their own: the algorithm runs once, on machine numbers, and its tangents and
//! cotangents follow from the results. No inverse is formed where a solve will do.
//!
//! Every function takes nalgebra matrices, of static or dynamic size, over any number of this crate: `f64`, `f32`,
//! complex numbers of them, `Dual`, `DualN`, `Dual2`, `HyperDual`, nested ones, and `Var`. Code that is written
//! once against these functions has every derivative.
//!
//! ```
//! use nalgebra::{matrix, vector, Matrix2, Vector2};
//! use wengert::{Dual, matrix::solve};
//! // A x = b: A ẋ = ḃ − Ȧ x
//! let a = matrix![4.0, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new);
//! let b = vector![1.0, 2.0].zip_map(&vector![0.5, -1.0], Dual::new);
//! let x: Vector2<Dual<f64>> = solve(&a, &b)?;
//! assert!((x.map(|x| x.value()) - vector![0.1, 0.6]).norm() < 1e-15);
//! assert!((x.map(|x| x.tangent()) - vector![0.31, -0.63]).norm() < 1e-15);
//! # Ok::<(), wengert::AdError>(())
//! ```

#[cfg(test)]
mod adjoint;
mod bidiagonal;
mod cholesky;
mod decomposition;
mod determinant;
mod divided;
mod eigen;
mod entry;
mod entrywise;
mod equations;
mod factors;
mod function;
mod gaussian;
mod general;
mod jacobi;
mod least_squares;
mod lu;
mod norm;
mod op;
mod pair;
mod product;
mod qr;
pub mod rotation;
mod schur;
mod singular_values;
mod small;
mod spectral;
mod spectrum;
mod substitution;
mod svd;
mod system;
mod triangular;

pub use cholesky::{Cholesky, cholesky};
pub use determinant::*;
pub use eigen::{SymmetricEigen, symmetric_eigen, symmetric_eigenvalues};
pub use entry::Entry;
pub use entrywise::*;
pub use equations::{lyapunov, sylvester};
pub use factors::lu;
pub use function::{expm, matrix_power};
pub use gaussian::*;
pub use general::{Eigen, eigen, eigenvalues};
pub use least_squares::{lstsq, pinv};
pub use lu::*;
pub use norm::*;
pub use op::Op;
pub use product::*;
pub use qr::{Qr, qr};
pub use rotation::*;
pub use singular_values::singular_values;
pub use spectral::{symmetric_exp, symmetric_function, symmetric_sqrt};
pub use svd::{Svd, svd};
pub use triangular::*;

use product::times;

use nalgebra::{DMatrix, DVectorView, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::number::Number;

/// A group of a primitive as a matrix.
fn dense<T: Number>(rows: usize, columns: usize, entries: &[T]) -> DMatrix<T> {
    DMatrix::from_column_slice(rows, columns, entries)
}

/// `sum += term`, entry by entry.
fn add<T: Number>(sum: &mut [T], term: &[T]) {
    sum.iter_mut().zip(term).for_each(|(s, &t)| *s += t);
}

/// `Σ conj(aᵢ)bᵢ`, in several sums at once for machine numbers.
fn inner_product<T: Number>(a: &[T], b: &[T]) -> T {
    if T::REAL {
        return DVectorView::from_slice(a, a.len()).dot(&DVectorView::from_slice(b, b.len()));
    }
    T::inner_product(a.iter().map(|a| a.conj()).zip(b.iter().copied()))
}

/// Panics where two shapes that must agree do not, as nalgebra's operators do.
#[track_caller]
fn demand(op: &'static str, what: &'static str, expected: (usize, usize), got: (usize, usize)) {
    if expected != got {
        panic!("{}", AdError::Dimensions { op, what, expected, got });
    }
}

/// The number of rows of a square matrix; panics if it is not one.
#[track_caller]
fn square<S, R: Dim, C: Dim>(op: &'static str, a: &OMatrix<S, R, C>) -> usize
where
    S: Entry,
    DefaultAllocator: Allocator<R, C>,
{
    demand(op, "matrix", (a.nrows(), a.nrows()), a.shape());
    a.nrows()
}

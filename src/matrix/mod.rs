//! Functions of matrices with rules of their own: the algorithm runs once, on machine numbers, and its tangents and
//! cotangents follow from the results. No inverse is formed where a solve will do.
//!
//! Every function takes nalgebra matrices, of static or dynamic size, over any number of this crate: `f64`, `f32`,
//! complex numbers of them, `Dual`, `DualN`, `Dual2`, `HyperDual`, nested ones, and `Var`. Code that is written
//! once against these functions has derivatives in both modes.
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
//!
//! | for | take |
//! |---|---|
//! | products | [`matmul`], `matmul_tn` … `matmul_hh`, [`gemm`], [`outer`], [`kron`], [`dot`], [`dotc`], [`trace`]; in place [`Dual::matmul_into`](crate::Dual::matmul_into) |
//! | systems | [`solve`], [`solve_transpose`], [`Lu`], [`Cholesky`], [`Qr`], [`solve_lower`] and its like, [`lstsq`], [`sylvester`], [`lyapunov`] |
//! | inverses and determinants | [`inverse`], [`pinv`], [`det`], [`ln_abs_det`], [`sign_ln_det`], [`inverse_quadratic_form`], [`gaussian_log_density`] |
//! | factors | [`lu()`], [`cholesky()`], [`qr()`], [`svd()`], [`symmetric_eigen`], [`eigen()`] |
//! | values alone | [`singular_values`], [`symmetric_eigenvalues`], [`eigenvalues`] |
//! | functions | [`expm`], [`matrix_power`], [`symmetric_function`], [`symmetric_sqrt`], [`symmetric_exp`] |
//! | norms | [`norm`], [`nuclear_norm`], [`spectral_norm`], [`normalize`] |
//! | entries | [`component_mul`], [`component_div`], [`map`], [`with_row`], [`with_column`], [`with_scalar`], [`sum`], [`sum_rows`], [`sum_columns`], [`mean`], [`product()`] |
//! | rotations | [`rotation`] |
//!
//! nalgebra's own indexing, slicing, reshaping and concatenation are right on matrices of these numbers, and so are its
//! LU, QR and Cholesky factors. Its eigenvectors and singular vectors are not: the iteration stops when the values have
//! converged, and those of diagonal matrices come out without their derivatives.
//!
//! # Cost
//!
//! Values and tangents are taken apart, and a tangent or cotangent of a system of n unknowns costs a few n² beside the
//! n³ of its factors. Small matrices are done in the arithmetic of the numbers themselves, without any of this, where a
//! function allows it: of up to 6 rows at any number, of up to 12 at `Dual`. Determinants of up to 24 rows (`Dual`) and
//! Cholesky factors of up to 64 (every number of forward mode) carry their tangents along with the elimination. On a
//! tape a function of larger matrices is one step. Values are the same to the last bit at every number type.
//!
//! With the feature `faer` the crate of that name decomposes the values of large matrices, on one thread: LU from 64 rows
//! on, singular values, eigenvalues and eigenvectors from 32. At 200 rows it takes 0.4 of nalgebra's time for LU, 0.1 for
//! the others. It is off by default, for it brings 38 more crates to compile. Its results are the same to rounding, not
//! bit for bit. Cholesky and orthogonal factors, and the Schur forms behind [`sylvester`] and [`lyapunov`], are found as
//! without it.
//!
//! # Singular matrices
//!
//! A matrix is singular if elimination with partial pivoting, `PA = LU`, leaves a pivot that is zero to rounding: not
//! larger than what the roundings of the steps before can have moved it, `|uₖₖ| ≤ ε·|ℓ|ᵀ|L − I||U||w|`, where `ℓᵀ` is
//! row k of `L⁻¹` and `w` column k of `U⁻¹`, scaled to a last entry of 1. Pivots of at least 1/256 of the largest entry
//! above them in `U` are not asked. Neither scales of rows nor of columns enter, and a triangular matrix has no roundings;
//! of Hilbert's matrices that of 12 rows (condition 1.6e16) is regular, that of 13 is not. A pivot that is zero, not
//! finite, or has no finite reciprocal counts too.
//!
//! [`solve`], [`solve_transpose`], [`inverse`], [`Lu`], [`lu()`], [`ln_abs_det`], [`sign_ln_det`], [`matrix_power`],
//! [`inverse_quadratic_form`] decide so, by the values, whatever the number type. [`det`] has a value and derivatives at a
//! singular matrix too, and beyond six rows takes another formula there. [`cholesky()`], [`Cholesky`] and
//! [`gaussian_log_density`] ask the same of their pivots `lₖₖ²`, with `|L|` in place of `|L − I|`, where these are less
//! than 1/256 of the diagonal of `A`: a matrix that is semidefinite is not positive definite.
//!
//! ```
//! use nalgebra::matrix;
//! use wengert::{AdError, matrix::{det, inverse}};
//! // By elimination the last pivot of this matrix of rank two is 1.1e-16.
//! let a = matrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0; 7.0, 8.0, 9.0];
//! assert_eq!(inverse(&a), Err(AdError::Singular { op: "inverse" }));
//! assert_eq!(det(&a), 0.0);
//! assert!(inverse(&matrix![1e-200, 0.0; 1.0, 1e200]).is_ok());
//! ```
//!
//! # Errors
//!
//! Shapes that do not fit are a panic that names both, as in nalgebra. What fails by its numbers (singular, not positive
//! definite, without convergence, vectors without a derivative) is an [`AdError`](crate::AdError). Sums and products that leave the range
//! of numbers are infinite or NaN, as in IEEE arithmetic, also in a solution.

mod cholesky;
mod det;
mod dot;
mod dual_matrix;
mod eigen;
mod entry;
mod entrywise;
mod expm;
mod gaussian_log_density;
mod gemm;
mod inverse;
mod inverse_quadratic_form;
mod kernels;
mod kron;
mod lstsq;
mod lu;
mod matmul;
mod matrix_power;
mod norm;
mod op;
mod pinv;
mod qr;
pub mod rotation;
mod rules;
mod shapes;
mod singular_values;
mod sizes;
mod solve;
mod solve_triangular;
mod svd;
mod sylvester;
mod symmetric_eigen;
mod symmetric_eigenvalues;
mod symmetric_function;
#[cfg(test)]
mod transposes;

pub use cholesky::{Cholesky, cholesky};
pub use det::{det, ln_abs_det, sign_ln_det};
pub use dot::{dot, dotc, trace};
pub use eigen::{Eigen, eigen, eigenvalues};
pub use entry::Entry;
pub use entrywise::*;
pub use expm::expm;
pub use gaussian_log_density::gaussian_log_density;
pub use gemm::gemm;
pub use inverse::inverse;
pub use inverse_quadratic_form::inverse_quadratic_form;
pub use kron::kron;
pub use lstsq::lstsq;
pub use lu::{Lu, lu};
pub use matmul::*;
pub use matrix_power::matrix_power;
pub use norm::{norm, normalize, nuclear_norm, spectral_norm};
pub use op::Op;
pub use pinv::pinv;
pub use qr::{Qr, qr};
pub use rotation::*;
pub use singular_values::singular_values;
pub use solve::{solve, solve_transpose};
pub use solve_triangular::*;
pub use svd::{Svd, svd};
pub use sylvester::{lyapunov, sylvester};
pub use symmetric_eigen::{SymmetricEigen, symmetric_eigen};
pub use symmetric_eigenvalues::symmetric_eigenvalues;
pub use symmetric_function::{symmetric_exp, symmetric_function, symmetric_sqrt};

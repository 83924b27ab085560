//! Functions of matrices with their own derivative rules: the algorithm runs once, on primal numbers, and tangents
//! and cotangents follow from its results. Solves are used instead of inverses where possible.
//!
//! The functions take nalgebra matrices, of static or dynamic size, over the numbers of this crate: `f64`, `f32`,
//! complex numbers of them, `Dual`, `DualN`, `Dual2`, `HyperDual`, nested ones, and `Var`. So code that uses them has
//! derivatives in both modes.
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
//! | for | use |
//! |---|---|
//! | products | [`matmul`], `matmul_tn` … `matmul_hh`, [`gemm`], [`outer`], [`kron`], [`dot`], [`dotc`], [`trace`]; in place [`Dual::matmul_into`](crate::Dual::matmul_into) |
//! | systems | [`solve`], [`solve_transpose`], [`Lu`], [`Cholesky`], [`Qr`], [`solve_triangular`], [`lstsq`], [`sylvester`], [`lyapunov`] |
//! | inverses and determinants | [`inverse`], [`pinv`], [`det`], [`ln_abs_det`], [`sign_ln_det`], [`inverse_quadratic_form`], [`gaussian_log_density`] |
//! | factors | [`lu()`], [`cholesky()`], [`qr()`], [`svd()`], [`polar()`], [`symmetric_eigen`], [`symmetric_eigenpair`], [`eigen()`] |
//! | eigenvalues and singular values only | [`singular_values`], [`symmetric_eigenvalues`], [`eigenvalues`] |
//! | functions | [`expm`], [`matrix_power`], [`symmetric_function`], [`symmetric_sqrt`], [`symmetric_exp`] |
//! | norms | [`norm`], [`nuclear_norm`], [`spectral_norm`], [`normalize`] |
//! | entries | [`component_mul`], [`component_div`], [`map`], [`broadcast_row`], [`broadcast_column`], [`broadcast_scalar`], [`sum`], [`column_sum`], [`row_sum`], [`mean`], [`product()`] |
//! | rotations | [`rotation`] |
//!
//! On matrices of these numbers nalgebra's indexing, slicing, reshaping and concatenation are right, and so are its
//! LU, QR and Cholesky factors. Its eigenvectors and singular vectors are not: the iteration stops when the values
//! have converged, and for diagonal matrices their derivatives are lost.
//!
//! # Cost
//!
//! A tangent or cotangent of a system of n unknowns costs a few n² operations, in addition to the n³ of the factors.
//! Where possible, small matrices use the arithmetic of the numbers directly: up to 6 rows at any number, systems up to 12
//! at `Dual`, QR factors up to 10 and Cholesky factors up to 64 at all numbers of forward mode, determinants up to 24 at `Dual`;
//! on a tape determinants up to 8 rows, and over numbers with tangents up to 12, Cholesky factors there up to 20. Otherwise
//! a function of larger matrices is one block on a tape. Values are bit for bit the same at every number type.
//!
//! With the feature `faer`, the crate faer factorises the values of large matrices, on one thread: LU from 64 rows on,
//! singular values, eigenvalues and eigenvectors from 32, QR from 40 columns. At 200 rows it takes 0.4 of nalgebra's time
//! for LU, 0.25 for QR, 0.1 for the others. The feature is off by default because it adds 38 crates to compile. Its
//! results agree to rounding, not bit for bit. It does not affect Cholesky factors or the Schur forms in [`sylvester`]
//! and [`lyapunov`].
//!
//! # Close values
//!
//! Two values that are almost equal have derivatives that grow with the order: like `1/gᵏ⁻¹` for order `k` and the
//! distance `g`, and like `1/gᵏ` for their vectors. Their relative errors are of size `ε/g`. The derivatives of a value
//! that is far from both have all digits by series ([`Taylor`](crate::Taylor)), and in first order by every number.
//! Nested duals lose digits in higher orders, because the derivatives of the close vectors cancel in the result. The
//! table has the largest errors for a value of size 1 at a distance of this size, for orders 2 to 4 and `g` from 1e-3 to
//! 1e-13; they are at least `ε`.
//!
//! | derivatives of order k by nested duals | error |
//! |---|---|
//! | [`symmetric_eigenvalues`], [`singular_values`], [`spectral_norm`]; values of [`symmetric_eigen`], [`svd()`] | `ε/gᵏ⁻²` |
//! | [`eigenvalues`]; vectors of [`symmetric_eigen`], [`svd()`] | `ε/gᵏ⁻¹` |
//!
//! At `g = 1e-5` the fourth derivative of the far eigenvalue by [`symmetric_eigenvalues`] is 4e-8 off with duals. Values
//! that are equal to rounding have no vectors with derivatives: an error, `Degenerate`. Without vectors, equal
//! eigenvalues have the mean of their first derivatives, and the sum over equal singular values has its own. Another
//! eigenvalue that is simple has all derivatives by [`eigenvalues`] and [`symmetric_eigenpair`].
//!
//! # Singular matrices
//!
//! A matrix is singular if elimination with partial pivoting, `PA = LU`, leaves a pivot that is zero to rounding: at
//! most the bound on the rounding errors of the previous steps, `|uₖₖ| ≤ ε·|ℓ|ᵀ|L − I||U||w|`, where `ℓᵀ` is row k of
//! `L⁻¹` and `w` is column k of `U⁻¹`, scaled to a last entry of 1. Pivots of at least 1/256 of the largest entry
//! above them in `U` are not tested. The test does not depend on the scales of rows and columns, and a triangular
//! matrix has no rounding errors. The Hilbert matrix of 12 rows (condition 1.6e16) is regular, with 13 rows it is
//! singular. A pivot that is zero, not finite, or without a finite reciprocal also makes the matrix singular. An entry
//! that is infinite or NaN is reported as `NotFinite`.
//!
//! [`solve`], [`solve_transpose`], [`inverse`], [`Lu`], [`lu()`], [`ln_abs_det`], [`sign_ln_det`], [`matrix_power`],
//! [`inverse_quadratic_form`] use this test on the values, for all number types. [`det`] has a value and derivatives
//! at a singular matrix too, and beyond six rows uses another formula there. [`cholesky()`], [`Cholesky`] and
//! [`gaussian_log_density`] apply the same test to their pivots `lₖₖ²`, with `|L|` in place of `|L − I|`, if these
//! are less than 1/256 of the diagonal of `A`: a semidefinite matrix is not positive definite.
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
//! Mismatched shapes panic with a message that names both, as in nalgebra. Numerical failures (a singular or not
//! positive definite matrix, no convergence, vectors without a derivative) return an [`AdError`](crate::AdError).
//! Overflow gives infinities or NaN as in IEEE arithmetic, in solutions too.
//!
//! # Near the ends of the range
//!
//! A derivative contains powers of a matrix and of its inverse, which leave the range of the float long before the
//! derivative does. So a matrix whose fourth powers would leave it (from 2^±255, 1e±77, on, at `f32` from 2^±31, 1e±9)
//! is divided by a power of two, exactly; each tangent and cotangent by its own. The promise, for
//! both floats and both modes: if the matrix, the result, the tangent or cotangent, and the derivative are normal numbers
//! of the float, all with a few binary digits to spare for sums, the derivative is as accurate as at scale 1. In higher
//! orders this needs the derivatives of lower order of all results in the range too, and tangents in proportion to the
//! matrix or of size 1.
//!
//! There is no such promise
//! - for a matrix nearer to 1, which is not divided, with right-hand sides, results, tangents, cotangents or derivatives
//!   outside of the middle half of the range (beyond 2^±490, 1e±147, at `f32` 2^±58, 1e±17): an intermediate product
//!   such as `ȦX` may leave the range although the derivative does not.
//! - for a matrix whose entries fill more than half of the range, such as diag(1e-200, 1e200): it is not divided. Values
//!   of systems, and [`det`], are right there; derivatives may leave the range on the way.
//! - for compositions such as [`gaussian_log_density`], [`inverse_quadratic_form`] and `P` of [`polar()`] outside of the
//!   middle half of the range.
//! - for [`expm`], [`symmetric_exp`] and rules with a scale of their own, quotients of complex entries
//!   ([`component_div`] and the like), and the third derivative of [`norm`] at `f32`.
//! - for [`symmetric_function`] where the derivative of the rule at an eigenvalue is not a finite float, although its
//!   product with a small tangent would be: that is an error, `Domain`. First derivatives of powers are right there, or ±∞.

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
mod operation;
mod pinv;
mod polar;
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
mod symmetric_eigenpair;
mod symmetric_eigenvalues;
mod symmetric_function;

pub use cholesky::{Cholesky, cholesky};
pub use det::{det, ln_abs_det, sign_ln_det};
pub use dot::{dot, dotc, trace};
pub use eigen::{Eigen, eigen, eigenvalues};
pub use entry::{Entry, RealEntry};
pub use entrywise::*;
pub use expm::expm;
pub use gaussian_log_density::gaussian_log_density;
pub use gemm::gemm;
pub use inverse::inverse;
pub use inverse_quadratic_form::inverse_quadratic_form;
#[cfg(feature = "programs")]
pub(crate) use kernels::kept::Kept;
pub use kron::kron;
pub use lstsq::lstsq;
pub use lu::{Lu, lu};
pub use matmul::*;
pub use matrix_power::matrix_power;
pub use norm::{norm, normalize, nuclear_norm, spectral_norm};
pub use op::{Op, Triangle};
pub use pinv::pinv;
pub use polar::polar;
pub use qr::{Qr, qr};
pub use rotation::*;
pub use singular_values::singular_values;
#[cfg(test)]
pub(crate) use solve::tests as of_factors;
pub use solve::{solve, solve_transpose};
pub use solve_triangular::solve_triangular;
pub use svd::{Svd, svd};
pub use sylvester::{lyapunov, sylvester};
pub use symmetric_eigen::{SymmetricEigen, symmetric_eigen};
pub use symmetric_eigenpair::symmetric_eigenpair;
pub use symmetric_eigenvalues::symmetric_eigenvalues;
pub use symmetric_function::{symmetric_exp, symmetric_function, symmetric_sqrt};

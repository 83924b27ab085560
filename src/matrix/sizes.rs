//! The matrix sizes at which the algorithm changes, each with the reason.
//!
//! The figures are times for square `f64` matrices unless stated otherwise, as multiples of the time with the current
//! constant. A gain of a tenth at a few sizes is not a reason to change a constant.

/// Up to this number of rows matrices use the arithmetic of the numbers directly, for all number types: values and
/// tangents are not split.
///
/// Without this at 2, 4, 6 rows: one solution 2.9, 1.7, 1.9 (of `Dual` 3.7, 2.4, 1.8; of `DualN<4>` 4.9, 3.6, 2.4), an
/// inverse of `DualN<4>` at 4 and 6 rows 4.3, 3.7, Cholesky factors 1.5, 1.9, 2.7. At 7 rows it does not save time at
/// `DualN<4>`.
pub(crate) const SMALL: usize = 6;

/// The limit for systems of primal numbers and of numbers with one tangent: without it one solution takes 1.6 at 7
/// rows, 1.3 at 10, 1.2 at 12 (`Dual` 1.7, 1.3, 1.2). Up to 24 rows instead: 0.9 at 14, then 1.0 to 1.3; many
/// right-hand sides 1.1 to 1.9.
pub(crate) const MOST_UNKNOWNS: usize = 12;

/// Cholesky factors of variables of a tape use the arithmetic of the numbers up to this size, if these have tangents. Without
/// it a Hessian of `ln det` in 3 parameters takes 3.4 at 7 rows, 2.6 at 10, 1.7 at 16, 1.5 at 20; at 24 rows 1.0. Variables
/// over variables of another tape would take 1.4 at 14 rows, 1.9 at 20.
pub(crate) const RECORDED_DEFINITE: usize = 20;

/// Determinants up to this size take one step of complete pivoting, then the formula of three rows: elimination takes 1.35
/// at 4 rows (of `Dual` 0.75), and 0.6 at 6 (`Dual` 0.86).
pub(crate) const ONE_PIVOT: usize = 4;

/// Determinants of primal numbers and numbers with one tangent compute the tangent during the elimination up to
/// here: without this `Dual` takes 2.4 at 10 rows, 2.1 at 16, 1.8 at 24.
pub(crate) const MOST_DET_ROWS: usize = 24;

/// On a tape they do so up to here, or up to the second size if variables have tangents: gradients by a block take 1.6, 1.2 and
/// 1.0 times as long at 7, 8 and 10 rows, products of Hessians and vectors 2.4, 1.8, 1.5 and 1.25 at 7, 8, 10 and 12 rows.
pub(crate) const RECORDED_DET: [usize; 2] = [8, 12];

/// Products up to this size are formed entry by entry where that is not recorded: nalgebra's kernels take 8.7 at 4 rows, 6
/// at 6, 3.5 at 8, 2.5 at 10 (`Dual` 13, 9, 4.4, 2.8; `DualN<4>` 6.7, 4.4, 2.3, 1.8). Up to 20 rows instead, at 11, 12, 14, 16
/// rows: 1.0, 0.6, 0.75, 1.1 (`Dual` 0.6, 0.5, 0.65, 1.0), but gradients, whose blocks have the same bits, 1.3, 1.3, 1.6, 1.9.
/// Where it is recorded: see [`RECORDED_TERMS`].
pub(crate) const ELEMENTWISE: usize = 10;

/// Products of complex variables of a tape up to this size are formed entry by entry.
pub(crate) const RECORDED_COMPLEX: usize = 2;

/// Products of real variables of a tape go entry by entry if they have at most this number of terms plus a third of the number
/// of entries of both factors and the product, and at most this number of terms in an entry. Variables with tangents have
/// three times the limit. A block takes for a matrix of 6, 8 and 12 rows by a vector, if the matrix has the order of the inputs,
/// 1.3, 1.1 and 0.93 times as long, otherwise 2.5, 1.9 and 1.4 times; for 6 rows by 3 columns 0.87 and 1.15 times; in products of
/// Hessians and vectors for 8 and 12 rows by a vector 1.8 and 1.4 times, otherwise 2.8 and 2.5 times.
pub(crate) const RECORDED_TERMS: usize = 100;

/// Triangular systems up to this size go column by column, larger ones by halves. Blocks of 4: 1.1 to 1.4 from 16 rows on;
/// of 48: 1.4 at 32 rows, 1.8 at 48, 1.3 at 128, all with as many right-hand sides as rows.
pub(crate) const SUBSTITUTION_BLOCK: usize = 16;

/// With fewer right-hand sides than this, each is substituted separately: a product with such a narrow factor costs
/// more than it saves. Four together by halves: 1.1 at 32 rows, 1.3 at 64 and 128. The tangents of a solution take a product
/// from this number on, with four lanes or more from four times this number on. Column by column, `Dual` and Cholesky factors: 9.4
/// for 200 sides at 200 rows, 1.0 for 8 sides at 12 rows.
pub(crate) const MANY_SIDES: usize = 8;

/// Right-hand sides that are substituted together, so that each entry of the triangle is read once for all of them:
/// two vectors of four doubles.
pub(crate) const SIDES_AT_ONCE: usize = 8;

/// Cholesky factors, their tangents and cotangents go column by column up to this size, by halves beyond. Blocks of 16:
/// 1.9 at 20 to 48 rows, 1.4 at 64; of 160: 0.9 to 1.0.
pub(crate) const CHOLESKY_BLOCK: usize = 64;

/// Columns that are subtracted together from another column, so that this column is loaded and stored once.
pub(crate) const COLUMNS_AT_ONCE: usize = 4;

/// Columns of a copy with rows and columns exchanged that are filled together: a line of the cache holds 8 doubles.
pub(crate) const COPIED_AT_ONCE: usize = 8;

/// Up to this number of columns, singular values are found by Jacobi's rotations. By bidiagonal matrices 1.5 at 3
/// columns, 1.9 at 4, 1.3 at 5 and 6; rotations at 7 and 8 columns 1.2, at 10 1.6.
pub(crate) const SVD_ROTATED: usize = 6;

/// Up to this number of rows, eigenvalues of symmetric matrices are found by rotations too. By nalgebra's tridiagonal
/// matrices 1.3 at 3 and 4 rows, without vectors 1.4 and 1.3; rotations at 7 rows 1.2, at 8 1.4.
pub(crate) const EIGEN_ROTATED: usize = 4;

/// Tangents of eigenvectors of matrices up to this size are found entry by entry: by products 1.1 to 1.2 at 5 to 8 rows
/// (`Dual`; `DualN<4>` 1.2 to 1.3); no faster from 10 rows on.
pub(crate) const EIGEN_TANGENT_BY_ENTRY: usize = 8;

/// Rows from which on faer eliminates, with the feature `faer`: its time relative to nalgebra's is 2.7 at 10 rows,
/// 1.07 at 50, 0.74 at 100, 0.37 at 200.
#[cfg(feature = "faer")]
pub(crate) const FAER_LU: usize = 64;

/// Columns from which on faer finds singular values: 1.6 at 10, 0.37 at 50, 0.1 at 200.
#[cfg(feature = "faer")]
pub(crate) const FAER_SVD: usize = 32;

/// Rows from which on faer finds eigenvalues: 1.8 at 10, 0.57 at 50, 0.16 at 100, 0.1 at 200.
#[cfg(feature = "faer")]
pub(crate) const FAER_EIGEN: usize = 32;

/// Columns from which on faer finds orthogonal factors: 1.9 at 32, 0.45 at 50, 0.37 at 100, 0.25 at 200; with three times as
/// many rows 0.38, 0.43, 0.22, 0.17.
#[cfg(feature = "faer")]
pub(crate) const FAER_QR: usize = 40;

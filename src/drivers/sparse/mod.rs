//! Sparse Jacobians and Hessians of any function, by patterns and colourings.
//!
//! | | by | gives |
//! |---|---|---|
//! | [`jacobian()`], [`Jacobian`] | a [`VectorFunction`] | a `CsrMatrix` of nalgebra-sparse |
//! | [`hessian()`], [`Hessian`] | a [`Function`] | a `CscMatrix`, both triangles |
//!
//! A Jacobian or Hessian with few entries in each row takes a few products with vectors, whatever its size. For sums
//! whose terms state the parameters that they read, [`sums`](super::sums) are faster: they need neither patterns nor
//! colours.
//!
//! ```
//! use wengert::{function, sparse};
//! let f = function!(|x| x[0] * x[1] + x[2].sin());
//! let h = sparse::hessian(&f, &[0.0, 1.0, 0.0]);
//! assert_eq!(h.nnz(), 3); // both triangles of x₀x₁, and −sin x₂, which is 0 at this point
//! assert_eq!(h.get_entry(1, 0).unwrap().into_value(), 1.0);
//! ```
//!
//! # Patterns
//!
//! The function runs once on a tape (for a Hessian on two, `Var<Var<f64>>`), and the pattern follows from the
//! recorded operations. It holds for all values at which the same branches are taken:
//!
//! - **Global in values.** A partial that is zero at the point keeps its entry: `x₀·x₁` at `[0, 1]` has both derivatives, and
//!   `x·0.0` and `x.floor()` have one. The Hessians of `hypot` and norms have all entries at the origin.
//! - **Local in branches.** The pattern lacks inputs that only an untaken branch reads. `max`, `min`, `abs_sub` and `clamp`
//!   are branches, except at a tie: `x.clamp(0.0, 1.0)` has no entry at 2, and one at 1. Comparisons, conversions to primal
//!   numbers and [`stop_gradient`](crate::stop_gradient) give no entries. At a point with other branches find the pattern
//!   again, or call `check_pattern`.
//! - **Primitives and matrix functions** have one entry for each result and operand, and all pairs of their operands
//!   in a Hessian: too many entries, never too few. Only their two directions as a whole are available; finding zeros
//!   would take a call for each operand. Where it matters, use entry-by-entry code: a product as `a * b` has the
//!   pattern of its sums, [`matmul`](crate::matrix::matmul) has all entries.
//! - A derivative formed inside the function, and a partial that is infinite, drop entries that are exactly zero at
//!   the point: use another point.
//!
//! # Sources
//!
//! Rows and columns: A. R. Curtis, M. J. D. Powell, J. K. Reid: *On the estimation of sparse Jacobian matrices* (1974).
//! Hessians: T. F. Coleman, J. J. Moré: *Estimation of sparse Hessian matrices and graph coloring problems* (1984). The greedy
//! colourings: A. H. Gebremedhin, F. Manne, A. Pothen: *What color is your Jacobian?* (2005), in the order of saturation by
//! D. Brélaz: *New methods to color the vertices of a graph* (1979); the acyclic one: A. H.
//! Gebremedhin, A. Tarafdar, A. Pothen, A. Walther: *Efficient computation of sparse Hessians using coloring and automatic
//! differentiation* (2009).

mod colour;
mod forest;
pub mod hessian;
pub mod jacobian;
mod saturated;
mod table;

pub use hessian::Hessian;
pub use jacobian::Jacobian;

use nalgebra_sparse::{CscMatrix, CsrMatrix};

use super::forms::expect;
use super::{Function, VectorFunction};

/// `J(x)`, outputs × inputs. A [`Jacobian`] keeps pattern and colours, which take longer than the matrix.
///
/// # Panics
/// If there are 2³² entries.
///
/// ```
/// use wengert::{function, sparse};
/// let f = function!(|x, y: [_; 2]| { y[0] = x[0] * x[1]; y[1] = x[2].exp(); });
/// let j = sparse::jacobian(&f, &[2.0, 3.0, 0.0]);
/// assert_eq!((j.row_offsets(), j.col_indices()), (&[0, 2, 3][..], &[0, 1, 2][..]));
/// assert_eq!(j.values(), [3.0, 2.0, 1.0]);
/// ```
#[track_caller]
pub fn jacobian<F: VectorFunction>(f: F, x: &[f64]) -> CsrMatrix<f64> {
    let mut jacobian = expect(Jacobian::new(&f, x));
    let mut out = jacobian.zeros();
    expect(jacobian.of_object(&f).at(x, &mut (), &mut out));
    out
}

/// `H(x)`, both triangles. A [`Hessian`] keeps pattern and colours, which take longer than the matrix, and gives value and
/// gradient too.
///
/// # Panics
/// If there are 2³² entries.
///
/// ```
/// use wengert::{function, sparse};
/// let h = sparse::hessian(function!(|x| x[0].powi(2) * x[2] + x[1]), &[3.0, 4.0, 5.0]);
/// assert_eq!((h.col_offsets(), h.row_indices()), (&[0, 2, 2, 3][..], &[0, 2, 0][..]));
/// assert_eq!(h.values(), [10.0, 6.0, 6.0]);
/// ```
#[track_caller]
pub fn hessian<F: Function>(f: F, x: &[f64]) -> CscMatrix<f64> {
    let mut hessian = expect(Hessian::new(&f, x));
    let mut out = hessian.zeros();
    expect(hessian.of_object(&f).at(x, &mut (), &mut out));
    out
}

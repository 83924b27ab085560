//! Triangular systems: `TX = B`, where only a triangle of `T` is read.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::solve::SolveSystem;
use crate::matrix::rules::system::SystemRule;
use crate::matrix::shapes::{demand, square};
use num_traits::Zero;

/// `X` of `op(T)·X = B` with a triangle of `T`, by substitution. `Op::Adjoint` with the lower triangle is the second half of
/// a solve with a Cholesky factor.
///
/// For `TX = B`: `TẊ = Ḃ − ṪX`, `TᴴB̄ = X̄`, and `T̄` is the triangle of `−B̄Xᴴ`; the other entries have cotangent zero.
///
/// # Errors
/// `Singular` if the diagonal contains a zero and is read.
///
/// # Panics
/// If `T` is not square or `B` has another number of rows.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::{Op, Triangle, solve_triangular};
/// let (t, x) = (matrix![2.0, 9.0; 1.0, 4.0], vector![1.0, 2.0]);
/// assert_eq!(solve_triangular(Triangle::Lower, Op::Plain, &t, &vector![2.0, 9.0])?, x);
/// assert_eq!(solve_triangular(Triangle::Lower, Op::Adjoint, &t, &vector![4.0, 8.0])?, x);
/// assert_eq!(solve_triangular(Triangle::UnitUpper, Op::Plain, &t, &vector![19.0, 2.0])?, x);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn solve_triangular<S: Entry, D: Dim, C: Dim>(
    triangle: Triangle,
    op: Op,
    t: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<OMatrix<S, D, C>, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let name = "solve_triangular";
    let n = square(name, t);
    demand(name, "right-hand side", (n, b.ncols()), b.shape());
    let (rows, columns) = b.shape_generic();
    return_recorded!((rows, columns), name, [t, b] {triangle: Triangle, op: Op} => {
        solve_triangular(triangle, op, t, b)?.data.into()
    });
    let unit = triangle.has_ones();
    if !unit && (0..n).any(|i| t[(i, i)].size().is_zero()) {
        return Err(AdError::Singular { op: name });
    }
    let is_far = !unit && middle(t.as_slice().iter().step_by(n + 1)) != 0;
    let power = if is_far { middle(t.iter()) } else { 0 };
    let powers = Scales::of_system(power, &[t.as_slice()], b.as_slice());
    let system = SolveSystem { solver: triangle, op, n, columns: b.ncols() };
    let x = lift(SystemRule(system), powers, &[t.as_slice(), b.as_slice()])?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

//! Linear systems by LU factors.
//!
//! The matrix is factored once, on machine numbers; value, tangent, cotangent and all nested ones are solves with
//! these factors.

use std::rc::Rc;

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::small::SmallLu;
use super::system::{Factored, Solve};
use super::{Entry, Op, demand, square};
use crate::error::AdError;

/// The factors of a square matrix, computed once, for any number of solves.
///
/// At numbers with tangents and on tapes they are the factors of the values: value, tangents and cotangents are
/// solves with them.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::Lu;
/// let lu = Lu::new(&matrix![4.0, 1.0; 2.0, 3.0])?;
/// assert!((lu.solve(&vector![1.0, 2.0]) - vector![0.1, 0.6]).norm() < 1e-15);
/// assert!((lu.solve_transpose(&vector![1.0, -2.0]) - vector![0.7, -0.9]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Lu<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    pub(super) form: Form<S, D>,
}

#[derive(Clone)]
pub(super) enum Form<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// In the arithmetic of the numbers themselves.
    Small(SmallLu<S, D>),
    Whole(OMatrix<S, D, D>, Rc<Factored<S::Primal>>),
}

/// `op(A)·X = B` for a matrix with its factors.
#[track_caller]
pub(super) fn solve_whole<S: Entry, D: Dim, C: Dim>(
    factors: &Rc<Factored<S::Primal>>,
    op: Op,
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> OMatrix<S, D, C>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let rule = Solve { factors: factors.clone(), op, n: b.nrows(), columns: b.ncols() };
    let x = S::lift(&rule, &[a.as_slice(), b.as_slice()]).expect("the factors exist");
    let (rows, columns) = b.shape_generic();
    OMatrix::from_vec_generic(rows, columns, x)
}

impl<S: Entry, D: Dim> Lu<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Factors a matrix.
    ///
    /// # Errors
    /// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    pub fn new(a: &OMatrix<S, D, D>) -> Result<Self, AdError> {
        Self::named("lu", a)
    }
    #[track_caller]
    pub(super) fn named(op: &'static str, a: &OMatrix<S, D, D>) -> Result<Self, AdError> {
        let n = square(op, a);
        let form = match SmallLu::new(op, a)? {
            Some(lu) => Form::Small(lu),
            None => Form::Whole(a.clone(), Factored::lu(op, n, a.as_slice())?),
        };
        Ok(Lu { form })
    }
    #[track_caller]
    fn solve_as<C: Dim>(&self, op: Op, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let n = self.rows();
        demand("solve", "right-hand side", (n, b.ncols()), b.shape());
        match &self.form {
            Form::Small(lu) => {
                let mut x = b.clone();
                lu.solve(op, &mut x);
                x
            }
            Form::Whole(a, factors) => solve_whole(factors, op, a, b),
        }
    }
    fn rows(&self) -> usize {
        match &self.form {
            Form::Small(lu) => lu.pivots().count(),
            Form::Whole(a, _) => a.nrows(),
        }
    }
    /// `X` of `AX = B`.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    pub fn solve<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        self.solve_as(Op::Plain, b)
    }
    /// `X` of `AᵀX = B`.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    pub fn solve_transpose<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        self.solve_as(Op::Transpose, b)
    }
    /// `X` of `AᴴX = B`.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    pub fn solve_adjoint<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        self.solve_as(Op::Adjoint, b)
    }
}

/// `X` of `AX = B`, for one right-hand side or several: `AẊ = Ḃ − ȦX`, `AᴴB̄ = X̄`, `Ā = −B̄Xᴴ`; no inverse is
/// formed, and the matrix is factored once, whatever the number type.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If `A` is not square or `B` has another number of rows.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{gradient, matrix::solve};
/// let c = [1.0, -2.0]; // of the solution
/// let g = gradient(
///     |p| {
///         let x = solve(&matrix![p[0], p[1]; p[2], p[3]], &vector![p[4], p[5]]).unwrap();
///         x[0] * c[0] + x[1] * c[1]
///     },
///     &[4.0_f64, 1.0, 2.0, 3.0, 1.0, 2.0],
/// );
/// let want = [-0.07, -0.42, 0.09, 0.54, 0.7, -0.9];
/// assert!(g.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-15));
/// ```
#[inline]
#[track_caller]
pub fn solve<S: Entry, D: Dim, C: Dim>(
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<OMatrix<S, D, C>, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    solve_as("solve", Op::Plain, a, b)
}

/// `X` of `AᵀX = B`.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If `A` is not square or `B` has another number of rows.
///
/// ```
/// use nalgebra::{matrix, vector};
/// let x = wengert::matrix::solve_transpose(&matrix![4.0, 1.0; 2.0, 3.0], &vector![1.0, -2.0])?;
/// assert!((x - vector![0.7, -0.9]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[inline]
#[track_caller]
pub fn solve_transpose<S: Entry, D: Dim, C: Dim>(
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<OMatrix<S, D, C>, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    solve_as("solve_transpose", Op::Transpose, a, b)
}

#[inline]
#[track_caller]
fn solve_as<S: Entry, D: Dim, C: Dim>(
    name: &'static str,
    op: Op,
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<OMatrix<S, D, C>, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let n = square(name, a);
    demand(name, "right-hand side", (n, b.ncols()), b.shape());
    if let Some(lu) = SmallLu::new(name, a)? {
        let mut x = b.clone();
        lu.solve(op, &mut x);
        return Ok(x);
    }
    Ok(solve_whole(&Factored::lu(name, n, a.as_slice())?, op, a, b))
}

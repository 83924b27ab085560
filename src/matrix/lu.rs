//! Linear systems by LU factors.
//!
//! The matrix is factorised once, on primal numbers. Values, tangents and cotangents of any order are solves with
//! these factors.

use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{near_one, scaled};
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::lu::SmallLu;
use crate::matrix::op::Op;
use crate::matrix::operation::{always, operation};
use crate::matrix::rules::det::{DetForm, determinant, exponent_of, ln_of, of_size_one, signed};
use crate::matrix::rules::lu::LuRule;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::solve::solution;
use crate::matrix::shapes::{demand, square};
use crate::number::{BaseFloat, Number, Real};

/// The LU factors of a square matrix, computed once for any number of solves.
///
/// At numbers with tangents and on tapes these are the factors of the values: values, tangents and cotangents are
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
    pub(super) form: Stored<S, D, SmallLu<S, D>>,
}

/// A factorised matrix, as `Lu` and `Cholesky` store it.
#[derive(Clone)]
pub(super) enum Stored<S: Entry, D: Dim, F>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Factors in the arithmetic of the numbers themselves.
    Small(F),
    Whole(OMatrix<S, D, D>, Arc<Factors<S::Primal>>),
    /// In a trace: each use is an operation, and a run factorises the matrix once for all.
    Recorded(OMatrix<S, D, D>),
}

impl<S: Entry, D: Dim> Lu<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Factorises a matrix.
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
        let recorded = operation!(op, [a] {op: &'static str} => Lu::named(op, a).map(|_| Vec::new())?);
        if let Some(y) = recorded {
            return y.map(|_| Lu { form: Stored::Recorded(a.clone()) });
        }
        let form = match SmallLu::new(op, a)? {
            Some(lu) => Stored::Small(lu),
            None => Stored::Whole(a.clone(), Factors::lu(op, n, a.as_slice())?),
        };
        Ok(Lu { form })
    }
    #[track_caller]
    pub(super) fn solve_as<C: Dim>(&self, op: Op, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let n = self.rows();
        demand("solve", "right-hand side", (n, b.ncols()), b.shape());
        match &self.form {
            Stored::Small(lu) => {
                S::demand_one_tape(&[lu.entries(), b.as_slice()]);
                let mut x = b.clone();
                lu.solve(op, &mut x);
                x
            }
            Stored::Whole(a, factors) => solution(factors, op, a, b),
            Stored::Recorded(a) => {
                let x = operation!("lu solve", [a, b] {op: Op} => Lu::new(a)?.solve_as(op, b).data.into());
                OMatrix::from_vec_generic(b.shape_generic().0, b.shape_generic().1, always(x))
            }
        }
    }
    fn rows(&self) -> usize {
        match &self.form {
            Stored::Small(lu) => lu.pivots().count(),
            Stored::Whole(a, _) | Stored::Recorded(a) => a.nrows(),
        }
    }
    /// `X` of `AX = B`.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    #[track_caller]
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
    #[track_caller]
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
    #[track_caller]
    pub fn solve_adjoint<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        self.solve_as(Op::Adjoint, b)
    }
    /// `ln det A` up to multiples of 2πi, `ln |det A|` for real numbers.
    #[track_caller]
    pub(super) fn ln_det(&self) -> S {
        match &self.form {
            Stored::Small(lu) => {
                S::demand_one_tape(&[lu.entries()]);
                S::sum_of(lu.pivots().map(ln_of))
            }
            Stored::Whole(a, factors) => determinant(factors, a.nrows(), a.as_slice(), DetForm::Logarithm),
            Stored::Recorded(a) => always(operation!("lu ln_det", [a] => vec![Lu::new(a)?.ln_det()]))[0],
        }
    }
    /// The sign of the determinant of a real matrix, by the signs of the pivots: their product may underflow.
    pub(super) fn sign(&self) -> f64 {
        let zero = S::Base::from_double(0.0);
        let (exchanges, pivots) = match &self.form {
            Stored::Small(lu) => (lu.sign(), lu.pivots().map(|p| p.primal_value()).collect()),
            Stored::Recorded(a) => {
                // The sign leaves the program as a primal number.
                let sign = always(operation!("lu sign", [a] => vec![S::constant(Lu::new(a)?.sign())]))[0]
                    .primal_value();
                return Number::re(sign).primal().to_double();
            }
            Stored::Whole(_, factors) => (Number::re(factors.sign()).primal().to_double(), factors.pivots()),
        };
        pivots.into_iter().fold(exchanges, |s, p| if Number::re(p).primal() < zero { -s } else { s })
    }
    /// The determinant, from the factors.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let lu = wengert::matrix::Lu::new(&matrix![4.0_f64, 1.0; 2.0, 3.0])?;
    /// assert!((lu.det() - 10.0).abs() < 1e-14);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn det(&self) -> S {
        let det = match &self.form {
            Stored::Small(lu) => signed(lu.sign(), S::product_of(lu.pivots())),
            Stored::Whole(a, factors) => determinant(factors, a.nrows(), a.as_slice(), DetForm::Plain),
            Stored::Recorded(a) => {
                return always(operation!("lu det", [a] => vec![Lu::new(a)?.det()]))[0];
            }
        };
        let size = det.size();
        let in_range = Float::is_finite(size) && size != S::Base::from_double(0.0);
        if in_range { det } else { self.scaled_det() }
    }
    /// The determinant where products of some pivots leave the range of numbers.
    #[cold]
    fn scaled_det(&self) -> S {
        match &self.form {
            Stored::Small(lu) => {
                let det = signed(lu.sign(), S::product_of(lu.pivots().map(of_size_one)));
                scaled(det, lu.pivots().map(exponent_of).sum())
            }
            Stored::Whole(a, factors) => determinant(factors, a.nrows(), a.as_slice(), DetForm::Scaled),
            Stored::Recorded(_) => unreachable!("the operation has scales"),
        }
    }
    /// `ln |det A|`, from the factors.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let lu = wengert::matrix::Lu::new(&matrix![4.0_f64, 1.0; 2.0, 3.0])?;
    /// assert!((lu.ln_abs_det() - 10f64.ln()).abs() < 1e-15);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn ln_abs_det(&self) -> S::Re {
        self.ln_det().real_part()
    }
}

/// `PA = LU` by partial pivoting: the rows of `A` in the order of `PA`, `L` with ones on its diagonal, and `U`. With
/// `M = L⁻¹PȦU⁻¹`: `L̇ = L·tril₋(M)`, `U̇ = triu(M)·U`. The values determine the pivots; if two are equal, one of
/// them is chosen. To solve a system, use [`Lu`](super::Lu).
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let (rows, l, u) = wengert::matrix::lu(&matrix![1.0, 2.0; 4.0, 4.0])?;
/// assert_eq!(rows, [1, 0]);
/// assert_eq!((l, u), (matrix![1.0, 0.0; 0.25, 1.0], matrix![4.0, 4.0; 0.0, 1.0]));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[allow(clippy::type_complexity)] // three results of two types
#[track_caller]
pub fn lu<S: Entry, D: Dim>(
    a: &OMatrix<S, D, D>,
) -> Result<(Vec<usize>, OMatrix<S, D, D>, OMatrix<S, D, D>), AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    square("lu", a);
    let (r, c) = a.shape_generic();
    let (rows, packed) = lu_packed(a)?;
    let part = |keep: fn(usize, usize) -> bool, diagonal: Option<f64>| {
        OMatrix::from_fn_generic(r, c, |i, j| match diagonal.filter(|_| i == j) {
            Some(d) => S::constant(d),
            None if keep(i, j) => packed[i + j * a.nrows()],
            None => S::constant(0.0),
        })
    };
    Ok((rows, part(|i, j| i > j, Some(1.0)), part(|i, j| i <= j, None)))
}

/// The rows in the order of the pivots, and the entries of U with the entries of L below the diagonal.
#[track_caller]
pub(super) fn lu_packed<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<(Vec<usize>, Vec<S>), AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    let recorded = operation!("lu", [a] => {
        let (rows, packed) = lu_packed(a)?;
        rows.into_iter().map(|row| S::constant(row as f64)).chain(packed).collect()
    });
    if let Some(y) = recorded {
        let y = y?;
        let row = |y: &S| Number::re(y.primal_value()).primal().to_double() as usize;
        return Ok((y[..n].iter().map(row).collect(), y[n..].to_vec()));
    }
    let (near_one, power) = near_one(a.as_slice());
    let factors = Factors::lu("lu", n, &near_one)?;
    let Factors::Lu(lu) = &*factors else { unreachable!("factors of another kind") };
    let mut rows = DMatrix::from_fn(n, 1, |i, _| i);
    lu.exchanges().permute_rows(&mut rows);
    let rows: Vec<usize> = rows.data.into();
    let rule = LuRule { rows: rows.clone(), packed: lu.packed().as_slice().to_vec() };
    let columns: Vec<_> = (0..n).flat_map(|j| [(j + 1, 1), (n - j - 1, 0)]).collect();
    let packed = lift(rule, Scales::of_matrix(power, n * n, &columns), &[a.as_slice()])?;
    Ok((rows, packed))
}

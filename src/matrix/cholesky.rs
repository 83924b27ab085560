//! `A = LLᴴ` of a positive definite matrix. Only the lower triangle is read.

use std::any::Any;
use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::cholesky::{factor_by_columns, not_definite};
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::pivots::demand_definite;
use crate::matrix::kernels::small::cholesky::{small_factor, small_solve};
use crate::matrix::lu::Stored;
use crate::matrix::op::Op;
use crate::matrix::operation::{always, operation, return_recorded};
use crate::matrix::rules::cholesky::CholeskyRule;
use crate::matrix::rules::det::DetForm;
use crate::matrix::rules::det::determinant;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::solve::{near_one, solution};
use crate::matrix::shapes::{demand, square};
use crate::matrix::sizes::{CHOLESKY_BLOCK, RECORDED_DEFINITE, SMALL};
use crate::number::Number;
use crate::number::wide::is_moderate_float;

/// The Cholesky factor of a positive definite matrix, computed once for any number of solves.
///
/// Only the lower triangle of the matrix is read, and the cotangent is lower triangular: an entry of it is the sum of
/// the cotangents of both entries of the hermitian matrix.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::Cholesky;
/// let a = Cholesky::new(&matrix![2.0_f64, 1.0; 1.0, 2.0])?;
/// assert!((a.solve(&vector![3.0, 3.0]) - vector![1.0, 1.0]).norm() < 1e-15);
/// assert!((a.ln_det() - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Cholesky<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Small is L itself.
    form: Stored<S, D, OMatrix<S, D, D>>,
}

impl<S: Entry, D: Dim> Cholesky<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// Factorises a matrix.
    ///
    /// # Errors
    /// `NotPositiveDefinite` with the row of the first pivot that is not positive, or
    /// [zero to rounding](crate::matrix#singular-matrices). `NotFinite` if an entry is infinite or NaN.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    pub fn new(a: &OMatrix<S, D, D>) -> Result<Self, AdError> {
        let op = "cholesky";
        let n = square(op, a);
        if let Some(y) = operation!(op, [a] => Cholesky::new(a).map(|_| Vec::new())?) {
            return y.map(|_| Cholesky { form: Stored::Recorded(a.clone()) });
        }
        if n <= SMALL {
            let l = small_factor(op, a)?;
            // Derivatives of a solution contain powers of the pivots' reciprocals.
            let moderate = |i: usize| is_moderate_float(l[(i, i)].size() * l[(i, i)].size());
            if (0..n).all(moderate) {
                return Ok(Cholesky { form: Stored::Small(l) });
            }
        }
        let factors = Factors::cholesky(op, n, a.as_slice())?;
        Ok(Cholesky { form: Stored::Whole(a.clone(), factors) })
    }
    /// The lower triangular factor `L` with a positive diagonal.
    #[track_caller]
    pub fn l(&self) -> OMatrix<S, D, D> {
        match &self.form {
            Stored::Small(l) => l.clone(),
            Stored::Whole(a, factors) => {
                let (factors, power) = near_one(factors, a.as_slice());
                lifted(factors, power, a).expect("the factors exist")
            }
            Stored::Recorded(a) => {
                let l = operation!("cholesky l", [a] => Cholesky::new(a)?.l().data.into());
                OMatrix::from_vec_generic(a.shape_generic().0, a.shape_generic().1, always(l))
            }
        }
    }
    /// `X` of `AX = B`: `AẊ = Ḃ − ȦX`, with the same factors.
    ///
    /// # Panics
    /// If `B` has another number of rows.
    #[track_caller]
    pub fn solve<C: Dim>(&self, b: &OMatrix<S, D, C>) -> OMatrix<S, D, C>
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let (Stored::Small(a) | Stored::Whole(a, _) | Stored::Recorded(a)) = &self.form;
        demand("cholesky solve", "right-hand side", (a.nrows(), b.ncols()), b.shape());
        match &self.form {
            Stored::Small(l) => {
                S::demand_one_tape(&[l.as_slice(), b.as_slice()]);
                small_solve(l, b.clone())
            }
            Stored::Whole(a, factors) => solution(factors, Op::Plain, a, b),
            Stored::Recorded(a) => {
                let x = operation!("cholesky solve", [a, b] => Cholesky::new(a)?.solve(b).data.into());
                OMatrix::from_vec_generic(b.shape_generic().0, b.shape_generic().1, always(x))
            }
        }
    }
    /// `ln det A`: `tr(A⁻¹Ȧ)`, with the same factors.
    #[track_caller]
    pub fn ln_det(&self) -> S::Re {
        match &self.form {
            Stored::Small(l) => {
                S::demand_one_tape(&[l.as_slice()]);
                let ln = |i| Number::ln(l[(i, i)].real_part());
                <S::Re as Number>::total((0..l.nrows()).map(ln)) * S::Re::lit(2.0)
            }
            Stored::Whole(a, factors) => {
                determinant(factors, a.nrows(), a.as_slice(), DetForm::Logarithm).real_part()
            }
            Stored::Recorded(a) => {
                let ln = operation!("cholesky ln_det", [a] => vec![S::of_real(Cholesky::new(a)?.ln_det())]);
                always(ln)[0].real_part()
            }
        }
    }
}

/// The factor `L` of `A = LLᴴ`, lower triangular with a positive diagonal: `L̇ = L·Φ(L⁻¹ȦL⁻ᴴ)`, where `Φ` is the
/// lower triangle with half the diagonal. Only the lower triangle of `A` is read.
///
/// # Errors
/// `NotPositiveDefinite` with the row of the first pivot that is not positive, or
/// [zero to rounding](crate::matrix#singular-matrices). `NotFinite` if an entry is infinite or NaN.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::cholesky};
/// let a = matrix![2.0, 1.0; 1.0, 2.0].zip_map(&matrix![0.1, 0.2; 0.2, -0.3], Dual::new);
/// let dl = cholesky(&a)?.map(|l| l.tangent());
/// let expected = matrix![0.03535533905932738, 0.0; 0.12374368670764582, -0.19391794];
/// assert!((dl - expected).norm() < 1e-8);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn cholesky<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("cholesky", a);
    return_recorded!(a.shape_generic(), "cholesky", [a] => cholesky(a)?.data.into());
    // No entry is larger than the largest of the diagonal.
    let is_far = middle(a.as_slice().iter().step_by(n + 1)) != 0;
    if n <= SMALL && !is_far {
        return small_factor("cholesky", a);
    }
    let is_nested = <S::Number as Number>::ORDER > 1 && !<<S::Number as Number>::Part as Number>::RECORDS;
    let recorded = if is_nested { RECORDED_DEFINITE } else { SMALL };
    if n <= if S::IS_RECORDED { recorded } else { CHOLESKY_BLOCK } && !is_far {
        let mut l = a.clone();
        factor_by_columns(l.as_mut_slice(), n, n)
            .map_err(|pivot| not_definite("cholesky", pivot, n, a.as_slice()))?;
        demand_definite("cholesky", a.as_slice(), l.as_slice(), n)?;
        l.fill_upper_triangle(S::constant(0.0), 1);
        return Ok(l);
    }
    let mut factors = Factors::cholesky("cholesky", n, a.as_slice())?;
    // Plain factors that no run of a program keeps are the result: a copy would be a second large block of memory.
    if S::IS_PLAIN
        && !is_far
        && let Some(Factors::Cholesky(l)) = Arc::get_mut(&mut factors)
    {
        let l: Box<dyn Any> = Box::new(Vec::from(std::mem::replace(l, DMatrix::zeros(0, 0)).data));
        let l = l.downcast().expect("a plain number is its value");
        return Ok(OMatrix::from_vec_generic(a.shape_generic().0, a.shape_generic().1, *l));
    }
    let (factors, power) = near_one(&factors, a.as_slice());
    lifted(factors, power, a)
}

/// `A⁻¹B` and `ln det A` as [`Cholesky`] has them, without its copy of a large matrix.
#[track_caller]
#[allow(clippy::type_complexity)] // a pair
pub(crate) fn solved_with_ln_det<S: Entry, D: Dim, C: Dim>(
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<(OMatrix<S, D, C>, S::Re), AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    if S::Number::TRACES || a.nrows() <= SMALL {
        let factors = Cholesky::new(a)?;
        return Ok((factors.solve(b), factors.ln_det()));
    }
    let factors = Factors::cholesky("cholesky", a.nrows(), a.as_slice())?;
    let ln_det = determinant(&factors, a.nrows(), a.as_slice(), DetForm::Logarithm).real_part();
    Ok((solution(&factors, Op::Plain, a, b), ln_det))
}

/// The factor `L` by the rule, for a matrix that is divided by an even power of two, with its factors then.
#[track_caller]
fn lifted<S: Entry, D: Dim>(
    factors: Arc<Factors<S::Primal>>,
    power: i32,
    a: &OMatrix<S, D, D>,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (rows, columns) = a.shape_generic();
    let powers = (power != 0).then(|| Scales::new([vec![-power; a.len()]], vec![power / 2; a.len()]));
    let l = lift(CholeskyRule { factors, n: a.nrows() }, powers, &[a.as_slice()])?;
    Ok(OMatrix::from_vec_generic(rows, columns, l))
}

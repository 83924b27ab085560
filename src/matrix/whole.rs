//! Functions of matrices where a function is traced: one operation each. Their rules hold factors of the matrix at hand,
//! which a replay must form again.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::lift::{Whole, views};
use crate::matrix::entry::Entry;
use crate::number::Real;

/// The function of these groups as one operation; nothing if no function is traced.
#[inline(always)]
#[track_caller]
pub(crate) fn recorded<S: Entry, W: Whole>(
    function: impl FnOnce() -> W,
    x: &[&[S]],
) -> Option<Result<Vec<S>, AdError>> {
    if !S::IS_REAL || !S::Re::TRACED {
        return None;
    }
    let x: Vec<Vec<S::Re>> = x.iter().map(|x| x.iter().map(|x| x.real_part()).collect()).collect();
    let y = S::Re::lift_whole(function(), &views(&x))?;
    Some(y.map(|y| y.into_iter().map(S::from_real).collect()))
}

/// The same for a function of one matrix, with its shape.
#[inline(always)]
#[track_caller]
pub(crate) fn of_matrix<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, C>,
    function: OfMatrix,
) -> Option<Result<Vec<S>, AdError>>
where
    DefaultAllocator: Allocator<R, C>,
{
    recorded(|| Shaped { function, shape: a.shape() }, &[a.as_slice()])
}

/// A function of one matrix; its results in a row.
#[derive(Clone, Copy)]
pub(crate) enum OfMatrix {
    Inverse,
    Det,
    LnAbsDet,
    Cholesky,
    SymmetricEigen,
    Svd,
}

struct Shaped {
    function: OfMatrix,
    shape: (usize, usize),
}

impl Whole for Shaped {
    fn name(&self) -> &'static str {
        match self.function {
            OfMatrix::Inverse => "inverse",
            OfMatrix::Det => "det",
            OfMatrix::LnAbsDet => "ln_abs_det",
            OfMatrix::Cholesky => "cholesky",
            OfMatrix::SymmetricEigen => "symmetric_eigen",
            OfMatrix::Svd => "svd",
        }
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let a = DMatrix::from_column_slice(self.shape.0, self.shape.1, x[0]);
        Ok(match self.function {
            OfMatrix::Inverse => super::inverse(&a)?.as_slice().to_vec(),
            OfMatrix::Det => vec![super::det(&a)],
            OfMatrix::LnAbsDet => vec![super::ln_abs_det(&a)?.re()],
            OfMatrix::Cholesky => super::cholesky(&a)?.as_slice().to_vec(),
            OfMatrix::SymmetricEigen => {
                let eigen = super::symmetric_eigen(&a)?;
                let values = eigen.eigenvalues.iter().map(|x| x.re());
                values.chain(eigen.eigenvectors.iter().copied()).collect()
            }
            OfMatrix::Svd => {
                let svd = super::svd(&a)?;
                let values = svd.singular_values.iter().map(|x| x.re());
                svd.u.iter().copied().chain(values).chain(svd.v_t.iter().copied()).collect()
            }
        })
    }
}

/// A function of two matrices, `A` and `B`.
#[derive(Clone, Copy)]
pub(crate) enum OfTwo {
    Solve,
    SolveTranspose,
    Lstsq,
}

/// A function of two matrices with their shapes.
#[inline(always)]
#[track_caller]
pub(crate) fn of_two<S: Entry, R: Dim, C: Dim, K: Dim>(
    a: &OMatrix<S, R, C>,
    b: &OMatrix<S, R, K>,
    function: OfTwo,
) -> Option<Result<Vec<S>, AdError>>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, K>,
{
    let make = || ShapedTwo { function, shapes: [a.shape(), b.shape()] };
    recorded(make, &[a.as_slice(), b.as_slice()])
}

struct ShapedTwo {
    function: OfTwo,
    shapes: [(usize, usize); 2],
}

impl Whole for ShapedTwo {
    fn name(&self) -> &'static str {
        match self.function {
            OfTwo::Solve => "solve",
            OfTwo::SolveTranspose => "solve_transpose",
            OfTwo::Lstsq => "lstsq",
        }
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let [(m, n), (_, k)] = self.shapes;
        let (a, b) = (DMatrix::from_column_slice(m, n, x[0]), DMatrix::from_column_slice(m, k, x[1]));
        let y = match self.function {
            OfTwo::Solve => super::solve(&a, &b)?,
            OfTwo::SolveTranspose => super::solve_transpose(&a, &b)?,
            OfTwo::Lstsq => super::lstsq(&a, &b)?,
        };
        Ok(y.as_slice().to_vec())
    }
}

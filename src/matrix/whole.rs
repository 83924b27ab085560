//! Functions of matrices where a function is traced: one operation each. Their rules hold factors of the matrix at hand,
//! which a replay must form again.

use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::lift::{Whole, views};
use crate::matrix::entry::Entry;
use crate::matrix::kernels::substitution::Triangle;
use crate::matrix::lu::lu_packed;
use crate::matrix::norm::norm_of;
use crate::matrix::op::Op;
use crate::matrix::rules::singular_norm::NormOf;
use crate::matrix::solve_triangular::substitute;
use crate::matrix::{Cholesky, Lu, Qr};
use crate::number::Real;
use crate::rules::Unary;

/// Why a function of a matrix that a trace holds is an operation.
pub(crate) const RECORDED: &str = "the numbers are traced";

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
    Some(y.map(|y| y.into_iter().map(S::of_real).collect()))
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
    SignLnDet,
    /// The rows in the order of the pivots, and the factors packed.
    Lu,
    /// That the factors exist: no result.
    LuFactors,
    LuDet,
    LuLnAbsDet,
    Cholesky,
    CholeskyFactors,
    CholeskyL,
    CholeskyLnDet,
    Qr,
    QrFactors,
    Pinv,
    SymmetricEigen,
    SymmetricEigenvalues,
    Svd,
    SingularValues,
    Norm(NormOf),
    Normalize,
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
            OfMatrix::SignLnDet => "sign_ln_det",
            OfMatrix::Lu | OfMatrix::LuFactors => "lu",
            OfMatrix::LuDet => "lu det",
            OfMatrix::LuLnAbsDet => "lu ln_abs_det",
            OfMatrix::Cholesky | OfMatrix::CholeskyFactors => "cholesky",
            OfMatrix::CholeskyL => "cholesky l",
            OfMatrix::CholeskyLnDet => "cholesky ln_det",
            OfMatrix::Qr | OfMatrix::QrFactors => "qr",
            OfMatrix::Pinv => "pinv",
            OfMatrix::SymmetricEigen => "symmetric_eigen",
            OfMatrix::SymmetricEigenvalues => "symmetric_eigenvalues",
            OfMatrix::Svd => "svd",
            OfMatrix::SingularValues => "singular_values",
            OfMatrix::Norm(part) => part.name(),
            OfMatrix::Normalize => "normalize",
        }
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let a = DMatrix::from_column_slice(self.shape.0, self.shape.1, x[0]);
        Ok(match self.function {
            OfMatrix::Inverse => super::inverse(&a)?.data.into(),
            OfMatrix::Det => vec![super::det(&a)],
            OfMatrix::LnAbsDet => vec![super::ln_abs_det(&a)?.re()],
            OfMatrix::SignLnDet => super::sign_ln_det(&a).map(|(sign, ln)| vec![sign, ln.re()])?,
            OfMatrix::Lu => {
                let (rows, packed) = lu_packed(&a)?;
                rows.iter().map(|&row| S::lit(row as f64)).chain(packed.iter().copied()).collect()
            }
            OfMatrix::LuFactors => Lu::new(&a).map(|_| Vec::new())?,
            OfMatrix::CholeskyFactors => Cholesky::new(&a).map(|_| Vec::new())?,
            OfMatrix::QrFactors => Qr::new(&a).map(|_| Vec::new())?,
            OfMatrix::LuDet => vec![Lu::new(&a)?.det()],
            OfMatrix::LuLnAbsDet => vec![Lu::new(&a)?.ln_abs_det().re()],
            OfMatrix::Cholesky => super::cholesky(&a)?.data.into(),
            OfMatrix::CholeskyL => Cholesky::new(&a)?.l().data.into(),
            OfMatrix::CholeskyLnDet => vec![Cholesky::new(&a)?.ln_det().re()],
            OfMatrix::Qr => {
                let (q, r) = super::qr(&a)?;
                q.iter().chain(r.iter()).copied().collect()
            }
            OfMatrix::Pinv => super::pinv(&a)?.data.into(),
            OfMatrix::SymmetricEigenvalues => reals(&super::symmetric_eigenvalues(&a)?),
            OfMatrix::SingularValues => reals(&super::singular_values(&a)?),
            OfMatrix::Normalize => super::normalize(&a)?.data.into(),
            OfMatrix::Norm(part) => vec![norm_of(part, &a)?.re()],
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
    Triangular(&'static str, Triangle),
    LuSolve(Op),
    CholeskySolve,
    QrSolve,
    Lstsq,
    Lyapunov,
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
            OfTwo::Triangular(name, _) => name,
            OfTwo::LuSolve(_) => "lu solve",
            OfTwo::CholeskySolve => "cholesky solve",
            OfTwo::QrSolve => "qr solve",
            OfTwo::Lstsq => "lstsq",
            OfTwo::Lyapunov => "lyapunov",
        }
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let [(m, n), (_, k)] = self.shapes;
        let (a, b) = (DMatrix::from_column_slice(m, n, x[0]), DMatrix::from_column_slice(m, k, x[1]));
        let y = match self.function {
            OfTwo::Solve => super::solve(&a, &b)?,
            OfTwo::SolveTranspose => super::solve_transpose(&a, &b)?,
            OfTwo::Triangular(name, triangle) => substitute(name, triangle, &a, &b)?,
            OfTwo::LuSolve(op) => Lu::new(&a)?.solve_as(op, &b),
            OfTwo::CholeskySolve => Cholesky::new(&a)?.solve(&b),
            OfTwo::QrSolve => Qr::new(&a)?.solve(&b),
            OfTwo::Lstsq => super::lstsq(&a, &b)?,
            OfTwo::Lyapunov => super::lyapunov(&a, &b)?,
        };
        Ok(y.data.into())
    }
}

/// A rule of one variable on the spectrum of a symmetric matrix.
pub(crate) struct OfSpectrum<U>(pub(crate) U, pub(crate) usize);

impl<U: Unary> Whole for OfSpectrum<U> {
    fn name(&self) -> &'static str {
        "symmetric_function"
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let a = DMatrix::from_column_slice(self.1, self.1, x[0]);
        Ok(super::symmetric_function(&a, self.0)?.data.into())
    }
}

/// `AX + XB = C` of m × n unknowns.
pub(crate) struct OfSylvester(pub(crate) usize, pub(crate) usize);

impl Whole for OfSylvester {
    fn name(&self) -> &'static str {
        "sylvester"
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let &OfSylvester(m, n) = self;
        let [a, b, c] = [(m, m, x[0]), (n, n, x[1]), (m, n, x[2])]
            .map(|(rows, columns, x)| DMatrix::from_column_slice(rows, columns, x));
        Ok(super::sylvester(&a, &b, &c)?.data.into())
    }
}

fn reals<S: Real>(x: &DVector<S>) -> Vec<S> {
    x.as_slice().to_vec()
}

#[cfg(test)]
pub(crate) mod tests {
    use nalgebra::{DMatrix, DVector};

    use crate::matrix::kernels::factors::FACTORISATIONS;
    use crate::matrix::{Cholesky, Lu};
    use crate::number::Real;

    /// What needs the factors of one matrix, of more rows than are done in the numbers' own arithmetic: an LU and a
    /// Cholesky factorisation.
    pub(crate) fn asked<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> T {
        let entry = |i, j| if i == j { x[0] + 5.0 } else { x[1] / (1 + i + j) as f64 };
        let (a, b) = (DMatrix::from_fn(13, 13, entry), DVector::from_fn(13, |i, _| x[2] * i as f64));
        let (lu, cholesky) = (Lu::new(&a).unwrap(), Cholesky::new(&a).unwrap());
        let (y, z) = (lu.solve(&b), lu.solve_transpose(&b));
        let w = cholesky.solve(&y)[2] + cholesky.ln_det() + cholesky.l()[(1, 0)];
        lu.solve(&z)[1] * y[3] + lu.ln_abs_det() + lu.det() * 1e-9 + w
    }

    /// How often a matrix is factored while something runs.
    pub(crate) fn factorisations(run: impl FnOnce()) -> usize {
        FACTORISATIONS.set(0);
        run();
        FACTORISATIONS.get()
    }
}

//! Linear systems.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::small::lu::SmallLu;
use crate::matrix::op::Op;
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::solve::solution;
use crate::matrix::shapes::{demand, square};

/// `X` of `AX = B`, for one or several right-hand sides: `AẊ = Ḃ − ȦX`, `AᴴB̄ = X̄`, `Ā = −B̄Xᴴ`. The matrix is
/// factorised once for any number type, and no inverse is formed.
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
/// let a = matrix![4.0, 1.0; 2.0, 3.0];
/// let x = wengert::matrix::solve_transpose(&a, &vector![1.0, -2.0])?;
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
pub(super) fn solve_as<S: Entry, D: Dim, C: Dim>(
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
    return_recorded!(b.shape_generic(), name, [a, b] {name: &'static str, op: Op} => {
        solve_as(name, op, a, b)?.data.into()
    });
    if let Some(lu) = SmallLu::new(name, a)? {
        let mut x = b.clone();
        lu.solve(op, &mut x);
        return Ok(x);
    }
    Ok(solution(&Factors::lu(name, n, a.as_slice())?, op, a, b))
}

#[cfg(test)]
pub(crate) mod tests {
    use nalgebra::{DMatrix, DVector};

    use crate::duals::trial::Two;
    use crate::duals::{Dual, DualN, HyperDual};
    use crate::matrix::kernels::factors::FACTORISATIONS;
    use crate::matrix::{Cholesky, Entry, Lu, solve};
    use crate::number::Real;
    use crate::tapes::Tape;

    /// Functions of the factors of one matrix, with more rows than are eliminated in the numbers' own arithmetic: an
    /// LU and a Cholesky factorisation.
    pub(crate) fn asked<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> T {
        let entry = |i, j| if i == j { x[0] + 5.0 } else { x[1] / (1 + i + j) as f64 };
        let (a, b) = (DMatrix::from_fn(13, 13, entry), DVector::from_fn(13, |i, _| x[2] * i as f64));
        let (lu, cholesky) = (Lu::new(&a).unwrap(), Cholesky::new(&a).unwrap());
        let (y, z) = (lu.solve(&b), lu.solve_transpose(&b));
        let w = cholesky.solve(&y)[2] + cholesky.ln_det() + cholesky.l()[(1, 0)];
        lu.solve(&z)[1] * y[3] + lu.ln_abs_det() + lu.det() * 1e-9 + w
    }

    /// The number of factorisations while `run` runs.
    pub(crate) fn factorisations(run: impl FnOnce()) -> usize {
        FACTORISATIONS.set(0);
        run();
        FACTORISATIONS.get()
    }

    /// Positive definite, with more rows than are eliminated in the numbers' own arithmetic.
    fn matrix<S: Entry>(make: impl Fn(f64, f64) -> S) -> DMatrix<S> {
        DMatrix::from_fn(13, 13, |i, j| {
            make(if i == j { 5.0 } else { 1.0 / (1 + i + j) as f64 }, (i * j) as f64)
        })
    }

    fn use_all<S: Entry>(make: impl Fn(f64, f64) -> S) -> [usize; 3] {
        let (a, b) = (matrix(&make), DVector::from_fn(13, |i, _| make(i as f64, 1.0)));
        let once = factorisations(|| drop(solve(&a, &b).unwrap()));
        let lu = factorisations(|| {
            let lu = Lu::new(&a).unwrap();
            let _ = (lu.solve(&b), lu.solve_transpose(&b), lu.solve_adjoint(&b), lu.det(), lu.ln_abs_det());
        });
        let cholesky = factorisations(|| {
            let cholesky = Cholesky::new(&a).unwrap();
            let _ = (cholesky.solve(&b), cholesky.l(), cholesky.ln_det());
        });
        [once, lu, cholesky]
    }

    #[test]
    fn one_factorisation_serves_every_derivative() {
        assert_eq!(use_all(|x, _| x), [1; 3]);
        assert_eq!(use_all(Dual::new), [1; 3]);
        assert_eq!(use_all(|x, t| DualN::new(x, [t; 4])), [1; 3]);
        assert_eq!(use_all(|x, t| HyperDual::new(x, t, 1.0, 0.0)), [1; 3]);
        assert_eq!(use_all(|x, t| Dual::new(Dual::new(x, t), Dual::new(t, 0.0))), [1; 3]);
        let tape = Tape::new();
        let sweep = factorisations(|| {
            let (a, b) =
                (matrix(|x, _| tape.variable(x)), DVector::from_fn(13, |i, _| tape.variable(i as f64)));
            let lu = Lu::new(&a).unwrap();
            let (x, y) = (lu.solve(&b), lu.solve_transpose(&b));
            tape.cotangents(x[3] * y[2] + lu.ln_abs_det());
        });
        assert_eq!(sweep, 1);
        let tape = Tape::new();
        let nested = factorisations(|| {
            let a = matrix(|x, t| tape.variable(Dual::new(x, t)));
            tape.cotangents(solve(&a, &DVector::from_fn(13, |i, _| a[(i, i)])).unwrap()[1]);
        });
        assert_eq!(nested, 1);
    }

    #[test]
    fn a_number_type_of_one_file_has_the_primitives() {
        fn solved<T: Real<Base = f64, Primal = f64>>(x: T, y: T) -> T {
            let a = DMatrix::from_fn(14, 14, |i, j| if i == j { x + 5.0 } else { y / (1 + i + j) as f64 });
            solve(&a, &DVector::from_fn(14, |i, _| x * i as f64)).unwrap()[3]
        }
        let want: DualN<f64, 2> = solved(DualN::variable(1.3, 0), DualN::variable(0.7, 1));
        let got = solved(Two::new(1.3, 1.0, 0.0), Two::new(0.7, 0.0, 1.0));
        assert_eq!((got.value, [got.left, got.right]), (want.value(), want.tangents()));
    }
}

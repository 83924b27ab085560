//! The Sylvester and Lyapunov equations.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::schur::SchurForm;
use crate::matrix::kernels::sylvester::SylvesterOperator;
use crate::matrix::operation::operation;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::sylvester::SylvesterRule;
use crate::matrix::shapes::{demand, square};

/// The rounding of the base float under a number.
fn rounding<S: Entry>() -> f64 {
    crate::number::BaseFloat::to_double(<S::Base as num_traits::Float>::epsilon())
}

/// `X` of the Sylvester equation `AX + XB = C`: `AẊ + ẊB = Ċ − ȦX − XḂ`; `AᴴC̄ + C̄Bᴴ = X̄`, `Ā = −C̄Xᴴ`,
/// `B̄ = −XᴴC̄`.
///
/// Solved by the Schur forms of `A` and `B` (R. H. Bartels & G. W. Stewart, Commun. ACM 15, 1972), which are computed
/// once for values, tangents and cotangents of any order.
///
/// # Errors
/// - `Singular` if the sum of an eigenvalue of `A` and one of `B` is zero to rounding.
/// - `NotFinite` if an entry of `A` or `B` is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If `A` (m × m) or `B` (n × n) is not square, or `C` is not m × n.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::sylvester};
/// // (2 + 3)·x = 10, ẋ = (ċ − ȧx − xḃ)/5
/// let numbers = [(2.0, 1.0), (3.0, 0.0), (10.0, 0.0)];
/// let [a, b, c] = numbers.map(|(x, dx)| matrix![Dual::new(x, dx)]);
/// let x = sylvester(&a, &b, &c)?[0];
/// assert!((x.value() - 2.0_f64).abs() < 1e-15 && (x.tangent() + 0.4).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn sylvester<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, R>,
    b: &OMatrix<S, C, C>,
    c: &OMatrix<S, R, C>,
) -> Result<OMatrix<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, R> + Allocator<C, C> + Allocator<R, C>,
{
    let name = "sylvester";
    let (m, n) = (square(name, a), square(name, b));
    demand(name, "right-hand side", (m, n), c.shape());
    let (rows, columns) = c.shape_generic();
    let groups = [a.as_slice(), b.as_slice(), c.as_slice()];
    if let Some(x) = operation!(name, [a, b, c] => sylvester(a, b, c)?.data.into()) {
        return Ok(OMatrix::from_vec_generic(rows, columns, x?));
    }
    let of_a = SchurForm::new(name, m, a.as_slice())?;
    let of_b = SchurForm::new(name, n, b.as_slice())?;
    let power = middle(a.iter().chain(b.iter()));
    let operator = SylvesterOperator::new(name, of_a, of_b, rounding::<S>(), power)?;
    let rule = SylvesterRule { name, operator, adjoint: false, shape: (m, n) };
    let x = lift(rule, Scales::of_system(power, &groups[..2], c.as_slice()), &groups)?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

/// `X` of the Lyapunov equation `AX + XAᴴ = Q` (`AX + XAᵀ = Q` for real numbers): `AẊ + ẊAᴴ = Q̇ − ȦX − XȦᴴ`;
/// `AᴴQ̄ + Q̄A = X̄`, `Ā = −Q̄Xᴴ − Q̄ᴴX`. `Q` may be any matrix; if it is hermitian, so is `X`.
///
/// Solved by the Schur form of `A`, as [`sylvester`].
///
/// # Errors
/// - `Singular` if the sum of an eigenvalue of `A` and the conjugate of one is zero to rounding.
/// - `NotFinite` if an entry of `A` is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If `A` is not square or `Q` has another shape.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::matrix::lyapunov;
/// let a = matrix![-1.0, 2.0; 0.0, -3.0];
/// let x = lyapunov(&a, &matrix![-1.0, 0.0; 0.0, -1.0])?;
/// assert!((a * x + x * a.transpose() + matrix![1.0, 0.0; 0.0, 1.0]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn lyapunov<S: Entry, D: Dim>(
    a: &OMatrix<S, D, D>,
    q: &OMatrix<S, D, D>,
) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let name = "lyapunov";
    let n = square(name, a);
    demand(name, "right-hand side", (n, n), q.shape());
    let (rows, columns) = q.shape_generic();
    if let Some(x) = operation!(name, [a, q] => lyapunov(a, q)?.data.into()) {
        return Ok(OMatrix::from_vec_generic(rows, columns, x?));
    }
    let form = SchurForm::new(name, n, a.as_slice())?;
    let adjoint = form.adjoint();
    let power = middle(a.iter());
    let operator = SylvesterOperator::new(name, form, adjoint, rounding::<S>(), power)?;
    let rule = SylvesterRule { name, operator, adjoint: false, shape: (n, n) };
    let b = a.transpose().map(|x| x.conjugated());
    let groups = [a.as_slice(), b.as_slice(), q.as_slice()];
    let x = lift(rule, Scales::of_system(power, &groups[..2], q.as_slice()), &groups)?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

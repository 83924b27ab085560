//! The Sylvester and Lyapunov equations.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{balancing, between, exponent, middle, scaled};
use crate::matrix::kernels::schur::{SchurForm, complex};
use crate::matrix::kernels::sylvester::SylvesterOperator;
use crate::matrix::op::Op;
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::scaled::{Scales, lift, times_powers};
use crate::matrix::rules::sylvester::SylvesterSystem;
use crate::matrix::rules::system::SystemRule;
use crate::matrix::shapes::{demand, square};
use crate::number::BaseFloat;

/// The rounding of the base float under a number.
fn rounding<S: Entry>() -> f64 {
    BaseFloat::to_double(<S::Base as num_traits::Float>::epsilon())
}

/// `X` of the Sylvester equation `AX + XB = C`: `AẊ + ẊB = Ċ − ȦX − XḂ`; `AᴴC̄ + C̄Bᴴ = X̄`, `Ā = −C̄Xᴴ`,
/// `B̄ = −XᴴC̄`.
///
/// Solved by the Schur forms of `A` and `B` (R. H. Bartels & G. W. Stewart, Commun. ACM 15, 1972), which are computed
/// once for values, tangents and cotangents of any order. Matrices whose rows and columns have very different sizes are
/// [balanced](super::eigenvalues#balancing) first.
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
    return_recorded!((rows, columns), name, [a, b, c] => sylvester(a, b, c)?.data.into());
    let x = solved(name, (m, n), [a.as_slice(), b.as_slice(), c.as_slice()], false)?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

/// `X` of the Lyapunov equation `AX + XAᴴ = Q` (`AX + XAᵀ = Q` for real numbers): `AẊ + ẊAᴴ = Q̇ − ȦX − XȦᴴ`;
/// `AᴴQ̄ + Q̄A = X̄`, `Ā = −Q̄Xᴴ − Q̄ᴴX`. `Q` may be any matrix; if it is hermitian, so is `X`.
///
/// Solved by the Schur form of `A`, as [`sylvester`], balanced as there.
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
    return_recorded!((rows, columns), name, [a, q] => lyapunov(a, q)?.data.into());
    let b = a.transpose().map(|x| x.conjugated());
    let x = solved(name, (n, n), [a.as_slice(), b.as_slice(), q.as_slice()], true)?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

/// The solution for balanced matrices: with `A = DÃD⁻¹` and `B = EB̃E⁻¹` it is `X = DYE⁻¹`, `ÃY + YB̃ = D⁻¹CE`. If B is
/// the adjoint of A, then `E = D⁻¹`.
#[track_caller]
fn solved<S: Entry>(
    name: &'static str,
    (m, n): (usize, usize),
    groups: [&[S]; 3],
    is_lyapunov: bool,
) -> Result<Vec<S>, AdError> {
    let of_a = balancing(groups[0], m);
    let of_b = match is_lyapunov {
        true => of_a.as_ref().map(|d| d.iter().map(|d| -d).collect()),
        false => balancing(groups[1], n),
    };
    let powers = (of_a.is_some() || of_b.is_some()).then(|| {
        let (d, e) = (of_a.unwrap_or_else(|| vec![0; m]), of_b.unwrap_or_else(|| vec![0; n]));
        [between(&d, &d), between(&e, &e), between(&d, &e)]
    });
    let balanced = powers.as_ref().map(|powers| [0, 1].map(|k| times_powers(groups[k], &powers[k], 0)));
    let [a, b] =
        balanced.as_ref().map_or([groups[0], groups[1]], |balanced| balanced.each_ref().map(Vec::as_slice));
    let of_a = SchurForm::new(name, m, a)?;
    let of_b = if is_lyapunov { of_a.adjoint() } else { SchurForm::new(name, n, b)? };
    let power = middle(a.iter().chain(b));
    let operator = SylvesterOperator::new(name, of_a, of_b, rounding::<S>(), power)?;
    let matrix =
        |n: usize, a: &[S]| DMatrix::from_iterator(n, n, a.iter().map(|&x| complex(scaled(x, -power))));
    let refined = powers.is_some().then(|| [matrix(m, a), matrix(n, b)].into());
    let system = SylvesterSystem { name, operator, op: Op::Plain, shape: (m, n), refined };
    let scales = match powers {
        None => Scales::of_system(power, &groups[..2], groups[2]),
        Some([of_a, of_b, of_c]) => {
            // The balanced right-hand side may be out of the range.
            let size = |(c, power): (&S, &i32)| Some(exponent(c.size().to_double().min(f64::MAX))? + power);
            let unit = groups[2].iter().zip(&of_c).filter_map(size).max().unwrap_or(0);
            let over =
                |powers: &[i32], unit: i32| powers.iter().map(|power| power - unit).collect::<Vec<_>>();
            let of_x = of_c.iter().map(|of_c| unit - power - of_c).collect();
            Some(Scales::new([over(&of_a, power), over(&of_b, power), over(&of_c, unit)], of_x))
        }
    };
    lift(SystemRule(system), scales, &groups)
}

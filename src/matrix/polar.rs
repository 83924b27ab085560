//! The polar decomposition: `A = UP`.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::near_one;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::matmul::matmul_hn;
use crate::matrix::operation::operation;
use crate::matrix::rules::polar::PolarRule;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::number::Number;

/// The polar decomposition `A = UP` of an m × n matrix: `U`, m × n, has orthonormal columns (rows if m < n), and `P`,
/// n × n, is symmetric or hermitian and positive semidefinite. `U` is the nearest matrix of its kind to `A`; for a square
/// real matrix it is a rotation if `det A > 0`, and a reflection if `det A < 0`.
///
/// `U̇ = UΩ + (I−UUᴴ)ȦP⁻¹` for m ≥ n, with `PΩ + ΩP = UᴴȦ − ȦᴴU`; `Ṗ = U̇ᴴA + UᴴȦ`; the cotangent of `U` has the same
/// formula. For m < n it is the adjoint of the factor of `Aᴴ`. `U` has derivatives of every order where no singular value is zero, for equal values too; where
/// `A` is tiny they are huge, and forward mode does not cancel them in the gradient of `Σ(A − U)²`; take `norm(A)² −
/// 2·nuclear_norm(A) + min(m, n)`. N. J. Higham, Functions of Matrices, 2008, chapter 8.
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN. `Singular` if the matrix is active and a singular value is zero to
/// rounding, `σₖ ≤ ε·max(m, n)·σ₁`. `U` of a constant matrix is not unique there.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, derivative, matrix::polar};
/// // A shear turns a body by atan(t/2). At t = 0 both singular values are 1.
/// let [zero, one] = [0.0_f64, 1.0].map(Dual::constant);
/// let a = |t| matrix![one, t; zero, one];
/// let sine = derivative(|t| polar(&a(t)).unwrap().0[(0, 1)], 0.0);
/// let stretch = derivative(|t| polar(&a(t)).unwrap().1[(0, 1)], 0.0);
/// assert_eq!((sine, stretch), (0.5, 0.5));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)] // two matrices
pub fn polar<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, C>,
) -> Result<(OMatrix<S, R, C>, OMatrix<S, C, C>), AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<C, C>,
{
    let (rows, columns) = a.shape_generic();
    let recorded = operation!("polar", [a] => {
        let (u, p) = polar(a)?;
        [u.as_slice(), p.as_slice()].concat()
    });
    if let Some(y) = recorded {
        let y = y?;
        let (u, p) = y.split_at(a.len());
        let p = OMatrix::from_column_slice_generic(columns, columns, p);
        return Ok((OMatrix::from_column_slice_generic(rows, columns, u), p));
    }
    let (near_one, power) = near_one(a.as_slice());
    let of = PrimalSvd::new("polar", a.shape(), &near_one)?;
    let powers = Scales::of_matrix(power, a.len(), &[(a.len(), 0)]);
    let u = lift(PolarRule { op: "polar", of }, powers, &[a.as_slice()])?;
    let u = OMatrix::from_vec_generic(rows, columns, u);
    let p = matmul_hn(&u, a);
    let p = OMatrix::from_fn_generic(columns, columns, |i, j| {
        p[(i, j)] + (p[(j, i)].conjugated() - p[(i, j)]) * S::of_real(Number::lit(0.5))
    });
    Ok((u, p))
}

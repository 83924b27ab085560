//! Pseudo-inverses.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::near_one;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::operation::return_recorded;
use crate::matrix::rules::pinv::PinvRule;
use crate::matrix::rules::product::times;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::svd::scale_columns;
use crate::number::Number;

/// The Moore–Penrose pseudo-inverse `Y = A⁺` of a matrix of any shape and rank. Singular values up to
/// `ε·max(m, n)·σ₁` count as zero.
///
/// `Ẏ = −YȦY + YYᴴȦᴴ(I−AY) + (I−YA)ȦᴴYᴴY`, `Ā = −YᴴȲYᴴ + (I−AY)ȲᴴYYᴴ + YᴴYȲᴴ(I−YA)` (Golub and Pereyra, 1973). For a
/// rank-deficient matrix this is the derivative among matrices of the same rank; the pseudo-inverse is not continuous
/// across ranks. Derivatives of any order hold along families of matrices of constant rank only: at a rank-deficient
/// matrix a Hessian with respect to all entries is not symmetric and differs between modes. To solve a least-squares problem, [`lstsq`](super::lstsq()) is cheaper and more accurate.
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::pinv};
/// let y = pinv(&matrix![3.0_f64; 4.0].zip_map(&matrix![1.0; 0.0], Dual::new))?;
/// assert!((y.map(|y| y.value()) - matrix![0.12, 0.16]).norm() < 1e-15);
/// assert!((y.map(|y| y.tangent()) - matrix![0.0112, -0.0384]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn pinv<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> Result<OMatrix<S, C, R>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<C, R>,
{
    let (rows, columns) = a.shape_generic();
    return_recorded!((columns, rows), "pinv", [a] => pinv(a)?.data.into());
    let (near_one, power) = near_one(a.as_slice());
    let of = PrimalSvd::new("pinv", a.shape(), &near_one)?;
    let noise = of.noise();
    let rank = of.values.iter().take_while(|&&s| s > noise).count();
    let mut v = of.v.columns(0, rank).into_owned();
    let reciprocals: Vec<_> = of.values[..rank].iter().map(|&s| S::Primal::base(Float::recip(s))).collect();
    scale_columns(&mut v, &reciprocals);
    let value = times(Op::Plain, &v, Op::Adjoint, &of.u.columns(0, rank).into_owned());
    let powers = Scales::of_matrix(power, a.len(), &[(a.len(), -1)]);
    let y = lift(PinvRule { rank, value }, powers, &[a.as_slice()])?;
    Ok(OMatrix::from_vec_generic(columns, rows, y))
}

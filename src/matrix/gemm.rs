//! `α·AB + β·C`.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{middle, scaled};
use crate::matrix::matmul::matmul;
use crate::matrix::op::Op;
use crate::matrix::rules::gemm::GemmRule;
use crate::matrix::rules::product::ProductRule;
use crate::matrix::shapes::demand;
use crate::matrix::sizes::SMALL;
use crate::number::{Number, Real};

/// `α·AB + β·C`. If a component of `β` is exactly zero, so is its term, even if `C` is NaN.
///
/// `Ẏ = α̇AB + α(ȦB + AḂ) + β̇C + βĊ`; the cotangents are `Σ conj(AB)ᵢⱼȳᵢⱼ` of α, `conj(α)·ȲBᴴ`, `conj(α)·AᴴȲ`,
/// `Σ conj(cᵢⱼ)ȳᵢⱼ` of β and `conj(β)·Ȳ`.
///
/// # Panics
/// If the shapes do not match.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::gemm};
/// let [a, b, c] = [3.0, 5.0, 4.0].map(|x| matrix![Dual::constant(x)]);
/// let y = gemm(Dual::new(2.0, 1.0), &a, &b, Dual::new(0.5, 1.0), &c);
/// assert_eq!((y[0].value(), y[0].tangent()), (32.0, 19.0));
/// ```
#[track_caller]
pub fn gemm<S: Entry, R: Dim, K: Dim, C: Dim>(
    alpha: S,
    a: &OMatrix<S, R, K>,
    b: &OMatrix<S, K, C>,
    beta: S,
    c: &OMatrix<S, R, C>,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C>,
{
    demand("gemm", "second factor", (a.ncols(), b.ncols()), b.shape());
    demand("gemm", "matrix to be added", (a.nrows(), b.ncols()), c.shape());
    S::demand_one_tape(&[&[alpha], a.as_slice(), b.as_slice(), &[beta], c.as_slice()]);
    // An α far from 1 goes to the factor that it brings nearer to 1.
    let of_alpha = if <S::Re as Real>::TRACED { 0 } else { middle([alpha].iter()) };
    if of_alpha != 0 {
        let nearer = |power: i32| (power + of_alpha).abs() < power.abs();
        let alpha = scaled(alpha, -of_alpha);
        if nearer(middle(a.iter())) {
            return gemm(alpha, &a.map(|a| scaled(a, of_alpha)), b, beta, c);
        }
        if nearer(middle(b.iter())) {
            return gemm(alpha, a, &b.map(|b| scaled(b, of_alpha)), beta, c);
        }
    }
    let (rows, columns) = c.shape_generic();
    if a.nrows().max(a.ncols()).max(b.ncols()) <= SMALL {
        let beta = beta.as_number();
        return matmul(a, b).zip_map(c, |p, c| alpha * p + S::from_number(c.as_number().strong_mul(beta)));
    }
    let rule = GemmRule(ProductRule { ops: [Op::Plain; 2], shapes: [a.shape(), b.shape()] });
    let groups = [&[alpha][..], a.as_slice(), b.as_slice(), &[beta], c.as_slice()];
    OMatrix::from_vec_generic(rows, columns, S::lift(&rule, &groups).expect("products always exist"))
}

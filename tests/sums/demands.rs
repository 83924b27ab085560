//! The requirements on each operator of a sum, from the sum written out.

use nalgebra::{DMatrix, DVector};
use wengert::sums::{LeastSquares, Loss, Sum};
use wengert::{Dual, DualN, Var, forward, gradient, hessian, hvp};

use super::close;

/// The numbers of products with Hessians, of Hessians, and of Jacobians by forward mode.
type Along = Var<Dual<f64>>;
type Second = Var<DualN<f64, 8>>;
type First = DualN<f64, 8>;

/// A sum written out.
pub trait Whole {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T;
}

/// The residuals of all rows, written out.
pub trait Residuals {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> Vec<Vec<T>>;
}

/// The drivers of a sum written out, compiled once for all sums.
fn gradient_of(f: &dyn Fn(&[Var<f64>]) -> Var<f64>, p: &[f64]) -> Vec<f64> {
    gradient(f, p)
}

fn hvp_of(f: &dyn Fn(&[Along]) -> Along, p: &[f64], v: &[f64]) -> Vec<f64> {
    hvp(f, p, v)
}

fn hessian_of(f: &dyn Fn(&[Second]) -> Second, p: &[f64]) -> DMatrix<f64> {
    hessian(f, p)
}

fn jacobian_of(f: &dyn Fn(&[First]) -> Vec<First>, p: &[f64]) -> DMatrix<f64> {
    forward::jacobian(f, p)
}

/// All operators of a sum.
#[track_caller]
pub fn demand_sum(sum: &mut Sum<'_>, whole: &impl Whole, p: &[f64]) {
    let n = p.len();
    let v: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
    let value = whole.at(p);
    let wanted = gradient_of(&|p| whole.at(p), p);
    let [mut g, mut hv] = [vec![f64::NAN; n], vec![f64::NAN; n]];
    close(&[sum.value(p).unwrap()], &[value]);
    close(&[sum.gradient(p, &mut g).unwrap()], &[value]);
    close(&g, &wanted);
    g.fill(f64::NAN);
    close(&[sum.hvp(p, &v, &mut g, &mut hv).unwrap()], &[value]);
    close(&g, &wanted);
    close(&hv, &hvp_of(&|p| whole.at(p), p, &v));
    let (full, mut h) = (hessian_of(&|p| whole.at(p), p), DMatrix::from_element(n, n, f64::NAN));
    g.fill(f64::NAN);
    close(&[sum.hessian(p, &mut g, &mut h).unwrap()], &[value]);
    close(&g, &wanted);
    close(h.as_slice(), full.as_slice());
    #[cfg(feature = "sparse")]
    for _ in 0..2 {
        g.fill(f64::NAN);
        let (of_sparse, sparse) = sum.sparse_hessian(p, &mut g).unwrap();
        close(&[of_sparse], &[value]);
        close(DMatrix::from(sparse).as_slice(), full.as_slice());
        close(&g, &wanted);
    }
}

/// `½ Σ ρ(‖r‖²)`.
pub struct Objective<'a, R, L>(pub &'a R, pub &'a L);

impl<R: Residuals, L: Loss> Whole for Objective<'_, R, L> {
    fn at<T: wengert::Scalar>(&self, p: &[T]) -> T {
        let square = |r: Vec<T>| r.into_iter().fold(T::lit(0.0), |s, r| s + r * r);
        self.0.at(p).into_iter().map(|r| self.1.rho(square(r)) / 2.0).sum()
    }
}

/// `J̃ᵀJ̃ = Jᵀ(ρ′ + 2ρ″·r·rᵀ)J` row by row, with the bound of `ρ′ + 2sρ″`.
fn normal(rows: &impl Residuals, loss: &impl Loss, p: &[f64]) -> DMatrix<f64> {
    let jacobian = jacobian_of(&|p| rows.at(p).concat(), p);
    let (mut sum, mut row) = (DMatrix::zeros(p.len(), p.len()), 0);
    for r in rows.at(p) {
        let j = jacobian.rows(row, r.len());
        row += r.len();
        let r = DVector::from_vec(r);
        let s = r.norm_squared();
        let first = wengert::derivative(|s| loss.rho(s), s);
        let second = wengert::second_derivative(|s| loss.rho(s), s);
        let mut weight = DMatrix::identity(r.len(), r.len()) * first;
        if s > 0.0 {
            weight += &r * r.transpose() * (2.0 * second).max(-0.99 * first / s);
        }
        sum += j.transpose() * weight * j;
    }
    sum
}

/// All operators of least squares.
#[track_caller]
pub fn demand_squares(squares: &mut LeastSquares<'_>, rows: &impl Residuals, loss: &impl Loss, p: &[f64]) {
    let n = p.len();
    let objective = Objective(rows, loss);
    let (value, wanted) = (objective.at(p), gradient_of(&|p| objective.at(p), p));
    let mut g = vec![f64::NAN; n];
    close(&[squares.value(p).unwrap()], &[value]);
    close(&[squares.gradient(p, &mut g).unwrap()], &[value]);
    close(&g, &wanted);
    let (mut a, of_rows) = (DMatrix::from_element(n, n, f64::NAN), normal(rows, loss, p));
    g.fill(f64::NAN);
    close(&[squares.normal_equations(p, &mut g, &mut a).unwrap()], &[value]);
    close(&g, &wanted);
    close(a.as_slice(), of_rows.as_slice());
    #[cfg(feature = "sparse")]
    for _ in 0..2 {
        g.fill(f64::NAN);
        let (v, sparse) = squares.sparse_normal_equations(p, &mut g).unwrap();
        close(&[v], &[value]);
        close(&g, &wanted);
        close(DMatrix::from(sparse).as_slice(), of_rows.as_slice());
        let (r, j) = squares.jacobian(p).unwrap();
        let (r, j) = (DVector::from_column_slice(r), DMatrix::from(j));
        close((j.transpose() * &r).as_slice(), &wanted);
        close((j.transpose() * &j).as_slice(), of_rows.as_slice());
    }
}

//! `LeastSquares`: gradients, Jacobians and normal equations, plain and robust.

use nalgebra::{DMatrix, DVector};
use wengert::sums::{Cauchy, Huber, LeastSquares, Loss, Squared, Terms};
use wengert::{Real, forward, gradient};

use super::close;
use super::terms::{Made, sums};

fn objective<T: Real<Base = f64>>(made: &Made, loss: &impl Loss, p: &[T]) -> T {
    let square = |r: Vec<T>| r.into_iter().fold(T::lit(0.0), |s, r| s + r * r);
    made.results(p).into_iter().map(|r| loss.rho(square(r)) / 2.0).sum()
}

/// Residuals and Jacobian of all terms.
fn whole(made: &Made, p: &[f64]) -> (Vec<Vec<f64>>, DMatrix<f64>) {
    (made.results(p), forward::jacobian(|p: &[_]| made.results(p).concat(), p))
}

/// `J̃ᵀJ̃ = Jᵀ(ρ′ + 2ρ″·r·rᵀ)J` term by term, with the bound of `ρ′ + 2sρ″`.
fn normal(made: &Made, loss: &impl Loss, p: &[f64]) -> DMatrix<f64> {
    let (results, jacobian) = whole(made, p);
    let n = p.len();
    let (mut sum, mut row) = (DMatrix::zeros(n, n), 0);
    for r in results {
        let j = jacobian.rows(row, r.len());
        row += r.len();
        let r = DVector::from_vec(r);
        let s = r.norm_squared();
        let first = wengert::derivative(|s| loss.rho(s), s);
        let second = wengert::second_derivative(|s| loss.rho(s), s);
        let mut weight = DMatrix::identity(r.len(), r.len()) * first;
        if s > 0.0 {
            let bend = (2.0 * second).max(-0.99 * first / s);
            weight += &r * r.transpose() * bend;
        }
        sum += j.transpose() * weight * j;
    }
    sum
}

fn compare(made: &Made, loss: impl Loss + Clone) {
    let (n, p) = (made.parameters, made.point());
    let mut squares = LeastSquares::new(made, n).unwrap().with_loss(loss.clone());
    let expected = gradient(|p| objective(made, &loss, p), &p);
    let value = objective(made, &loss, &p);
    let mut g = vec![f64::NAN; n];
    close(&[squares.value(&p).unwrap()], &[value]);
    close(&[squares.gradient(&p, &mut g).unwrap()], &[value]);
    close(&g, &expected);
    let mut a = DMatrix::from_element(n, n, f64::NAN);
    g.fill(f64::NAN);
    close(&[squares.normal_equations(&p, &mut g, &mut a).unwrap()], &[value]);
    close(&g, &expected);
    let expected_normal = normal(made, &loss, &p);
    close(a.as_slice(), expected_normal.as_slice());
    #[cfg(feature = "sparse")]
    for _ in 0..2 {
        g.fill(f64::NAN);
        let (v, sparse) = squares.sparse_normal_equations(&p, &mut g).unwrap();
        close(&[v], &[value]);
        close(&g, &expected);
        close(DMatrix::from(sparse).as_slice(), expected_normal.as_slice());
        let (r, j) = squares.jacobian(&p).unwrap();
        let (r, j) = (DVector::from_column_slice(r), DMatrix::from(j));
        close((j.transpose() * &r).as_slice(), &expected);
        close((j.transpose() * &j).as_slice(), expected_normal.as_slice());
    }
}

#[test]
fn plain_squares() {
    for made in sums() {
        compare(&made, Squared);
        #[cfg(feature = "sparse")]
        {
            let p = made.point();
            let (r, j) = whole(&made, &p);
            let mut squares = LeastSquares::new(&made, p.len()).unwrap();
            let (residuals, jacobian) = squares.jacobian(&p).unwrap();
            assert_eq!(residuals, r.concat());
            close(DMatrix::from(jacobian).as_slice(), j.as_slice());
        }
    }
}

/// Convex in `s`: `ρ″ > 0`.
#[derive(Clone)]
struct Steep;
impl Loss for Steep {
    fn rho<T: Real<Base = f64>>(&self, s: T) -> T {
        s + s * s * 0.25
    }
}

#[test]
fn robust_losses() {
    for (i, made) in sums().iter().enumerate() {
        match i % 3 {
            0 => compare(made, Huber(0.8)),
            1 => compare(made, Cauchy(1.5)),
            _ => compare(made, Steep),
        }
    }
    // Inputs twice in a term, by lanes and on a tape.
    for made in &sums()[10..] {
        compare(made, Huber(0.8));
        compare(made, Steep);
    }
}

#[test]
fn no_terms_make_empty_matrices() {
    let nothing = Made::new(&[], 0, 0, 2, 1);
    let mut squares = LeastSquares::new(&nothing, 2).unwrap();
    let (mut g, mut a) = ([f64::NAN; 2], DMatrix::from_element(2, 2, f64::NAN));
    assert_eq!(squares.normal_equations(&[0.0; 2], &mut g, &mut a).unwrap(), 0.0);
    assert_eq!((g, a), ([0.0; 2], DMatrix::zeros(2, 2)));
    #[cfg(feature = "sparse")]
    {
        let (r, j) = squares.jacobian(&[0.0; 2]).unwrap();
        assert_eq!((r.len(), j.nrows(), j.ncols(), j.nnz()), (0, 0, 2, 0));
    }
}

/// `p₀ + i·p₁ + Σ` of i further parameters.
struct Growing;
impl Terms for Growing {
    fn count(&self, _: usize) -> usize {
        9
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend([0, 1]);
    }
    fn inputs(&self, _: usize, i: usize, out: &mut Vec<usize>) {
        out.extend(2..2 + i);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, s: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        |i, p, r| r[0] = p.iter().fold(s[0] + s[1] * i as f64, |sum, &x| sum + x)
    }
}

#[test]
fn terms_of_a_group_may_read_more_and_more() {
    let j = DMatrix::from_fn(9, 10, |i, k| match k {
        1 => i as f64,
        _ => f64::from(k < 2 + i),
    });
    let (mut g, mut a) = ([0.0; 10], DMatrix::zeros(10, 10));
    LeastSquares::new(&Growing, 10).unwrap().normal_equations(&[1.0; 10], &mut g, &mut a).unwrap();
    assert_eq!(a, j.transpose() * &j);
}

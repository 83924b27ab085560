//! Decompositions of large matrices, by whichever crate: their factors give the matrix back, in its own precision;
//! values are the same at every number type; problems that are hard at any size stay right.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use nalgebra::{DMatrix, DVector};
use num_complex::{Complex, Complex32, Complex64};
use wengert::matrix::{
    Cholesky, Entry, det, eigen, inverse, lu, qr, singular_values, solve, svd, symmetric_eigen,
    symmetric_eigenvalues,
};
use wengert::{AdError, BaseFloat, Dual, DualN, Real};

const SIZES: [usize; 2] = [40, 80];

/// Numbers in [−1, 1] without a pattern.
fn wave(i: usize, j: usize) -> f64 {
    (((i + 1) * (i + 3) * (j + 2)) as f64 * 12.9898 + (j * j) as f64 * 78.233).sin()
}

/// The numbers in double precision.
fn doubles<S: Entry>(a: &DMatrix<S>) -> DMatrix<Complex64> {
    let part = |x: S::Re| x.primal().to_double();
    a.map(|x| Complex::new(part(x.real_part()), part(x.imaginary_part())))
}

fn diagonal<R: Real>(x: &DVector<R>) -> DMatrix<Complex64> {
    DMatrix::from_diagonal(&x.map(|x| Complex::from(x.primal().to_double())))
}

/// Panics if two matrices differ by more than some roundings.
fn near(what: &str, a: &DMatrix<Complex64>, b: &DMatrix<Complex64>, eps: f64) {
    let roundings = (a - b).norm() / (eps * b.norm().max(1.0));
    assert!(roundings <= 60.0, "{what} of {} rows: {roundings} roundings", b.nrows());
}

fn factors_give_the_matrix_back<S: Entry>(eps: f64, entry: impl Fn(f64, f64) -> S) {
    for n in SIZES {
        let a = DMatrix::from_fn(n, n, |i, j| entry(wave(i, j), wave(j, i + 1)));
        let (one, exact) = (DMatrix::<S>::identity(n, n), doubles(&a));
        let unit = doubles(&one);
        let found = svd(&a).unwrap();
        let (u, v_t) = (doubles(&found.u), doubles(&found.v_t));
        near("svd", &(&u * diagonal(&found.singular_values) * &v_t), &exact, eps);
        near("U", &(u.adjoint() * &u), &unit, eps);
        near("V", &(&v_t * v_t.adjoint()), &unit, eps);
        let h = DMatrix::from_fn(n, n, |i, j| a[(i, j)] + a[(j, i)].conjugated());
        let found = symmetric_eigen(&h).unwrap();
        let v = doubles(&found.eigenvectors);
        near("symmetric_eigen", &(&v * diagonal(&found.eigenvalues) * v.adjoint()), &doubles(&h), eps);
        near("eigenvectors", &(v.adjoint() * &v), &unit, eps);
        assert!(found.eigenvalues.as_slice().windows(2).all(|w| w[0].primal() <= w[1].primal()));
        let tall = DMatrix::from_fn(2 * n, n, |i, j| entry(wave(i, j), wave(j, i + 1)));
        for a in [&a, &tall] {
            let (q, r) = qr(a).unwrap();
            let (q, r) = (doubles(&q), doubles(&r));
            near("qr", &(&q * &r), &doubles(a), eps);
            near("Q", &(q.adjoint() * &q), &unit, eps);
            assert!(r.diagonal().iter().all(|r| r.re > 0.0 && r.im == 0.0), "R's diagonal is positive");
            assert!(
                (0..n).all(|j| (j + 1..n).all(|i| r[(i, j)] == Complex64::from(0.0))),
                "R is upper triangular"
            );
        }
        let (rows, l, u) = lu(&a).unwrap();
        let permuted = DMatrix::from_fn(n, n, |i, j| exact[(rows[i], j)]);
        near("lu", &(doubles(&l) * doubles(&u)), &permuted, eps);
        let [x, y] = [solve(&a, &one), inverse(&a)].map(|x| doubles(&x.unwrap()));
        let condition = exact.norm() * x.norm();
        near("solve", &(&exact * &x), &unit, eps * condition);
        near("inverse", &y, &x, eps * condition);
    }
}

#[test]
fn of_every_machine_number() {
    factors_give_the_matrix_back::<f64>(f64::EPSILON, |x, _| x);
    factors_give_the_matrix_back::<f32>(f32::EPSILON.into(), |x, _| x as f32);
    factors_give_the_matrix_back::<Complex64>(f64::EPSILON, Complex::new);
    factors_give_the_matrix_back::<Complex32>(f32::EPSILON.into(), |x, y| Complex::new(x as f32, y as f32));
}

#[test]
fn general_eigenvalues_and_vectors() {
    for n in SIZES {
        let a = DMatrix::from_fn(n, n, wave);
        let z = a.map(|x| Complex::new(x, (7.0 * x).cos()));
        let real = eigen(&a).unwrap();
        let complex = eigen(&z).unwrap();
        let pairs = [
            (a.map(Complex::from), &real.eigenvectors, &real.eigenvalues),
            (z, &complex.eigenvectors, &complex.eigenvalues),
        ];
        for (a, v, values) in pairs {
            near("eigen", &(&a * v), &(v * DMatrix::from_diagonal(values)), 4.0 * f64::EPSILON);
            assert!(v.column_iter().all(|v| (v.norm() - 1.0).abs() < 1e-13));
        }
        // Of a real matrix in exactly conjugate pairs.
        assert!(real.eigenvalues.iter().all(|x| real.eigenvalues.iter().any(|y| *y == x.conj())));
    }
}

#[test]
fn values_are_the_same_at_numbers_with_derivatives() {
    for n in SIZES {
        let a = DMatrix::from_fn(n, n, wave);
        let s = &a + a.transpose();
        let [da, ds] = [&a, &s].map(|a| a.map(Dual::variable));
        assert_eq!(singular_values(&da).unwrap().map(|x| x.value()), svd(&a).unwrap().singular_values);
        let values = symmetric_eigen(&s).unwrap().eigenvalues;
        assert_eq!(symmetric_eigenvalues(&ds).unwrap().map(|x| x.value()), values);
        assert_eq!(inverse(&da).unwrap().map(|x| x.value()), inverse(&a).unwrap());
        assert_eq!(det(&da).value(), det(&a));
    }
}

#[test]
fn values_close_together_keep_their_digits() {
    for n in SIZES {
        // A product of reflections is orthogonal.
        let axis = |seed: usize| DVector::from_fn(n, |i, _| wave(i, seed)).normalize();
        let reflection = |x: DVector<f64>| DMatrix::identity(n, n) - 2.0 * &x * x.transpose();
        let [p, q] = [(1, 2), (3, 4)].map(|(x, y)| reflection(axis(x)) * reflection(axis(y)));
        let values = DVector::from_fn(n, |i, _| 1.0 - i as f64 * 1e-7);
        let a = &p * DMatrix::from_diagonal(&values) * q.transpose();
        assert!((svd(&a).unwrap().singular_values - &values).norm() < 1e-13);
        let h = &p * DMatrix::from_diagonal(&values) * p.transpose();
        let mut found: Vec<f64> = symmetric_eigenvalues(&h).unwrap().iter().copied().collect();
        found.reverse();
        assert!((DVector::from_vec(found) - values).norm() < 1e-13);
    }
}

#[test]
fn singular_matrices_are_found() {
    for n in SIZES {
        let left = DMatrix::from_fn(n, n - 1, wave);
        let a = &left * DMatrix::from_fn(n - 1, n, |i, j| wave(j, i + 5));
        assert_eq!(inverse(&a), Err(AdError::Singular { op: "inverse" }));
        let mut zero = DMatrix::from_fn(n, n, wave);
        zero.set_column(n / 2, &DVector::zeros(n));
        assert_eq!(inverse(&zero), Err(AdError::Singular { op: "inverse" }));
        assert_eq!(det(&zero), 0.0);
        let graded = DMatrix::from_fn(n, n, |i, j| wave(i, j) * 2f64.powi(5 * i as i32 - 100));
        assert!(inverse(&graded).is_ok());
    }
}

#[test]
fn what_is_not_finite_is_an_error() {
    let mut a = DMatrix::from_fn(40, 40, wave);
    a[(3, 5)] = f64::NAN;
    assert!(svd(&a).is_err() && symmetric_eigen(&a).is_err() && eigen(&a).is_err() && solve(&a, &a).is_err());
}

/// Compares one solution of many right-hand sides with one solution for each, by LU and by Cholesky factors.
fn solved_as_side_by_side<S: Entry>(tangents: impl Fn(&S) -> Vec<Complex64>, entry: impl Fn(f64, f64) -> S) {
    let n = 20;
    let a = DMatrix::from_fn(n, n, |i, j| entry(wave(i, j), wave(j, i + 1)));
    let lower = DMatrix::from_fn(n, n, |i, j| match i == j {
        true => entry(n as f64, wave(i, i)),
        false => a[(i, j)],
    });
    let factors = Cholesky::new(&lower).unwrap();
    for sides in [7, 8, 20, 40] {
        let b = DMatrix::from_fn(n, sides, |i, j| entry(wave(i, j + n), wave(j, i + n)));
        let (by_lu, by_cholesky) = (solve(&a, &b).unwrap(), factors.solve(&b));
        for j in 0..sides {
            let b = b.column(j).into_owned();
            for (all, one) in [(&by_lu, solve(&a, &b).unwrap()), (&by_cholesky, factors.solve(&b))] {
                let scale = one.iter().flat_map(&tangents).fold(1.0, |m: f64, t| m.max(t.norm()));
                for (all, one) in all.column(j).iter().zip(&one) {
                    let apart = tangents(all).into_iter().zip(tangents(one)).map(|(a, b)| (a - b).norm());
                    assert!(apart.fold(0.0, f64::max) < 1e-11 * scale, "{sides} sides, side {j}");
                }
            }
        }
    }
}

#[test]
fn many_sides_have_the_tangents_of_one() {
    let real = |x: f64| Complex::from(x);
    solved_as_side_by_side(|x: &Dual<f64>| vec![real(x.tangent())], Dual::new);
    let lanes = |v: f64, t: f64| DualN::new(v, [t, 1.0 - t, t * t, 0.5]);
    solved_as_side_by_side(|x: &DualN<f64, 4>| x.tangents().into_iter().map(real).collect(), lanes);
    let complex = |v: f64, t: f64| Dual::new(Complex::new(v, 0.3 * t), Complex::new(t, v));
    solved_as_side_by_side(|x: &Dual<Complex64>| vec![x.tangent()], complex);
}

//! One test for singular matrices: matrices without an inverse are an error everywhere, though rounding leaves
//! nonzero pivots; ill-conditioned, graded and badly scaled matrices are not an error.

use fastrand::Rng;
use nalgebra::{Complex, DMatrix, dmatrix};
use wengert::matrix::{self, Entry, Lu};
use wengert::{AdError, Dual};

use super::active::{Active, forget};

type Outcome = Result<(), AdError>;

/// Every function that divides by pivots, by the name in its error.
fn outcomes<S: Entry>(a: &DMatrix<S>) -> Vec<(&'static str, Outcome)> {
    let b = DMatrix::from_element(a.nrows(), 1, S::constant(1.0));
    vec![
        ("solve", matrix::solve(a, &b).map(drop)),
        ("solve_transpose", matrix::solve_transpose(a, &b).map(drop)),
        ("inverse", matrix::inverse(a).map(drop)),
        ("ln_abs_det", matrix::ln_abs_det(a).map(drop)),
        ("sign_ln_det", matrix::sign_ln_det(a).map(drop)),
        ("lu", matrix::lu(a).map(drop)),
        ("lu", Lu::new(a).map(drop)),
        ("matrix_power", matrix::matrix_power(a, -1).map(drop)),
        ("inverse_quadratic_form", matrix::inverse_quadratic_form(a, &b.column(0).into_owned()).map(drop)),
    ]
}

macro_rules! at_each {
    (($a:ident, $complex:expr) $($name:literal $N:ty;)+) => {
        [$(if <$N>::IS_REAL || $complex {
            outcomes(&$a.map(|x| <$N>::active(x.into(), 1.0)))
        } else {
            vec![]
        }),+].concat()
    };
}

/// The outcomes at real numbers of every kind.
fn at_real_types(a: &DMatrix<f64>) -> Vec<(&'static str, Outcome)> {
    forget();
    for_each_number!(entries at_each (a, false))
}

/// And at complex numbers.
fn at_every_type(a: &DMatrix<f64>) -> Vec<(&'static str, Outcome)> {
    forget();
    for_each_number!(entries at_each (a, true))
}

fn demand_singular(found: Vec<(&'static str, Outcome)>, what: &str) {
    for (op, outcome) in found {
        assert_eq!(outcome, Err(AdError::Singular { op }), "{op} of {what}");
    }
}

fn demand_regular(a: &DMatrix<f64>, what: &str) {
    // Quotients of complex numbers square their moduli, which then leave the range of numbers.
    let moderate = a.iter().all(|&x| x == 0.0 || (1e-100..1e100).contains(&x.abs()));
    for a in [a.clone(), a.transpose()] {
        for (op, outcome) in if moderate { at_every_type(&a) } else { at_real_types(&a) } {
            assert_eq!(outcome, Ok(()), "{op} of {what}: {a}");
        }
    }
}

/// A product of integer matrices, of less than full rank, without rounding.
fn deficient(random: &mut Rng, n: usize, rank: usize) -> DMatrix<f64> {
    let mut integers = |m, n| DMatrix::from_fn(m, n, |_, _| f64::from(random.i32(-9..=9)));
    integers(n, rank) * integers(rank, n)
}

/// Scales rows and columns by powers of two, which changes no digit.
fn scaled(random: &mut Rng, mut a: DMatrix<f64>) -> DMatrix<f64> {
    for i in 0..a.nrows() {
        a.row_mut(i).scale_mut(2f64.powi(random.i32(-40..=40)));
        a.column_mut(i).scale_mut(2f64.powi(random.i32(-40..=40)));
    }
    a
}

#[test]
fn matrices_of_less_than_full_rank_are_singular_everywhere() {
    // Pivots that are rounding: 0.2 − 0.1/0.3·0.6 is 2.8e-17.
    for a in [
        dmatrix![0.1, 0.2; 0.3, 0.6],
        dmatrix![1.0, 2.0; 3.0, 6.0] / 7.0,
        dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0; 7.0, 8.0, 9.0],
        dmatrix![0.1, 0.2, 0.3; 0.4, 0.5, 0.6; 0.7, 0.8, 0.9],
    ] {
        demand_singular(at_every_type(&a), &a.to_string());
    }
    let mut random = Rng::with_seed(9);
    for (n, count) in
        [(2, 300), (3, 300), (4, 60), (5, 30), (6, 30), (7, 20), (9, 20), (12, 10), (13, 10), (30, 3)]
    {
        for round in 0..count {
            let rank = n - 1 - round % 2 * usize::from(n > 2);
            let a = deficient(&mut random, n, rank);
            if n <= 3 {
                assert_eq!(matrix::det(&a), 0.0, "{a}");
            }
            demand_singular(at_every_type(&a), &a.to_string());
            let a = scaled(&mut random, a);
            demand_singular(at_every_type(&a), &a.to_string());
        }
    }
}

#[test]
fn complex_matrices_of_less_than_full_rank_are_singular() {
    let mut random = Rng::with_seed(10);
    for (n, count) in [(2, 2000), (3, 2000), (4, 300), (6, 100), (7, 50), (12, 20), (13, 20)] {
        for _ in 0..count {
            let mut integers = |m, n| {
                DMatrix::from_fn(m, n, |_, _| {
                    Complex::new(f64::from(random.i32(-9..=9)), f64::from(random.i32(-9..=9)))
                })
            };
            let a = integers(n, n - 1) * integers(n - 1, n);
            demand_singular(outcomes(&a), &a.to_string());
            demand_singular(outcomes(&a.map(|z| Dual::new(z, z))), &a.to_string());
        }
    }
}

/// Far more of them, of two and three rows, by one function.
#[test]
fn small_singular_matrices_are_all_found() {
    let mut random = Rng::with_seed(11);
    for round in 0..20_000 {
        let n = 2 + round % 2;
        let a = deficient(&mut random, n, n - 1);
        let a = if round % 3 == 0 { scaled(&mut random, a) } else { a };
        let x = matrix::solve(&a, &DMatrix::from_element(n, 1, 1.0));
        assert_eq!(x, Err(AdError::Singular { op: "solve" }), "{a}");
    }
}

#[test]
fn ill_conditioned_matrices_are_regular() {
    for n in 2..=12 {
        demand_regular(
            &DMatrix::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64),
            &format!("Hilbert's matrix, {n}"),
        );
        let mut pascal = DMatrix::from_element(n, n, 1.0);
        for (i, j) in (1..n).flat_map(|i| (1..n).map(move |j| (i, j))) {
            pascal[(i, j)] = pascal[(i - 1, j)] + pascal[(i, j - 1)];
        }
        demand_regular(&pascal, &format!("Pascal's matrix, {n}"));
        let powers = DMatrix::from_fn(n, n, |i, j| ((i + 1) as f64 / n as f64).powi(j as i32));
        demand_regular(&powers, &format!("Vandermonde's matrix, {n}"));
        // Kahan's: triangular, so that nothing is rounded.
        let (s, c) = (0.1f64.sin(), 0.1f64.cos());
        let kahan = DMatrix::from_fn(n, n, |i, j| {
            s.powi(i as i32)
                * if i == j {
                    1.0
                } else if i < j {
                    -c
                } else {
                    0.0
                }
        });
        demand_regular(&kahan, &format!("Kahan's matrix, {n}"));
    }
    // Two rows that differ in the last few digits.
    demand_regular(&dmatrix![1.0, 1.0; 1.0, 1.0 + 4.0 * f64::EPSILON], "nearly equal rows");
    for gap in [1e-15, 1e-12, 1e-8] {
        demand_regular(
            &dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0; 7.0, 8.0, 9.0 + 20.0 * gap],
            "nearly singular",
        );
    }
}

#[test]
fn graded_and_badly_scaled_matrices_are_regular() {
    let mut random = Rng::with_seed(12);
    for n in [1, 2, 3, 4, 6, 7, 12, 13] {
        let size = |i: usize| 10f64.powi([-200, 0, 200, -100, 150][i % 5]);
        demand_regular(
            &DMatrix::from_fn(n, n, |i, j| if i == j { size(i) } else { 0.0 }),
            "a graded diagonal",
        );
        for round in 0..20 {
            let a = DMatrix::from_fn(n, n, |i, j| 2.0 * random.f64() - 1.0 + f64::from(i == j));
            let s = |i: usize| 10f64.powi([-120, 120, 0, 7][(i + round) % 4]);
            demand_regular(&DMatrix::from_fn(n, n, |i, j| a[(i, j)] * s(i)), &format!("rows scaled, {n}"));
            demand_regular(
                &DMatrix::from_fn(n, n, |i, j| a[(i, j)] * s(i) * s(j)),
                &format!("both scaled, {n}"),
            );
        }
    }
    // Entries that fall off by many digits from corner to corner.
    for n in [2, 3, 5, 8] {
        let fall = DMatrix::from_fn(n, n, |i, j| (1.0 + random.f64()) * 10f64.powi(-20 * i.max(j) as i32));
        demand_regular(&fall, "a graded corner");
        demand_regular(&DMatrix::from_fn(n, n, |i, j| 1e-9f64.powi(i.abs_diff(j) as i32)), "a graded band");
    }
}

/// Whether a matrix is positive definite, by every function that tests it, at numbers of every kind.
fn definite(a: &DMatrix<f64>) -> Vec<(&'static str, bool)> {
    fn at<S: Entry>(a: &DMatrix<S>) -> Vec<(&'static str, bool)> {
        let not = |e: &AdError| matches!(e, AdError::NotPositiveDefinite { .. });
        let [factor, factors] = [matrix::cholesky(a).map(drop), matrix::Cholesky::new(a).map(drop)];
        assert!(factor.iter().chain(&factors).count() == 2 || factor.is_err_and(|e| not(&e)));
        vec![("cholesky", matrix::cholesky(a).is_ok()), ("Cholesky", matrix::Cholesky::new(a).is_ok())]
    }
    macro_rules! at_all {
        (() $($name:literal $N:ty;)+) => { [$(at(&a.map(|x| <$N>::active(x.into(), 1.0)))),+].concat() };
    }
    let zero = nalgebra::DVector::from_element(a.nrows(), 0.0);
    let density = vec![("density", matrix::gaussian_log_density(&zero, &zero, a).is_ok())];
    [for_each_number!(entries at_all ()), density].concat()
}

#[test]
fn semidefinite_matrices_are_not_definite() {
    let mut random = Rng::with_seed(13);
    for (n, count) in [(2, 500), (3, 500), (4, 200), (6, 100), (7, 50), (20, 10), (70, 2)] {
        for _ in 0..count {
            let b = DMatrix::from_fn(n, n - 1, |_, _| f64::from(random.i32(-9..=9)));
            let a = &b * b.transpose();
            for (op, found) in definite(&a) {
                assert!(!found, "{op} of {a}");
            }
        }
    }
}

#[test]
fn ill_conditioned_definite_matrices_are_definite() {
    for n in 2..=12 {
        let hilbert = DMatrix::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64);
        let mut pascal = DMatrix::from_element(n, n, 1.0);
        for (i, j) in (1..n).flat_map(|i| (1..n).map(move |j| (i, j))) {
            pascal[(i, j)] = pascal[(i - 1, j)] + pascal[(i, j - 1)];
        }
        let graded = DMatrix::from_fn(n, n, |i, j| {
            let size = |i: usize| 10f64.powi([-70, 0, 70, -40, 50][i % 5]);
            size(i) * size(j) * if i == j { 1.0 } else { 0.5 }
        });
        for a in [hilbert, pascal, graded] {
            definite(&a).into_iter().for_each(|(op, found)| assert!(found, "{op} of {a}"));
        }
    }
    // Kernels of a Gaussian process with a little noise.
    for (n, noise) in [(10, 1e-12), (30, 1e-11), (100, 1e-10)] {
        let x = |i: usize| i as f64 / n as f64;
        let a = DMatrix::from_fn(n, n, |i, j| {
            (-4.0 * (x(i) - x(j)).powi(2)).exp() + if i == j { noise } else { 0.0 }
        });
        definite(&a).into_iter().for_each(|(op, found)| assert!(found, "{op} of a kernel of {n} rows"));
    }
}

/// Small and large matrices.
#[test]
fn pivots_have_finite_reciprocals() {
    macro_rules! check {
        ($($F:ident)*) => {$(
            let least = $F::MIN_POSITIVE / 4.0;
            let tiny = [0.0, $F::from_bits(1), least, least.next_up(), $F::MIN_POSITIVE];
            for size in tiny.into_iter().chain([1.0, $F::MAX, $F::INFINITY, $F::NAN]) {
                let divides = size.is_finite() && size.recip().is_finite();
                for n in [1, 13] {
                    let mut a = DMatrix::<$F>::identity(n, n);
                    a[(0, 0)] = size;
                    assert_eq!(Lu::new(&a).is_ok(), divides, "{size:e} in a matrix of {n} rows");
                }
            }
        )*};
    }
    check!(f64 f32);
}

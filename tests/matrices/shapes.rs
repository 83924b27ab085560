//! Empty matrices, shapes that do not fit, and matrices that the operation has no value at: the exact errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nalgebra::{Complex, DMatrix, dmatrix};
use wengert::matrix::{self, Cholesky, Entry, Lu, Op, Triangle, solve_triangular};
use wengert::{AdError, Tape};

use super::functions::{Function, Sizes};
use super::programs::Program;

/// The message of a panic.
fn message<T>(f: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else { panic!("no panic") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().expect("a message").to_string(),
    }
}

fn zeros<S: Entry>(rows: usize, columns: usize) -> DMatrix<S> {
    DMatrix::zeros(rows, columns)
}

/// Every function at sizes of which some are zero: a result of the right shape.
#[test]
fn empty_matrices() {
    fn check<S: Entry<Base = f64>>(_: &str) {
        for (m, k, n) in [(0, 0, 0), (2, 0, 3), (0, 2, 0), (3, 2, 0), (0, 0, 2), (9, 0, 8), (0, 8, 8)] {
            for function in Function::ALL {
                let inputs = function.inputs(Sizes { m, k, n });
                let mut random = fastrand::Rng::with_seed(1);
                let x: Vec<DMatrix<S>> = inputs
                    .iter()
                    .map(|input| input.value(&mut random, false).map(|x| S::constant(x.re)))
                    .collect();
                let y = function.call(&x);
                let y = y.unwrap_or_else(|e| panic!("{function:?} at {m}, {k}, {n}: {e}"));
                let finite = |z: &Complex<S::Re>| z.re == z.re && z.im == z.im;
                assert!(y.iter().all(|(_, y)| y.iter().all(finite)), "{function:?} at {m}, {k}, {n}");
            }
        }
        let empty = zeros::<S>(0, 0);
        assert_eq!(matrix::det(&empty), S::constant(1.0));
        assert_eq!(matrix::trace(&empty), S::constant(0.0));
        assert_eq!(matrix::dot(&empty, &empty), S::constant(0.0));
        assert_eq!(matrix::matmul(&zeros::<S>(2, 0), &zeros(0, 3)), zeros(2, 3));
        assert_eq!(matrix::inverse(&empty), Ok(zeros(0, 0)));
        assert_eq!(matrix::solve(&empty, &zeros(0, 3)), Ok(zeros(0, 3)));
        assert_eq!(matrix::solve(&DMatrix::<S>::identity(9, 9), &zeros(9, 0)), Ok(zeros(9, 0)));
        assert_eq!(matrix::cholesky(&empty), Ok(zeros(0, 0)));
    }
    every_number!([entries] check());
}

/// An empty matrix on a tape takes its cotangents like any other: there are none.
#[test]
fn empty_matrices_on_a_tape() {
    let tape = Tape::new();
    let [x, y] = [tape.variable(2.0), tape.variable(3.0)];
    let product = matrix::matmul(&DMatrix::from_element(7, 0, x), &DMatrix::from_element(0, 7, y));
    let det = matrix::det(&DMatrix::from_element(0, 0, x));
    let cotangents = tape.cotangents_of(&[(product[(3, 4)], 1.0), (det, 1.0)]);
    assert_eq!(cotangents.of_all(&[x, y]), [0.0, 0.0]);
}

/// `matrix ⊕ I` to size n.
fn with_identity<S: Entry>(a: &DMatrix<f64>, n: usize) -> DMatrix<S> {
    let inside = |i, j| i < a.nrows() && j < a.ncols();
    DMatrix::from_fn(n, n, |i, j| S::constant(if inside(i, j) { a[(i, j)] } else { f64::from(i == j) }))
}

/// Functions that have no value at a singular matrix name themselves, whatever the size and the number type.
#[test]
fn singular_matrices() {
    fn check<S: Entry<Base = f64>>(_: &str) {
        for (singular, n) in
            [(dmatrix![1.0, 2.0; 2.0, 4.0], 2), (dmatrix![0.0], 7), (dmatrix![1.0, 2.0; 2.0, 4.0], 9)]
        {
            let (a, b) = (with_identity::<S>(&singular, n), DMatrix::<S>::identity(n, n));
            let of = |op| AdError::Singular { op };
            assert_eq!(matrix::solve(&a, &b), Err(of("solve")));
            assert_eq!(matrix::solve_transpose(&a, &b), Err(of("solve_transpose")));
            assert_eq!(matrix::inverse(&a), Err(of("inverse")));
            assert_eq!(matrix::ln_abs_det(&a), Err(of("ln_abs_det")));
            assert_eq!(matrix::sign_ln_det(&a), Err(of("sign_ln_det")));
            assert_eq!(matrix::lu(&a), Err(of("lu")));
            assert!(Lu::new(&a).is_err_and(|e| e == of("lu")));
            assert_eq!(matrix::det(&a), S::constant(0.0));
            let lost = with_identity::<S>(&dmatrix![1.0, f64::NAN; 2.0, 4.0], n);
            let of = |op| AdError::NotFinite { op };
            assert_eq!(matrix::solve(&lost, &b), Err(of("solve")));
            assert_eq!(matrix::inverse(&lost), Err(of("inverse")));
            assert_eq!(matrix::lstsq(&lost, &b), Err(of("lstsq")));
        }
        for n in [2, 9] {
            let (a, b) = (with_identity::<S>(&dmatrix![1.0, 0.0; 1.0, 0.0], n), DMatrix::<S>::identity(n, n));
            for (triangle, op) in [(Triangle::Lower, Op::Plain), (Triangle::Upper, Op::Transpose)] {
                let found = solve_triangular(triangle, op, &a, &b);
                assert_eq!(found, Err(AdError::Singular { op: "solve_triangular" }));
            }
            // The diagonal of a unit triangle is not read.
            for triangle in [Triangle::UnitLower, Triangle::UnitUpper] {
                assert!(solve_triangular(triangle, Op::Plain, &a, &b).is_ok());
            }
        }
    }
    every_number!([entries] check());
    let text = |op| AdError::Singular { op }.to_string();
    assert_eq!(text("solve"), "solve: the matrix is singular");
    assert_eq!(text("qr"), "qr: the columns are linearly dependent");
    assert!(text("lstsq").contains("always if there are more columns than rows; `pinv` gives"));
    assert!(text("sylvester").contains("λᵢ(A) + λⱼ(B) is zero to rounding"));
    assert!(text("lyapunov").contains("λᵢ + conj(λⱼ) is zero to rounding"));
}

/// The pivot is the first that is not positive.
#[test]
fn indefinite_matrices() {
    fn check<S: Entry<Base = f64>>(_: &str) {
        for (a, n, pivot) in [
            (dmatrix![-1.0], 3, 0),
            (dmatrix![1.0, 2.0; 2.0, 1.0], 2, 1),
            (dmatrix![1.0, 2.0; 2.0, 1.0], 8, 1),
            (dmatrix![1.0, 0.0, 0.0; 0.0, 4.0, 4.0; 0.0, 4.0, 4.0], 9, 2),
        ] {
            let a = with_identity::<S>(&a, n);
            let want = AdError::NotPositiveDefinite { op: "cholesky", pivot };
            assert_eq!(matrix::cholesky(&a), Err(want.clone()), "n = {n}");
            assert!(Cholesky::new(&a).is_err_and(|e| e == want), "n = {n}");
        }
        let lost = AdError::NotFinite { op: "cholesky" };
        for n in [2, 8, 40] {
            let mut a = with_identity::<S>(&dmatrix![1.0, 0.0; f64::NAN, 1.0], n);
            assert_eq!(matrix::cholesky(&a), Err(lost.clone()), "n = {n}");
            assert!(Cholesky::new(&a).is_err_and(|e| e == lost), "n = {n}");
            // The upper triangle is not read.
            a.swap((0, 1), (1, 0));
            assert!(matrix::cholesky(&a).is_ok(), "n = {n}");
            a[(n - 1, n - 1)] = S::constant(-1.0);
            let indefinite = AdError::NotPositiveDefinite { op: "cholesky", pivot: n - 1 };
            assert_eq!(matrix::cholesky(&a), Err(indefinite), "n = {n}");
        }
    }
    every_number!([entries] check());
    let text = AdError::NotPositiveDefinite { op: "cholesky", pivot: 1 }.to_string();
    assert_eq!(text, "cholesky: the matrix is not positive definite (pivot 1)");
}

/// Functions of square matrices demand one.
#[test]
fn matrices_that_are_not_square() {
    fn check<S: Entry<Base = f64>>(_: &str) {
        for (m, n) in [(2, 3), (8, 7)] {
            let (a, b) = (zeros::<S>(m, n), zeros::<S>(m, 1));
            let want = |op| format!("{op}: the matrix is {m} × {n}, expected {m} × {m}");
            assert_eq!(message(|| matrix::trace(&a)), want("trace"));
            assert_eq!(message(|| matrix::det(&a)), want("det"));
            assert_eq!(message(|| matrix::ln_abs_det(&a)), want("ln_abs_det"));
            assert_eq!(message(|| matrix::sign_ln_det(&a)), want("sign_ln_det"));
            assert_eq!(message(|| matrix::inverse(&a)), want("inverse"));
            assert_eq!(message(|| matrix::solve(&a, &b)), want("solve"));
            assert_eq!(message(|| matrix::solve_transpose(&a, &b)), want("solve_transpose"));
            assert_eq!(message(|| Lu::new(&a).is_ok()), want("lu"));
            assert_eq!(message(|| matrix::lu(&a)), want("lu"));
            assert_eq!(message(|| matrix::cholesky(&a)), want("cholesky"));
            assert_eq!(message(|| Cholesky::new(&a).is_ok()), want("cholesky"));
            assert_eq!(
                message(|| solve_triangular(Triangle::Lower, Op::Plain, &a, &b)),
                want("solve_triangular")
            );
            assert_eq!(
                message(|| solve_triangular(Triangle::UnitUpper, Op::Plain, &a, &b)),
                want("solve_triangular")
            );
        }
    }
    every_number!([entries] check());
}

/// Operands demand shapes that fit.
#[test]
fn operands_that_do_not_fit() {
    fn check<S: Entry<Base = f64>>(_: &str) {
        let says = |op: &str, what: &str, got: (usize, usize), want: (usize, usize)| {
            format!("{op}: the {what} is {} × {}, expected {} × {}", got.0, got.1, want.0, want.1)
        };
        for n in [3, 8] {
            let (a, b) = (zeros::<S>(2, n), zeros::<S>(n + 1, 2));
            let factor = |op| says(op, "second factor", (n + 1, 2), (n, 2));
            assert_eq!(message(|| matrix::matmul(&a, &b)), factor("matmul"));
            assert_eq!(message(|| matrix::matmul_tn(&a.transpose(), &b)), factor("matmul_tn"));
            assert_eq!(message(|| matrix::matmul_nt(&a, &b.transpose())), factor("matmul_nt"));
            assert_eq!(message(|| matrix::matmul_tt(&a.transpose(), &b.transpose())), factor("matmul_tt"));
            assert_eq!(message(|| matrix::matmul_hn(&a.transpose(), &b)), factor("matmul_hn"));
            assert_eq!(message(|| matrix::matmul_nh(&a, &b.transpose())), factor("matmul_nh"));
            assert_eq!(message(|| matrix::matmul_hh(&a.transpose(), &b.transpose())), factor("matmul_hh"));
            let (one, square) = (S::constant(1.0), DMatrix::<S>::identity(n, n));
            let zero = zeros::<S>(n, 2);
            assert_eq!(message(|| matrix::gemm(one, &square, &b, one, &zero)), factor("gemm"));
            let sum = says("gemm", "matrix to be added", (2, n), (n, n));
            assert_eq!(message(|| matrix::gemm(one, &square, &square, one, &a)), sum);
            assert_eq!(message(|| matrix::dot(&a, &b)), says("dot", "second operand", (n + 1, 2), (2, n)));
            assert_eq!(message(|| matrix::dotc(&a, &b)), says("dotc", "second operand", (n + 1, 2), (2, n)));
            let side = |op| says(op, "right-hand side", (n + 1, 2), (n, 2));
            assert_eq!(message(|| matrix::solve(&square, &b)), side("solve"));
            assert_eq!(message(|| matrix::solve_transpose(&square, &b)), side("solve_transpose"));
            assert_eq!(message(|| Lu::new(&square).unwrap().solve_adjoint(&b)), side("solve"));
            assert_eq!(message(|| Cholesky::new(&square).unwrap().solve(&b)), side("cholesky solve"));
            assert_eq!(
                message(|| solve_triangular(Triangle::Upper, Op::Plain, &square, &b)),
                side("solve_triangular")
            );
            assert_eq!(
                message(|| solve_triangular(Triangle::UnitLower, Op::Plain, &square, &b)),
                side("solve_triangular")
            );
        }
    }
    every_number!([entries] check());
}

//! The values of functions of matrices are those of `f64`, bit for bit, at every number type.

use nalgebra::DMatrix;
use wengert::matrix::*;
use wengert::{AdError, Dual, DualN, HyperDual, Real, Tape, Var};

/// A regular matrix without a pattern.
fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        ((7 * i * i + 3 * j + 5 * i * j + 1) as f64).sin() + if i == j { (rows + i) as f64 } else { 0.0 }
    })
}

/// The values of many functions of one square matrix, one tall one and a right-hand side.
fn values<T: Real<Base = f64>>(
    make: impl Fn(f64) -> T,
    n: usize,
) -> Result<Vec<(&'static str, Vec<f64>)>, AdError> {
    let lifted = |a: DMatrix<f64>| a.map(&make);
    let (a, tall, b) = (lifted(matrix(n, n)), lifted(matrix(n + 1, n)), lifted(matrix(n + 1, 2)));
    let square_b = lifted(matrix(n, 2));
    let definite = lifted(matrix(n, n) * matrix(n, n).transpose());
    let numbers = |x: &DMatrix<T>| x.iter().map(|x| x.primal()).collect::<Vec<f64>>();
    let (q, r) = qr(&tall)?;
    let eigen = symmetric_eigen(&definite)?;
    Ok(vec![
        ("matmul", numbers(&matmul(&a, &definite))),
        ("matmul_tn", numbers(&matmul_tn(&tall, &b))),
        ("gemm", numbers(&gemm(make(2.0), &a, &definite, make(3.0), &a))),
        ("kron", numbers(&kron(&a, &square_b))),
        ("solve", numbers(&solve(&a, &square_b)?)),
        ("solve_transpose", numbers(&solve_transpose(&a, &square_b)?)),
        ("solve_transpose of one", numbers(&solve_transpose(&a, &square_b.columns(0, 1).into_owned())?)),
        ("inverse", numbers(&inverse(&a)?)),
        ("det", vec![det(&a).primal()]),
        ("cholesky", numbers(&cholesky(&definite)?)),
        ("qr", [numbers(&q), numbers(&r)].concat()),
        ("lstsq", numbers(&lstsq(&tall, &b)?)),
        ("symmetric_eigen", numbers(&eigen.eigenvectors)),
        ("svd", numbers(&svd(&tall)?.u)),
        ("svd of a square", svd(&a).map(|f| [numbers(&f.u), numbers(&f.v_t)].concat())?),
    ])
}

#[test]
fn values_are_those_of_machine_numbers_bit_for_bit() {
    for n in [1, 2, 3, 4, 5, 6, 7, 9, 11, 30, 65, 70] {
        let expected = values(|x: f64| x, n).unwrap();
        let check = |name: &str, got: Vec<(&'static str, Vec<f64>)>| {
            for ((op, expected), (_, got)) in expected.iter().zip(&got) {
                let same = expected.iter().zip(got).all(|(e, g)| e.to_bits() == g.to_bits());
                assert!(same && expected.len() == got.len(), "{op} of {n} rows at {name}");
            }
        };
        check("Dual", values(|x| Dual::new(x, x + 1.0), n).unwrap());
        check("constant Dual", values(Dual::constant, n).unwrap());
        check("DualN", values(|x| DualN::<f64, 3>::new(x, [x, 1.0, 0.0]), n).unwrap());
        let tape = Tape::new();
        check("Var", values(|x| tape.variable(x), n).unwrap());
        if n < 12 {
            check("HyperDual", values(|x| HyperDual::new(x, 1.0, x, 0.0), n).unwrap());
            let tape: Tape<Dual<f64>> = Tape::new();
            check(
                "Var<Dual>",
                values(|x| -> Var<Dual<f64>> { tape.variable(Dual::new(x, 1.0)) }, n).unwrap(),
            );
        }
    }
}

//! The values of functions of matrices equal those at `f64`, bit for bit, at every number type.

use nalgebra::DMatrix;
use num_complex::Complex;
use wengert::matrix::*;
use wengert::{AdError, Dual, DualN, Real, Tape};

use super::active::{Active, forget};

/// A regular matrix without a pattern.
fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        ((7 * i * i + 3 * j + 5 * i * j + 1) as f64).sin() + if i == j { (rows + i) as f64 } else { 0.0 }
    })
}

/// Values by name.
type Values = Result<Vec<(&'static str, Vec<f64>)>, AdError>;

/// The values of functions whose algorithm depends on the size, of one square matrix, one tall one and a right-hand
/// side.
fn values<T: Real<Base = f64>>(make: impl Fn(f64) -> T, n: usize) -> Values {
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
        ("kron of zeros", numbers(&kron(&a, &square_b.map(|b| b * 0.0)))),
        ("lstsq of many", numbers(&lstsq(&a, &lifted(matrix(n, 12)))?)),
        ("kept factors of many", numbers(&Qr::new(&tall)?.solve(&lifted(matrix(n + 1, 12))))),
        ("lstsq of eight", numbers(&lstsq(&tall, &lifted(matrix(n + 1, 8)))?)),
        ("svd", numbers(&svd(&tall)?.u)),
        ("svd of a square", svd(&a).map(|f| [numbers(&f.u), numbers(&f.v_t)].concat())?),
    ])
}

/// The values of the others.
fn others<T: Real<Base = f64>>(make: impl Fn(f64) -> T, n: usize) -> Values {
    let lifted = |a: DMatrix<f64>| a.map(&make);
    let (a, tall, square_b) = (lifted(matrix(n, n)), lifted(matrix(n + 1, n)), lifted(matrix(n, 2)));
    let definite = lifted(matrix(n, n) * matrix(n, n).transpose());
    let numbers = |x: &DMatrix<T>| x.iter().map(|x| x.primal()).collect::<Vec<f64>>();
    let vector = |x: &DMatrix<T>| x.column(0).into_owned();
    let small = a.map(|x| x * 0.1);
    Ok(vec![
        ("norms", vec![norm(&tall).primal(), nuclear_norm(&tall)?.primal(), spectral_norm(&tall)?.primal()]),
        ("normalize", numbers(&normalize(&tall)?)),
        ("pinv", numbers(&pinv(&tall)?)),
        ("expm", numbers(&expm(&small)?)),
        ("matrix_power", numbers(&matrix_power(&small, -3)?)),
        ("symmetric_sqrt", numbers(&symmetric_sqrt(&definite)?)),
        ("lyapunov", numbers(&lyapunov(&a, &definite)?)),
        ("sylvester", numbers(&sylvester(&a, &definite, &small)?)),
        ("solve_lower", numbers(&solve_triangular(Triangle::Lower, Op::Plain, &a, &square_b)?)),
        ("ln_abs_det", vec![ln_abs_det(&a)?.primal()]),
        ("lu", numbers(&lu(&a)?.1)),
        (
            "eigenvalues",
            eigenvalues(&a)?
                .iter()
                .flat_map(|z| [z.real_part(), z.imaginary_part()].map(Real::primal))
                .collect(),
        ),
        ("sums", vec![sum(&a).primal(), mean(&a)?.primal(), trace(&a).primal(), dot(&a, &definite).primal()]),
        ("product", vec![product(&small).primal()]),
        ("quadratic form", vec![inverse_quadratic_form(&definite, &vector(&square_b))?.primal()]),
        ("density", vec![gaussian_log_density(&vector(&square_b), &vector(&a), &definite)?.primal()]),
    ])
}

fn demand_same(n: usize, name: &str, expected: &Values, got: Values) {
    let (expected, got) = (expected.as_ref().unwrap(), got.unwrap());
    for ((op, expected), (_, got)) in expected.iter().zip(&got) {
        let same = expected.iter().zip(got).all(|(e, g)| e.to_bits() == g.to_bits());
        assert!(same && expected.len() == got.len(), "{op} of {n} rows at {name}");
    }
}

/// Types that large matrices are tried at too.
const ALSO_LARGE: [&str; 3] = ["Dual", "DualN", "Var"];

macro_rules! same_at {
    (($values:ident, $n:ident, $expected:ident) $($name:literal $N:ty;)+) => {
        $(if $n < 12 || ALSO_LARGE.contains(&$name) {
            let found = $values(|x: f64| <$N>::active(x.into(), x + 1.0), $n);
            demand_same($n, $name, &$expected, found);
        })+
    };
}

/// Compares the values of a generic function at a size with its values at `f64`.
macro_rules! at_every_type {
    ($values:ident, $n:expr) => {{
        let n = $n;
        let expected = $values(|x: f64| x, n);
        forget();
        for_each_number!(kinds same_at ($values, n, expected));
        if n < 12 {
            demand_same(n, "constant Dual", &expected, $values(Dual::constant, n));
        }
    }};
}

#[test]
fn values_are_those_of_machine_numbers_bit_for_bit() {
    for n in [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 30, 65] {
        at_every_type!(values, n);
    }
    for n in [1, 2, 3, 6, 7, 11] {
        at_every_type!(others, n);
    }
}

#[test]
fn signs_of_complex_determinants_are_the_same_at_every_number_type() {
    for n in [2, 5, 6, 7, 9, 12, 13] {
        let entry = |i: usize, j: usize| {
            let im = ((3 * i + 5 * j * j) as f64).cos();
            Complex::new(((7 * i * i + 3 * j + 5 * i * j + 1) as f64).sin(), im)
        };
        let mut exchanged = DMatrix::from_fn(n, n, |i, j| Complex::new(f64::from(i == j), 0.0));
        exchanged.swap_rows(0, 1);
        for a in [DMatrix::from_fn(n, n, entry), exchanged] {
            let (sign, ln) = sign_ln_det(&a).unwrap();
            let lanes = sign_ln_det(&a.map(DualN::<Complex<f64>, 3>::constant)).unwrap();
            assert_eq!((lanes.0.value(), lanes.1.value()), (sign, ln), "{n}");
            let tape = Tape::new();
            let variable = |z: Complex<f64>| Complex::new(tape.variable(z.re), tape.variable(z.im));
            let on_tape = sign_ln_det(&a.map(variable)).unwrap();
            assert_eq!(
                (on_tape.0.re.value(), on_tape.0.im.value(), on_tape.1.value()),
                (sign.re, sign.im, ln)
            );
        }
    }
}

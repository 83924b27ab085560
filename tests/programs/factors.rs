//! Functions of matrices and kept factors in programs: operations, right at other matrices too.

use fastrand::Rng;
use nalgebra::{DMatrix, DVector};
use wengert::matrix::{Cholesky, Lu, Qr, matrix_power, symmetric_function};
use wengert::primitive::{Equations, implicit_root, root};
use wengert::programs::{Program, Traced, trace};
use wengert::rules::{Exp, PowConst};
use wengert::{AdError, Real, jacobian};

use crate::matrices::functions::{Function, Sizes};
use crate::matrices::programs::Program as _;

/// Positive definite, of three parameters; the rows of a second one are exchanged.
fn matrices<T: Real<Base = f64>>(n: usize, x: &[T]) -> [DMatrix<T>; 2] {
    let a = DMatrix::from_fn(n, n, |i, j| {
        let off = x[(i + j) % 3] / (1 + i + j) as f64;
        if i == j { off + 3.0 + i as f64 } else { off }
    });
    let b = DMatrix::from_fn(n, n, |i, j| a[((i + 1) % n, j)]);
    [a, b]
}

/// The functions that kept factors provide.
fn kept<T: Real<Base = f64, Primal = f64>>(n: usize, x: &[T]) -> Vec<T> {
    let ([a, b], c) = (matrices(n, x), DVector::from_fn(n, |i, _| x[i % 3] * (1.0 + i as f64)));
    let (lu, cholesky) = (Lu::new(&b).unwrap(), Cholesky::new(&a).unwrap());
    let tall = DMatrix::from_fn(n + 1, n, |i, j| if i < n { b[(i, j)] } else { x[j % 3] });
    let qr = Qr::new(&tall).unwrap();
    let d = DVector::from_fn(n + 1, |i, _| x[i % 3] + i as f64);
    let wide = Qr::new(&tall.transpose()).unwrap();
    vec![
        lu.solve(&c)[0],
        lu.solve_transpose(&lu.solve(&c))[n - 1],
        lu.solve_adjoint(&c)[0],
        lu.det(),
        lu.ln_abs_det().re(),
        cholesky.solve(&c)[n - 1],
        cholesky.l()[(n - 1, 0)],
        cholesky.ln_det().re(),
        qr.solve(&d)[0],
        qr.q()[(0, 0)] * qr.r()[(0, n - 1)],
        wide.q()[(0, 0)] * wide.r()[(n - 1, n)],
    ]
}

fn bits(y: Vec<f64>) -> Vec<u64> {
    y.into_iter().map(f64::to_bits).collect()
}

#[track_caller]
fn close(got: f64, want: f64, by: f64) {
    assert!((got - want).abs() <= by * want.abs().max(1e-2), "{got} {want}");
}

#[test]
fn kept_factors_replay_at_other_matrices() {
    for n in [2, 3, 9, 20] {
        let program = trace(|x: &[Traced]| kept(n, x), &[0.3, 0.2, 0.4]);
        assert!(program.code().guards.is_empty(), "{n}: {program}");
        let x = [0.7, -0.3, 0.1];
        assert_eq!(bits(program.run(&x).unwrap()), bits(kept(n, &x)), "{n}");
        let want = wengert::jacobian(|x| kept(n, x), &x);
        let (columns, rows) = (program.jacobian().unwrap().run(&x).unwrap(), program.vjp().unwrap());
        for i in 0..11 {
            let weight = (0..11).map(|k| if k == i { 1.0 } else { 0.0 });
            let row = rows.run(&x.into_iter().chain(weight).collect::<Vec<_>>()).unwrap();
            for j in 0..3 {
                close(columns[i * 3 + j], want[(i, j)], 1e-11);
                close(row[11 + j], want[(i, j)], 1e-11);
            }
        }
    }
}

#[test]
fn second_derivatives_of_kept_factors() {
    for n in [3, 9] {
        let sum = |y: Vec<Traced>| y.into_iter().sum::<Traced>();
        let program = trace(|x: &[Traced]| sum(kept(n, x)), &[0.3, 0.2, 0.4]);
        let x = [0.7, -0.3, 0.1];
        let want = wengert::forward::hessian(|x| kept(n, x).into_iter().sum(), &x);
        for (i, got) in program.hessian().unwrap().run(&x).unwrap().into_iter().enumerate() {
            close(got, want[(i / 3, i % 3)], 1e-10 * want.amax().max(1.0));
        }
    }
}

#[test]
fn matrices_without_factors_are_the_errors_of_the_eager_modes() {
    let lu = trace(
        |x: &[Traced]| Lu::new(&DMatrix::from_column_slice(2, 2, x)).map_or(x[0], |lu| lu.det()),
        &[2.0, 1.0, 1.0, 3.0],
    );
    assert_eq!(lu.run(&[3.0, 0.0, 0.0, 2.0]).unwrap(), [6.0]);
    let singular = [1.0, 2.0, 2.0, 4.0];
    assert_eq!(lu.run(&singular).unwrap_err(), AdError::Singular { op: "lu" });
    let power = |x: &[Traced]| matrix_power(&DMatrix::from_column_slice(2, 2, x), -2).unwrap()[0];
    let power = trace(power, &[2.0, 1.0, 1.0, 3.0]);
    assert_eq!(power.run(&singular).unwrap_err(), AdError::Singular { op: "matrix_power" });
    // Traced where there are none: the other branch, and no further guard.
    let f = |x: &[Traced]| Lu::new(&DMatrix::from_column_slice(2, 2, x)).map_or(x[0], |lu| lu.det());
    let failed = trace(f, &singular);
    assert_eq!(failed.run(&[3.0, 6.0, 6.0, 12.0]).unwrap(), [3.0]);
    let error = failed.run(&[3.0, 0.0, 0.0, 2.0]).unwrap_err();
    assert!(matches!(error, AdError::BranchChanged { op: "lu", .. }), "{error}");
    let root = |x: &[Traced]| Cholesky::new(&DMatrix::from_element(1, 1, x[0])).unwrap().l()[0];
    let cholesky = trace(root, &[4.0]);
    assert_eq!(cholesky.run(&[9.0]).unwrap(), [3.0]);
    let error = cholesky.run(&[-9.0]).unwrap_err();
    assert_eq!(error, AdError::NotPositiveDefinite { op: "cholesky", pivot: 0 });
}

/// The exchanges of rows are integers: a replay with other ones is another branch.
#[test]
fn rows_of_factors_are_a_branch() {
    let f = |x: &[Traced]| {
        let (rows, l, u) = wengert::matrix::lu(&DMatrix::from_column_slice(2, 2, x)).unwrap();
        [l[(1, 0)] + rows[0] as f64, u[(1, 1)]]
    };
    let program = trace(f, &[4.0, 1.0, 2.0, 3.0]);
    assert_eq!(program.run(&[2.0, 1.0, 4.0, 3.0]).unwrap(), [0.5, 1.0]);
    let jacobian = program.jacobian().unwrap().run(&[2.0, 1.0, 4.0, 3.0]).unwrap();
    assert_eq!(jacobian, [-0.25, 0.5, 0.0, 0.0, 1.0, -2.0, -0.5, 1.0]);
    let error = program.run(&[1.0, 2.0, 3.0, 4.0]).unwrap_err();
    assert!(matches!(error, AdError::BranchChanged { op: "value", .. }), "{error}");
}

/// The numbers of all inputs, in order.
fn point(function: Function, s: Sizes, random: &mut Rng) -> Vec<f64> {
    let inputs = function.inputs(s);
    inputs
        .into_iter()
        .flat_map(|input| input.value(random, false).iter().map(|z| z.re).collect::<Vec<_>>())
        .collect()
}

fn results<T>(function: Function, s: Sizes, x: &[T]) -> Result<Vec<T>, AdError>
where
    T: Real<Base = f64, Primal = f64> + wengert::matrix::Entry<Base = f64, Re = T>,
{
    let mut rest = x;
    let matrix = |input: crate::matrices::functions::Input| {
        let (rows, columns) = input.shape();
        let (own, behind) = rest.split_at(rows * columns);
        rest = behind;
        DMatrix::from_column_slice(rows, columns, own)
    };
    let inputs: Vec<DMatrix<T>> = function.inputs(s).into_iter().map(matrix).collect();
    let outputs = function.call(&inputs)?;
    Ok(outputs.iter().flat_map(|(_, y)| y.iter().map(|z| z.re)).collect())
}

/// Every function of matrices: the values and the derivatives of eager modes where its program replays, and it does.
#[test]
fn every_function_of_matrices_replays() {
    let mut random = Rng::with_seed(7);
    for &function in Function::ALL {
        for s in [Sizes { m: 3, k: 2, n: 3 }, Sizes { m: 8, k: 7, n: 8 }] {
            let (at, x) = (point(function, s, &mut random), point(function, s, &mut random));
            let name = function.0;
            let program: Program = trace(|x: &[Traced]| results(function, s, x).unwrap(), &at);
            let got = program.run(&x).unwrap_or_else(|e| panic!("{name} {s:?}: {e}"));
            let want = results(function, s, &x).unwrap();
            assert_eq!(bits(got), bits(want), "{name} {s:?}");
            let v: Vec<f64> = (0..x.len()).map(|_| random.f64() - 0.5).collect();
            let got = program.jvp().unwrap().run(&[&x[..], &v].concat()).unwrap();
            let want = wengert::forward::jvp(|x| results(function, s, x).unwrap(), &x, &v);
            let scale = want.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            for (got, want) in got[want.len()..].iter().zip(&want) {
                assert!((got - want).abs() <= 1e-9 * scale, "{name} {s:?}: {got} {want}");
            }
        }
    }
}

/// The point where a circle of radius `r` meets the curve `y = a·x³`, by Newton's method.
#[derive(Clone)]
struct Meeting;

impl Equations for Meeting {
    fn name(&self) -> &'static str {
        "meeting"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        let (r, a, mut u) = (x[0][0], x[0][1], 0.5);
        for _ in 0..50 {
            let g = u * u + a * a * f64::powi(u, 6) - r * r;
            u -= g / (2.0 * u + 6.0 * a * a * f64::powi(u, 5));
        }
        Ok(vec![u, a * u * u * u])
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        let (r, a) = (x[0][0], x[0][1]);
        vec![y[0] * y[0] + y[1] * y[1] - r * r, y[1] - a * y[0] * y[0] * y[0]]
    }
}

/// Roots of equations are operations: a replay solves again, and derivatives of any nesting are those of the eager modes.
#[test]
fn roots_replay_at_other_equations() {
    fn f<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> T {
        let y = root(&Meeting, &[&[x[0].exp(), x[1]]]).unwrap();
        y[0] * y[1] + y[0] * x[1]
    }
    let program = trace(|x: &[Traced]| f(x), &[0.1, 1.0]);
    assert!(program.code().guards.is_empty());
    let x = [0.4, 1.75];
    assert_eq!(program.run(&x).unwrap(), [f(&x)]);
    let want = wengert::forward::gradient(f, &x);
    for (got, want) in program.gradient().unwrap().run(&x).unwrap().iter().zip(want) {
        close(*got, want, 1e-13);
    }
    let want = wengert::forward::hessian(f, &x);
    for (i, got) in program.hessian().unwrap().run(&x).unwrap().into_iter().enumerate() {
        close(got, want[(i / 2, i % 2)], 1e-12);
    }
    // A solution that is computed outside of the program is refused.
    trace(
        |x: &[Traced]| {
            let error = implicit_root(|x, y| [y[0] * y[0] - x[0]], x, &[2.0]).unwrap_err();
            assert!(matches!(error, AdError::Unsupported { op: "implicit_root", .. }), "{error}");
            x[0]
        },
        &[4.0],
    );
}

/// Factors are found again by the entries of the matrix. Several matrices of one run have their own factors.
#[test]
fn matrices_of_one_run_have_their_own_factors() {
    fn f<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> T {
        let (a, b) = (matrices(20, x)[1].clone(), DVector::from_element(20, x[0]));
        let (once, twice) = (Lu::new(&a).unwrap(), Lu::new(&(&a * T::lit(2.0))).unwrap());
        (once.solve(&b) - twice.solve(&b))[0]
    }
    let x = [0.7, -0.3, 0.1];
    let program = trace(|x: &[Traced]| f(x), &[0.3, 0.2, 0.4]);
    assert_eq!(program.run(&x).unwrap(), [f(&x)]);
}

/// Two rules of one name, and a function of another type, on one matrix: each has its own spectrum, and its derivatives.
#[test]
fn functions_of_one_matrix_have_their_own_spectra() {
    fn f<T: Real<Base = f64, Primal = f64>>(x: &[T]) -> [T; 3] {
        let a = &matrices(3, x)[0];
        let (root, power) = (PowConst(0.5), PowConst(1.5));
        let along = |y: DMatrix<T>| y[(0, 1)] + y[(2, 2)];
        [
            along(symmetric_function(a, root).unwrap()),
            along(symmetric_function(a, power).unwrap()),
            along(symmetric_function(a, Exp).unwrap()),
        ]
    }
    let x = [0.7, -0.3, 0.1];
    let program = trace(|x: &[Traced]| f(x), &[0.3, 0.2, 0.4]);
    assert_eq!(program.run(&x).unwrap(), f(&x));
    let (got, want) = (program.jacobian().unwrap().run(&x).unwrap(), jacobian(f, &x));
    for (got, want) in got.iter().zip(want.transpose().iter()) {
        close(*got, *want, 1e-13);
    }
}

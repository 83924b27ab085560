//! The requirements on arrays by their numbers: products, systems and factors (B10 to B14), broadcasts and
//! reductions (B20 to B33), writing in place (C10 to C12), complex products and systems (E27).

use nalgebra::{Complex, DMatrix, DVector, Matrix2, Matrix3, Vector2, Vector3, matrix, vector};
use wengert::matrix::{self, Cholesky, Lu};
use wengert::{AdError, Dual, HyperDual, Real, Tape, Var, gradient, hessian, reduce};

use super::functions::Function;
use super::programs::Entries;
use super::routes;

/// A matrix with tangents, of dynamic size.
fn dual<const R: usize, const C: usize>(
    x: nalgebra::SMatrix<f64, R, C>,
    dx: nalgebra::SMatrix<f64, R, C>,
) -> nalgebra::SMatrix<Dual<f64>, R, C> {
    x.zip_map(&dx, Dual::new)
}

/// The tangents.
macro_rules! tangent {
    ($y:expr) => {
        ($y).map(|y| y.tangent())
    };
}

/// Entry by entry within some eps of the largest.
macro_rules! assert_near {
    ($got:expr, $want:expr) => {
        assert_near!($got, $want, 1e-14)
    };
    ($got:expr, $want:expr, $tolerance:expr) => {
        let (got, want) = ($got, $want);
        assert!((&got - &want).amax() <= $tolerance * want.amax(), "got {got}, want {want}");
    };
}

/// The cotangents of several matrices from the cotangent of a result.
fn pull<const N: usize>(
    x: [DMatrix<f64>; N],
    y_bar: &DMatrix<f64>,
    f: impl FnOnce(&[DMatrix<Var<f64>>; N]) -> DMatrix<Var<f64>>,
) -> [DMatrix<f64>; N] {
    let tape = Tape::new();
    let inputs = x.map(|x| x.map(|x| tape.variable(x)));
    let y = f(&inputs);
    assert_eq!(y.shape(), y_bar.shape());
    let pairs: Vec<_> = y.iter().copied().zip(y_bar.iter().copied()).collect();
    let cotangents = tape.cotangents_of(&pairs);
    inputs.map(|x| x.map(|x| cotangents.of(x)))
}

fn dense<const R: usize, const C: usize>(x: nalgebra::SMatrix<f64, R, C>) -> DMatrix<f64> {
    DMatrix::from_column_slice(R, C, x.as_slice())
}

/// `A ⊕ I` and `B ⊕ 0`: the results of large matrices must be the results of small ones.
fn enlarged(x: &DMatrix<f64>, to: (usize, usize), diagonal: f64) -> DMatrix<f64> {
    let (rows, columns) = x.shape();
    DMatrix::from_fn(to.0, to.1, |i, j| match (i < rows, j < columns) {
        (true, true) => x[(i, j)],
        (false, false) if i - rows == j - columns => diagonal,
        _ => 0.0,
    })
}

const A: Matrix2<f64> = matrix![1.0, 2.0; 3.0, 4.0];
const B: Matrix2<f64> = matrix![5.0, 6.0; 7.0, 8.0];

#[test]
fn b10_b11_sums_and_products_by_entries() {
    let (x, y) = (dual(vector![1.0, 2.0], vector![3.0, 4.0]), dual(vector![5.0, 6.0], vector![7.0, 8.0]));
    assert_eq!(tangent!(x + y), vector![10.0, 12.0]);
    assert_eq!(tangent!(x - y), vector![-4.0, -4.0]);
    assert_eq!(tangent!(x.component_mul(&y)), vector![22.0, 40.0]);
    assert_eq!(tangent!(matrix::component_mul(&x, &y)), vector![22.0, 40.0]);
}

#[test]
fn b12_products() {
    let (da, db) = (matrix![0.1, 0.2; 0.3, 0.4], matrix![1.0, 0.0; 0.0, -1.0]);
    let want = matrix![2.9, 0.2; 7.3, 1.0];
    assert_near!(tangent!(matrix::matmul(&dual(A, da), &dual(B, db))), want);
    let [a, b] = pull([dense(A), dense(B)], &dense(A), |[a, b]| matrix::matmul(a, b));
    assert_eq!((a, b), (dense(matrix![17.0, 23.0; 39.0, 53.0]), dense(matrix![10.0, 14.0; 14.0, 20.0])));
    let [large_a, large_b] = pull(
        [enlarged(&dense(A), (9, 9), 1.0), enlarged(&dense(B), (9, 9), 1.0)],
        &enlarged(&dense(A), (9, 9), 0.0),
        |[a, b]| matrix::matmul(a, b),
    );
    assert_eq!(large_a.view((0, 0), (2, 2)), matrix![17.0, 23.0; 39.0, 53.0]);
    assert_eq!(large_b.view((0, 0), (2, 2)), matrix![10.0, 14.0; 14.0, 20.0]);
    // A constant operand takes no part.
    assert_near!(tangent!(matrix::matmul(&dual(A, da), &B.map(Dual::constant))), da * B);
}

const SYSTEM: Matrix2<f64> = matrix![4.0, 1.0; 2.0, 3.0];
const D_SYSTEM: Matrix2<f64> = matrix![0.1, -0.2; 0.3, 0.4];

#[test]
fn b13_systems() {
    let (a, b) = (dual(SYSTEM, D_SYSTEM), dual(vector![1.0, 2.0], vector![0.5, -1.0]));
    let x = matrix::solve(&a, &b).unwrap();
    assert_near!(x.map(|x| x.value()), vector![0.1, 0.6]);
    assert_near!(tangent!(x), vector![0.31, -0.63]);
    let (x_bar, solve) = (dense(vector![1.0, -2.0]), |[a, b]: &[DMatrix<_>; 2]| matrix::solve(a, b).unwrap());
    let [a, b] = pull([dense(SYSTEM), dense(vector![1.0, 2.0])], &x_bar, solve);
    assert_near!(b, dense(vector![0.7, -0.9]));
    assert_near!(a, dense(matrix![-0.07, -0.42; 0.09, 0.54]));
    let large = [enlarged(&dense(SYSTEM), (8, 8), 1.0), enlarged(&dense(vector![1.0, 2.0]), (8, 1), 0.0)];
    let [a, b] = pull(large, &enlarged(&x_bar, (8, 1), 0.0), solve);
    assert_near!(b.rows(0, 2).into_owned(), dense(vector![0.7, -0.9]));
    assert_near!(a.view((0, 0), (2, 2)).into_owned(), dense(matrix![-0.07, -0.42; 0.09, 0.54]));
}

/// With the Hilbert matrix (κ = 1.6e13) tangents and cotangents have residuals of a few eps, as a solution by
/// factors has and a product with an inverse has not.
#[test]
fn b13_no_inverse_is_formed() {
    let n = 10;
    let hilbert = DMatrix::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64);
    let wave = |phase: f64| DMatrix::from_fn(n, 1, |i, _| (i as f64 + phase).sin());
    let da = DMatrix::from_fn(n, n, |i, j| (i as f64 * 1.3 - j as f64).cos());
    let (b, db) = (wave(0.3), wave(1.7));
    let small = |residual: DMatrix<f64>, solution: &DMatrix<f64>| {
        let backward = residual.norm() / (hilbert.norm() * solution.norm()) / f64::EPSILON;
        assert!(backward < 8.0, "a residual of {backward} eps");
    };
    let x = matrix::solve(&hilbert.zip_map(&da, Dual::new), &b.zip_map(&db, Dual::new)).unwrap();
    let (x, dx) = (x.map(Dual::value), tangent!(x));
    small(&hilbert * &x - &b, &x);
    small(&hilbert * &dx - (&db - &da * &x), &dx);
    let x_bar = wave(0.9);
    let [a_bar, b_bar] = pull([hilbert.clone(), b], &x_bar, |[a, b]| matrix::solve(a, b).unwrap());
    small(hilbert.transpose() * &b_bar - x_bar, &b_bar);
    assert_near!(a_bar, -b_bar * x.transpose());
}

#[test]
fn b14_determinant_inverse_and_factors() {
    let a = dual(SYSTEM, D_SYSTEM);
    let det = matrix::det(&a);
    assert!((det.value() - 10.0).abs() < 1e-14 && (det.tangent() - 2.0).abs() < 1e-14);
    assert_near!(tangent!(matrix::inverse(&a).unwrap()), matrix![-0.02, 0.04; 0.01, -0.07]);
    let ln = matrix::ln_abs_det(&a).unwrap();
    assert!((ln.value() - std::f64::consts::LN_10).abs() < 1e-15 && (ln.tangent() - 0.2).abs() < 1e-15);
    let l = matrix::cholesky(&dual(matrix![2.0, 1.0; 1.0, 2.0], matrix![0.1, 0.2; 0.2, -0.3])).unwrap();
    let want = matrix![0.03535533905932738, 0.0; 0.12374369, -0.19391794];
    assert_near!(tangent!(l), want, 1e-7);
}

/// The derivative of a determinant of rank n − 1 is the cofactors, of lower rank zero; the second derivative of rank
/// n − 2 is not.
#[test]
fn b14_determinants_of_singular_matrices() {
    let a = dual(matrix![1.0, 2.0; 2.0, 4.0], Matrix2::identity());
    assert_eq!(matrix::det(&a).tangent(), 5.0);
    for n in [2, 3, 5, 6, 7, 8, 12] {
        for lost in 1..=3.min(n) {
            let entry = |i, j| if i == j && i >= lost { (i + 1) as f64 } else { 0.0 };
            let rest: f64 = (lost..n).map(|i| (i + 1) as f64).product();
            // det(diag(0, …, d) + tI) = t^lost·∏(dᵢ + t)
            let a = DMatrix::from_fn(n, n, |i, j| HyperDual::variable(entry(i, j)) * f64::from(i == j));
            let seeded =
                DMatrix::from_fn(
                    n,
                    n,
                    |i, j| if i == j { HyperDual::variable(entry(i, j)) } else { a[(i, j)] },
                );
            let y = matrix::det(&seeded);
            let second = match lost {
                1 => 2.0 * rest * (lost..n).map(|i| 1.0 / (i + 1) as f64).sum::<f64>(),
                2 => 2.0 * rest,
                _ => 0.0,
            };
            assert_eq!(
                (y.value(), y.e1()),
                (0.0, if lost == 1 { rest } else { 0.0 }),
                "n = {n}, rank {}",
                n - lost
            );
            assert!(
                (y.e12() - second).abs() <= 1e-14 * rest,
                "n = {n}, rank {}: {} {second}",
                n - lost,
                y.e12()
            );
        }
    }
}

#[test]
fn b20_broadcasts() {
    let x = DMatrix::from_element(2, 3, Dual::constant(0.5));
    let b = dual(vector![1.0, 2.0, 3.0], vector![0.1, 0.2, 0.3]);
    let mut y = x.clone();
    y.row_iter_mut().for_each(|mut row| row += b.transpose());
    assert_eq!(tangent!(y), DMatrix::from_fn(2, 3, |_, j| b[j].tangent()));
    let row = DMatrix::from_row_slice(1, 3, b.as_slice()).row(0).into_owned();
    assert_eq!(matrix::broadcast_row(&x, &row, |x, b| x + b), y);
    let inputs = [DMatrix::zeros(2, 3), dense(vector![1.0, 2.0, 3.0])];
    let [_, b] = pull(inputs, &DMatrix::from_element(2, 3, 1.0), |[x, b]| {
        matrix::broadcast_row(x, &b.transpose().row(0).into_owned(), |x, b| x + b)
    });
    assert_eq!(b, dense(vector![2.0, 2.0, 2.0]));
}

#[test]
fn b30_b31_sums_and_means() {
    let x = dual(vector![1.0, 2.0, 3.0], vector![1.0, 10.0, 100.0]);
    assert_eq!((reduce::sum(x.as_slice()).tangent(), x.sum().tangent()), (111.0, 111.0));
    assert_eq!(matrix::sum(&x).tangent(), 111.0);
    assert_eq!(reduce::sum::<Dual<f64>>(&[]), Dual::constant(0.0));
    let x = dual(vector![1.0, 2.0, 4.0], vector![3.0, 0.0, -6.0]);
    assert_eq!((reduce::mean(x.as_slice()).unwrap().tangent(), x.mean().tangent()), (-1.0, -1.0));
    assert_eq!(matrix::mean(&x).unwrap().tangent(), -1.0);
    assert_eq!(reduce::mean::<Dual<f64>>(&[]), Err(AdError::EmptyInput { op: "mean" }));
}

#[test]
fn b32_products_with_zeros() {
    let product = |x: Vector3<f64>, dx: Vector3<f64>| {
        let x = dual(x, dx);
        assert_eq!(reduce::product(x.as_slice()).tangent(), x.product().tangent());
        assert_eq!(matrix::product(&x).tangent(), x.product().tangent());
        x.product().tangent()
    };
    assert_eq!(product(vector![2.0, 0.0, 3.0], vector![1.0, 10.0, 100.0]), 60.0);
    assert_eq!(product(vector![0.0, 0.0, 3.0], vector![1.0, 10.0, 100.0]), 0.0);
    assert_eq!(product(vector![2.0, 3.0, 4.0], vector![1.0, 1.0, 1.0]), 26.0);
    assert_eq!(gradient(reduce::product, &[2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]);
    assert_eq!(gradient(|x| DVector::from_column_slice(x).product(), &[2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]);
    let h = hessian(|x| reduce::product(x.as_slice()), &vector![0.0, 0.0, 3.0]);
    assert_eq!(h, Matrix3::new(0.0, 3.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0));
    let tiny = [1e-200, 1e200, 2.0];
    assert_eq!(gradient(reduce::product, &tiny), [2e200, 1e-200 * 2.0, 1.0]);
}

#[test]
fn b33_extremes_and_norms() {
    assert_eq!(
        gradient(|x| reduce::max(x).unwrap(), &[3.0, 1.0, 3.0, 3.0]),
        [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]
    );
    let want = [0.0900305731703804, 0.2447284710547976, 0.6652409557748219];
    let got = gradient(reduce::logsumexp, &[1.0, 2.0, 3.0]);
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 2e-16));
    assert_eq!(gradient(reduce::logsumexp, &[1000.0, 1000.0]), [0.5, 0.5]);
    assert_eq!(reduce::logsumexp(&[1000.0, 1000.0]), 1000.6931471805599);
    fn norms<T: Real>(x: &[T]) -> [T; 2] {
        [reduce::norm(x), reduce::norm_squared(x)]
    }
    let at_zero = norms(&[Dual::<f64>::variable(0.0), Dual::constant(0.0)]);
    assert_eq!(at_zero.map(|y| (y.value(), y.tangent())), [(0.0, 0.0); 2]);
}

/// The old contents of `C` leave nothing where `β = 0`; `C' = αAB + βC` with all five active.
#[test]
fn c10_c12_products_added_to_what_is_there() {
    let nan = Matrix2::repeat(Dual::new(f64::NAN, f64::NAN));
    let (da, db) = (matrix![0.1, 0.2; 0.3, 0.4], matrix![1.0, 0.0; 0.0, -1.0]);
    let one = Dual::constant(1.0);
    let c = matrix::gemm(one, &dual(A, da), &dual(B, db), Dual::constant(0.0), &nan);
    assert_eq!(c.map(|c| c.value()), A * B);
    assert_near!(tangent!(c), matrix![2.9, 0.2; 7.3, 1.0]);
    let [a, b, c] = [3.0, 5.0, 4.0].map(|x| matrix![Dual::constant(x)]);
    let y = matrix::gemm(Dual::new(2.0, 1.0), &a, &b, Dual::new(0.5, 1.0), &c);
    assert_eq!((y[0].value(), y[0].tangent()), (32.0, 19.0));
    let gradient = gradient(
        |x| {
            let [a, b, c] = [x[1], x[2], x[4]].map(|x| matrix![x]);
            matrix::gemm(x[0], &a, &b, x[3], &c)[0]
        },
        &[2.0, 3.0, 5.0, 0.5, 4.0],
    );
    assert_eq!(gradient, [15.0, 10.0, 6.0, 4.0, 0.5]);
}

/// A matrix that is written a second time passes nothing back to its first contents.
#[test]
fn c11_what_is_overwritten_has_no_influence() {
    let tape = Tape::new();
    let (x, y) = (tape.variables(&[1.0, 2.0]), tape.variables(&[3.0, 4.0]));
    let mut z = DMatrix::from_column_slice(2, 1, &x);
    z.copy_from(&DMatrix::from_fn(2, 1, |i, _| y[i] * y[i]));
    let cotangents = tape.cotangents(z.sum());
    assert_eq!((cotangents.of_all(&x), cotangents.of_all(&y)), (vec![0.0, 0.0], vec![6.0, 8.0]));
}

const I: Complex<f64> = Complex::new(0.0, 1.0);

fn c(re: f64) -> Complex<f64> {
    Complex::new(re, 0.0)
}

/// The cotangents of complex inputs, part by part from tangents.
fn pull_complex(function: Function, x: [Entries; 2], y_bar: &Entries) -> [Entries; 2] {
    [0, 1].map(|input| {
        let mut gradient = &x[input] * c(0.0);
        for (place, unit) in (0..gradient.len()).flat_map(|place| [(place, c(1.0)), (place, I)]) {
            let mut dx = x.clone().map(|x| x * c(0.0));
            dx[input][place] = unit;
            let found =
                routes::forward::<Complex<f64>, Dual<Complex<f64>>>(&function, &x, &dx).expect("a value");
            let (_, _, dy) = found.iter().find(|(_, order, _)| *order == 1).expect("a tangent");
            gradient[place] += unit * y_bar.dotc(dy).re;
        }
        gradient
    })
}

fn assert_close(got: &Entries, want: &Entries) {
    assert!((got - want).norm() < 1e-14 * want.norm(), "got {got}, want {want}");
}

#[test]
fn e27_complex_products_and_systems() {
    let x: Entries = DMatrix::from_row_slice(2, 2, &[c(1.0) + I, c(2.0), c(0.0), I]);
    let y: Entries = DMatrix::from_row_slice(2, 2, &[c(1.0), I, c(2.0), c(1.0) - I]);
    let z_bar: Entries = DMatrix::from_row_slice(2, 2, &[c(1.0), c(0.0), I, c(2.0)]);
    let [x_bar, y_bar] = pull_complex(Function("matmul"), [x.clone(), y], &z_bar);
    assert_close(&x_bar, &DMatrix::from_row_slice(2, 2, &[c(1.0), c(2.0), -I, c(2.0) + I * 4.0]));
    assert_close(&y_bar, &DMatrix::from_row_slice(2, 2, &[c(1.0) - I, c(0.0), c(3.0), I * -2.0]));
    let b: Entries = DMatrix::from_row_slice(2, 1, &[c(1.0), I]);
    let solution = matrix::solve(&x, &b).unwrap();
    assert_close(&solution, &DMatrix::from_row_slice(2, 1, &[c(-0.5) + I * 0.5, c(1.0)]));
    let s_bar: Entries = DMatrix::from_row_slice(2, 1, &[c(1.0), c(2.0) - I]);
    let [a_bar, b_bar] = pull_complex(Function("solve"), [x, b], &s_bar);
    assert_close(&b_bar, &DMatrix::from_row_slice(2, 1, &[c(0.5) + I * 0.5, c(2.0) + I]));
    let want = [I * 0.5, c(-0.5) - I * 0.5, c(0.5) + I * 1.5, c(-2.0) - I];
    assert_close(&a_bar, &DMatrix::from_row_slice(2, 2, &want));
}

/// Factors once computed serve values, tangents and any number of right-hand sides.
#[test]
fn b13_factors_are_kept() {
    let a = dual(SYSTEM, D_SYSTEM);
    let lu = Lu::new(&a).unwrap();
    for b in [vector![1.0, 2.0], vector![-3.0, 0.5]] {
        let b: Vector2<Dual<f64>> = b.map(Dual::constant);
        assert_eq!(lu.solve(&b), matrix::solve(&a, &b).unwrap());
    }
    let spd = dual(matrix![2.0, 1.0; 1.0, 2.0], matrix![0.1, 0.2; 0.2, -0.3]);
    let (cholesky, b) = (Cholesky::new(&spd).unwrap(), vector![1.0, 2.0].map(Dual::constant));
    assert_near!(tangent!(cholesky.solve(&b)), tangent!(matrix::solve(&spd, &b).unwrap()));
    assert!((cholesky.ln_det().tangent() - matrix::ln_abs_det(&spd).unwrap().tangent()).abs() < 1e-15);
}

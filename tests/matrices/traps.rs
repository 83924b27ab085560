//! Where nalgebra's own algorithms on matrices of duals go wrong: a branch on values that are exact at the point
//! (zeros off the diagonal, converged iterations) drops tangents. The functions of `wengert::matrix` are right there;
//! that nalgebra's are not is shown beside it.

use nalgebra::{DMatrix, dmatrix};
use wengert::matrix;
use wengert::{AdError, Dual, HyperDual};

type Dense = DMatrix<f64>;

/// A direction without zeros and symmetries.
fn dense_direction(rows: usize, columns: usize) -> Dense {
    DMatrix::from_fn(rows, columns, |i, j| ((1 + i * 5 + j * 3) as f64).sin())
}

fn dual(a: &Dense, da: &Dense) -> DMatrix<Dual<f64>> {
    a.zip_map(da, Dual::new)
}

/// How far `UΣVᵀ` with its tangents is from `A` with its own, and `UᵀU`, `VᵀV` from constants: zero for a
/// decomposition that has its derivative.
fn residual(
    a: &DMatrix<Dual<f64>>,
    u: &DMatrix<Dual<f64>>,
    values: &[Dual<f64>],
    v_t: &DMatrix<Dual<f64>>,
) -> f64 {
    let scaled = DMatrix::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] * values[j]);
    let size = |x: DMatrix<Dual<f64>>| x.map(|x| x.value()).norm() + x.map(|x| x.tangent()).norm();
    let identity = DMatrix::identity(u.ncols(), u.ncols());
    size(scaled * v_t - a) + size(u.transpose() * u - &identity) + size(v_t * v_t.transpose() - identity)
}

/// Matrices at which an iteration has nothing to do.
fn finished() -> Vec<(&'static str, Dense)> {
    vec![
        ("diagonal", dmatrix![2.0, 0.0; 0.0, 1.0]),
        ("larger diagonal", DMatrix::from_diagonal(&nalgebra::dvector![5.0, 4.0, 3.0, 2.0, 1.0])),
        ("descending and negative", DMatrix::from_diagonal(&nalgebra::dvector![1.0, -4.0, 2.0, -7.0])),
        ("blocks", dmatrix![2.0, 1.0, 0.0, 0.0; 1.0, 3.0, 0.0, 0.0; 0.0, 0.0, 7.0, 1.0; 0.0, 0.0, 2.0, 9.0]),
        (
            "permutation",
            dmatrix![0.0, 3.0, 0.0, 0.0; 0.0, 0.0, 2.0, 0.0; 1.0, 0.0, 0.0, 0.0; 0.0, 0.0, 0.0, 4.0],
        ),
        ("rectangular", dmatrix![2.0, 0.0; 0.0, 1.0; 0.0, 0.0; 0.0, 0.0]),
        ("large", DMatrix::from_fn(9, 9, |i, j| if i == j { 9.0 - i as f64 } else { 0.0 })),
    ]
}

#[test]
fn singular_vectors_of_finished_matrices() {
    for (name, a) in finished() {
        let a = dual(&a, &dense_direction(a.nrows(), a.ncols()));
        let ours = matrix::svd(&a).unwrap();
        let ours = residual(&a, &ours.u, ours.singular_values.as_slice(), &ours.v_t);
        assert!(ours < 1e-13, "{name}: {ours:e}");
        let theirs = a.clone().svd(true, true);
        let theirs =
            residual(&a, &theirs.u.unwrap(), theirs.singular_values.as_slice(), &theirs.v_t.unwrap());
        assert!(theirs.is_nan() || theirs > 0.1, "{name}: nalgebra's own {theirs:e}");
    }
}

/// B14, B14b: `σ̇ = diag(UᵀȦV)`; the vectors of diag(2, 1) turn.
#[test]
fn b14_singular_values() {
    let a = dual(&dmatrix![3.0, 1.0; 1.0, 2.0; 0.0, 1.0], &dmatrix![0.1, 0.0; 0.2, -0.1; 0.3, 0.4]);
    let values = matrix::singular_values(&a).unwrap();
    let (want, slopes) = ([3.65857415, 1.6170452], [0.1997159, -0.01897006]);
    assert!(values.iter().zip(want).all(|(s, w)| (s.value() - w).abs() < 1e-8));
    assert!(values.iter().zip(slopes).all(|(s, w)| (s.tangent() - w).abs() < 1e-7));
    let a = dual(&dmatrix![2.0, 0.0; 0.0, 1.0], &dmatrix![0.0, 1.0; 0.0, 0.0]);
    let du = matrix::svd(&a).unwrap().u.map(|u| u.tangent());
    assert!((du - dmatrix![0.0, -1.0; 1.0, 0.0] / 3.0).norm() < 1e-15);
}

/// Equal singular values and lost rank: an error names the pair, constants pass.
#[test]
fn singular_vectors_that_have_no_derivative() {
    for (a, pair) in [
        (DMatrix::identity(2, 2), (0, 1)),
        (DMatrix::identity(8, 8), (0, 1)),
        (dmatrix![3.0, 0.0, 0.0; 0.0, 2.0, 0.0; 0.0, 0.0, 2.0], (1, 2)),
        (dmatrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0], (1, 2)),
    ] {
        let active = dual(&a, &dense_direction(a.nrows(), a.ncols()));
        let Err(AdError::Degenerate { op, pair: got, gap }) = matrix::svd(&active) else {
            panic!("no error at {a}")
        };
        assert!((op, got) == ("svd", pair) && gap < 1e-14, "{op} {got:?} {gap:e}");
        let constant = matrix::svd(&a.map(Dual::constant)).unwrap();
        assert!(constant.u.iter().all(|u| u.tangent() == 0.0));
    }
}

/// The norm at zero: value and derivative are zero; the normalised vector is an error. nalgebra's own are NaN.
#[test]
fn norms_at_zero() {
    let zero = dual(&DMatrix::zeros(2, 3), &dense_direction(2, 3));
    let norm = matrix::norm(&zero);
    assert_eq!((norm.value(), norm.tangent()), (0.0, 0.0));
    assert_eq!(matrix::normalize(&zero), Err(AdError::Singular { op: "normalize" }));
    assert!(zero.normalize()[0].tangent().is_nan());
    let second = matrix::norm(&DMatrix::from_element(1, 1, HyperDual::variable(-2.0)));
    assert_eq!((second.value(), second.e1(), second.e12()), (2.0, -1.0, 0.0));
}

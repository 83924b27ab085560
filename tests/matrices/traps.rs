//! Points where nalgebra's own algorithms on matrices of duals are wrong: a branch on values that are exact at the
//! point (zeros off the diagonal, converged iterations) drops tangents. The functions of `wengert::matrix` are right
//! there; each test also shows that nalgebra's are not.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
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

/// The distance of `UΣVᵀ` with its tangents from `A` with its tangents, and of `UᵀU`, `VᵀV` from constants. It is
/// zero for a decomposition that has its derivative.
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
        (dmatrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0], (1, 1)),
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

/// Three times the identity plus a matrix of rank 2: its values repeat, so the steps of an algorithm meet exact zeros.
#[test]
fn matrices_of_repeated_values_have_a_pseudo_inverse() {
    let a =
        DMatrix::from_fn(6, 6, |i, j| ((7 * i + 3 * j) as f64 * 0.37).sin() + if i == j { 3.0 } else { 0.0 });
    let a = dual(&a, &dense_direction(6, 6));
    let inverse = matrix::inverse(&a).unwrap();
    let error = |x: DMatrix<Dual<f64>>, expected: &DMatrix<_>| (x - expected).map(|x| x.tangent()).norm();
    let ours = error(matrix::pinv(&a).unwrap(), &inverse);
    assert!(ours < 1e-13, "{ours:e}");
    assert!(error(a.clone().pseudo_inverse(Dual::constant(1e-9)).unwrap(), &inverse) > 1e-4);
    let (q, h) = a.clone().hessenberg().unpack();
    assert!(error(&q * h * q.transpose(), &a) > 0.1);
    let (q, t) = a.clone().schur().unpack();
    assert!(error(&q * t * q.transpose(), &a) > 0.1);
}

/// The norm at zero: value and derivative are zero; the normalised vector is an error. nalgebra's own are NaN.
#[test]
fn norms_at_zero() {
    let zero = dual(&DMatrix::zeros(2, 3), &dense_direction(2, 3));
    let norm = matrix::norm(&zero);
    assert_eq!((norm.value(), norm.tangent()), (0.0, 0.0));
    assert_eq!(matrix::normalize(&zero), Err(AdError::NoDirection { op: "normalize" }));
    assert!(zero.normalize()[0].tangent().is_nan());
    let second = matrix::norm(&DMatrix::from_element(1, 1, HyperDual::variable(-2.0)));
    assert_eq!((second.value(), second.e1(), second.e12()), (2.0, -1.0, 0.0));
}

/// `(A)˙ = (VΛVᵀ)˙` and `(VᵀV)˙ = 0`: how far a decomposition is from that.
fn spectral_residual(a: &DMatrix<Dual<f64>>, values: &DVector<Dual<f64>>, v: &DMatrix<Dual<f64>>) -> f64 {
    residual(a, v, values.as_slice(), &v.transpose())
}

/// Symmetric matrices at which an iteration has nothing to do, or only in blocks; the eigenvalues are distinct.
fn finished_symmetric() -> Vec<(&'static str, Dense)> {
    vec![
        ("diagonal", dmatrix![1.0, 0.0; 0.0, 3.0]),
        ("descending", DMatrix::from_diagonal(&dvector![5.0, -4.0, 3.0, 2.0, 1.0])),
        ("blocks", dmatrix![2.0, 1.0, 0.0, 0.0; 1.0, 2.0, 0.0, 0.0; 0.0, 0.0, 7.0, 1.0; 0.0, 0.0, 1.0, 9.0]),
        ("large", DMatrix::from_fn(9, 9, |i, j| if i == j { 9.0 - i as f64 } else { 0.0 })),
    ]
}

#[test]
fn eigenvectors_of_finished_matrices() {
    for (name, a) in finished_symmetric() {
        let da = dense_direction(a.nrows(), a.nrows());
        let a = dual(&a, &(&da + da.transpose()));
        let ours = matrix::symmetric_eigen(&a).unwrap();
        let ours = spectral_residual(&a, &ours.eigenvalues, &ours.eigenvectors);
        assert!(ours < 1e-13, "{name}: {ours:e}");
        let theirs = a.clone().symmetric_eigen();
        let theirs = spectral_residual(&a, &theirs.eigenvalues, &theirs.eigenvectors);
        assert!(theirs.is_nan() || theirs > 0.1, "{name}: nalgebra's own {theirs:e}");
    }
}

/// Repeated eigenvalues: the vectors are an error that names the pair, the values share the trace of their block, and
/// functions of the matrix have their derivative.
#[test]
fn repeated_eigenvalues() {
    for (a, pair) in [
        (DMatrix::identity(3, 3), (0, 1)),
        (DMatrix::identity(8, 8), (0, 1)),
        (DMatrix::from_diagonal(&dvector![1.0, 4.0, 4.0]), (1, 2)),
    ] {
        let (n, da) = (a.nrows(), dense_direction(a.nrows(), a.nrows()));
        let active = dual(&a, &(&da + da.transpose()));
        let Err(AdError::Degenerate { op, pair: got, gap }) = matrix::symmetric_eigen(&active) else {
            panic!("no error at {a}")
        };
        assert!((op, got) == ("symmetric_eigen", pair) && gap < 1e-14, "{op} {got:?} {gap:e}");
        let Err(AdError::Degenerate { op: "eigen", .. }) = matrix::eigen(&active) else {
            panic!("no error at {a}")
        };
        let values = matrix::symmetric_eigenvalues(&active).unwrap();
        let (trace, slope) = (matrix::trace(&active), values.sum());
        assert!((trace - slope).value().abs() + (trace - slope).tangent().abs() < 1e-13);
        let y = matrix::symmetric_exp(&active).unwrap();
        let other = matrix::expm(&active).unwrap();
        let apart = (&y - other).map(|y| y.value().abs() + y.tangent().abs()).sum();
        assert!(apart < 1e-12 * n as f64 * y.map(|y| y.value()).amax(), "{apart:e}");
    }
}

/// `λ̇ᵢ = (V⁻¹ȦV)ᵢᵢ` at triangular matrices, against the characteristic polynomial: `p(λ) = det(λI − A)` stays zero.
#[test]
fn eigenvalues_of_triangular_matrices() {
    let lower = |n: usize| {
        DMatrix::from_fn(n, n, |i, j| if i < j { 0.0 } else { ((i + 1) * (j + 2)) as f64 / n as f64 })
    };
    for a in [dmatrix![1.0, 0.0; 1.0, 2.0], lower(3), lower(4), lower(3).transpose()] {
        let n = a.nrows();
        let a = dual(&a, &dense_direction(n, n));
        for value in matrix::eigenvalues(&a).unwrap().iter() {
            assert_eq!((value.im.value(), value.im.tangent()), (0.0, 0.0));
            let shifted =
                DMatrix::from_fn(n, n, |i, j| if i == j { value.re - a[(i, j)] } else { -a[(i, j)] });
            let (p, scale) = (matrix::det(&shifted), shifted.map(|x| x.value()).norm().powi(n as i32));
            assert!(p.value().abs() + p.tangent().abs() < 1e-13 * scale, "{p:?} at {value}");
        }
    }
}

/// The pseudo-inverse and the solution of least squares where nothing is left for an iteration to do: against the
/// normal equations, `A⁺ = (AᵀA)⁻¹Aᵀ`.
#[test]
fn least_squares_of_finished_matrices() {
    let size = |x: DMatrix<Dual<f64>>| x.map(|x| x.value()).norm() + x.map(|x| x.tangent()).norm();
    for (name, a) in finished() {
        let a = dual(&a, &dense_direction(a.nrows(), a.ncols()));
        let b = dual(&dense_direction(a.nrows(), 2), &dense_direction(2, a.nrows()).transpose());
        let inverse = matrix::solve(&(a.transpose() * &a), &a.transpose()).unwrap();
        let ours = size(matrix::pinv(&a).unwrap() - &inverse);
        let solution = size(matrix::lstsq(&a, &b).unwrap() - &inverse * &b);
        assert!(ours < 1e-12 && solution < 1e-12, "{name}: {ours:e}, {solution:e}");
    }
}

/// A matrix of lost rank: the pseudo-inverse has a derivative along directions that keep the rank, `(BC)⁺ = C⁺B⁺`.
#[test]
fn pseudo_inverse_of_lost_rank() {
    let size = |x: DMatrix<Dual<f64>>| x.map(|x| x.value()).norm() + x.map(|x| x.tangent()).norm();
    let b = dual(&dmatrix![1.0, 2.0; 0.0, 1.0; 3.0, -1.0; 1.0, 1.0], &dense_direction(4, 2));
    let c = dual(&dmatrix![1.0, 0.0, 2.0; 0.0, 1.0, -1.0], &dense_direction(2, 3).map(|x| 2.0 * x));
    let want = matrix::pinv(&c).unwrap() * matrix::pinv(&b).unwrap();
    let apart = size(matrix::pinv(&(&b * &c)).unwrap() - want);
    assert!(apart < 1e-13, "{apart:e}");
    let lost = matrix::lstsq(&(&b * &c), &b);
    assert!(matches!(lost, Err(AdError::Singular { op: "lstsq" })), "{lost:?}");
}

/// The angle of parallel and opposite vectors is 0 and π, never NaN; the angle of other vectors has its derivative.
#[test]
fn angles_of_parallel_vectors() {
    let (a, da) = (dmatrix![1.0; 2.0; 3.0], dense_direction(3, 1));
    for (factor, want) in [(2.0, 0.0), (-0.5, core::f64::consts::PI)] {
        let angle = matrix::angle_between(&dual(&a, &da), &dual(&(&a * factor), &(&da * factor)));
        assert!((angle.value() - want).abs() < 1e-15 && angle.tangent() == 0.0, "{angle:?}");
    }
    let angle = matrix::angle_between(
        &dual(&dmatrix![1.0; 0.0], &dmatrix![0.0; 0.0]),
        &dual(&dmatrix![0.0; 2.0], &dmatrix![1.0; 0.0]),
    );
    assert!((angle.tangent() + 0.5).abs() < 1e-15, "{angle:?}");
}

/// B14, B14b: `λ̇ = diag(VᵀȦV)`; the vectors of diag(1, 3) turn.
#[test]
fn b14_eigenvalues() {
    let a = dual(&dmatrix![2.0, 1.0; 1.0, 2.0], &dmatrix![0.1, 0.2; 0.2, -0.3]);
    let eigen = matrix::symmetric_eigen(&a).unwrap();
    for values in [eigen.eigenvalues, matrix::symmetric_eigenvalues(&a).unwrap()] {
        assert!((values.map(|x| x.value()) - dvector![1.0, 3.0]).norm() < 1e-14);
        assert!((values.map(|x| x.tangent()) - dvector![-0.3, 0.1]).norm() < 1e-14);
    }
    let a = dual(&dmatrix![1.0, 0.0; 0.0, 3.0], &dmatrix![0.0, 1.0; 1.0, 0.0]);
    let dv = matrix::symmetric_eigen(&a).unwrap().eigenvectors.map(|v| v.tangent());
    assert!((dv - dmatrix![0.0, 0.5; -0.5, 0.0]).norm() < 1e-15);
}

//! Eigenvectors, singular vectors and orthogonal factors: equal and close values, scales, and what is an error.

use nalgebra::{Complex, DMatrix, Matrix3, matrix, vector};
use wengert::matrix::*;
use wengert::{AdError, Dual, Taylor};

#[test]
fn equal_eigenvalues_have_vectors_without_derivatives() {
    for n in [2, 3, 9] {
        let a = DMatrix::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.0 });
        assert!(symmetric_eigen(&a.map(Dual::constant)).is_ok());
        let error = AdError::Degenerate { op: "symmetric_eigen", pair: (0, 1), gap: 0.0 };
        assert_eq!(symmetric_eigen(&a.map(Dual::variable)), Err(error));
    }
}

#[test]
fn pairs_are_decomposed_as_blocks_of_larger_matrices_are() {
    let e = matrix![0.5, -0.4; -0.3, 0.1];
    for a in [matrix![1.0, 0.0; 0.0, 3.0], matrix![2.0, 1.0; 1.0, 1.0], matrix![-1.0, -2.0; -2.0, -1.0]] {
        let twice = |x, t| Dual::new(Dual::new(x, t), Dual::constant(t));
        let small = a.zip_map(&e, twice);
        let block = |i: usize, j: usize| match i.max(j) {
            0 | 1 => small[(i, j)],
            _ => Dual::constant(Dual::constant(if i == j { 50.0 } else { 0.0 })),
        };
        let large = symmetric_eigen(&nalgebra::Matrix3::from_fn(block)).unwrap();
        let small = symmetric_eigen(&small).unwrap();
        let parts = |x: Dual<Dual<f64>>| [x.value().value(), x.tangent().value(), x.tangent().tangent()];
        let close = |x, y| parts(x).iter().zip(parts(y)).all(|(x, y)| (x - y).abs() < 1e-14);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert!(close(small.eigenvectors[(i, j)], large.eigenvectors[(i, j)]), "{a} {i} {j}");
            assert!(close(small.eigenvalues[i], large.eigenvalues[i]));
        }
    }
}

#[test]
fn values_of_any_size_are_decomposed() {
    for scale in [1e-300, 1e-200, 1e200, 1e300] {
        for n in [2, 3, 8] {
            let a = DMatrix::from_fn(n, n, |i, j| (1.0 / (i + j + 1) as f64) * scale);
            let SymmetricEigen { eigenvalues, eigenvectors: v } = symmetric_eigen(&a).unwrap();
            let back = &v * DMatrix::from_diagonal(&(eigenvalues / scale)) * v.transpose();
            assert!((back - a / scale).norm() < 1e-14, "{n} {scale}");
        }
    }
}

#[test]
fn what_is_not_finite_is_an_error() {
    let a = matrix![f64::NAN, 0.0; 0.0, 1.0];
    assert_eq!(symmetric_eigen(&a), Err(AdError::NotFinite { op: "symmetric_eigen" }));
}

#[test]
fn equal_eigenvalues_share_and_have_no_second_derivative() {
    let a = matrix![2.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 2.0];
    let a = a.zip_map(&Matrix3::from_diagonal(&vector![3.0, 1.0, 5.0]), Dual::new);
    let values = symmetric_eigenvalues(&a).unwrap();
    assert_eq!(values.map(|x| x.tangent()), vector![1.0, 4.0, 4.0]);
    let nested = a.map(|x| Dual::new(x, x));
    assert!(matches!(symmetric_eigenvalues(&nested), Err(AdError::Degenerate { pair: (1, 2), .. })));
}

#[test]
fn equal_eigenvalues_of_two_rows_share_too() {
    let a = matrix![1.0, 0.0; 0.0, 1.0].zip_map(&matrix![1.0, 0.0; 0.0, 4.0], Dual::new);
    assert_eq!(symmetric_eigenvalues(&a).unwrap().map(|x| x.tangent()), vector![2.5, 2.5]);
    let text = symmetric_eigenvalues(&a.map(|x| Dual::new(x, x))).unwrap_err().to_string();
    assert!(text.contains("values 0 and 1 are equal to rounding, with difference 0e0"), "{text}");
    assert!(
        text.contains("beyond first order there is no derivative; for an eigenvalue without an equal take"),
        "{text}"
    );
}

/// The lowest eigenvalue of a ring of three, with `t` at one place, and an entry of its vector.
fn lowest<S: Entry>(t: S) -> [S::Re; 2] {
    let (two, off) = (S::constant(2.0), S::constant(-1.0));
    let ring = matrix![two + t, off, off; off, two, off; off, off, two];
    let (value, vector) = symmetric_eigenpair(&ring, 0).unwrap();
    assert_eq!(
        symmetric_eigenpair(&ring, 1).err().map(|e| matches!(e, AdError::Degenerate { pair: (1, 2), .. })),
        Some(true)
    );
    [value, vector[0].real_part()]
}

#[test]
fn a_simple_eigenvalue_beside_equal_ones_has_all_derivatives() {
    // λ = (3 + t − √(9 + 2t + t²))/2; the vector is (1, r, r)/√(1 + 2r²) with r = 1/(1 − λ).
    let exact = |t: Taylor<f64, 4>| {
        let value = (t + 3.0 - (t * (t + 2.0) + 9.0).sqrt()) * 0.5;
        let r = (-value + 1.0).recip();
        [value, (r * r * 2.0 + 1.0).sqrt().recip()]
    };
    let want = exact(Taylor::variable(0.0)).map(|y| y.derivatives());
    let close = |got: f64, want: f64| assert!((got - want).abs() < 4e-15, "{got} {want}");
    let nested = Dual::variable(Dual::variable(Dual::variable(0.0)));
    let (duals, series) = (lowest(nested), lowest(Taylor::<f64, 4>::variable(0.0)));
    let over_complex = lowest(Dual::variable(Dual::variable(Complex::new(0.0, 0.0))));
    for i in 0..2 {
        for (got, want) in series[i].derivatives().into_iter().zip(want[i]) {
            close(got, want);
        }
        let first = duals[i].tangent();
        close(first.value().value(), want[i][0]);
        close(first.tangent().value(), want[i][1]);
        close(first.tangent().tangent(), want[i][2]);
        close(over_complex[i].tangent().tangent(), want[i][1]);
        let h = wengert::hessian(|t| lowest(t[0])[i], &[0.0]);
        close(h[(0, 0)], want[i][1]);
    }
    let equal = nalgebra::Matrix2::<f64>::identity();
    assert_eq!(symmetric_eigenpair(&equal, 1).unwrap().0, 1.0);
    let text = std::panic::catch_unwind(|| symmetric_eigenpair(&equal, 2)).unwrap_err();
    let text = text.downcast::<String>().unwrap();
    assert_eq!(*text, "symmetric_eigenpair: eigenvalue 2 of a matrix of 2 rows");
}

/// Matrices that are not near 1 and not so far that they are divided.
#[test]
fn eigenpairs_have_the_derivatives_of_all_vectors_at_every_size() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut at = |n: usize, exponent: i32, single: bool| {
        let mut symmetric = || {
            let a = DMatrix::from_fn(n, n, |_, _| random.f64() * 2.0 - 1.0);
            (&a + a.transpose()) * 2f64.powi(exponent)
        };
        let (a, da) = (symmetric(), symmetric());
        macro_rules! compare {
            ($F:ty, $limit:expr) => {
                let active = a.zip_map(&da, |a, d| Dual::new(a as $F, d as $F));
                let all = symmetric_eigen(&active).unwrap();
                for index in 0..n {
                    let (value, vector) = symmetric_eigenpair(&active, index).unwrap();
                    let want = all.eigenvectors.column(index).map(|v| v.tangent());
                    let off = (vector.map(|v| v.tangent()) - &want).norm() / (1.0 + want.norm());
                    assert!(off < $limit, "{n} rows, 2^{exponent}, {index}: {off:e}");
                    let of_value = value.tangent() / all.eigenvalues[index].tangent() - 1.0;
                    assert!(of_value.abs() < $limit * 100.0, "{n} rows, 2^{exponent}, {index}: {of_value:e}");
                }
                // Second derivatives, by the bordered matrix.
                let nested =
                    a.zip_map(&da, |a, d| Dual::new(Dual::new(a as $F, d as $F), Dual::constant(d as $F)));
                let all = symmetric_eigen(&nested).unwrap().eigenvectors;
                for index in 0..n {
                    let vector = symmetric_eigenpair(&nested, index).unwrap().1;
                    let second = |v: Dual<Dual<$F>>| v.tangent().tangent();
                    let want = all.column(index).map(second);
                    let off = (vector.map(second) - &want).norm() / (1.0 + want.norm());
                    assert!(off < $limit * 100.0, "{n} rows, 2^{exponent}, {index}, second: {off:e}");
                }
            };
        }
        if single {
            compare!(f32, 1e-3);
        } else {
            compare!(f64, 1e-11);
        }
    };
    for n in [3, 6, 12, 30] {
        [-300, -60, 0, 20, 46, 50, 80, 250, 300].into_iter().for_each(|exponent| at(n, exponent, false));
        [-28, 0, 20, 28].into_iter().for_each(|exponent| at(n, exponent, true));
    }
}

#[test]
fn vectors_without_derivative_are_errors_only_where_there_are_tangents() {
    let equal = nalgebra::Matrix2::<f64>::identity();
    assert_eq!(svd(&equal).unwrap().singular_values.as_slice(), [1.0, 1.0]);
    let active = svd(&equal.map(Dual::variable)).unwrap_err();
    assert_eq!(active, AdError::Degenerate { op: "svd", pair: (0, 1), gap: 0.0 });
    // One zero value of a square matrix is simple; a zero value of a rectangular matrix is not.
    assert!(svd(&matrix![1.0, 0.0; 0.0, 0.0].map(Dual::variable)).is_ok());
    let tall = svd(&matrix![1.0, 0.0; 0.0, 0.0; 0.0, 0.0].map(Dual::variable)).unwrap_err();
    assert_eq!(tall, AdError::Degenerate { op: "svd", pair: (1, 1), gap: 0.0 });
    assert_eq!(tall.to_string(), "svd: value 1 is zero to rounding, 0e0; the vectors have no derivative");
    assert_eq!(svd(&matrix![1.0, f64::NAN]).unwrap_err(), AdError::NotFinite { op: "svd" });
    assert_eq!(svd(&DMatrix::<f64>::zeros(0, 3)).unwrap().u.shape(), (0, 0));
}

#[test]
fn values_close_together_keep_their_digits() {
    let (c, s) = (0.6, 0.8);
    for n in [2, 6] {
        let mut turn = DMatrix::<f64>::identity(n, n);
        (0..n - 1).for_each(|i| {
            let mut step = DMatrix::identity(n, n);
            step.view_mut((i, i), (2, 2)).copy_from(&matrix![c, -s; s, c]);
            turn *= step;
        });
        let values = nalgebra::DVector::from_fn(n, |i, _| 1.0 - i as f64 * 1e-7);
        let a = &turn * DMatrix::from_diagonal(&values) * turn.transpose();
        assert!((svd(&a).unwrap().singular_values - values).norm() < 1e-14);
    }
}

#[test]
fn defective_matrices_have_values_and_no_derivatives() {
    for a in [nalgebra::matrix![1.0, 1.0; 0.0, 1.0], nalgebra::matrix![3.0, 4.0; -1.0, -1.0]] {
        assert!(eigen(&a).is_ok());
        let a = a.map(Dual::variable);
        assert!(matches!(eigen(&a), Err(AdError::Degenerate { pair: (0, 1), .. })));
        assert!(matches!(eigenvalues(&a), Err(AdError::Degenerate { pair: (0, 1), .. })));
    }
}

#[test]
fn scales_and_shapes() {
    // Columns of any scale, a wide matrix, dependent columns.
    let a = matrix![3e-200_f64, 1e200; 4e-200, 2e200];
    let (q, r) = qr(&a).unwrap();
    assert!((q - matrix![0.6, -0.8; 0.8, 0.6]).norm() < 1e-15);
    assert!((r[(0, 0)] / 5e-200 - 1.0).abs() < 1e-15 && (r[(1, 1)] / 4e199 - 1.0).abs() < 1e-14);
    let wide = matrix![3.0, 1.0, 5.0; 4.0, 2.0, 6.0];
    let (q, r) = qr(&wide.map(|a| Dual::new(a, a * a))).unwrap();
    let dr = q.map(|q| q.tangent()) * r.map(|r| r.value()) + q.map(|q| q.value()) * r.map(|r| r.tangent());
    assert!((dr - wide.component_mul(&wide)).norm() < 1e-12 && r[(1, 0)] == 0.0);
    assert_eq!(qr(&matrix![1.0, 2.0; 2.0, 4.0]), Err(AdError::Singular { op: "qr" }));
}

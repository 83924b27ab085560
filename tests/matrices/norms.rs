//! Norms: where singular values are equal or zero, and of complex entries.

use nalgebra::{DMatrix, DefaultAllocator, Dim, Matrix2, Matrix3x2, OMatrix, allocator::Allocator, matrix};
use num_complex::Complex;
use wengert::matrix::{norm, normalize, nuclear_norm, spectral_norm};
use wengert::{AdError, Dual};

type Second = Dual<Dual<f64>>;

/// `A + t·E` to second order.
fn line<R: Dim, C: Dim>(a: OMatrix<f64, R, C>, e: OMatrix<f64, R, C>) -> OMatrix<Second, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.zip_map(&e, |a, e| Dual::new(Dual::new(a, e), Dual::constant(e)))
}
fn orders(y: Second) -> [f64; 3] {
    [y.value().value(), y.tangent().value(), y.tangent().tangent()]
}

#[test]
fn the_nuclear_norm_bends_where_values_are_equal() {
    // |I + tE|₁ = 2√(1 + t²) for the rotation E.
    let turn = matrix![0.0, 1.0; -1.0, 0.0];
    let y = orders(nuclear_norm(&line(Matrix2::identity(), turn)).unwrap());
    assert!(y.iter().zip([2.0, 0.0, 2.0]).all(|(y, w)| (y - w).abs() < 1e-14), "{y:?}");
    let (a, e) = (matrix![1.0, 0.0; 0.0, 1.0; 0.0, 0.0], matrix![0.0, 0.0; 0.0, 0.0; 3.0, 4.0]);
    // The columns grow to the lengths of a matrix with AᵀA = I + t²vvᵀ: 1 + √(1 + 25t²).
    let y = orders(nuclear_norm(&line(a, e)).unwrap());
    assert!(y.iter().zip([2.0, 0.0, 25.0]).all(|(y, w)| (y - w).abs() < 1e-13), "{y:?}");
}

#[test]
fn kinks_have_the_subgradient_of_least_norm_and_no_second_derivative() {
    assert_eq!(spectral_norm(&DMatrix::<f64>::zeros(0, 0)).map(f64::to_bits), Ok(0));
    let zero = Matrix3x2::from_element(Dual::variable(0.0));
    assert_eq!(nuclear_norm(&zero).unwrap(), 0.0);
    assert_eq!(nuclear_norm(&zero).unwrap().tangent(), 0.0);
    assert_eq!(spectral_norm(&zero).unwrap().tangent(), 0.0);
    assert_eq!(norm(&zero.map(Dual::variable)).tangent().tangent(), 0.0);
    let rank_one = matrix![1.0, 0.0; 0.0, 0.0].zip_map(&matrix![2.0, 0.0; 0.0, 5.0], Dual::new);
    assert_eq!(nuclear_norm(&rank_one).unwrap().tangent(), 2.0);
    let nested = line(Matrix2::identity(), Matrix2::identity());
    let text = spectral_norm(&nested).unwrap_err().to_string();
    assert!(text.ends_with("derivatives of this order need distinct nonzero values"), "{text}");
    assert!(matches!(
        nuclear_norm(&line(Matrix2::repeat(1.0), Matrix2::identity())),
        Err(AdError::Singular { .. })
    ));
    assert_eq!(spectral_norm(&DMatrix::<f64>::zeros(0, 3)), Ok(0.0));
}

#[test]
fn complex_entries_have_real_norms() {
    let z = matrix![Complex::new(3e200, 0.0), Complex::new(0.0, 4e200)];
    let size: f64 = norm(&z);
    assert!((size / 5e200 - 1.0).abs() < 1e-15);
    let u = normalize(&z.map(|z| z / 1e300 / 1e100)).unwrap();
    assert!((u[1] - Complex::new(0.0, 0.8)).norm() < 1e-15);
    assert!((spectral_norm(&z).unwrap() / 5e200 - 1.0).abs() < 1e-15);
    assert_eq!(normalize(&matrix![Complex::new(0.0, 0.0)]), Err(AdError::NoDirection { op: "normalize" }));
}

//! Points at which a function of matrices is easily wrong: what underflows, overflows or vanishes in one component.

use nalgebra::{DMatrix, Matrix1, matrix, vector};

use super::{expm, sign_ln_det, solve, sylvester};
use crate::error::AdError;
use crate::forward::Dual;

#[test]
fn the_sign_of_a_determinant_survives_its_underflow() {
    let mut a = DMatrix::from_diagonal_element(400, 400, 0.1);
    a[(7, 7)] = -0.1;
    let (sign, ln): (f64, f64) = sign_ln_det(&a).unwrap();
    assert_eq!(sign, -1.0);
    assert!((ln - 400.0 * 0.1f64.ln()).abs() < 1e-10);
}

#[test]
fn a_factor_that_is_zero_in_its_value_alone_keeps_its_tangents() {
    let constant = |x: f64| Dual::<f64>::constant(x);
    let pair = |x: f64, t: f64| Dual::new(Matrix1::new(constant(x)), Matrix1::new(constant(t)));
    let mut z: Dual<Matrix1<Dual<f64>>> = pair(4.0, 2.0);
    let beta: Dual<Dual<f64>> = Dual::constant(Dual::new(0.0, 1.0));
    z.gemm_into(Dual::constant(constant(1.0)), &pair(3.0, 0.0), &pair(5.0, 0.0), beta);
    assert_eq!((z.value()[0].value(), z.value()[0].tangent()), (15.0, 4.0));
    assert_eq!((z.tangent()[0].value(), z.tangent()[0].tangent()), (0.0, 2.0));
}

#[test]
fn pivots_without_a_reciprocal_are_no_pivots() {
    let a = matrix![1e-310, 0.0; 0.0, 1.0];
    assert_eq!(solve(&a, &vector![1.0, 1.0]), Err(AdError::Singular { op: "solve" }));
    let a = matrix![f64::NAN, 0.0; 0.0, 1.0];
    assert_eq!(solve(&a, &vector![1.0, 1.0]), Err(AdError::Singular { op: "solve" }));
}

#[test]
fn equations_are_singular_to_the_rounding_of_their_entries() {
    let skew = DMatrix::from_fn(5, 5, |i, j| (i as f64 - j as f64) * 0.7);
    let singular = Err(AdError::Singular { op: "sylvester" });
    assert_eq!(sylvester(&skew, &skew, &DMatrix::identity(5, 5)), singular);
    let skew = skew.map(|x| x as f32);
    assert!(sylvester(&skew, &skew, &DMatrix::identity(5, 5)).is_err());
}

#[test]
fn exponentials_of_large_nilpotent_parts_are_finite() {
    assert_eq!(expm(&matrix![0.0, 1e60; 0.0, 0.0]), Ok(matrix![1.0, 1e60; 0.0, 1.0]));
    let y = expm(&matrix![1.0f32, 1e8; 0.0, -1.0]).unwrap();
    assert!((y[(0, 1)] / 1e8 - 1.0f32.sinh()).abs() < 1e-5);
}

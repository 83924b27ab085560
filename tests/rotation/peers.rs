//! nalgebra's own functions on our numbers, where they go wrong and ours do not: the reason for this module. If one of
//! these assertions about nalgebra ever fails, it has become better.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Quaternion, Rotation3, UnitQuaternion, Vector3, Vector6};
use wengert::Dual;
use wengert::matrix::*;

const DELTA: [f64; 3] = [1.0, 2.0, 3.0];

/// `ω = 0` with the tangent `DELTA`.
fn at_zero() -> Vector3<Dual<f64>> {
    Vector3::from(DELTA).map(|d| Dual::new(0.0, d))
}

fn tangent(x: &[Dual<f64>]) -> Vec<f64> {
    x.iter().map(|x| x.tangent()).collect()
}

fn silent(x: &[Dual<f64>]) -> bool {
    x.iter().all(|x| x.tangent() == 0.0)
}

fn lost(x: &[Dual<f64>]) -> bool {
    x.iter().any(|x| !x.tangent().is_finite())
}

#[test]
fn exponentials_at_zero() {
    assert!(silent(UnitQuaternion::from_scaled_axis(at_zero()).coords.as_slice()));
    assert_eq!(tangent(quaternion_from_scaled_axis(&at_zero()).coords.as_slice()), [0.5, 1.0, 1.5, 0.0]);
    assert!(silent(Rotation3::new(at_zero()).matrix().as_slice()));
    assert_eq!(tangent(so3_exp(&at_zero()).matrix().as_slice()), hat(&Vector3::from(DELTA)).as_slice());
    let theirs = Isometry3::new(at_zero(), at_zero());
    assert!(silent(theirs.rotation.coords.as_slice()));
    let [x, y, z] = at_zero().into();
    let ours = se3_exp(&Vector6::new(x, y, z, x, y, z));
    assert_eq!(tangent(ours.rotation.coords.as_slice()), [0.5, 1.0, 1.5, 0.0]);
    assert_eq!(tangent(ours.translation.vector.as_slice()), DELTA);
}

#[test]
fn powers_and_interpolation_at_equal_rotations() {
    let (a, b) = (UnitQuaternion::<Dual<f64>>::identity(), quaternion_from_scaled_axis(&at_zero()));
    let half = Dual::constant(0.5);
    let expected = [0.25, 0.5, 0.75, 0.0];
    assert!(silent(b.powf(half).coords.as_slice()));
    assert_eq!(tangent(quaternion_pow(&b, half).coords.as_slice()), expected);
    assert_ne!(tangent(a.slerp(&b, half).coords.as_slice()), expected);
    assert_eq!(tangent(slerp(&a, &b, half).coords.as_slice()), expected);
}

/// Turned from `start` along `DELTA`.
fn from(start: Vector3<f64>) -> Rotation3<Dual<f64>> {
    Rotation3::from_matrix_unchecked(
        so3_exp(&at_zero()).matrix() * so3_exp(&start).matrix().map(Dual::constant),
    )
}

#[test]
fn logarithms_at_zero() {
    let zero = from(Vector3::zeros());
    assert!(silent(zero.scaled_axis().as_slice()));
    assert_eq!(tangent(so3_log(&zero).as_slice()), DELTA);
    let q = quaternion_from_scaled_axis(&at_zero());
    assert!(silent(q.scaled_axis().as_slice()));
    assert_eq!(tangent(quaternion_to_scaled_axis(&q).as_slice()), DELTA);
}

#[test]
fn logarithms_and_angles_of_tiny_rotations_and_half_turns() {
    for angle in [1e-9, PI - 1e-9, PI] {
        let r = from(Vector3::new(angle, 0.0, 0.0));
        assert!(lost(r.scaled_axis().as_slice()) && lost(&[r.angle()]));
        let w = so3_log(&r);
        let value = w.map(|w| w.value());
        let expected = so3_left_jacobian_inverse(&value) * Vector3::from(DELTA);
        assert!((w.map(|w| w.tangent()) - expected).norm() < 1e-14);
        let expected = value.normalize().dot(&Vector3::from(DELTA));
        assert!((rotation_angle(&r).tangent() - expected).abs() < 1e-14);
        assert!((rotation_angle(&r).value() - angle).abs() < 1e-15);
    }
}

#[test]
fn angles_of_nearly_parallel_vectors() {
    let a = Vector3::new(0.3, 0.4, 1.0).map(Dual::<f64>::constant);
    let b = a + Vector3::y().map(|y: f64| Dual::new(1e-9 * y, y));
    // |a × ḃ|/|a|²
    let slope = 1.09_f64.sqrt() / 1.25;
    assert!((a.angle(&b).value() - 1e-9 * slope).abs() > 1e-8 && (a.angle(&b).tangent() - slope).abs() > 0.5);
    let ours = angle_between(&a, &b);
    assert!((ours.value() - 1e-9 * slope).abs() < 2e-16 && (ours.tangent() - slope).abs() < 1e-6);
}

/// The other statements of the guide about rotations.
#[test]
fn axes_vectors_and_matrices() {
    let t = Dual::new(0.0, 1.0);
    let theirs = Rotation3::from_axis_angle(&Vector3::z_axis(), t);
    assert!(silent(theirs.matrix().as_slice()));
    let ours = so3_exp(&Vector3::z().map(|z: f64| t * z));
    assert_eq!(tangent(ours.matrix().as_slice()), hat(&Vector3::<f64>::z()).as_slice());

    let (a, b) = (Vector3::x(), Vector3::x() + at_zero());
    assert!(silent(UnitQuaternion::rotation_between(&a, &b).unwrap().coords.as_slice()));
    assert!(silent(Rotation3::rotation_between(&a, &b).unwrap().matrix().as_slice()));
    let scalar = a.dot(&b) + (a.norm_squared() * b.norm_squared()).sqrt();
    let ours = normalize_quaternion(&Quaternion::from_parts(scalar, a.cross(&b))).unwrap();
    assert_eq!(tangent(ours.coords.as_slice()), [0.0, -1.5, 1.0, 0.0]);

    let (r, q) = (so3_exp(&at_zero()), quaternion_from_scaled_axis(&at_zero()));
    let half = Dual::constant(0.5);
    assert!(silent(r.powf(half).matrix().as_slice()));
    assert!(silent(Rotation3::identity().slerp(&r, half).matrix().as_slice()));
    assert!(
        silent(q.ln().coords.as_slice()) && silent(Quaternion::from_imag(at_zero()).exp().coords.as_slice())
    );
    assert!(silent(Rotation3::from_matrix(r.matrix()).matrix().as_slice()));
    let mut again = Rotation3::from_matrix_unchecked(*r.matrix());
    again.renormalize();
    assert_eq!(tangent(again.matrix().as_slice()), tangent(r.matrix().as_slice()));
}

/// nalgebra drops the target of a product whose factor is zero, with the derivative of this factor. The end of a line is such
/// a target.
#[test]
fn targets_with_a_zero_factor_are_lost() {
    let (one, t) = (Dual::constant(1.0), Dual::variable(0.0));
    let v = Vector3::new(1.0, 2.0, 3.0).map(Dual::constant);
    let m = v * v.transpose();
    let [mut by_axpy, mut by_axcpy] = [v; 2];
    by_axpy.axpy(one, &v, t);
    by_axcpy.axcpy(one, &v, one, t);
    assert!(silent(by_axpy.as_slice()) && silent(by_axcpy.as_slice()));
    let [mut by_ger, mut by_gemm] = [m; 2];
    by_ger.ger(one, &v, &v, t);
    by_gemm.gemm(one, &m, &m, t);
    assert!(silent(by_ger.as_slice()) && silent(by_gemm.as_slice()));

    let end = Dual::variable(1.0);
    assert_eq!(tangent(v.lerp(&(v * Dual::constant(5.0)), end).as_slice()), [5.0, 10.0, 15.0]);
    let pose = |x: f64| Isometry3::translation(x, 0.0, 0.0).cast::<Dual<f64>>();
    assert_eq!(pose(1.0).lerp_slerp(&pose(5.0), end).translation.x.tangent(), 5.0);
}

//! Angles: smooth between their kinks at 0 and π, with derivative 0 at them.

use std::f64::consts::PI;

use nalgebra::{Vector2, Vector3, dvector};
use wengert::matrix::*;
use wengert::{Dual, Number, gradient, hessian, jacobian};

use super::points::*;

#[test]
fn angles_of_rotations_are_lengths() {
    for axis in axes() {
        for angle in ANGLES.into_iter().filter(|&a| (1e-100..PI - 1e-13).contains(&a)) {
            let w = axis * angle;
            let g = gradient(|w| rotation_angle(&so3_exp(w)), &w);
            assert!((g - axis).norm() < 1e-14, "{angle}: {g}");
            let g = gradient(|w| quaternion_angle(&quaternion_from_scaled_axis(w)), &w);
            assert!((g - axis).norm() < 1e-14, "{angle}: {g}");
            // (I − nnᵀ)/θ
            let h = hessian(|w| rotation_angle(&so3_exp(w)), &w);
            let expected = nalgebra::Matrix3::identity() - axis * axis.transpose();
            assert!((h * angle - expected).norm() < 1e-13 * (1.0 + angle), "{angle}: {h}");
        }
    }
}

#[test]
fn kinks_have_the_derivative_zero() {
    let zero = Vector3::<f64>::zeros();
    assert_eq!(gradient(|w| rotation_angle(&so3_exp(w)), &zero), zero);
    assert_eq!(gradient(|w| quaternion_angle(&quaternion_from_scaled_axis(w)), &zero), zero);
    let h = hessian(|w| rotation_angle(&so3_exp(w)), &zero);
    assert!(h.iter().all(|h| *h == 0.0), "{h}");
    let half_turn = nalgebra::Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0));
    let tangent = hat(&Vector3::new(1.0, 2.0, 3.0)) * half_turn;
    let r = nalgebra::Rotation3::from_matrix_unchecked(half_turn.zip_map(&tangent, Dual::new));
    assert_eq!((rotation_angle(&r).value(), rotation_angle(&r).tangent()), (PI, 0.0));
}

#[test]
fn angles_between_vectors() {
    for angle in ANGLES.into_iter().filter(|&a| (1e-9..PI - 1e-13).contains(&a)) {
        for scale in [1e-170, 1.0, 1e170] {
            let (a, b) = (Vector2::new(2.0, 0.0), Vector2::new(angle.cos(), angle.sin()) * scale);
            let got = angle_between(&a, &b);
            assert!((got - angle).abs() < 4e-16 * (1.0 + angle), "{angle} {got}");
            // Turning a towards b makes the angle less by the arc over the radius; lengths do not matter.
            let j = jacobian(|a| [angle_between(a, &b.map(wengert::DualN::constant))], &a);
            assert!((j[0]).abs() < 1e-14 && (j[1] + 0.5).abs() < 2e-16 / angle + 1e-14, "{angle} {j}");
        }
    }
    // Nearly parallel, of other lengths: the cross product is −3e of |a||b| = 10, and the unit vector (3, −1)/√10.
    for e in [1e-3, 1e-8, 1e-12, 1e-14, 2.0 * f64::EPSILON, f64::EPSILON] {
        let (a, b) = (Vector2::new(1.0, 3.0), Vector2::new(1.0 + e, 3.0));
        let e = b[0] - 1.0;
        for b in [b, b * 1024.0, b * 2f64.powi(-200), -b] {
            let want = if b[0] > 0.0 { (3.0 * e).atan2(10.0 + e) } else { PI - (3.0 * e).atan2(10.0 + e) };
            let got = angle_between(&a, &b);
            assert!((got - want).abs() < 4e-16 * want, "{e} {b}: {got} {want}");
            let g = gradient(|a| angle_between(a, &b.map(wengert::Var::constant)), &a);
            let away = Vector2::new(-0.3, 0.1) * b[0].signum();
            assert!((g - away).norm() < 2e-16, "{e} {b}: {g}");
        }
    }
    // Short vectors, whose minors underflow.
    for (a, b, want, turn) in [
        ([1e-130, 0.0], [1e-130, 1e-250], 1e-120, [0.0, -1e130]),
        ([1e-135, 1e-235], [1e-135, 2e-235], 1e-100, [1e35, -1e135]),
    ] {
        let b = Vector2::from(b);
        let got: f64 = angle_between(&Vector2::from(a), &b);
        let g: Vector2<f64> =
            gradient(|a| angle_between(a, &b.map(wengert::Var::constant)), &Vector2::from(a));
        assert!((got / want - 1.0).abs() < 1e-14 && (g[1] / turn[1] - 1.0).abs() < 1e-14, "{got} {g}");
    }
    let a = dvector![1.0, 2.0, -1.0, 0.5];
    assert_eq!(gradient(|a| angle_between(a, &(a * wengert::Var::constant(2.0))), &a).norm(), 0.0);
    assert_eq!(gradient(|a| angle_between(a, &-a), &a).norm(), 0.0);
    assert_eq!(
        gradient(|x| angle_between(x, &x.map(|_| wengert::Var::constant(1.0))), &(a * 0.0)).norm(),
        0.0
    );
    // Second derivatives: of the angle of (1, y) against the axis, arctan y.
    let y = Dual::variable(Dual::variable(0.5_f64));
    let (zero, one) = (Dual::lit(0.0), Dual::lit(1.0));
    let got = angle_between(&Vector2::new(one, y), &Vector2::new(one, zero));
    assert!((got.tangent().value() - 0.8).abs() < 1e-15);
    assert!((got.tangent().tangent() + 0.64).abs() < 2e-15);
}

#[test]
#[should_panic(expected = "angle_between: the second vector is 3 × 1, expected 2 × 1")]
fn shapes_must_agree() {
    angle_between(&dvector![1.0, 2.0], &dvector![1.0, 2.0, 3.0]);
}

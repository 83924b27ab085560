//! Quaternions: interpolation, powers, lengths, signs.

use std::f64::consts::PI;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use wengert::matrix::*;
use wengert::{AdError, Dual, jacobian};

use super::points::*;

fn lifted(q: &UnitQuaternion<f64>) -> UnitQuaternion<Third> {
    q.cast()
}

fn error(p: &UnitQuaternion<Third>, q: &UnitQuaternion<Third>) -> [f64; 4] {
    differences(p.coords.iter().copied(), q.coords.iter().copied())
}

/// From `a` to `a·exp(δ)` the way is `a·exp(tδ)`: to third order in `δ` and `t`, from equal ones to nearly opposite.
#[test]
fn slerp_goes_along_the_exponential() {
    let a = lifted(&quaternion_from_scaled_axis(&Vector3::new(0.4, -1.3, 0.8)));
    for angle in ANGLES.into_iter().filter(|&a| a < PI - 1e-13) {
        for axis in axes() {
            for t in [-0.5, 0.0, 0.25, 0.5, 1.0, 1.7] {
                let (delta, t) = (directed(axis * angle), third(t, [0.3, -0.2, 0.1]));
                let b = a * quaternion_from_scaled_axis(&delta);
                let expected = a * quaternion_from_scaled_axis(&(delta * t));
                let within = [2e-15, 1e-14, 1e-13, 3e-13];
                assert_close(error(&slerp(&a, &b, t), &expected), within, (axis, angle, t));
                // −b is the same rotation: the way there is the same.
                let opposite = UnitQuaternion::new_unchecked(-b.into_inner());
                assert_close(error(&slerp(&a, &opposite, t), &expected), within, (axis, angle, t));
            }
        }
    }
}

#[test]
fn slerp_ends_where_it_should() {
    let a = quaternion_from_scaled_axis(&Vector3::new(0.4, -1.3, 0.8));
    for b in [Vector3::new(0.1, 0.2, 0.3), Vector3::new(-3.0, 0.2, 0.3), Vector3::new(0.0, 2.0, -2.0)] {
        let b = quaternion_from_scaled_axis(&b);
        let near = if a.coords.dot(&b.coords) < 0.0 { -b.coords } else { b.coords };
        assert!((slerp(&a, &b, 0.0).coords - a.coords).norm() < 1e-15);
        assert!((slerp(&a, &b, 1.0).coords - near).norm() < 1e-15);
        let (there, back): (UnitQuaternion<f64>, _) = (slerp(&a, &b, 0.3), slerp(&b, &a, 0.7));
        assert!((there.coords.dot(&back.coords).abs() - 1.0).abs() < 1e-15);
    }
    // An exact half turn apart: one of the two ways.
    let half = slerp(&a, &(a * quaternion_from_scaled_axis(&Vector3::new(0.0, PI, 0.0))), 0.5);
    assert!((quaternion_angle(&(a.inverse() * half)) - PI / 2.0).abs() < 1e-15);
}

#[test]
fn slerp_turns_at_constant_velocity() {
    let a = quaternion_from_scaled_axis(&Vector3::new(0.4, -1.3, 0.8)).cast::<Dual<f64>>();
    let way = Vector3::new(1.1, 0.3, -2.0);
    let b = a * quaternion_from_scaled_axis(&way.map(Dual::constant));
    for t in [-1.0, 0.0, 0.5, 1.0, 2.0] {
        // q*q̇ = (0, way/2)
        let q = slerp(&a, &b, Dual::variable(t));
        let value = UnitQuaternion::new_unchecked(Quaternion::from_vector(q.coords.map(|q| q.value())));
        let velocity =
            value.conjugate().into_inner() * Quaternion::from_vector(q.coords.map(|q| q.tangent()));
        assert!((velocity.coords.xyz() * 2.0 - way).norm() < 1e-14 && velocity.coords.w.abs() < 1e-15);
    }
}

#[test]
fn powers_multiply_the_scaled_axis() {
    for axis in axes() {
        for angle in ANGLES.into_iter().filter(|&a| a < PI - 1e-13) {
            for t in [-2.0, 0.0, 0.5, 1.0, 3.0] {
                let (w, t) = (directed(axis * angle), third(t, [0.3, -0.2, 0.1]));
                let power = quaternion_pow(&quaternion_from_scaled_axis(&w), t);
                let expected = quaternion_from_scaled_axis(&(w * t));
                assert_close(error(&power, &expected), [3e-15, 2e-14, 1e-13, 5e-13], (axis, angle, t));
            }
        }
    }
}

#[test]
fn either_sign_is_the_same_rotation() {
    for axis in axes() {
        for angle in ANGLES.into_iter().filter(|&a| a < PI - 1e-13) {
            let q = quaternion_from_scaled_axis(&directed(axis * angle));
            let opposite = UnitQuaternion::new_unchecked(-q.into_inner());
            let (w, v) = (quaternion_to_scaled_axis(&q), quaternion_to_scaled_axis(&opposite));
            assert_eq!(differences(w.iter().copied(), v.iter().copied()), [0.0; 4]);
        }
    }
}

/// `I/|q| − qqᵀ/|q|³`, of first and second order by the length that stays.
#[test]
fn normalized_quaternions_keep_their_length_to_second_order() {
    for scale in [1e-160_f64, 1e-3, 1.0, 1e160] {
        let q = Quaternion::new(0.3, -2.0, 1.0, 0.5).coords * scale;
        let j = jacobian(|q| normalize_quaternion(&Quaternion::from_vector(*q)).unwrap().coords, &q);
        let unit: nalgebra::Vector4<f64> = q / scale / (q / scale).norm();
        let length = scale * (q / scale).norm();
        let expected = nalgebra::Matrix4::identity() - unit * unit.transpose();
        assert!((j * length - expected).norm() < 2e-15, "{scale}");
    }
    let q = directed(nalgebra::Vector4::new(0.3, -2.0, 1.0, 0.5));
    let q = normalize_quaternion(&Quaternion::from_vector(q)).unwrap();
    let length = components(q.coords.dot(&q.coords));
    assert!((length[0] - 1.0).abs() < 1e-15 && length[1..].iter().all(|l| l.abs() < 1e-13), "{length:?}");
    for coordinate in [0.0, f64::INFINITY, f64::NAN] {
        let failed = normalize_quaternion(&Quaternion::new(coordinate, 0.0, 0.0, 0.0)).unwrap_err();
        assert_eq!(failed, AdError::NoDirection { op: "normalize_quaternion" });
        assert_eq!(
            failed.to_string(),
            "normalize_quaternion: the vector has no direction, its length is zero or not finite"
        );
    }
}

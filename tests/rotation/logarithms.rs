//! Logarithms: the inverses, to third order, at every angle up to π and across the changes of formula.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Rotation3, Vector3, Vector6};
use wengert::matrix::*;
use wengert::{Real, jacobian};

use super::points::*;

/// At π itself rounding decides on which side the point is.
fn below_pi() -> impl Iterator<Item = (Vector3<f64>, f64)> {
    let angles = ANGLES.into_iter().filter(|&a| a < PI - 1e-13);
    angles.flat_map(|angle| axes().into_iter().map(move |axis| (axis, angle)))
}

#[test]
fn logarithms_invert_exponentials_to_third_order() {
    let mut worst = [0.0_f64; 4];
    for (axis, angle) in below_pi() {
        let w = directed(axis * angle);
        let through_quaternion = quaternion_to_scaled_axis(&quaternion_from_scaled_axis(&w));
        for back in [so3_log(&so3_exp(&w)), through_quaternion] {
            let error = differences(back.iter().copied(), w.iter().copied());
            assert_close(error, [3e-15, 2e-14, 1e-13, 3e-13], (axis, angle));
            worst.iter_mut().zip(error).for_each(|(w, e)| *w = w.max(e));
        }
    }
    println!("largest differences by order: {worst:?}");
}

#[test]
fn logarithms_of_motions_invert_exponentials_to_third_order() {
    for (axis, angle) in below_pi() {
        let w = axis * angle;
        let twist = directed(Vector6::new(0.7, -0.4, 1.1, w.x, w.y, w.z));
        let error = differences(se3_log(&se3_exp(&twist)).iter().copied(), twist.iter().copied());
        assert_close(error, [1e-14, 5e-14, 3e-13, 1e-12], (axis, angle));
    }
}

/// Beyond π the logarithm is the shorter one, `ω(1 − 2π/θ)`.
#[test]
fn logarithms_take_the_shorter_way() {
    for axis in axes() {
        for angle in [PI + 1e-9, PI + 1e-3, 4.0, 5.5] {
            let w = directed(axis * angle);
            let length = w.dot(&w).sqrt();
            let shorter = w * (-(length.recip() * 2.0 * PI) + 1.0);
            for got in [so3_log(&so3_exp(&w)), quaternion_to_scaled_axis(&quaternion_from_scaled_axis(&w))] {
                let error = differences(got.iter().copied(), shorter.iter().copied());
                assert_close(error, [1e-14, 1e-13, 1e-12, 1e-11], (axis, angle));
            }
        }
    }
}

/// Exactly at π: either sign, and the derivatives of that one.
#[test]
fn half_turns_have_finite_derivatives() {
    for diagonal in [[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]] {
        let half_turn = Matrix3::from_diagonal(&Vector3::from(diagonal));
        fn turned<T: Real>(delta: &Vector3<T>, half_turn: &Matrix3<f64>) -> Rotation3<T> {
            Rotation3::from_matrix_unchecked(so3_exp(delta).matrix() * half_turn.map(T::lit))
        }
        let w: Vector3<f64> = so3_log(&Rotation3::from_matrix_unchecked(half_turn));
        assert!((w.norm() - PI).abs() < 1e-15);
        // ω̇ = J⁻¹δ
        let j = jacobian(|delta| so3_log(&turned(delta, &half_turn)), &Vector3::zeros());
        assert!((j - so3_left_jacobian_inverse(&w)).norm() < 1e-14, "{j}");
    }
}

/// The four rows of the quaternion, and the two forms of the logarithm, where one takes over from another.
#[test]
fn formulas_agree_where_they_change() {
    let mut changes = 0;
    for (axis, from, to) in [
        (Vector3::new(1.0, 0.2, 0.1), 0.1, 3.1),
        (Vector3::new(0.1, 1.0, -0.3), 0.1, 3.1),
        (Vector3::new(-0.2, 0.3, 1.0), 0.1, 3.1),
    ] {
        // The trace is overtaken by a diagonal entry where q₀² = qᵢ², seen by bisection.
        let axis = axis.normalize();
        let row = |angle: f64| {
            let r = so3_exp(&(axis * angle));
            r.matrix().trace() >= r.matrix().diagonal().max()
        };
        let (mut low, mut high) = (from, to);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if row(middle) == row(from) { low = middle } else { high = middle }
        }
        changes += usize::from(row(low) != row(high));
        let at = |angle: f64| {
            let r = so3_exp(&directed(axis * angle));
            (quaternion_from_rotation(&r), so3_log(&r))
        };
        let ((q, w), (p, v)) = (at(low), at(high));
        let close = [1e-14, 1e-13, 1e-12, 1e-11];
        assert_close(differences(q.coords.iter().copied(), p.coords.iter().copied()), close, axis);
        assert_close(differences(w.iter().copied(), v.iter().copied()), close, axis);
    }
    assert_eq!(changes, 3);
    // Between diagonal entries: two equal components, near π.
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let mut axis = Vector3::new(0.1, 0.1, 0.1);
        (axis[i], axis[j]) = (1.0, 1.0);
        let at = |e: f64| {
            let mut axis = axis;
            axis[i] += e;
            let r = so3_exp(&directed(axis.normalize() * 3.0));
            (quaternion_from_rotation(&r), so3_log(&r))
        };
        let ((q, w), (p, v)) = (at(1e-14), at(-1e-14));
        let close = [1e-13, 1e-12, 1e-11, 1e-10];
        assert_close(differences(q.coords.iter().copied(), p.coords.iter().copied()), close, axis);
        assert_close(differences(w.iter().copied(), v.iter().copied()), close, axis);
    }
}

/// A matrix that is a rotation but for rounding gives a quaternion of length one all the same.
#[test]
fn rounded_rotations_give_unit_quaternions() {
    for (axis, angle) in below_pi() {
        let r = so3_exp(&(axis * angle)).matrix().map(|x| (x * 1e6).round() / 1e6);
        let q = quaternion_from_rotation(&Rotation3::from_matrix_unchecked(r));
        assert!((q.coords.norm() - 1.0).abs() < 1e-15 && q.coords.w >= 0.0);
    }
}

#[test]
fn cotangents_are_finite_everywhere_and_lie_on_the_group() {
    for axis in axes() {
        for angle in ANGLES {
            let r = so3_exp(&(axis * angle));
            let weights = Vector3::new(0.3, -1.0, 0.7);
            let bar = wengert::gradient(
                |r| so3_log(&Rotation3::from_matrix_unchecked(*r)).dot(&weights.map(wengert::Var::constant)),
                r.matrix(),
            );
            // ⟨R̄, [δ]R⟩ = weights·J⁻¹δ
            let along = vee(&(bar * r.matrix().transpose())) * 2.0;
            let expected = so3_left_jacobian_inverse(&so3_log(&r)).transpose() * weights;
            assert!((along - expected).norm() < 2e-14, "{axis} {angle}: {along} {expected}");
        }
    }
}

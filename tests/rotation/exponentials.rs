//! Exponentials and Jacobians.

use nalgebra::{Matrix3, Matrix4, Matrix6, Vector3, Vector6};
use wengert::matrix::*;
use wengert::{Dual, Real, jacobian};

use super::points::*;

/// `Σ Aᵏ/k!`: the terms grow to e^|A| first, which costs the digits of that factor.
fn series<T: Real>(a: &Matrix4<T>) -> Matrix4<T> {
    let (mut term, mut sum) = (Matrix4::<T>::identity(), Matrix4::<T>::identity());
    for k in 1..60 {
        term = term * a / T::lit(f64::from(k));
        sum += term;
    }
    sum
}

/// `[[ω], ρ; 0, 0]`.
fn generator<T: Real>(twist: &Vector6<T>) -> Matrix4<T> {
    let mut a = Matrix4::<T>::zeros();
    a.fixed_view_mut::<3, 3>(0, 0).copy_from(&hat(&twist.fixed_rows::<3>(3).into_owned()));
    a.fixed_view_mut::<3, 1>(0, 3).copy_from(&twist.fixed_rows::<3>(0));
    a
}

#[test]
fn exponentials_are_their_power_series_to_third_order() {
    let mut worst = [0.0_f64; 4];
    for axis in axes() {
        for angle in ANGLES.into_iter().chain([3.5, 5.0]) {
            let w = axis * angle;
            let twist = directed(Vector6::new(0.7, -0.4, 1.1, w.x, w.y, w.z));
            let expected = series(&generator(&twist));
            let rotation = so3_exp(&twist.fixed_rows::<3>(3).into_owned());
            let motion = se3_exp(&twist);
            let block = expected.fixed_view::<3, 3>(0, 0).into_owned();
            let errors = [
                differences(rotation.matrix().iter().copied(), block.iter().copied()),
                differences(
                    quaternion_to_rotation(&motion.rotation).matrix().iter().copied(),
                    block.iter().copied(),
                ),
                differences(motion.translation.vector.iter().copied(), expected.column(3).iter().copied()),
            ];
            for error in errors {
                assert_close(
                    error,
                    [5e-14, 2e-13, 5e-13, 2e-12].map(|e| e * (angle - 2.0).max(0.0).exp()),
                    w,
                );
                worst.iter_mut().zip(error).for_each(|(w, e)| *w = w.max(e));
            }
        }
    }
    println!("largest differences by order: {worst:?}");
}

#[test]
fn derivatives_at_zero_are_symmetrised_products_of_generators() {
    let zero = directed(Vector3::zeros());
    let [a, b, c] = [0b001, 0b010, 0b100].map(|i| hat(&zero.map(|z| components(z)[i])));
    let r = so3_exp(&zero);
    let part = |i: usize| r.matrix().map(|r| components(r)[i]);
    assert_eq!(part(0), Matrix3::identity());
    assert_eq!([part(1), part(2), part(4)], [a, b, c]);
    assert!((part(3) - (a * b + b * a) / 2.0).norm() < 1e-15);
    assert!((part(5) - (a * c + c * a) / 2.0).norm() < 1e-15);
    let third = (a * b * c + a * c * b + b * a * c + b * c * a + c * a * b + c * b * a) / 6.0;
    assert!((part(7) - third).norm() < 1e-15);
}

#[test]
fn rotations_are_orthogonal_to_the_last_digits() {
    for axis in axes() {
        for angle in ANGLES.into_iter().chain([4.0, 10.0, 1e3]) {
            let r = so3_exp(&(axis * angle));
            assert!((r.matrix() * r.matrix().transpose() - Matrix3::identity()).norm() < 4e-15, "{angle}");
            let q = quaternion_from_scaled_axis(&(axis * angle));
            assert!((q.coords.norm() - 1.0).abs() < 1e-15);
            assert!((r.matrix() - quaternion_to_rotation(&q).matrix()).norm() < 2e-15 * (1.0 + angle));
        }
    }
}

#[test]
fn left_jacobians_are_what_they_say() {
    for axis in axes() {
        for angle in ANGLES.into_iter().chain([4.0, 5.5, 6.2]) {
            let w = axis * angle;
            // Ṙ = [Jω̇]R, column by column
            let j = jacobian(
                |w| {
                    let r = so3_exp(w);
                    vee(&(r.matrix() * r.matrix().map(|r| r.detach()).transpose()))
                },
                &w,
            );
            assert!((j - so3_left_jacobian(&w)).norm() < 2e-14, "{w}");
            // The right Jacobian is the transpose, and J(ω) = R·J(ω)ᵀ.
            let r = so3_exp(&w);
            assert!((so3_left_jacobian(&w) - r * so3_left_jacobian(&w).transpose()).norm() < 4e-15);
            assert!((so3_left_jacobian(&-w) - so3_left_jacobian(&w).transpose()).norm() == 0.0);
            let inverse = so3_left_jacobian_inverse(&w);
            let scale = inverse.norm();
            assert!(
                (so3_left_jacobian(&w) * inverse - Matrix3::identity()).norm() < 4e-15 * scale * scale,
                "{w}"
            );
        }
    }
}

#[test]
fn inverse_jacobian_has_its_derivatives() {
    for axis in axes() {
        for angle in ANGLES.into_iter().chain([4.0, 5.5]) {
            let w = directed(axis * angle);
            let product = so3_left_jacobian(&w) * so3_left_jacobian_inverse(&w);
            let error = differences(product.iter().copied(), Matrix3::identity().iter().copied());
            assert_close(error, [1e-13, 1e-12, 1e-11, 1e-10], (axis, angle));
        }
    }
}

/// `Ad = [R, [t]R; 0, R]` on `(ρ, ω)`: `m·exp(ξ)·m⁻¹ = exp(Ad ξ)`.
#[test]
fn adjoint_action_commutes_with_the_exponential() {
    for angle in ANGLES {
        let m = se3_exp(&Vector6::new(0.5, -1.0, 2.0, 0.3, 0.9, -0.4));
        let r = quaternion_to_rotation(&m.rotation);
        let mut adjoint = Matrix6::zeros();
        for (i, j, block) in
            [(0, 0, *r.matrix()), (3, 3, *r.matrix()), (0, 3, hat(&m.translation.vector) * r.matrix())]
        {
            adjoint.fixed_view_mut::<3, 3>(i, j).copy_from(&block);
        }
        let w = axes()[4] * angle;
        let xi = Vector6::new(0.7, -0.4, 1.1, w.x, w.y, w.z).map(|x| Dual::new(x, (9.0 * x).cos()));
        let m = m.cast::<Dual<f64>>();
        let (left, right) = (m * se3_exp(&xi) * m.inverse(), se3_exp(&(adjoint.cast::<Dual<f64>>() * xi)));
        let difference = left.to_homogeneous() - right.to_homogeneous();
        assert!(
            difference.iter().all(|d| d.value().abs() < 1e-14 && d.tangent().abs() < 3e-14),
            "{difference}"
        );
    }
}

#[test]
fn constants_stay_constants() {
    let zero = Vector3::zeros().map(Dual::<f64>::constant);
    assert!(so3_exp(&zero).matrix().iter().all(|r| r.tangent() == 0.0));
    assert!(quaternion_from_scaled_axis(&zero).coords.iter().all(|q| q.tangent() == 0.0));
    assert!(so3_log(&so3_exp(&zero)).iter().all(|r| r.tangent() == 0.0));
}

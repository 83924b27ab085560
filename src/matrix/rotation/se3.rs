//! SE(3): rigid motions.

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};

use super::coefficients::{cotangent_coefficient, square, stumpff_pair};
use super::{quaternion_from_scaled_axis, quaternion_to_scaled_axis};
use crate::number::Real;

/// `(I + a[ω] + b[ω]²)p`.
fn rodrigues_product<T: Real>(a: T, b: T, w: &Vector3<T>, p: &Vector3<T>) -> Vector3<T> {
    let turned = w.cross(p);
    p + turned * a + w.cross(&turned) * b
}

/// The rigid motion of a twist `(ρ, ω)`, the exponential of `[[ω], ρ; 0, 0]`: rotation `exp[ω]`, translation
/// `J·ρ` with the [left Jacobian](super::so3_left_jacobian) `J = I + c₂[ω] + c₃[ω]²`.
///
/// At zero the tangent equals the tangent of the argument: translation `ρ̇`, rotation `ω̇`.
///
/// ```
/// use nalgebra::{Vector3, Vector6};
/// use wengert::{Dual, matrix::se3_exp};
/// // A quarter turn about z while moving along x: a quarter of a circle of radius 2/π.
/// let m = se3_exp(&Vector6::new(1.0, 0.0, 0.0, 0.0, 0.0, std::f64::consts::FRAC_PI_2));
/// let radius = std::f64::consts::FRAC_2_PI;
/// assert!((m.translation.vector - Vector3::new(radius, radius, 0.0)).norm() < 1e-15);
/// // At zero nalgebra's Isometry3::new returns a constant rotation.
/// let m = se3_exp(&Vector6::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0).map(|d| Dual::new(0.0, d)));
/// assert_eq!(m.translation.vector.map(|t| t.tangent()), Vector3::new(1.0, 2.0, 3.0));
/// assert_eq!(m.rotation.coords.xyz().map(|t| t.tangent()), Vector3::new(2.0, 2.5, 3.0));
/// ```
#[track_caller]
pub fn se3_exp<T: Real>(twist: &Vector6<T>) -> Isometry3<T> {
    T::demand_recordable(&[twist.as_slice()]);
    let [x, y, z, wx, wy, wz] = (*twist).into();
    let (rho, w) = (Vector3::new(x, y, z), Vector3::new(wx, wy, wz));
    let (a, b) = stumpff_pair(2, square([wx, wy, wz]));
    let vector = rodrigues_product(a, b, &w, &rho);
    Isometry3 { rotation: quaternion_from_scaled_axis(&w), translation: Translation3 { vector } }
}

/// The twist `(ρ, ω)` of a rigid motion, `|ω| ≤ π`: the inverse of [`se3_exp`]. `ρ = J⁻¹t` for the translation `t`, with
/// the [inverse of the left Jacobian](super::so3_left_jacobian_inverse).
///
/// It jumps at the angle π, as the logarithm of the rotation does.
///
/// ```
/// use nalgebra::Vector6;
/// use wengert::{jacobian, matrix::{se3_exp, se3_log}};
/// for twist in [Vector6::zeros(), Vector6::new(1.0, -2.0, 0.5, 0.2, 3.0, -0.4)] {
///     let identity = jacobian(|t| se3_log(&se3_exp(&t)), &twist);
///     assert!((identity - nalgebra::Matrix6::identity()).norm() < 1e-13);
/// }
/// ```
#[track_caller]
pub fn se3_log<T: Real>(motion: &Isometry3<T>) -> Vector6<T> {
    T::demand_recordable(&[motion.rotation.coords.as_slice(), motion.translation.vector.as_slice()]);
    let w = quaternion_to_scaled_axis(&motion.rotation);
    let d = cotangent_coefficient(square([w.x, w.y, w.z]));
    let rho = rodrigues_product(T::lit(-0.5), d, &w, &motion.translation.vector);
    Vector6::new(rho.x, rho.y, rho.z, w.x, w.y, w.z)
}

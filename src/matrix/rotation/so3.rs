//! SO(3) as matrices.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::coefficients::{axis_factor, base, cotangent_coefficient, square, stumpff_pair};
use super::quaternion::quaternion_along;
use super::rodrigues::rodrigues;
use crate::number::Real;

/// The matrix `[ω]` of the cross product, `[ω]x = ω × x`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::matrix::{hat, vee};
/// let (w, x) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1.0, 0.5, 4.0));
/// assert_eq!(hat(&w) * x, w.cross(&x));
/// assert_eq!(vee(&hat(&w)), w);
/// ```
pub fn hat<T: Real>(w: &Vector3<T>) -> Matrix3<T> {
    let ([x, y, z], o) = ([w.x, w.y, w.z], T::lit(0.0));
    Matrix3::new(o, -z, y, z, o, -x, -y, x, o)
}

/// The vector `ω` of the skew part `[ω] = (A − Aᵀ)/2`: the inverse of [`hat`].
/// ```
/// use nalgebra::{Vector3, matrix};
/// // The symmetric part does not count.
/// let a = matrix![9.0, -1.0, 2.0; 5.0, 9.0, -3.0; -2.0, 3.0, 9.0];
/// assert_eq!(wengert::matrix::vee(&a), Vector3::new(3.0, 2.0, 3.0));
/// ```
#[track_caller]
pub fn vee<T: Real>(a: &Matrix3<T>) -> Vector3<T> {
    T::demand_recordable(&[a.as_slice()]);
    let half = |i, j| (a[(i, j)] - a[(j, i)]) * base::<T>(0.5);
    Vector3::new(half(2, 1), half(0, 2), half(1, 0))
}

/// The rotation by a scaled axis, `R = exp[ω] = I + c₁[ω] + c₂[ω]²` (Rodrigues), `c₁ = sin θ/θ`,
/// `c₂ = (1 − cos θ)/θ²`, `θ = |ω|`.
///
/// `Ṙ = [J ω̇]·R`, `ω̄ = 2Jᵀ·vee(R̄Rᵀ)` with the [left Jacobian](so3_left_jacobian) `J`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{Dual, matrix::{hat, so3_exp}};
/// // At zero dR = [δ]; nalgebra's function returns a constant there.
/// let delta = Vector3::new(1.0, 2.0, 3.0);
/// let r = so3_exp(&delta.map(|d| Dual::new(0.0, d)));
/// assert_eq!(r.matrix().map(|r| r.tangent()), hat(&delta));
/// ```
#[track_caller]
pub fn so3_exp<T: Real>(w: &Vector3<T>) -> Rotation3<T> {
    T::demand_recordable(&[w.as_slice()]);
    let (a, b) = stumpff_pair(1, square([w.x, w.y, w.z]));
    Rotation3::from_matrix_unchecked(rodrigues(a, b, w))
}

/// The scaled axis of a rotation, of length `≤ π`: the inverse of [`so3_exp`].
///
/// `ω̇ = J⁻¹·vee(ṘRᵀ)` with the [left Jacobian](so3_left_jacobian) `J` at `ω`. At the angle π there are two
/// solutions, `±ω`; the logarithm jumps between them, and its derivatives are the derivatives of the one that is
/// returned.
///
/// It is computed from a quaternion, which is, up to a factor, a row of `4qqᵀ`, whose entries are linear in the
/// entries of `R`: S. W. Shepperd, *Quaternion from rotation matrix*, J. Guidance and Control 1 (1978).
///
/// ```
/// use nalgebra::{Rotation3, Vector3};
/// use wengert::{jacobian, matrix::{so3_exp, so3_log}};
/// for w in [[0.0, 0.0, 0.0], [1e-9, 2e-9, 0.0], [0.3, -0.4, 2.0], [0.0, 3.14159, 0.0]] {
///     let identity = jacobian(|w| so3_log(&so3_exp(&w)), &Vector3::from(w));
///     assert!((identity - nalgebra::Matrix3::identity()).norm() < 1e-9);
/// }
/// ```
#[track_caller]
pub fn so3_log<T: Real>(r: &Rotation3<T>) -> Vector3<T> {
    T::demand_recordable(&[r.matrix().as_slice()]);
    let [w, v @ ..] = quaternion_along(r.matrix());
    Vector3::from(v) * axis_factor(w, square(v))
}

/// The left Jacobian of SO(3), `J = I + c₂[ω] + c₃[ω]²`, `c₂ = (1 − cos θ)/θ²`, `c₃ = (θ − sin θ)/θ³`: then
/// `exp[ω + ω̇ dt] = exp[J ω̇ dt]·exp[ω]`. The right Jacobian is its transpose, which is the left Jacobian of `−ω`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::matrix::{so3_exp, so3_left_jacobian};
/// let w = Vector3::new(0.3, -0.2, 0.5);
/// // J(ω)·ω = ω, and J(ω) = R·J(−ω)
/// assert!((so3_left_jacobian(&w) * w - w).norm() < 1e-15);
/// assert!((so3_left_jacobian(&w) - so3_exp(&w) * so3_left_jacobian(&-w)).norm() < 1e-15);
/// ```
#[track_caller]
pub fn so3_left_jacobian<T: Real>(w: &Vector3<T>) -> Matrix3<T> {
    T::demand_recordable(&[w.as_slice()]);
    let (a, b) = stumpff_pair(2, square([w.x, w.y, w.z]));
    rodrigues(a, b, w)
}

/// The inverse of the left Jacobian, `J⁻¹ = I − ½[ω] + d[ω]²`, `d = (1 − (θ/2)·cot(θ/2))/θ² = (c₃ − 2c₄)/(2c₂)`. It
/// has poles at the angles `2π, 4π, …`, where `J` is singular. Near the first its error is `ε·2π/(2π − θ)` relative to
/// its size, because it is a function of the rounded `θ²`; use shorter vectors beyond it.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use wengert::matrix::{so3_left_jacobian, so3_left_jacobian_inverse};
/// let w = Vector3::new(0.3, -0.2, 2.5);
/// let product = so3_left_jacobian(&w) * so3_left_jacobian_inverse(&w);
/// assert!((product - Matrix3::identity()).norm() < 1e-14);
/// ```
#[track_caller]
pub fn so3_left_jacobian_inverse<T: Real>(w: &Vector3<T>) -> Matrix3<T> {
    T::demand_recordable(&[w.as_slice()]);
    rodrigues(T::lit(-0.5), cotangent_coefficient(square([w.x, w.y, w.z])), w)
}

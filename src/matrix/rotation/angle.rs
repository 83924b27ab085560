//! Angles. They are not smooth at zero.

use nalgebra::{DefaultAllocator, Dim, OMatrix, Rotation3, UnitQuaternion, allocator::Allocator};
use num_traits::Float;

use super::quaternion::{parts, quaternion_along};
use crate::matrix::shapes::demand;
use crate::number::Real;
use crate::reduce::norm;

/// `2·atan2(|v|, |w|)` of the quaternion `(w, v)` of any length.
fn angle<T: Real>([w, v @ ..]: [T; 4]) -> T {
    let half = norm(&v).atan2(w.abs());
    half + half
}

/// The angle of a rotation, in `[0, π]`: `θ = |log R|`, `θ̇ = n·vee(ṘRᵀ)` for the unit axis `n`.
///
/// The angle has kinks at zero and at π; its derivatives are 0 at both, as for [`norm`] at the origin and for `|x|`, and so
/// are second derivatives of its square. `θ²` with all derivatives at zero is the sum of squares of
/// [`so3_log`](super::so3_log).
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{derivative, matrix::{rotation_angle, so3_exp}};
/// for (angle, expected) in [(1e-9_f64, 1.0_f64), (3.0, 1.0), (3.2, -1.0), (0.0, 0.0)] {
///     let slope = derivative(|t| rotation_angle(&so3_exp(&(Vector3::x() * t))), angle);
///     assert!((slope - expected).abs() < 1e-14);
/// }
/// ```
#[track_caller]
pub fn rotation_angle<T: Real>(r: &Rotation3<T>) -> T {
    T::demand_recordable(&[r.matrix().as_slice()]);
    angle(quaternion_along(r.matrix()))
}

/// The angle of the rotation of a quaternion, in `[0, π]` (the same for `q` and `−q`): `2·atan2(|v|, |w|)`; with the
/// kinks of [`rotation_angle`].
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::matrix::{quaternion_angle, quaternion_from_scaled_axis};
/// let q = quaternion_from_scaled_axis(&Vector3::new(0.0, 3e-9_f64, 4e-9));
/// assert!((quaternion_angle(&q) - 5e-9).abs() < 1e-24);
/// ```
#[track_caller]
pub fn quaternion_angle<T: Real>(q: &UnitQuaternion<T>) -> T {
    T::demand_recordable(&[q.coords.as_slice()]);
    angle(parts(q))
}

/// The angle between two vectors (or matrices, as vectors of their entries), in `[0, π]`.
///
/// For up to four entries, and lengths between about 1e-77 and 1e77, it is `atan2(|m|, a·b)` with the minors `aᵢbⱼ − aⱼbᵢ`.
/// Each minor is rounded about once, so the angle of nearly parallel vectors keeps its digits. Elsewhere it is `2·atan2(|â −
/// b̂|, |â + b̂|)` of the unit vectors, with an absolute error of about ε (W. Kahan, *How futile are mindless assessments of
/// roundoff*, 2006). `arccos(â·b̂)` would lose half of the digits.
///
/// The derivative along `ȧ` is `−u·ȧ/|a|`, with the unit vector `u` normal to `a` in their plane, towards `b`. At
/// parallel and opposite vectors, which are kinks, the derivatives are 0, and so are second derivatives of `θ²` and `(θ − π)²`;
/// `2(1 ∓ a·b/(|a||b|))` equals these to second order and is smooth there. The angle with a zero vector is the constant 0.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::Vector2;
/// use wengert::{Dual, matrix::angle_between};
/// let a = Vector2::new(Dual::new(2.0, 0.0), Dual::new(0.0, 1.0)); // turns at 1/2 towards b
/// let b = Vector2::new(0.0, 3.0).map(Dual::constant);
/// let angle = angle_between(&a, &b);
/// assert!((angle.value() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// assert!((angle.tangent() + 0.5).abs() < 1e-15);
/// assert_eq!(angle_between(&a, &a).tangent(), 0.0);
/// ```
#[track_caller]
pub fn angle_between<T: Real, R: Dim, C: Dim>(a: &OMatrix<T, R, C>, b: &OMatrix<T, R, C>) -> T
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("angle_between", "second vector", a.shape(), b.shape());
    T::demand_recordable(&[a.as_slice(), b.as_slice()]);
    let (length_a, length_b) = (norm(a.as_slice()), norm(b.as_slice()));
    if length_a.is_zero() || length_b.is_zero() {
        return T::lit(0.0);
    }
    // Products of entries, and of minors, stay in the range.
    let least = Float::sqrt(Float::sqrt(T::Base::min_positive_value()));
    let [least, most] = [least, least.recip()].map(T::base);
    let is_moderate = |length: T| length > least && length < most;
    if a.len() <= 4 && is_moderate(length_a) && is_moderate(length_b) {
        let (a, b) = (a.as_slice(), b.as_slice());
        return norm(&minors(a, b)).atan2(T::dot(a, b));
    }
    let (a, b) = (a.map(|x| x / length_a), b.map(|x| x / length_b));
    let half = norm((&a - &b).as_slice()).atan2(norm((a + b).as_slice()));
    half + half
}

/// `aᵢbⱼ − aⱼbᵢ` of at most four entries. The rounding error of one product is added to the difference, so it is 0 for
/// parallel vectors (W. Kahan, *On the cost of floating-point computation without extra-precise arithmetic*, 2004).
fn minors<T: Real>(a: &[T], b: &[T]) -> [T; 6] {
    let mut minors = [T::lit(0.0); 6];
    let pairs = (0..a.len()).flat_map(|i| (i + 1..a.len()).map(move |j| (i, j)));
    for (minor, (i, j)) in minors.iter_mut().zip(pairs) {
        let product = a[j] * b[i];
        let error = (-a[j]).mul_add(b[i], product);
        *minor = a[i].mul_add(b[j], -product) + error;
    }
    minors
}

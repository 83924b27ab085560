//! Unit quaternions.

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use super::coefficients::{axis_factor, base, square, stumpff_pair};
use crate::error::AdError;
use crate::matrix::normalize;
use crate::matrix::operation::{always, of_reals, operation};
use crate::number::Real;

/// A quaternion in parts, `[w, x, y, z]`.
pub(crate) type Parts<T> = [T; 4];

/// The parts of a quaternion.
#[inline]
pub(crate) fn parts<T: Real>(q: &Quaternion<T>) -> Parts<T> {
    [q.coords.w, q.coords.x, q.coords.y, q.coords.z]
}

/// The quaternion of these parts, whose length is 1.
#[inline]
pub(crate) fn unit<T: Real>([w, x, y, z]: Parts<T>) -> UnitQuaternion<T> {
    UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
}

/// Hamilton's product.
#[inline]
pub(crate) fn hamilton<T: Real>([a, b, c, d]: Parts<T>, [w, x, y, z]: Parts<T>) -> Parts<T> {
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}

/// `(c₀(s/4), ½c₁(s/4)·ω)`, `s = |ω|²`.
#[inline]
fn exp<T: Real>([x, y, z]: [T; 3]) -> Parts<T> {
    let (cosine, sine) = stumpff_pair(0, square([x, y, z]) * base::<T>(0.25));
    let half = sine * base::<T>(0.5);
    [cosine, half * x, half * y, half * z]
}

/// The scaled axis of a quaternion of any length; of several possible ones the shortest.
#[inline]
pub(super) fn log<T: Real>([w, v @ ..]: Parts<T>) -> [T; 3] {
    let factor = axis_factor(w, square(v));
    v.map(|v| v * factor)
}

/// The unit quaternion of the rotation by a scaled axis: `q = (cos(θ/2), sin(θ/2)/θ·ω)`, `θ = |ω|`.
///
/// `q̇ = ½(0, J ω̇)·q` with the [left Jacobian](super::so3_left_jacobian) `J`. The real part is negative for
/// `π < θ < 3π`: the result is a smooth function of `ω`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{Dual, matrix::quaternion_from_scaled_axis};
/// // At zero q̇ = ω̇/2; nalgebra's function returns a constant there.
/// let axis = Vector3::new(1.0, 2.0, 3.0).map(|d| Dual::new(0.0, d));
/// let q = quaternion_from_scaled_axis(&axis);
/// assert_eq!(q.coords.map(|q| q.tangent()).as_slice(), [0.5, 1.0, 1.5, 0.0]);
/// ```
#[track_caller]
pub fn quaternion_from_scaled_axis<T: Real>(w: &Vector3<T>) -> UnitQuaternion<T> {
    T::demand_recordable(&[w.as_slice()]);
    unit(exp([w.x, w.y, w.z]))
}

/// The scaled axis of the rotation of a quaternion, of length `≤ π`, the same for `q` and `−q`:
/// `ω = ±2·atan2(|v|, ±w)/|v|·v` for `q = (w, v)`, near zero `(2/w)·(1 − |v|²/(3w²) + …)·v`.
///
/// `ω̇ = 2J⁻¹·v̇′` for `q̇q* = (0, v̇′)`, with the [left Jacobian](super::so3_left_jacobian) `J` at `ω`. At `w = 0`,
/// where the angle is π, it jumps between `±ω`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{Dual, matrix::{quaternion_from_scaled_axis, quaternion_to_scaled_axis}};
/// for w in [Vector3::zeros(), Vector3::new(0.3, -0.2, 3.1)] {
///     let w = w.map(|w: f64| Dual::new(w, 1.0));
///     let back = quaternion_to_scaled_axis(&quaternion_from_scaled_axis(&w));
///     let error = back - w;
///     assert!(error.iter().all(|e| e.value().abs() < 1e-15 && e.tangent().abs() < 1e-14));
/// }
/// ```
#[track_caller]
pub fn quaternion_to_scaled_axis<T: Real>(q: &UnitQuaternion<T>) -> Vector3<T> {
    T::demand_recordable(&[q.coords.as_slice()]);
    Vector3::from(log(parts(q)))
}

/// The unit quaternion `q/|q|`; `ẏ = (q̇ − y(y·q̇))/|q|`, `q̄ = (ȳ − y(y·ȳ))/|q|`.
///
/// # Errors
/// [`AdError::NoDirection`] if all parts are zero, or one is not finite. A length beyond the range of the float is no error.
///
/// ```
/// use nalgebra::Quaternion;
/// use wengert::{Dual, matrix::normalize_quaternion};
/// let q = Quaternion::new(3.0, 0.0, 4.0, 0.0);
/// let tangent = Quaternion::new(5.0, 10.0, 0.0, 0.0);
/// let x = Quaternion::from_vector(q.coords.zip_map(&tangent.coords, Dual::new));
/// let y = normalize_quaternion(&x)?;
/// let expected = Quaternion::new(0.64, 2.0, -0.48, 0.0);
/// assert!((y.coords.map(|y| y.tangent()) - expected.coords).norm() < 1e-15);
/// assert!(normalize_quaternion(&Quaternion::new(0.0, 0.0, 0.0, 0.0)).is_err());
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn normalize_quaternion<T: Real>(q: &Quaternion<T>) -> Result<UnitQuaternion<T>, AdError> {
    T::demand_recordable(&[q.coords.as_slice()]);
    match normalize(&q.coords) {
        Ok(coordinates) => Ok(UnitQuaternion::new_unchecked(coordinates.into())),
        Err(_) => Err(AdError::NoDirection { op: "normalize_quaternion" }),
    }
}

/// The quaternion of a rotation matrix, with a real part `≥ 0`.
///
/// It is the row of `4qqᵀ` with the largest diagonal entry, divided by its length (S. W. Shepperd, *Quaternion from
/// rotation matrix*, 1978). The entries are linear in the entries of `R`, and the length is at least 1, so each of the four
/// cases is smooth; on SO(3) they agree with all their derivatives.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::matrix::{quaternion_from_rotation, quaternion_to_rotation, so3_exp};
/// let r = so3_exp(&Vector3::new(0.3, -2.0, 1.5));
/// let q = quaternion_from_rotation(&r);
/// assert!((quaternion_to_rotation(&q).matrix() - r.matrix()).norm() < 1e-15);
/// ```
#[track_caller]
pub fn quaternion_from_rotation<T: Real>(r: &Rotation3<T>) -> UnitQuaternion<T> {
    T::demand_recordable(&[r.matrix().as_slice()]);
    let row = quaternion_along(r.matrix());
    let length = square(row).sqrt();
    unit(row.map(|x| x / length))
}

/// The row of `4qqᵀ` with the largest diagonal entry: a multiple of the `q` with a real part `≥ 0` by at least 2.
pub(super) fn quaternion_along<T: Real>(r: &Matrix3<T>) -> Parts<T> {
    if T::TRACED {
        let y = operation!("quaternion of a rotation", [r] => {
            of_reals(&quaternion_along(&Matrix3::from_fn(|i, j| r[(i, j)].real_part())))
        });
        let y = always(y);
        return [y[0], y[1], y[2], y[3]];
    }
    let diagonal = [0, 1, 2].map(|i| r[(i, i)]);
    let [x, y, z] = diagonal;
    let trace = x + y + z;
    let (sum, difference) = (|i, j| r[(i, j)] + r[(j, i)], |i, j| r[(i, j)] - r[(j, i)]);
    let one = base::<T>(1.0);
    let largest = (0..3).fold(None, |largest: Option<usize>, i| {
        let best = largest.map_or(trace, |l| diagonal[l]);
        if diagonal[i].primal() > best.primal() { Some(i) } else { largest }
    });
    let row = match largest {
        None => [trace + one, difference(2, 1), difference(0, 2), difference(1, 0)],
        Some(0) => [difference(2, 1), x - y - z + one, sum(0, 1), sum(0, 2)],
        Some(1) => [difference(0, 2), sum(0, 1), y - x - z + one, sum(1, 2)],
        Some(_) => [difference(1, 0), sum(0, 2), sum(1, 2), z - x - y + one],
    };
    if row[0].primal() < base::<T>(0.0) { row.map(|x| -x) } else { row }
}

/// The rotation matrix of a unit quaternion: `R = I + 2w[v] + 2[v]²`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::matrix::{quaternion_from_scaled_axis, quaternion_to_rotation, so3_exp};
/// let w = Vector3::new(0.3, -2.0, 1.5);
/// let r = quaternion_to_rotation(&quaternion_from_scaled_axis(&w));
/// assert!((r.matrix() - so3_exp(&w).matrix()).norm() < 1e-15);
/// ```
#[track_caller]
pub fn quaternion_to_rotation<T: Real>(q: &UnitQuaternion<T>) -> Rotation3<T> {
    T::demand_recordable(&[q.coords.as_slice()]);
    let [w, x, y, z] = parts(q);
    Rotation3::from_matrix_unchecked(super::rodrigues::rodrigues(w + w, T::lit(2.0), &Vector3::new(x, y, z)))
}

/// `qᵗ = exp(t·log q)`: the rotation about the same axis by `t` times the angle in `[0, π]`.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{Dual, matrix::{quaternion_from_scaled_axis, quaternion_pow}};
/// let axis = Vector3::new(0.0, 0.0, 1.0).map(|d| Dual::new(0.0, d));
/// let q = quaternion_from_scaled_axis(&axis);
/// assert_eq!(quaternion_pow(&q, Dual::constant(3.0)).coords.z.tangent(), 1.5);
/// ```
#[track_caller]
pub fn quaternion_pow<T: Real>(q: &UnitQuaternion<T>, t: T) -> UnitQuaternion<T> {
    T::demand_recordable(&[q.coords.as_slice(), &[t]]);
    unit(exp(log(parts(q)).map(|w| w * t)))
}

/// Spherical linear interpolation from `a` (`t = 0`) to `b` (`t = 1`) at constant angular velocity along the shorter
/// path: `a·exp(t·log(a*b))`, with the logarithm of length `≤ π`. Outside of `[0, 1]` it extrapolates.
///
/// Because `b` and `−b` are the same rotation, `t = 1` gives the one in the hemisphere of `a`. If the angle between
/// `a` and `b` is exactly π, one of the two paths is chosen. Derivatives are right for equal `a` and `b` too, to any
/// order.
///
/// ```
/// use nalgebra::Vector3;
/// use wengert::{Dual, matrix::{quaternion_from_scaled_axis, slerp}};
/// let a = quaternion_from_scaled_axis(&Vector3::zeros());
/// let axis = Vector3::new(1.0, 0.0, 0.0).map(|d| Dual::new(0.0, d));
/// let b = quaternion_from_scaled_axis(&axis);
/// assert_eq!(slerp(&a, &b, Dual::constant(0.25)).coords.x.tangent(), 0.125);
/// ```
#[track_caller]
pub fn slerp<T: Real>(a: &UnitQuaternion<T>, b: &UnitQuaternion<T>, t: T) -> UnitQuaternion<T> {
    T::demand_recordable(&[a.coords.as_slice(), b.coords.as_slice(), &[t]]);
    let [w, x, y, z] = parts(a);
    let way = log(hamilton([w, -x, -y, -z], parts(b)));
    unit(hamilton(parts(a), exp(way.map(|way| way * t))))
}

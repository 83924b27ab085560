//! The formula of Rodrigues.

use nalgebra::{Matrix3, Vector3};

use super::coefficients::base;
use crate::number::Real;

/// `I + a[ω] + b[ω]²`, where `[ω]² = ωωᵀ − |ω|²I`.
pub(super) fn rodrigues<T: Real>(a: T, b: T, w: &Vector3<T>) -> Matrix3<T> {
    let [x, y, z] = [w.x, w.y, w.z];
    let [ax, ay, az] = [a * x, a * y, a * z];
    let [bx, by, bz] = [b * x, b * y, b * z];
    let ([xx, yy, zz], [xy, xz, yz]) = ([bx * x, by * y, bz * z], [bx * y, bx * z, by * z]);
    let one = |minus: T| -minus + base::<T>(1.0);
    Matrix3::new(
        one(yy + zz),
        xy - az,
        xz + ay,
        xy + az,
        one(xx + zz),
        yz - ax,
        xz - ay,
        yz + ax,
        one(xx + yy),
    )
}

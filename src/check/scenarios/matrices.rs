//! Points of nalgebra: matrices, and groups, whose tangents are of another type.

use nalgebra::{DMatrix, Isometry3, Rotation3, UnitQuaternion, Vector3};

pub(super) fn motions() -> (Rotation3<f64>, UnitQuaternion<f64>, Vec<Isometry3<f64>>) {
    let w = Vector3::new(0.5, -0.25, 0.75);
    let turn = UnitQuaternion::from_scaled_axis(w);
    (Rotation3::from_scaled_axis(w), turn, vec![Isometry3::new(w, -w); 2])
}

pub(super) fn matrix() -> DMatrix<f64> {
    DMatrix::from_column_slice(2, 2, &[0.5, -1.25, 2.0, 0.75])
}

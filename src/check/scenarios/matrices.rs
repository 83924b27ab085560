//! Points and results of nalgebra: matrices, and groups, whose tangents are of another type.

use nalgebra::{DMatrix, Isometry3, Rotation3, UnitQuaternion, Vector2, Vector3};

use super::ScenarioRun;
use super::functions::{Expected, pair};
use crate::drivers::mode::{Pass, SecondPass};
use crate::drivers::prepare;

impl ScenarioRun {
    pub(super) fn first_of_matrices<M: Pass>(&mut self, mode: &M) {
        let w = Vector3::new(0.5, -0.25, 0.75);
        self.first_at(mode, "rotation", &Rotation3::from_scaled_axis(w));
        self.first_at(
            mode,
            "motions",
            &(UnitQuaternion::from_scaled_axis(w), vec![Isometry3::new(w, -w); 2]),
        );
        let x = DMatrix::from_column_slice(2, 2, &[0.5, -1.25, 2.0, 0.75]);
        self.first_at(mode, "matrix", &x);
        let (e, mut j) = (Expected::at(&x), DMatrix::<f64>::zeros(2, 4));
        let (mut jacobian, mut y) = (prepare::jacobian(mode.clone(), &x), Vector2::<f64>::zeros());
        self.twice("jacobian of a vector", &mut y, &mut j, [&[], &e.values, &e.jacobian], &mut |_, y, j| {
            jacobian.of(|x: &DMatrix<M::Number<f64>>| Vector2::from(pair(x))).at(&x, y, j)
        });
        let wrong = jacobian.of(|x: &DMatrix<M::Number<f64>>| pair(x)).at(&x, &mut y, &mut j.transpose());
        self.refused("a matrix of another shape", wrong);
    }
    pub(super) fn second_of_matrices<M: SecondPass>(&mut self, mode: &M) {
        self.second_at(mode, "rotation", &UnitQuaternion::from_euler_angles(0.5, -0.25, 0.75));
        self.second_at(mode, "matrix", &DMatrix::from_column_slice(2, 2, &[0.5, -1.25, 2.0, 0.75]));
    }
}

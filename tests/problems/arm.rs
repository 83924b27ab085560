//! The Panda arm: its pose by the geometry of seven links and seven joint angles, and the geometric Jacobian as the
//! derivative of the pose in the angles. Also the derivative in the geometry, for calibration.

use super::super::{numbers, read};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::FRAC_PI_2;
use wengert::jacobian;

/// Length `a`, offset `d` and twist `α` of each link, after Craig.
const LINKS: [[f64; 3]; 7] = [
    [0.0, 0.333, 0.0],
    [0.0, 0.0, -FRAC_PI_2],
    [0.0, 0.316, FRAC_PI_2],
    [0.0825, 0.0, FRAC_PI_2],
    [-0.0825, 0.384, -FRAC_PI_2],
    [0.0, 0.0, FRAC_PI_2],
    [0.088, 0.0, FRAC_PI_2],
];

/// Position and orientation of the flange.
#[wengert::generic(RealField)]
fn pose(links: &[[f64; 3]], q: &[f64]) -> (Vector3<f64>, Rotation3<f64>) {
    let mut at = Vector3::new(0.0, 0.0, 0.0);
    let mut turned = Rotation3::identity();
    for (&[a, d, twist], q) in links.iter().zip(q) {
        let ((s, c), (sq, cq)) = (twist.sin_cos(), q.sin_cos());
        at += turned * Vector3::new(a, -d * s, d * c);
        let joint = Matrix3::new(cq, -sq, 0.0, sq * c, cq * c, -s, sq * s, cq * s, c);
        turned *= Rotation3::from_matrix_unchecked(joint);
    }
    at += turned * Vector3::new(0.0, 0.0, 0.107);
    (at, turned)
}

#[test]
fn geometric_jacobian() {
    for case in read("finance_robot")["panda_fk_modified_dh"]["cases"].as_array().unwrap() {
        let q = numbers(&case["q"]);
        let (at, turned) = pose(&LINKS, &q);
        let (want, t) = (numbers(&case["geometric_jacobian_6x7"]), numbers(&case["T"]));
        for i in 0..3 {
            assert!((at[i] - t[4 * i + 3]).abs() < 1e-15, "{at}");
            assert!((0..3).all(|j| (turned[(i, j)] - t[4 * i + j]).abs() < 2e-15), "{turned}");
        }
        // The rows of the orientation are the angular velocities in the frame of the flange.
        let point: ([[f64; 3]; 7], [f64; 7]) = (LINKS, q.try_into().unwrap());
        let j = jacobian(|(links, q): &([[_; 3]; 7], [_; 7])| pose(links, q), &point);
        assert_eq!(j.shape(), (6, 21 + 7));
        let j = j.columns(21, 7);
        let spatial = turned * j.fixed_view::<3, 7>(3, 0);
        for (i, k) in (0..6).flat_map(|i| (0..7).map(move |k| (i, k))) {
            let got = if i < 3 { j[(i, k)] } else { spatial[(i - 3, k)] };
            assert!((got - want[7 * i + k]).abs() < 4e-15, "row {i}, joint {k}: {got}, {}", want[7 * i + k]);
        }
    }
}

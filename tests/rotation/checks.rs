//! Every function of rotations and motions by the public checks: forward mode, reverse mode and the second order
//! compared with differences, at random points.

use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3, Vector6};
use wengert::check;
use wengert::matrix::rotation;
use wengert::{Real, VectorFunction};

/// A function with this name, this number of arguments, and this number of results.
struct Named(&'static str, usize, usize);

fn vector<T: Real>(x: &[T]) -> Vector3<T> {
    Vector3::new(x[0], x[1], x[2])
}

fn turn<T: Real>(x: &[T]) -> Rotation3<T> {
    rotation::so3_exp(&vector(x))
}

fn unit<T: Real>(x: &[T]) -> UnitQuaternion<T> {
    rotation::quaternion_from_scaled_axis(&vector(x))
}

fn four<T: Real>(q: &UnitQuaternion<T>) -> Vec<T> {
    q.coords.as_slice().to_vec()
}

fn seven<T: Real>(motion: &Isometry3<T>) -> Vec<T> {
    [four(&motion.rotation), motion.translation.vector.as_slice().to_vec()].concat()
}

macro_rules! functions {
    ($x:ident: $($name:ident $n:literal -> $m:literal: $y:expr;)*) => {
        const ALL: &[Named] = &[$(Named(stringify!($name), $n, $m)),*];
        impl VectorFunction for Named {
            fn outputs(&self, _: usize) -> usize {
                self.2
            }
            fn call<T: Real<Base = f64>>(&self, $x: &[T], y: &mut [T]) {
                let results: Vec<T> = match self.0 {
                    $(stringify!($name) => $y,)*
                    _ => unreachable!(),
                };
                y.copy_from_slice(&results);
            }
        }
    };
}
functions! { x:
    hat 3 -> 9: rotation::hat(&vector(x)).as_slice().to_vec();
    vee 9 -> 3: rotation::vee(&Matrix3::from_column_slice(x)).as_slice().to_vec();
    so3_exp 3 -> 9: turn(x).matrix().as_slice().to_vec();
    so3_log 3 -> 3: rotation::so3_log(&turn(x)).as_slice().to_vec();
    so3_left_jacobian 3 -> 9: rotation::so3_left_jacobian(&vector(x)).as_slice().to_vec();
    so3_left_jacobian_inverse 3 -> 9: rotation::so3_left_jacobian_inverse(&vector(x)).as_slice().to_vec();
    quaternion_from_scaled_axis 3 -> 4: four(&unit(x));
    quaternion_to_scaled_axis 3 -> 3: rotation::quaternion_to_scaled_axis(&unit(x)).as_slice().to_vec();
    normalize_quaternion 4 -> 4: {
        let q = Quaternion::new(x[0], x[1], x[2], x[3]);
        four(&rotation::normalize_quaternion(&q).expect("not zero"))
    };
    quaternion_from_rotation 3 -> 4: four(&rotation::quaternion_from_rotation(&turn(x)));
    quaternion_to_rotation 3 -> 9: rotation::quaternion_to_rotation(&unit(x)).matrix().as_slice().to_vec();
    quaternion_pow 4 -> 4: four(&rotation::quaternion_pow(&unit(x), x[3]));
    slerp 7 -> 4: four(&rotation::slerp(&unit(x), &unit(&x[3..]), x[6]));
    rotation_angle 3 -> 1: vec![rotation::rotation_angle(&turn(x))];
    quaternion_angle 3 -> 1: vec![rotation::quaternion_angle(&unit(x))];
    angle_between 6 -> 1: vec![rotation::angle_between(&vector(x), &vector(&x[3..]))];
    se3_exp 6 -> 7: seven(&rotation::se3_exp(&Vector6::from_column_slice(x)));
    se3_log 6 -> 6: {
        let moved = Translation3::new(x[0] * x[3], x[1] * x[4], x[2] * x[5]);
        rotation::se3_log(&Isometry3 { rotation: unit(x), translation: moved }).as_slice().to_vec()
    };
}

#[test]
fn every_function_of_rotations_passes() {
    let mut random = fastrand::Rng::with_seed(1985);
    let mut failed = Vec::new();
    for function in ALL {
        for scale in [1.0, 0.7, 0.1] {
            let x: Vec<f64> = (0..function.1).map(|_| scale * (random.f64() + 0.2)).collect();
            let report = check::function(function, &x);
            if !report.passed() {
                failed.push(format!("{} at {x:?}: {report}", function.0));
            }
        }
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

//! Every number type, one program through every function.

use std::f64::consts::PI;

use nalgebra::{SMatrix, SVector, UnitQuaternion, Vector3, Vector6};
use wengert::matrix::*;
use wengert::{Dual, Dual2, DualN, HyperDual, Real, Var, forward, reverse};

use super::points::*;

/// A smooth function of a twist through all functions that are smooth there.
fn program<T: Real>(x: &SVector<T, 6>) -> T {
    let weight = |i: usize| T::lit((1.0 + i as f64).sin());
    let motion = se3_exp(x);
    let w = Vector3::new(x[3], x[4], x[5]);
    let rotation = so3_exp(&w);
    let q: UnitQuaternion<T> = quaternion_from_rotation(&quaternion_to_rotation(&motion.rotation));
    let far = quaternion_from_scaled_axis(&Vector3::new(x[1], x[2], x[0]));
    let between = slerp(&q, &far, T::lit(0.3) + x[0] * T::lit(0.1));
    let power = quaternion_pow(&between, T::lit(1.5));
    let products = so3_left_jacobian(&w) * so3_left_jacobian_inverse(&so3_log(&rotation));
    let unit =
        normalize_quaternion(&nalgebra::Quaternion::from_vector(q.coords * (x[0] + T::lit(2.0)))).unwrap();
    let parts = [
        rotation.matrix().as_slice(),
        power.coords.as_slice(),
        se3_log(&motion).as_slice(),
        products.as_slice(),
        unit.coords.as_slice(),
    ]
    .concat();
    parts.into_iter().enumerate().fold(T::lit(0.0), |sum, (i, part)| sum + part * weight(i))
}

type Gradient = SVector<f64, 6>;
type Hessian = SMatrix<f64, 6, 6>;

fn points() -> Vec<Vector6<f64>> {
    let rho = Vector3::new(0.7, -0.4, 1.1);
    let point = |w: Vector3<f64>| Vector6::new(rho.x, rho.y, rho.z, w.x, w.y, w.z);
    let mut points: Vec<_> = ANGLES[..14].iter().map(|&angle| point(axes()[4] * angle)).collect();
    points.push(Vector6::zeros());
    points
}

/// By nested duals, entry by entry.
fn reference(x: &Vector6<f64>) -> (f64, Gradient, Hessian) {
    let seeded = |i: usize, j: usize| {
        let entry = |k| Dual::new(Dual::new(x[k], f64::from(k == i)), Dual::constant(f64::from(k == j)));
        program(&Vector6::from_fn(|k, _| entry(k)))
    };
    let value = seeded(0, 0).value().value();
    let gradient = Gradient::from_fn(|i, _| seeded(i, 0).value().tangent());
    (value, gradient, Hessian::from_fn(|i, j| seeded(i, j).tangent().tangent()))
}

#[track_caller]
fn same<const R: usize, const C: usize>(what: &str, got: &SMatrix<f64, R, C>, want: &SMatrix<f64, R, C>) {
    let error = (got - want).norm() / (1.0 + want.norm());
    assert!(error < 2e-12, "{what}: {error:e}: {got} {want}");
}

#[test]
fn every_type_has_the_same_derivatives() {
    for x in points() {
        let (value, gradient, hessian) = reference(&x);
        assert!((program(&x) - value).abs() < 1e-13);
        let central = |i: usize| {
            let step = Vector6::from_fn(|k, _| if k == i { 1e-5 } else { 0.0 });
            (program(&(x + step)) - program(&(x - step))) / 2e-5
        };
        if x.fixed_rows::<3>(3).norm() < 3.1 {
            let error = (Gradient::from_fn(|i, _| central(i)) - gradient).norm();
            assert!(error < 1e-8, "{x}: {error:e}");
        }
        let lanes = program(&Vector6::from_fn(|k, _| DualN::<f64, 6>::variable(x[k], k)));
        same("DualN", &Gradient::from(lanes.tangents()), &gradient);
        let packed = program(&Vector6::from_fn(|k, _| Dual2::<f64, 6, 21>::variable(x[k], k)));
        same("Dual2", &Gradient::from(packed.gradient()), &gradient);
        same("Dual2", &Hessian::from_fn(|i, j| packed.second(i, j)), &hessian);
        let hyper = |i: usize, j: usize| {
            let entry = |k: usize| HyperDual::new(x[k], f64::from(k == i), f64::from(k == j), 0.0);
            program(&Vector6::from_fn(|k, _| entry(k))).e12()
        };
        same("HyperDual", &Hessian::from_fn(hyper), &hessian);
        same("forward", &forward::hessian(program, &x), &hessian);
        same("Var", &reverse::gradient(program, &x), &gradient);
        same("Var of lanes", &reverse::hessian(program, &x), &hessian);
        let columns = Hessian::from_columns(&std::array::from_fn::<Gradient, 6, _>(|i| {
            let entry = |k| Dual::new(x[k], f64::from(k == i));
            let gradient = reverse::gradient(program, &Vector6::from_fn(|k, _| entry(k)));
            gradient.map(|g: Dual<f64>| g.tangent())
        }));
        same("Var of Dual", &columns, &hessian);
    }
}

/// One program for all points: angles beyond 120°, where another entry of the matrix is the largest, and zero.
#[cfg(feature = "programs")]
#[test]
fn programs_follow_rotations_to_other_points() {
    let traced = wengert::programs::trace(
        |x: &[wengert::programs::Traced]| program(&SVector::from_column_slice(x)),
        points()[7].as_slice(),
    );
    let [first, second] = [traced.gradient().unwrap(), traced.hessian().unwrap()];
    for x in points() {
        let (_, gradient, hessian) = reference(&x);
        assert_eq!(traced.run(x.as_slice()).unwrap(), [program(&x)]);
        same("gradient", &Gradient::from_vec(first.run(x.as_slice()).unwrap()), &gradient);
        same("hessian", &Hessian::from_vec(second.run(x.as_slice()).unwrap()), &hessian);
    }
    let angle = |x: &[wengert::programs::Traced]| rotation_angle(&so3_exp(&Vector3::new(x[0], x[1], x[2])));
    let angle = wengert::programs::trace(angle, &[0.3, 0.2, -0.1]);
    assert!((angle.run(&[0.0, 0.0, -3.0]).unwrap()[0] - 3.0).abs() < 1e-15);
}

#[test]
fn variables_of_variables() {
    for x in points().into_iter().skip(11) {
        let (_, _, hessian) = reference(&x);
        let row =
            |i: usize| reverse::gradient(|x: &SVector<Var<f64>, 6>| reverse::gradient(program, x)[i], &x);
        same("Var of Var", &Hessian::from_columns(&std::array::from_fn::<Gradient, 6, _>(row)), &hessian);
    }
}

#[test]
fn single_precision() {
    for x in points() {
        let (value, gradient, _) = reference(&x.map(|x| f64::from(x as f32)));
        let single = x.map(|x| x as f32);
        let close = |got: f32, want: f64| (f64::from(got) - want).abs() < 3e-5 * (1.0 + want.abs());
        // Within rounding of π the logarithm jumps.
        if x.fixed_rows::<3>(3).norm() > PI - 1e-4 {
            continue;
        }
        assert!(close(program(&single), value), "{x}");
        let lanes = program(&Vector6::from_fn(|k, _| DualN::<f32, 6>::variable(single[k], k)));
        assert!(
            lanes.tangents().into_iter().zip(gradient.iter()).all(|(g, &e)| close(g, e)),
            "{x}: {lanes:?} {gradient}"
        );
        let taped = reverse::gradient(program, &single);
        assert!(taped.iter().zip(gradient.iter()).all(|(&g, &e)| close(g, e)), "{x}");
        let exact = so3_exp(&single.fixed_rows::<3>(3).map(f64::from));
        let rotation = so3_exp(&single.fixed_rows::<3>(3).into_owned());
        assert!((rotation.matrix().map(f64::from) - exact.matrix()).norm() < 4.0 * f64::from(f32::EPSILON));
    }
}

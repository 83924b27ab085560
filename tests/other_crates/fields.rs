//! Linear algebra over `RealField`: nalgebra's decompositions and geometry, nalgebra-sparse's Cholesky
//! factorisation, adskalman's filter.

use super::derivatives::Case;
use adskalman::{
    KalmanFilterNoControl, ObservationModel, StateAndCovariance, TransitionModelLinearNoControl,
};
use nalgebra::{
    Isometry3, Matrix1, Matrix1x2, Matrix2, Matrix3, Point3, Rotation3, Translation3, Unit, Vector3,
};
use nalgebra::{RealField, U1, U2, UnitQuaternion, Vector1, Vector2};
use nalgebra_sparse::{CooMatrix, CscMatrix, factorization::CscCholesky};

/// Second differences: symmetric, positive definite, with the inverse `min(i, j)·(4 − max(i, j))/4`, `i, j`
/// from 1.
const STIFFNESS: [f64; 9] = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
const FLEXIBILITY: [f64; 9] = [0.75, 0.5, 0.25, 0.5, 1.0, 0.5, 0.25, 0.5, 0.75];
const LOAD: [f64; 3] = [1.0, -3.0, 2.0];

fn matrix<T: RealField + Copy>(x: &[T]) -> Matrix3<T> {
    Matrix3::from_row_slice(&x[..9])
}

/// `A⁻¹b` for the fixed load in five ways.
fn solutions<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let (a, b) = (matrix(x), Vector3::from(LOAD.map(nalgebra::convert::<f64, T>)));
    let by = [
        a.lu().solve(&b).unwrap(),
        a.full_piv_lu().solve(&b).unwrap(),
        a.qr().solve(&b).unwrap(),
        a.cholesky().unwrap().solve(&b),
        a.try_inverse().unwrap() * b,
    ];
    by.iter().flat_map(|y| y.iter().copied()).collect()
}

/// `(A⁻¹b)˙ = −A⁻¹ȦA⁻¹b` and `(A⁻¹b)¨ = 2A⁻¹ȦA⁻¹ȦA⁻¹b` along a symmetric `Ȧ`. The condition number of A is 6:
/// it multiplies the few eps of one solve, once in the first derivative and twice in the second.
#[test]
fn solves() {
    let v = [1.0, 0.5, -2.0, 0.5, 0.0, 1.5, -2.0, 1.5, 3.0];
    let (inverse, da) = (matrix(&FLEXIBILITY), matrix(&v));
    let step = -inverse * da;
    let y = inverse * Vector3::from(LOAD);
    let (first, second) = (step * y, step * step * y * 2.0);
    let five = |y: Vector3<f64>| [y; 5].iter().flat_map(|y| y.iter().copied()).collect::<Vec<_>>();
    let case =
        Case::new("nalgebra solve", &STIFFNESS, &v).first(five(first), 32.0).second(five(second), 64.0);
    every_type!(solutions, case.scales([first.amax(), second.amax()]));
}

fn determinants<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let a = matrix(x);
    vec![
        a.determinant(),
        a.lu().determinant(),
        a.cholesky().unwrap().determinant(),
        a.trace(),
        a.norm_squared(),
    ]
}

/// Along the identity, `det(A + t·1) = 4 + 10t + 6t² + t³`: the coefficients are the principal minors. The
/// trace and the squared norm go along: `3`, `2·tr A`, `2·3`.
#[test]
fn invariants() {
    let v = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let case = Case::new("nalgebra det", &STIFFNESS, &v);
    let case = case.first([10.0, 10.0, 10.0, 3.0, 12.0], 4.0).second([12.0, 12.0, 12.0, 0.0, 6.0], 4.0);
    every_type!(determinants, case);
}

/// The exponential of an angle times the generator of rotations.
fn exponential<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let r = Matrix2::new(T::zero(), -x[0], x[0], T::zero()).exp();
    vec![r[(0, 0)], r[(1, 0)]]
}

/// A point turned about an axis and moved, by three of nalgebra's types, and moved back.
fn moved<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let axis = Unit::new_normalize(Vector3::from(AXIS.map(nalgebra::convert::<f64, T>)));
    let shift = Translation3::new(x[0], x[0] * x[0], T::one());
    let p = Point3::from(POINT.map(nalgebra::convert::<f64, T>));
    let motion = Isometry3::from_parts(shift, UnitQuaternion::from_axis_angle(&axis, x[0]));
    let by = [Rotation3::from_axis_angle(&axis, x[0]) * p, motion * p, motion.inverse() * (motion * p)];
    by.iter().flat_map(|p| p.coords.iter().copied()).collect()
}
const AXIS: [f64; 3] = [2.0, -1.0, 2.0];
const POINT: [f64; 3] = [0.5, 3.0, -1.0];

/// `e^(tJ)` is `(cos t, sin t)`; a rotation by `t` about the axis `a` has `u̇ = a × u`, `ü = a × u̇`; the
/// shift adds `(1, 2t, 0)` and `(0, 2, 0)`; there and back is no motion.
#[test]
fn motions() {
    let t: f64 = 0.75;
    let (sin, cos) = t.sin_cos();
    let case = Case::new("nalgebra exp", &[t], &[1.0]).first([-sin, cos], 8.0).second([-cos, -sin], 16.0);
    every_type!(exponential, case);
    let axis = Vector3::from(AXIS) / 3.0;
    let u = Rotation3::from_axis_angle(&Unit::new_unchecked(axis), t) * Vector3::from(POINT);
    let (du, ddu) = (axis.cross(&u), axis.cross(&axis.cross(&u)));
    let first = [du, du + Vector3::new(1.0, 2.0 * t, 0.0), Vector3::zeros()];
    let second = [ddu, ddu + Vector3::new(0.0, 2.0, 0.0), Vector3::zeros()];
    let [first, second] =
        [first, second].map(|p| p.iter().flat_map(|p| p.iter().copied()).collect::<Vec<_>>());
    let case = Case::new("nalgebra isometry", &[t], &[1.0]).first(first, 8.0).second(second, 16.0);
    every_type!(moved, case.scales([u.norm(), 2.0 * u.norm()]));
}

/// The solution of the stiffness system, its last diagonal entry being `x[0]`.
fn sparse_solution<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let mut entries = CooMatrix::new(3, 3);
    for (k, &a) in STIFFNESS.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        entries.push(k / 3, k % 3, if k == 8 { x[0] } else { nalgebra::convert(a) });
    }
    let b = Vector3::from(LOAD.map(nalgebra::convert::<f64, T>));
    let y = CscCholesky::factor(&CscMatrix::from(&entries)).unwrap().solve(&b);
    y.iter().copied().collect()
}

/// With `p` the last diagonal entry: `ẏᵢ = −A⁻¹ᵢ₂ y₂`, `ÿᵢ = 2A⁻¹ᵢ₂ A⁻¹₂₂ y₂`; limits as for the dense
/// solves.
#[test]
fn sparse_cholesky() {
    let y = matrix(&FLEXIBILITY) * Vector3::from(LOAD);
    let column = Vector3::from_column_slice(&FLEXIBILITY[6..]);
    let (first, second) = (-column * y[2], column * (2.0 * column[2] * y[2]));
    let case = Case::new("nalgebra-sparse", &[2.0], &[1.0]).first(first.iter().copied(), 32.0);
    every_type!(sparse_solution, case.second(second.iter().copied(), 64.0));
}

/// Matrices of a model with two states (place and speed) and one observed quantity (place).
struct Model<T: RealField> {
    transition: Matrix2<T>,
    transposed: Matrix2<T>,
    process: Matrix2<T>,
    observe: Matrix1x2<T>,
    observed: Vector2<T>,
    noise: Matrix1<T>,
}

impl<T: RealField> TransitionModelLinearNoControl<T, U2> for Model<T> {
    fn F(&self) -> &Matrix2<T> {
        &self.transition
    }
    fn FT(&self) -> &Matrix2<T> {
        &self.transposed
    }
    fn Q(&self) -> &Matrix2<T> {
        &self.process
    }
}

impl<T: RealField> ObservationModel<T, U2, U1> for Model<T> {
    fn H(&self) -> &Matrix1x2<T> {
        &self.observe
    }
    fn HT(&self) -> &Vector2<T> {
        &self.observed
    }
    fn R(&self) -> &Matrix1<T> {
        &self.noise
    }
}

const OBSERVED: [f64; 5] = [0.25, 1.5, 1.75, 3.5, 4.25];
const STEP: f64 = 0.5;

/// The state after five observations with the variance `x[0]`.
fn filtered<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    let (zero, one, c) = (T::zero(), T::one(), nalgebra::convert::<f64, T>);
    let transition = Matrix2::new(one, c(STEP), zero, one);
    let model = Model {
        transition,
        transposed: transition.transpose(),
        process: Matrix2::identity() * c(0.125),
        observe: Matrix1x2::new(one, zero),
        observed: Vector2::new(one, zero),
        noise: Matrix1::new(x[0]),
    };
    let filter = KalmanFilterNoControl::new(&model, &model);
    let start = StateAndCovariance::new(Vector2::zeros(), Matrix2::identity());
    let step = |state, y: &f64| filter.step(&state, &Vector1::new(c(*y))).unwrap();
    OBSERVED.iter().fold(start, step).state().iter().copied().collect()
}

/// The filter's recursion for the observation of the first state, and its derivatives in the variance `r`, by
/// hand: `s = p₀₀ + r`, `k = p₀/s`, `x ← x + k(y − x₀)`, `P ← P − kp₀ᵀ`, where `p₀` is the first column of P.
fn filtered_by_hand(r: f64) -> [Vector2<f64>; 3] {
    let f = Matrix2::new(1.0, STEP, 0.0, 1.0);
    let (mut x, mut p) = ([Vector2::zeros(); 3], [Matrix2::identity(), Matrix2::zeros(), Matrix2::zeros()]);
    for y in OBSERVED {
        x = x.map(|x| f * x);
        p = p.map(|p| f * p * f.transpose());
        p[0] += Matrix2::identity() * 0.125;
        let c = p.map(|p| p.column(0).into_owned());
        let s = [c[0][0] + r, c[1][0] + 1.0, c[2][0]];
        let k = c[0] / s[0];
        let dk = (c[1] - k * s[1]) / s[0];
        let ddk = (c[2] - 2.0 * dk * s[1] - k * s[2]) / s[0];
        let e = [y - x[0][0], -x[1][0], -x[2][0]];
        x = [x[0] + k * e[0], x[1] + dk * e[0] + k * e[1], x[2] + ddk * e[0] + 2.0 * dk * e[1] + k * e[2]];
        let t = c.map(|c| c.transpose());
        p = [p[0] - k * t[0], p[1] - dk * t[0] - k * t[1], p[2] - ddk * t[0] - 2.0 * dk * t[1] - k * t[2]];
    }
    x
}

/// Both recursions accumulate the rounding of five steps.
#[test]
fn kalman_filter() {
    for r in [0.25, 2.0] {
        let [_, first, second] = filtered_by_hand(r).map(|x| [x[0], x[1]]);
        every_type!(filtered, Case::new("adskalman", &[r], &[1.0]).first(first, 32.0).second(second, 64.0));
    }
}

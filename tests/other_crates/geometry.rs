//! Geometry: vek (`real::Real`), num-quaternion (`Float + FloatConst`), geo-types (`CoordFloat`), rstar
//! (`Bounded + Signed + Num`).
//!
//! num-quaternion has its own polynomials for types with the eps of `f32`, in `f32`: no tangent passes
//! through its rotation vectors over that base, and they are not used here.

use super::derivatives::{Case, dot};
use geo_types::{CoordFloat, LineString, Point};
use num_quaternion::{Quaternion, UnitQuaternion};
use num_traits::{Float, FloatConst, real};
use rstar::{RTree, RTreeNum};
use std::f64::consts::PI;
use std::ops::{Add, AddAssign};

type Vec3 = [f64; 3];

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The requirements of vek on a component in addition to `Real`.
trait Component: real::Real + Add<Output = Self> + AddAssign {}
impl<T: real::Real + Add<Output = Self> + AddAssign> Component for T {}

fn normalized<T: Component>(x: &[T]) -> Vec<T> {
    vek::Vec3::new(x[0], x[1], x[2]).normalized().into_array().to_vec()
}

/// For `x = r·n`: `ṅ = (v − (n·v)n)/r`, and with `ṙ = n·v`, `r̈ = (v·v − ṙ²)/r`: `n̈ = −(2ṙṅ + r̈n)/r`.
#[test]
fn unit_vectors() {
    for (x, v) in [([0.5, -1.25, 2.0], [1.0, 0.0, 0.0]), ([3.0, 4.0, -0.75], [0.25, -2.0, 1.5])] {
        let r = dot(&x, &x).sqrt();
        let n = x.map(|x| x / r);
        let dr = dot(&n, &v);
        let ddr = (dot(&v, &v) - dr * dr) / r;
        let first: Vec3 = std::array::from_fn(|i| (v[i] - dr * n[i]) / r);
        let second: Vec3 = std::array::from_fn(|i| -(2.0 * dr * first[i] + ddr * n[i]) / r);
        let case = Case::new("vek normalized", &x, &v).first(first, 8.0).second(second, 16.0);
        every_type!(normalized, case.scales([dot(&v, &v).sqrt() / r, dot(&v, &v) / (r * r)]));
    }
}

const BEZIER: [Vec3; 4] = [[0.5, -1.0, 2.0], [1.5, 0.25, -3.0], [2.0, 3.0, 0.5], [-1.0, 2.0, 4.0]];

fn bezier<T: Component>(x: &[T]) -> Vec<T> {
    let point = |p: Vec3| vek::Vec3::from(p.map(|c| T::from(c).unwrap()));
    let [start, ctrl0, ctrl1, end] = BEZIER.map(point);
    vek::CubicBezier3 { start, ctrl0, ctrl1, end }.evaluate(x[0]).into_array().to_vec()
}

/// vek provides the derivative of its curve. The second derivative is `6((1−t)(P₂ − 2P₁ + P₀) + t(P₃ − 2P₂ + P₁))`.
#[test]
fn bezier_curves() {
    let [p, q, r, s] = BEZIER;
    let curve = vek::CubicBezier3 { start: p.into(), ctrl0: q.into(), ctrl1: r.into(), end: s.into() };
    for t in [0.25, 0.6875] {
        let first = curve.evaluate_derivative(t).into_array();
        let bend = |i: usize| (1.0 - t) * (r[i] - 2.0 * q[i] + p[i]) + t * (s[i] - 2.0 * r[i] + q[i]);
        let second = [0, 1, 2].map(|i| 6.0 * bend(i));
        every_type!(bezier, Case::new("vek bezier", &[t], &[1.0]).first(first, 4.0).second(second, 4.0));
    }
}

/// A unit lower triangular matrix with integer inverse, and where it is disturbed.
const UNIMODULAR: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [-1.0, 3.0, 1.0, 0.0], [4.0, -2.0, 5.0, 1.0]];

fn inverse<T: Component>(x: &[T]) -> Vec<T> {
    let m = std::array::from_fn(|i| std::array::from_fn(|j| x[4 * i + j]));
    vek::Mat4::from_row_arrays(m).inverted().into_row_array().to_vec()
}

/// `(A⁻¹)˙ = −A⁻¹ȦA⁻¹`, `(A⁻¹)¨ = 2A⁻¹ȦA⁻¹ȦA⁻¹`: integers here, and vek's 2×2 blocks have determinants 1.
#[test]
fn matrix_inverse() {
    let at: Vec<f64> = UNIMODULAR.concat();
    let v: Vec<f64> = (0..16).map(|i| f64::from((i * 7) % 5) - 2.0).collect();
    let (a, da) = (nalgebra::Matrix4::from_row_slice(&at), nalgebra::Matrix4::from_row_slice(&v));
    let inverse_of_a = a.try_inverse().unwrap().map(f64::round);
    let first = -inverse_of_a * da * inverse_of_a;
    let second = first * da * inverse_of_a * -2.0;
    let [first, second] = [first, second].map(|m| m.transpose().iter().copied().collect::<Vec<_>>());
    every_type!(inverse, Case::new("vek inverse", &at, &v).first(first, 0.0).second(second, 0.0));
}

/// A vector turned by roll, pitch and yaw.
fn rotated<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
    let q = UnitQuaternion::from_euler_angles(x[0], x[1], x[2]);
    q.rotate_vector([x[3], x[4], x[5]]).to_vec()
}

/// Yaw turns last and about z: `u̇ = z × u`, `ü = z × u̇`. Roll turns first and about x: as `R` applied to
/// `x × w`.
#[test]
fn rotations() {
    let (angles, w) = ([0.5, -0.75, 1.25], [1.0, 2.0, -0.5]);
    let at = [angles[0], angles[1], angles[2], w[0], w[1], w[2]];
    let turn = |w: Vec3| UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]).rotate_vector(w);
    let along = |i: usize| std::array::from_fn::<f64, 6, _>(|j| f64::from(i == j));
    let (x, z) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let first = cross(z, turn(w));
    let yaw = Case::new("num-quaternion yaw", &at, &along(2)).first(first, 4.0).second(cross(z, first), 4.0);
    every_type!(rotated, yaw.scales([2.0, 2.0]));
    let (first, second) = (turn(cross(x, w)), turn(cross(x, cross(x, w))));
    let roll = Case::new("num-quaternion roll", &at, &along(0)).first(first, 4.0).second(second, 4.0);
    every_type!(rotated, roll.scales([2.0, 2.0]));
}

const AXIS: [f64; 4] = [0.25, 0.5, -1.0, 0.75];

/// `e^(t·a)` for a quaternion `a`.
fn exponential<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
    let [w, i, j, k] = AXIS.map(|a| T::from(a).unwrap() * x[0]);
    let q = Quaternion::new(w, i, j, k).exp();
    vec![q.w, q.x, q.y, q.z]
}

/// `ln(e^q)`.
fn there_and_back<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
    let q = Quaternion::new(x[0], x[1], x[2], x[3]).exp().ln();
    vec![q.w, q.x, q.y, q.z]
}

/// A third of the path, on the sphere, from no rotation to the rotation by the angle `x` about the z axis.
fn slerp<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
    let (zero, third) = (T::zero(), T::from(0.375).unwrap());
    let [from, to] = [zero, x[0]].map(|yaw| UnitQuaternion::from_euler_angles(zero, zero, yaw));
    let q = from.slerp(&to, third).into_quaternion();
    vec![q.w, q.z]
}

/// `(e^(ta))˙ = a·e^(ta)`; `ln(e^q) = q` is the identity; interpolated, an angle θ becomes 3θ/8, and half of
/// that in the quaternion.
#[test]
fn quaternions() {
    let [w, i, j, k] = AXIS;
    let (a, t) = (Quaternion::new(w, i, j, k), 0.75);
    let parts = |q: Quaternion<f64>| [q.w, q.x, q.y, q.z];
    let q = (a * t).exp();
    let case = Case::new("num-quaternion exp", &[t], &[1.0]);
    every_type!(exponential, case.first(parts(a * q), 8.0).second(parts(a * a * q), 8.0).scales([1.0, 2.0]));
    let v = [0.5, -1.0, 0.25, 2.0];
    let identity = Case::new("num-quaternion ln exp", &AXIS, &v).first(v, 8.0).second([0.0; 4], 16.0);
    every_type!(there_and_back, identity.scales([2.0, 4.0]));
    let (sin, cos) = f64::sin_cos(0.1875 * 1.5);
    let case = Case::new("num-quaternion slerp", &[1.5], &[1.0]);
    let case = case.first([-0.1875 * sin, 0.1875 * cos], 8.0);
    every_type!(slerp, case.second([-0.1875 * 0.1875 * cos, -0.1875 * 0.1875 * sin], 16.0));
}

/// Twice the area, and the perimeter, of the closed polygon with the corners `(x₀, x₁), (x₂, x₃), …`.
fn polygon<T: CoordFloat>(x: &[T]) -> Vec<T> {
    let mut ring: LineString<T> = x.chunks(2).map(|p| Point::new(p[0], p[1])).collect();
    ring.close();
    let area = ring.lines().map(|side| side.determinant()).fold(T::zero(), |s, d| s + d);
    let perimeter = ring.lines().map(|side| side.dx().hypot(side.dy())).fold(T::zero(), |s, d| s + d);
    vec![area, perimeter]
}

fn radians<T: CoordFloat>(x: &[T]) -> Vec<T> {
    let p = Point::new(x[0], x[1]).to_radians();
    vec![p.x(), p.y()]
}

/// Scaled by `1 + t`, an area grows as the square and a perimeter in proportion. A corner that moves by `(a,
/// b)` changes twice the area by `a·Δy − b·Δx` of its neighbours, and the perimeter along its two sides.
#[test]
fn polygons() {
    let at = [0.0, 0.0, 3.0, 0.5, 4.0, 4.0, -1.0, 2.5];
    let [area, perimeter] = polygon(&at)[..] else { unreachable!() };
    let scaled = Case::new("geo-types scaling", &at, &at).first([2.0 * area, perimeter], 4.0);
    every_type!(polygon, scaled.second([2.0 * area, 0.0], 4.0).scales([0.0, perimeter]));
    let v = [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0];
    let area = 4.0 - 2.0 * 4.0;
    let (a, b) = (f64::hypot(3.0, 0.5), f64::hypot(1.0, 3.5));
    let sides = (3.0 * 1.0 + 0.5 * 2.0) / a - (1.0 * 1.0 + 3.5 * 2.0) / b;
    // |p + tv|¨ = (p × v)²/|p|³
    let turns = (3.0 * 2.0 - 0.5 * 1.0).powi(2) / a.powi(3) + (1.0 * 2.0 - 3.5 * 1.0).powi(2) / b.powi(3);
    every_type!(
        polygon,
        Case::new("geo-types corner", &at, &v).first([area, sides], 4.0).second([0.0, turns], 4.0)
    );
    let degree = PI / 180.0;
    every_type!(
        radians,
        Case::new("geo-types radians", &[30.0, 90.0], &[1.0, -2.0]).first([degree, -2.0 * degree], 1.0)
    );
}

/// The squared distance from `(x₀, x₁)` to the nearest of the other points.
fn nearest<T: RTreeNum>(x: &[T]) -> Vec<T> {
    let tree = RTree::bulk_load(x[2..].chunks(2).map(|p| [p[0], p[1]]).collect());
    let (_, distance_2) = tree.nearest_neighbor_iter_with_distance_2(&[x[0], x[1]]).next().unwrap();
    vec![distance_2]
}

/// `2 d·ḋ` and `2 ḋ·ḋ` with the nearest point, in short binary fractions: exact.
#[test]
fn nearest_neighbour() {
    let mut at = vec![0.5, 0.25];
    at.extend((0..24).flat_map(|i| [f64::from((i * 7) % 24) - 11.5, f64::from((i * 5) % 24) - 11.5]));
    let v: Vec<f64> = (0..at.len()).map(|i| ((i * 3) % 7) as f64 - 3.0).collect();
    let square = |i: &usize| (at[2 * i] - at[0]).powi(2) + (at[2 * i + 1] - at[1]).powi(2);
    let closest = (1..at.len() / 2).min_by(|i, j| square(i).total_cmp(&square(j))).unwrap();
    let (d, dv) = ([0, 1].map(|k| at[2 * closest + k] - at[k]), [0, 1].map(|k| v[2 * closest + k] - v[k]));
    let case = Case::new("rstar nearest", &at, &v)
        .first([2.0 * dot(&d, &dv)], 0.0)
        .second([2.0 * dot(&dv, &dv)], 0.0);
    every_type!(nearest, case);
}

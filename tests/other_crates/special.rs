//! ellip (`Float`): elliptic integrals have derivatives that are elliptic integrals again.

use super::derivatives::Case;
use ellip::{ellipe, ellipeinc, ellipf, ellipk, elliprc, elliprd, elliprf, elliprg, elliprj};
use num_traits::Float;

fn complete_first<T: Float>(x: &[T]) -> Vec<T> {
    vec![ellipk(x[0]).unwrap()]
}

fn complete_second<T: Float>(x: &[T]) -> Vec<T> {
    vec![ellipe(x[0]).unwrap()]
}

fn incomplete_first<T: Float>(x: &[T]) -> Vec<T> {
    vec![ellipf(x[0], x[1]).unwrap()]
}

/// Carlson's forms, and the degrees in which they are homogeneous.
fn carlson<T: Float>(x: &[T]) -> Vec<T> {
    let (x, y, z, p) = (x[0], x[1], x[2], x[3]);
    let forms = [elliprf(x, y, z), elliprc(x, y), elliprg(x, y, z), elliprd(x, y, z), elliprj(x, y, z, p)];
    forms.map(Result::unwrap).to_vec()
}
const DEGREES: [f64; 5] = [-0.5, -0.5, 0.5, -1.5, -1.5];

fn carlson_rf<T: Float>(x: &[T]) -> Vec<T> {
    vec![elliprf(x[0], x[1], x[2]).unwrap()]
}

/// `K′ = (E − (1−m)K)/2m(1−m)`, `E′ = (E − K)/2m`; second derivatives by Legendre's equations
/// `m(1−m)K″ + (1−2m)K′ = K/4` and `m(1−m)E″ + (1−m)E′ = −E/4`.
///
/// ellip iterates for `m < 0` and `m ≥ 0.9`, where conditions are 1 and `1/(1 − m) = 32` here. Between, it
/// takes polynomials on intervals of half-width 1/20, which are right to 2 eps as values: then their k-th
/// derivatives are to 2·20ᵏ·k! eps.
#[test]
fn complete_integrals() {
    let points =
        [(-0.5, [4.0, 16.0]), (0.28125, [40.0, 1600.0]), (0.6875, [40.0, 1600.0]), (0.96875, [32.0, 64.0])];
    for (m, limits) in points {
        let (k, e, n) = (ellipk(m).unwrap(), ellipe(m).unwrap(), 1.0 - m);
        let (dk, de) = ((e - n * k) / (2.0 * m * n), (e - k) / (2.0 * m));
        let (ddk, dde) = ((k / 4.0 - (1.0 - 2.0 * m) * dk) / (m * n), -(de / m + e / (4.0 * m * n)));
        let case = Case::new("ellip K", &[m], &[1.0]).first([dk], limits[0]).second([ddk], limits[1]);
        every_type!(complete_first, case.scales([k, k]));
        let case = Case::new("ellip E", &[m], &[1.0]).first([de], limits[0]).second([dde], limits[1]);
        every_type!(complete_second, case.scales([e, e]));
    }
}

/// `∂F/∂φ = 1/√(1 − m sin²φ)` and `∂F/∂m = E/2m(1−m) − F/2m − sin 2φ/4(1−m)√(1 − m sin²φ)`, with the
/// derivative of the first in φ, `m sin φ cos φ (1 − m sin²φ)^(−3/2)`. `|φ|` may exceed π/2.
///
/// ellip writes F as a function of `1/sin²φ`, in whose second derivatives terms of the size `F/sin²φ` cancel.
#[test]
fn incomplete_integrals() {
    for (phi, m) in [(0.75, 0.5), (1.25, -2.0), (-0.5, 0.875), (4.0, 0.25)] {
        let (f, e): (f64, f64) = (ellipf(phi, m).unwrap(), ellipeinc(phi, m).unwrap());
        let (sin, cos) = f64::sin_cos(phi);
        let root = (1.0 - m * sin * sin).sqrt();
        let at = [phi, m];
        let slope = Case::new("ellip F along φ", &at, &[1.0, 0.0]);
        let slope = slope.first([1.0 / root], 8.0).second([m * sin * cos / root.powi(3)], 32.0);
        every_type!(incomplete_first, slope.scales([0.0, f.abs() / (sin * sin)]));
        let terms = [e / (2.0 * m * (1.0 - m)), -f / (2.0 * m), -sin * cos / (2.0 * (1.0 - m) * root)];
        let size = terms.iter().fold(0.0, |s: f64, t| s.max(t.abs()));
        let along_m = Case::new("ellip F along m", &at, &[0.0, 1.0]).first([terms.iter().sum()], 4.0);
        every_type!(incomplete_first, along_m.scales([size, 0.0]));
    }
}

/// Along the ray through the point, a function of degree `d` has the derivatives `d·f` and `d(d−1)·f`; and
/// `∂R_F/∂z = −R_D(x, y, z)/6`.
#[test]
fn carlson_forms() {
    for at in [[0.5, 1.0, 2.0, 1.5], [2.0, 0.25, 0.75, 3.0], [0.125, 8.0, 1.5, 0.5]] {
        let f = carlson(&at);
        let first: Vec<f64> = f.iter().zip(DEGREES).map(|(f, d)| d * f).collect();
        let second = first.iter().zip(DEGREES).map(|(f, d)| (d - 1.0) * f);
        every_type!(
            carlson,
            Case::new("ellip Carlson", &at, &at).first(first.clone(), 4.0).second(second, 8.0)
        );
        let rd = elliprd(at[0], at[1], at[2]).unwrap();
        every_type!(
            carlson_rf,
            Case::new("ellip R_F along z", &at, &[0.0, 0.0, 1.0, 0.0]).first([-rd / 6.0], 8.0)
        );
    }
}

//! The complex drivers: results in buffers, and arguments that do not fit.

use num_complex::Complex64;
use wengert::complex::{self, gradient, gradient_into, jvp, jvp_into, value_and_vjp, vjp, vjp_into};
use wengert::{ComplexVar, Dual, Number};

use crate::support::panics::text_of;

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// `(ab, b²)`, with the Jacobian `[[b, a], [0, 2b]]`.
fn f<Z: Number>(z: &[Z]) -> [Z; 2] {
    [z[0] * z[1], z[1].square()]
}

const Z: [Complex64; 2] = [Complex64::new(1.0, 2.0), Complex64::new(-3.0, 0.5)];
const V: [Complex64; 2] = [Complex64::new(0.5, -1.0), Complex64::new(-2.0, 1.5)];

#[test]
fn buffers_hold_what_is_returned() {
    let [a, b] = Z;
    let (value, tangent) = ([a * b, b * b], [b * V[0] + a * V[1], b * V[1] * 2.0]);
    assert_eq!(jvp(f, &Z, &V), tangent);
    let mut dy = [c(7.0, 7.0); 2];
    assert_eq!((jvp_into(f, &Z, &V, &mut dy), dy), (value, tangent));

    let cotangent = [b.conj() * V[0], a.conj() * V[0] + (b * 2.0).conj() * V[1]];
    assert_eq!(vjp(f, &Z, &V), cotangent);
    let mut dz = [c(7.0, 7.0); 2];
    assert_eq!((vjp_into(f, &Z, &V, &mut dz), dz), (value, cotangent));
    // In parts too, in order.
    let mut parts = [7.0; 4];
    vjp_into(f, &Z, &V, &mut parts);
    assert_eq!(parts, [cotangent[0].re, cotangent[0].im, cotangent[1].re, cotangent[1].im]);

    // Real results of complex arguments: |a|² + |b|².
    let length = |z: &[ComplexVar<f64>]| complex::norm_sqr(z[0]) + complex::norm_sqr(z[1]);
    let (r, want) = (a.norm_sqr() + b.norm_sqr(), [a * 2.0, b * 2.0]);
    assert_eq!(gradient(length, &Z), want);
    assert_eq!((gradient_into(length, &Z[..], &mut dz), dz), (r, want));
    let mut dr = [0.0];
    assert_eq!((vjp_into(|z| [length(z)], &Z, &[0.5], &mut dz), dz), ([r], [a, b]));
    jvp_into(|z| complex::norm_sqr(z[0]), &Z, &V, &mut dr);
    assert_eq!(dr, [2.0 * (a.conj() * V[0]).re]);
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_written() {
    let three = [c(1.0, 0.0); 3];
    let mut dy = [c(7.0, 7.0); 2];
    let shape = |text: String, what: &str| assert!(text.ends_with(what), "{text}");
    shape(text_of(|| jvp(f, &Z, &three)), "the tangent has length 3, expected 2");
    shape(text_of(|| jvp_into(f, &Z, &three, &mut dy)), "the tangent has length 3, expected 2");
    shape(text_of(|| jvp_into(f, &Z, &V, &mut dy[..1])), "the tangent buffer has length 2, expected 4");
    shape(text_of(|| vjp(f, &Z, &three)), "the cotangent has length 3, expected 2");
    shape(text_of(|| vjp_into(f, &Z, &three, &mut dy)), "the cotangent has length 3, expected 2");
    shape(text_of(|| vjp_into(f, &Z, &V, &mut dy[..1])), "the cotangent buffer has length 2, expected 4");
    let real = |z: &[ComplexVar<f64>]| complex::abs(z[0]);
    shape(text_of(|| gradient_into(real, &Z, &mut dy[..1])), "the gradient buffer has length 2, expected 4");
    assert_eq!(dy, [c(7.0, 7.0); 2]);
}

/// Structures of complex and real numbers: the function receives numbers whose own methods are right.
#[test]
fn complex_structures() {
    let x = (2.0_f64, vec![c(1.0, 2.0), c(-3.0, 0.5)], Some(c(0.5, -1.0)));
    let loss = |(t, z, w): &(wengert::Var<f64>, Vec<ComplexVar<f64>>, Option<ComplexVar<f64>>)| {
        *t * complex::norm_sqr(z[0].sqrt() * z[1]) + complex::abs(w.unwrap())
    };
    let (dt, dz, dw) = gradient(loss, &x);
    // |√z₀·z₁|² = |z₀||z₁|²
    let (a, b, w) = (x.1[0], x.1[1], x.2.unwrap());
    assert!((dt - a.norm() * b.norm_sqr()).abs() < 1e-13);
    assert!((dz[0] - a / a.norm() * b.norm_sqr() * 2.0).norm() < 1e-12);
    assert!((dz[1] - b * a.norm() * 4.0).norm() < 1e-12);
    assert!((dw.unwrap() - w / w.norm()).norm() < 1e-15);
    let matrix = nalgebra::Matrix2::new(a, b, b, a);
    assert_eq!(gradient(|m| complex::norm_sqr(m[(0, 1)]), &matrix)[(0, 1)], b * 2.0);
    let (y, dy) = complex::value_and_jvp(|z| (z[0] * z[1], complex::abs(z[0])), &Z, &V);
    assert_eq!((y.0, dy.0), (Z[0] * Z[1], Z[0] * V[1] + Z[1] * V[0]));
    assert!((dy.1 - (Z[0].conj() * V[0]).re / Z[0].norm()).abs() < 1e-15);
}

/// A tangent has the rows and columns of its point, not only its number of entries.
#[test]
fn matrices_are_checked_by_shape() {
    use nalgebra::{Matrix2x3, Matrix3x2};
    let (m, v) = (Matrix2x3::from_element(c(1.0, 2.0)), Matrix3x2::from_element(c(0.0, 1.0)));
    let text = text_of(|| jvp(|m: &Matrix2x3<Dual<Complex64>>| m[0], &m, &v));
    assert_eq!(text, "jvp: the tangent has length 3, expected 2");
    let text = text_of(|| vjp(|m: &Matrix2x3<ComplexVar<f64>>| *m, &m, &v));
    assert_eq!(text, "vjp: the cotangent has length 3, expected 2");
    let (value, dm) = value_and_vjp(|m: &Matrix2x3<ComplexVar<f64>>| m.transpose(), &m, &v);
    assert_eq!((value, dm), (m.transpose(), v.transpose()));
    let flat = [c(0.0, 1.0); 6];
    let text = text_of(|| vjp(|m: &Matrix2x3<ComplexVar<f64>>| *m, &m, &flat));
    assert!(text.starts_with("vjp: the cotangent"), "{text}");
}

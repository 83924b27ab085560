//! The complex drivers: results into buffers, and what does not fit.

use num_complex::Complex64;
use wengert::complex::{
    self, gradient, gradient_into, jvp, jvp_into, try_value_and_gradient_into, try_value_and_jvp,
    try_value_and_jvp_into, try_value_and_vjp, try_value_and_vjp_into, value_and_gradient_into,
    value_and_jvp_into, value_and_vjp, value_and_vjp_into, vjp, vjp_into,
};
use wengert::{AdError, ComplexVar, Dual, Number};

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
    let (mut y, mut dy) = ([c(7.0, 7.0); 2], [c(7.0, 7.0); 2]);
    jvp_into(f, &Z, &V, &mut dy);
    assert_eq!(dy, tangent);
    dy = [c(7.0, 7.0); 2];
    value_and_jvp_into(f, &Z, &V, &mut y, &mut dy);
    assert_eq!((y, dy), (value, tangent));

    let cotangent = [b.conj() * V[0], a.conj() * V[0] + (b * 2.0).conj() * V[1]];
    assert_eq!(vjp(f, &Z, &V), cotangent);
    let (mut y, mut dz) = ([c(7.0, 7.0); 2], [c(7.0, 7.0); 2]);
    vjp_into(f, &Z, &V, &mut dz);
    assert_eq!(dz, cotangent);
    dz = [c(7.0, 7.0); 2];
    value_and_vjp_into(f, &Z, &V, &mut y, &mut dz);
    assert_eq!((y, dz), (value, cotangent));

    // Real results of complex arguments: |a|² + |b|².
    let length = |z: &[ComplexVar<f64>]| complex::norm_sqr(z[0]) + complex::norm_sqr(z[1]);
    let (r, want) = (a.norm_sqr() + b.norm_sqr(), [a * 2.0, b * 2.0]);
    assert_eq!(gradient(length, &Z), want);
    gradient_into(length, &Z, &mut dz);
    assert_eq!(dz, want);
    dz = [c(7.0, 7.0); 2];
    assert_eq!((value_and_gradient_into(length, &Z[..], &mut dz), dz), (r, want));
    let (mut w, mut dr) = ([0.0], [0.0]);
    value_and_vjp_into(|z| [length(z)], &Z, &[0.5], &mut w, &mut dz);
    assert_eq!((w, dz), ([r], [a, b]));
    jvp_into(|z| complex::norm_sqr(z[0]), &Z, &V, &mut dr);
    assert_eq!(dr, [2.0 * (a.conj() * V[0]).re]);
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_written() {
    let three = [c(1.0, 0.0); 3];
    let (mut y, mut dy) = ([c(7.0, 7.0); 2], [c(7.0, 7.0); 2]);
    let shape = |r: Result<(), AdError>, what: &str, expected: usize, got: usize| {
        let text = format!("the {what} has length {got}, expected {expected}");
        assert!(r.unwrap_err().to_string().ends_with(&text), "{text}");
    };
    shape(try_value_and_jvp(f, &Z, &three).map(|_| ()), "tangent", 2, 3);
    shape(try_value_and_jvp_into(f, &Z, &three, Some(&mut y), &mut dy), "tangent", 2, 3);
    shape(try_value_and_jvp_into(f, &Z, &V, Some(&mut y[..1]), &mut dy), "value buffer", 2, 1);
    shape(try_value_and_jvp_into(f, &Z, &V, Some(&mut y), &mut dy[..1]), "tangent buffer", 2, 1);
    shape(try_value_and_vjp(f, &Z, &three).map(|_| ()), "cotangent", 2, 3);
    shape(try_value_and_vjp_into(f, &Z, &three, Some(&mut y), &mut dy), "cotangent", 2, 3);
    shape(try_value_and_vjp_into(f, &Z, &V, Some(&mut y[..1]), &mut dy), "value buffer", 2, 1);
    shape(try_value_and_vjp_into(f, &Z, &V, Some(&mut y), &mut dy[..1]), "cotangent buffer", 2, 1);
    let real = |z: &[ComplexVar<f64>]| complex::abs(z[0]);
    shape(try_value_and_gradient_into(real, &Z, &mut dy[..1]).map(|_| ()), "gradient buffer", 2, 1);
    assert_eq!((y, dy), ([c(7.0, 7.0); 2], [c(7.0, 7.0); 2]));
    let short = std::panic::catch_unwind(|| gradient_into(real, &Z, &mut [c(0.0, 0.0)]));
    let text = short.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*text, "gradient: the gradient buffer has length 1, expected 2");
}

/// A tangent has the rows and columns of its point, not only as many entries.
#[test]
fn matrices_are_checked_by_shape() {
    use nalgebra::{Matrix2x3, Matrix3x2};
    let (m, v) = (Matrix2x3::from_element(c(1.0, 2.0)), Matrix3x2::from_element(c(0.0, 1.0)));
    let text = |e: AdError| e.to_string();
    let e = try_value_and_jvp(|m: &Matrix2x3<Dual<Complex64>>| m[0], &m, &v).unwrap_err();
    assert_eq!(text(e), "jvp: the tangent is 3 × 2, expected 2 × 3");
    let e = try_value_and_vjp(|m: &Matrix2x3<ComplexVar<f64>>| *m, &m, &v).unwrap_err();
    assert_eq!(text(e), "vjp: the cotangent is 3 × 2, expected 2 × 3");
    let (value, dm) = value_and_vjp(|m: &Matrix2x3<ComplexVar<f64>>| m.transpose(), &m, &v);
    assert_eq!((value, dm), (m.transpose(), v.transpose()));
    let flat = [c(0.0, 1.0); 6];
    let e =
        try_value_and_vjp_into(|m: &Matrix2x3<ComplexVar<f64>>| *m, &m, &flat, None, &mut [c(0.0, 0.0); 6]);
    assert_eq!(text(e.unwrap_err()), "vjp: the cotangent is 6 × 1, expected 2 × 3");
}

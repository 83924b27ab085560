//! The imaginary step at arguments and tangents of any size, and where the function is not real.

use num_complex::Complex64;
use wengert::primitive::{call, from_complex_step};
use wengert::{AdError, Dual, gradient};

type OnComplex = fn(Complex64) -> Complex64;

/// The derivative along `dx`, forward; backward the derivative times `dx`.
fn along(f: OnComplex, x: f64, dx: f64) -> [f64; 2] {
    let rule = from_complex_step("f", 1, move |x| vec![f(x[0][0])]);
    let ahead = call(&rule, &[&[Dual::new(x, dx)]]).unwrap()[0].tangent();
    [ahead, gradient(|x| call(&rule, &[x]).unwrap()[0], &[x])[0] * dx]
}

#[test]
fn arguments_and_tangents_of_any_size() {
    let exp: OnComplex = |z| z.exp();
    let (square, cube): (OnComplex, OnComplex) = (|z| z * z, |z| z * z * z);
    let reciprocal: OnComplex = |z| Complex64::new(1.0, 0.0) / z;
    for (f, x, dx, want) in [
        (exp, -600.0, 1.0, (-600.0f64).exp()),
        (exp, -500.0, 1.0, (-500.0f64).exp()),
        (exp, 0.0, 1.0, 1.0),
        (cube, 1e-60, 1.0, 3e-120),
        (cube, 1e60, 1.0, 3e120),
        (|z| z.ln(), 1e-110, 1.0, 1e110),
        (|z| z.ln(), 1e-290, 1.0, 1e290),
        (reciprocal, 1e-100, 1.0, -1e200),
        (square, 3.0, 1e250, 6e250),
        (square, 3.0, -1e300, -6e300),
        (square, 3.0, 1e-300, 6e-300),
        (square, 1e-10, 1e300, 2e290),
        (|z| z.sin(), 0.0, 1e250, 1e250),
        (|z| z.sin(), 0.0, -2.0, -2.0),
    ] {
        for got in along(f, x, dx) {
            assert!((got - want).abs() <= 4e-15 * want.abs(), "{x} {dx}: {got:e} {want:e}");
        }
    }
    // Below the range of numbers.
    assert_eq!(along(cube, 1e-120, 1.0), [0.0; 2]);
}

/// Several arguments of different sizes along one direction.
#[test]
fn several_arguments() {
    let f = from_complex_step("f", 1, |x| vec![x[0][0] * x[0][0] + x[0][1].exp() + x[0][2]]);
    let x = [Dual::new(1e5, 2.0), Dual::new(-3.0, 1e3), Dual::new(0.0, 5.0)];
    let want = 4e5 + 1e3 * (-3.0f64).exp() + 5.0;
    let got = call(&f, &[&x]).unwrap()[0].tangent();
    assert!((got - want).abs() <= 4e-15 * want, "{got} {want}");
    let still =
        call(&f, &[&[Dual::new(1.0, f64::NAN), Dual::constant(1.0), Dual::constant(1.0)]]).unwrap()[0];
    assert!(still.tangent().is_nan());
}

/// Values are the values at numbers without imaginary parts.
#[test]
fn values_at_the_edges() {
    let value = |f: OnComplex, x: f64| {
        call(&from_complex_step("f", 1, move |x| vec![f(x[0][0])]), &[&[x]]).unwrap()[0]
    };
    assert_eq!(value(|z| z * z, f64::INFINITY), f64::INFINITY);
    assert_eq!(value(|z| z + 1.0, f64::NEG_INFINITY), f64::NEG_INFINITY);
    // A power by logarithms is real up to rounding.
    assert!((value(|z| z.powf(3.0), -2.0) + 8.0).abs() < 1e-14);
    // On the cut: not real, and so without a value and a derivative.
    assert!(value(|z| z.sqrt(), -4.0).is_nan());
    let root = from_complex_step("root", 1, |x| vec![x[0][0].sqrt()]);
    let lost = AdError::NotANumber { op: "root", rule: "value", argument: None, x: None, result: Some(0) };
    assert_eq!(call(&root, &[&[Dual::variable(-4.0)]]).unwrap_err(), lost);
}

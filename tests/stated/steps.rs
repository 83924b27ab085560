//! Differences at arguments of any size: as accurate as their documentation says.

use wengert::primitive::{call, with_finite_differences};
use wengert::{Dual, gradient};

const EPS: f64 = f64::EPSILON;

/// A function, its derivative, and the length over which it changes shape at `x`.
struct Subject {
    name: &'static str,
    f: fn(f64) -> f64,
    df: fn(f64) -> f64,
    length: fn(f64) -> f64,
}

const SUBJECTS: [Subject; 8] = [
    Subject { name: "x³", f: |x| x * x * x, df: |x| 3.0 * x * x, length: f64::abs },
    Subject { name: "1/x", f: |x| 1.0 / x, df: |x| -1.0 / (x * x), length: f64::abs },
    Subject { name: "ln", f: |x| x.abs().ln(), df: |x| 1.0 / x, length: f64::abs },
    Subject { name: "sin", f: f64::sin, df: f64::cos, length: |_| 1.0 },
    Subject {
        name: "exp(−x²)", f: |x| (-x * x).exp(), df: |x| -2.0 * x * (-x * x).exp(), length: |_| 1.0
    },
    Subject { name: "1 + x", f: |x| 1.0 + x, df: |_| 1.0, length: |_| f64::INFINITY },
    Subject { name: "cos", f: |x| (x + 0.5).cos(), df: |x| -(x + 0.5).sin(), length: |_| 1.0 },
    Subject {
        name: "atan 100x",
        f: |x| (100.0 * x).atan(),
        df: |x| 100.0 / (1.0 + 1e4 * x * x),
        length: |x| x.abs().max(0.01),
    },
];

/// What the documentation says of the error, "a few times" being four.
fn bound(subject: &Subject, x: f64) -> f64 {
    let (f, df) = ((subject.f)(x).abs(), (subject.df)(x).abs());
    let size = if x == 0.0 { 1.0 } else { x.abs() };
    let length = (subject.length)(x).min(size);
    if df == 0.0 { 0.0 } else { 4.0 * (EPS * (f / df + size) / length).powf(0.8) * df }
}

#[test]
fn small_and_large_arguments() {
    for subject in SUBJECTS {
        for x in [1e-6, -1e-6, 1e6, -1e6, 1e-3, 0.7, -3.0, 1e3, 1e-12] {
            let f = with_finite_differences(subject.name, 1, move |x| vec![(subject.f)(x[0][0])]);
            let want = (subject.df)(x);
            let ahead = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
            let back = gradient(|x| call(&f, &[x]).unwrap()[0], &[x])[0];
            for got in [ahead, back] {
                let (error, bound) = ((got - want).abs(), bound(&subject, x));
                assert!(error <= bound, "{} at {x}: {got} {want}, {error:e} {bound:e}", subject.name);
            }
        }
    }
}

#[test]
fn zero() {
    for subject in &SUBJECTS[3..] {
        let f = with_finite_differences(subject.name, 1, |x| vec![(subject.f)(x[0][0])]);
        let got = call(&f, &[&[Dual::variable(0.0)]]).unwrap()[0].tangent();
        let (want, bound) = ((subject.df)(0.0), bound(subject, 0.0));
        assert!((got - want).abs() <= bound, "{}: {got} {want} {bound:e}", subject.name);
    }
    // A power that vanishes there to all the orders that the five points see.
    let f = with_finite_differences("x⁴", 1, |x| vec![x[0][0].powi(4)]);
    assert_eq!(call(&f, &[&[Dual::variable(0.0)]]).unwrap()[0].tangent(), 0.0);
}

/// No step takes an argument to zero or beyond: the function of a positive number is never asked at another.
#[test]
fn arguments_keep_their_signs() {
    for x in [1e-300, 1e-6, 1.0, 1e6] {
        let f = with_finite_differences("guarded", 1, |x| {
            assert!(x[0][0] > 0.0, "asked at {}", x[0][0]);
            // Differences of the first steps are lost in rounding, so that longer ones are tried.
            vec![1e9 + x[0][0].sqrt()]
        });
        let tangent: f64 = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
        assert!(tangent.is_finite());
    }
}

/// Edges of domains within the step, and code that is constant, or NaN.
#[test]
fn edges() {
    let f = with_finite_differences("acos", 1, |x| vec![x[0][0].acos()]);
    let x = 1.0 - 1e-6;
    let got: f64 = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
    let want = -1.0 / ((1.0 - x) * (1.0 + x)).sqrt();
    assert!((got - want).abs() < 1e-7 * want.abs(), "{got} {want}");
    let f = with_finite_differences("constant", 1, |_| vec![7.0]);
    assert_eq!(call(&f, &[&[Dual::variable(3.0)]]).unwrap()[0].tangent(), 0.0);
    let f = with_finite_differences("lost", 1, |x| vec![x[0][0] * f64::NAN]);
    assert!(call(&f, &[&[Dual::variable(3.0_f64)]]).unwrap()[0].tangent().is_nan());
}

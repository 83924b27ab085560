//! Differences at arguments of any size: as accurate as in their documentation.

use wengert::primitive::{call, from_finite_differences};
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

/// The bound of the error in the documentation, with four for "a few times".
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
            let f = from_finite_differences(subject.name, 1, move |x| vec![(subject.f)(x[0][0])]);
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
        let f = from_finite_differences(subject.name, 1, |x| vec![(subject.f)(x[0][0])]);
        let got = call(&f, &[&[Dual::variable(0.0)]]).unwrap()[0].tangent();
        let (want, bound) = ((subject.df)(0.0), bound(subject, 0.0));
        assert!((got - want).abs() <= bound, "{}: {got} {want} {bound:e}", subject.name);
    }
    // A power that vanishes there to all the orders that the five points see.
    let f = from_finite_differences("x⁴", 1, |x| vec![x[0][0].powi(4)]);
    assert_eq!(call(&f, &[&[Dual::variable(0.0)]]).unwrap()[0].tangent(), 0.0);
}

/// No step takes an argument to zero or beyond: a function of a positive number never runs at another number.
#[test]
fn arguments_keep_their_signs() {
    for x in [1e-300, 1e-6, 1.0, 1e6] {
        let f = from_finite_differences("guarded", 1, |x| {
            assert!(x[0][0] > 0.0, "asked at {}", x[0][0]);
            // Differences of the first steps are lost in rounding, so that longer ones are tried.
            vec![1e9 + x[0][0].sqrt()]
        });
        let tangent: f64 = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
        // The rounding error at 10⁹ with the longest step.
        let (want, noise) = (0.5 / x.sqrt(), 1e9 * EPS / (0.1 * x));
        assert!((tangent - want).abs() <= noise + 1e-4 * want, "{x}: {tangent} {want}");
    }
}

/// Edges of domains within the step, and code that is constant, or NaN.
#[test]
fn edges() {
    let f = from_finite_differences("acos", 1, |x| vec![x[0][0].acos()]);
    let x = 1.0 - 1e-6;
    let got: f64 = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
    let want = -1.0 / ((1.0 - x) * (1.0 + x)).sqrt();
    assert!((got - want).abs() < 1e-7 * want.abs(), "{got} {want}");
    let f = from_finite_differences("constant", 1, |_| vec![7.0]);
    assert_eq!(call(&f, &[&[Dual::variable(3.0)]]).unwrap()[0].tangent(), 0.0);
    let f = from_finite_differences("lost", 1, |x| vec![x[0][0] * f64::NAN]);
    let lost = call(&f, &[&[Dual::variable(3.0_f64)]]).unwrap_err().to_string();
    assert!(lost.starts_with("lost: its value is NaN in result 0"), "{lost}");
}

/// Code that is exact to `unit` only: a function, its derivative, and the values as this code computes them.
struct Coarse {
    name: &'static str,
    f: fn(f64) -> f64,
    df: fn(f64) -> f64,
    /// The largest error of a value.
    unit: fn(f64) -> f64,
}

const COARSE: [Coarse; 5] = [
    Coarse { name: "f32 sin", f: |x| f64::from((x as f32).sin()), df: f64::cos, unit: single },
    Coarse {
        name: "f32 exp",
        f: |x| f64::from((x as f32).exp()),
        df: f64::exp,
        unit: |x| single(x) + single(x.exp()),
    },
    Coarse { name: "exp to 1e-4", f: |x| (x.exp() * 1e4).round() / 1e4, df: f64::exp, unit: |_| 5e-5 },
    Coarse { name: "exp to 1e-8", f: |x| (x.exp() * 1e8).round() / 1e8, df: f64::exp, unit: |_| 5e-9 },
    Coarse { name: "sin to 1e-8", f: |x| (x.sin() * 1e8).round() / 1e8, df: f64::cos, unit: |_| 5e-9 },
];

/// Half a unit in the last place of f32, of the argument and the result.
fn single(x: f64) -> f64 {
    x.abs() * f64::from(f32::EPSILON)
}

/// Never zero, and as exact as in the documentation: mostly within ten times the `⅘` law, at most forty times; a
/// tenth where a step holds few units of the values.
#[test]
fn code_that_is_not_exact_to_its_last_digits() {
    for Coarse { name, f, df, unit } in COARSE {
        let rule = from_finite_differences(name, 1, move |x| vec![f(x[0][0])]);
        let mut typical = Vec::new();
        for i in 0..400 {
            let x = 0.05 + 0.01 * f64::from(i);
            let got: f64 = call(&rule, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
            let (want, unit) = (df(x), unit(x));
            let law = (unit / want.abs() / x.min(1.0)).powf(0.8) * want.abs();
            let (error, coarse) = ((got - want).abs(), if unit > 1e-5 { 0.1 * want.abs() } else { 0.0 });
            assert!(error <= coarse.max(40.0 * law), "{name} at {x}: {got} {want}, {error:e} {law:e}");
            assert!(got != 0.0, "{name} at {x}");
            typical.push(error / law);
        }
        typical.sort_by(f64::total_cmp);
        assert!(typical[200] < 1.0 && typical[360] < 10.0, "{name}: {} {}", typical[200], typical[360]);
    }
}

/// A kink next to the point does not make the code inexact: the derivative is the derivative of the side.
#[test]
fn beside_a_kink() {
    let ramp = from_finite_differences("ramp", 1, |x| vec![(x[0][0] - 1.0).max(0.0)]);
    for near in [0.3, 0.1, 0.03, 1e-2, 1e-3, 3e-4, 1e-5] {
        let [below, above] = [1.0 - near, 1.0 + near]
            .map(|x| -> f64 { call(&ramp, &[&[Dual::variable(x)]]).unwrap()[0].tangent() });
        assert_eq!(below, 0.0, "{near} below");
        assert!((above - 1.0).abs() < 1e-9, "{near} above: {above}");
    }
}

/// Near the largest float there is room on one side only.
#[test]
fn arguments_at_the_end_of_the_range() {
    // Functions with their derivatives at x, whose values are floats there.
    type Row = (&'static str, fn(f64) -> f64, fn(f64) -> f64);
    let rows: [Row; 6] = [
        ("x", |x| x, |_| 1.0),
        ("√", |x| x.abs().sqrt(), |x| 0.5 / x.abs().sqrt() * x.signum()),
        ("ln", |x| x.abs().ln(), |x| 1.0 / x),
        ("¾x", |x| 0.75 * x - 1e300, |_| 0.75),
        ("x²", |x| (x * 1e-160) * (x * 1e-160), |x| 2.0 * (x * 1e-160) * 1e-160),
        ("1e10/x", |x| 1e10 / x, |x| -(1e10 / x) / x),
    ];
    for (name, f, df) in rows {
        for share in [1.0, 1.0 - 1e-15, 1.0 - 1e-9, 0.999, 0.9978, 0.99, 0.7] {
            for x in [share * f64::MAX, -share * f64::MAX] {
                let opaque = from_finite_differences(name, 1, move |x| vec![f(x[0][0])]);
                let ahead: f64 = call(&opaque, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
                let back = gradient(|x| call(&opaque, &[x]).unwrap()[0], &[x])[0];
                // As in the documentation: the formula, and two digits. A few units where the derivative is
                // subnormal.
                let eta = EPS * (f(x).abs() / df(x).abs() / x.abs() + 1.0);
                let share = if df(x) == 0.0 { 0.0 } else { 400.0 * eta.powf(0.8) };
                let bound = share * df(x).abs() + 2e-323;
                for got in [ahead, back] {
                    assert!((got - df(x)).abs() <= bound, "{name} at {x:e}: {got:e} for {:e}", df(x));
                }
            }
        }
    }
    // One argument leaves the range upwards, the other downwards.
    let f = from_finite_differences("mean", 2, |x| vec![0.25 * x[0][0] - 0.5 * x[1][0]]);
    let x = [f64::MAX, -f64::MAX].map(|x| Dual::new(x, 1.0));
    let tangent: f64 = call(&f, &[&x[..1], &x[1..]]).unwrap()[0].tangent();
    assert!((tangent + 0.25).abs() < 1e-9, "{tangent}");
    assert_eq!(gradient(|x| call(&f, &[&x[..1], &x[1..]]).unwrap()[0], &[f64::MAX, -f64::MAX]).len(), 2);
}

//! Functions whose own rounding is much coarser than `f64`: single precision, tables, printed digits.

use wengert::check::{self, Check, Verdict};
use wengert::rules::Unary;
use wengert::{BaseFloat, Real};

/// Tolerances that leave room for seven digits, and the one without a setting.
const TOLERANCES: [f64; 7] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1];
const POINTS: [f64; 9] = [-3.0, -0.7, 1e-3, 0.3, 0.5, 1.0, 1.7, 2.0, 10.0];

/// Holds that a right derivative is not called wrong, and that a wrong one by `factor` does not pass.
fn hold(what: &str, f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, failed: &mut Vec<String>) {
    for x in POINTS {
        for tolerance in TOLERANCES {
            let check = Check::new().tolerance(tolerance);
            let right = check.derivative(&f, &df, x);
            if right.verdict() == Verdict::Wrong {
                failed.push(format!("{what} at {x}, tolerance {tolerance}: {right}"));
            }
            for factor in [-1.0, 0.0, 0.5, 1.5, 1.0 + (5.0 * tolerance).max(5e-4)] {
                let wrong = check.derivative(&f, |x| factor * df(x), x);
                if wrong.passed() && df(x) != 0.0 {
                    failed
                        .push(format!("{factor} times {what} at {x}, tolerance {tolerance} passes: {wrong}"));
                }
            }
        }
    }
}

#[test]
fn values_of_seven_digits_raise_no_alarm() {
    let mut failed = Vec::new();
    let single = |f: fn(f32) -> f32| move |x: f64| f64::from(f(x as f32));
    hold("exp at f32", single(f32::exp), single(f32::exp), &mut failed);
    hold("sin at f32", single(f32::sin), single(f32::cos), &mut failed);
    hold("tanh at f32", single(f32::tanh), single(|x| 1.0 - x.tanh().powi(2)), &mut failed);
    hold("exp, its value at f32", |x| f64::from(x.exp() as f32), f64::exp, &mut failed);
    for digits in [1e5, 1e7, 1e9, 1e11] {
        let rounded = |x: f64| (x * digits).round() / digits;
        hold("exp, rounded", |x| rounded(x.exp()), f64::exp, &mut failed);
        hold("sin, rounded", |x| rounded(x.sin()), f64::cos, &mut failed);
        hold("exp of a rounded argument", |x| rounded(x).exp(), f64::exp, &mut failed);
        hold("sin, cut off", |x| (x.sin() * digits).floor() / digits, f64::cos, &mut failed);
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

/// `sin(ωx + φ)`: at `f32` the argument of the sine is off by whole turns.
#[derive(Clone, Copy, Debug)]
struct Fast {
    omega: f64,
    phase: f64,
    factor: f64,
}

impl Unary for Fast {
    const NAME: &'static str = "fast";
    fn value<F: BaseFloat>(self, x: F) -> F {
        (x * F::from_double(self.omega) + F::from_double(self.phase)).sin()
    }
    fn derivative<T: Real>(self, x: T, _: T) -> T {
        (x * T::lit(self.omega) + T::lit(self.phase)).cos() * T::lit(self.factor * self.omega)
    }
}

#[test]
fn rules_that_rounding_at_f32_hides_are_not_wrong() {
    let mut failed = Vec::new();
    for omega in [1e2, 1e3, 31415.926, 1e5, 1e6, 3.3e6] {
        for phase in [0.0, 0.7, 1e3, 1e6] {
            for x in POINTS {
                let right = check::rule(Fast { omega, phase, factor: 1.0 }, x);
                if right.verdict() == Verdict::Wrong {
                    failed.push(format!("ω = {omega}, φ = {phase}: {right}"));
                }
                let wrong = check::rule(Fast { omega, phase, factor: 1.001 }, x);
                if wrong.passed() {
                    failed.push(format!("ω = {omega}, φ = {phase}, wrong: {wrong}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

//! Rules of users, written naturally: `value` calls functions as methods, including helpers over any number.

use core::f64::consts::FRAC_1_SQRT_2;

use num_complex::Complex;
use wengert::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};
use wengert::{BaseFloat, Dual, Number, Real};

/// The function of [`Methods`], over any real number.
fn helper<T: Real>(x: T) -> T {
    x.powi(2).sqrt() + x.erf()
}

/// A rule whose value uses what a base float has: functions, special ones, powers, comparisons, literals, helpers.
#[derive(Clone, Copy, Debug)]
struct Methods;

impl Unary for Methods {
    const NAME: &'static str = "methods";
    fn value<F: BaseFloat>(self, x: F) -> F {
        let y = x.exp()
            + x.sin().abs()
            + x.powi(2).sqrt()
            + (-x * F::from_double(FRAC_1_SQRT_2)).erfc() * F::lit(0.5);
        let z = if y > F::lit(1.0) && y < F::lit(1e9) { y.ln().mul_add(x, y) } else { y.max(x).hypot(x) };
        z + helper(x) + F::PI() + F::from_double(x.to_double())
    }
    fn derivative<T: Real>(self, x: T, _f: T) -> T {
        x.exp()
    }
}

#[test]
fn values_of_rules_are_written_with_methods() {
    let written = |x: f64| {
        let y = x.exp() + x.sin().abs() + x.powi(2).sqrt() + Real::erfc(-x * FRAC_1_SQRT_2) * 0.5;
        let z = if y > 1.0 { y.ln().mul_add(x, y) } else { y.max(x).hypot(x) };
        z + (x.powi(2).sqrt() + Real::erf(x)) + std::f64::consts::PI + x
    };
    for x in [-40.0, -1.5, 0.0, 0.3, 2.0] {
        let y = Dual::variable(Dual::variable(x)).lift1(Methods);
        assert_eq!(y.value().value(), written(x));
        assert_eq!(y.tangent().tangent(), f64::exp(x));
        assert_eq!(Real::lift1(x as f32, Methods), Methods.value(x as f32));
    }
}

/// `e^(z·sin z)`, one formula for real and complex numbers.
#[derive(Clone, Copy, Debug)]
struct One;

fn one<Z: Number>(z: Z) -> Z {
    (z * z.sin()).exp()
}

impl Holomorphic for One {
    const NAME: &'static str = "one";
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
        one(z)
    }
    fn derivative<T: Number>(self, x: T, f: T) -> T {
        f * (x.sin() + x * x.cos())
    }
}

/// `z^w·ln w`, the same of two variables.
#[derive(Clone, Copy, Debug)]
struct Two;

fn two<Z: Number>(z: Z, w: Z) -> Z {
    z.powc(w) * w.ln()
}

impl HolomorphicBinary for Two {
    const NAME: &'static str = "two";
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z {
        two(z, w)
    }
    fn partials<T: Number>(self, z: T, w: T, f: T) -> [T; 2] {
        [f * w / z, f * z.ln() + z.powc(w) / w]
    }
}

/// Whether two numbers are the same but for rounding.
fn close(a: Complex<f64>, b: Complex<f64>) -> bool {
    (a - b).norm() <= 1e-14 * b.norm()
}

#[test]
fn one_formula_serves_real_and_complex_numbers() {
    for x in [0.4, 1.7] {
        let (lifted, written) = (Dual::variable(x).lift_holomorphic(One), one(Dual::variable(x)));
        assert_eq!(lifted.value(), written.value());
        assert!(close(lifted.tangent().into(), written.tangent().into()));
        let (z, w) = (Dual::new(x, 0.5), Dual::new(1.5, -2.0));
        let (lifted, written) = (z.lift_holomorphic2(w, Two), two(z, w));
        assert_eq!(lifted.value(), written.value());
        assert!(close(lifted.tangent().into(), written.tangent().into()));
        let z = Dual::new(Complex::new(x, -0.8), Complex::new(0.5, 1.0));
        let w = Dual::new(Complex::new(1.2, x), Complex::new(-1.0, 2.0));
        for (lifted, written) in [(z.lift_holomorphic(One), one(z)), (z.lift_holomorphic2(w, Two), two(z, w))]
        {
            assert_eq!(lifted.value(), written.value());
            assert!(close(lifted.tangent(), written.tangent()));
        }
    }
}

/// `√(x² + y²)·e^(x/y)`.
#[derive(Clone, Copy, Debug)]
struct Pair;

impl Binary for Pair {
    const NAME: &'static str = "pair";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        x.hypot(y) * (x / y).exp()
    }
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2] {
        let r = x.hypot(y);
        [f * (x / r / r + y.recip()), f * (y / r / r - x / y / y)]
    }
}

#[test]
fn values_of_two_variables_are_written_with_methods() {
    let (x, y) = (Dual::new(0.6, 1.0), Dual::new(0.8, -0.5));
    let (lifted, written) = (x.lift2(y, Pair), x.hypot(y) * (x / y).exp());
    assert_eq!(lifted.value(), written.value());
    assert!(close(lifted.tangent().into(), written.tangent().into()));
}

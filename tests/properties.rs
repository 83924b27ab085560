//! Identities that hold for every program: linearity in the tangent, the chain rule against differences, one result
//! from every number type, and rules from outside the crate.

#[allow(dead_code)] // each test takes a part
#[macro_use]
mod support {
    #[macro_use]
    mod numbers;
    pub mod compare;
    pub mod programs;
    pub mod random;
    pub mod routes;
}

use num_complex::Complex;
use quickcheck::Testable;
use support::compare::{Findings, same_bits};
use support::programs::{RandomProgram, Small};
use support::routes::{Program, Route};
use wengert::rules::{Binary, Holomorphic, HolomorphicBinary, RuleVisitor, Unary, visit_rules};
use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Number, Real};

fn check<P: Testable>(property: P) {
    support::random::check(2000, property);
}

type Pair = (Small, Small);

fn numbers(pair: Pair) -> [f64; 2] {
    [pair.0.0, pair.1.0]
}

fn jvp(program: &impl Program, x: &[f64], v: &[f64]) -> f64 {
    Dual::<f64>::run(program, x, &[v])[1]
}

/// `J(au + bw) = a·Ju + b·Jw`.
#[test]
fn tangents_are_linear() {
    fn property(program: RandomProgram, x: Pair, u: Pair, w: Pair, scales: Pair) -> bool {
        let ([a, b], x, u, w) = (numbers(scales), numbers(x), numbers(u), numbers(w));
        let combined = [a * u[0] + b * w[0], a * u[1] + b * w[1]];
        let parts = [jvp(&program, &x, &u) * a, jvp(&program, &x, &w) * b];
        let size: f64 = [[1.0, 0.0], [0.0, 1.0]].map(|e| jvp(&program, &x, &e).abs() * 16.0).iter().sum();
        (jvp(&program, &x, &combined) - parts[0] - parts[1]).abs() <= 1e-13 * size
    }
    check(property as fn(RandomProgram, Pair, Pair, Pair, Pair) -> bool);
}

/// `(f(x + hv) − f(x − hv))/2h`, extrapolated to an error of h⁴.
fn difference<V>(f: impl Fn(f64) -> V, h: f64) -> V
where
    V: std::ops::Sub<Output = V> + std::ops::Mul<f64, Output = V>,
{
    let central = |h: f64| (f(h) - f(-h)) * (0.5 / h);
    central(h) * (4.0 / 3.0) - central(2.0 * h) * (1.0 / 3.0)
}

/// The chain rule for compositions of table rules.
#[test]
fn tangents_are_slopes() {
    fn property(program: RandomProgram, x: Pair, v: Pair) -> bool {
        let (x, v) = (numbers(x), numbers(v));
        let f = |t: f64| program.call::<f64>(&[x[0] + t * v[0], x[1] + t * v[1]])[0];
        let (coarse, slope, tangent) = (difference(f, 1e-3), difference(f, 5e-4), jvp(&program, &x, &v));
        let scale = 1.0 + tangent.abs() + f(0.0).abs();
        // A difference that has not converged is no evidence about the tangent.
        (coarse - slope).abs() > 1e-9 * scale || (slope - tangent).abs() <= 1e-8 * scale
    }
    check(property as fn(RandomProgram, Pair, Pair) -> bool);
}

/// Nested duals, `HyperDual` and `Dual2` have the same second derivatives.
#[test]
fn second_orders_agree() {
    fn property(program: RandomProgram, x: Pair, u: Pair, w: Pair) -> bool {
        let (x, u, w) = (numbers(x), numbers(u), numbers(w));
        let nested = Dual::<Dual<f64>>::run(&program, &x, &[&u, &w]);
        let others = [
            HyperDual::<f64>::run(&program, &x, &[&u, &w]),
            Dual2::<f64, 2, 3>::run(&program, &x, &[&u, &w]),
        ];
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-11 * (1.0 + a.abs());
        others.iter().all(|other| nested.iter().zip(other).all(|(&a, &b)| close(a, b)))
    }
    check(property as fn(RandomProgram, Pair, Pair, Pair) -> bool);
}

/// The lanes of `DualN` are single directional derivatives, bit for bit.
#[test]
fn lanes_are_single_tangents() {
    fn property(program: RandomProgram, x: Pair, lanes: (Pair, Pair, Pair)) -> bool {
        let x = numbers(x);
        let lanes = [lanes.0, lanes.1, lanes.2].map(numbers);
        let seeded: [DualN<f64, 3>; 2] = [0, 1].map(|i| DualN::new(x[i], lanes.map(|v| v[i])));
        let together = program.call(&seeded)[0].tangents();
        lanes.iter().zip(together).all(|(v, lane)| same_bits(jvp(&program, &x, v), lane))
    }
    check(property as fn(RandomProgram, Pair, (Pair, Pair, Pair)) -> bool);
}

/// A user's real rule that does not define a second derivative.
#[derive(Clone, Copy, Debug)]
struct Cubic;
impl Unary for Cubic {
    const NAME: &'static str = "cubic";
    fn value<F: BaseFloat>(self, x: F) -> F {
        x * x * x - x
    }
    fn derivative<T: Real>(self, x: T, _f: T) -> T {
        x * x * T::lit(3.0) - T::lit(1.0)
    }
}

/// A user's rule with data, a second derivative and complex numbers: `1/(1 + c·x²)`.
#[derive(Clone, Copy, Debug)]
struct Witch(f64);
impl Holomorphic for Witch {
    const NAME: &'static str = "witch";
    fn value<F: BaseFloat>(self, x: F) -> F {
        F::from_double(1.0) / (F::from_double(1.0) + F::from_double(self.0) * x * x)
    }
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
        (z * z * Z::lit(self.0) + Z::lit(1.0)).recip()
    }
    fn derivative<T: Number>(self, x: T, f: T) -> T {
        x * f * f * T::lit(-2.0 * self.0)
    }
    fn second<T: Number>(self, x: T, f: T, d: T) -> Option<T> {
        Some((f * f + x * f * d * T::lit(2.0)) * T::lit(-2.0 * self.0))
    }
}

/// A user's rule of two variables: `sin(xy)`.
#[derive(Clone, Copy, Debug)]
struct SineOfProduct;
impl Binary for SineOfProduct {
    const NAME: &'static str = "sine_of_product";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        (x * y).sin()
    }
    fn partials<T: Real>(self, x: T, y: T, _f: T) -> [T; 2] {
        let c = (x * y).cos();
        [y * c, x * c]
    }
}

/// A user's holomorphic rule of two variables: `x·e^y`.
#[derive(Clone, Copy, Debug)]
struct Growth;
impl HolomorphicBinary for Growth {
    const NAME: &'static str = "growth";
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z {
        z * w.exp()
    }
    fn partials<T: Number>(self, _x: T, y: T, f: T) -> [T; 2] {
        [y.exp(), f]
    }
}

/// The user's rules, and the same functions in the crate's own.
struct Lifted;
struct Written;
impl Program for Lifted {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let (x, y) = (x[0], x[1]);
        vec![
            x.lift1(Cubic),
            x.lift1(Witch(0.7)),
            y.lift_holomorphic(Witch(1.3)),
            x.lift2(y, SineOfProduct),
            x.lift2(y, Growth),
            x.lift_holomorphic2(y, Growth),
        ]
    }
}
impl Program for Written {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let (x, y) = (x[0], x[1]);
        let growth = x * y.exp();
        let witch = |x: T, c: f64| (x * x * c + 1.0).recip();
        vec![x * x * x - x, witch(x, 0.7), witch(y, 1.3), (x * y).sin(), growth, growth]
    }
}

/// The user's rules have all derivatives at the type `R`.
fn user_rules_agree<R: Route<Base = f64>>(route: &str, x: &[f64], directions: &[&[f64]], all: &mut bool) {
    let along = &directions[..R::ORDER];
    let (lifted, written) = (R::run(&Lifted, x, along), R::run(&Written, x, along));
    let agree = lifted.iter().zip(&written).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()));
    if !agree {
        println!("{route}: {lifted:?} is not {written:?}");
    }
    *all &= agree;
}

/// Rules from outside the crate work at every type and nesting, on equal terms.
#[test]
fn user_rules_work_everywhere() {
    fn property(x: Pair, u: Pair, v: Pair, w: Pair) -> bool {
        let (x, u, v, w) = (numbers(x), numbers(u), numbers(v), numbers(w));
        let d: [&[f64]; 4] = [&u, &v, &w, &u];
        let mut agree = true;
        every_number!([kinds taped third nested deep] user_rules_agree(&x, &d, &mut agree));
        agree
    }
    check(property as fn(Pair, Pair, Pair, Pair) -> bool);
}

/// Compares complex derivatives of each holomorphic rule with differences along 1 and i.
#[derive(Default)]
struct Slopes(Findings);

/// Rules by parts: piecewise constant, not holomorphic.
const BY_PARTS: [&str; 5] = ["floor", "ceil", "round", "trunc", "fract"];

/// Points over the interval, on both sides of the real axis.
fn complex_points([lo, hi]: [f64; 2]) -> impl Iterator<Item = Complex<f64>> {
    let real = [0.1, 0.4, 0.55, 0.9].map(|t| lo + t * (hi - lo));
    real.into_iter().flat_map(|re| [-0.7, -0.2, 0.3, 1.1].map(|im| Complex::new(re, im)))
}

/// The value and the derivative at `z` along `dz`, with the second derivative along 1 and `dz`.
fn complex_derivatives<H: Holomorphic>(rule: H, z: Complex<f64>, dz: Complex<f64>) -> [Complex<f64>; 3] {
    let (one, zero) = (Complex::new(1.0, 0.0), Complex::new(0.0, 0.0));
    let y = HyperDual::new(z, one, dz, zero).lift_holomorphic(rule);
    let first = Dual::new(z, dz).lift_holomorphic(rule);
    assert_eq!((first.value(), first.tangent()), (y.value(), y.e2()), "{} at {z}", H::NAME);
    [y.value(), y.e2(), y.e12()]
}

impl RuleVisitor for Slopes {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        if BY_PARTS.contains(&H::NAME) {
            return;
        }
        for (z, dz) in
            complex_points(on).flat_map(|z| [Complex::new(1.0, 0.0), Complex::i()].map(|dz| (z, dz)))
        {
            let [value, first, second] = complex_derivatives(rule, z, dz);
            let own = rule.value_complex(z);
            self.0.check(value == own, || format!("{} at {z}: value {value}, complex {own}", H::NAME));
            let slope = difference(|t| rule.value_complex(z + dz * t), 1e-3);
            let curvature =
                difference(|t| complex_derivatives(rule, z + dz * t, Complex::new(1.0, 0.0))[1], 1e-3);
            for (name, got, want) in [("first", first, slope), ("second", second, curvature)] {
                let close = (got - want).norm() <= 1e-8 * (1.0 + want.norm());
                self.0.check(close, || {
                    format!("{} {name} at {z} along {dz}: got {got}, slope {want}", H::NAME)
                });
            }
        }
    }
    fn unary<U: Unary>(&mut self, _rule: U, _on: [f64; 2]) {}
    fn binary<B: Binary>(&mut self, _rule: B, _on: [[f64; 2]; 2]) {}
}

/// `f′(z)·ż` of every holomorphic rule is the derivative along 1 and along i.
#[test]
fn complex_tangents_are_slopes() {
    let mut slopes = Slopes::default();
    visit_rules(&mut slopes);
    slopes.holomorphic(Witch(0.7), [-2.0, 2.0]);
    slopes.0.report(3000);
}

/// `z^w` and a user's rule of two complex variables, in each.
#[test]
fn complex_partials_are_slopes() {
    type Number2 = fn(Dual<Complex<f64>>, Dual<Complex<f64>>) -> Dual<Complex<f64>>;
    let rules: [Number2; 3] = [|z, w| z.powc(w), |z, w| z.powf(w), |z, w| z.lift_holomorphic2(w, Growth)];
    let (i, zero) = (Complex::i(), Complex::new(0.0, 0.0));
    for (k, rule) in rules.iter().enumerate() {
        for (z, w) in complex_points([0.5, 3.0]).zip(complex_points([-2.0, 2.0])) {
            for (dz, dw) in [(i, zero), (zero, i), (i * 0.5 + 1.0, i - 2.0)] {
                let value = |t: f64| rule(Dual::constant(z + dz * t), Dual::constant(w + dw * t)).value();
                let (slope, got) =
                    (difference(value, 1e-3), rule(Dual::new(z, dz), Dual::new(w, dw)).tangent());
                assert!(
                    (got - slope).norm() <= 1e-8 * (1.0 + slope.norm()),
                    "rule {k} at {z}, {w}: {got}, {slope}"
                );
            }
        }
    }
}

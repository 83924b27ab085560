//! Verdicts at points where a derivative is hard to see: zeros of it, kinks, steps longer than a period, the ends of
//! the range of floats.

use std::any::TypeId;
use std::sync::{Arc, Mutex};

use num_complex::Complex64;
use wengert::check::{self, Check, Report, Verdict};
use wengert::primitive::{PrimalNumber, Primitive, call, from_jvp, from_jvp_and_vjp, from_vjp};
use wengert::rules::{self, Binary, Holomorphic, Unary};
use wengert::{AdError, BaseFloat, LinearMap, Number, Real, VectorFunction, function};

/// A rule with its derivative times a factor.
#[derive(Clone, Copy, Debug)]
struct Times<R>(R, f64);

impl<U: Unary> Unary for Times<U> {
    const NAME: &'static str = U::NAME;
    fn value<F: BaseFloat>(self, x: F) -> F {
        self.0.value(x)
    }
    fn derivative<T: Real>(self, x: T, f: T) -> T {
        self.0.derivative(x, f) * T::lit(self.1)
    }
}

/// A rule as a function of vectors.
struct Lifted<U>(U);

impl<U: Unary> VectorFunction for Lifted<U> {
    fn outputs(&self, _: usize) -> usize {
        1
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        y[0] = x[0].lift1(self.0);
    }
}

fn wrong(report: Report) {
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
}
fn open(report: Report) {
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
}
fn no_alarm(report: Report) {
    assert_ne!(report.verdict(), Verdict::Wrong, "{report}");
}

/// The sum with a number beside which the other one disappears: no difference shows whether its derivative is 1.
#[test]
fn partials_that_rounding_absorbs_are_open() {
    #[derive(Clone, Copy, Debug)]
    struct Lost;
    impl Binary for Lost {
        const NAME: &'static str = "lost";
        fn value<F: BaseFloat>(self, x: F, y: F) -> F {
            x + y
        }
        fn partials<T: Real>(self, _: T, _: T, _: T) -> [T; 2] {
            [T::lit(0.0), T::lit(1.0)]
        }
    }
    open(check::binary(Lost, -2e5, 1e200));
    open(check::binary(Lost, 1.0, 1e17));
    wrong(check::binary(Lost, 1.0, 1e5));
}

/// A factor, also −1, times a derivative that is zero.
#[test]
fn factors_show_where_the_derivative_is_zero() {
    fn each<U: Unary>(rule: U, x: f64) {
        check::rule(rule, x).assert_ok();
        check::function(&Lifted(rule), &[x]).assert_ok();
        for factor in [-1.0, 0.0, 7.0, 1.001] {
            wrong(check::rule(Times(rule, factor), x));
            wrong(check::function(&Lifted(Times(rule, factor)), &[x]));
        }
    }
    each(rules::Cos, 0.0);
    each(rules::Cos, -0.0);
    each(rules::Cos, std::f64::consts::PI);
    each(rules::Sin, std::f64::consts::FRAC_PI_2);
    each(rules::Cosh, 0.0);
    each(rules::Square, 0.0);
    each(rules::Gaussian, 0.0);
    each(rules::Sinc, 0.0);
    // Where the second derivative is zero too, differences may be undecided, but confirm nothing.
    for n in [3, 4, 5] {
        no_alarm(check::rule(rules::Powi(n), 0.0));
        assert!(!check::rule(Times(rules::Powi(n), 7.0), 0.0).passed());
    }
    let square = |factor: f64| {
        let (value, jvp) = (
            |x: &[&[f64]]| vec![x[0][0] * x[0][0]],
            move |x: &[&[f64]], dx: &[&[f64]]| vec![2.0 * factor * x[0][0] * dx[0][0]],
        );
        check::primitive(&from_jvp("square", 1, value, jvp), &[&[0.0]])
    };
    square(1.0).assert_ok();
    wrong(square(7.0));
    wrong(square(-1.0));
    // A statement may hold only at its point.
    check::derivative(f64::cos, |x| -x.sin(), 0.0).assert_ok();
    open(check::derivative(f64::cos, f64::sin, 0.0));
    open(check::derivative(|x| x * x, |_| 0.0, 0.0));
    Check::new().reference([0.0]).derivative(|x| x * x, |_| 0.0, 0.0).assert_ok();
}

/// `x·y` with factors in its partials.
#[derive(Clone, Copy, Debug)]
struct Product([f64; 2]);

impl Binary for Product {
    const NAME: &'static str = "product";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        x * y
    }
    fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] {
        [y * T::lit(self.0[0]), x * T::lit(self.0[1])]
    }
}

#[test]
fn factors_show_where_both_partials_are_zero() {
    for at in [[0.0, 0.0], [0.0, 3.0], [-2.0, 0.0], [1e-30, 1e-30]] {
        check::binary(Product([1.0; 2]), at[0], at[1]).assert_ok();
        for factors in [[7.0, 7.0], [-1.0, -1.0], [1.0, 7.0], [7.0, 1.0], [0.0, 0.0]] {
            wrong(check::binary(Product(factors), at[0], at[1]));
        }
    }
}

/// `cos`, with a derivative that is right at zeros of the function, and a second derivative that belongs to it.
#[derive(Clone, Copy, Debug)]
struct RightAtZeros;

impl Holomorphic for RightAtZeros {
    const NAME: &'static str = "cos";
    fn value<F: BaseFloat>(self, x: F) -> F {
        x.cos()
    }
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
        z.cos()
    }
    fn derivative<T: Number>(self, x: T, f: T) -> T {
        f - x.sin()
    }
}

#[test]
fn second_derivatives_belong_to_the_values() {
    let zero = std::f64::consts::FRAC_PI_2;
    wrong(check::rule(RightAtZeros, zero));
    wrong(check::holomorphic(RightAtZeros, zero.into()));
    wrong(check::function(&Lifted(RightAtZeros), &[zero]));
}

/// A tape calls a primitive more than once before it sweeps.
#[test]
fn state_of_the_last_call_of_value_is_found() {
    let last = Arc::new(Mutex::new(0.0));
    let seen = last.clone();
    let value = move |x: &[&[f64]]| {
        *last.lock().unwrap() = x[0][0];
        vec![x[0][0] * x[0][0]]
    };
    let vjp = move |_: &[&[f64]], w: &[f64]| vec![vec![2.0 * *seen.lock().unwrap() * w[0]]];
    let stateful = from_vjp("square", 1, value.clone(), vjp.clone());
    wrong(check::primitive(&stateful, &[&[2.0]]));
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| vec![2.0 * x[0][0] * dx[0][0]];
    let both = from_jvp_and_vjp("square", 1, value, jvp, vjp);
    wrong(check::primitive(&both, &[&[2.0]]));
}

/// `x²` that is wrong at `f32` only: too small a number, or a branch.
#[derive(Clone, Copy, Debug)]
enum AtSingle {
    Underflows,
    Branches,
    Value,
    Nothing,
}

fn is_single<F: 'static>() -> bool {
    TypeId::of::<F>() == TypeId::of::<f32>()
}

impl AtSingle {
    fn of<F: BaseFloat>(self, x: F) -> F {
        if is_single::<F>() && matches!(self, AtSingle::Value) { x } else { x * x }
    }
    fn slope<T: Number>(self, x: T) -> T {
        match self {
            AtSingle::Underflows => x * T::lit(2e60) * T::lit(1e-60),
            AtSingle::Branches if is_single::<T::Base>() => x,
            _ => x * T::lit(2.0),
        }
    }
}

impl Holomorphic for AtSingle {
    const NAME: &'static str = "square";
    fn value<F: BaseFloat>(self, x: F) -> F {
        self.of(x)
    }
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
        if is_single::<Z::Base>() && matches!(self, AtSingle::Value) { z } else { z * z }
    }
    fn derivative<T: Number>(self, x: T, _: T) -> T {
        self.slope(x)
    }
}

/// `x²·y`, with the fault in `x`.
#[derive(Clone, Copy, Debug)]
struct Weighted(AtSingle);

impl Binary for Weighted {
    const NAME: &'static str = "weighted";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        self.0.of(x) * y
    }
    fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] {
        [self.0.slope(x) * y, x * x]
    }
}

#[test]
fn rules_run_at_both_floats() {
    for x in [0.3, -20.0, 2.0, 1e4] {
        for fault in [AtSingle::Underflows, AtSingle::Branches, AtSingle::Value] {
            wrong(check::rule(fault, x));
            wrong(check::binary(Weighted(fault), x, 0.7));
            wrong(check::holomorphic(fault, Complex64::new(x, 0.4)));
        }
        check::rule(AtSingle::Nothing, x).assert_ok();
        check::binary(Weighted(AtSingle::Nothing), x, 0.7).assert_ok();
        check::holomorphic(AtSingle::Nothing, Complex64::new(x, 0.4)).assert_ok();
    }
    let text = check::rule(AtSingle::Branches, 1.0).to_string();
    assert!(text.contains("the derivative at f32 is 1, at f64 2"), "{text}");
}

/// Between the derivatives to both sides nothing can be decided; beyond them a claim is wrong.
#[test]
fn kinks_are_open_between_their_slopes() {
    let relu = |x: f64| x.max(0.0);
    let leaky = |x: f64| if x > 0.0 { x } else { 0.01 * x };
    let bounded = |x: f64| x.max(1.0);
    for slope in [0.0, 0.3, 0.5, 1.0] {
        open(check::derivative(relu, move |_| slope, 0.0));
        open(check::derivative(f64::abs, move |_| slope, 0.0));
        open(check::derivative(bounded, move |_| slope, 1.0));
        open(check::derivative(bounded, move |_| slope, 1.0 + 1e-12));
        open(check::derivative(bounded, move |_| slope, 1.0 - 1e-12));
        open(check::derivative(leaky, move |_| slope.max(0.01), 0.0));
    }
    for slope in [-0.5, 1.5, 7.0] {
        wrong(check::derivative(relu, move |_| slope, 0.0));
        wrong(check::derivative(leaky, move |_| slope, 0.0));
        wrong(check::derivative(bounded, move |_| slope, 1.0));
    }
    wrong(check::derivative(f64::abs, |_| 1.5, 0.0));
    // Where a kink is far enough, it hides nothing.
    check::derivative(bounded, |_| 1.0, 1.0 + 1e-6).assert_ok();
    wrong(check::derivative(bounded, |_| 0.5, 1.0 + 1e-6));
    // The crate's own.
    let clamp = function!(|x, y: [_; 1]| y[0] = x[0].clamp(-1.0, 1.0));
    let relu = function!(|x, y: [_; 1]| y[0] = x[0].max(0.0));
    let branch = function!(|x, y: [_; 1]| y[0] = if x[0] > 0.0 { x[0] } else { x[0] * 0.01 });
    open(check::function(&clamp, &[1.0]));
    open(check::function(&clamp, &[-1.0]));
    open(check::function(&relu, &[0.0]));
    open(check::function(&branch, &[0.0]));
    check::function(&relu, &[2.0]).assert_ok();
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| vec![if x[0][0] > 0.0 { dx[0][0] } else { 0.0 }];
    open(check::primitive(&from_jvp("relu", 1, |x| vec![x[0][0].max(0.0)], jvp), &[&[0.0]]));
}

/// Arguments so large that steps in their proportion are longer than a period.
#[test]
fn steps_longer_than_a_period_refute_nothing() {
    for k in 0..200 {
        let x = 2.5e6 + 1234.567 * f64::from(k);
        no_alarm(check::rule(rules::Sin, x));
        no_alarm(check::rule(rules::Cos, -1000.0 * x));
        no_alarm(check::derivative(|x| x.sin(), |x| x.cos(), x));
        no_alarm(check::function(&function!(|x, y: [_; 1]| y[0] = x[0].sin() * x[1]), &[x, 0.5]));
        no_alarm(check::binary(rules::Rem, 5.3, 1e-3 / f64::from(k + 1)));
        no_alarm(check::binary(rules::RemEuclid, -5.3, 1e-9 / f64::from(k + 1)));
        no_alarm(check::derivative(|x| x % 1e-3, |_| 1.0, 5.3 + 0.01 * f64::from(k)));
    }
    // The smallest steps still see enough to decide.
    check::rule(rules::Sin, 2.5e6).assert_ok();
    wrong(check::rule(Times(rules::Sin, 1.001), 2.5e6));
    check::binary(rules::Rem, 5.3004, 1e-3).assert_ok();
}

/// Stairs look like a line from afar.
#[test]
fn stairs_far_out_are_open() {
    for exponent in 0..19 {
        for fraction in [0.3, 0.75] {
            let x = 10f64.powi(exponent) + fraction;
            for x in [x, -x] {
                open(check::rule(rules::Floor, x));
                open(check::rule(rules::Round, x));
                no_alarm(check::rule(rules::Fract, x));
                no_alarm(check::binary(rules::DivEuclid, x, 1.1));
                open(check::derivative(f64::floor, |_| 0.0, x));
            }
        }
    }
    wrong(check::derivative(f64::floor, |_| 0.1, 5.3));
}

/// A part of a complex result that is rounding of the other.
#[test]
fn complex_results_are_judged_by_their_modulus() {
    for z in [Complex64::new(1.0, 1e-20), Complex64::new(-0.5, -1e-17), Complex64::new(1e-18, 2.0)] {
        check::holomorphic(rules::Exp, z).assert_ok();
        check::holomorphic(rules::Sin, z).assert_ok();
        check::holomorphic(rules::Tanh, z).assert_ok();
        no_alarm(check::holomorphic(rules::Sqrt, z)); // a cut is near
    }
}

/// Derivatives that are no floats, or hardly.
#[test]
fn the_ends_of_the_range_raise_no_alarm() {
    check::rule(rules::Ln, 1e300).assert_ok();
    for x in [1e154, 1e160, 1e200, 1e300, 1.7e308] {
        no_alarm(check::rule(rules::Ln, x));
        no_alarm(check::rule(rules::Recip, x));
        no_alarm(check::rule(rules::Asinh, x));
        no_alarm(check::rule(rules::Ln, x.recip()));
        no_alarm(check::rule(rules::Recip, x.recip()));
        no_alarm(check::rule(rules::Sqrt, x.recip()));
        no_alarm(check::binary(rules::Hypot, x.recip(), x.recip()));
        no_alarm(check::function(&function!(|x, y: [_; 1]| y[0] = x[0].ln()), &[x]));
    }
    for x in [26.0, 26.6, 27.0, 27.2, 38.0] {
        no_alarm(check::rule(rules::Gaussian, x));
        no_alarm(check::rule(rules::Erfc, x));
    }
    for x in [709.0, 709.7, 710.3, -744.0, -745.0] {
        no_alarm(check::rule(rules::Exp, x));
        no_alarm(check::rule(rules::Cosh, x));
        no_alarm(check::function(&Lifted(rules::Exp), &[x]));
    }
    wrong(check::rule(Times(rules::Ln, 1.001), 1e300));
}

#[test]
fn reports_are_short() {
    let text = check::rule(Times(rules::Ln, 7.0), 1e300).to_string();
    assert!(text.starts_with("ln at 1e300: wrong"), "{text}");
    let text = check::rule(Times(rules::Sin, 7.0), 0.5).to_string();
    assert!(text.starts_with("sin at 0.5: wrong"), "{text}");
    let text = check::holomorphic(rules::Exp, Complex64::new(1e-200, -0.5)).to_string();
    assert!(text.starts_with("exp at 1e-200-0.5i: right"), "{text}");
    // One fault of the transpose shows in every sample, and is reported once.
    let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0]];
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]];
    let vjp = |x: &[&[f64]], w: &[f64]| vec![vec![x[1][0] * w[0]], vec![2.0 * x[0][0] * w[0]]];
    let text =
        check::primitive(&from_jvp_and_vjp("product", 2, value, jvp, vjp), &[&[2.0], &[3.0]]).to_string();
    let faults: Vec<&str> = text.lines().filter(|l| l.contains("fault:")).collect();
    let of = |groups: &str| faults.iter().filter(|f| f.contains(groups)).count();
    assert_eq!((of("all groups"), of("group 0 alone"), of("group 1 alone")), (1, 0, 1), "{text}");
    assert!(!text.contains("[true"), "{text}");
}

/// The sine with a factor in each direction: as a primitive, and as a function that calls it.
#[derive(Clone)]
struct Lopsided(f64, f64);

impl<P: PrimalNumber<Base = f64>> Primitive<P> for Lopsided {
    type Map<T: Number<Primal = P, Base = f64>> = Lopsidedly<T>;
    fn name(&self) -> &'static str {
        "lopsided"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(vec![Number::sin(x[0][0])])
    }
    fn linearize<T: Number<Primal = P, Base = f64>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Lopsidedly<T>, AdError> {
        Ok(Lopsidedly([self.0, self.1].map(|factor| x[0][0].cos() * T::lit(factor))))
    }
}

struct Lopsidedly<T>([T; 2]);

impl<T: Number> LinearMap<T> for Lopsidedly<T> {
    fn apply(&self, dx: &[Option<&[T]>], dy: &mut [T]) {
        dy[0] = dx[0].map_or(T::lit(0.0), |dx| self.0[0] * dx[0]);
    }
    fn apply_transpose_add(&self, w: &[T], dx: &mut [Option<&mut [T]>]) {
        dx[0].as_mut().into_iter().for_each(|dx| dx[0] += self.0[1] * w[0]);
    }
}

impl VectorFunction for Lopsided {
    fn outputs(&self, _: usize) -> usize {
        1
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        y[0] = call(self, &[x]).unwrap()[0];
    }
}

/// The report names the wrong one of two directions if differences show which it is, and only then.
#[test]
fn differences_say_which_direction_is_wrong() {
    let product = |forward: f64, backward: f64| {
        let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0]];
        let jvp = move |x: &[&[f64]], dx: &[&[f64]]| vec![forward * dx[0][0] * x[1][0] + x[0][0] * dx[1][0]];
        let vjp = move |x: &[&[f64]], w: &[f64]| vec![vec![backward * x[1][0] * w[0]], vec![x[0][0] * w[0]]];
        from_jvp_and_vjp("product", 2, value, jvp, vjp)
    };
    const BLAME: &str = "tangents agree with differences, so the cotangents are wrong";
    let at: [&[f64]; 2] = [&[2.0], &[3.0]];
    let text = check::primitive(&product(1.0, 2.0), &at).to_string();
    assert!(text.contains(BLAME), "{text}");
    for (forward, backward) in [(2.0, 1.0), (2.0, 2.0), (2.0, 3.0), (1.0, 1.0)] {
        let text = check::primitive(&product(forward, backward), &at).to_string();
        assert!(!text.contains(BLAME), "{forward} {backward}: {text}");
    }
    // Where differences are undecided, no direction is blamed.
    let value = |x: &[&[f64]]| vec![x[0][0].abs()];
    let jvp = |_: &[&[f64]], dx: &[&[f64]]| vec![dx[0][0]];
    let vjp = |_: &[&[f64]], w: &[f64]| vec![vec![-w[0]]];
    let text = check::primitive(&from_jvp_and_vjp("abs", 1, value, jvp, vjp), &[&[0.0]]).to_string();
    assert!(text.contains("not the adjoint") && !text.contains(BLAME), "{text}");
    for (forward, backward) in [(1.0, 2.0), (2.0, 1.0)] {
        let report = check::function(&Lopsided(forward, backward), &[0.5]);
        wrong(report.clone());
        let blames = report.to_string().contains("so reverse mode is wrong");
        assert_eq!(blames, forward == 1.0, "{report}");
    }
}

//! Every setting in every check.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_complex::{Complex, Complex64};
use wengert::check::{self, Check, Report, Verdict};
use wengert::primitive::{from_jvp, from_jvp_and_vjp};
use wengert::rules::{self, Binary};
use wengert::{BaseFloat, LinearMap, Number, Real, function};

const LARGE: f64 = 20.0;

/// `sech² x` at 20, where differences of `tanh` see nothing.
fn slope() -> f64 {
    4.0 * (-2.0 * LARGE).exp()
}

/// `tanh(x·y)`, with its derivative off by a factor.
#[derive(Clone, Copy, Debug)]
struct TanhProduct(f64);

impl Binary for TanhProduct {
    const NAME: &'static str = "tanh_product";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        (x * y).tanh()
    }
    fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] {
        let slope = (x * y).sech2() * T::lit(self.0);
        [slope * y, slope * x]
    }
}

/// With the right reference the check confirms each, with another one it finds it wrong. Without a reference it
/// cannot decide.
fn decides(check: impl Fn(Check) -> Report, reference: &[f64], place: usize) {
    let none = check(Check::new());
    assert_eq!(none.verdict(), Verdict::Inconclusive, "{none}");
    check(Check::new().reference(reference)).assert_ok();
    let mut other = reference.to_vec();
    other[place] *= 1.0 + 1e-7;
    let wrong = check(Check::new().reference(other.clone()));
    assert_eq!(wrong.verdict(), Verdict::Wrong, "{wrong}");
    let error = wrong.probes.iter().filter_map(|p| p.reference).fold(0.0, f64::max);
    assert!((1e-9..1.001e-7).contains(&error), "{wrong}");
    // A tolerance that is larger than ten digits holds for references too.
    check(Check::new().tolerance(1e-6).reference(other)).assert_ok();
    let longer = [reference, &[1.0]].concat();
    let panics = catch_unwind(AssertUnwindSafe(|| check(Check::new().reference(longer)))).unwrap_err();
    let message = panics.downcast_ref::<String>().expect("a message");
    assert!(
        message.contains(&format!("the reference has {} numbers, expected ", reference.len() + 1)),
        "{message}"
    );
}

#[test]
fn references_decide_in_every_check() {
    let (x, y) = (4.0, 5.0);
    let partials = [slope() * y, slope() * x];
    decides(|c| c.rule(rules::Tanh, LARGE), &[slope()], 0);
    decides(|c| c.derivative(f64::tanh, |_| slope(), LARGE), &[slope()], 0);
    for place in 0..2 {
        decides(|c| c.binary(TanhProduct(1.0), x, y), &partials, place);
        let f = function!(|x, y: [_; 1]| y[0] = (x[0] * x[1]).tanh());
        decides(|c| c.function(&f, &[x, y]), &partials, place);
        let jvp = |_: &[&[f64]], dx: &[&[f64]]| vec![slope() * (5.0 * dx[0][0] + 4.0 * dx[1][0])];
        let p = from_jvp("p", 2, |x| vec![(x[0][0] * x[1][0]).tanh()], jvp);
        decides(|c| c.primitive(&p, &[&[x], &[y]]), &partials, place);
    }
    // Two results, row after row; two groups; and a partial that is zero.
    let f = function!(|x, y: [_; 2]| {
        y[0] = (x[0] * x[1]).tanh();
        y[1] = x[1].tanh();
    });
    let jacobian = [LARGE * slope(), slope(), 0.0, slope()];
    let at = [1.0, LARGE];
    for place in [0, 1, 3] {
        decides(|c| c.function(&f, &at), &jacobian, place);
    }
    assert_eq!(Check::new().reference([1.0, 0.0, 0.0]).binary_is_refused(), 3);
}

trait Refused {
    fn binary_is_refused(self) -> usize;
}
impl Refused for Check {
    fn binary_is_refused(self) -> usize {
        usize::from(catch_unwind(|| self.binary(TanhProduct(1.0), 1.0, 2.0)).is_err()) * 3
    }
}

#[test]
fn references_of_complex_rules_and_primitives() {
    let z = Complex64::new(20.0, 0.3);
    let w = (-2.0 * z).exp() * 4.0;
    let sech2 = w / (Complex::from(1.0) + (-2.0 * z).exp()).powi(2);
    Check::new().reference([sech2.re, sech2.im]).holomorphic(rules::Tanh, z).assert_ok();
    for off in [[1.001, 1.0], [1.0, 1.001], [1.0, -1.0]] {
        let report =
            Check::new().reference([sech2.re * off[0], sech2.im * off[1]]).holomorphic(rules::Tanh, z);
        assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    }
    // Multiplication by 2 + 3i as a matrix of parts.
    let check = |jacobian: [f64; 4]| Check::new().reference(jacobian).primitive(&Turn, &[&[z]]).verdict();
    assert_eq!(check([2.0, -3.0, 3.0, 2.0]), Verdict::Right);
    assert_eq!(check([2.0, 3.0, -3.0, 2.0]), Verdict::Wrong);
}

#[derive(Clone)]
struct Turn;

impl wengert::primitive::Primitive<Complex64> for Turn {
    type Map<T: Number<Primal = Complex64, Base = f64>> = Turned;
    fn name(&self) -> &'static str {
        "turn"
    }
    fn value(&self, x: &[&[Complex64]]) -> Result<Vec<Complex64>, wengert::AdError> {
        Ok(x[0].iter().map(|x| x * Complex::new(2.0, 3.0)).collect())
    }
    fn linearize<T: Number<Primal = Complex64, Base = f64>>(
        &self,
        _: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Turned, wengert::AdError> {
        Ok(Turned)
    }
}

struct Turned;

impl<T: Number<Primal = Complex64>> LinearMap<T> for Turned {
    fn apply(&self, x: &[Option<&[T]>], y: &mut [T]) {
        y[0] = x[0].unwrap()[0] * T::constant_of(Complex::new(2.0, 3.0));
    }
    fn apply_transpose_add(&self, w: &[T], x: &mut [Option<&mut [T]>]) {
        x[0].as_mut().unwrap()[0] += w[0] * T::constant_of(Complex::new(2.0, -3.0));
    }
}

/// A rough rule is wrong, and within a tolerance right, in every check that has a tolerance.
#[test]
fn tolerances_hold_in_every_check() {
    let tolerates = |check: &dyn Fn(Check) -> Report| {
        let report = check(Check::new());
        assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
        check(Check::new().tolerance(1e-3)).assert_ok();
    };
    let rough = 1.0001;
    tolerates(&|c| c.binary(TanhProduct(rough), 0.3, 0.4));
    tolerates(&|c| c.derivative(f64::sin, |x| rough * x.cos(), 0.5));
    let value = |x: &[&[f64]]| vec![x[0][0].sin()];
    let jvp = move |x: &[&[f64]], dx: &[&[f64]]| vec![rough * x[0][0].cos() * dx[0][0]];
    let vjp = |x: &[&[f64]], w: &[f64]| vec![vec![x[0][0].cos() * w[0]]];
    tolerates(&|c| c.primitive(&from_jvp("p", 1, value, jvp), &[&[0.5]]));
    tolerates(&|c| c.primitive(&from_jvp_and_vjp("p", 1, value, jvp, vjp), &[&[0.5]]));
    let f = function!(|x, y: [_; 1]| y[0] = (x[0] * 1.0001 - x[0].detach() * 0.0001).sin());
    tolerates(&|c| c.function(&f, &[0.5]));
    tolerates(&|c| c.adjoint::<f64, _>(&Rough, &[1], 1));
    tolerates(&|c| c.linear_function(|x: &[f64]| vec![x[0] + 1e-4 * x[0].abs().min(1.0)], 1));
}

/// `y = 2x`, transposed roughly.
struct Rough;

impl LinearMap<f64> for Rough {
    fn apply(&self, x: &[Option<&[f64]>], y: &mut [f64]) {
        y[0] = 2.0 * x[0].unwrap()[0];
    }
    fn apply_transpose_add(&self, w: &[f64], x: &mut [Option<&mut [f64]>]) {
        x[0].as_mut().unwrap()[0] += 2.0002 * w[0];
    }
}

/// Code that panics a thousandth away from its point passes with shorter steps.
#[test]
fn steps_are_short_in_every_check() {
    fn near<T: PartialOrd<f64>>(x: T) -> bool {
        x > 0.999 && x < 1.001
    }
    let survives = |check: &dyn Fn(Check) -> Report| {
        assert!(catch_unwind(AssertUnwindSafe(|| check(Check::new()))).is_err());
        check(Check::new().max_step(5e-4)).assert_ok();
    };
    let root = |x: f64| {
        assert!(near(x));
        x.sqrt()
    };
    survives(&|c| c.derivative(root, |x| 0.5 / x.sqrt(), 1.0));
    let p = from_jvp("p", 1, move |x| vec![root(x[0][0])], |x, dx| vec![0.5 / x[0][0].sqrt() * dx[0][0]]);
    survives(&|c| c.primitive(&p, &[&[1.0]]));
    let f = function!(|x, y: [_; 1]| {
        assert!(near(x[0]));
        y[0] = x[0].sqrt();
    });
    survives(&|c| c.function(&f, &[1.0]));
    survives(&|c| c.analytic(&f, |z| vec![z[0].sqrt()], &[1.0]));
    survives(&|c| c.rule(Narrow, 1.0));
    survives(&|c| c.binary(Narrow, 1.0, 1.0));
}

/// `√x` and `√(x·y)`, only about 1.
#[derive(Clone, Copy, Debug)]
struct Narrow;

fn narrow<F: BaseFloat>(x: F) -> F {
    assert!((x.to_double() - 1.0).abs() < 1e-3, "out of the domain");
    x.sqrt()
}

impl rules::Unary for Narrow {
    const NAME: &'static str = "narrow";
    fn value<F: BaseFloat>(self, x: F) -> F {
        narrow(x)
    }
    fn derivative<T: Real>(self, _: T, f: T) -> T {
        f.recip() * T::lit(0.5)
    }
}

impl Binary for Narrow {
    const NAME: &'static str = "narrow";
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        narrow(x) * narrow(y)
    }
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2] {
        [f / x * T::lit(0.5), f / y * T::lit(0.5)]
    }
}

/// An infinite slope is no `∞·0` along a real direction.
#[test]
fn infinite_references_are_right_where_slopes_are_infinite() {
    for (reference, verdict) in [(f64::INFINITY, Verdict::Right), (1.0, Verdict::Wrong)] {
        let report = Check::new().reference([reference]).rule(rules::Sqrt, 0.0);
        assert_eq!(report.verdict(), verdict, "{report}");
    }
}

#[test]
fn a_function_without_inputs_has_an_empty_reference() {
    let f = function!(|x, y: [_; 1]| y[0] = x.iter().copied().sum());
    assert_eq!(check::function(&f, &[]).verdict(), Verdict::Inconclusive);
    Check::new().reference([]).function(&f, &[]).assert_ok();
}

#[test]
fn linear_maps_refuse_what_they_have_no_use_for() {
    let message =
        |check: fn() -> Report| *catch_unwind(check).unwrap_err().downcast::<String>().expect("a message");
    let text = message(|| Check::new().reference([2.0]).adjoint::<f64, _>(&Rough, &[1], 1));
    assert_eq!(text, "check: `adjoint` does not support a reference");
    let text = message(|| Check::new().max_step(1.0).linear::<f64, _>(&Rough, &[1], 1));
    assert_eq!(text, "check: `linear` does not support a longest step");
    let text = message(|| Check::new().reference([1.0]).linear_function(|x: &[f64]| x.to_vec(), 1));
    assert_eq!(text, "check: `linear_function` does not support a reference");
}

#[test]
fn complex_steps_are_reported_where_there_are_complex_numbers() {
    let step = |report: &Report| report.complex_step();
    assert!(step(&check::rule(rules::Exp, 0.7)).unwrap() < 1e-15);
    // Reported, where differences see nothing, without deciding.
    let report = check::rule(rules::Tanh, 20.0);
    assert_eq!(report.verdict(), Verdict::Inconclusive);
    assert!(step(&report).unwrap() < 1e-14, "{report}");
    assert!(report.to_string().contains("complex step"), "{report}");
    assert_eq!(step(&check::rule(rules::Abs, 0.7)), None);
    assert!(step(&check::binary(rules::Powf, 1.7, 2.3)).unwrap() < 1e-15);
    assert_eq!(step(&check::binary(rules::Atan2, 1.7, 2.3)), None);

    fn f<T: Number<Base = f64>>(x: &[T]) -> Vec<T> {
        vec![x[0].sin() * x[1], (x[0] * x[1]).tanh()]
    }
    let real = function!(|x, y: [_; 2]| y.copy_from_slice(&f(x)));
    assert_eq!(step(&check::function(&real, &[0.5, 2.0])), None);
    for at in [[0.5, 2.0], [4.0, 5.0]] {
        let report = check::analytic(&real, |z: &[Complex64]| f(z), &at);
        report.assert_ok();
        assert!(step(&report).unwrap() < 1e-13, "{report}");
    }
    let lost = function!(|x, y: [_; 2]| {
        y[0] = x[0].sin() * x[1];
        y[1] = (x[0] * x[1].detach()).tanh();
    });
    let report = check::analytic(&lost, |z: &[Complex64]| f(z), &[4.0, 5.0]);
    assert_ne!(report.verdict(), Verdict::Right, "{report}");
    assert!(step(&report).unwrap() > 0.1, "{report}");
}

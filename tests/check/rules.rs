//! Rules of one and two variables.

use num_complex::Complex;
use wengert::check::{self, Check, Report, Verdict};
use wengert::rules::{self, Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{BaseFloat, Number, Real};

/// Piecewise constant: the report states that differences see nothing.
const STEPS: [&str; 7] = ["floor", "ceil", "round", "trunc", "signum", "sign", "div_euclid"];

#[derive(Default)]
struct Rows {
    failed: Vec<String>,
    seen: usize,
}

impl Rows {
    fn hold(&mut self, name: &str, report: &Report) {
        self.seen += 1;
        let expected = if STEPS.contains(&name) { Verdict::Inconclusive } else { Verdict::Right };
        if report.verdict() != expected {
            self.failed.push(report.to_string());
        }
    }
}

fn inside([lo, hi]: [f64; 2]) -> [f64; 3] {
    [0.23, 0.43, 0.81].map(|t| lo + t * (hi - lo))
}

impl RuleVisitor for Rows {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        for x in inside(on) {
            self.hold(H::NAME, &check::holomorphic(rule, Complex::new(x, 0.0)));
            self.hold(H::NAME, &check::rule(rule, x));
            self.hold(H::NAME, &check::holomorphic(rule, Complex::new(x, 0.4)));
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        inside(on).into_iter().for_each(|x| self.hold(U::NAME, &check::rule(rule, x)));
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        for (x, y) in inside(on[0]).into_iter().zip(inside(on[1])) {
            self.hold(B::NAME, &check::binary(rule, x, y));
        }
    }
}

#[test]
fn every_row_of_the_table_passes() {
    let mut rows = Rows::default();
    visit_rules(&mut rows);
    assert!(rows.failed.is_empty(), "{} of {}:\n{}", rows.failed.len(), rows.seen, rows.failed.join("\n"));
    assert!(rows.seen > 300, "{}", rows.seen);
}

#[test]
fn every_row_of_two_complex_numbers_passes() {
    let (z, w) = (Complex::new(1.7, -0.6), Complex::new(-0.4, 1.3));
    check::holomorphic_binary(rules::Powf, z, w).assert_ok();
    check::holomorphic_binary(rules::Powc, z, w).assert_ok();
    check::holomorphic_binary(rules::Powc, Complex::new(-0.3, 0.2), w).assert_ok();
    check::holomorphic_binary(rules::Rem, Complex::new(5.3, 2.2), Complex::new(1.1, 0.3)).assert_ok();
}

/// `z·w` with faults to choose: a conjugate, a factor, a missing term of the second derivative.
#[derive(Clone, Copy, Debug)]
enum Times {
    Right,
    Conjugated,
    Factor,
    Detached,
}

impl rules::HolomorphicBinary for Times {
    const NAME: &'static str = "times";
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z {
        z * w
    }
    fn partials<T: Number>(self, x: T, y: T, _: T) -> [T; 2] {
        match self {
            Times::Right => [y, x],
            Times::Conjugated => [y, x.conj()],
            Times::Factor => [y * T::lit(1.001), x],
            Times::Detached => [y, x.detach()],
        }
    }
}

#[test]
fn planted_faults_of_two_complex_numbers_are_found() {
    let (z, w) = (Complex::new(1.7, -0.6), Complex::new(-0.4, 1.3));
    check::holomorphic_binary(Times::Right, z, w).assert_ok();
    for fault in [Times::Conjugated, Times::Factor, Times::Detached] {
        let report = check::holomorphic_binary(fault, z, w);
        assert_eq!(report.verdict(), Verdict::Wrong, "{fault:?} {report}");
    }
    let reference = [w.re, w.im, z.re, z.im];
    Check::new().reference(reference).holomorphic_binary(Times::Right, z, w).assert_ok();
    let report = Check::new().reference([w.re, -w.im, z.re, z.im]).holomorphic_binary(Times::Right, z, w);
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    let nowhere = check::holomorphic_binary(Times::Right, z, Complex::new(f64::NAN, 0.0));
    assert_eq!(nowhere.non_finite, [(0, 2)]);
}

/// Every row with its derivative off by a thousandth.
#[derive(Clone, Copy, Debug)]
struct Off<R>(R);

impl<U: Unary> Unary for Off<U> {
    const NAME: &'static str = U::NAME;
    fn value<F: BaseFloat>(self, x: F) -> F {
        self.0.value(x)
    }
    fn derivative<T: Real>(self, x: T, f: T) -> T {
        self.0.derivative(x, f) * T::lit(1.001)
    }
}

/// A rule of two variables with only the second partial wrong.
#[derive(Clone, Copy, Debug)]
struct OffSecond<R>(R);

impl<B: Binary> Binary for OffSecond<B> {
    const NAME: &'static str = B::NAME;
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        self.0.value(x, y)
    }
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2] {
        let [dx, dy] = self.0.partials(x, y, f);
        [dx, dy * T::lit(1.001)]
    }
}

#[derive(Default)]
struct Planted(Vec<String>, usize);

impl Planted {
    fn hold(&mut self, name: &str, report: &Report) {
        self.1 += 1;
        // A thousandth more of zero is zero.
        let zero = STEPS.contains(&name) || ["max", "min"].contains(&name);
        if report.verdict() != Verdict::Wrong && !zero {
            self.0.push(report.to_string());
        }
    }
}

impl RuleVisitor for Planted {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        inside(on).into_iter().for_each(|x| self.hold(U::NAME, &check::rule(Off(rule), x)));
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        for (x, y) in inside(on[0]).into_iter().zip(inside(on[1])) {
            self.hold(B::NAME, &check::binary(OffSecond(rule), x, y));
        }
    }
}

#[test]
fn a_factor_of_a_thousandth_is_found_in_every_row() {
    let mut planted = Planted::default();
    visit_rules(&mut planted);
    assert!(planted.0.is_empty(), "{} of {}:\n{}", planted.0.len(), planted.1, planted.0.join("\n"));
}

/// `x·eˣ` with faults to choose: a missing term, a wrong second derivative, NaN.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    MissingTerm,
    Second,
    Nan,
    Infinite,
}

impl Unary for Fault {
    const NAME: &'static str = "x_exp";
    fn value<F: BaseFloat>(self, x: F) -> F {
        x * x.exp()
    }
    fn derivative<T: Real>(self, x: T, f: T) -> T {
        match self {
            Fault::MissingTerm => f,
            Fault::Nan => T::lit(f64::NAN),
            Fault::Infinite => T::lit(0.0).recip().abs(),
            _ => x.exp() + f,
        }
    }
    fn second<T: Real>(self, x: T, _f: T, d: T) -> Option<T> {
        Some(if let Fault::Second = self { d } else { d + x.exp() })
    }
}

#[test]
fn planted_faults_of_a_rule_are_found() {
    for x in [-1.5, 0.0, 1e-8, 0.7, 3.0] {
        check::rule(Fault::None, x).assert_ok();
        for fault in [Fault::MissingTerm, Fault::Second, Fault::Nan, Fault::Infinite] {
            let report = check::rule(fault, x);
            assert_eq!(report.verdict(), Verdict::Wrong, "{fault:?} {report}");
            assert!(std::panic::catch_unwind(|| report.assert_ok()).is_err());
        }
    }
}

/// Where differences see nothing they confirm nothing, neither right rules nor wrong ones.
#[test]
fn saturated_and_coarse_arguments_are_inconclusive() {
    let verdict = |report: Report| report.verdict();
    // From where rounding hides the derivative to where nothing varies any more.
    for x in [10.5, -12.0, 15.0, 17.0, 20.0, -25.0, 300.0] {
        assert_eq!(verdict(check::rule(rules::Tanh, x)), Verdict::Inconclusive, "tanh at {x}");
        assert_eq!(verdict(check::rule(Off(rules::Tanh), x)), Verdict::Inconclusive, "tanh at {x}");
    }
    for x in [1e15, -3.3e17, 1e300] {
        assert_eq!(verdict(check::rule(rules::Sin, x)), Verdict::Inconclusive, "sin at {x}");
        assert_eq!(verdict(check::rule(rules::Cos, x)), Verdict::Inconclusive, "cos at {x}");
    }
    for x in [0.0, -0.0] {
        assert_eq!(verdict(check::rule(rules::Abs, x)), Verdict::Inconclusive, "abs at {x}: a kink");
        assert_eq!(verdict(check::rule(rules::Sqrt, x)), Verdict::Inconclusive, "sqrt at {x}: an end");
    }
    assert_eq!(verdict(check::binary(rules::Max, 1.0, 1.0)), Verdict::Inconclusive);
    assert_eq!(verdict(check::rule(rules::Ln, -1.0)), Verdict::Inconclusive);
    let strange = check::rule(rules::Sin, f64::NAN);
    assert_eq!((strange.verdict(), &strange.non_finite[..]), (Verdict::Inconclusive, &[(0, 0)][..]));
    // Arguments are no obstacle because they are large or small.
    check::rule(rules::Ln, 1e15).assert_ok();
    check::rule(rules::Square, 1e-30).assert_ok();
    check::rule(rules::Ln, 1e-100).assert_ok();
    check::rule(rules::Sin, 1e5).assert_ok();
}

#[test]
fn what_is_exact_decides() {
    let sech2 = |x: f64| 4.0 * (-2.0 * x).exp();
    Check::new().reference([sech2(20.0)]).rule(rules::Tanh, 20.0).assert_ok();
    let report = Check::new().reference([sech2(20.0)]).rule(Off(rules::Tanh), 20.0);
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    Check::new().reference([1e15f64.cos()]).rule(rules::Sin, 1e15).assert_ok();
    let report = check::holomorphic(rules::Tanh, Complex::new(20.0, 0.0));
    report.assert_ok();
    assert!(report.complex_step().unwrap() < 1e-14, "{report}");
    Check::new().reference([0.0]).rule(rules::Floor, 0.5).assert_ok();
}

/// The numbers of the method: for `sin` at ½ the remainder is `½ sin(½) h²`, of a wrong rule it is of first order; the
/// complex step of `exp(sin x + x²)` at 2.
#[test]
fn remainders_have_their_orders() {
    let right = check::rule(rules::Sin, 0.5);
    let [h, r] = right.probes[0].remainders[2];
    assert!((h - 1e-3).abs() < 1e-18 && (r / (0.5 * h).powi(2) - 0.2397).abs() < 1e-4, "{h} {r}");
    assert!((right.taylor_order().unwrap() - 2.0).abs() < 0.01, "{right}");
    assert!(right.difference() < 1e-9, "{right}");
    let wrong = check::rule(Off(rules::Sin), 0.5);
    assert!((wrong.taylor_order().unwrap() - 1.0).abs() < 0.1, "{wrong}");

    let f = |z: Complex<f64>| (z.sin() + z * z).exp();
    let step = f(Complex::new(2.0, 1e-100)).im / 1e-100;
    assert!((step - 485.7703352918129).abs() < 1e-12 * step);
    check::derivative(|x| (x.sin() + x * x).exp(), |_| step, 2.0).assert_ok();
}

#[test]
fn a_small_domain_needs_small_steps() {
    // Code that panics a thousandth away from its point.
    let narrow = |x: f64| {
        assert!((x - 1.0).abs() < 1e-3, "out of the domain");
        x.sqrt()
    };
    assert!(std::panic::catch_unwind(|| check::derivative(narrow, |x| 0.5 / x.sqrt(), 1.0)).is_err());
    Check::new().max_step(5e-4).derivative(narrow, |x| 0.5 / x.sqrt(), 1.0).assert_ok();
    let report = Check::new().max_step(5e-4).derivative(narrow, |x| 0.5005 / x.sqrt(), 1.0);
    assert_eq!(report.verdict(), Verdict::Wrong);
    // A tolerance for functions that are only known roughly.
    let rough = |x: f64| 1.0001 * x.cos();
    assert_eq!(check::derivative(f64::sin, rough, 0.5).verdict(), Verdict::Wrong);
    Check::new().tolerance(1e-3).derivative(f64::sin, rough, 0.5).assert_ok();
}

#[test]
fn complex_rules_have_complex_derivatives() {
    #[derive(Clone, Copy, Debug)]
    struct Conjugated;
    impl Holomorphic for Conjugated {
        const NAME: &'static str = "exp";
        fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
            z.exp()
        }
        fn derivative<T: Number>(self, _x: T, f: T) -> T {
            f.conj()
        }
    }
    check::holomorphic(Conjugated, Complex::new(0.5, 0.0)).assert_ok(); // no difference on the real line
    let report = check::holomorphic(Conjugated, Complex::new(0.5, 0.3));
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
}

#[test]
fn a_report_can_be_read() {
    let text = check::rule(Fault::MissingTerm, 0.7).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "x_exp at 0.7: wrong");
    assert!(lines.iter().any(|l| l.contains("first derivative: wrong (it is not the limit")), "{text}");
    assert!(lines.iter().any(|l| l.contains("Taylor order 1.")), "{text}");
    println!("{}", check::holomorphic(rules::Tanh, Complex::new(20.0, 0.0)));
}

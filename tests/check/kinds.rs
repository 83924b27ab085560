//! All kinds of primitives, and functions.

use std::sync::Mutex;

use num_complex::Complex64;
use wengert::check::{self, Check, Report, Verdict, uses_rule};
use wengert::primitive::{
    Direction, FromRule, PrimalNumber, Primitive, Rule, call, from_complex_step, from_finite_differences,
    from_jvp, from_jvp_and_vjp, from_vjp,
};
use wengert::{AdError, Dual, LinearMap, Number, Real, VectorFunction, assert_dual_eq, function, matrix};

/// `y = (x₀ ∘ x₁)·s, Σx₁²` with faults to choose.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Factor,
    MissingTerm,
    MissingInTranspose,
    Nan,
}

#[derive(Clone)]
struct Mixed(Fault, bool, bool);

impl Rule for Mixed {
    fn name(&self) -> &'static str {
        "mixed"
    }
    fn arity(&self) -> usize {
        2
    }
    fn supports(&self, direction: Direction) -> bool {
        if direction == Direction::Jvp { self.1 } else { self.2 }
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        let squares = x[1].iter().map(|b| b * b).sum();
        Ok(x[0].iter().zip(x[1]).map(|(a, b)| a * b).chain([squares]).collect())
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let factor = T::lit(if self.0 == Fault::Factor { 1.001 } else { 1.0 });
        let n = x[0].len();
        for i in 0..n {
            if let Some(da) = dx[0] {
                dy[i] += da[i] * x[1][i] * factor;
            }
            if let Some(db) = dx[1] {
                if self.0 != Fault::MissingTerm {
                    dy[i] += x[0][i] * db[i];
                }
                dy[n] += x[1][i] * db[i] * 2.0;
            }
        }
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let n = x[0].len();
        let nan = T::lit(if self.0 == Fault::Nan { f64::NAN } else { 1.0 });
        let factor = T::lit(if self.0 == Fault::Factor { 1.001 } else { 1.0 });
        for i in 0..n {
            if let Some(da) = &mut dx[0] {
                da[i] += w[i] * x[1][i] * nan * factor;
            }
            if let Some(db) = &mut dx[1] {
                db[i] += x[1][i] * w[n] * 2.0;
                if self.0 == Fault::None || self.0 == Fault::Factor {
                    db[i] += x[0][i] * w[i];
                }
            }
        }
    }
}

const POINT: [&[f64]; 2] = [&[0.5, -2.0, 3.0], &[1.5, 0.3, -0.7]];

#[test]
fn stated_rules_pass_in_every_direction_they_have() {
    for (jvp, vjp) in [(true, true), (true, false), (false, true)] {
        let report = check::primitive(&FromRule(Mixed(Fault::None, jvp, vjp)), &POINT);
        report.assert_ok();
        assert_eq!(report.adjoint.is_some(), jvp && vjp);
        assert_eq!(report.probes.iter().any(|p| p.what == "second derivative"), jvp, "{report}");
        assert_eq!(report.lost_nan, []);
    }
    let neither = check::primitive(&FromRule(Mixed(Fault::None, false, false)), &POINT);
    assert_eq!(neither.verdict(), Verdict::Inconclusive, "{neither}");
}

#[test]
fn a_panic_of_the_derivative_is_a_fault() {
    let long = from_jvp("long", 1, |x| x[0].to_vec(), |_, _| vec![0.0; 3]);
    let few = from_vjp("few", 1, |x| x[0].to_vec(), |_, _| vec![]);
    let reports = [&long, &few].map(|rule| check::primitive(rule, &[&[2.0]]));
    assert!(reports.iter().all(|report| report.verdict() == Verdict::Wrong));
    let texts = reports.map(|report| report.to_string());
    assert!(
        texts[0].contains("the derivative panics: long: the tangent of its jvp has length 3, expected 1")
    );
    assert!(texts[1].contains("few: the list of cotangents of its vjp has length 0, expected 1"));
}

#[test]
fn planted_faults_of_stated_rules_are_found() {
    for (fault, jvp, vjp) in [
        (Fault::Factor, true, true),
        (Fault::Factor, true, false),
        (Fault::Factor, false, true),
        (Fault::MissingTerm, true, true),
        (Fault::MissingTerm, true, false),
        (Fault::MissingTerm, false, true),
        (Fault::MissingInTranspose, true, true),
        (Fault::MissingInTranspose, false, true),
    ] {
        let report = check::primitive(&FromRule(Mixed(fault, jvp, vjp)), &POINT);
        assert_eq!(report.verdict(), Verdict::Wrong, "{} {jvp} {vjp}: {report}", fault as i32);
    }
    // The check of calls is not involved: NaN is a fault like others, and the report exists.
    for jvp in [true, false] {
        let report = check::primitive(&FromRule(Mixed(Fault::Nan, jvp, true)), &POINT);
        assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    }
}

#[test]
fn closures_pass_and_fail() {
    let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0].sin()];
    let jvp =
        |x: &[&[f64]], dx: &[&[f64]]| vec![dx[0][0] * x[1][0].sin() + x[0][0] * x[1][0].cos() * dx[1][0]];
    let vjp =
        |x: &[&[f64]], w: &[f64]| vec![vec![w[0] * x[1][0].sin()], vec![x[0][0] * x[1][0].cos() * w[0]]];
    let x: [&[f64]; 2] = [&[2.0], &[0.5]];
    check::primitive(&from_jvp_and_vjp("p", 2, value, jvp, vjp), &x).assert_ok();
    check::primitive(&from_jvp("p", 2, value, jvp), &x).assert_ok();
    check::primitive(&from_vjp("p", 2, value, vjp), &x).assert_ok();
    check::primitive(&from_finite_differences("p", 2, value), &x).assert_ok();
    let complex = |x: &[&[Complex64]]| vec![x[0][0] * x[1][0].sin()];
    check::primitive(&from_complex_step("p", 2, complex), &x).assert_ok();

    let wrong = |x: &[&[f64]], dx: &[&[f64]]| vec![dx[0][0] * x[1][0].sin()];
    let report = check::primitive(&from_jvp("p", 2, value, wrong), &x);
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    let elsewhere = |x: &[&[f64]], w: &[f64]| vec![vec![w[0] * x[1][0].sin()], vec![0.0]];
    for report in [
        check::primitive(&from_jvp_and_vjp("p", 2, value, jvp, elsewhere), &x),
        check::primitive(&from_vjp("p", 2, value, elsewhere), &x),
    ] {
        assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    }
}

/// State that outlives a call: a counter, a cache that is not renewed, data that is overwritten.
#[test]
fn primitives_that_remember_are_found() {
    let other: [&[f64]; 2] = [&[5.0], &[0.1]];
    let x: [&[f64]; 2] = [&[2.0], &[0.5]];
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]];
    check::primitive(&from_jvp("p", 2, |x| vec![x[0][0] * x[1][0]], jvp), &x).assert_ok();

    let data = Mutex::new(vec![1.0]);
    let doubled = move |x: &[&[f64]]| {
        let mut data = data.lock().unwrap();
        data[0] *= 2.0; // the captured argument is mutated
        vec![x[0][0] * x[1][0] * data[0]]
    };
    let mutates = from_jvp("p", 2, doubled, jvp);
    assert_eq!(check::primitive(&mutates, &x).verdict(), Verdict::Wrong);

    let cache = Mutex::new(f64::NAN);
    let stale = move |x: &[&[f64]], dx: &[&[f64]]| {
        let mut cache = cache.lock().unwrap();
        if cache.is_nan() {
            *cache = x[1][0];
        }
        vec![dx[0][0] * *cache + x[0][0] * dx[1][0]]
    };
    let stale = from_jvp("p", 2, |x| vec![x[0][0] * x[1][0]], stale);
    // Each call gives the same result. The fault shows at other points than the one that filled the cache.
    assert_eq!(check::primitive(&stale, &x).verdict(), Verdict::Wrong);
    assert_eq!(check::primitive(&stale, &other).verdict(), Verdict::Wrong);

    let last = Mutex::new(0.0);
    let leaves = move |x: &[&[f64]]| {
        vec![x[0][0] * x[1][0] + 1e-9 * std::mem::replace(&mut *last.lock().unwrap(), x[0][0])]
    };
    assert_eq!(check::primitive(&from_jvp("p", 2, leaves, jvp), &x).verdict(), Verdict::Wrong);

    // The second of two calls at one point is right; the first after a call elsewhere is off by too little for
    // differences.
    let last = Mutex::new(f64::NAN);
    let late = move |x: &[&[f64]]| {
        let last = std::mem::replace(&mut *last.lock().unwrap(), x[0][0]);
        let off = if last == x[0][0] || last.is_nan() { 1.0 } else { 1.0 + 1e-15 };
        vec![x[0][0] * x[1][0] * off]
    };
    let report = check::primitive(&from_jvp("p", 2, late, jvp), &x);
    assert_eq!(report.faults, ["a call at another point changed the result"], "{report}");
}

/// `y = c·z²`, complex, with the conjugate forgotten or not.
#[derive(Clone)]
struct Square {
    conjugates: bool,
}
struct Slope<T>(Vec<T>, bool);

impl<P: PrimalNumber> Primitive<P> for Square {
    type Map<T: Number<Primal = P, Base = P::Base>> = Slope<T>;
    fn name(&self) -> &'static str {
        "square"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(x[0].iter().map(|&x| x * x).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Slope<T>, AdError> {
        Ok(Slope(x[0].iter().map(|&x| x + x).collect(), self.conjugates))
    }
}

impl<T: Number> LinearMap<T> for Slope<T> {
    fn apply(&self, x: &[Option<&[T]>], y: &mut [T]) {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = self.0[i] * x[0].unwrap()[i]);
    }
    fn apply_transpose_add(&self, w: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(out) = &mut out[0] else { return };
        for (i, out) in out.iter_mut().enumerate() {
            let slope = if self.1 { self.0[i].conj() } else { self.0[i] };
            *out += slope * w[i];
        }
    }
}

#[test]
fn complex_primitives_conjugate() {
    let z = [Complex64::new(0.5, 1.0), Complex64::new(-2.0, 0.3)];
    let report = check::primitive(&Square { conjugates: true }, &[&z]);
    report.assert_ok();
    assert!(report.adjoint.unwrap() < 1e-15, "{report}");
    let report = check::primitive(&Square { conjugates: false }, &[&z]);
    assert_eq!(report.verdict(), Verdict::Wrong, "{report}");
    assert!(
        report.probes.iter().all(|p| p.verdict == Verdict::Right),
        "only the transpose is wrong: {report}"
    );
    check::primitive(&Square { conjugates: false }, &[&[0.5, 1.0]]).assert_ok();
}

#[test]
fn what_cannot_be_seen_of_a_primitive_is_said() {
    let saturated =
        from_jvp("tanh", 1, |x| vec![x[0][0].tanh()], |x, dx| vec![dx[0][0] / x[0][0].cosh().powi(2)]);
    assert_eq!(check::primitive(&saturated, &[&[20.0]]).verdict(), Verdict::Inconclusive);
    check::primitive(&saturated, &[&[2.0]]).assert_ok();
    let wave = from_jvp("sin", 1, |x| vec![x[0][0].sin()], |x, dx| vec![dx[0][0] * x[0][0].cos()]);
    assert_eq!(check::primitive(&wave, &[&[1e15]]).verdict(), Verdict::Inconclusive);
    let report = check::primitive(&wave, &[&[f64::INFINITY]]);
    assert_eq!((report.verdict(), &report.non_finite[..]), (Verdict::Inconclusive, &[(0, 0)][..]));
    let narrow = from_jvp(
        "root",
        1,
        |x| vec![(x[0][0] - 1.0).sqrt()],
        |x, dx| vec![0.5 / (x[0][0] - 1.0).sqrt() * dx[0][0]],
    );
    Check::new().max_step(1e-3).primitive(&narrow, &[&[1.01]]).assert_ok();
    let swallows = from_jvp("max", 1, |x| vec![x[0][0].max(0.0)], |_, dx| dx[0].to_vec());
    let report = check::primitive(&swallows, &[&[2.0]]);
    report.assert_ok();
    assert_eq!(report.lost_nan, [(0, 0)]);
}

#[test]
fn a_call_is_met_by_its_rule() {
    let mixed = FromRule(Mixed(Fault::None, true, true));
    let by_rule = |x: &[wengert::Var<f64>]| call(&mixed, &[&x[..2], &x[2..]]);
    assert!(uses_rule("mixed", by_rule, &[1.0; 4]));
    assert!(!uses_rule("mixes", by_rule, &[1.0; 4]));
    assert!(!uses_rule("mixed", |x| x[0] * x[1], &[1.0; 4]));
    // Nothing active reaches it.
    assert!(!uses_rule("mixed", |x| call(&mixed, &[&[x[0].detach()], &[x[1].detach()]]), &[1.0; 2]));
    // The name of the primitive counts, not the name of its map.
    assert!(uses_rule("square", |x| call(&Square { conjugates: true }, &[x]), &[1.0]));
}

#[test]
fn duals_are_compared_with_their_tangents() {
    let x = Dual::variable(0.5);
    assert_dual_eq!(x * x, x.square());
    assert_dual_eq!(Dual::new(f64::NAN, 1.0), Dual::new(f64::NAN, 1.0));
    assert_dual_eq!(x.sin() * 3.0, Dual::new(1.5 * 0.958851077, 3.0 * 0.877582562), 1e-8);
    let fails =
        |a: Dual<f64>, b: Dual<f64>| std::panic::catch_unwind(|| assert_dual_eq!(a, b, 1e-8)).is_err();
    assert!(fails(x, Dual::constant(0.5)) && fails(x, Dual::new(0.6, 1.0)));
    assert!(fails(x, Dual::new(0.5, f64::NAN)) && !fails(x, Dual::new(0.5, 1.0 + 1e-9)));
    let nested = Dual::variable(x);
    assert!(std::panic::catch_unwind(|| assert_dual_eq!(nested, Dual::constant(x))).is_err());
}

fn holds(name: &str, f: &impl VectorFunction, x: &[f64]) {
    let report: Report = check::function(f, x);
    assert!(report.passed(), "{name}: {report}");
}

/// The tests of matrices hold every function of matrices to these checks too.
#[test]
fn functions_of_matrices_pass() {
    use nalgebra::{DMatrix, SMatrix, SVector};
    let well = [4.0, 1.0, -0.5, 0.3, 3.0, 0.7, -0.2, 0.4, 2.5];
    // A result that does not depend on the matrix: derivatives of rounding errors are no fault.
    let constant = function!(|x, y: [_; 3]| {
        let a = SMatrix::<f64, 3, 3>::from_column_slice(&x[..9]);
        let b: SVector<f64, 3> = a.column(0) + a.column(2);
        y.copy_from_slice(matrix::solve(&a, &b).unwrap().as_slice());
    });
    let report = check::function(&constant, &well);
    assert_ne!(report.verdict(), Verdict::Wrong, "{report}");
    let large: Vec<f64> =
        (0..64).map(|i| ((i * 37 % 17) as f64 - 8.0) / 9.0 + if i % 9 == 0 { 4.0 } else { 0.0 }).collect();
    let f = function!(|x, y: [_; 9]| {
        let a = DMatrix::from_column_slice(8, 8, x);
        y[..8]
            .copy_from_slice(matrix::solve(&a, &a.column(3).into_owned().map(|x| x * x)).unwrap().as_slice());
        y[8] = matrix::ln_abs_det(&a).unwrap();
    });
    holds("eight by eight", &f, &large);
}

#[test]
fn planted_faults_of_functions_are_found() {
    // A value that leaves the numbers has no derivative.
    let detached = function!(|x, y: [_; 1]| y[0] = x[0] * x[1].detach());
    assert_eq!(check::function(&detached, &[2.0, 3.0]).verdict(), Verdict::Wrong);
    let flat = function!(|x, y: [_; 1]| y[0] = (x[0] * 30.0).tanh());
    assert_eq!(check::function(&flat, &[1.0]).verdict(), Verdict::Inconclusive);
    let kink = function!(|x, y: [_; 1]| y[0] = (x[0] - 1.0).abs());
    assert_eq!(check::function(&kink, &[1.0]).verdict(), Verdict::Inconclusive);
}

#[test]
fn points_at_the_end_of_the_range_have_no_neighbour() {
    let half = from_jvp("half", 1, |x| vec![0.5 * x[0][0]], |_, dx| vec![0.5 * dx[0][0]]);
    for x in [f64::MAX, -f64::MAX] {
        assert_ne!(check::primitive(&half, &[&[x]]).verdict(), Verdict::Wrong);
    }
}

//! The contents of a trace, and the refusals of a replay.

use approx::AbsDiffEq;
use wengert::programs::{Traced, trace, trace_unoptimized};
use wengert::{AdError, Real};

fn line_of(error: &AdError) -> (&'static str, String, u32) {
    match error {
        AdError::BranchChanged { op, recorded, location } => (op, recorded.clone(), location.line()),
        other => panic!("{other}"),
    }
}

#[test]
fn comparisons_are_guards_with_their_line() {
    let line = line!() + 1;
    let program = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[4.0]);
    assert_eq!(program.run(&[9.0]).unwrap(), [3.0]);
    assert_eq!(line_of(&program.run(&[-1.0]).unwrap_err()), ("lt", "true".to_string(), line));
    let line = line!() + 1;
    let unequal = trace(|x: &[Traced]| if x[0] != x[1] { x[0] } else { x[1] }, &[2.0, 3.0]);
    assert_eq!(line_of(&unequal.run(&[1.0, 1.0]).unwrap_err()), ("eq", "false".to_string(), line));
    let line = line!() + 1;
    let near = |x: &[Traced]| if x[0].abs_diff_eq(&x[1], 0.1.into()) { x[0] } else { x[1] };
    assert_eq!(
        line_of(&trace(near, &[2.0, 3.0]).run(&[2.5, 3.0]).unwrap_err()),
        ("value", "2".to_string(), line)
    );
    // NaN compares as recorded code would.
    assert!(program.run(&[f64::NAN]).is_err());
    let other = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[f64::NAN]);
    assert_eq!(other.run(&[-2.0]).unwrap(), [2.0]);
    assert!(other.run(&[f64::NAN]).unwrap()[0].is_nan());
}

/// The documented limit of second derivatives between far factors, which the other modes do not have; and one of all modes.
#[test]
fn second_derivatives_between_far_factors_underflow() {
    let program = trace(|x| (x[0] * 1e110).atan() * 1e110, &[0.5]);
    assert_eq!(program.hessian().unwrap().run(&[0.5]).unwrap(), [0.0]);
    assert!((wengert::second_derivative(|x| (x * 1e110).atan() * 1e110, 0.5) + 16.0).abs() < 1e-13);
    assert_eq!(wengert::second_derivative(|x| wengert::Real::digamma(x * 1e200), 1.0), 0.0);
}

/// A program that fails within a trace is a branch, as a primitive that fails.
#[test]
fn programs_that_fail_in_a_trace_are_guards() {
    let root = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[4.0]);
    let f = |x: &[Traced]| root.call(x).map_or(x[0] * 7.0, |y| y[0]);
    let [fails, runs] = [[-9.0], [4.0]].map(|at| trace(f, &at));
    assert_eq!((fails.run(&[-2.0]).unwrap(), runs.run(&[9.0]).unwrap()), (vec![-14.0], vec![3.0]));
    for (program, at) in [(&fails, 4.0), (&runs, -9.0)] {
        let error = program.run(&[at]).unwrap_err();
        assert!(matches!(error, AdError::BranchChanged { .. }), "{error}");
    }
    assert_eq!(fails.gradient().unwrap().run(&[-2.0]).unwrap(), [7.0]);
    // Another number of inputs is an error at each point, and no branch.
    let program = trace(|x| if root.call(&[x[0], x[0]]).is_err() { x[0] } else { -x[0] }, &[4.0]);
    assert_eq!(program.run(&[-9.0]).unwrap(), [-9.0]);
}

#[test]
fn values_that_leave_are_guards() {
    let program = trace(|x| x[1] * x[0].primal().floor(), &[2.5, 3.0]);
    assert_eq!(program.run(&[2.5, 4.0]).unwrap(), [8.0]);
    assert_eq!(line_of(&program.run(&[2.75, 4.0]).unwrap_err()).0, "value");
    let table = [1.0, 10.0, 100.0];
    let index = trace(|x| x[0] * table[num_traits::ToPrimitive::to_usize(&x[0]).unwrap()], &[1.0]);
    assert!(index.run(&[2.0]).is_err());
}

/// The sign of NaN decides nothing: operations promise none, and passes may change it.
#[test]
fn values_that_leave_as_nan_are_alike() {
    let line = line!() + 1;
    let program = trace(|x| if x[0].primal().is_nan() { x[1] } else { -x[1] }, &[-f64::NAN, 1.0]);
    for nan in [f64::NAN, -f64::NAN, f64::from_bits(f64::NAN.to_bits() + 5)] {
        assert_eq!(program.run(&[nan, 2.0]).unwrap(), [2.0]);
    }
    for number in [0.0, f64::INFINITY] {
        assert_eq!(line_of(&program.run(&[number, 2.0]).unwrap_err()), ("value", "NaN".to_string(), line));
    }
}

/// Nor does it decide which sign a number has: a program tests whether there is NaN.
#[test]
fn the_sign_of_nan_is_no_answer() {
    let record = |start: f64| {
        let f = |x: &[Traced]| [if x[0].is_sign_negative() { x[1] } else { -x[1] }, x[1].copysign(x[0])];
        trace(f, &[start, 1.0])
    };
    for nan in [f64::NAN, -f64::NAN] {
        assert!([1.0, -1.0].iter().all(|&start| record(start).run(&[nan, 2.0]).is_err()));
        for other in [f64::NAN, -f64::NAN] {
            let sign = if nan.is_sign_negative() { 1.0 } else { -1.0 };
            assert_eq!(record(nan).run(&[other, 2.0]).unwrap(), [2.0 * sign, -2.0 * sign]);
        }
        assert!(record(nan).run(&[1.0, 2.0]).is_err() && record(nan).run(&[-1.0, 2.0]).is_err());
    }
    assert_eq!(record(-1.0).run(&[-0.0, 2.0]).unwrap(), [2.0, -2.0]);
}

#[test]
fn selections_keep_both_sides() {
    let f = |x: &[Traced]| {
        [x[0].max(x[1]), x[0].min(x[1]), x[0].abs(), x[0].clamp(-1.0, x[1]), x[0].abs_sub(x[1])]
    };
    let g = |x: &[f64]| {
        [x[0].max(x[1]), x[0].min(x[1]), x[0].abs(), x[0].clamp(-1.0, x[1]), Real::abs_sub(x[0], x[1])]
    };
    let program = trace(f, &[0.5, 2.0]);
    for x in [[0.5, 2.0], [3.0, 2.0], [-7.0, 2.0], [2.0, 2.0], [-0.0, 0.0], [f64::NAN, 1.0]] {
        let (got, want) = (program.run(&x).unwrap(), g(&x));
        for (got, want) in got.iter().zip(want) {
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x:?}: {got} {want}");
        }
    }
}

#[test]
#[should_panic(expected = "numbers of two traces")]
fn numbers_of_two_traces_panic() {
    trace(
        |x| {
            let outer = x[0];
            trace(move |y: &[Traced]| y[0] * outer, &[1.0]);
            outer
        },
        &[2.0],
    );
}

#[test]
#[should_panic(expected = "has ended")]
fn numbers_of_an_ended_trace_panic() {
    let mut kept = None;
    trace(
        |x| {
            kept = Some(x[0]);
            x[0]
        },
        &[2.0],
    );
    let _ = kept.unwrap() + 1.0;
}

#[test]
#[should_panic(expected = "inner function returned a number of an outer one")]
fn results_of_another_trace_panic() {
    trace(
        |x| {
            let outer = x[0];
            trace(move |_: &[Traced]| outer, &[1.0]);
            outer
        },
        &[2.0],
    );
}

#[test]
fn another_thread_panics() {
    let result = std::panic::catch_unwind(|| {
        trace(
            |x| {
                let x = x[0];
                std::thread::spawn(move || x + x).join().unwrap_or(x)
            },
            &[2.0],
        )
        .run(&[3.0])
    });
    assert_eq!(result.unwrap().unwrap(), [3.0], "the thread has panicked");
}

#[test]
fn unusual_shapes() {
    let nothing: [f64; 0] = [];
    let constant = trace(|_: &[Traced]| Traced::constant(5.0), &nothing);
    assert_eq!(constant.run(&[]).unwrap(), [5.0]);
    let empty = trace(|_: &[Traced]| Vec::<Traced>::new(), &[1.0]);
    assert!(empty.run(&[2.0]).unwrap().is_empty());
    let error = empty.run(&[1.0, 2.0]).unwrap_err();
    assert_eq!(error.to_string(), "program: the point has length 2, expected 1");
}

/// Extrema and, beyond the range of squares, norms: operations of a program at any point of their kind, with the values
/// and the gradients of a tape.
#[test]
fn extrema_and_norms_out_of_range_replay() {
    use wengert::reduce::{max, min, norm};
    let kinds: [&[[f64; 4]]; 4] = [
        &[[1.0, 3.0, 3.0, -2.0], [0.0; 4], [-0.0, 0.0, 1.0, 1.0], [f64::NAN, 2.0, 1.0, 2.0]],
        &[[1e-200, -3e-200, 2e-310, 5e-200], [0.0; 4], [0.0, 0.0, 1e-300, 0.0], [-1e-30, 1e-200, 0.0, 2e-30]],
        &[
            [1e200, -3e220, 2e10, 5e200],
            [f64::INFINITY, 1.0, -2.0, 0.0],
            [1.0, 2.0, 1e180, f64::NEG_INFINITY],
        ],
        &[[f64::INFINITY, 1.0, f64::INFINITY, 0.0], [f64::NAN; 4], [1.0, f64::NAN, f64::NEG_INFINITY, 0.0]],
    ];
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-15 * b.abs() || a.is_nan() && b.is_nan();
    macro_rules! hold {
        ($name:literal, $f:expr, $kinds:expr) => {
            for &points in $kinds {
                let program = trace($f, &points[0]);
                assert!(program.calls().is_empty(), $name);
                let derivative = program.gradient().unwrap();
                for x in points {
                    let (value, gradient) = wengert::value_and_gradient($f, x);
                    assert_eq!(program.run(x).unwrap()[0].to_bits(), value.to_bits(), "{} {x:?}", $name);
                    let got = derivative.run(x).unwrap();
                    let equal = got.iter().zip(&gradient).all(|(&a, &b)| near(a, b));
                    assert!(equal, "{} {x:?}: {got:?}, on a tape {gradient:?}", $name);
                }
            }
        };
    }
    hold!("max", |x| max(x).unwrap(), &kinds);
    hold!("min", |x| min(x).unwrap(), &kinds);
    hold!("norm", |x| norm(x), &kinds[1..3]);
}

#[test]
fn reductions_replay_without_branches() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
        use wengert::reduce::{logsumexp, max, mean, min, norm, product, softmax, sum};
        let mut y = vec![
            sum(x),
            norm(x),
            logsumexp(x),
            product(x),
            max(x).unwrap(),
            min(x).unwrap(),
            mean(x).unwrap(),
        ];
        y.extend(softmax(x));
        y
    }
    let program = trace(|x: &[Traced]| f(x), &[1.0, 2.0, 3.0]);
    for x in [[3.0, -1.0, 700.0], [1.0, 1.0, 1.0], [-0.5, 0.25, 1000.0], [2.0, f64::NEG_INFINITY, 1.0]] {
        let got = match program.run(&x) {
            Ok(got) => got,
            Err(error) => {
                assert!(x[1].is_infinite() && error.to_string().contains("lt = true"), "{x:?}: {error}");
                continue;
            }
        };
        for (i, (got, want)) in got.iter().zip(f(&x)).enumerate() {
            assert_eq!(got.to_bits(), want.to_bits(), "{i} at {x:?}: {got} {want}");
        }
        let jacobian = program.jacobian().unwrap().run(&x).unwrap();
        let want = wengert::jacobian(f, &x);
        for (k, got) in jacobian.into_iter().enumerate() {
            let want = want[(k / 3, k % 3)];
            assert!((got - want).abs() <= 1e-14 * want.abs().max(1e-3), "{k} at {x:?}: {got} {want}");
        }
    }
}

#[test]
fn selections_by_a_relation_have_no_guard() {
    let f = |x: &[Traced]| Real::select_lt(x[0], x[1], x[0] * 2.0, x[1].exp());
    let program = trace(f, &[1.0, 2.0]);
    assert_eq!(program.run(&[1.0, 2.0]).unwrap(), [2.0]);
    assert_eq!(program.run(&[2.0, 0.0]).unwrap(), [1.0]);
    assert_eq!(program.gradient().unwrap().run(&[2.0, 0.0]).unwrap(), [0.0, 1.0]);
    // An operand that is not chosen does not matter, infinite or not.
    assert_eq!(program.gradient().unwrap().run(&[2.0, 1000.0]).unwrap(), [2.0, 0.0]);
}

#[test]
fn replays_record_again_where_the_branch_is_another_one() {
    use wengert::programs::{Program, Replay};
    fn f(x: &[Traced]) -> Traced {
        let mut y = x[0];
        while y < 10.0 {
            y *= 2.0;
        }
        y * x[x.len() - 1]
    }
    let (mut gradient, mut g) = (Replay::<[f64], _, _>::new(f, Program::gradient), [0.0; 2]);
    for (x, want, recordings) in [
        ([3.0, 1.0], [4.0, 12.0], 1),
        ([4.0, 2.0], [8.0, 16.0], 1),
        ([20.0, 1.0], [1.0, 20.0], 2),
        ([3.5, 1.0], [4.0, 14.0], 2),
    ] {
        gradient.at(&x, &mut g).unwrap();
        assert_eq!((g, gradient.recordings()), (want, recordings), "{x:?}");
    }
    // Another shape is another program, too.
    let mut g = [0.0; 3];
    gradient.at(&[11.0, 0.0, 2.0], &mut g).unwrap();
    assert_eq!((g, gradient.recordings()), ([2.0, 0.0, 11.0], 3));
    let error = gradient.at(&[11.0, 0.0, 2.0], &mut [0.0; 2]).unwrap_err();
    assert!(matches!(error, AdError::Shape { .. }), "{error}");
    for n in 4..30 {
        gradient.at(&vec![11.0; n], &mut vec![0.0; n]).unwrap();
    }
}

#[test]
fn long_programs_are_right() {
    let n = if cfg!(debug_assertions) { 100_000 } else { 10_000_000 };
    let program =
        trace(|x: &[Traced]| (0..n).fold(x[0], |y, i| (y * x[1] + f64::from(i)) * 1e-3), &[1.0, 2.0]);
    let want = (0..n).fold(0.5, |y: f64, i| (y * 3.0 + f64::from(i)) * 1e-3);
    assert_eq!(program.run(&[0.5, 3.0]).unwrap(), [want]);
    assert_eq!(program.operations(), 3 * n as usize);
}

#[test]
fn questions_about_values_are_guards() {
    use num_traits::{One, Zero};
    type Asks = fn(Traced) -> bool;
    let questions: [(&str, Asks, f64, f64); 5] = [
        ("is_nan", |x| x.is_nan(), 1.0, f64::NAN),
        ("is_finite", |x| x.is_finite(), 1.0, f64::INFINITY),
        ("is_sign_negative", |x| x.is_sign_negative(), 0.0, -0.0),
        ("is_zero", |x| x.is_zero(), 0.0, 2.0),
        ("is_one", |x| x.is_one(), 3.0, 1.0),
    ];
    for (name, ask, x, other) in questions {
        let program = trace(|x: &[Traced]| if ask(x[0]) { x[0] } else { -x[0] }, &[x]);
        assert!(program.run(&[x]).is_ok(), "{name}");
        assert_eq!(line_of(&program.run(&[other]).unwrap_err()).0, name);
    }
}

/// `x`, whose derivative is scaled: its text does not show by how much.
#[derive(Clone, Copy)]
struct Damp(f64);
impl std::fmt::Debug for Damp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Damp(..)")
    }
}
impl wengert::rules::Unary for Damp {
    const NAME: &'static str = "damp";
    fn value<F: wengert::BaseFloat>(self, x: F) -> F {
        x
    }
    fn derivative<T: Real>(self, _: T, _: T) -> T {
        T::lit(self.0)
    }
}
impl wengert::rules::Binary for Damp {
    const NAME: &'static str = "damp_both";
    fn value<F: wengert::BaseFloat>(self, x: F, y: F) -> F {
        x * y
    }
    fn partials<T: Real>(self, x: T, y: T, _: T) -> [T; 2] {
        [y * T::lit(self.0), x * T::lit(self.0)]
    }
}

/// Rules are equal if their bits are, whatever their text is: in a trace, in a program within another one, after
/// passes, and in derivatives.
#[test]
fn rules_of_one_text_are_told_apart_by_their_bits() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        let one = x[0].lift1(Damp(0.5)) + x[0].lift1(Damp(2.0)) + x[1].lift1(Damp(0.5));
        let zeros = x[0].lift1(Damp(0.0)).lift1(Damp(-0.0));
        one + zeros + x[0].lift2(x[1], Damp(3.0)) * x[0].lift2(x[1], Damp(0.5))
    }
    let x = [1.25, -0.75];
    let want = wengert::gradient(f, &x).to_vec();
    let written = trace_unoptimized(|x: &[Traced]| f(x), &x);
    let program = trace(|x: &[Traced]| f(x), &x);
    let parts = [0.5, 2.0].map(|c| trace(|x: &[Traced]| x[0].lift1(Damp(c)) * x[1].lift1(Damp(c)), &x));
    let within = trace(|x: &[Traced]| parts[0].call(x).unwrap()[0] * parts[1].call(x).unwrap()[0], &x);
    for program in [&program, &written, &written.optimized(wengert::programs::Passes::EXACT)] {
        assert_eq!(program.gradient().unwrap().run(&x).unwrap(), want);
        assert_eq!([1, 2].map(|arity| program.code().rules.of_arity(arity).count()), [4, 2]);
    }
    // (c·d) ∂(x₀x₁)²: each factor of a product has its own rule.
    let both = |c: f64, d: f64| 2.0 * x[0] * x[1] * x[1] * 0.5 * (c + d);
    assert_eq!(within.gradient().unwrap().run(&x).unwrap()[0], both(0.5, 2.0));
    // Equal rules appear once.
    let twice = trace(|x: &[Traced]| x[0].lift1(Damp(0.5)) + x[0].lift1(Damp(0.5)), &x);
    assert_eq!((twice.code().rules.all.len(), twice.operations()), (1, 2));
}

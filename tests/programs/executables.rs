//! Executables: results follow the definition of the program, bit for bit, and slots are reused.

use wengert::programs::{Program, Traced, Workspace, trace};
use wengert::{AdError, Real};

use crate::support::definition::is_defined;

/// All ways to run give the results of the definition, at each point.
#[track_caller]
fn agrees<const N: usize>(program: &Program, points: &[[f64; N]]) -> Vec<Result<Vec<f64>, AdError>> {
    #[cfg(feature = "jit")]
    let compiled = program.compile().unwrap();
    let at = |x: &[f64; N]| {
        let got = program.run(x);
        assert!(is_defined(program, x, &got), "{x:?}: {got:?}\n{program}");
        let mut y = vec![0.5; program.outputs()];
        let done = program.ready().run_into(&mut Workspace::default(), x, &mut y);
        assert!(is_defined(program, x, &done.map(|()| y)), "a executable at {x:?}\n{program}");
        #[cfg(feature = "jit")]
        assert!(is_defined(program, x, &compiled.run(x)), "machine code at {x:?}\n{program}");
        got
    };
    points.iter().map(at).collect()
}

/// All ways to run at one point, where the program runs.
#[track_caller]
fn runs<const N: usize>(program: &Program, x: [f64; N]) -> Vec<f64> {
    agrees(program, &[x]).remove(0).unwrap()
}

/// `Σ (sin(p₀·t) + p₁)·(p₀·t)` and its last term.
fn sum<T: Real<Base = f64>>(p: &[T], data: &[f64]) -> Vec<T> {
    let (mut s, mut term) = (T::from(1.0), T::from(0.0));
    for &t in data {
        term = ((p[0] * t).sin() + p[1]) * (p[0] * t);
        s += term;
    }
    vec![s, term]
}

#[test]
fn slots_are_used_again() {
    let data: Vec<f64> = (0..3000).map(|i| (f64::from(i) * 0.37).cos()).collect();
    let program = trace(|p: &[Traced]| sum(p, &data), &[0.5, 0.25]);
    assert_eq!(runs(&program, [1.25, -0.75]), sum(&[1.25, -0.75], &data));
    let executable = program.ready();
    // Each product but the last runs with its sum; the last is also a result.
    assert_eq!(executable.instructions(), program.operations() - 2999);
    // Constants have their own slots; so have the operations that an order of 512 instructions keeps together.
    assert!(executable.slots() < 3002 + 512, "{executable:?}");
}

/// Steps of Heun for a pendulum, and its largest angle: the state passes from step to step.
fn pendulum<T: Real<Base = f64>>(x: &[T], steps: usize) -> Vec<T> {
    let (mut q, mut v, mut largest) = (x[0], x[1], x[0]);
    for _ in 0..steps {
        let (a, b) = (v, -(q.sin() * x[2]));
        let (c, d) = (v + b * 0.01, -((q + a * 0.01).sin() * x[2]));
        (q, v) = (q + (a + c) * 0.005, v + (b + d) * 0.005);
        largest = largest.max(q);
    }
    vec![q, v, largest]
}

#[test]
fn memory_of_a_solver_does_not_grow_with_its_steps() {
    let of = |n: usize| trace(|x: &[Traced]| pendulum(x, n), &[0.1, 0.2, 9.81]);
    let x = [0.5, -0.25, 2.0];
    for n in [1, 2, 500] {
        assert_eq!(runs(&of(n), x), pendulum(&x, n));
        runs(&of(n).jacobian().unwrap(), x);
    }
    let [small, large] = [200, 5000].map(|n| of(n).ready().slots());
    assert!(large < small + 512, "{small} {large}");
}

#[test]
fn all_states_may_be_results() {
    let states = |x: &[Traced]| {
        let mut y = vec![x[0]];
        (0..2000).for_each(|i| y.push((y[i] * x[1]).sin() + y[i]));
        y
    };
    let (program, x) = (trace(states, &[1.0, 2.0]), [0.25_f64, 0.5]);
    let mut want = vec![x[0]];
    (0..2000).for_each(|i| want.push((want[i] * x[1]).sin() + want[i]));
    assert_eq!(runs(&program, x), want);
}

/// A running maximum by comparison, so which number is the largest varies with the term.
fn guarded<T: Real<Base = f64>>(p: &[T], data: &[[f64; 3]]) -> T {
    let mut total = T::from(0.0);
    for x in data {
        let terms = [p[0] * x[0] + p[1], p[1] * x[1] - p[0], p[2] * x[2] * p[0]];
        let largest = terms[1..].iter().fold(terms[0], |m, &t| if t > m { t } else { m });
        let sum = terms.iter().fold(T::from(0.0), |s, &t| s + (t - largest).exp());
        total += sum.ln() + largest;
    }
    total
}

/// Where the order of terms changes, and only there, all ways to run report it, with the line of the first guard.
#[test]
fn the_first_guard_with_another_answer_is_the_error() {
    let number = |i: i32, k: i32| (f64::from(i) * 0.7 + f64::from(k) * 2.1).sin() + 0.001;
    let data: Vec<[f64; 3]> = (0..200).map(|i| [0, 1, 2].map(|k| number(i, k))).collect();
    let p = [1.0, 1.1, 0.9];
    let program = trace(|p: &[Traced]| guarded(p, &data), &p);
    let gradient = program.gradient().unwrap();
    assert_eq!(runs(&program, p), [guarded(&p, &data)]);
    let points: Vec<[f64; 3]> = (-30..30).map(|k| [1.0 + 0.0005 * f64::from(k), 1.1, 0.9]).collect();
    let [passed, of_gradient] = [&program, &gradient]
        .map(|program| agrees(program, &points).iter().map(Result::is_ok).collect::<Vec<bool>>());
    assert_eq!(passed, of_gradient);
    let count = passed.iter().filter(|&&passed| passed).count();
    assert!((6..54).contains(&count), "{count}");
}

#[test]
fn nan_and_infinity_run_through() {
    let data: Vec<f64> = (0..100).map(f64::from).collect();
    let program = trace(|p: &[Traced]| sum(p, &data), &[0.5, 0.25]);
    let gradient = trace(|p: &[Traced]| sum(p, &data)[0], &[0.5, 0.25]).gradient().unwrap();
    let points = [[f64::NAN, 1.0], [f64::INFINITY, 1.0], [1.0, f64::NEG_INFINITY]];
    let results = [&program, &gradient].map(|program| agrees(program, &points));
    assert!(results.iter().flatten().all(Result::is_ok));
    assert!(results[0][0].as_ref().unwrap().iter().all(|y| y.is_nan()));
}

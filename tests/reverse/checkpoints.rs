//! Segments that are run again, and long loops with few states kept.

use crate::panics::text_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::{Dual, Real, Tape, Var, gradient, hvp, linearize, reverse};

fn wave<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
    let y = (0..40).fold(x[0], |y, _| y + (x[1] * y).sin() * 0.1);
    vec![y, x[0] * x[1]]
}

#[test]
fn a_segment_is_as_if_recorded() {
    let plain = |x: &[Var<f64>]| {
        let y = wave(&[x[0], x[1] * x[2]]);
        y[0] * y[1] + x[2]
    };
    let saved = |x: &[Var<f64>]| {
        let y = reverse::checkpoint(wave, &[x[0], x[1] * x[2]]);
        y[0] * y[1] + x[2]
    };
    let x = [0.3, 1.2, 0.8];
    assert_eq!(gradient(saved, &x), gradient(plain, &x));
    let (plain, saved) = (linearize(plain, &x), linearize(saved, &x));
    assert_eq!(plain.value(), saved.value());
    let (a, b) = (plain.jvp(&[1.0, -2.0, 0.5]).unwrap(), saved.jvp(&[1.0, -2.0, 0.5]).unwrap());
    assert!((a - b).abs() < 1e-14);
    assert!(saved.tape().stats().nodes < 10 && plain.tape().stats().nodes > 40);
    assert!(saved.tape().to_dot().contains("checkpoint"));
}

#[test]
fn segments_nest_and_have_second_derivatives() {
    fn inner<T: Real<Base = f64>>(x: &[Var<T>]) -> Vec<Var<T>> {
        reverse::checkpoint(|x| vec![x[0].sin() * x[1]], x)
    }
    let f = |x: &[Var<Dual<f64>>]| reverse::checkpoint(|x| inner(&[x[0] * x[1], x[1]]), x)[0];
    let g = |x: &[Var<Dual<f64>>]| (x[0] * x[1]).sin() * x[1];
    let (x, v) = ([0.7, 1.1], [1.0, -0.5]);
    assert_eq!(hvp(f, &x, &v), hvp(g, &x, &v));
    let reverse_twice = |x: &[Var<f64>]| gradient(|x: &[Var<Var<f64>>]| inner(x)[0], x)[0];
    let want = |x: &[Var<f64>]| x[0].cos() * x[1];
    assert_eq!(gradient(reverse_twice, &x), gradient(want, &x));
}

#[test]
fn constants_cost_nothing() {
    let tape = Tape::<f64>::new();
    let y = reverse::checkpoint(|x| vec![x[0] * x[1]], &[Var::constant(2.0), Var::constant(3.0)]);
    assert_eq!((y[0].value(), tape.stats().nodes), (6.0, 0));
    let x = tape.variable(5.0);
    let y = reverse::checkpoint(|x| vec![x[0] * x[1], Var::constant(1.0)], &[x, Var::constant(3.0)]);
    assert_eq!(tape.cotangents(y[0] + y[1]).of(x), 3.0);
    assert!(reverse::checkpoint(|_| vec![], &[x]).is_empty());
}

#[test]
fn a_captured_variable_is_named() {
    let f = |x: &[Var<f64>]| {
        let captured = x[1];
        reverse::checkpoint(move |y| vec![y[0] * captured], &x[..1])[0]
    };
    let panic = catch_unwind(|| gradient(f, &[2.0, 3.0])).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("pass the captured variable as an input"));
    let step = |x: &[Var<f64>]| {
        let captured = x[0];
        let step =
            |_: usize, s: &[Var<f64>], _: &[Var<f64>], next: &mut [Var<f64>]| next[0] = s[0] * captured;
        Var::constant(reverse::loop_gradient(step, |s, _| s[0], &[1.0], &[], 3, 2).value)
    };
    assert!(catch_unwind(|| gradient(step, &[2.0])).is_err());
}

#[test]
fn a_segment_that_does_not_repeat_itself() {
    use std::cell::Cell;
    type Counted = fn(&[Var<f64>], i32) -> Vec<Var<f64>>;
    let run = |f: Counted| {
        let times: &'static Cell<i32> = Box::leak(Box::new(Cell::new(0)));
        let segment = move |x: &[Var<f64>]| {
            times.set(times.get() + 1);
            f(x, times.get())
        };
        let tape = Tape::new();
        let x = tape.variable(2.0);
        let y = reverse::checkpoint(segment, &[x]).into_iter().sum::<Var<f64>>();
        let panic = catch_unwind(AssertUnwindSafe(|| tape.cotangents(y))).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    assert!(run(|x, k| vec![x[0] * f64::from(k)]).contains("gave other results when it was run again"));
    assert!(run(|x, k| vec![x[0]; k as usize]).contains("another number of results"));
}

#[test]
fn nested_segments_of_a_nan_run_once_more_each() {
    use std::cell::Cell;
    thread_local!(static RUNS: Cell<usize> = const { Cell::new(0) });
    fn deep(x: &[Var<f64>], depth: usize) -> Vec<Var<f64>> {
        RUNS.set(RUNS.get() + 1);
        if depth == 0 { vec![x[0].ln()] } else { reverse::checkpoint(move |x| deep(x, depth - 1), x) }
    }
    let evaluations = |x: f64| {
        RUNS.set(0);
        let g = gradient(|x: &[Var<f64>]| deep(x, 10)[0] * x[0], &[x])[0];
        (RUNS.get(), g)
    };
    let ((finite, g), (nan, h)) = (evaluations(2.0), evaluations(-1.0));
    assert!((g - (2f64.ln() + 1.0)).abs() < 1e-15 && h.is_nan());
    assert!(nan <= 3 * finite, "{nan} evaluations instead of {finite}");
}

/// One step of a damped pendulum.
fn pendulum(_: usize, s: &[Var<f64>], p: &[Var<f64>], next: &mut [Var<f64>]) {
    next[0] = s[0] + s[1] * 0.01;
    next[1] = s[1] - (s[0].sin() * p[0] + s[1] * p[1]) * 0.01;
}

fn energy(s: &[Var<f64>], p: &[Var<f64>]) -> Var<f64> {
    s[1] * s[1] * 0.5 + (1.0 - s[0].cos()) * p[0]
}

fn recorded(steps: usize) -> (f64, Vec<f64>) {
    let f = |x: &[Var<f64>]| {
        let mut s = [x[0], x[1]];
        for k in 0..steps {
            let mut next = s;
            pendulum(k, &s, &x[2..], &mut next);
            s = next;
        }
        energy(&s, &x[2..])
    };
    wengert::value_and_gradient(f, &[0.5, -0.2, 2.0, 0.1][..])
}

#[test]
fn loops_of_every_length_and_budget() {
    for steps in [0, 1, 2, 3, 7, 10, 33, 100] {
        let (value, want) = recorded(steps);
        for budget in [1, 2, 3, 5, 10, 1000] {
            let g = reverse::loop_gradient(pendulum, energy, &[0.5, -0.2], &[2.0, 0.1], steps, budget);
            let done = |k: usize, _: &[f64]| k == steps;
            let u = reverse::loop_gradient_until(pendulum, done, energy, &[0.5, -0.2], &[2.0, 0.1], budget);
            for g in [&g, &u] {
                assert_eq!((g.value, g.steps), (value, steps), "{steps} {budget}");
                let got = g.state.iter().chain(&g.parameters);
                got.zip(&want).for_each(|(a, b)| assert!((a - b).abs() < 1e-13, "{steps} {budget}: {a} {b}"));
                assert!(g.kept <= budget, "{g:?}");
            }
            if budget > steps {
                assert_eq!(g.evaluations, (2 * steps).saturating_sub(1), "each step at most twice");
            }
        }
    }
}

#[test]
fn no_checkpoint_is_an_error() {
    let run = || reverse::loop_gradient(pendulum, energy, &[0.5, -0.2], &[2.0, 0.1], 5, 0);
    assert_eq!(text_of(run), "loop_gradient: 0 checkpoints given, at least 1 needed");
}

#[test]
fn a_million_steps_in_bounded_memory() {
    // s ← s + (p − s)/N: ds_N/ds₀ = (1 − 1/N)^N, ds_N/dp = 1 − that.
    const N: usize = 1_000_000;
    let relax = |_: usize, s: &[Var<f64>], p: &[Var<f64>], next: &mut [Var<f64>]| {
        next[0] = s[0] + (p[0] - s[0]) * (1.0 / N as f64);
    };
    let g = reverse::loop_gradient(relax, |s, _| s[0], &[0.0], &[1.0], N, 60);
    let want = (N as f64 * (-1.0 / N as f64).ln_1p()).exp();
    assert!((g.state[0] - want).abs() < 1e-9 && (g.parameters[0] - (1.0 - want)).abs() < 1e-9, "{g:?}");
    assert!(g.kept <= 60 && g.evaluations < 6 * N, "{g:?}");
}

#[test]
fn a_step_that_leaves_next_as_it_was_is_named() {
    type Next<'a, T> = &'a mut [Var<T>];
    let forgets = |_: usize, s: &[Var<f64>], p: &[Var<f64>], next: Next<f64>| next[0] = s[0] * p[0] + s[1];
    for steps in [1, 2, 5] {
        let run = || reverse::loop_gradient(forgets, |s, _| s[0] + s[1], &[0.5, 1.0], &[2.0], steps, 2);
        assert_eq!(text_of(run), "loop_gradient: step 0 has not filled number 1 of `next`, which has 2");
    }
    let adds = |k: usize, s: &[Var<f32>], _: &[Var<f32>], next: Next<f32>| {
        if k == 1 { next[0] += s[0] } else { next[0] = s[0] }
    };
    let run = || reverse::loop_gradient(adds, |s, _| s[0], &[0.5_f32], &[], 3, 2);
    assert_eq!(text_of(run), "loop_gradient: step 1 has not filled number 0 of `next`, which has 1");
    let run = || {
        reverse::loop_gradient_until(adds, |k, _| k == 3, |s, _| s[0], &[0.5_f32], &[], 2);
    };
    assert_eq!(text_of(run), "loop_gradient_until: step 1 has not filled number 0 of `next`, which has 1");
    // NaN that a step computes is a number like others.
    let root = |_: usize, s: &[Var<f64>], _: &[Var<f64>], next: Next<f64>| next[0] = s[0].sqrt();
    assert!(reverse::loop_gradient(root, |s, _| s[0], &[-1.0], &[], 3, 2).value.is_nan());
    let nan = |_: usize, s: &[Var<f64>], _: &[Var<f64>], next: Next<f64>| next[0] = s[0] * f64::NAN;
    assert!(reverse::loop_gradient(nan, |s, _| s[0], &[1.0], &[], 3, 2).value.is_nan());
}

//! Results and arguments of very different sizes: each is judged in its own.

use std::any::TypeId;

use num_complex::Complex64;
use wengert::check::{self, Verdict};
use wengert::primitive::{from_jvp, from_jvp_and_vjp, from_vjp};
use wengert::{LinearMap, Number, Real, Var, VectorFunction, function};

const SIZES: [f64; 3] = [1.0, 1e8, 1e16];

fn value(x: &[&[f64]]) -> Vec<f64> {
    SIZES.iter().map(|s| s * x[0][0] * x[1][0].sin()).collect()
}

/// The tangents; each result has its own factor.
fn jvp(factor: [f64; 3]) -> impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> {
    move |x, dx| {
        let one = dx[0][0] * x[1][0].sin() + x[0][0] * x[1][0].cos() * dx[1][0];
        (0..3).map(|i| SIZES[i] * factor[i] * one).collect()
    }
}

fn vjp(factor: [f64; 3]) -> impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> {
    move |x, w| {
        let sum: f64 = (0..3).map(|i| SIZES[i] * factor[i] * w[i]).sum();
        vec![vec![sum * x[1][0].sin()], vec![sum * x[0][0] * x[1][0].cos()]]
    }
}

#[test]
fn small_results_are_not_hidden_by_large_ones() {
    let x: [&[f64]; 2] = [&[2.0], &[0.5]];
    let right = [1.0; 3];
    check::primitive(&from_jvp_and_vjp("p", 2, value, jvp(right), vjp(right)), &x).assert_ok();
    for i in 0..3 {
        let mut wrong = right;
        wrong[i] = 1.001;
        for report in [
            check::primitive(&from_jvp("p", 2, value, jvp(wrong)), &x),
            check::primitive(&from_vjp("p", 2, value, vjp(wrong)), &x),
            check::primitive(&from_jvp_and_vjp("p", 2, value, jvp(wrong), vjp(wrong)), &x),
            check::primitive(&from_jvp_and_vjp("p", 2, value, jvp(right), vjp(wrong)), &x),
        ] {
            assert_eq!(report.verdict(), Verdict::Wrong, "result {i}: {report}");
        }
        let report = check::primitive(&from_jvp("p", 2, value, jvp(wrong)), &x);
        assert_eq!(report.probes[0].part, i, "{report}");
        assert!((report.probes[0].difference / 1e-3 - 1.0).abs() < 1e-2, "{report}");
    }
}

/// `y = Σ sᵢ·sin xᵢ`: the cotangent of a small term next to the cotangents of large terms.
#[test]
fn small_cotangents_are_not_hidden_by_large_ones() {
    const SIZES: [f64; 3] = [1.0, 1e4, 1e8];
    let value = |x: &[&[f64]]| {
        let each = x.iter().flat_map(|x| x.iter());
        vec![each.zip(SIZES).map(|(x, s)| s * x.sin()).sum()]
    };
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| {
        let each = x.iter().flat_map(|x| x.iter()).zip(dx.iter().flat_map(|dx| dx.iter()));
        vec![each.zip(SIZES).map(|((x, dx), s)| s * x.cos() * dx).sum()]
    };
    let vjp = |factor: f64| {
        move |x: &[&[f64]], w: &[f64]| {
            let mut factors = [factor, 1.0, 1.0].into_iter().zip(SIZES);
            let mut one = |x: &f64| factors.next().map_or(0.0, |(factor, s)| factor * s * x.cos() * w[0]);
            x.iter().map(|x| x.iter().map(&mut one).collect()).collect()
        }
    };
    let report =
        |factor| check::primitive(&from_jvp_and_vjp("p", 1, value, jvp, vjp(factor)), &[&[0.3, 0.7, 1.1]]);
    report(1.0).assert_ok();
    assert_eq!(report(1.001).verdict(), Verdict::Wrong);
}

/// `y = (z, 1e8 z)`, with the conjugate forgotten in the small one.
struct Scaled(bool);

impl<T: Number> LinearMap<T> for Scaled {
    fn apply(&self, x: &[Option<&[T]>], y: &mut [T]) {
        let turn = T::lit(-1.0).sqrt().plus_one();
        (y[0], y[1]) = (x[0].unwrap()[0] * turn, x[0].unwrap()[0] * turn * T::lit(1e8));
    }
    fn apply_transpose_add(&self, w: &[T], x: &mut [Option<&mut [T]>]) {
        let turn = T::lit(-1.0).sqrt().plus_one();
        let small = if self.0 { turn.conj() } else { turn };
        x[0].as_mut().unwrap()[0] += small * w[0] + turn.conj() * w[1] * T::lit(1e8);
    }
}

trait PlusOne {
    fn plus_one(self) -> Self;
}
impl<T: Number> PlusOne for T {
    fn plus_one(self) -> Self {
        self + T::lit(1.0)
    }
}

#[test]
fn a_conjugate_forgotten_in_a_small_result() {
    check::adjoint::<Complex64, _>(&Scaled(true), &[1], 2).assert_ok();
    assert_eq!(check::adjoint::<Complex64, _>(&Scaled(false), &[1], 2).verdict(), Verdict::Wrong);
}

#[test]
fn small_results_of_linear_functions_are_seen() {
    check::linear_function(|x: &[f64]| vec![x[0], 1e12 * x[1]], 2).assert_ok();
    let bent = |x: &[f64]| vec![x[0] + 1e-6 * x[0] * x[0], 1e12 * x[1]];
    assert_eq!(check::linear_function(bent, 2).verdict(), Verdict::Wrong);
    // Rounding of something large is no fault.
    check::linear_function(|x: &[f64]| vec![x[0], (x[0] * 3.0 + x[1]) - x[1] - x[0] * 3.0], 2).assert_ok();
}

#[test]
fn small_results_of_functions_are_seen() {
    let right = function!(|x, y: [_; 2]| {
        y[0] = x[0] * x[1].sin();
        y[1] = x[0] * x[1] * 1e9;
    });
    check::function(&right, &[2.0, 0.5]).assert_ok();
    let detached = function!(|x, y: [_; 2]| {
        y[0] = x[0] * (x[1] * 1.001 - x[1].detach() * 0.001).sin();
        y[1] = x[0] * x[1] * 1e9;
    });
    assert_eq!(check::function(&detached, &[2.0, 0.5]).verdict(), Verdict::Wrong);
}

/// A result that hides its derivative is not confirmed by another result. A derivative that is another's rounding, or
/// a result that never varies, is no reason to doubt.
#[test]
fn results_that_cannot_be_seen_beside_others() {
    let saturated = function!(|x, y: [_; 2]| {
        y[0] = x[0].tanh();
        y[1] = x[0] * x[0] * 1e9;
    });
    let report = check::function(&saturated, &[15.0]);
    assert_eq!((report.verdict(), report.probes[0].part), (Verdict::Inconclusive, 0), "{report}");
    let rounding = function!(|x, y: [_; 3]| {
        y[0] = (x[0] + x[1]) - x[0] - x[1];
        y[1] = x[0] * x[1] * x[1];
        y[2] = x[0] * 0.0;
    });
    for i in 0..20 {
        check::function(&rounding, &[1.1 + 0.37 * f64::from(i), 0.7]).assert_ok();
    }
}

/// The modes are compared in a small result: tangents right, cotangents not.
#[test]
fn modes_are_compared_in_each_result() {
    struct Uneven(f64);
    impl VectorFunction for Uneven {
        fn outputs(&self, _: usize) -> usize {
            2
        }
        fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
            let on_tape = TypeId::of::<T>() == TypeId::of::<Var<f64>>();
            let slope = if on_tape { self.0 } else { 1.0 };
            y[0] = (x[0] - x[0].detach()) * slope + x[0].detach() + x[1] * x[1];
            y[1] = x[0] * x[1] * 1e9;
        }
    }
    check::function(&Uneven(1.0), &[2.0, 0.5]).assert_ok();
    assert_eq!(check::function(&Uneven(1.001), &[2.0, 0.5]).verdict(), Verdict::Wrong);
}

/// Values with errors much larger than their own rounding, being differences of large numbers.
#[test]
fn noise_refutes_nothing() {
    let value = |x: &[&[f64]]| vec![(x[0][0] * x[0][0] + 1e8) - 1e8, x[0][0]];
    let slope =
        |factor: f64| move |x: &[&[f64]], dx: &[&[f64]]| vec![2.0 * factor * x[0][0] * dx[0][0], dx[0][0]];
    for i in 0..200 {
        let x = 1.0 + 0.01 * f64::from(i);
        let report = check::primitive(&from_jvp("p", 1, value, slope(1.0)), &[&[x]]);
        assert_ne!(report.verdict(), Verdict::Wrong, "{report}");
    }
    assert_eq!(check::primitive(&from_jvp("p", 1, value, slope(1.1)), &[&[2.0]]).verdict(), Verdict::Wrong);
}

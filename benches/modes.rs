//! A gradient by forward lanes and by the tape, for more and more inputs: `cargo bench --bench modes`.

mod workloads;

use std::cell::RefCell;
use std::hint::black_box;
use wengert::{DualN, ForwardChunk, Real, Var, gradient_into, prepare};
use workloads::reverse::{rosenbrock, valley};
use workloads::timing::compare;

/// Twenty logistic terms of the inputs.
fn logistic<T: Real<Base = f64>>(x: &[T]) -> T {
    let weight = |i: usize, k: usize| ((i * 7 + k * 3) % 11) as f64 * 0.1 - 0.5;
    let term = |k: usize| x.iter().enumerate().map(|(i, &x)| x * weight(i, k)).sum::<T>();
    (0..20).map(|k| ((-term(k)).exp() + 1.0).ln()).sum()
}

/// The function, its gradient by `N` lanes at a time, and by the tape.
fn workload<const N: usize>(
    name: &str,
    x: &[f64],
    primal: impl Fn(&[f64]) -> f64,
    lanes: impl Fn(&[DualN<f64, N>]) -> DualN<f64, N>,
    tape: impl Fn(&[Var<f64>]) -> Var<f64>,
) {
    let [forward, reverse] = [(); 2].map(|()| RefCell::new(vec![0.0; x.len()]));
    let mut prepared = prepare::gradient(ForwardChunk::<N>, x);
    let mut by_lanes = |x: &[f64]| {
        let y = prepared.of(|x: &[_]| lanes(x)).at(x, &mut forward.borrow_mut()[..]);
        _ = black_box(y.expect("sizes fit"));
    };
    let by_tape = |x: &[f64]| {
        _ = black_box(gradient_into(|x: &[_]| tape(x), x, &mut reverse.borrow_mut()[..]));
    };
    by_lanes(x);
    by_tape(x);
    workloads::check(name, &forward.borrow(), &reverse.borrow());
    compare(
        &format!("{name}, {} inputs", x.len()),
        &mut [
            ("function", Box::new(|| _ = black_box(primal(black_box(x))))),
            ("lanes", Box::new(|| by_lanes(black_box(x)))),
            ("tape", Box::new(|| by_tape(black_box(x)))),
        ],
    );
}

fn main() {
    for n in [4, 8, 24, 100] {
        workload::<8>("products and sums", &valley(n), rosenbrock, rosenbrock, rosenbrock);
        workload::<8>("logistic terms", &valley(n), logistic, logistic, logistic);
    }
    workload::<12>("products and sums", &valley(12), rosenbrock, rosenbrock, rosenbrock);
    workload::<12>("logistic terms", &valley(12), logistic, logistic, logistic);
}

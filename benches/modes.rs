//! A gradient by forward lanes and by the tape, for growing numbers of inputs: `cargo bench --bench modes`. Value,
//! gradient and Hessian of few variables in all ways, including machine code: `… -- few`.

mod workloads;

use std::cell::RefCell;
use std::hint::black_box;

use nalgebra::DMatrix;
use wengert::programs::Traced;
use wengert::{DualN, ForwardChunk, Function, Packed, Real, Reverse, SecondOrder, Var};
use wengert::{function, gradient_into, prepare, value_gradient_and_hessian};
use workloads::reverse::{rosenbrock, valley};
use workloads::timing::{Case, compare};

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

/// Rosenbrock's function at this crate's numbers.
fn products<T: Real<Base = f64>>(x: &[T]) -> T {
    x.windows(2).map(|w| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (-w[0] + 1.0).powi(2)).sum()
}

/// Elementary functions of neighbours.
fn elementary<T: Real<Base = f64>>(x: &[T]) -> T {
    let term = |i: usize| x[i].sin() * (x[(i + 1) % x.len()] * 0.5).exp();
    let squares: T = x.iter().map(|&x| x * x).sum();
    (0..x.len()).map(term).sum::<T>() + (squares + 1.0).ln()
}

/// Value, gradient and Hessian of `N` variables.
macro_rules! second_order {
    ($name:literal, $f:ident, $N:literal) => {{
        const N: usize = $N;
        const M: usize = N * (N + 1) / 2;
        let x: [f64; N] = std::array::from_fn(|i| 0.3 + 0.1 * i as f64);
        let [mut g, mut g1, mut g2, mut g3] = [[0.0; N]; 4];
        let zeros = || DMatrix::<f64>::zeros(N, N);
        let (mut h, mut h1, mut h2, mut h3) = (zeros(), zeros(), zeros(), zeros());
        let object = function!(|x| $f(x));
        let mut packed = prepare::hessian(Packed::<N, M>, &x[..]);
        let mut lanes = prepare::hessian(SecondOrder(ForwardChunk::<N>, Reverse), &x[..]);
        let mut recorded = prepare::recorded::hessian(|x: &[Traced]| $f(x), &x[..]);
        #[cfg(feature = "jit")]
        let code = {
            let program = wengert::programs::trace(|x: &[Traced]| $f(x), &x[..]);
            let second = program.value_and_gradient().and_then(|first| first.value_and_jacobian());
            second.and_then(|second| second.compile()).expect("no primitives")
        };
        #[cfg(feature = "jit")]
        let mut out = vec![0.0; code.outputs()];
        let mut cases: Vec<Case<'_>> = vec![
            ("function", Box::new(|| _ = black_box($f(black_box(&x[..]))))),
            (
                "value_gradient_and_hessian",
                Box::new(|| _ = black_box(value_gradient_and_hessian(|x| $f(x), black_box(&x[..])))),
            ),
            (
                "function!, returned",
                Box::new(|| _ = black_box(object.value_gradient_and_hessian(black_box(&x)))),
            ),
            (
                "function!, to buffers",
                Box::new(|| _ = object.value_gradient_and_hessian_into(black_box(&x), &mut g, &mut h)),
            ),
            (
                "prepare, Packed",
                Box::new(|| _ = packed.of(|x| $f(x)).at(black_box(&x[..]), &mut g1[..], &mut h1)),
            ),
            (
                "prepare, forward over reverse",
                Box::new(|| _ = lanes.of(|x: &[_]| $f(x)).at(black_box(&x[..]), &mut g2[..], &mut h2)),
            ),
            ("recorded", Box::new(|| _ = recorded.at(black_box(&x[..]), &mut g3[..], &mut h3))),
        ];
        #[cfg(feature = "jit")]
        cases.push(("machine code", Box::new(|| _ = code.run_into(black_box(&x[..]), &mut out))));
        compare(&format!("{}, value, gradient and Hessian of {N} variables", $name), &mut cases);
        drop(cases);
        workloads::check($name, h.as_slice(), h1.as_slice());
        workloads::check($name, h.as_slice(), h2.as_slice());
        workloads::check($name, h.as_slice(), h3.as_slice());
    }};
}

fn few_variables() {
    macro_rules! each {
        ($($N:literal)*) => {$(
            second_order!("Rosenbrock", products, $N);
            second_order!("sin, exp, ln", elementary, $N);
        )*};
    }
    each!(2 3 4 10);
}

fn main() {
    if std::env::args().any(|word| word == "few") {
        return few_variables();
    }
    for n in [4, 8, 24, 100] {
        workload::<8>("products and sums", &valley(n), rosenbrock, rosenbrock, rosenbrock);
        workload::<8>("logistic terms", &valley(n), logistic, logistic, logistic);
    }
    workload::<12>("products and sums", &valley(12), rosenbrock, rosenbrock, rosenbrock);
    workload::<12>("logistic terms", &valley(12), logistic, logistic, logistic);
}

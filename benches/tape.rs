//! Reverse mode compared with the plain function, in one process: `cargo bench --bench tape`.

mod workloads;

use std::hint::black_box;
use std::time::Instant;
use wengert::{DualN, Var, forward, gradient_into, hessian_into};
use workloads::check;
use workloads::reverse::*;
use workloads::timing::compare;

/// A gradient written by hand; returns the value.
type Hand = fn(&[f64], &mut [f64]) -> f64;

/// The gradient of `f` in reverse mode, compared with its value.
fn workload(
    name: &str,
    x: &[f64],
    primal: impl Fn(&[f64]) -> f64,
    active: impl Fn(&[Var<f64>]) -> Var<f64>,
    hand: Option<Hand>,
) {
    let (mut g, mut want) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    gradient_into(&active, x, &mut g);
    if let Some(hand) = hand {
        hand(x, &mut want);
        check(name, &g, &want);
    }
    let mut cases: Vec<workloads::timing::Case<'_>> = vec![
        ("primal", Box::new(|| _ = black_box(primal(black_box(x))))),
        ("gradient_into", Box::new(|| _ = gradient_into(&active, black_box(x), black_box(&mut g)))),
    ];
    if let Some(hand) = hand {
        cases.push(("hand", Box::new(move || _ = black_box(hand(black_box(x), &mut want)))));
    }
    compare(name, &mut cases);
}

/// The Hessian of `f`, row by row, compared with its value.
fn second_order(
    name: &str,
    x: &[f64],
    primal: impl Fn(&[f64]) -> f64,
    active: impl Fn(&[Var<DualN<f64, 8>>]) -> Var<DualN<f64, 8>>,
) {
    let mut h = nalgebra::DMatrix::zeros(x.len(), x.len());
    let mut cases: [workloads::timing::Case<'_>; 2] = [
        ("primal", Box::new(|| _ = black_box(primal(black_box(x))))),
        ("hessian_into", Box::new(|| _ = hessian_into(&active, black_box(x), black_box(&mut h)))),
    ];
    compare(name, &mut cases);
}

/// The first and the second gradient of a new thread, whose tape has no memory yet.
fn first_use(n: usize) {
    let x = valley(n);
    let nodes = wengert::linearize(rosenbrock::<Var<f64>>, &x).tape().stats().nodes as f64;
    let measured = move || {
        let mut g = vec![0.0; n];
        ["first", "second"].map(|_| {
            let start = Instant::now();
            gradient_into(rosenbrock::<Var<f64>>, black_box(&x), black_box(&mut g));
            start.elapsed().as_secs_f64() * 1e9 / nodes
        })
    };
    let [first, second] = std::thread::spawn(measured).join().unwrap();
    println!("Rosenbrock, n = {n}, in a new thread: {first:.1} ns an operation, then {second:.1}");
}

fn main() {
    for n in [10_000, 100_000, 1_000_000] {
        first_use(n);
    }
    second_order("Hessian of Rosenbrock, n = 50", &valley(50), rosenbrock, rosenbrock);
    for n in [2, 100, 10_000, 1_000_000] {
        workload(&format!("Rosenbrock, n = {n}"), &valley(n), rosenbrock, rosenbrock, Some(rosenbrock_hand));
    }
    let (p, points) = mixture_data(1000);
    let (g, want) =
        (wengert::gradient(|p| mixture(p, &points), &p), forward::gradient(|p| mixture(p, &points), &p));
    check("mixture", &g, &want);
    workload(
        "mixture of Gaussians, 35 parameters, 1000 points",
        &p,
        |p| mixture(p, &points),
        |p| mixture(p, &points),
        None,
    );
    workload(
        "Lotka–Volterra, 1000 steps",
        &POPULATION,
        |x| lotka_volterra(x, 1000),
        |x| lotka_volterra(x, 1000),
        None,
    );
    let data = system(50);
    workload("elimination 50 × 50", &data, |x| eliminate(x, 50), |x| eliminate(x, 50), None);
    workload("elimination 50 × 50, mul_add", &data, |x| eliminate(x, 50), |x| eliminate_fused(x, 50), None);
}

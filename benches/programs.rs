//! Traced programs and their machine code, compared with the plain function and the eager gradient: `cargo bench
//! --bench programs`.
//!
//! `cargo bench --bench programs -- count CASE WORKLOAD` runs one case ten times, for counts of instructions; the case
//! `setup` runs none.

mod workloads;

use std::hint::black_box;
use wengert::programs::{Traced, trace};
use wengert::{Real, Var, gradient_into};
use workloads::check;
use workloads::reverse::*;
use workloads::timing::{Case, compare};

/// Each variable in a function of what the one before gave.
fn chain<T: Real<Base = f64>>(x: &[T]) -> T {
    x[1..].iter().fold(x[0], |s, &x| (s * x).sin() + x * 0.5)
}
fn products<T: Real<Base = f64>>(x: &[T]) -> T {
    x[1..].iter().fold(x[0], |s, &x| s * x * 0.5 + x)
}

/// A function as each of its ways to run.
fn workload(
    name: &str,
    x: &[f64],
    only: Option<&str>,
    primal: impl Fn(&[f64]) -> f64,
    active: impl Fn(&[Var<f64>]) -> Var<f64>,
    traced: impl Fn(&[Traced]) -> Traced,
) {
    let n = x.len();
    let (mut g, mut want, mut first) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    gradient_into(&active, x, &mut want);
    let gradient = trace(|x: &[Traced]| traced(x), x).gradient().expect("all rules have derivatives");
    gradient.run_into(x, &mut first).expect("the same branches");
    check(name, &first, &want);
    println!("{name}: {:?}", gradient.ready());
    let points: Vec<f64> = x.repeat(8);
    let mut rows = vec![0.0; 8 * n];
    gradient.run_batch(&points, &mut rows).expect("the same branches");
    check(name, &rows, &want.repeat(8));
    let mut g1 = g.clone();
    #[cfg(feature = "jit")]
    let (compiled, mut g4) = (gradient.compile().expect("no primitives"), want.clone());
    let mut cases: Vec<Case<'_>> = vec![
        ("primal", Box::new(|| _ = black_box(primal(black_box(x))))),
        ("gradient_into", Box::new(|| _ = gradient_into(&active, black_box(x), black_box(&mut g)))),
        ("replay", Box::new(|| _ = black_box(gradient.run_into(black_box(x), black_box(&mut g1))))),
        (
            "eight points in lanes",
            Box::new(|| _ = black_box(gradient.run_batch(black_box(&points), black_box(&mut rows)))),
        ),
    ];
    #[cfg(feature = "jit")]
    {
        compiled.run_into(x, &mut g4).expect("the same branches");
        check(name, &g4, &want);
        println!("{name}: machine code: {}", compiled.is_machine_code());
        let run = || _ = black_box(compiled.run_into(black_box(x), black_box(&mut g4)));
        cases.push(("machine code", Box::new(run)));
    }
    match only {
        None => _ = compare(name, &mut cases),
        Some("setup") => {}
        Some(only) => {
            let (_, case) = cases.iter_mut().find(|case| case.0 == only).expect("the name of a case");
            (0..10).for_each(|_| case());
        }
    }
}

/// How long a trace of many operations takes, and its gradient.
fn long(operations: i32) {
    let start = std::time::Instant::now();
    let program =
        trace(|x: &[Traced]| (0..operations / 2).fold(x[0], |y, i| (y + f64::from(i)) * x[1]), &[1.0, 0.5]);
    let traced = start.elapsed();
    program.ready();
    let ready = start.elapsed();
    let gradient = program.gradient().expect("all rules have derivatives");
    let derived = start.elapsed() - ready;
    println!(
        "{} operations: traced in {traced:?}, ready after {ready:?}, its gradient made in {derived:?}",
        program.operations()
    );
    let (mut y, start) = ([0.0; 2], std::time::Instant::now());
    gradient.run_into(&[1.0, 0.5], &mut y).expect("the same branches");
    let first = start.elapsed();
    gradient.run_into(&[1.0, 0.5], &mut y).expect("the same branches");
    println!("  first run {first:?}, second {:?}: {:?}", start.elapsed() - first, gradient.ready());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip_while(|a| a != "count").skip(1).collect();
    let only = arguments.first().map(String::as_str);
    let wanted = |name: &str| arguments.get(1).is_none_or(|w| name.contains(w));
    if arguments.get(1).is_none_or(|w| w == "long") {
        [1_000_000, 10_000_000].into_iter().for_each(long);
    }
    if wanted("Rosenbrock") {
        workload("Rosenbrock, n = 100", &valley(100), only, rosenbrock, rosenbrock, rosenbrock);
    }
    if wanted("chain") {
        let x: Vec<f64> = (0..20).map(|i| 0.3 + 0.03 * f64::from(i)).collect();
        workload("chain of 20 variables", &x, only, chain, chain, chain);
        workload("chain of 20 variables, products", &x, only, products, products, products);
    }
    if wanted("mixture") {
        let (p, points) = mixture_data(1000);
        let name = "mixture of Gaussians, 35 parameters, 1000 points";
        workload(name, &p, only, |p| mixture(p, &points), |p| mixture(p, &points), |p| mixture(p, &points));
    }
    if wanted("Lotka") {
        workload(
            "Lotka–Volterra, 1000 steps",
            &POPULATION,
            only,
            |x| lotka_volterra(x, 1000),
            |x| lotka_volterra(x, 1000),
            |x| lotka_volterra(x, 1000),
        );
    }
}

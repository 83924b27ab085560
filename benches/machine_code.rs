//! Gradients and Jacobians as machine code, compared with the same written by hand: `cargo bench --bench
//! machine_code`.
//!
//! With a workload and a case as arguments (`arm hand`, `arm code`, `arm interpreter`), it only runs that case a
//! thousand times, to count instructions: `valgrind --tool=callgrind`.

mod workloads;

use std::hint::black_box;
use std::time::Instant;

use wengert::programs::Compiled;
use workloads::check;
use workloads::derivatives::{Derivative, derivatives};
use workloads::timing::compare;

/// Runs one way a thousand times.
fn repeat(w: &Derivative, way: &str, compiled: &Compiled) {
    let mut out = vec![0.0; w.program.outputs()];
    for _ in 0..1000 {
        match way {
            "hand" => (w.hand)(black_box(&w.x), &mut out),
            "code" => compiled.run_into(black_box(&w.x), &mut out).unwrap(),
            "interpreter" => w.program.run_into(black_box(&w.x), &mut out).unwrap(),
            _ => {}
        }
        black_box(&mut out);
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for w in derivatives() {
        if chosen.first().is_some_and(|name| name != w.name) {
            continue;
        }
        let started = Instant::now();
        let compiled = w.program.compile().unwrap();
        let compiling = started.elapsed().as_secs_f64();
        if let Some(way) = chosen.get(1) {
            repeat(&w, way, &compiled);
            continue;
        }
        let results = || vec![0.0; w.program.outputs()];
        let (mut a, mut b, mut c) = (results(), results(), results());
        let mut d = vec![[0.0; 2]; w.program.outputs()];
        let pair: Vec<[f64; 2]> = w.x.iter().map(|&x| [x, x]).collect();
        compiled.run_into(&w.x, &mut a).unwrap();
        let mut cases: Vec<workloads::timing::Case<'_>> = Vec::new();
        (w.hand)(&w.x, &mut b);
        check(w.name, &a, &b);
        cases.push(("by hand", Box::new(|| (w.hand)(black_box(&w.x), black_box(&mut b)))));
        let interpreter = || w.program.run_into(black_box(&w.x), black_box(&mut c)).unwrap();
        cases.push((
            "machine code",
            Box::new(|| compiled.run_into(black_box(&w.x), black_box(&mut a)).unwrap()),
        ));
        cases.push((
            "machine code, two points",
            Box::new(|| compiled.run_pairs(black_box(&pair), black_box(&mut d)).unwrap()),
        ));
        cases.push(("interpreter", Box::new(interpreter)));
        let times = compare(w.name, &mut cases);
        let operations = w.program.operations() as f64;
        let gain = times[times.len() - 1] - times[times.len() - 3];
        println!(
            "  {operations} operations, compiled in {:.2} µs each; pays off after {:.0} runs",
            compiling * 1e6 / operations,
            compiling / gain
        );
    }
}

//! Generated source code, compared with the same derivatives written by hand: `cargo bench -p generated`.
//!
//! With a workload and a method as arguments (`arm hand`, `arm source`), it runs only this one, a thousand times, to
//! count instructions.

#[path = "../../../benches/workloads/mod.rs"]
mod workloads;

mod source {
    include!(concat!(env!("OUT_DIR"), "/timed.rs"));
}

use std::hint::black_box;

use workloads::derivatives::derivatives;
use workloads::timing::compare;

/// The source code of a workload.
fn generated(name: &str) -> fn(&[f64], &mut [f64]) {
    const LENGTHS: &str = "as many numbers as the program has";
    match name {
        "rosenbrock" => |x, y| source::rosenbrock(x.try_into().expect(LENGTHS), y.try_into().expect(LENGTHS)),
        "ode" => |x, y| source::ode(x.try_into().expect(LENGTHS), y.try_into().expect(LENGTHS)),
        "arm" => |x, y| source::arm(x.try_into().expect(LENGTHS), y.try_into().expect(LENGTHS)),
        _ => |x, y| source::camera(x.try_into().expect(LENGTHS), y.try_into().expect(LENGTHS)),
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for w in derivatives().iter().filter(|w| chosen.first().is_none_or(|name| name == w.name)) {
        let (source, mut a, mut b) =
            (generated(w.name), vec![0.0; w.program.outputs()], vec![0.0; w.program.outputs()]);
        if let Some(way) = chosen.get(1) {
            let run = if way == "hand" { w.hand } else { source };
            (0..1000).for_each(|_| run(black_box(&w.x), black_box(&mut a)));
            continue;
        }
        source(&w.x, &mut a);
        (w.hand)(&w.x, &mut b);
        workloads::check(w.name, &a, &b);
        compare(
            w.name,
            &mut [
                ("by hand", Box::new(|| (w.hand)(black_box(&w.x), black_box(&mut b)))),
                ("source code", Box::new(|| source(black_box(&w.x), black_box(&mut a)))),
            ],
        );
    }
}

//! Series beside nested duals: medians of times, and work to count instructions of.
//!
//! `cargo bench --bench taylor` prints ratios; with the arguments `composite|nested|product|duals N` it does that work `N`
//! times and nothing else, for `valgrind --tool=callgrind`.

use std::hint::black_box;
use std::time::Instant;

use wengert::{Dual, Number, Real, Taylor};

type Fifth = Dual<Dual<Dual<Dual<Dual<f64>>>>>;

fn composite<T: Real<Base = f64>>(x: T) -> T {
    Number::exp(Number::sin(x) + x * x) / (Number::ln(x) + 3.0)
}

fn fifth(x: f64) -> Fifth {
    let one = |x: f64| Dual::variable(x);
    Dual::variable(Dual::variable(Dual::variable(Dual::variable(one(x)))))
}

fn work(name: &str) -> impl Fn() + use<> {
    let (x, y) = (Taylor::<f64, 10>::variable(0.7).exp(), Taylor::<f64, 10>::variable(0.7).sin());
    let (u, v) = (fifth(0.7).exp(), fifth(0.7).sin());
    let name = name.to_string();
    move || match name.as_str() {
        "composite" => drop(black_box(composite(black_box(Taylor::<f64, 10>::variable(0.7))))),
        "nested" => drop(black_box(composite(black_box(fifth(0.7))))),
        "product" => drop(black_box(black_box(x) * black_box(y))),
        "duals" => drop(black_box(black_box(u) * black_box(v))),
        "none" => drop(black_box((black_box(x), black_box(y)))),
        other => panic!("composite, nested, product, duals or none, not {other}"),
    }
}

fn median(name: &str) -> f64 {
    let run = work(name);
    let mut times: Vec<f64> = (0..31)
        .map(|_| {
            let now = Instant::now();
            (0..10_000).for_each(|_| run());
            now.elapsed().as_secs_f64() * 1e5
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if let [name, count] = &arguments[..] {
        let run = work(name);
        return (0..count.parse().expect("a number")).for_each(|_| run());
    }
    let [composite, nested, product, duals] = ["composite", "nested", "product", "duals"].map(median);
    println!(
        "exp(sin x + x²)/(ln x + 3): order 10 {composite:.0} ns, five nested duals {nested:.0} ns: {:.3}",
        composite / nested
    );
    println!("product: order 10 {product:.1} ns, five nested duals {duals:.1} ns: {:.3}", product / duals);
}

//! Series compared with nested duals: medians of times, and workloads for counts of instructions.
//!
//! `cargo bench --bench taylor` prints ratios. With the arguments `WORK N` it only runs that workload `N` times, for
//! `valgrind --tool=callgrind`. `WORK` is `composite`, `nested` (the composite at nested duals), `bent`,
//! `bent_nested` (at a curve instead of a line), `product`, `duals`, `none`, or `row:NAME:ORDER` and
//! `line:NAME:ORDER`: a row of the table at a curve and at a line, of order 8, 10, 16 or 32.

use std::array::from_fn;
use std::hint::black_box;
use std::time::Instant;

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Number, Real, Taylor};

type Fifth = Dual<Dual<Dual<Dual<Dual<f64>>>>>;
type Tenth = Taylor<f64, 10>;

fn composite<T: Real<Base = f64>>(x: T) -> T {
    Number::exp(Number::sin(x) + x * x) / (Number::ln(x) + 3.0)
}

fn fifth(x: f64) -> Fifth {
    let one = |x: f64| Dual::variable(x);
    Dual::variable(Dual::variable(Dual::variable(Dual::variable(one(x)))))
}

type Work = Box<dyn Fn()>;

fn boxed<R>(work: impl Fn() -> R + 'static) -> Work {
    Box::new(move || {
        black_box(work());
    })
}

fn work(name: &str) -> Work {
    let (x, y) = (Tenth::variable(0.7).exp(), Tenth::variable(0.7).sin());
    let (u, v) = (fifth(0.7).exp(), fifth(0.7).sin());
    match name {
        "composite" => boxed(move || composite(black_box(Tenth::variable(0.7)))),
        "nested" => boxed(move || composite(black_box(fifth(0.7)))),
        "bent" => boxed(move || composite(black_box(x))),
        "bent_nested" => boxed(move || composite(black_box(u))),
        "product" => boxed(move || black_box(x) * black_box(y)),
        "duals" => boxed(move || black_box(u) * black_box(v)),
        "none" => boxed(move || (black_box(x), black_box(y))),
        row => match row.split(':').collect::<Vec<_>>()[..] {
            [kind, name, order] => row_of(kind == "row", name, order),
            _ => panic!("no work {row}"),
        },
    }
}

/// The row with a name, at a curve or at a line.
struct Row<'a, const K: usize> {
    name: &'a str,
    bent: bool,
    work: Option<Work>,
}
impl<const K: usize> Row<'_, K> {
    fn curve(&self, x: f64) -> Taylor<f64, K> {
        Taylor::new(x, from_fn(|k| if k == 0 || self.bent { 0.5 / (k + 1) as f64 } else { 0.0 }))
    }
}
impl<const K: usize> RuleVisitor for Row<'_, K> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        if U::NAME == self.name {
            let x = self.curve(lo + 0.4 * (hi - lo));
            self.work = Some(boxed(move || black_box(x).lift1(rule)));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        if B::NAME == self.name {
            let (x, y) = (self.curve(a + 0.4 * (b - a)), self.curve(c + 0.6 * (d - c)));
            self.work = Some(boxed(move || black_box(x).lift2(black_box(y), rule)));
        }
    }
}

fn row_of(bent: bool, name: &str, order: &str) -> Work {
    fn find<const K: usize>(bent: bool, name: &str) -> Option<Work> {
        let mut row = Row::<K> { name, bent, work: None };
        visit_rules(&mut row);
        row.work
    }
    let found = match order {
        "8" => find::<8>(bent, name),
        "10" => find::<10>(bent, name),
        "16" => find::<16>(bent, name),
        "32" => find::<32>(bent, name),
        other => panic!("order 8, 10, 16 or 32, not {other}"),
    };
    found.unwrap_or_else(|| panic!("no row {name}"))
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
    for (what, series, nested) in [
        ("exp(sin x + x²)/(ln x + 3)", "composite", "nested"),
        ("the same at a curve", "bent", "bent_nested"),
        ("product", "product", "duals"),
    ] {
        let [series, nested] = [series, nested].map(median);
        println!("{what}: order 10 {series:.1} ns, five nested duals {nested:.1} ns: {:.3}", series / nested);
    }
}

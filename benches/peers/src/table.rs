//! The cases of a workload: each checked when it is added, all timed in turn, and written as a table.

use std::fmt::Write;
use std::hint::black_box;

use crate::workloads::timing::{Case, compare};

/// A workload: the point `x`, the derivative that every case must give, and the cases.
pub struct Table<'a, X, O> {
    title: String,
    x: X,
    want: O,
    cases: Vec<Case<'a>>,
}

impl<'a, X: Copy + 'a, O: AsRef<[f64]> + AsMut<[f64]> + Clone + 'a> Table<'a, X, O> {
    /// A workload. The times of the other cases are divided by the time of the first case.
    pub fn new(title: impl Into<String>, x: X, want: O) -> Self {
        Table { title: title.into(), x, want, cases: Vec::new() }
    }

    /// The function only, without its derivative.
    pub fn primal(mut self, f: impl Fn(X) -> f64 + 'a) -> Self {
        let x = self.x;
        self.cases.push(("primal", Box::new(move || _ = black_box(f(black_box(x))))));
        self
    }

    /// A method to compute the derivative.
    ///
    /// # Panics
    /// If its result differs from the expected one by more than `1e-10` of the largest entry.
    pub fn case(mut self, name: &'static str, mut f: impl FnMut(X, &mut O) + 'a) -> Self {
        let (x, mut out) = (self.x, self.want.clone());
        out.as_mut().fill(f64::NAN);
        f(x, &mut out);
        let want = self.want.as_ref();
        assert_eq!(out.as_ref().len(), want.len(), "{}, {name}: number of results", self.title);
        let scale = want.iter().fold(1e-300, |m: f64, w| m.max(w.abs()));
        for (i, (g, w)) in out.as_ref().iter().zip(want).enumerate() {
            assert!((g - w).abs() <= 1e-10 * scale, "{}, {name}[{i}]: {g} instead of {w}", self.title);
        }
        self.cases.push((name, Box::new(move || f(black_box(x), black_box(&mut out)))));
        self
    }

    /// Times all cases in turn and writes the table.
    pub fn run(mut self) -> String {
        let minima = compare(&self.title, &mut self.cases);
        let ours = self.cases.iter().position(|(name, _)| name.starts_with("wengert"));
        let ours = minima[ours.expect("a case of wengert")];
        let mut text = format!("## {}\n\n", self.title);
        let first = self.cases[0].0;
        writeln!(text, "| | time | ÷ {first} | ÷ wengert |\n|---|---:|---:|---:|")
            .expect("a String takes all");
        for ((name, _), time) in self.cases.iter().zip(&minima) {
            let (time_text, ratio, factor) = (duration(*time), time / minima[0], time / ours);
            writeln!(text, "| {name} | {time_text} | {ratio:.2} | {factor:.2} |")
                .expect("a String takes all");
        }
        text
    }
}

/// Seconds, readable.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}

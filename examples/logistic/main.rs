//! Logistic regression of a million rows: the gradient and the Hessian of a sum over data, and Newton's iteration.
//!
//! ```text
//! cargo run --release --example logistic                       # 1 000 000 rows of 20 columns, generated; on all cores
//! cargo run --release --example logistic -- FILE.csv           # a header; the last column is 0 or 1
//! ```
//!
//! A term of the likelihood is one line (`model.rs`). It depends on the weights through one linear
//! form. [`Sum`] finds the form and computes gradient and Hessian as products with the table. The
//! prior is a second sum, added with `+`.
//!
//! [`Sum`]: wengert::sums::Sum

// Public, as `run` is, for `tests/logistic.rs`, which includes this file.
pub mod data;
#[path = "../fit/failure.rs"]
pub mod failure;
pub mod model;
#[path = "../fit/output.rs"]
pub mod output;

use std::ffi::OsString;
use std::hint::black_box;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::prelude::*;
use nalgebra::{DMatrix, DVector};
use wengert::AdError;

use data::Data;
use failure::{Failure, Result, counted, failure, quoted};
use model::{objective, plain_objective};
use output::{exit, print};

const HELP: &str = "\
Fits the weights of a logistic regression, by gradient and Hessian of a sum over data.

Usage: cargo run --release --example logistic -- [OPTIONS] [FILE]

  FILE             comma-separated values with a header; the last column is 0 or 1
  --rows N         rows that are generated without a file (default: 1000000)
  --columns N      and their columns (default: 20)
  --seed N         other data (default: 1)
  --help           print this text
";

/// Newton's iteration has converged where it promises less than this for each row.
const TOLERANCE: f64 = 1e-14;
/// It doubles its digits; more iterations than these are a fault.
const ITERATIONS: usize = 50;

fn main() -> ExitCode {
    exit(run(std::env::args_os().skip(1), &mut std::io::stdout().lock()))
}

/// The program as a function: its text goes to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> Result<()> {
    let (mut rows, mut columns, mut seed, mut file) = (1_000_000, 20, 1, None::<PathBuf>);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("rows") => rows = number(&mut parser, "--rows", 1..=100_000_000)? as usize,
            Long("columns") => columns = number(&mut parser, "--columns", 1..=1000)? as usize,
            Long("seed") => seed = number(&mut parser, "--seed", 0..=u64::MAX)?,
            Long("help") | Short('h') => return print(out, HELP),
            Value(path) if file.is_none() => file = Some(path.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    let data = match &file {
        Some(path) => data::read(path)?,
        None => Data::generate(rows, columns, seed),
    };
    let names = (counted(data.rows(), "row"), counted(data.columns, "column"));
    print(out, &format!("Logistic regression: {} of {}\n\n", names.0, names.1))?;
    print(out, &timing(&data)?)?;
    print(out, &newton(&data)?)
}

fn number(parser: &mut lexopt::Parser, option: &str, range: RangeInclusive<u64>) -> Result<u64> {
    let text = parser.value()?.string()?;
    match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (first, last) = (range.start(), range.end());
            let expected = format!("a whole number from {first} to {last}, not {}", quoted(&text));
            failure(expected).map_err(|error: Failure| error.at(option))
        }
    }
}

impl From<AdError> for Failure {
    fn from(error: AdError) -> Failure {
        Failure::new(error.to_string())
    }
}

/// The cost of derivatives, compared with the cost of the plain sum; the best of several calls in turns.
fn timing(data: &Data) -> Result<String> {
    const ROUNDS: usize = 5;
    let (n, mut sum) = (data.weights(), objective(data)?);
    let w = vec![0.01; n];
    let (mut gradient, mut hessian) = (vec![0.0; n], DMatrix::<f64>::zeros(n, n));
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let times = [
            seconds(|| _ = black_box(plain_objective(data, black_box(&w)))),
            seconds(|| _ = black_box(sum.gradient(black_box(&w), &mut gradient))),
            seconds(|| _ = black_box(sum.hessian(black_box(&w), &mut gradient, &mut hessian))),
        ];
        best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
    }
    let row = |(name, time): (&str, f64)| {
        format!("time of the {name:30}{:10.2} ms {:6.1} sums\n", 1e3 * time, time / best[0])
    };
    let names = ["plain sum", "sum and gradient", "sum, gradient and Hessian"];
    Ok(names.into_iter().zip(best).map(row).collect())
}

fn seconds(f: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    f();
    begin.elapsed().as_secs_f64()
}

/// The weights of greatest likelihood by Newton's iteration, with half the step where a step leads up.
fn newton(data: &Data) -> Result<String> {
    let begin = Instant::now();
    let (n, mut sum) = (data.weights(), objective(data)?);
    let (mut w, mut gradient) = (DVector::zeros(n), DVector::<f64>::zeros(n));
    let mut hessian = DMatrix::<f64>::zeros(n, n);
    let mut text = format!("\n{:>9} {:>20} {:>14}\n", "iteration", "loss of a row", "slope");
    let progress = bar();
    for iteration in 0.. {
        if iteration == ITERATIONS {
            return failure("Newton's iteration does not converge");
        }
        let loss = sum.hessian(w.as_slice(), gradient.as_mut_slice(), &mut hessian)?;
        let per_row = 1.0 / data.rows() as f64;
        text += &format!("{iteration:>9} {:>20.15} {:>14.1e}\n", loss * per_row, gradient.norm() * per_row);
        progress.set_message(format!("iteration {iteration}, loss {:.12}", loss * per_row));
        progress.tick();
        let factor = hessian.clone().cholesky();
        let mut step = match factor {
            Some(factor) => factor.solve(&gradient),
            None => return failure("the Hessian is not positive definite: is a value of the data infinite?"),
        };
        if gradient.dot(&step) * per_row < TOLERANCE {
            break;
        }
        // Near the minimum the rounding of the loss hides its change: a step that does not lower it is taken all the
        // same.
        while sum.value((&w - &step).as_slice())? > loss * (1.0 + 1e-12) {
            step *= 0.5;
        }
        w -= step;
    }
    progress.finish_and_clear();
    text += &format!("converged in {:.2} s\n", begin.elapsed().as_secs_f64());
    if let Some(truth) = &data.truth {
        let error = (&w - DVector::from_column_slice(truth)).amax();
        // The accuracy to which the data determine the weights, by the Hessian.
        let deviation = hessian.cholesky().map_or(f64::NAN, |f| f.inverse().diagonal().max().sqrt());
        text += &format!("weights from the truth: at most {error:.4}, standard error {deviation:.4}\n");
    }
    let shown: Vec<String> = w.iter().map(|w| format!("{w:.4}")).take(8).collect();
    text += &format!("weights: {}{}\n", shown.join(" "), if n > 8 { " …" } else { "" });
    Ok(text)
}

/// Shows that something happens (on a terminal only).
fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar
}

//! A Gaussian process fitted to a series: the marginal likelihood maximised with exact gradients and Hessians that go
//! through a Cholesky factorisation, its solves and its determinant.
//!
//! ```text
//! cargo run --release --example gaussian_process               # 168 months of ENSO: tables and plot
//! cargo run --release --example gaussian_process -- data.csv --wave 11
//! cargo run --release --example gaussian_process -- --help
//! ```
//!
//! The example shows a likelihood that is one function over `T: Real<Base = f64>` (`model.rs`). Its core is
//! [`gaussian_log_density`], a function of matrices. At `f64` it is the likelihood. At [`Var`] it gives the gradient
//! by one factorisation, whatever the number of hyperparameters. At `Var<DualN>` it gives the Hessian, for the steps
//! of Newton's method (`maximum.rs`) and the standard errors. The program checks its gradient against forward mode
//! and against central differences.
//!
//! Literature: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), chapter 5; for covariances
//! with a wave, Wilson and Adams, Gaussian process kernels for pattern discovery and extrapolation (2013).
//!
//! [`gaussian_log_density`]: wengert::matrix::gaussian_log_density
//! [`Var`]: wengert::Var

// Public, as `run` is, for `tests/gaussian_process.rs`, which includes this file.
pub mod arguments;
#[path = "../fit/axes.rs"]
pub mod axes;
pub mod data;
#[path = "../fit/failure.rs"]
pub mod failure;
pub mod maximum;
pub mod model;
#[path = "../fit/output.rs"]
pub mod output;
pub mod plot;
pub mod report;
#[path = "../fit/table.rs"]
pub mod table;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::Arguments;
use failure::{Failure, Result, counted, failure};
use maximum::Maximum;
use model::{Model, Part};
use output::{exit, plot_path, print, save};
use plot::Curve;

fn main() -> ExitCode {
    exit(run(std::env::args_os().skip(1), &mut std::io::stdout().lock()))
}

/// The program as a function: its text goes to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.help {
        return print(out, arguments::HELP);
    }
    let series = data::series(arguments.file.as_deref())?;
    let model = Model::new(series, arguments.season, arguments.wave.is_some());
    let start = start(&model, &arguments)?;
    let theta = model.variables(&start);
    print(out, &format!("{}\n", report::problem(&model)))?;
    let maximum = maximum::maximize(&model, &theta)?;
    print(out, &format!("{}\n", report::checks(&model, &theta)))?;
    print(out, &format!("{}\n", report::maximum(&model, &start, &maximum)))?;

    let curves = curves(&model, &maximum).map_err(|error| Failure::new(error.to_string()))?;
    let svg = plot::svg(&model.series, &curves, &report::covariance(&model))?;
    let path = plot_path(arguments.plot, "gaussian_process", "process.svg")?;
    save(&path, &svg)?;
    print(out, &format!("plot: {}\n", path.display()))
}

/// The start of the search: the user's values, or a guess.
fn start(model: &Model, arguments: &Arguments) -> Result<Vec<f64>> {
    let Some(start) = &arguments.start else { return Ok(model.guess(arguments.wave)) };
    let names = model.names();
    if start.len() != names.len() {
        let (given, names) = (counted(start.len(), "number"), names.join(", "));
        return failure(format!("--start: {given}, the hyperparameters are {names}"));
    }
    match start.iter().zip(&names).skip(1).find(|(value, _)| **value <= 0.0) {
        Some((value, name)) => failure(format!("--start: {name} is positive, {value} is not")),
        None => Ok(start.clone()),
    }
}

/// The process from the first position to a sixth beyond the last.
fn curves(model: &Model, maximum: &Maximum) -> std::result::Result<Vec<Curve>, wengert::AdError> {
    const STEPS: usize = 600;
    let (first, span) = (model.series.x[0], model.series.span());
    let x: Vec<f64> = (0..=STEPS).map(|i| first + span * 7.0 / 6.0 * i as f64 / STEPS as f64).collect();
    let curve = |part: Part, label: String, observed: bool| {
        let process = model.posterior(&maximum.theta, part, &x)?;
        Ok(Curve { label, x: x.clone(), process, observed })
    };
    let label = &model.series.labels[1];
    let mut curves = vec![curve(Part::Whole, label.clone(), true)?];
    if model.season.is_some() {
        curves.push(curve(Part::Unseasonal, "without the season".into(), false)?);
    }
    Ok(curves)
}

//! Fits models to data by nonlinear least squares, with Jacobians by automatic differentiation.
//!
//! ```text
//! cargo run --release --example fit                     # a data set of NIST: table and plot
//! cargo run --release --example fit -- --all            # all that are embedded
//! cargo run --release --example fit -- Thurber --from 1
//! cargo run --release --example fit -- data.csv --model "b1*(1-exp(-b2*x))" --start 500,0.0001
//! cargo run --release --example fit -- --help
//! ```
//!
//! The example shows a model that is a formula known only at run time. The formula is parsed and evaluated by
//! `exmex`, a crate that is generic in its number type and has no derivatives. With [`DualN`]s instead of `f64`s
//! (`formula.rs`), it returns values and Jacobians exact to rounding (`fit.rs`). From these Levenberg–Marquardt
//! (`levenberg.rs`) reproduces the certified results of NIST's Statistical Reference Datasets, which are difficult on
//! purpose, to ten digits.
//!
//! [`DualN`]: wengert::DualN

// Public, as `run` is, for `tests/fit.rs`, which includes this file.
pub mod arguments;
pub mod axes;
pub mod data;
pub mod exact;
pub mod failure;
pub mod fit;
pub mod formula;
pub mod levenberg;
pub mod nist;
pub mod output;
pub mod plot;
pub mod report;
pub mod table;
pub mod tokens;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::Arguments;
use data::Dataset;
use failure::{Failure, Result, counted, failure};
use fit::Fit;
use formula::Formula;
use output::{create, exit, plot_directory, plot_path, print, save};

fn main() -> ExitCode {
    exit(run(std::env::args_os().skip(1), &mut std::io::stdout().lock()))
}

/// The program as a function: its text goes to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    let (text, outcome) = if arguments.help {
        (arguments::help(), Ok(()))
    } else if arguments.all {
        fit_all(&arguments)?
    } else {
        (fit_one(&arguments)?, Ok(()))
    };
    print(out, &text)?;
    outcome
}

fn fit_one(arguments: &Arguments) -> Result<String> {
    let data = dataset(arguments)?;
    let (fit, start) = fit_dataset(&data, arguments)?;
    if arguments.json {
        if let Some(path) = &arguments.plot {
            save(path, &plot::svg(&data, &fit)?)?;
        }
        return Ok(format!("{}\n", report::json(&data, &fit, false)));
    }
    let path = plot_path(arguments.plot.clone(), "fit", &plot_name(&data))?;
    save(&path, &plot::svg(&data, &fit)?)?;
    let legend = if data.certified.is_some() { report::legend() } else { "" };
    Ok(format!("{}\n{legend}plot: {}\n", report::report(&data, &fit, &start), path.display()))
}

/// Fits every embedded set. A failure is named at the end and does not stop the other sets.
fn fit_all(arguments: &Arguments) -> Result<(String, Result<()>)> {
    let (mut fits, mut reports, mut failures) = (Vec::new(), String::new(), Vec::new());
    for (name, text) in nist::EMBEDDED {
        let result = nist::parse(name, text).and_then(|data| Ok((fit_dataset(&data, arguments)?, data)));
        match result {
            Ok(((fit, start), data)) => {
                reports += &format!("{}\n", report::report(&data, &fit, &start));
                fits.push((data, fit));
            }
            Err(error) => failures.push(error.at(name).to_string()),
        }
    }
    let outcome = if failures.is_empty() { Ok(()) } else { failure(failures.join("; ")) };
    let directory = arguments.plot.clone().or_else(|| (!arguments.json).then(|| plot_directory("fit")));
    if let Some(directory) = &directory {
        create(directory)?;
        for (data, fit) in &fits {
            save(&directory.join(plot_name(data)), &plot::svg(data, fit)?)?;
        }
    }
    if arguments.json {
        let objects = fits.iter().map(|(data, fit)| report::json(data, fit, true)).collect();
        return Ok((format!("{}\n", serde_json::Value::Array(objects)), outcome));
    }
    let directory = directory.unwrap_or_default();
    let (summary, legend) = (report::summary(&fits), report::legend());
    Ok((format!("{reports}{summary}\n{legend}plots: {}\n", directory.display()), outcome))
}

/// The data: a file, an embedded set by its name, or the first of these.
fn dataset(arguments: &Arguments) -> Result<Dataset> {
    let Some(path) = &arguments.file else {
        let (name, text) = nist::EMBEDDED[0];
        return nist::parse(name, text);
    };
    match path.to_str().and_then(nist::embedded) {
        Some(dataset) if !path.exists() => dataset,
        _ => data::read(path),
    }
}

/// The fit, and the starting values it set out from.
fn fit_dataset(data: &Dataset, arguments: &Arguments) -> Result<(Fit, Vec<f64>)> {
    let formula = match (&arguments.model, &data.model) {
        (Some(text), _) => Formula::parse(text, &data.columns).map_err(|error| error.at("--model"))?,
        (None, Some(text)) => Formula::parse(text, &data.columns).map_err(|error| {
            Failure::new(format!("the model of the file: {error} (--model gives another)"))
        })?,
        (None, None) => return failure("the data come without a model that can be read: --model gives one"),
    };
    let start = match (&arguments.start, data.starts.get(arguments.from.unwrap_or(2) - 1)) {
        (Some(start), _) => start.clone(),
        (None, Some(start)) if start.len() == formula.parameters => start.clone(),
        (None, Some(start)) => {
            let (values, parameters) =
                (counted(start.len(), "starting value"), counted(formula.parameters, "parameter"));
            return failure(format!(
                "the file has {values}, the model has {parameters}: --start gives others"
            ));
        }
        (None, None) => return failure("the data come without starting values: --start gives them"),
    };
    Ok((fit::fit(data, formula, &start)?, start))
}

/// The name of a data set comes from its file: no part of it is to be taken for a path.
fn plot_name(data: &Dataset) -> String {
    let name: String =
        data.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(100).collect();
    format!("{name}.svg")
}

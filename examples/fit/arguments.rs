//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use super::data::Decimal;
use super::failure::{Result, failure, quoted};
use super::nist;

pub fn help() -> String {
    format!(
        "\
Fits a model to data by nonlinear least squares, with Jacobians by automatic differentiation.

Usage: cargo run --release --example fit -- [FILE] [OPTIONS]

FILE        a file of NIST StRD (nonlinear regression) as published, or CSV: predictors, then the response,
            with or without a header; or the name of an embedded data set. Without it: {default}.

  --model FORMULA   the model, for example \"b1*(1-exp(-b2*x))\"; CSV needs one, a file of NIST has its own
  --start NUMBERS   starting values of b1, b2, …, for example 500,0.0001; CSV needs them
  --from 1|2        which starting values of a file of NIST to take: 1 is far, 2 is near (default: 2)
  --all             fit every embedded data set
  --plot PATH       where the plot goes (SVG; with --all a directory)
  --json            print the result as JSON and nothing else; plot only where --plot says so
  --help            print this text

In a formula, parameters are b1, b2, …; predictors are x or x1, x2, … or the names in the header of the data.
Operators: + - * / ^ or **, with -x^2 = -(x^2) and a^b^c = a^(b^c); brackets ( ) or [ ]; the constant pi.
Functions: exp log (natural, also ln) log2 log10 sqrt cbrt abs sin cos tan asin acos atan (also arctan, …)
sinh cosh tanh. `y =` may stand in front; `log[y] =` fits the logarithm of the response.

Embedded: {names}
",
        default = nist::EMBEDDED[0].0,
        names = nist::names(),
    )
}

/// The user's options.
#[derive(Debug, Default)]
pub struct Arguments {
    pub file: Option<PathBuf>,
    pub model: Option<String>,
    pub start: Option<Vec<f64>>,
    /// Which starting values of the file, 1 or 2.
    pub from: Option<usize>,
    pub all: bool,
    pub plot: Option<PathBuf>,
    pub json: bool,
    pub help: bool,
}

impl Arguments {
    /// Reads the arguments, without the name of the program.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments> {
        let mut parsed = Arguments::default();
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("model") => parsed.model = Some(parser.value()?.string()?),
                Long("start") => parsed.start = Some(numbers(&parser.value()?.string()?)?),
                Long("from") => parsed.from = Some(which_start(&parser.value()?.string()?)?),
                Long("plot") => parsed.plot = Some(parser.value()?.into()),
                Long("all") => parsed.all = true,
                Long("json") => parsed.json = true,
                Long("help") | Short('h') => parsed.help = true,
                Value(file) if parsed.file.is_none() => parsed.file = Some(file.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        parsed.check()
    }

    fn check(self) -> Result<Arguments> {
        if self.all && (self.file.is_some() || self.model.is_some() || self.start.is_some()) {
            return failure(
                "--all fits the embedded data sets as they are: no FILE, --model or --start with it",
            );
        }
        if self.start.is_some() && self.from.is_some() {
            return failure("--start and --from exclude each other");
        }
        Ok(self)
    }
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    text.split(',')
        .map(|number| Ok(Decimal::parse(number.trim())?.value))
        .collect::<Result<_>>()
        .map_err(|e| e.at("--start"))
}

fn which_start(text: &str) -> Result<usize> {
    match text {
        "1" => Ok(1),
        "2" => Ok(2),
        other => failure(format!("--from is 1 or 2, not {}", quoted(other))),
    }
}

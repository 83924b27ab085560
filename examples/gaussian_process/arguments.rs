//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use super::failure::{Result, failure, quoted};

pub const HELP: &str = "\
Fits a Gaussian process to a series: hyperparameters by the marginal likelihood and its exact derivatives.

Usage: cargo run --release --example gaussian_process -- [FILE] [OPTIONS]

FILE        CSV of two columns, position and value, with or without a header. Without it: ENSO, 168 months of the
            difference of atmospheric pressure between Easter Island and Darwin (NIST), as --season 12 --wave 44.

  --season P       a cycle of the period P that repeats exactly, of unknown amplitude and phase
  --wave P         the correlated part oscillates, with a period that is fitted from P on
  --start NUMBERS  where the search sets out: mean, noise, amplitude, length, then the period with --wave and the
                   amplitude of the season with --season; in the units of the data, for example 10,2,2,30
  --plot PATH      where the plot goes (SVG)
  --help           print this text
";

/// The user's options.
#[derive(Debug, Default)]
pub struct Arguments {
    pub file: Option<PathBuf>,
    pub season: Option<f64>,
    pub wave: Option<f64>,
    pub start: Option<Vec<f64>>,
    pub plot: Option<PathBuf>,
    pub help: bool,
}

impl Arguments {
    /// Reads the arguments, without the name of the program.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments> {
        let mut parsed = Arguments::default();
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("season") => parsed.season = Some(positive(&mut parser, "--season")?),
                Long("wave") => parsed.wave = Some(positive(&mut parser, "--wave")?),
                Long("start") => parsed.start = Some(numbers(&parser.value()?.string()?)?),
                Long("plot") => parsed.plot = Some(parser.value()?.into()),
                Long("help") | Short('h') => parsed.help = true,
                Value(file) if parsed.file.is_none() => parsed.file = Some(file.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        if parsed.file.is_none() {
            parsed.season = parsed.season.or(Some(12.0));
            parsed.wave = parsed.wave.or(Some(44.0));
        }
        Ok(parsed)
    }
}

fn positive(parser: &mut lexopt::Parser, option: &str) -> Result<f64> {
    let text = parser.value()?.string()?;
    match number(&text).map_err(|error| error.at(option))? {
        period if period > 0.0 => Ok(period),
        _ => failure(format!("{option}: a period is positive, {} is not", quoted(&text))),
    }
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    text.split(',').map(|text| number(text.trim()).map_err(|error| error.at("--start"))).collect()
}

/// A finite number.
pub fn number(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => failure(format!("{} is not a finite number", quoted(text))),
        Err(_) => failure(format!("{} is not a number", quoted(text))),
    }
}

//! The command line.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use lexopt::prelude::*;

use super::failure::{Failure, Result, failure, quoted};

pub fn help() -> String {
    let Arguments { cameras, points, iterations, seed, .. } = Arguments::default();
    format!(
        "\
Adjusts cameras and points to what the cameras saw, by a sparse Jacobian: those of a file in the format of
\"Bundle Adjustment in the Large\", or synthetic ones.

Usage: cargo run --release --example bundle -- [OPTIONS] [FILE]

  --cameras N      cameras on a ring, nine parameters each (default: {cameras})
  --points N       points in the middle, three parameters each (default: {points})
  --iterations N   steps of Levenberg and Marquardt at most (default: {iterations})
  --seed N         another scene (default: {seed})
  --plot PATH      where the curve of the loss goes (SVG)
  --help           print this text
"
    )
}

/// The user's options.
#[derive(Debug)]
pub struct Arguments {
    pub cameras: usize,
    pub points: usize,
    pub iterations: u64,
    pub seed: u64,
    pub plot: Option<PathBuf>,
    pub file: Option<PathBuf>,
    pub help: bool,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { cameras: 48, points: 3200, iterations: 100, seed: 1, plot: None, file: None, help: false }
    }
}

impl Arguments {
    /// Reads the arguments, without the name of the program.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments> {
        let mut parsed = Arguments::default();
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                // Fewer would leave more unknowns than measurements.
                Long("cameras") => parsed.cameras = number(&mut parser, "--cameras", 3..=1000)? as usize,
                Long("points") => parsed.points = number(&mut parser, "--points", 50..=100_000)? as usize,
                Long("iterations") => parsed.iterations = number(&mut parser, "--iterations", 1..=1_000_000)?,
                Long("seed") => parsed.seed = number(&mut parser, "--seed", 0..=u64::MAX)?,
                Long("plot") => parsed.plot = Some(parser.value()?.into()),
                Long("help") | Short('h') => parsed.help = true,
                Value(file) if parsed.file.is_none() => parsed.file = Some(file.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(parsed)
    }
}

fn number(parser: &mut lexopt::Parser, option: &str, range: RangeInclusive<u64>) -> Result<u64> {
    let text = parser.value()?.string()?;
    match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let expected =
                format!("a whole number from {} to {}, not {}", range.start(), range.end(), quoted(&text));
            failure(expected).map_err(|error: Failure| error.at(option))
        }
    }
}

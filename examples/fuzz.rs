//! Random expressions at random points: all number types against each other, against `f64`, high precision and
//! differences. A failure is printed shrunk, as Rust to be pasted.
//!
//! ```text
//! cargo run --release --example fuzz -- --seconds 60            # another seed on each run
//! cargo run --release --example fuzz -- --seconds 60 --seed 7   # the same expressions again
//! cargo run --release --example fuzz -- --seed 7 --case 12      # one of them
//! ```

#[path = "../tests/fuzz/mod.rs"]
mod fuzz;

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lexopt::prelude::*;

/// The number of failures after which it stops.
const ENOUGH: usize = 20;

/// A seed of the clock.
fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64 % 1_000_000_000)
}

/// Seconds, seed, the one case if it is one.
fn arguments() -> Result<(f64, u64, Option<u64>), lexopt::Error> {
    let (mut seconds, mut seed, mut case) = (60.0, fresh_seed(), None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("seconds") => seconds = parser.value()?.parse()?,
            Long("seed") => seed = parser.value()?.parse()?,
            Long("case") => case = Some(parser.value()?.parse()?),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok((seconds, seed, case))
}

fn main() -> ExitCode {
    let (seconds, seed, only) = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\nusage: fuzz [--seconds S] [--seed N] [--case N]");
            return ExitCode::from(2);
        }
    };
    println!("seed {seed}, {seconds} s");
    // Panics are caught and reported as failures.
    std::panic::set_hook(Box::new(|_| ()));
    let (end, mut counts) = (Instant::now() + Duration::from_secs_f64(seconds), fuzz::Counts::default());
    let mut failures = 0;
    for case in only.map_or(0..=u64::MAX, |case| case..=case) {
        if Instant::now() > end || failures == ENOUGH {
            break;
        }
        if let Err(report) = fuzz::run(seed, case, &mut counts) {
            failures += 1;
            println!("{report}");
        }
    }
    println!("{counts:?}\n{failures} failures");
    ExitCode::from(u8::from(failures > 0))
}

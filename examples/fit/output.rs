//! The output of the program: text for its reader, and files.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::failure::{Failure, Result, failure};

/// Whoever reads may have seen enough: that is no failure.
pub fn print(out: &mut impl Write, text: &str) -> Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => failure(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// The directory of an example's plots, unless the user gives another one. It is not among the user's files.
pub fn plot_directory(example: &str) -> PathBuf {
    let target = Path::new("target");
    if target.is_dir() {
        target.join(example)
    } else {
        std::env::temp_dir().join(format!("wengert-{example}"))
    }
}

/// The path of a plot: the user's path, or this name in the directory of the example.
pub fn plot_path(asked: Option<PathBuf>, example: &str, name: &str) -> Result<PathBuf> {
    if let Some(path) = asked {
        return Ok(path);
    }
    let directory = plot_directory(example);
    create(&directory)?;
    Ok(directory.join(name))
}

/// The end of the program: an error is printed, and the exit code is 2.
pub fn exit(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

pub fn create(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", directory.display())))
}

pub fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

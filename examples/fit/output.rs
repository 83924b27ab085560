//! What leaves the program: text to its reader, files to where they belong.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Result, failure};

/// Whoever reads may have seen enough: that is no failure.
pub fn print(out: &mut impl Write, text: &str) -> Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => failure(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// Where an example's plots go unless the user says: not among the user's files.
pub fn plot_directory(example: &str) -> PathBuf {
    let target = Path::new("target");
    if target.is_dir() {
        target.join(example)
    } else {
        std::env::temp_dir().join(format!("wengert-{example}"))
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

//! Failures, as one line for the user.

use std::fmt::{self, Display, Formatter};

pub type Result<T> = std::result::Result<T, Failure>;

/// A message of one line. Every error of the program is one of these; it becomes exit code 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure(String);

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure(message.into().replace(['\n', '\r'], " "))
    }

    /// This failure, with the place where it happened in front.
    pub fn at(self, place: impl Display) -> Failure {
        Failure::new(format!("{place}: {self}"))
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Failure {
        Failure::new(format!("{error} (--help lists the options)"))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub fn failure<T>(message: impl Into<String>) -> Result<T> {
    Err(Failure::new(message))
}

/// Text from a file or the command line, fit for a message: escaped, and cut where it is long.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let cut = if text.chars().count() > LONGEST { "…" } else { "" };
    let start: String = text.chars().take(LONGEST).collect();
    format!("`{}{cut}`", start.escape_debug())
}

/// A count and the noun that is counted: `1 value`, `2 values`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

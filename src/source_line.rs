//! A line of source code.

use core::fmt;

/// A line of source code, like [`Location`](core::panic::Location). A saved program keeps the lines of its guards.
/// ```
/// # #[cfg(feature = "programs")] {
/// use wengert::{AdError, programs::trace};
/// let program = trace(|x| if x[0] > 0.0 { x[0] } else { -x[0] }, &[1.0]);
/// let Err(AdError::BranchChanged { location, .. }) = program.run(&[-1.0]) else {
///     panic!("the other branch is another program")
/// };
/// let (file, line, column) = (location.file(), location.line(), location.column());
/// assert_eq!(location.to_string(), format!("{file}:{line}:{column}")); // of `x[0] > 0.0`
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    pub(crate) file: FileName,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The name of a file: of the code that runs, or of a saved program, whose guards share it.
#[derive(Clone)]
pub(crate) enum FileName {
    Compiled(&'static str),
    #[cfg_attr(not(feature = "serde"), allow(dead_code))]
    Saved(std::sync::Arc<str>),
}

impl core::ops::Deref for FileName {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            FileName::Compiled(name) => name,
            FileName::Saved(name) => name,
        }
    }
}

impl PartialEq for FileName {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for FileName {}

impl core::hash::Hash for FileName {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl SourceLine {
    /// The file.
    pub fn file(&self) -> &str {
        &self.file
    }
    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }
    /// The column, from 1.
    pub fn column(&self) -> u32 {
        self.column
    }
}

impl From<&'static core::panic::Location<'static>> for SourceLine {
    fn from(place: &'static core::panic::Location<'static>) -> Self {
        SourceLine { file: FileName::Compiled(place.file()), line: place.line(), column: place.column() }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", &*self.file, self.line, self.column)
    }
}

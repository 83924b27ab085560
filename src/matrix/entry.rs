//! What the entries of a matrix may be.

/// A number that matrices may hold.
pub use crate::number::AsNumber as Entry;

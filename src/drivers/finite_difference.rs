//! Central differences: a mode without derivative numbers.

use super::mode::{Changed, Directional, Lanes, Mode, Pass, Seeds, Sink};
use crate::error::AdError;
use crate::number::Real;

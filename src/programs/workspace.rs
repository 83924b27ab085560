//! The memory of runs.

use super::calls::Shared;

/// The memory of runs, which is kept between them. It serves any program.
#[derive(Default)]
pub struct Workspace {
    /// A number for each slot.
    pub(super) one: Vec<[f64; 1]>,
    /// Numbers of several points for each slot.
    pub(super) several: Vec<[f64; LANES]>,
    /// Numbers of several iterations for each slot of a loop.
    pub(super) lanes: Vec<[f64; LANES]>,
    /// What calls share, at each of several points.
    pub(super) maps: [Shared; LANES],
}

/// The points, or iterations, that run at once.
pub(super) const LANES: usize = 8;

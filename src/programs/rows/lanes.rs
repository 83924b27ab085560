//! Programs that run at sixteen rows.

use std::sync::Arc;

use super::super::calls::Shared;
use super::super::exec::{Executable, Sharing, layout};
use super::super::program::Program;
use super::functions::LaneFunction;
use super::kernels::apply;
use super::line::{LANES, Line};

/// The call caches of primitives in rows, for each lane.
pub(crate) type CallMemory = [Shared; LANES];

/// The executable of a program at rows.
pub(crate) fn at_rows(program: &Program) -> Executable {
    at_rows_with(program, &Sharing::default())
}

/// The executable of a program at rows that share inputs and totals.
pub(crate) fn at_rows_with(program: &Program, sharing: &Sharing) -> Executable {
    let mut executable = layout(program, sharing);
    for entry in &mut executable.rules.all {
        if let Some(function) = LaneFunction::of(entry) {
            entry.at_lines = Some(Arc::new(move |x: &mut Line, y: &Line| apply(function, x, y)));
        }
    }
    executable
}

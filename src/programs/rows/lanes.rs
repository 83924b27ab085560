//! Row programs, which run at sixteen rows.

use std::ops::Deref;
use std::sync::Arc;

use super::super::calls::Shared;
use super::super::exec::{Executable, Sharing};
use super::super::program::Program;
use super::functions::LaneFunction;
use super::kernels::apply;
use super::line::{LANES, Line};

/// The call caches of primitives in rows, for each lane.
pub(crate) type CallMemory = [Shared; LANES];

/// A program that runs at rows.
pub(crate) struct RowProgram(Executable);

impl Deref for RowProgram {
    type Target = Executable;
    fn deref(&self) -> &Executable {
        &self.0
    }
}

impl RowProgram {
    pub(crate) fn exact(program: &Program) -> Self {
        RowProgram::with_sharing(program, &Sharing::default())
    }
    /// As [`exact`](RowProgram::exact), for rows that share inputs and totals.
    pub(crate) fn with_sharing(program: &Program, sharing: &Sharing) -> Self {
        let mut executable = program.with_sharing(sharing);
        for entry in &mut executable.rules_mut().all {
            if let Some(function) = LaneFunction::of(entry) {
                entry.at_lines = Some(Arc::new(move |x: &mut Line, y: &Line| apply(function, x, y)));
            }
        }
        RowProgram(executable)
    }
}

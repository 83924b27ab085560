//! Programs of rows, which run sixteen rows at once.

use super::super::calls::Shared;
use super::super::machine::Machine;
use super::super::program::Program;
use crate::error::AdError;

/// Rows that run at once.
pub(crate) const LANES: usize = 16;
/// A number of each of these rows.
pub(crate) type Line = [f64; LANES];

/// Lines that begin where lines of the cache do: what lies in two is loaded more slowly.
#[derive(Default)]
pub(crate) struct Lines {
    memory: Vec<f64>,
    len: usize,
}

/// Numbers in a line of the cache.
const CACHE_LINE: usize = 8;

impl Lines {
    pub(crate) fn zeros(len: usize) -> Self {
        Lines { memory: vec![0.0; LANES * len + CACHE_LINE], len }
    }
    fn first(&self) -> usize {
        let offset = self.memory.as_ptr().align_offset(size_of::<[f64; CACHE_LINE]>());
        offset.min(self.memory.len() - LANES * self.len)
    }
    #[inline]
    pub(crate) fn get(&self) -> &[Line] {
        &self.memory[self.first()..].as_chunks().0[..self.len]
    }
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut [Line] {
        let first = self.first();
        &mut self.memory[first..].as_chunks_mut().0[..self.len]
    }
    /// At least so many lines, of any content.
    pub(crate) fn at_least(&mut self, len: usize) -> &mut [Line] {
        if self.len < len {
            *self = Lines::zeros(len);
        }
        &mut self.get_mut()[..len]
    }
}

/// What primitives in rows share, for each lane.
#[derive(Default)]
pub(crate) struct CallMemory([Shared; LANES]);

/// A program that runs at rows.
pub(crate) struct RowProgram {
    machine: Machine,
}

impl RowProgram {
    /// Without the conventions at singular points, if they can be checked afterwards by the results.
    pub(crate) fn fast(program: &Program) -> Self {
        let machine = match program.plain() {
            Some(plain) => plain.as_it_is(),
            None => program.as_it_is(),
        };
        RowProgram { machine }
    }
    /// With the conventions at singular points.
    pub(crate) fn exact(program: &Program) -> Self {
        RowProgram { machine: program.as_it_is() }
    }
    /// The slots of a run: inputs, constants, values.
    pub(crate) fn slots(&self) -> usize {
        self.machine.slots()
    }
    /// The slots of the results.
    pub(crate) fn outputs(&self) -> &[u32] {
        self.machine.outputs()
    }
    /// Writes the constants.
    pub(crate) fn prepare(&self, numbers: &mut [Line]) {
        self.machine.prepare(numbers);
    }
    /// Runs on the inputs in their slots. A bit for each row that takes another branch, or at which a primitive fails.
    pub(crate) fn run(&self, numbers: &mut [Line], calls: &mut CallMemory) -> u32 {
        self.machine.run_slots(numbers, &mut calls.0)
    }
    /// Runs at one point. Fails where it takes another branch, or a primitive fails.
    pub(crate) fn run_one(
        &self,
        memory: &mut Vec<[f64; 1]>,
        calls: &mut CallMemory,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), AdError> {
        memory.resize(memory.len().max(self.slots()), [0.0]);
        self.machine.prepare(memory);
        memory.iter_mut().zip(x).for_each(|(slot, &x)| *slot = [x]);
        self.machine.run_slots_of_one(memory, &mut calls.0[..1])?;
        out.iter_mut().zip(self.outputs()).for_each(|(out, &y)| *out = memory[y as usize][0]);
        Ok(())
    }
}

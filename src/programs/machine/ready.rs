//! Programs made ready to run.

use std::sync::Arc;
use std::sync::OnceLock;

use super::super::code::Code;
use super::super::program::Program;
use super::super::workspace::with_memory;
use super::items::Style;
use super::layout::layout;
#[cfg(feature = "jit")]
use super::parts::Parts;
use super::{Careful, Loops, Machine};
use crate::error::AdError;

impl Program {
    /// The program made ready to run.
    ///
    /// ```
    /// use wengert::programs::{Loops, trace};
    /// let program = trace(|x| (0..50).fold(x[0], |y, _| (y * 0.5).sin()), &[1.0]);
    /// assert_eq!(program.machine(Loops::Unrolled).instructions(), 100);
    /// assert_eq!(program.machine(Loops::Found).loops().next(), Some((2, 50)));
    /// ```
    pub fn machine(&self, loops: Loops) -> Machine {
        let Some(plain) = self.plain() else { return self.as_it_is(loops, None) };
        let program = Program { machine: OnceLock::new(), ..self.clone() };
        plain.as_it_is(loops, Some(Arc::new(Careful { program, loops, machine: OnceLock::new() })))
    }
    /// The machine of these operations.
    pub(super) fn as_it_is(&self, loops: Loops, careful: Option<Arc<Careful>>) -> Machine {
        let code: &Code = &self.code;
        let mut calls = self.calls.clone();
        let parts = layout(code, &mut calls, loops, Style::Interpreted);
        Machine { parts, calls, maps: self.maps.clone(), guards: code.guards.clone(), careful }
    }
    /// The machine of these operations, each an instruction.
    pub(in super::super) fn unrolled(&self) -> Machine {
        self.as_it_is(Loops::Unrolled, None)
    }
    /// What machine code is made of; no operation is a call.
    #[cfg(feature = "jit")]
    pub(in super::super) fn parts_for_code(&self) -> Parts {
        layout(&self.code, &mut [], Loops::InLanes, Style::Compiled)
    }
    /// The results at many points, eight at once: [`Machine::run_batch`] of this program made ready.
    ///
    /// # Errors
    /// As [`Machine::run_batch`].
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let (product, mut y) = (trace(|x| x[0] * x[1], &[2.0, 3.0]), [0.0; 3]);
    /// product.run_batch(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut y)?;
    /// assert_eq!(y, [2.0, 12.0, 30.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn run_batch(&self, points: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        with_memory(|memory| self.ready().run_batch(memory, points, out))
    }
}

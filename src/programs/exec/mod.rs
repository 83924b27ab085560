//! Executables: programs lowered for the interpreter.

mod batch;
mod fused;
mod instrs;
mod layout;
mod order;
mod registers;

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::calls::{Call, Shared};
use super::op::{Guard, GuardCondition};
use super::program::Program;
use super::rules::Rules;
use super::workspace::Workspace;
use crate::error::AdError;
use instrs::Instrs;

pub(super) use fused::Instr;
#[cfg(feature = "jit")]
pub(super) use fused::Item;
pub(crate) use fused::Sharing;
pub(crate) use instrs::four_sums;
pub(crate) use layout::NO_SLOT;
pub(super) use layout::layout;
#[cfg(test)]
pub(crate) use registers::forced;
pub(crate) use registers::registers;

/// A program lowered for the interpreter: instructions grouped by operation, on slots that are reused. A product that
/// is read only by a sum is one instruction with it.
///
/// [`Program::ready`] returns it, and the runs of a program use it: results are the same, bit for bit, and each guard is
/// checked. Its runs take memory of your own.
///
/// ```
/// use wengert::programs::{Workspace, trace};
/// let data: Vec<f64> = (2..1002).map(f64::from).collect();
/// let program = trace(
///     |p| data.iter().fold(p[0], |s, &t| s + ((p[0] * t - p[1]) * t).sin()),
///     &[0.5, 0.25],
/// );
/// let executable = program.ready();
/// assert!(executable.instructions() <= program.operations());
/// assert!(executable.slots() < 2 + 1000 + 512); // inputs, constants, values
///
/// let (x, mut y) = ([0.75_f64, 0.125], [0.0]);
/// executable.run_into(&mut Workspace::default(), &x, &mut y)?;
/// assert_eq!(y[0], data.iter().fold(x[0], |s, &t| s + ((x[0] * t - x[1]) * t).sin()));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Default)]
pub struct Executable {
    inputs: usize,
    /// Constants follow the inputs.
    constants: Vec<f64>,
    slots: usize,
    instrs: Instrs,
    /// The conditions of guards on numbers in slots, with the recorded outcomes.
    conditions: Vec<(GuardCondition, i64)>,
    /// The guards of these conditions, for errors.
    guards: Vec<Guard>,
    /// The calls, whose operands are slots.
    calls: Vec<Call>,
    /// The slots of the results of each call.
    called: Vec<Vec<u32>>,
    /// The slots of the results; [`NO_SLOT`] for totals.
    pub(crate) outputs: Vec<u32>,
    /// Whether each input is read in its slot.
    pub(crate) in_slots: Vec<bool>,
    pub(super) rules: Rules,
    /// For points at which a result is not finite, if products are plain.
    careful: Option<Arc<Careful>>,
}

/// A program with strong zeros, lowered when it is needed.
pub(super) struct Careful {
    pub(super) program: Program,
    executable: OnceLock<Executable>,
}

impl Careful {
    pub(super) fn of(program: &Program) -> Self {
        let program = Program { executable: OnceLock::new(), ..program.clone() };
        Careful { program, executable: OnceLock::new() }
    }
    pub(super) fn executable(&self) -> &Executable {
        self.executable.get_or_init(|| self.program.as_it_is())
    }
}

impl Program {
    /// The executable of the program, which is lowered once.
    ///
    /// ```
    /// use wengert::programs::{Workspace, trace};
    /// let program = trace(|x| x[0].exp(), &[2.0]);
    /// let (mut memory, mut y) = (Workspace::default(), [0.0]);
    /// program.ready().run_into(&mut memory, &[0.0], &mut y)?;
    /// assert_eq!(y, [1.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn ready(&self) -> &Executable {
        self.executable.get_or_init(|| {
            let Some(plain) = self.without_strong_zeros() else {
                return Arc::new(self.with_products().as_ref().unwrap_or(self).as_it_is());
            };
            let careful = Some(Arc::new(Careful::of(self)));
            Arc::new(Executable { careful, ..plain.as_it_is() })
        })
    }
    /// The executable of these operations, which does not check the results.
    pub(super) fn as_it_is(&self) -> Executable {
        layout(self, &Sharing::default())
    }
}

impl Executable {
    /// The number of instructions.
    pub fn instructions(&self) -> usize {
        self.instrs.len() - self.conditions.len()
    }
    /// The number of slots: of inputs, constants and values.
    pub fn slots(&self) -> usize {
        self.slots
    }
    /// The results at a point, without allocation after the first time, except in primitives.
    ///
    /// # Errors
    /// As [`Program::run_into`].
    pub fn run_into(&self, memory: &mut Workspace, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        self.run_one(&mut memory.one, &mut [Shared::default()], x, out)?;
        match &self.careful {
            Some(careful) if !out.iter().all(|y| y.is_finite()) => {
                careful.executable().run_into(memory, x, out)
            }
            _ => Ok(()),
        }
    }
    /// Runs at one point. Fails where it takes another branch, or a primitive fails.
    pub(crate) fn run_one(
        &self,
        numbers: &mut Vec<[f64; 1]>,
        shared: &mut [Shared],
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), AdError> {
        AdError::check_len("program", "point", self.inputs, x.len())?;
        AdError::check_len("program", "result", self.outputs.len(), out.len())?;
        numbers.resize(numbers.len().max(self.slots), [0.0]);
        self.prepare(numbers);
        numbers.iter_mut().zip(x).for_each(|(slot, &x)| *slot = [x]);
        let mut failures = self.run(numbers, shared, SharedNumbers::default());
        if let Some((_, failure)) = failures.list.pop() {
            return Err(self.named(failure));
        }
        out.iter_mut().zip(&self.outputs).for_each(|(out, &y)| *out = numbers[y as usize][0]);
        Ok(())
    }
    /// Writes the constants to their slots.
    pub(crate) fn prepare<const N: usize>(&self, numbers: &mut [[f64; N]]) {
        numbers[self.inputs..].iter_mut().zip(&self.constants).for_each(|(slot, &c)| *slot = [c; N]);
    }
    /// Runs all instructions, with a call cache for each point; returns the failures.
    fn run<const N: usize>(
        &self,
        numbers: &mut [[f64; N]],
        shared: &mut [Shared],
        of_all: SharedNumbers<'_>,
    ) -> Failures {
        if !self.calls.is_empty() {
            shared.iter_mut().take(N).for_each(|shared| shared.start(&self.calls));
        }
        let mut points = Points { executable: self, shared, of_all, failures: Failures::default() };
        self.instrs.run(numbers, &mut points);
        points.failures
    }
    #[cold]
    fn named(&self, failure: Failure) -> AdError {
        match failure {
            Failure::Guard(guard) => self.guards[guard as usize].changed(),
            Failure::Call(error) => error,
        }
    }
}

/// The numbers that the points of a run share.
#[derive(Default)]
pub(crate) struct SharedNumbers<'a> {
    pub(crate) scalars: &'a [f64],
    pub(crate) totals: Totals<'a>,
    /// Only the first points count in totals.
    pub(crate) points: usize,
}

/// Sums over all points. Each has four parts, which the caller adds at the end. Where totals are many, each has one
/// part, because memory is slower than the sum of four numbers.
#[derive(Default)]
pub(crate) struct Totals<'a> {
    pub(crate) numbers: &'a mut [f64],
    pub(crate) parts: usize,
}

impl Totals<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn add(&mut self, total: usize, sums: [f64; 4]) {
        if self.parts == 1 {
            self.numbers[total] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        } else {
            let parts = &mut self.numbers[4 * total..][..4];
            parts.iter_mut().zip(sums).for_each(|(part, sum)| *part += sum);
        }
    }
}

/// Why a point has no results.
enum Failure {
    /// The guard of this number fails.
    Guard(u32),
    /// A primitive failed.
    Call(AdError),
}

/// The failures at some points of a run, at most one for each point.
#[derive(Default)]
struct Failures {
    /// A bit for each point with a failure.
    lanes: u32,
    /// Each of these points with its failure.
    list: Vec<(usize, Failure)>,
}

impl Failures {
    fn has(&self, lane: usize) -> bool {
        self.lanes >> lane & 1 != 0
    }
    /// Adds the failure of one of `points` points.
    #[cold]
    fn push(&mut self, points: usize, lane: usize, failure: Failure) {
        if self.list.is_empty() {
            self.list.reserve_exact(points);
        }
        self.lanes |= 1 << lane;
        self.list.push((lane, failure));
    }
}

/// Several points in lanes: the context of instructions, other than the numbers in their slots. A method that returns
/// false ends the run.
struct Points<'a> {
    executable: &'a Executable,
    shared: &'a mut [Shared],
    of_all: SharedNumbers<'a>,
    /// Points that failed continue to run; their results are ignored.
    failures: Failures,
}

impl Points<'_> {
    /// Checks the guard at all points. Comparisons are evaluated in all lanes without a branch.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check_guard<const N: usize>(&mut self, guard: u32, numbers: &[[f64; N]]) -> bool {
        let (condition, expected) = self.executable.conditions[guard as usize];
        let agrees = match condition {
            GuardCondition::Compare(relation, x, y) => {
                let (x, y) = (&numbers[x as usize], &numbers[y as usize]);
                let mut differ = 0;
                for (&x, &y) in x.iter().zip(y) {
                    differ |= i64::from(relation.holds(x, y)) ^ expected;
                }
                differ == 0
            }
            _ => (0..N).all(|lane| condition.outcome(|x| numbers[x as usize][lane]) == expected),
        };
        agrees || self.fail(guard, numbers)
    }
    /// Runs a call at all points that have not failed.
    fn call<const N: usize>(&mut self, k: u32, numbers: &mut [[f64; N]]) -> bool {
        let Executable { calls, called, .. } = self.executable;
        let (call, called) = (&calls[k as usize], &called[k as usize]);
        for (lane, shared) in self.shared.iter_mut().enumerate().take(N) {
            if self.failures.has(lane) {
                continue;
            }
            match shared.run(call, |slot| numbers[slot as usize][lane]) {
                Ok(y) => y.iter().zip(called).for_each(|(&y, &to)| numbers[to as usize][lane] = y),
                Err(error) => self.failures.push(N, lane, Failure::Call(error)),
            }
        }
        self.failures.list.len() < N
    }
    /// Records the points at which a guard fails; returns whether a point is left.
    #[cold]
    fn fail<const N: usize>(&mut self, guard: u32, numbers: &[[f64; N]]) -> bool {
        let (condition, expected) = self.executable.conditions[guard as usize];
        let fails = |lane: &usize| condition.outcome(|x| numbers[x as usize][*lane]) != expected;
        for lane in (0..N).filter(fails) {
            if !self.failures.has(lane) {
                self.failures.push(N, lane, Failure::Guard(guard));
            }
        }
        self.failures.list.len() < N
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Executable({} instructions, {} slots)", self.instructions(), self.slots())
    }
}

//! Machines: programs made ready to run, with their loops found again.

mod batch;
mod body;
mod execute;
pub(super) mod instrs;
mod items;
mod layout;
mod order;
mod pad;
pub(super) mod parts;
mod plan;
mod ready;
mod recurrent;
mod repeats;

use std::fmt;
use std::sync::Arc;
use std::sync::OnceLock;

use super::calls::{Call, Shared};
use super::op::Guard;
use super::program::Program;
use super::workspace::{LANES, Workspace, lines};
use crate::error::AdError;
use execute::{Failure, Points, iterations};
use parts::{Loop, Parts, Step};

/// How a [`Machine`] treats stretches of operations that repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loops {
    /// Each operation is an instruction.
    Unrolled,
    /// A stretch that repeats is one loop.
    Found,
    /// The same, and iterations that pass nothing but sums to the next run several at once; the sums are added in their
    /// order.
    #[default]
    InLanes,
}

/// A program made ready to run: operations on slots that are used again, and loops.
///
/// A stretch of operations that repeats with other operands (the terms of a sum over data, the steps of a solver, and
/// both again in a derivative) is one loop: its body once, and tables of the operands that differ. Whatever is not
/// read after its iteration shares the slots of the body, so instructions and memory do not grow with the number of
/// iterations, but for tables and for values that are read later. Results are bit for bit those of the program: sums are
/// added in order, and each question is asked in each iteration, with its own answer.
///
/// ```
/// use wengert::programs::{Loops, Workspace, trace};
/// let data: Vec<f64> = (2..1002).map(f64::from).collect();
/// let program = trace(
///     |p| data.iter().fold(p[0], |s, &t| s + ((p[0] * t - p[1]) * t).sin()),
///     &[0.5, 0.25],
/// );
/// let machine = program.machine(Loops::default());
/// assert!(program.operations() > 4000 && machine.instructions() < 30);
/// assert_eq!(machine.loops().next(), Some((6, 1000))); // its body: a load, · − · sin +
///
/// let (x, mut y) = ([0.75_f64, 0.125], [0.0]);
/// machine.run_into(&mut Workspace::default(), &x, &mut y)?;
/// assert_eq!(y[0], data.iter().fold(x[0], |s, &t| s + ((x[0] * t - x[1]) * t).sin()));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Machine {
    parts: Parts,
    /// The calls, whose operands are slots.
    calls: Vec<Call>,
    /// What calls share, by number.
    maps: Vec<Option<usize>>,
    guards: Vec<Guard>,
    /// For points at which a result is not finite, if products are plain.
    careful: Option<Arc<Careful>>,
}

/// The program with the laws at singular points, made ready when it is needed.
struct Careful {
    program: Program,
    loops: Loops,
    machine: OnceLock<Machine>,
}

impl Careful {
    fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| self.program.as_it_is(self.loops, None))
    }
}

impl Machine {
    /// The number of instructions, those of a loop's body once.
    pub fn instructions(&self) -> usize {
        self.parts.instrs.len() + self.calls.len()
    }
    /// The loops in order: how many instructions their bodies have, and how many iterations there are.
    pub fn loops(&self) -> impl Iterator<Item = (usize, usize)> {
        self.parts.loops.iter().map(|l| ((l.to - l.from) as usize, l.count as usize))
    }
    /// Of how many loops several iterations run at once.
    pub fn loops_in_lanes(&self) -> usize {
        self.parts.loops.iter().filter(|l| l.lanes.is_some()).count()
    }
    /// The number of slots: of inputs, constants and values.
    pub fn slots(&self) -> usize {
        self.parts.slots
    }
    /// The number of entries in tables of operands.
    pub fn table_entries(&self) -> usize {
        self.parts.table.len()
    }
    /// The results at a point, without allocation after the first time, but by primitives.
    ///
    /// # Errors
    /// As [`Program::run_into`](super::Program::run_into).
    pub fn run_into(&self, memory: &mut Workspace, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        AdError::check_len("program", "point", self.parts.inputs, x.len())?;
        AdError::check_len("program", "result", self.parts.outputs.len(), out.len())?;
        let Workspace { one, lanes, .. } = memory;
        one.resize(one.len().max(self.parts.slots), [0.0]);
        self.parts.prepare(one);
        let lanes = lines(lanes, self.parts.lane_slots);
        one.iter_mut().zip(x).for_each(|(slot, &x)| *slot = [x]);
        let mut maps = [Shared::default()];
        let [failed] = self.parts.run(one, lanes, &mut Calls { machine: self, maps: &mut maps });
        if let Some(failure) = failed {
            return Err(self.named(failure));
        }
        out.iter_mut().zip(&self.parts.outputs).for_each(|(out, &y)| *out = one[y as usize][0]);
        match &self.careful {
            Some(careful) if !out.iter().all(|y| y.is_finite()) => careful.machine().run_into(memory, x, out),
            _ => Ok(()),
        }
    }
    #[cold]
    fn named(&self, failure: Failure) -> AdError {
        match failure {
            Failure::Guard(guard) => self.guards[guard as usize].changed(),
            Failure::Call(error) => error,
        }
    }
}

/// What runs primitives.
trait RunCalls {
    /// Forgets what calls shared in another run.
    fn start(&mut self);
    /// Runs a call at the point of a lane.
    fn run<const N: usize>(
        &mut self,
        step: &Step,
        memory: &mut [[f64; N]],
        lane: usize,
    ) -> Result<(), AdError>;
}

/// For programs without calls.
impl RunCalls for () {
    fn start(&mut self) {}
    fn run<const N: usize>(&mut self, _: &Step, _: &mut [[f64; N]], _: usize) -> Result<(), AdError> {
        Ok(())
    }
}

/// The calls of a machine, with what they share at each of several points.
struct Calls<'a> {
    machine: &'a Machine,
    maps: &'a mut [Shared],
}

impl RunCalls for Calls<'_> {
    fn start(&mut self) {
        self.maps.iter_mut().for_each(|maps| maps.start_with(&self.machine.maps));
    }
    fn run<const N: usize>(
        &mut self,
        step: &Step,
        memory: &mut [[f64; N]],
        lane: usize,
    ) -> Result<(), AdError> {
        let Step::Call { call, results } = step else { return Ok(()) };
        let (k, of) = (*call as usize, |slot: u32| memory[slot as usize][lane]);
        let y = self.maps[lane].run(&self.machine.calls[k], self.machine.maps[k], of)?;
        y.iter().zip(results).for_each(|(&y, &to)| memory[to as usize][lane] = y);
        Ok(())
    }
}

impl Parts {
    /// Writes the constants to their slots.
    fn prepare<const N: usize>(&self, memory: &mut [[f64; N]]) {
        memory[self.inputs..].iter_mut().zip(&self.constants).for_each(|(slot, &c)| *slot = [c; N]);
    }
    /// Runs all steps; what failed at each point.
    fn run<const N: usize>(
        &self,
        memory: &mut [[f64; N]],
        lanes: &mut [[f64; LANES]],
        calls: &mut impl RunCalls,
    ) -> [Option<Failure>; N] {
        calls.start();
        let mut around = Points { parts: self, iteration: 0, failed: [const { None }; N] };
        for step in &self.steps {
            around.iteration = 0;
            let goes_on = match *step {
                Step::Straight(from, to) => self.instrs.run(from..to, &self.rules, memory, &mut around),
                Step::Loop(k) => self.run_loop(&self.loops[k as usize], memory, lanes, &mut around),
                Step::Call { .. } => {
                    for lane in 0..N {
                        if around.failed[lane].is_none() {
                            around.failed[lane] = calls.run(step, memory, lane).err().map(Failure::Call);
                        }
                    }
                    around.failed.iter().any(Option::is_none)
                }
            };
            if !goes_on {
                break;
            }
        }
        around.failed
    }
    fn run_loop<const N: usize>(
        &self,
        l: &Loop,
        memory: &mut [[f64; N]],
        lanes: &mut [[f64; LANES]],
        around: &mut Points<'_, N>,
    ) -> bool {
        for i in self.run_lanes(l, memory, lanes)..l.count {
            around.iteration = i;
            if !self.instrs.run(l.from..l.to, &self.rules, memory, around) {
                return false;
            }
            l.stores.iter().for_each(|&(from, base)| memory[(base + i) as usize] = memory[from as usize]);
            l.carries.iter().for_each(|&(from, to)| memory[to as usize] = memory[from as usize]);
        }
        true
    }
    /// Runs iterations in lanes, as far as they go, but not the last ones; where to go on.
    fn run_lanes<const N: usize>(
        &self,
        l: &Loop,
        memory: &mut [[f64; N]],
        lanes: &mut [[f64; LANES]],
    ) -> u32 {
        let (Some(body), Some(memory)) = (&l.lanes, single(memory)) else { return 0 };
        body.copies.iter().for_each(|&(slot, lane)| lanes[lane as usize] = [memory[slot as usize][0]; LANES]);
        let mut i = 0;
        while i + (LANES as u32) < l.count && iterations(self, body, i, memory, lanes) {
            i += LANES as u32;
        }
        i
    }
}

/// The memory of one point, if it is one.
fn single<const N: usize>(memory: &mut [[f64; N]]) -> Option<&mut [[f64; 1]]> {
    (N == 1).then_some(memory.as_flattened_mut().as_chunks_mut().0)
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Machine({} instructions, {} slots", self.instructions(), self.slots())?;
        self.loops().try_for_each(|(body, count)| write!(f, ", {count} × {body}"))?;
        write!(f, ")")
    }
}

//! Instructions run, on one number in each slot or on several at once.

use std::array::from_fn;

use super::super::evaluate::evaluate;
use super::super::op::Op;
use super::super::rules::Rules;
use super::parts::{Address, Instr, LaneBody, Parts};
use crate::error::AdError;

/// What instructions need besides the numbers in their slots.
pub(super) trait Around<const N: usize> {
    /// The numbers at an address.
    fn load(&self, address: u32, memory: &[[f64; N]]) -> [f64; N];
    /// Asks a question; false ends the run.
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool;
}

/// Runs instructions; false if a question ended the run. Each operation means what [`evaluate`] says.
pub(super) fn execute<const N: usize>(
    instrs: &[Instr],
    rules: &Rules,
    memory: &mut [[f64; N]],
    around: &mut impl Around<N>,
) -> bool {
    for &Instr { op, to } in instrs {
        let at = |x: u32| memory[x as usize];
        macro_rules! each {
            ($op:expr; $($x:expr),*) => {{
                let of = [$(at($x)),*];
                from_fn(|lane| evaluate($op, rules, |k| of[k as usize][lane]))
            }};
        }
        let value = match op {
            Op::Mul(x, y) => each!(Op::Mul(0, 1); x, y),
            Op::Add(x, y) => each!(Op::Add(0, 1); x, y),
            Op::Sub(x, y) => each!(Op::Sub(0, 1); x, y),
            Op::Div(x, y) => each!(Op::Div(0, 1); x, y),
            Op::Neg(x) => each!(Op::Neg(0); x),
            Op::MulAdd(x, y, z) => each!(Op::MulAdd(0, 1, 2); x, y, z),
            Op::Unary { rule, x } if N == 1 => each!(Op::Unary { rule, x: 0 }; x),
            Op::Unary { rule, x } => {
                let mut value = at(x);
                rules.unary[rule as usize].values(&mut value);
                value
            }
            Op::Binary { rule, x, y } => each!(Op::Binary { rule, x: 0, y: 1 }; x, y),
            Op::Compare { relation, x, y } => each!(Op::Compare { relation, x: 0, y: 1 }; x, y),
            Op::Select { condition, x, y } => each!(Op::Select { condition: 0, x: 1, y: 2 }; condition, x, y),
            Op::Strong { d, t } => each!(Op::Strong { d: 0, t: 1 }; d, t),
            Op::Both { d, t } => each!(Op::Both { d: 0, t: 1 }; d, t),
            Op::Over { t, y, r } => each!(Op::Over { t: 0, y: 1, r: 2 }; t, y, r),
            Op::Partial { f, d } => each!(Op::Partial { f: 0, d: 1 }; f, d),
            Op::Detach(x) => at(x),
            Op::Input(address) => around.load(address, memory),
            Op::Part(site) => {
                if !around.ask(site, memory) {
                    return false;
                }
                continue;
            }
            Op::Constant(_) | Op::Call(_) => continue, // (A machine has none.)
        };
        memory[to as usize] = value;
    }
    true
}

/// Why a point has no results.
pub(super) enum Failure {
    /// The guard of this number has another answer.
    Guard(u32),
    /// A primitive failed.
    Call(AdError),
}

/// Points side by side, in one iteration of a loop.
pub(super) struct Points<'a, const N: usize> {
    pub(super) parts: &'a Parts,
    pub(super) iteration: u32,
    /// What failed at each point. Points that failed run on, for nothing.
    pub(super) failed: [Option<Failure>; N],
}

impl<const N: usize> Around<N> for Points<'_, N> {
    #[inline(always)]
    fn load(&self, address: u32, memory: &[[f64; N]]) -> [f64; N] {
        memory[self.parts.slot(address, self.iteration) as usize]
    }
    #[inline]
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool {
        let site = &self.parts.sites[site as usize];
        let guard = site.first + site.step * self.iteration;
        let answer = self.parts.answers[guard as usize];
        for (lane, failed) in self.failed.iter_mut().enumerate() {
            if site.question.answer(|x| memory[x as usize][lane]) != answer {
                failed.get_or_insert(Failure::Guard(guard));
            }
        }
        self.failed.iter().any(Option::is_none)
    }
}

/// Iterations side by side, from `iteration` on.
pub(super) struct Iterations<'a, const N: usize> {
    parts: &'a Parts,
    lanes: &'a LaneBody,
    iteration: u32,
    outside: &'a [[f64; 1]],
}

impl<const N: usize> Around<N> for Iterations<'_, N> {
    #[inline]
    fn load(&self, address: u32, memory: &[[f64; N]]) -> [f64; N] {
        let parts = self.parts;
        if let Address::Line { base, step } = parts.addresses[address as usize] {
            let from = base.wrapping_add_signed(step.wrapping_mul(self.iteration as i32));
            return from_fn(|lane| self.number(from.wrapping_add_signed(step * lane as i32), lane, memory));
        }
        from_fn(|lane| self.number(parts.slot(address, self.iteration + lane as u32), lane, memory))
    }
    #[inline]
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool {
        let site = &self.parts.sites[site as usize];
        (0..N).all(|lane| {
            let guard = site.first + site.step * (self.iteration + lane as u32);
            site.question.answer(|x| memory[x as usize][lane]) == self.parts.answers[guard as usize]
        })
    }
}

impl<const N: usize> Iterations<'_, N> {
    /// The number of a slot of the loop, or of one outside.
    #[inline(always)]
    fn number(&self, slot: u32, lane: usize, memory: &[[f64; N]]) -> f64 {
        let own = slot.wrapping_sub(self.lanes.first);
        if own < self.lanes.own { memory[own as usize][lane] } else { self.outside[slot as usize][0] }
    }
}

/// The iterations from `iteration` on, as many as there are lanes; false, with nothing changed outside, if a question has
/// another answer in one of them.
pub(super) fn iterations<const N: usize>(
    parts: &Parts,
    lanes: &LaneBody,
    carries: &[(u32, u32)],
    iteration: u32,
    outside: &mut [[f64; 1]],
    memory: &mut [[f64; N]],
) -> bool {
    let mut around = Iterations { parts, lanes, iteration, outside };
    if !execute(&lanes.instrs, &parts.rules, memory, &mut around) {
        return false;
    }
    for &(lane, base) in &lanes.stores {
        let to = (base + iteration) as usize;
        outside[to..to + N].iter_mut().zip(memory[lane as usize]).for_each(|(to, x)| *to = [x]);
    }
    if carries.is_empty() && lanes.sums.iter().all(|sum| sum.to == sum.from) {
        for sum in &lanes.sums {
            let start = outside[sum.to as usize][0];
            outside[sum.to as usize][0] = memory[sum.lane as usize]
                .iter()
                .fold(start, |s, &x| if sum.negative { s - x } else { s + x });
        }
        return true;
    }
    (0..N).for_each(|lane| {
        for sum in &lanes.sums {
            let (s, x) = (outside[sum.from as usize][0], memory[sum.lane as usize][lane]);
            outside[sum.to as usize][0] = if sum.negative { s - x } else { s + x };
        }
        carries.iter().for_each(|&(from, to)| outside[to as usize] = outside[from as usize]);
    });
    true
}

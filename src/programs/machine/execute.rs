//! What instructions run on: points side by side, or iterations of a loop.

use std::array::from_fn;

use super::super::op::Question;
use super::instrs::Around;
use super::parts::{Address, LaneBody, PASSED, Parts};
use crate::error::AdError;

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
    #[inline(always)]
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool {
        let site = &self.parts.sites[site as usize];
        let guard = site.first + site.step * self.iteration;
        let answer = self.parts.answers[guard as usize];
        agree(site.question, answer, memory) || self.fail(site.question, guard, memory)
    }
}

impl<const N: usize> Points<'_, N> {
    /// Notes at which points a question has another answer; whether one is left.
    #[cold]
    fn fail(&mut self, question: Question, guard: u32, memory: &[[f64; N]]) -> bool {
        let answer = self.parts.answers[guard as usize];
        for (lane, failed) in self.failed.iter_mut().enumerate() {
            if question.answer(|x| memory[x as usize][lane]) != answer {
                failed.get_or_insert(Failure::Guard(guard));
            }
        }
        self.failed.iter().any(Option::is_none)
    }
}

/// Whether the answer is this one in all lanes: comparisons are one for all of them.
#[inline(always)]
fn agree<const N: usize>(question: Question, answer: i64, memory: &[[f64; N]]) -> bool {
    match question {
        Question::Compare(relation, x, y) => {
            let (x, y) = (&memory[x as usize], &memory[y as usize]);
            let differ = |lane: usize| i64::from(relation.holds(x[lane], y[lane])) ^ answer;
            (0..N).fold(0, |differ_before, lane| differ_before | differ(lane)) == 0
        }
        _ => (0..N).all(|lane| question.answer(|x| memory[x as usize][lane]) == answer),
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
        if address >= PASSED {
            let (lane, before) = self.lanes.passed[(address - PASSED) as usize];
            let value = memory[lane as usize];
            return from_fn(
                |lane| if lane == 0 { self.outside[before as usize][0] } else { value[lane - 1] },
            );
        }
        if let Address::Line { base, step } = parts.addresses[address as usize] {
            let from = base.wrapping_add_signed(step.wrapping_mul(self.iteration as i32));
            let own = self.lanes.first..self.lanes.first + self.lanes.own;
            if step == 1
                && (from >= own.end || from + N as u32 <= own.start)
                && let Some(numbers) = self.outside[from as usize..].first_chunk::<N>()
            {
                return numbers.map(|[x]| x);
            }
            return from_fn(|lane| self.number(from.wrapping_add_signed(step * lane as i32), lane, memory));
        }
        from_fn(|lane| self.number(parts.slot(address, self.iteration + lane as u32), lane, memory))
    }
    #[inline(always)]
    fn ask(&mut self, site: u32, memory: &[[f64; N]]) -> bool {
        let site = &self.parts.sites[site as usize];
        let recorded: [i64; N] = from_fn(|lane| {
            self.parts.answers[(site.first + site.step * (self.iteration + lane as u32)) as usize]
        });
        if recorded.iter().all(|&answer| answer == recorded[0]) {
            return agree(site.question, recorded[0], memory);
        }
        (0..N).all(|lane| site.question.answer(|x| memory[x as usize][lane]) == recorded[lane])
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
    iteration: u32,
    outside: &mut [[f64; 1]],
    memory: &mut [[f64; N]],
) -> bool {
    let mut around = Iterations { parts, lanes, iteration, outside };
    if !lanes.instrs.run(0..lanes.instrs.len() as u32, &parts.rules, memory, &mut around) {
        return false;
    }
    for &(lane, base) in &lanes.stores {
        let to = (base + iteration) as usize;
        outside[to..to + N].iter_mut().zip(memory[lane as usize]).for_each(|(to, x)| *to = [x]);
    }
    for &(lane, before) in &lanes.passed {
        outside[before as usize] = [memory[lane as usize][N - 1]];
    }
    if lanes.carries.is_empty() && lanes.sums.iter().all(|sum| sum.to == sum.from) {
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
        lanes.carries.iter().for_each(|&(from, to)| outside[to as usize] = outside[from as usize]);
    });
    true
}

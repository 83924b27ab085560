//! Terms that are alike, some at a time in the lanes of one number on a tape.

use std::array::from_fn;
use std::cell::RefCell;
use std::ops::Range;

use super::engine::{Engine, Objective, Slopes, blank};
use super::kept::First;
use super::terms::Terms;
use crate::duals::Batch;
use crate::number::{Number as _, have_disagreed, watch};
use crate::pool::{self, Spare};
use crate::tapes::{Filling, Tape, Var};

/// Terms of a block: as many on every machine, since the sums of their derivatives have an order.
pub(super) const LANES: usize = 8;
pub(super) type Number = Batch<f64, LANES>;

/// Nodes and edges on a tape, unless much is shared, which is recorded on each.
const NODES: usize = 512;
/// After so many blocks of a piece whose lanes take several branches, the rest goes one by one.
const PATIENCE: usize = 2;
/// Fewer terms than these go one by one.
const FEW: usize = 3;

/// The values and slopes of the terms of a piece: in blocks while lanes take the same branches, the others by `engine`.
pub(super) fn slopes<F: Terms>(
    f: &F,
    engine: impl Engine,
    objective: &(impl Objective<f64> + Objective<Number>),
    p: &[f64],
    (group, terms): (usize, Range<usize>),
    take: &mut First<'_>,
) {
    let alone = |terms: Range<usize>, take: &mut _| {
        if !terms.is_empty() {
            engine.slopes(f, objective, &|_, i| p[i], (group, terms), take);
        }
    };
    if !f.is_alike(group) {
        return alone(terms, take);
    }
    let memory = pool::take::<RefCell<Taped>>().unwrap_or_default();
    let (mut start, mut patience) = (terms.start, PATIENCE);
    while patience > 0 && terms.end - start >= FEW {
        let piece = (group, start..terms.end);
        let Some((done, diverged)) = memory.borrow_mut().some(f, objective, p, piece, take) else { break };
        start += done;
        if diverged {
            let end = terms.end.min(start + LANES);
            alone(start..end, take);
            (start, patience) = (end, patience - 1);
        }
    }
    pool::give(memory);
    alone(start..terms.end, take);
}

/// Blocks on a tape, in memory of the thread.
#[derive(Default)]
struct Taped {
    shared: Vec<usize>,
    /// For each block the node of its first input, and how many terms and inputs it has.
    blocks: Vec<[usize; 3]>,
    /// The inputs of the terms of all blocks, their values, their results with their weights.
    own: Vec<usize>,
    values: Vec<f64>,
    seeds: Vec<(Var<Number>, [Number; 1])>,
    /// Of a block: data, inputs and data as numbers, results.
    data: Vec<f64>,
    local: Vec<Var<Number>>,
    numbers: Vec<Var<Number>>,
    results: Vec<Var<Number>>,
    /// Results and weights of a block, or of a term.
    of_block: [Vec<Number>; 2],
    of_term: [Vec<f64>; 2],
}

impl Taped {
    /// As many of the terms as a tape holds: how many were taken, and whether the block after them is to be done one by
    /// one. `None` if terms are not alike.
    fn some<F: Terms>(
        &mut self,
        f: &F,
        objective: &(impl Objective<f64> + Objective<Number>),
        p: &[f64],
        (group, terms): (usize, Range<usize>),
        take: &mut First<'_>,
    ) -> Option<(usize, bool)> {
        let Taped { shared, own, blocks, values, seeds, .. } = self;
        shared.clear();
        own.clear();
        blocks.clear();
        values.clear();
        seeds.clear();
        f.shared_inputs(group, shared);
        let (first, mut point) = (shared.len(), Spare::new());
        let (tape, point) = (Tape::<Number>::with_inputs(first), point.clear(first));
        point.extend(shared.iter().enumerate().map(|(l, &i)| tape.input(Number::from(p[i]), l)));
        let function = f.alike(group, point)?;
        let before = tape.size();
        let mut filling = Filling::new(before, NODES.max(8 * first + 64 * (before - first)));
        let (mut done, mut diverged) = (0, false);
        while done < terms.len() {
            let start = terms.start + done;
            let now = start..terms.end.min(start + LANES);
            let (count, kept) = (now.len(), (self.blocks.len(), self.own.len()));
            let (recorded, different) = watch(|| self.record(f, &function, &tape, p, (group, now)));
            diverged = !recorded || different;
            if diverged {
                self.blocks.truncate(kept.0);
                self.own.truncate(kept.1);
                break;
            }
            self.weigh(objective, count);
            done += count;
            if filling.is_full(&tape) {
                break;
            }
        }
        if done == 0 {
            return Some((0, diverged));
        }
        let ((), different) = watch(|| {
            tape.pull(self.seeds.iter().copied(), |cotangents| {
                if !have_disagreed() {
                    self.hand_over(cotangents.as_flattened(), take);
                }
            });
        });
        Some(if different { (0, true) } else { (done, diverged) })
    }

    /// Records a block: its inputs, and what the function makes of them. Not if its terms have inputs or data of several
    /// sizes.
    fn record<F: Terms>(
        &mut self,
        f: &F,
        function: &impl Fn(&[Var<Number>], &[Var<Number>], &mut [Var<Number>]),
        tape: &Tape<Number>,
        p: &[f64],
        (group, terms): (usize, Range<usize>),
    ) -> bool {
        let Taped { own, data, local, numbers, results, .. } = self;
        let (before, count) = (own.len(), f.results(group, terms.start));
        let (mut width, mut size) = (0, 0);
        data.clear();
        for (lane, term) in terms.clone().enumerate() {
            f.inputs(group, term, own);
            f.data(group, term, data);
            if lane == 0 {
                (width, size) = (own.len() - before, data.len());
            }
            let alike = own.len() - before == (lane + 1) * width && data.len() == (lane + 1) * size;
            if !alike || f.results(group, term) != count {
                return false;
            }
        }
        // Idle lanes repeat the last term. (Variables stand still where they can: they are much to write.)
        for _ in terms.len()..LANES {
            own.extend_from_within(own.len() - width..);
            data.extend_from_within(data.len() - size..);
        }
        let inputs = if width == 0 { 0 } else { tape.add_inputs(width) as usize };
        let rows: [_; LANES] = from_fn(|lane| &own[before + lane * width..][..width]);
        local.clear();
        for i in 0..width {
            local.push(tape.input(Batch::new(from_fn(|lane| p[rows[lane][i]])), inputs + i));
        }
        own.truncate(before + terms.len() * width);
        let rows: [_; LANES] = from_fn(|lane| &data[lane * size..][..size]);
        numbers.resize(size, Var::constant(Number::from(0.0)));
        for (j, number) in numbers.iter_mut().enumerate() {
            number.set_value(Batch::new(from_fn(|lane| rows[lane][j])));
        }
        blank(results, count);
        function(local, numbers, results);
        self.blocks.push([inputs, terms.len(), width]);
        true
    }

    /// The values of so many terms, and the weights of their results; those of idle lanes are zero.
    fn weigh(&mut self, objective: &(impl Objective<f64> + Objective<Number>), count: usize) {
        let [of_block, weights] = &mut self.of_block;
        of_block.clear();
        weights.clear();
        of_block.extend(self.results.iter().map(|r| r.value()));
        let (value, different) = watch(|| objective.of(of_block, weights));
        if !different {
            self.values.extend_from_slice(&value.lanes()[..count]);
        } else {
            let [of_term, of_results] = &mut self.of_term;
            weights.clear();
            weights.resize(of_block.len(), Number::from(0.0));
            for lane in 0..count {
                of_term.clear();
                of_results.clear();
                of_term.extend(of_block.iter().map(|r| r.innermost_of(lane)));
                self.values.push(objective.of(of_term, of_results));
                weights.iter_mut().zip(of_results.iter()).for_each(|(w, &of_lane)| w.set(lane, of_lane));
            }
        }
        for (&r, w) in self.results.iter().zip(weights) {
            (count..LANES).for_each(|idle| w.set(idle, 0.0));
            self.seeds.push((r, [*w]));
        }
    }

    /// Hands over the values and slopes of all terms.
    fn hand_over(&self, cotangents: &[Number], take: &mut First<'_>) {
        take.begin(&self.shared);
        take.terms(&self.values, &self.own, |slopes| {
            for &[inputs, terms, width] in &self.blocks {
                let of_block = &cotangents[inputs..inputs + width];
                for lane in 0..terms {
                    slopes.extend(of_block.iter().map(|c| c.innermost_of(lane)));
                }
            }
        });
        take.end_with(cotangents[..self.shared.len()].iter().map(|c| c.lanes().iter().sum()));
    }
}

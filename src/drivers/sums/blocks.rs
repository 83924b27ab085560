//! Terms that are alike, some at a time in the lanes of one number.

use std::cell::RefCell;
use std::ops::Range;

use super::engine::{Engine, Objective, Slopes, blank};
use super::read::{Read, Rows};
use super::terms::Terms;
use super::wide::{LANES, Single, Values};
use crate::number::{have_disagreed, watch};
use crate::pool::{self, Spare};
use crate::tapes::{Tape, Var};

/// After so many blocks of a piece whose lanes take several branches, the rest goes one by one.
const PATIENCE: usize = 2;
/// Fewer terms than these go one by one.
const FEW: usize = 3;

/// The terms of a piece in blocks while lanes take the same branches, the others by this engine.
#[derive(Clone, Copy)]
pub(super) struct InBlocks<E>(pub E);

/// Hands terms to `some`, which says how many it took and whether the block after them is to be done one by one, or `None`
/// if terms are not alike; what it does not take to `alone`.
fn in_blocks<S>(
    mut terms: Range<usize>,
    take: &mut S,
    mut some: impl FnMut(Range<usize>, &mut S) -> Option<(usize, bool)>,
    mut alone: impl FnMut(Range<usize>, &mut S),
) {
    let mut patience = PATIENCE;
    while patience > 0 && terms.len() >= FEW {
        let Some((done, diverged)) = some(terms.clone(), take) else { break };
        terms.start += done;
        if diverged {
            let end = terms.end.min(terms.start + LANES);
            alone(terms.start..end, take);
            (terms.start, patience) = (end, patience - 1);
        }
    }
    if !terms.is_empty() {
        alone(terms, take);
    }
}

impl<E: Engine> Engine for InBlocks<E> {
    fn slopes<U: Single, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective,
        x: &impl Fn(usize, usize) -> U,
        (group, terms): (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    ) {
        if !f.is_alike(group) {
            return self.0.slopes(f, objective, x, (group, terms), take);
        }
        let memory = pool::take::<RefCell<Taped<U>>>().unwrap_or_default();
        let (mut shared, mut all) = (Spare::new(), Spare::new());
        let shared = shared.clear(1);
        f.shared_inputs(group, shared);
        take.begin(shared);
        let all = all.clear(1);
        all.resize(shared.len(), U::lit(0.0));
        let mut part = Part { take, all };
        in_blocks(
            terms,
            &mut part,
            |now, part| memory.borrow_mut().some(f, objective, x, (group, now), part),
            |now, part| self.0.slopes(f, objective, x, (group, now), part),
        );
        take.end(all);
        pool::give(memory);
    }

    fn rows<F: Terms>(self, f: &F, p: &[f64], (group, terms): (usize, Range<usize>), take: &mut impl Rows) {
        if !f.is_alike(group) {
            return self.0.rows(f, p, (group, terms), take);
        }
        let memory = pool::take::<RefCell<Read>>().unwrap_or_default();
        let mut shared = Spare::new();
        let shared = shared.clear(1);
        f.shared_inputs(group, shared);
        take.begin(shared);
        in_blocks(
            terms,
            take,
            |now, take| self.0.rows_in_lanes(f, p, (group, now), &mut memory.borrow_mut(), take),
            |now, take| self.0.rows(f, p, (group, now), &mut Within(take)),
        );
        take.end();
        pool::give(memory);
    }
}

/// Takes a part of a piece; what comes of its shared inputs is added up.
struct Part<'a, U, S> {
    take: &'a mut S,
    all: &'a mut Vec<U>,
}

impl<U: Single, S: Slopes<U>> Slopes<U> for Part<'_, U, S> {
    fn begin(&mut self, _: &[usize]) {}
    #[inline(always)]
    fn term(&mut self, value: U, own: &[usize], slopes: &[U]) {
        self.take.term(value, own, slopes);
    }
    #[inline(always)]
    fn terms(&mut self, values: &[U], own: &[usize], slope: impl Fn(usize, usize) -> U) {
        self.take.terms(values, own, slope);
    }
    fn end(&mut self, slopes: &[U]) {
        self.all.iter_mut().zip(slopes).for_each(|(all, &slope)| *all += slope);
    }
}

/// Takes rows of a part of a piece.
struct Within<'a, R>(&'a mut R);

impl<R: Rows> Rows for Within<'_, R> {
    fn begin(&mut self, _: &[usize]) {}
    fn term(&mut self, own: &[usize], results: &[f64], rows: &[f64]) {
        self.0.term(own, results, rows);
    }
    fn end(&mut self) {}
}

/// Blocks on a tape, in memory of the thread.
struct Taped<U: Single> {
    shared: Vec<usize>,
    read: Read,
    /// How many terms and inputs each block has.
    blocks: Vec<[usize; 2]>,
    /// The inputs of the terms of all blocks, their values and slopes.
    own: Vec<usize>,
    values: Vec<U>,
    slopes: Vec<U::Wide>,
    /// Of a block: the cotangents of its results by node.
    seeds: Vec<(u32, [U::Wide; 1])>,
    /// Of a block: inputs and data as numbers, results.
    local: Vec<Var<U::Wide>>,
    numbers: Vec<Var<U::Wide>>,
    results: Vec<Var<U::Wide>>,
    /// Results and weights of a block, or of a term.
    of_block: [Vec<U::Wide>; 2],
    of_term: [Vec<U>; 2],
}

impl<U: Single> Default for Taped<U> {
    fn default() -> Self {
        Taped {
            shared: Vec::new(),
            read: Read::default(),
            blocks: Vec::new(),
            own: Vec::new(),
            values: Vec::new(),
            slopes: Vec::new(),
            seeds: Vec::new(),
            local: Vec::new(),
            numbers: Vec::new(),
            results: Vec::new(),
            of_block: Default::default(),
            of_term: Default::default(),
        }
    }
}

impl<U: Single> Taped<U> {
    /// The terms block by block, while lanes agree.
    fn some<F: Terms>(
        &mut self,
        f: &F,
        objective: &impl Objective,
        x: &impl Fn(usize, usize) -> U,
        (group, terms): (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    ) -> Option<(usize, bool)> {
        let Taped { shared, own, blocks, values, slopes, .. } = self;
        shared.clear();
        own.clear();
        blocks.clear();
        values.clear();
        slopes.clear();
        f.shared_inputs(group, shared);
        let (first, mut point) = (shared.len(), Spare::new());
        let (tape, point) = (Tape::<U::Wide>::with_inputs(first), point.clear(first));
        point.extend(shared.iter().enumerate().map(|(l, &i)| tape.input(U::wide(|_| x(l, i)), l)));
        let function = f.alike(group, point)?;
        let mut segments = tape.segments();
        let (mut done, mut diverged) = (0, false);
        while done < terms.len() {
            let start = terms.start + done;
            let now = (group, start..terms.end.min(start + LANES));
            let (inputs, different) = watch(|| self.record(f, &function, &tape, x, now));
            let Some(inputs) = inputs.filter(|_| !different) else {
                diverged = true;
                break;
            };
            let ((), is_torn) = watch(|| {
                self.keep(&tape, objective);
                let Taped { slopes, read, seeds, .. } = &mut *self;
                segments.pull(seeds, |cotangents| {
                    slopes.extend_from_slice(&cotangents[inputs..inputs + read.width]);
                });
            });
            if is_torn {
                return Some((0, true));
            }
            done += self.read.terms;
        }
        if done == 0 {
            return Some((0, diverged));
        }
        let ((), is_torn) = watch(|| {
            segments.finish(|cotangents| {
                if !have_disagreed() {
                    self.hand_over(cotangents, take);
                }
            });
        });
        Some(if is_torn { (0, true) } else { (done, diverged) })
    }

    /// Records a block, and returns the node of its first input. Not if its terms are not alike.
    fn record<F: Terms>(
        &mut self,
        f: &F,
        function: &impl Fn(&[Var<U::Wide>], &[Var<U::Wide>], &mut [Var<U::Wide>]),
        tape: &Tape<U::Wide>,
        x: &impl Fn(usize, usize) -> U,
        (group, terms): (usize, Range<usize>),
    ) -> Option<usize> {
        let Taped { read, shared, local, numbers, results, .. } = self;
        if !read.block(f, group, terms) {
            return None;
        }
        let inputs = if read.width == 0 { 0 } else { tape.add_inputs(read.width) as usize };
        let rows: [_; LANES] = std::array::from_fn(|lane| read.own(lane));
        local.clear();
        let own = |i: usize| U::wide(|lane| x(shared.len() + i, rows[lane][i]));
        local.extend((0..read.width).map(|i| tape.input(own(i), inputs + i)));
        let constant = || Var::constant(U::constant(Values::from(0.0)));
        read.write_data(numbers, constant, |number, values| number.set_value(U::constant(values)));
        blank(results, read.results);
        function(local, numbers, results);
        Some(inputs)
    }

    /// Keeps a block: the values of its terms, and the weights of their results; those of idle lanes are zero.
    fn keep(&mut self, tape: &Tape<U::Wide>, objective: &impl Objective) {
        let Read { terms, width, .. } = self.read;
        self.blocks.push([terms, width]);
        self.own.extend_from_slice(&self.read.own[..terms * width]);
        let [of_block, weights] = &mut self.of_block;
        of_block.clear();
        weights.clear();
        of_block.extend(self.results.iter().map(|r| r.value()));
        let (value, different) = watch(|| objective.of(of_block, weights));
        if !different {
            self.values.extend((0..terms).map(|lane| U::lane(&value, lane)));
        } else {
            let [of_term, of_results] = &mut self.of_term;
            of_results.clear();
            for lane in 0..terms {
                of_term.clear();
                of_term.extend(of_block.iter().map(|r| U::lane(r, lane)));
                self.values.push(objective.of(of_term, of_results));
            }
            let count = of_block.len();
            let of_lane = |lane: usize, k: usize| of_results[lane.min(terms - 1) * count + k];
            weights.clear();
            weights.extend((0..count).map(|k| U::wide(|lane| of_lane(lane, k))));
        }
        if terms < LANES {
            for weight in &mut *weights {
                let of = *weight;
                *weight = U::wide(|lane| if lane < terms { U::lane(&of, lane) } else { U::lit(0.0) });
            }
        }
        let results = self.results.iter().zip(weights);
        self.seeds.clear();
        self.seeds.extend(results.filter_map(|(r, w)| tape.seed_of(r, [*w])));
    }

    /// Hands over the values and slopes of all terms.
    fn hand_over(&self, cotangents: &[U::Wide], take: &mut impl Slopes<U>) {
        let (mut own, mut values, mut of_own) = (&self.own[..], &self.values[..], &self.slopes[..]);
        for &[terms, width] in &self.blocks {
            let (of_terms, rest) = own.split_at(terms * width);
            let (now, later) = values.split_at(terms);
            let (of_block, others) = of_own.split_at(width);
            take.terms(now, of_terms, |lane, i| U::lane(&of_block[i], lane));
            (own, values, of_own) = (rest, later, others);
        }
        let mut slopes = Spare::new();
        let slopes = slopes.clear(1);
        let sum = |c: &U::Wide| (0..LANES).fold(U::lit(0.0), |sum, lane| sum + U::lane(c, lane));
        slopes.extend(cotangents[..self.shared.len()].iter().map(sum));
        take.end(slopes);
    }
}

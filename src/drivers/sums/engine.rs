//! The terms of a piece with their derivatives: by lanes of forward mode where inputs are few, else on short tapes.

use std::ops::Range;

use super::terms::Terms;
use crate::duals::DualN;
use crate::number::Real;
use crate::pool::Spare;
use crate::tapes::{PART, Tape, Var};

/// What is made of the results of a term.
pub(super) trait Objective<U>: Sync {
    /// The value; its derivative by each result to `weights`.
    fn of(&self, results: &[U], weights: &mut Vec<U>) -> U;
}

/// Takes the value of each term and its derivatives by its inputs.
pub(super) trait Slopes<U> {
    fn begin(&mut self, shared: &[usize]);
    fn term(&mut self, value: U, own: &[usize], slopes: &[U]);
    /// The derivatives of all terms together by the shared inputs.
    fn end(&mut self, slopes: &[U]);
}

/// Takes the results of each term and its Jacobian, row by row, shared inputs first.
pub(super) trait Rows {
    fn begin(&mut self, shared: &[usize]);
    fn term(&mut self, own: &[usize], results: &[f64], rows: &[f64]);
    fn end(&mut self);
}

/// How a piece is differentiated. `x` gives the number of an input by its place among the inputs of the term and among
/// the parameters.
pub(super) trait Engine: Copy + Sync {
    fn slopes<U: Real<Base = f64>, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective<U>,
        x: &impl Fn(usize, usize) -> U,
        piece: (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    );
    fn rows<F: Terms>(self, f: &F, p: &[f64], piece: (usize, Range<usize>), take: &mut impl Rows);
}

/// Calls `$run` with the engine for terms of so many inputs: up to 16 lanes are faster than a tape.
macro_rules! with_engine {
    ($width:expr, $engine:ident => $run:expr) => {{
        use $crate::drivers::sums::engine::{Lanes, OnTape};
        match $width {
            0..=4 => {
                let $engine = Lanes::<4>;
                $run
            }
            5..=8 => {
                let $engine = Lanes::<8>;
                $run
            }
            9..=12 => {
                let $engine = Lanes::<12>;
                $run
            }
            13..=16 => {
                let $engine = Lanes::<16>;
                $run
            }
            _ => {
                let $engine = OnTape;
                $run
            }
        }
    }};
}
pub(super) use with_engine;

/// The buffer for results, with NaN, so that its content cannot matter.
#[inline(always)]
pub(super) fn blank<N: Real>(buffer: &mut Vec<N>, count: usize) {
    let nan = N::lit(f64::NAN).nan_like();
    if buffer.len() != count {
        buffer.resize(count, nan);
    }
    for result in buffer {
        *result = nan;
    }
}

/// Forward mode with `L` lanes, one for each input.
#[derive(Clone, Copy)]
pub(super) struct Lanes<const L: usize>;

impl<const L: usize> Lanes<L> {
    /// Evaluates all terms; shows the shared inputs, and then of each term its own inputs and results.
    #[inline(always)]
    fn each<U: Real<Base = f64>, F: Terms>(
        f: &F,
        x: &impl Fn(usize, usize) -> U,
        (group, terms): (usize, Range<usize>),
        mut show: impl FnMut(&[usize], Option<(&[usize], &[DualN<U, L>])>),
    ) {
        let [mut shared, mut own] = [Spare::new(), Spare::new()];
        let [mut point, mut local, mut results] = [Spare::new(), Spare::new(), Spare::new()];
        let (shared, own) = (shared.clear(L), own.clear(L));
        f.shared_inputs(group, shared);
        show(shared, None);
        let first = shared.len();
        let (point, local, results) = (point.clear(first), local.clear(L), results.clear(1));
        point.extend(shared.iter().enumerate().map(|(l, &i)| DualN::variable(x(l, i), l)));
        let function = f.group(group, point);
        for term in terms {
            own.clear();
            f.inputs(group, term, own);
            // Lanes stand still, so values are written alone. Loops, here and below: iterators over such large numbers
            // are not inlined everywhere.
            while local.len() < own.len() {
                local.push(DualN::variable(U::lit(0.0), first + local.len()));
            }
            for ((l, &i), number) in (first..).zip(own.iter()).zip(local.iter_mut()) {
                number.set_value(x(l, i));
            }
            blank(results, f.results(group, term));
            function(term, &local[..own.len()], results);
            show(shared, Some((own, results)));
        }
    }
}

impl<const L: usize> Engine for Lanes<L> {
    fn slopes<U: Real<Base = f64>, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective<U>,
        x: &impl Fn(usize, usize) -> U,
        piece: (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    ) {
        let [mut values, mut weights] = [Spare::new(), Spare::new()];
        let (values, weights) = (values.clear(1), weights.clear(1));
        let (mut all, mut first) = ([U::lit(0.0); L], 0);
        Self::each(f, x, piece, |shared, term| {
            let Some((own, results)) = term else {
                first = shared.len();
                return take.begin(shared);
            };
            let results: &[DualN<U, L>] = results;
            values.clear();
            for result in results {
                values.push(result.value());
            }
            weights.clear();
            let value = objective.of(values, weights);
            let mut slopes = [U::lit(0.0); L];
            for (result, &weight) in results.iter().zip(weights.iter()) {
                let tangents = result.tangents();
                for l in 0..L {
                    slopes[l] += weight * tangents[l];
                }
            }
            for l in 0..L {
                all[l] += slopes[l];
            }
            take.term(value, own, &slopes[first..first + own.len()]);
        });
        take.end(&all[..first]);
    }

    fn rows<F: Terms>(self, f: &F, p: &[f64], piece: (usize, Range<usize>), take: &mut impl Rows) {
        let [mut values, mut rows] = [Spare::new(), Spare::new()];
        let (values, rows) = (values.clear(1), rows.clear(L));
        Self::each(f, &|_, i| p[i], piece, |shared, term| {
            let Some((own, results)) = term else { return take.begin(shared) };
            values.clear();
            rows.clear();
            for result in results {
                let result: &DualN<f64, L> = result;
                values.push(result.value());
                rows.extend_from_slice(&result.tangents()[..shared.len() + own.len()]);
            }
            take.term(own, values, rows);
        });
        take.end();
    }
}

/// Reverse mode: a few terms at a time on a tape.
#[derive(Clone, Copy)]
pub(super) struct OnTape;

/// Terms on a tape whose first inputs are the shared ones.
pub(super) struct Recorded<'a, U: Real> {
    pub tape: &'a Tape<U>,
    /// The results of all terms, and how many each has.
    pub results: &'a [Var<U>],
    pub counts: &'a [usize],
}

impl OnTape {
    /// Records all terms, at most `most` at a time; shows the shared inputs, and then of some terms their own inputs, where
    /// the lists of them end, and what is recorded.
    pub(super) fn each<U: Real<Base = f64>, F: Terms>(
        f: &F,
        x: &impl Fn(usize, usize) -> U,
        (group, terms): (usize, Range<usize>),
        most: usize,
        mut show: impl FnMut(&[usize], Option<(&[usize], &[usize], Recorded<'_, U>)>),
    ) {
        let [mut shared, mut own, mut ends, mut counts] = [const { Spare::new() }; 4];
        let [mut point, mut local, mut results, mut all] = [const { Spare::new() }; 4];
        let shared = shared.clear(1);
        f.shared_inputs(group, shared);
        show(shared, None);
        let first = shared.len();
        let (own, ends, counts) = (own.clear(1), ends.clear(1), counts.clear(1));
        let (point, local) = (point.clear(first), local.clear(1));
        let (results, all) = (results.clear(1), all.clear(1));
        let (mut start, mut some) = (terms.start, 1);
        while start < terms.end {
            let now = start..terms.end.min(start.saturating_add(some.min(most)));
            own.clear();
            ends.clear();
            counts.clear();
            point.clear();
            all.clear();
            for term in now.clone() {
                f.inputs(group, term, own);
                ends.push(own.len());
            }
            let tape = Tape::with_inputs(first + own.len());
            point.extend(shared.iter().enumerate().map(|(l, &i)| tape.input(x(l, i), l)));
            let function = f.group(group, point);
            let before = tape.size();
            let mut from = 0;
            for (term, &to) in now.clone().zip(ends.iter()) {
                local.clear();
                let places = own[from..to].iter().enumerate();
                local.extend(places.map(|(l, &i)| tape.input(x(first + l, i), first + from + l)));
                blank(results, f.results(group, term));
                function(term, local, results);
                counts.push(results.len());
                all.extend_from_slice(results);
                from = to;
            }
            // As many as fit in a part; more where much is shared, which is recorded each time.
            let (inputs, used) = (first + own.len(), tape.size() - before);
            let limit = PART.max(8 * first + 64 * (before - inputs));
            some = (now.len() * limit / (used + own.len()).max(1)).clamp(1, 8 * now.len());
            show(shared, Some((own, ends, Recorded { tape: &tape, results: all, counts })));
            start = now.end;
        }
    }
}

impl Engine for OnTape {
    fn slopes<U: Real<Base = f64>, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective<U>,
        x: &impl Fn(usize, usize) -> U,
        piece: (usize, Range<usize>),
        take: &mut impl Slopes<U>,
    ) {
        let [mut values, mut weights, mut all] = [const { Spare::new() }; 3];
        let [mut worth, mut slopes] = [const { Spare::new() }; 2];
        let (values, weights, all) = (values.clear(1), weights.clear(1), all.clear(1));
        let (worth, slopes) = (worth.clear(1), slopes.clear(1));
        Self::each(f, x, piece, usize::MAX, |shared, terms| {
            let first = shared.len();
            let Some((own, ends, Recorded { tape, results, counts })) = terms else {
                all.resize(first, U::lit(0.0));
                return take.begin(shared);
            };
            weights.clear();
            worth.clear();
            let mut of_term = results;
            for &count in counts {
                let (now, rest) = of_term.split_at(count);
                values.clear();
                values.extend(now.iter().map(|r| r.value()));
                worth.push(objective.of(values, weights));
                of_term = rest;
            }
            let seeds = results.iter().zip(weights.iter()).map(|(&r, &w)| (r, [w]));
            tape.pull(seeds, |cotangents| {
                slopes.clear();
                slopes.extend(cotangents[..first + own.len()].iter().map(|[c]| *c));
            });
            all.iter_mut().zip(slopes.iter()).for_each(|(all, &slope)| *all += slope);
            let mut from = 0;
            for (&to, &value) in ends.iter().zip(worth.iter()) {
                take.term(value, &own[from..to], &slopes[first + from..first + to]);
                from = to;
            }
        });
        take.end(all);
    }

    fn rows<F: Terms>(self, f: &F, p: &[f64], piece: (usize, Range<usize>), take: &mut impl Rows) {
        let [mut values, mut rows] = [const { Spare::new() }; 2];
        let (values, rows) = (values.clear(1), rows.clear(1));
        // One term at a time: what the rows of terms share is not told apart.
        Self::each(f, &|_, i| p[i], piece, 1, |shared, terms| {
            let Some((own, _, Recorded { tape, results, .. })) = terms else { return take.begin(shared) };
            values.clear();
            values.extend(results.iter().map(|r| r.value()));
            rows.clear();
            let width = shared.len() + own.len();
            for some in results.chunks(8) {
                match some.len() {
                    1 => sweep::<1>(tape, some, width, rows),
                    2 => sweep::<2>(tape, some, width, rows),
                    3 | 4 => sweep::<4>(tape, some, width, rows),
                    _ => sweep::<8>(tape, some, width, rows),
                }
            }
            take.term(own, values, rows);
        });
        take.end();
    }
}

/// Appends the derivatives of up to `K` results by the first inputs, row by row.
fn sweep<const K: usize>(tape: &Tape<f64>, results: &[Var<f64>], width: usize, rows: &mut Vec<f64>) {
    let unit = |k: usize| std::array::from_fn(|lane| if lane == k { 1.0 } else { 0.0 });
    let seeds = results.iter().enumerate().map(|(k, &r)| (r, unit(k)));
    tape.pull(seeds, |cotangents: &[[f64; K]]| {
        for k in 0..results.len() {
            rows.extend(cotangents[..width].iter().map(|c| c[k]));
        }
    });
}

//! Terms of many inputs on short tapes.

use std::ops::Range;

use super::engine::{Engine, Objective, Slopes, blank};
use super::read::{Read, Rows};
use super::terms::Terms;
use super::wide::{LANES, Single, Values};
use crate::number::{Real, watch};
use crate::pool::Spare;
use crate::tapes::{PART, Tape, Var};

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
    fn slopes<U: Single, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective,
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
            jacobian(tape, results, shared.len() + own.len(), rows);
            take.term(own, values, rows);
        });
        take.end();
    }

    fn rows_in_lanes<F: Terms>(
        self,
        f: &F,
        p: &[f64],
        (group, terms): (usize, Range<usize>),
        read: &mut Read,
        take: &mut impl Rows,
    ) -> Option<(usize, bool)> {
        let [mut point, mut local, mut numbers, mut results] = [const { Spare::new() }; 4];
        let (mut shared, mut rows) = (Spare::new(), Spare::new());
        let (shared, rows) = (shared.clear(1), rows.clear(1));
        f.shared_inputs(group, shared);
        let (first, numbers, results) = (shared.len(), numbers.clear(1), results.clear(1));
        for done in (0..terms.len()).step_by(LANES) {
            let start = terms.start + done;
            if !read.block(f, group, start..terms.end.min(start + LANES)) {
                return Some((done, true));
            }
            let width = first + read.width;
            let tape = Tape::<Values>::with_inputs(width);
            let (point, local) = (point.clear(first), local.clear(1));
            point.extend(shared.iter().enumerate().map(|(l, &i)| tape.input(Values::from(p[i]), l)));
            let own = |i: usize| tape.input(f64::wide(|lane| p[read.own(lane)[i]]), first + i);
            local.extend((0..read.width).map(own));
            read.write_data(numbers, || Var::constant(Values::from(0.0)), Var::set_value);
            blank(results, read.results);
            let (alike, different) = watch(|| {
                let function = f.alike(group, point)?;
                function(local, numbers, results);
                jacobian(&tape, results, width, rows);
                Some(())
            });
            alike?;
            if different {
                return Some((done, true));
            }
            read.hand_over(width, take, |k| results[k].value(), |k, column| rows[k * width + column]);
        }
        Some((terms.len(), false))
    }
}

/// The derivatives of the results by the first inputs, row by row.
fn jacobian<N: Real>(tape: &Tape<N>, results: &[Var<N>], width: usize, rows: &mut Vec<N>) {
    rows.clear();
    for some in results.chunks(8) {
        match some.len() {
            1 => sweep::<1, N>(tape, some, width, rows),
            2 => sweep::<2, N>(tape, some, width, rows),
            3 | 4 => sweep::<4, N>(tape, some, width, rows),
            _ => sweep::<8, N>(tape, some, width, rows),
        }
    }
}

/// Appends the derivatives of up to `K` results by the first inputs, row by row.
fn sweep<const K: usize, N: Real>(tape: &Tape<N>, results: &[Var<N>], width: usize, rows: &mut Vec<N>) {
    let unit = |k: usize| std::array::from_fn(|lane| N::lit(if lane == k { 1.0 } else { 0.0 }));
    let seeds = results.iter().enumerate().map(|(k, &r)| (r, unit(k)));
    tape.pull(seeds, |cotangents: &[[N; K]]| {
        for k in 0..results.len() {
            rows.extend(cotangents[..width].iter().map(|c| c[k]));
        }
    });
}

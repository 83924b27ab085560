//! Terms of few inputs in forward mode.

use std::ops::Range;

use super::engine::{Engine, Objective, Slopes, blank};
use super::read::Rows;
use super::terms::Terms;
use super::wide::Single;
use crate::duals::DualN;
use crate::number::Real;
use crate::pool::Spare;

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
    fn slopes<U: Single, F: Terms>(
        self,
        f: &F,
        objective: &impl Objective,
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
                let tangents = result.tangents_ref();
                match shared.len() + own.len() {
                    all if all == L => rows.extend_from_slice(tangents), // of known length
                    some => rows.extend_from_slice(&tangents[..some]),
                }
            }
            take.term(own, values, rows);
        });
        take.end();
    }
}

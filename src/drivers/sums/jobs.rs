//! How the work on a sum is cut: pieces of fixed size, whose results are added in their order.
//!
//! So results do not depend on the number of threads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::linear::Check;
use super::terms::Terms;
use crate::error::AdError;

/// Terms of a job.
const TERMS: usize = 256;
/// More inputs are not searched for one that stands there twice.
const LONG: usize = 64;

/// Consecutive terms, which may lie in several groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// Where the first one stands.
    group: usize,
    term: usize,
    count: usize,
}

impl Job {
    /// The terms group by group.
    pub fn pieces<F: Terms>(self, f: &F) -> impl Iterator<Item = (usize, Range<usize>)> {
        let Job { mut group, mut term, mut count } = self;
        std::iter::from_fn(move || {
            while count > 0 {
                let range = term..f.count(group).min(term.saturating_add(count));
                count -= range.len();
                (group, term) = (group + 1, 0);
                if !range.is_empty() {
                    return Some((group - 1, range));
                }
            }
            None
        })
    }
}

/// What is known of a sum before it is evaluated.
#[derive(Debug)]
pub(super) struct Plan {
    pub op: &'static str,
    pub parameters: usize,
    pub jobs: Vec<Job>,
    /// The most inputs of a term, shared ones included.
    pub width: usize,
    /// Whether no term reads a parameter twice; of long terms it is not known.
    pub distinct: bool,
    /// The number of results of all terms.
    #[cfg_attr(not(feature = "sparse"), allow(dead_code))]
    pub results: usize,
    /// Whether terms have been looked at: do they keep to their own inputs?
    pub alone: AtomicBool,
}

impl Plan {
    /// Looks at the inputs of all terms.
    pub fn new<F: Terms>(op: &'static str, f: &F, parameters: usize) -> Result<Self, AdError> {
        let (jobs, alone) = (Vec::new(), AtomicBool::new(false));
        let mut plan = Plan { op, parameters, jobs, width: 0, distinct: true, results: 0, alone };
        let too_many = |what| AdError::TooMany { op, what, most: usize::MAX };
        let (mut shared, mut own, mut all) = (Vec::new(), Vec::new(), 0_usize);
        let check = |inputs: &[usize]| match inputs.iter().max() {
            Some(&last) if last >= parameters => Err(AdError::TooFew {
                op,
                what: "parameters",
                least: last.saturating_add(1),
                got: parameters,
            }),
            _ => Ok(inputs.len()),
        };
        // Overflow is found before the terms are walked through.
        for group in 0..f.groups() {
            all = all.checked_add(f.count(group)).ok_or_else(|| too_many("terms"))?;
        }
        for group in 0..f.groups() {
            let mut rows = Check { op, parameters, outcome: Ok(()) };
            f.with_forms(group, &mut rows);
            rows.outcome?;
            shared.clear();
            f.shared_inputs(group, &mut shared);
            let width = check(&shared)?;
            let repeats = |list: &[usize]| (0..list.len()).any(|l| list[..l].contains(&list[l]));
            plan.distinct &= width <= LONG && !repeats(&shared);
            for term in 0..f.count(group) {
                own.clear();
                f.inputs(group, term, &mut own);
                plan.width = plan.width.max(width + check(&own)?);
                let overlaps = || own.iter().any(|i| shared.contains(i));
                plan.distinct &= own.len() <= LONG && !repeats(&own) && !overlaps();
                let results = f.results(group, term);
                plan.results = plan.results.checked_add(results).ok_or_else(|| too_many("results"))?;
                match plan.jobs.last_mut().filter(|job| job.count < TERMS) {
                    Some(job) => job.count += 1,
                    None => plan.jobs.push(Job { group, term, count: 1 }),
                }
            }
        }
        Ok(plan)
    }
}

/// What a job hands over.
#[derive(Clone, Debug, Default)]
pub(super) struct Out {
    /// For each piece the number of its terms.
    pub pieces: Vec<usize>,
    /// For each piece its shared inputs, then the inputs of each of its terms.
    pub inputs: Vec<usize>,
    /// Where each list in `inputs` ends.
    pub ends: Vec<usize>,
    /// The value of each term, or its results.
    pub values: Vec<f64>,
    /// A derivative for each of `inputs`.
    pub slopes: Vec<f64>,
    /// Further derivatives, as the operator has them.
    pub more: Vec<f64>,
}

impl Out {
    pub fn clear(&mut self) {
        let Out { pieces, inputs, ends, values, slopes, more } = self;
        [pieces, inputs, ends].into_iter().for_each(Vec::clear);
        [values, slopes, more].into_iter().for_each(Vec::clear);
    }
    /// Ends a list of inputs.
    pub fn close(&mut self) {
        self.ends.push(self.inputs.len());
    }
    /// Adds the slopes to those of all parameters.
    pub fn add_slopes(&self, to: &mut [f64]) {
        scatter(&self.inputs, &self.slopes, |i, slope| to[*i] += slope);
    }
    /// The lists of inputs, piece by piece: the shared one, and those of the terms.
    pub fn lists(&self) -> impl Iterator<Item = (&[usize], impl Iterator<Item = &[usize]>)> {
        let (mut list, mut start) = (0, 0);
        self.pieces.iter().map(move |&terms| {
            let ends = &self.ends[list..list + terms + 1];
            let shared = &self.inputs[start..ends[0]];
            (list, start) = (list + terms + 1, ends[terms]);
            (shared, ends.windows(2).map(|w| &self.inputs[w[0]..w[1]]))
        })
    }
    /// The places of the symmetric matrix that `more` holds, row and column in its order: of each piece the lower
    /// triangle of the shared inputs, then for each term the rows of its own inputs.
    pub fn places(&self, mut f: impl FnMut(usize, usize)) {
        for (shared, terms) in self.lists() {
            (0..shared.len()).for_each(|a| shared[..=a].iter().for_each(|&b| f(shared[a], b)));
            for own in terms {
                for a in 0..own.len() {
                    shared.iter().chain(&own[..=a]).for_each(|&b| f(own[a], b));
                }
            }
        }
    }
}

/// Hands each number to its place, in their order. (Four at a time, which the compiler does not by itself.)
#[inline(always)]
pub(super) fn scatter<I>(places: &[I], numbers: &[f64], mut put: impl FnMut(&I, f64)) {
    let (places, numbers) = (places.as_chunks::<4>(), numbers.as_chunks::<4>());
    for (places, numbers) in places.0.iter().zip(numbers.0) {
        (0..4).for_each(|l| put(&places[l], numbers[l]));
    }
    places.1.iter().zip(numbers.1).for_each(|(place, &number)| put(place, number));
}

/// Works on all jobs, and takes their results in order.
pub(super) fn run(
    jobs: &[Job],
    outs: &mut Vec<Out>,
    work: impl Fn(Job, &mut Out) + Sync,
    mut take: impl FnMut(&Out) + Send,
) {
    #[cfg(feature = "rayon")]
    if jobs.len() > 1 && rayon::current_num_threads() > 1 {
        return in_threads(jobs, outs, work, take);
    }
    if outs.is_empty() {
        outs.push(Out::default());
    }
    for &job in jobs {
        outs[0].clear();
        work(job, &mut outs[0]);
        take(&outs[0]);
    }
}

/// While some jobs are worked on, the results of those before are taken.
#[cfg(feature = "rayon")]
fn in_threads(
    jobs: &[Job],
    outs: &mut Vec<Out>,
    work: impl Fn(Job, &mut Out) + Sync,
    mut take: impl FnMut(&Out) + Send,
) {
    use rayon::iter::ParallelIterator;
    use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator};

    let window = jobs.len().min(8 * rayon::current_num_threads());
    outs.resize_with(outs.len().max(2 * window), Out::default);
    let (mut next, rest) = outs.split_at_mut(window);
    let mut ready = &mut rest[..window];
    let mut full = 0;
    for jobs in jobs.chunks(window) {
        let done = &ready[..full];
        let (to, take) = (&mut next[..jobs.len()], &mut take);
        let compute = || {
            to.par_iter_mut().zip(jobs.par_iter()).for_each(|(out, &job)| {
                out.clear();
                work(job, out);
            });
        };
        rayon::join(compute, move || done.iter().for_each(take));
        full = jobs.len();
        std::mem::swap(&mut next, &mut ready);
    }
    ready[..full].iter().for_each(take);
}

#[cfg(test)]
mod tests {
    use super::super::kept::First;
    use super::super::{blocks::InBlocks, engine::Engine, loss::Half, reverse::OnTape};
    use super::*;
    use crate::number::Real;
    use crate::sums::{Alike, InLanes, Squared};

    /// `p₀·(i − 2³³)` of so many terms that no test could take them all.
    struct Many;

    const FAR: usize = 1 << 33;

    impl Alike for Many {
        fn count(&self, _: usize) -> usize {
            FAR + 300
        }
        fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
            out.push(0);
        }
        fn data(&self, _: usize, term: usize, out: &mut Vec<f64>) {
            out.push((term - FAR) as f64);
        }
        fn group<T: Real<Base = f64>>(&self, _: usize, p: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
            |_, d, out| out[0] = p[0] * d[0]
        }
    }

    #[test]
    fn terms_are_counted_beyond_32_bits() {
        // The last job of the sum, as a plan has it; its terms go on to the end of the group.
        let (f, job) = (InLanes(&Many), Job { group: 0, term: FAR, count: 1000 });
        let pieces: Vec<_> = job.pieces(&f).take(1).collect();
        assert_eq!(pieces, [(0, FAR..FAR + 300)]);
        let squares: f64 = (0..300).map(|k| f64::from(k * k)).sum();
        for in_lanes in [false, true] {
            let mut out = Out::default();
            let (mut first, p, half) = (First(&mut out, 0), [2.0], Half(&Squared));
            let piece = pieces[0].clone();
            if in_lanes {
                InBlocks(OnTape).slopes(&f, &half, &|_, i: usize| p[i], piece, &mut first);
            } else {
                OnTape.slopes(&f, &half, &|_, i: usize| p[i], piece, &mut first);
            }
            // Half the squares, and their derivative.
            assert_eq!(out.values.iter().sum::<f64>(), 2.0 * squares);
            let mut g = [0.0];
            out.add_slopes(&mut g);
            assert_eq!(g, [2.0 * squares]);
        }
    }
}

//! How the work on a sum is cut: pieces of fixed size, whose results are added in their order.
//!
//! So results do not depend on the number of threads.

use std::borrow::Cow;
use std::ops::Range;

use super::terms::Terms;
use crate::drivers::sinks::{Buffer, Onto};
use crate::error::AdError;
use crate::space::{Components, SelfTangent, Split, components};

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
#[derive(Clone, Debug)]
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
}

impl Plan {
    /// Looks at the inputs of all terms.
    pub fn new<F: Terms>(op: &'static str, f: &F, parameters: usize) -> Result<Self, AdError> {
        let mut plan = Plan { op, parameters, jobs: Vec::new(), width: 0, distinct: true, results: 0 };
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
    /// What vectors of the parameters are to be like.
    pub fn vectors(&self) -> Vectors {
        Vectors { op: self.op, len: self.parameters }
    }
}

/// A point, a tangent or a gradient of the parameters: numbers in slices, arrays, `Vec`, tuples, matrices of nalgebra, and
/// structs declared with [`differentiable!`](crate::differentiable), in their order. (A rotation is none: its tangents
/// have fewer numbers.)
pub trait Parameters: Components<f64> + SelfTangent {}

impl<X: Components<f64> + SelfTangent + ?Sized> Parameters for X {}

/// Vectors of the parameters of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors {
    op: &'static str,
    len: usize,
}

impl Vectors {
    /// The numbers of a vector, if they are as many as the parameters.
    pub fn read<'x, X: Parameters + ?Sized>(
        self,
        what: &'static str,
        x: &'x X,
    ) -> Result<Cow<'x, [f64]>, AdError> {
        AdError::check_len(self.op, what, self.len, x.count())?;
        Ok(components(x))
    }
    /// Writes the numbers of a vector.
    pub fn write<X: Parameters + ?Sized, R>(
        self,
        what: &'static str,
        x: &mut X,
        write: impl FnOnce(&mut [f64]) -> Result<R, AdError>,
    ) -> Result<R, AdError> {
        let mut buffer = Onto::<f64, X, Split>::new(what, x);
        buffer.fit(self.op, self.len, 1)?;
        let result = write(buffer.slots())?;
        Buffer::<f64>::finish(&mut buffer);
        Ok(result)
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
        self.inputs.iter().zip(&self.slopes).for_each(|(&i, slope)| to[i] += slope);
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

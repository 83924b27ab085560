//! A sum over the rows of one table: the branch of each row, and the evaluation of all.

use std::collections::HashMap;

use super::branch::Branch;
use super::class::{ALONE, SumClass};
use super::eager::check_residuals;
use super::layout::{Owner, SumLayout};
use super::out::{JobOutput, Sums};
use super::report::PartReport;
use super::request::{Derivative, Request, Target};
use super::run::{Hoisted, RowMemory, run_rows};
use super::term::Term;
use crate::error::AdError;

/// The numbers that the rows of one run and branch share: where each kind begins, in this order.
#[derive(Clone, Copy)]
pub(super) struct SharedValues {
    pub(super) run: u32,
    pub(super) branch: u32,
    values: usize,
    tangents: usize,
    pub(super) slopes: usize,
    pub(super) totals: usize,
    pub(super) end: usize,
    is_taken: bool,
}

/// A sum over the rows of a table.
pub(super) struct SumPart<'a> {
    pub(super) layout: SumLayout,
    pub(super) term: Term<'a>,
    pub(super) branches: Vec<Branch>,
    pub(super) classes: Vec<SumClass>,
    /// How many rows without a program were found by tracing, and how many rows are taken for such rows.
    pub(super) found_alone: [usize; 2],
    pub(super) shared: Vec<SharedValues>,
    /// The index in `shared` of a run and a branch; `None` if the run does not take the branch.
    pub(super) shared_of: HashMap<(u32, u32), Option<usize>>,
    /// The indices in `shared` whose rows have run, in the order of the rows.
    taken: Vec<usize>,
    pub(super) numbers: Vec<f64>,
    outs: Vec<JobOutput>,
}

impl<'a> SumPart<'a> {
    pub(super) fn new(layout: SumLayout, term: Term<'a>) -> Self {
        let classes = layout.pieces.iter().map(|_| SumClass::default()).collect();
        SumPart {
            layout,
            term,
            classes,
            branches: Vec::new(),
            found_alone: [0; 2],
            shared: Vec::new(),
            shared_of: HashMap::new(),
            taken: Vec::new(),
            numbers: Vec::new(),
            outs: Vec::new(),
        }
    }
    /// These rows with another term.
    pub(super) fn map_term(&mut self, map: impl FnOnce(Term<'a>) -> Term<'a>) {
        self.term = map(std::mem::replace(&mut self.term, Term::none()));
        self.branches.clear();
        self.found_alone = [0; 2];
        self.classes.fill_with(SumClass::default);
    }
    pub(super) fn report(&self) -> PartReport {
        let SumPart { layout, branches, classes, .. } = self;
        let alone = classes.iter().flat_map(SumClass::parts).filter(|(branch, _)| *branch >= ALONE);
        let first = branches.first().map(|branch| branch.programs(false));
        PartReport {
            rows: layout.count,
            runs: layout.runs.len(),
            branches: branches.len(),
            alone: alone.map(|(_, rows)| rows.map_or(0, <[u16]>::len)).sum(),
            hoisted: first.map_or(0, |first| first.split.shared.operations()),
            columns: first.map_or(0, |first| first.split.derived.outputs()),
            forms: first.map_or(0, |first| first.split.forms.len()),
            operations: first.map_or(0, |first| first.split.row.operations()),
        }
    }
    /// The parameters of a row of a piece, and its data.
    pub(super) fn point(&self, p: &[f64], piece: usize, row: u16) -> Vec<f64> {
        let piece = self.layout.pieces[piece];
        let reads = self.layout.reads(piece.first_row as usize + row as usize);
        let mut point: Vec<f64> = reads.iter().map(|&i| p[i as usize]).collect();
        point.extend(self.layout.row_data(&piece, row as usize));
        point
    }
    /// The branch of a row of a piece.
    pub(super) fn traced(&self, p: &[f64], piece: usize, row: u16) -> Result<Branch, AdError> {
        let branch = Branch::of(&self.term.traced, &self.layout, &self.point(p, piece, row))?;
        if let Some(first) = self.branches.first() {
            let row = self.layout.row(self.layout.pieces[piece].first_row as usize + usize::from(row));
            let checked = check_residuals(first.results.residuals, branch.results.residuals);
            checked.map_err(|e| e.in_row(row))?;
        }
        Ok(branch)
    }
    /// Evaluates all rows; their value.
    pub(super) fn evaluate(
        &mut self,
        request: &Request<'_>,
        target: &mut impl Target,
    ) -> Result<f64, AdError> {
        let mut value = std::iter::empty::<f64>().sum::<f64>();
        if self.layout.count == 0 {
            return Ok(value);
        }
        self.first_branch(request.p)?;
        self.drop_unused();
        for branch in &mut self.branches {
            branch.demand(&self.layout, request.derivative, request.exact)?;
        }
        self.shared.clear();
        self.shared_of.clear();
        self.taken.clear();
        self.numbers.clear();
        for number in 0..self.classes.len() {
            let class = std::mem::take(&mut self.classes[number]);
            let run = self.layout.pieces[number].run;
            let done = class.parts().try_for_each(|(branch, _)| self.share(run, branch, request));
            self.classes[number] = class;
            done?;
        }
        let mut outs = std::mem::take(&mut self.outs);
        let outcome = self.run_jobs(&mut outs, request, &mut value, target);
        self.outs = outs;
        outcome?;
        // In the order of the rows, which does not depend on previous points.
        RowMemory::with(|memory| {
            self.taken.iter().try_for_each(|&k| self.finish(k, request, target, memory))
        })?;
        Ok(value)
    }
    /// Runs all jobs, several in parallel; their results are added in the order of the jobs.
    fn run_jobs(
        &mut self,
        outs: &mut Vec<JobOutput>,
        request: &Request<'_>,
        value: &mut f64,
        target: &mut impl Target,
    ) -> Result<(), AdError> {
        let jobs = self.layout.jobs.len();
        let keeps_rows = !self.layout.own.is_empty() || request.derivative == Derivative::Jacobian;
        let sums = Sums::of(self.branches[0].programs(request.exact), request.derivative).len;
        let window = jobs.min(jobs_at_once(keeps_rows, sums));
        outs.resize_with(outs.len().max(window), JobOutput::default);
        for first in (0..jobs).step_by(window) {
            let outs = &mut outs[..window.min(jobs - first)];
            at_once(outs, |k, out| self.run_job(first + k, request, out));
            for (k, out) in outs.iter_mut().enumerate() {
                loop {
                    out.error.take().map_or(Ok(()), Err)?;
                    if out.failed.is_empty() {
                        break;
                    }
                    self.classify(&out.failed, request)?;
                    self.run_job(first + k, request, out);
                }
                self.take(out, value, target);
            }
        }
        Ok(())
    }
    fn run_job(&self, job: usize, request: &Request<'_>, out: &mut JobOutput) {
        out.clear();
        RowMemory::with(|memory| {
            for number in self.layout.jobs[job].clone() {
                for (branch, rows) in self.classes[number].parts() {
                    self.run_part(number, branch, rows, request, memory, out);
                }
            }
        });
    }
    /// Runs rows of a piece that take a branch.
    pub(super) fn run_part(
        &self,
        number: usize,
        branch: u16,
        rows: Option<&[u16]>,
        request: &Request<'_>,
        memory: &mut RowMemory,
        out: &mut JobOutput,
    ) {
        let piece = self.layout.pieces[number];
        if branch >= ALONE {
            if let Err(error) = self.run_alone(number, rows.unwrap_or_default(), request, out) {
                out.error.get_or_insert(error);
            }
            return;
        }
        let Some(&Some(of_run)) = self.shared_of.get(&(piece.run, u32::from(branch))) else {
            match rows {
                None => out.failed.extend((0..piece.rows as u16).map(|row| (number as u32, row))),
                Some(rows) => out.failed.extend(rows.iter().map(|&row| (number as u32, row))),
            }
            return;
        };
        let programs = self.branches[usize::from(branch)].programs(request.exact);
        let SharedValues { values, tangents, slopes, totals, .. } = self.shared[of_run];
        let hoisted = Hoisted {
            values: &self.numbers[values..tangents],
            tangents: &self.numbers[tangents..slopes],
            slopes: &self.numbers[slopes..totals],
        };
        let at = (number as u32, &piece);
        run_rows(&self.layout, programs, request, hoisted, at, u32::from(branch), rows, memory, out);
    }
    /// Computes the values that the rows of a run and a branch share, unless the run takes another branch.
    pub(super) fn share(&mut self, run: u32, branch: u16, request: &Request<'_>) -> Result<(), AdError> {
        let key = (run, u32::from(branch));
        if branch >= ALONE || self.shared_of.contains_key(&key) {
            return Ok(());
        }
        let shared = match self.branches[usize::from(branch)].is_pinned {
            true => None,
            false => RowMemory::with(|memory| self.shared_values(run, u32::from(branch), request, memory))?,
        };
        let place = shared.map(|shared| {
            self.shared.push(shared);
            self.shared.len() - 1
        });
        self.shared_of.insert(key, place);
        Ok(())
    }
    fn shared_values(
        &mut self,
        run: u32,
        branch: u32,
        request: &Request<'_>,
        memory: &mut RowMemory,
    ) -> Result<Option<SharedValues>, AdError> {
        let programs = self.branches[branch as usize].programs(request.exact);
        let count = programs.split.shared.outputs();
        let is_hvp = request.derivative == Derivative::Hvp;
        let of_values = programs.slopes.as_ref().filter(|_| request.derivative.reads_slopes());
        let values = self.numbers.len();
        let tangents = values + count;
        let slopes = tangents + if is_hvp { count } else { 0 };
        let totals = slopes + of_values.map_or(0, |(_, slopes, _)| slopes.outputs.len());
        let end = totals + Sums::of(programs, request.derivative).len;
        let shared = SharedValues { run, branch, values, tangents, slopes, totals, end, is_taken: false };
        self.numbers.resize(totals, 0.0);
        self.numbers.resize(end, -0.0);
        let (to_values, rest) = self.numbers[values..totals].split_at_mut(count);
        let (to_tangents, to_slopes) = rest.split_at_mut(slopes - tangents);
        let RowMemory { point, scratch, calls, one, .. } = memory;
        let places = || self.layout.shared_places(run as usize);
        let tangents =
            || self.layout.shared.iter().zip(places()).map(|(&j, i)| request.direction.tangent(j, i));
        point.clear();
        point.extend(places().map(|i| request.p[i as usize]));
        match &programs.picked {
            Some(picked) => {
                to_values.iter_mut().zip(picked).for_each(|(to, &i)| *to = point[i as usize]);
                if is_hvp {
                    scratch.clear();
                    scratch.extend(tangents());
                    to_tangents.iter_mut().zip(picked).for_each(|(to, &i)| *to = scratch[i as usize]);
                }
            }
            None => {
                if programs.shared.run_one(one, calls, point, to_values).is_err() {
                    self.numbers.truncate(values);
                    return Ok(None);
                }
                if is_hvp {
                    let jvp = programs.shared_jvp.as_ref().expect("it has been demanded");
                    point.extend(tangents());
                    scratch.resize(2 * count, 0.0);
                    jvp.run_one(one, calls, point, scratch)?;
                    to_tangents.copy_from_slice(&scratch[count..2 * count]);
                }
            }
        }
        if let Some((_, slopes, _)) = of_values {
            slopes.run_one(one, calls, point, to_slopes)?;
        }
        Ok(Some(shared))
    }
    /// Adds the results of a job.
    fn take(&mut self, out: &JobOutput, value: &mut f64, target: &mut impl Target) {
        for &(piece, branch, start) in &out.heads {
            let run = self.layout.pieces[piece as usize].run;
            let place = self.shared_of[&(run, branch)].expect("the rows have run");
            if !std::mem::replace(&mut self.shared[place].is_taken, true) {
                self.taken.push(place);
            }
            let shared = self.shared[place];
            *value += out.sums[start];
            let totals = self.numbers[shared.totals..shared.end].iter_mut();
            totals.zip(&out.sums[start..]).for_each(|(total, sum)| *total += sum);
        }
        for (places, line) in out.places.iter().zip(&out.own) {
            places.iter().zip(line).for_each(|(&place, &x)| target.gradient(place, x));
        }
        for (places, line) in out.places.iter().zip(&out.own_tangents) {
            places.iter().zip(line).for_each(|(&place, &x)| target.tangent(place, x));
        }
        *value += out.value;
        for &(place, [x, tangent]) in &out.loose {
            target.gradient(place, x);
            target.tangent(place, tangent);
        }
        let of_rows = (&out.rows, &out.entries, Owner::Row as fn(usize) -> Owner);
        for (numbers, entries, owner) in [of_rows, (&out.runs, &out.of_runs, Owner::Run)] {
            let len = entries.len() / numbers.len().max(1);
            let of_each = numbers.iter().zip(entries.chunks_exact(len.max(1)));
            of_each.for_each(|(&i, entries)| target.entries(&self.layout, owner(i as usize), entries));
        }
    }
}

/// The number of jobs that run before their results are added. Threads wait for each other afterwards, so it is large
/// where jobs take little memory: for numbers of each row, or for this number of sums.
fn jobs_at_once(keeps_rows: bool, sums: usize) -> usize {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 {
        let of_thread = if keeps_rows { 8 } else { 64 };
        return rayon::current_num_threads() * of_thread.min(MOST_SUMS / sums.max(1)).max(1);
    }
    let _ = (keeps_rows, sums);
    1
}

/// The largest number of sums that the jobs of a thread keep, if they are several.
#[cfg(feature = "rayon")]
const MOST_SUMS: usize = 1 << 20;

/// Calls `work` for each element, on several threads if there are any.
fn at_once<T: Send>(all: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    #[cfg(feature = "rayon")]
    if all.len() > 1 {
        use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
        return all.par_iter_mut().enumerate().for_each(|(k, x)| work(k, x));
    }
    all.iter_mut().enumerate().for_each(|(k, x)| work(k, x));
}

//! A sum over the rows of one table: which branch each row takes, and the evaluation of all.

use std::collections::HashMap;

use super::branch::{Branch, TracedTerm};
use super::class::{Class, UNKNOWN};
use super::layout::Layout;
use super::out::{Out, Sums};
use super::report::PartReport;
use super::request::{Derivative, Request};
use super::run::{Hoisted, Memory, run_rows};
use super::target::Target;
use crate::error::AdError;
use crate::programs::rows::TermResults;

/// Offsets of the values that the rows of one run and branch share.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    pub(super) run: u32,
    pub(super) branch: u32,
    pub(super) values: usize,
    pub(super) slopes: usize,
    pub(super) totals: usize,
}

/// A sum over the rows of a table.
pub(super) struct Part<'a> {
    pub(super) layout: Layout,
    pub(super) term: Box<TracedTerm<'a>>,
    pub(super) branches: Vec<Branch>,
    pub(super) classes: Vec<Class>,
    pub(super) memory: Memory,
    out: Out,
    point: Vec<f64>,
    pub(super) shared: Vec<Shared>,
    pub(super) shared_of: HashMap<(u32, u32), usize>,
    values: Vec<f64>,
    tangents: Vec<f64>,
    pub(super) slopes: Vec<f64>,
    pub(super) totals: Vec<f64>,
    pub(super) scratch: Vec<f64>,
}

impl<'a> Part<'a> {
    pub(super) fn new(layout: Layout, term: Box<TracedTerm<'a>>) -> Self {
        let classes = layout.pieces.iter().map(|_| Class::All(0)).collect();
        Part {
            layout,
            term,
            classes,
            branches: Vec::new(),
            memory: Memory::default(),
            out: Out::default(),
            point: Vec::new(),
            shared: Vec::new(),
            shared_of: HashMap::new(),
            values: Vec::new(),
            tangents: Vec::new(),
            slopes: Vec::new(),
            totals: Vec::new(),
            scratch: Vec::new(),
        }
    }
    /// The same rows with another term.
    pub(super) fn map_term(&mut self, map: impl FnOnce(Box<TracedTerm<'a>>) -> Box<TracedTerm<'a>>) {
        let none: Box<TracedTerm<'a>> = Box::new(|_, _, _| TermResults { residuals: 0, is_robust: false });
        self.term = map(std::mem::replace(&mut self.term, none));
        self.branches.clear();
        self.classes.fill_with(|| Class::All(0));
    }
    pub(super) fn report(&self) -> PartReport {
        let Part { layout, branches, classes, .. } = self;
        let traced = |class: &Class| -> usize {
            class
                .parts()
                .filter(|(branch, _)| *branch == UNKNOWN)
                .map(|(_, rows)| rows.map_or(0, <[u16]>::len))
                .sum()
        };
        let first = branches.first().map(|branch| branch.programs(false));
        PartReport {
            rows: layout.count,
            runs: layout.runs.len(),
            branches: branches.len(),
            traced: classes.iter().map(traced).sum(),
            hoisted: first.map_or(0, |first| first.split.shared.operations()),
            columns: first.map_or(0, |first| first.split.derived.outputs()),
            forms: first.map_or(0, |first| first.split.forms.len()),
            operations: first.map_or(0, |first| first.split.row.operations()),
        }
    }
    /// How many numbers a row's derivatives are taken by, once it is known; the term is traced for this.
    pub(super) fn active(&mut self, p: &[f64]) -> Result<usize, AdError> {
        if self.layout.count == 0 {
            return Ok(0);
        }
        self.first_branch(p)?;
        Ok(self.branches[0].programs(false).split.active())
    }
    /// The residuals of a row, once they are known; the term is traced for this.
    #[cfg(feature = "sparse")]
    pub(super) fn residuals(&mut self, p: &[f64]) -> Result<usize, AdError> {
        if self.layout.count == 0 {
            return Ok(0);
        }
        self.first_branch(p)?;
        Ok(self.branches[0].results().residuals)
    }
    fn first_branch(&mut self, p: &[f64]) -> Result<(), AdError> {
        if self.branches.is_empty() {
            let branch = self.traced(p, 0, 0)?;
            self.branches.push(branch);
        }
        Ok(())
    }
    /// The branch of a row of a piece.
    pub(super) fn traced(&mut self, p: &[f64], piece: usize, row: u16) -> Result<Branch, AdError> {
        let piece = self.layout.pieces[piece];
        self.point.clear();
        let reads = self.layout.reads(piece.first_row as usize + row as usize);
        self.point.extend(reads.iter().map(|&i| p[i as usize]));
        self.layout.read_row(&piece, row as usize, &mut self.point);
        let branch = Branch::of(&*self.term, &self.layout, &self.point)?;
        if let Some(first) = self.branches.first() {
            let (m, got) = (first.results().residuals, branch.results().residuals);
            AdError::check_len("sum", "residuals of a row", m, got)?;
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
        for branch in &mut self.branches {
            branch.demand(&self.layout, request.derivative, request.exact)?;
        }
        self.shared.clear();
        self.shared_of.clear();
        [&mut self.values, &mut self.tangents, &mut self.slopes, &mut self.totals]
            .into_iter()
            .for_each(Vec::clear);
        let (mut out, mut kept) = (std::mem::take(&mut self.out), self.branches.len());
        for job in 0..self.layout.jobs.len() {
            loop {
                out.clear();
                self.run_job(job, request, &mut out)?;
                if out.failed.is_empty() {
                    break;
                }
                self.forget_unknown(kept);
                self.classify(&out.failed, request)?;
                kept = self.branches.len();
            }
            self.take(request, &out, &mut value, target);
            for k in 0..self.shared.len() {
                if self.shared[k].branch as usize >= kept {
                    self.finish(k, request, target);
                }
            }
            self.forget_unknown(kept);
        }
        self.out = out;
        (0..self.shared.len()).for_each(|k| self.finish(k, request, target));
        Ok(value)
    }
    /// Forgets the branches of rows that are traced each time.
    fn forget_unknown(&mut self, kept: usize) {
        if self.branches.len() > kept {
            self.branches.truncate(kept);
            self.shared.retain(|shared| (shared.branch as usize) < kept);
            self.shared_of = (0..).zip(&self.shared).map(|(k, s)| ((s.run, s.branch), k)).collect();
        }
    }
    fn run_job(&mut self, job: usize, request: &Request<'_>, out: &mut Out) -> Result<(), AdError> {
        for number in self.layout.jobs[job].clone() {
            let class = std::mem::replace(&mut self.classes[number], Class::All(0));
            let done = class
                .parts()
                .try_for_each(|(branch, rows)| self.run_part(number, branch, rows, request, out));
            self.classes[number] = class;
            done?;
        }
        Ok(())
    }
    pub(super) fn run_part(
        &mut self,
        number: usize,
        branch: u16,
        rows: Option<&[u16]>,
        request: &Request<'_>,
        out: &mut Out,
    ) -> Result<(), AdError> {
        if branch != UNKNOWN {
            return self.run_branch(number, u32::from(branch), rows, request, out);
        }
        for row in rows.into_iter().flatten() {
            let mut branch = self.traced(request.p, number, *row)?;
            branch.demand(&self.layout, request.derivative, request.exact)?;
            self.branches.push(branch);
            let last = self.branches.len() as u32 - 1;
            self.run_branch(number, last, Some(&[*row]), request, out)?;
        }
        Ok(())
    }
    fn run_branch(
        &mut self,
        number: usize,
        branch: u32,
        rows: Option<&[u16]>,
        request: &Request<'_>,
        out: &mut Out,
    ) -> Result<(), AdError> {
        let piece = self.layout.pieces[number];
        let Some(of_run) = self.shared_values(piece.run, branch, request)? else {
            match rows {
                None => out.failed.extend((0..piece.rows as u16).map(|row| (number as u32, row))),
                Some(rows) => out.failed.extend(rows.iter().map(|&row| (number as u32, row))),
            }
            return Ok(());
        };
        let programs = self.branches[branch as usize].programs(request.exact);
        let Shared { values, slopes, .. } = self.shared[of_run];
        let count = programs.split.shared.outputs();
        let slope_count = match request.derivative {
            Derivative::Hessian | Derivative::Jacobian => {
                programs.slopes.as_ref().map_or(0, |s| s.1.outputs().len())
            }
            _ => 0,
        };
        let tangents =
            if request.derivative == Derivative::Hvp { &self.tangents[values..values + count] } else { &[] };
        let hoisted = Hoisted {
            values: &self.values[values..values + count],
            tangents,
            slopes: &self.slopes[slopes..slopes + slope_count],
        };
        let at = (number as u32, &piece);
        run_rows(&self.layout, programs, request, hoisted, at, branch, rows, &mut self.memory, out);
        Ok(())
    }
    /// The values that the rows of a run and a branch share; none if the run takes another branch.
    fn shared_values(
        &mut self,
        run: u32,
        branch: u32,
        request: &Request<'_>,
    ) -> Result<Option<usize>, AdError> {
        if let Some(&at) = self.shared_of.get(&(run, branch)) {
            return Ok(Some(at));
        }
        let programs = self.branches[branch as usize].programs(request.exact);
        let count = programs.split.shared.outputs();
        let shared = Shared {
            run,
            branch,
            values: self.values.len(),
            slopes: self.slopes.len(),
            totals: self.totals.len(),
        };
        let places = || self.layout.shared_places(run as usize);
        let tangents =
            || self.layout.shared.iter().zip(places()).map(|(&j, i)| request.direction.tangent(j, i));
        self.point.clear();
        self.point.extend(places().map(|i| request.p[i as usize]));
        let is_hvp = request.derivative == Derivative::Hvp;
        self.values.resize(shared.values + count, 0.0);
        self.tangents.resize(if is_hvp { shared.values + count } else { 0 }, 0.0);
        let memory = &mut self.memory;
        let values = &mut self.values[shared.values..];
        match &programs.picked {
            Some(picked) => {
                values.iter_mut().zip(picked).for_each(|(to, &i)| *to = self.point[i as usize]);
                if is_hvp {
                    let all: Vec<f64> = tangents().collect();
                    let of_values = self.tangents[shared.values..].iter_mut().zip(picked);
                    of_values.for_each(|(to, &i)| *to = all[i as usize]);
                }
            }
            None => {
                if !programs.shared.run_one(&mut memory.one, &mut memory.calls, &self.point, values) {
                    self.values.truncate(shared.values);
                    self.tangents.truncate(shared.values);
                    return Ok(None);
                }
                if is_hvp {
                    let jvp = programs.shared_jvp.as_ref().expect("it has been demanded");
                    self.point.extend(tangents());
                    self.scratch.resize(2 * count, 0.0);
                    jvp.run_one(&mut memory.one, &mut memory.calls, &self.point, &mut self.scratch);
                    self.tangents[shared.values..].copy_from_slice(&self.scratch[count..]);
                }
            }
        }
        if let (Derivative::Hessian | Derivative::Jacobian, Some((_, slopes))) =
            (request.derivative, &programs.slopes)
        {
            self.slopes.resize(shared.slopes + slopes.outputs().len(), 0.0);
            let to = &mut self.slopes[shared.slopes..];
            slopes.run_one(&mut memory.one, &mut memory.calls, &self.point, to);
        }
        self.totals.resize(shared.totals + Sums::of(programs, request).len, 0.0);
        self.shared.push(shared);
        self.shared_of.insert((run, branch), self.shared.len() - 1);
        Ok(Some(self.shared.len() - 1))
    }
    /// Adds what a job gave.
    fn take(&mut self, request: &Request<'_>, out: &Out, value: &mut f64, target: &mut impl Target) {
        for &(piece, branch, start) in &out.heads {
            let run = self.layout.pieces[piece as usize].run;
            let shared = self.shared[self.shared_of[&(run, branch)]];
            let programs = self.branches[branch as usize].programs(request.exact);
            let len = Sums::of(programs, request).len;
            *value += out.sums[start];
            let totals = self.totals[shared.totals..shared.totals + len].iter_mut();
            totals.zip(&out.sums[start..]).for_each(|(total, sum)| *total += sum);
        }
        for (places, line) in out.places.iter().zip(&out.own) {
            places.iter().zip(line).for_each(|(&place, &x)| target.gradient(place, x));
        }
        for (places, line) in out.places.iter().zip(&out.own_tangents) {
            places.iter().zip(line).for_each(|(&place, &x)| target.tangent(place, x));
        }
        if !out.rows.is_empty() {
            let entries = out.entries.chunks_exact(out.entries.len() / out.rows.len());
            out.rows
                .iter()
                .zip(entries)
                .for_each(|(&row, entries)| target.of_row(&self.layout, row as usize, entries));
        }
    }
}

//! Sparse matrices of a sum.

use super::layout::SumLayout;
use super::part::SumPart;
use super::sparse::{Rectangular, Symmetric};
use super::target::Target;
use super::targets::{counted, pairs_of_row, pairs_of_run};
use crate::error::AdError;
use crate::pool::Spare;

/// The first entry of each part's runs, and of its rows.
fn starts(parts: &[SumPart<'_>]) -> Vec<[usize; 2]> {
    let mut next = 0;
    let start = |part: &SumPart<'_>| {
        let layout = &part.layout;
        let runs = next;
        let rows = runs + layout.runs.len() * of_run(layout);
        next = rows + layout.count * of_row(layout);
        [runs, rows]
    };
    parts.iter().map(start).collect()
}
fn of_run(layout: &SumLayout) -> usize {
    layout.shared.len() * (layout.shared.len() + 1) / 2
}
fn of_row(layout: &SumLayout) -> usize {
    let own = layout.own.len();
    own * layout.shared.len() + own * (own + 1) / 2
}

/// A sparse symmetric matrix of a sum.
pub(super) struct Pattern {
    pub(super) matrix: Symmetric,
    starts: Vec<[usize; 2]>,
    part: usize,
    memory: Spare<f64>,
}

impl Pattern {
    pub(super) fn new(op: &'static str, parameters: usize, parts: &[SumPart<'_>]) -> Result<Self, AdError> {
        let matrix = Symmetric::of_pairs(op, parameters, |pair| {
            for layout in parts.iter().map(|part| &part.layout) {
                let mut pair = |i: u32, j: u32| pair(i as usize, j as usize);
                (0..layout.runs.len()).for_each(|run| pairs_of_run(layout, run, &mut pair));
                (0..layout.count).for_each(|row| pairs_of_row(layout, row, &mut pair));
            }
        })?;
        Ok(Pattern { matrix, starts: starts(parts), part: 0, memory: Spare::new() })
    }
}

impl Target for &mut Pattern {
    fn start(&mut self) {
        self.matrix.zero();
    }
    fn part(&mut self, number: usize) {
        self.part = number;
    }
    fn of_run(&mut self, layout: &SumLayout, run: usize, entries: &[f64]) {
        let entries = counted(layout, Ok(run), entries, &mut self.memory);
        self.matrix.add_from(self.starts[self.part][0] + run * entries.len(), entries);
    }
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        let entries = counted(layout, Err(row), entries, &mut self.memory);
        self.matrix.add_from(self.starts[self.part][1] + row * entries.len(), entries);
    }
    fn is_finite(&self) -> bool {
        self.matrix.is_finite()
    }
}

/// The Jacobian of a sum's residuals, rows in the user's order.
pub(super) struct Rows {
    pub(super) matrix: Rectangular,
    /// The first residual and entry of each part, and the residuals of a row.
    starts: Vec<[usize; 3]>,
    part: usize,
}

impl Rows {
    pub(super) fn new(
        op: &'static str,
        parameters: usize,
        parts: &mut [SumPart<'_>],
        p: &[f64],
    ) -> Result<Self, AdError> {
        let (mut starts, mut row, mut entry) = (Vec::new(), 0, 0);
        for part in &mut *parts {
            let residuals = part.residuals(p)?;
            let layout = &part.layout;
            starts.push([row, entry, residuals]);
            row += layout.count * residuals;
            entry += layout.count * residuals * layout.places;
        }
        let distinct = parts.iter().all(|part| part.layout.is_distinct);
        let matrix = Rectangular::of_rows(op, parameters, distinct, |term| {
            for (part, start) in parts.iter().zip(&starts) {
                let layout = &part.layout;
                let mut rows: Vec<(usize, usize)> =
                    (0..layout.count).map(|row| (layout.row(row), row)).collect();
                rows.sort_unstable();
                let mut reads = Vec::new();
                for (_, row) in rows {
                    let of_row = layout.reads(row);
                    reads.clear();
                    reads.extend(layout.ascending.iter().map(|&j| of_row[j] as usize));
                    term(&reads, start[2]);
                }
            }
        })?;
        Ok(Rows { matrix, starts, part: 0 })
    }
}

impl Target for Rows {
    fn start(&mut self) {
        self.matrix.start();
    }
    fn part(&mut self, number: usize) {
        self.part = number;
    }
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        let [start, entry, m] = self.starts[self.part];
        let (residuals, rows) = entries.split_at(m);
        let row = layout.row(row);
        self.matrix.set_from(start + row * m, residuals, entry + row * rows.len(), rows);
    }
    fn is_finite(&self) -> bool {
        self.matrix.is_finite()
    }
}

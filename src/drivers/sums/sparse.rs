//! Sparse matrices of sums: their patterns, and where each number of a job goes.

use std::cell::Cell;

use nalgebra_sparse::{CscMatrix, CsrMatrix};

use super::jobs::{Job, Out, Plan, scatter};
use super::points::{Bends, Point};
use super::terms::Terms;
use super::work::{Sink, any_nan};
use crate::error::AdError;

fn too_many(op: &'static str, what: &'static str) -> AdError {
    AdError::TooMany { op, what, most: u32::MAX as usize }
}

/// The inputs of all terms of a job.
fn lists<F: Terms>(f: &F, job: Job, out: &mut Out) {
    out.clear();
    for (group, terms) in job.pieces(f) {
        out.pieces.push(terms.len());
        f.shared_inputs(group, &mut out.inputs);
        out.close();
        for term in terms {
            f.inputs(group, term, &mut out.inputs);
            out.close();
        }
    }
}

/// A symmetric matrix, whose lower triangle is summed up.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    matrix: CscMatrix<f64>,
    of_tangents: Option<[CscMatrix<f64>; 3]>,
    /// Where each number goes, in the order of the jobs.
    slots: Vec<u32>,
    /// How many entries of each column stand above the diagonal.
    above: Vec<u32>,
    /// The entries of the lower triangle that they equal, column by column.
    mirror: Vec<u32>,
    taken: usize,
}

impl Symmetric {
    /// The matrix with all pairs of parameters that a term reads, and all of the diagonal.
    pub fn new<F: Terms>(f: &F, plan: &Plan) -> Result<Self, AdError> {
        let n = plan.parameters;
        let key = |row: usize, column: usize| (column as u64) << 32 | row as u64;
        if u32::try_from(n).is_err() {
            return Err(too_many(plan.op, "parameters"));
        }
        let mut keys: Vec<u64> = (0..n).map(|i| key(i, i)).collect();
        let (mut out, mut most) = (Out::default(), 2 * n + (1 << 20));
        for &job in &plan.jobs {
            lists(f, job, &mut out);
            out.places(|i, j| {
                keys.push(key(i, j));
                keys.push(key(j, i));
            });
            if keys.len() > most {
                keys.sort_unstable();
                keys.dedup();
                most = most.max(2 * keys.len());
            }
        }
        keys.sort_unstable();
        keys.dedup();
        if u32::try_from(keys.len()).is_err() {
            return Err(too_many(plan.op, "entries"));
        }
        let rows: Vec<usize> = keys.iter().map(|key| *key as u32 as usize).collect();
        let starts = |column: usize| keys.partition_point(|key| ((key >> 32) as usize) < column);
        let offsets: Vec<usize> = (0..=n).map(starts).collect();
        let slot = |row: usize, column: usize| {
            let start = offsets[column];
            let found = rows[start..offsets[column + 1]].binary_search(&row);
            (start + found.expect("every pair has an entry")) as u32
        };
        let upper =
            keys.iter().map(|key| (*key as u32 as usize, (key >> 32) as usize)).filter(|(i, j)| i < j);
        let mut above = vec![0; n];
        let source = |(i, j): (usize, usize)| {
            above[j] += 1;
            slot(j, i)
        };
        let mirror = upper.map(source).collect();
        let mut slots = Vec::new();
        for &job in &plan.jobs {
            lists(f, job, &mut out);
            out.places(|i, j| slots.push(slot(i.max(j), i.min(j))));
        }
        let zeros = vec![0.0; rows.len()];
        let matrix = CscMatrix::try_from_csc_data(n, n, offsets, rows, zeros)
            .expect("columns are sorted and without duplicates");
        Ok(Symmetric { matrix, of_tangents: None, slots, above, mirror, taken: 0 })
    }
    /// The whole matrix, by the tangents of a point.
    pub fn finish(&mut self, point: &Point<'_>, bends: &Bends) -> &CscMatrix<f64> {
        let (offsets, _, values) = self.matrix.csc_data_mut();
        let (mut sources, values) = (&self.mirror[..], Cell::from_mut(values).as_slice_of_cells());
        for (&start, &above) in offsets.iter().zip(&self.above) {
            let (of_column, rest) = sources.split_at(above as usize);
            of_column
                .iter()
                .zip(&values[start..])
                .for_each(|(&from, to)| to.set(values[from as usize].get()));
            sources = rest;
        }
        point.both(&self.matrix, bends, &mut self.of_tangents)
    }
}

impl Sink for Symmetric {
    fn start(&mut self) {
        self.taken = 0;
        let (offsets, _, values) = self.matrix.csc_data_mut();
        for (column, &above) in offsets.windows(2).zip(&self.above) {
            values[column[0] + above as usize..column[1]].fill(0.0);
        }
    }
    /// Adds the blocks of a job.
    fn add(&mut self, out: &Out) {
        let values = self.matrix.values_mut();
        let slots = &self.slots[self.taken..self.taken + out.more.len()];
        scatter(slots, &out.more, |slot, entry| values[*slot as usize] += entry);
        self.taken += out.more.len();
    }
    fn has_nan(&self) -> bool {
        any_nan(self.matrix.values())
    }
}

/// A Jacobian, a row for each result, with the results.
#[derive(Clone, Debug)]
pub(super) struct Rectangular {
    matrix: CsrMatrix<f64>,
    of_tangents: Option<[CsrMatrix<f64>; 2]>,
    results: Vec<f64>,
    /// Where each number goes, in the order of the jobs.
    slots: Vec<u32>,
    /// Whether no term reads a parameter twice, so that every number has an entry of its own.
    distinct: bool,
    taken: usize,
}

impl Rectangular {
    /// The matrix whose rows have the inputs of their terms.
    pub fn new<F: Terms>(f: &F, plan: &Plan) -> Result<Self, AdError> {
        let (mut offsets, mut columns, mut slots) = (vec![0], Vec::new(), Vec::new());
        let (mut all, mut row) = (Vec::new(), Vec::new());
        for (group, terms) in plan.jobs.iter().flat_map(|job| job.pieces(f)) {
            for term in terms {
                all.clear();
                f.shared_inputs(group, &mut all);
                f.inputs(group, term, &mut all);
                row.clone_from(&all);
                row.sort_unstable();
                row.dedup();
                for _ in 0..f.results(group, term) {
                    let start = columns.len();
                    columns.extend_from_slice(&row);
                    if u32::try_from(columns.len()).is_err() || u32::try_from(slots.len()).is_err() {
                        return Err(too_many(plan.op, "entries"));
                    }
                    let place = |i| row.binary_search(i).expect("every input has a column");
                    slots.extend(all.iter().map(|i| (start + place(i)) as u32));
                    offsets.push(columns.len());
                }
            }
        }
        let zeros = vec![0.0; columns.len()];
        let matrix = CsrMatrix::try_from_csr_data(plan.results, plan.parameters, offsets, columns, zeros)
            .expect("rows are sorted and without duplicates");
        let results = Vec::with_capacity(plan.results);
        Ok(Rectangular { matrix, of_tangents: None, results, slots, distinct: plan.distinct, taken: 0 })
    }
    /// The results, and the whole matrix by the tangents of a point.
    pub fn finish(&mut self, point: &Point<'_>) -> (&[f64], &CsrMatrix<f64>) {
        (&self.results, point.rows(&self.matrix, &mut self.of_tangents))
    }
}

impl Sink for Rectangular {
    fn start(&mut self) {
        self.taken = 0;
        self.results.clear();
        if !self.distinct {
            self.matrix.values_mut().fill(0.0);
        }
    }
    /// Takes the rows of a job.
    fn add(&mut self, out: &Out) {
        self.results.extend_from_slice(&out.values);
        let values = self.matrix.values_mut();
        let slots = &self.slots[self.taken..self.taken + out.more.len()];
        if self.distinct {
            scatter(slots, &out.more, |slot, entry| values[*slot as usize] = entry);
        } else {
            scatter(slots, &out.more, |slot, entry| values[*slot as usize] += entry);
        }
        self.taken += out.more.len();
    }
    fn has_nan(&self) -> bool {
        any_nan(self.matrix.values())
    }
}

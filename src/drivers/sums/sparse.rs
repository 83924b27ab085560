//! Sparse matrices of sums: their patterns, and the entry for each number of a job.

use std::cell::Cell;

use nalgebra_sparse::{CscMatrix, CsrMatrix};

use super::points::{Bends, Point};
use super::targets::all_finite;
use crate::error::AdError;

fn too_many(op: &'static str, what: &'static str) -> AdError {
    AdError::TooMany { op, what, most: u32::MAX as usize }
}

/// Writes numbers to the entries `places`, four at a time.
#[cfg_attr(not(debug_assertions), inline(always))]
fn scatter(places: &[u32], numbers: &[f64], mut put: impl FnMut(u32, f64)) {
    let (places, numbers) = (places.as_chunks::<4>(), numbers.as_chunks::<4>());
    for (places, numbers) in places.0.iter().zip(numbers.0) {
        (0..4).for_each(|l| put(places[l], numbers[l]));
    }
    places.1.iter().zip(numbers.1).for_each(|(place, &number)| put(*place, number));
}

/// A symmetric matrix, whose lower triangle is summed up.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    matrix: CscMatrix<f64>,
    of_tangents: Option<[CscMatrix<f64>; 3]>,
    /// The entry of each number, in the order of the jobs.
    slots: Vec<u32>,
    /// The number of entries of each column above the diagonal.
    above: Vec<u32>,
    /// The entries of the lower triangle that they equal, column by column.
    mirror: Vec<u32>,
}

impl Symmetric {
    /// The matrix with these pairs of parameters, and all of the diagonal. They are listed twice.
    pub fn of_pairs(
        op: &'static str,
        n: usize,
        mut pairs: impl FnMut(&mut dyn FnMut(usize, usize)),
    ) -> Result<Self, AdError> {
        let key = |row: usize, column: usize| (column as u64) << 32 | row as u64;
        if u32::try_from(n).is_err() {
            return Err(too_many(op, "parameters"));
        }
        let mut keys: Vec<u64> = (0..n).map(|i| key(i, i)).collect();
        let mut most = 2 * n + (1 << 20);
        pairs(&mut |i, j| {
            keys.extend([key(i, j), key(j, i)]);
            if keys.len() > most {
                keys.sort_unstable();
                keys.dedup();
                most = most.max(2 * keys.len());
            }
        });
        keys.sort_unstable();
        keys.dedup();
        if u32::try_from(keys.len()).is_err() {
            return Err(too_many(op, "entries"));
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
        pairs(&mut |i, j| slots.push(slot(i.max(j), i.min(j))));
        let zeros = vec![0.0; rows.len()];
        let matrix = CscMatrix::try_from_csc_data(n, n, offsets, rows, zeros)
            .expect("columns are sorted and without duplicates");
        Ok(Symmetric { matrix, of_tangents: None, slots, above, mirror })
    }
    /// Makes all entries zero.
    pub fn zero(&mut self) {
        self.matrix.values_mut().fill(0.0);
    }
    /// Whether all entries are finite.
    pub fn is_finite(&self) -> bool {
        all_finite(self.matrix.values())
    }
    /// Adds to the entries from pair `first` on.
    pub fn add_from(&mut self, first: usize, entries: &[f64]) {
        let (slots, values) = (&self.slots[first..first + entries.len()], self.matrix.values_mut());
        scatter(slots, entries, |slot, entry| values[slot as usize] += entry);
    }
    /// The whole matrix, with respect to the tangents of a point.
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

/// A Jacobian, a row for each result, with the results.
#[derive(Clone, Debug)]
pub(super) struct Rectangular {
    matrix: CsrMatrix<f64>,
    of_tangents: Option<[CsrMatrix<f64>; 2]>,
    results: Vec<f64>,
    /// The entry of each number, in the order of the jobs; empty if they are in the order of the entries.
    slots: Vec<u32>,
    /// Whether no term reads a parameter twice, so that each number has its own entry.
    distinct: bool,
}

impl Rectangular {
    /// The matrix of terms that read these parameters, with `results` results each.
    pub fn of_rows(
        op: &'static str,
        parameters: usize,
        distinct: bool,
        terms: impl FnOnce(&mut dyn FnMut(&[usize], usize)),
    ) -> Result<Self, AdError> {
        let (mut offsets, mut columns, mut slots) = (vec![0], Vec::new(), Vec::new());
        let (mut row, mut fits) = (Vec::new(), true);
        terms(&mut |all, results| {
            row.clear();
            row.extend_from_slice(all);
            row.sort_unstable();
            row.dedup();
            for _ in 0..results {
                let start = columns.len();
                fits &= u32::try_from(start + row.len()).is_ok()
                    && u32::try_from(slots.len() + all.len()).is_ok();
                if !fits {
                    return;
                }
                columns.extend_from_slice(&row);
                let place = |i| row.binary_search(i).expect("every input has a column");
                slots.extend(all.iter().map(|i| (start + place(i)) as u32));
                offsets.push(columns.len());
            }
        });
        if !fits {
            return Err(too_many(op, "entries"));
        }
        if slots.iter().enumerate().all(|(k, &slot)| k == slot as usize) {
            slots = Vec::new();
        }
        let (zeros, count) = (vec![0.0; columns.len()], offsets.len() - 1);
        let matrix = CsrMatrix::try_from_csr_data(count, parameters, offsets, columns, zeros)
            .expect("rows are sorted and without duplicates");
        let results = Vec::with_capacity(count);
        Ok(Rectangular { matrix, of_tangents: None, results, slots, distinct })
    }
    /// Begins again.
    pub fn start(&mut self) {
        if !self.distinct {
            self.matrix.values_mut().fill(0.0);
        }
    }
    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        all_finite(&self.results) && all_finite(self.matrix.values())
    }
    /// Sets residuals from row `row` on, and adds their derivatives to the entries from number `first` on.
    pub fn set_from(&mut self, row: usize, residuals: &[f64], first: usize, entries: &[f64]) {
        self.results.resize(self.matrix.nrows(), 0.0);
        self.results[row..row + residuals.len()].copy_from_slice(residuals);
        let values = self.matrix.values_mut();
        if self.slots.is_empty() {
            return values[first..first + entries.len()].copy_from_slice(entries);
        }
        let slots = &self.slots[first..first + entries.len()];
        if self.distinct {
            scatter(slots, entries, |slot, entry| values[slot as usize] = entry);
        } else {
            scatter(slots, entries, |slot, entry| values[slot as usize] += entry);
        }
    }
    /// The results, and the whole matrix with respect to the tangents of a point.
    pub fn finish(&mut self, point: &Point<'_>) -> (&[f64], &CsrMatrix<f64>) {
        (&self.results, point.rows(&self.matrix, &mut self.of_tangents))
    }
}

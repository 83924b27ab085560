//! Sparse matrices of a sum: their patterns, and the entry for each number of a job.

use std::cell::Cell;

use nalgebra_sparse::{CscMatrix, CsrMatrix};

use super::layout::{Owner, SumLayout, index};
use super::part::SumPart;
use super::points::{Bends, Point};
use super::request::Target;
use super::targets::{all_finite, counted, pairs_of};
use crate::error::AdError;
use crate::pool::Spare;

/// Writes numbers to the entries `places`, four at a time.
#[cfg_attr(not(debug_assertions), inline(always))]
fn scatter(places: &[u32], numbers: &[f64], mut put: impl FnMut(u32, f64)) {
    let (places, numbers) = (places.as_chunks::<4>(), numbers.as_chunks::<4>());
    for (places, numbers) in places.0.iter().zip(numbers.0) {
        (0..4).for_each(|l| put(places[l], numbers[l]));
    }
    places.1.iter().zip(numbers.1).for_each(|(place, &number)| put(*place, number));
}

/// The first entry of each part's runs, and of its rows.
fn starts(parts: &[SumPart<'_>]) -> Vec<[usize; 2]> {
    let mut next = 0;
    let start = |part: &SumPart<'_>| {
        let layout = &part.layout;
        let (runs, shared, own) = (next, layout.shared.len(), layout.own.len());
        let rows = runs + layout.runs.len() * (shared * (shared + 1) / 2);
        next = rows + layout.count * (own * shared + own * (own + 1) / 2);
        [runs, rows]
    };
    parts.iter().map(start).collect()
}

/// A symmetric matrix of a sum, whose lower triangle is summed up.
pub(super) struct Symmetric {
    matrix: CscMatrix<f64>,
    of_tangents: Option<[CscMatrix<f64>; 3]>,
    /// The entry of each number, in the order of the jobs.
    slots: Vec<u32>,
    /// The number of entries of each column above the diagonal.
    above: Vec<u32>,
    /// The entries of the lower triangle that they equal, column by column.
    mirror: Vec<u32>,
    starts: Vec<[usize; 2]>,
    part: usize,
    memory: Spare<f64>,
}

impl Symmetric {
    /// The matrix with the pairs of parameters of all rows, and all of the diagonal.
    pub(super) fn new(op: &'static str, parameters: usize, parts: &[SumPart<'_>]) -> Result<Self, AdError> {
        let pairs = |pair: &mut dyn FnMut(u32, u32)| {
            for layout in parts.iter().map(|part| &part.layout) {
                let runs = (0..layout.runs.len()).map(Owner::Run);
                let all = runs.chain((0..layout.count).map(Owner::Row));
                all.for_each(|of| pairs_of(layout, of, |i, j, _| pair(i, j)));
            }
        };
        let key = |row: u32, column: u32| u64::from(column) << 32 | u64::from(row);
        let n = index(op, "parameters", parameters)?;
        let mut keys: Vec<u64> = (0..n).map(|i| key(i, i)).collect();
        let mut most = 2 * parameters + (1 << 20);
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
        index(op, "entries", keys.len())?;
        let rows: Vec<usize> = keys.iter().map(|key| *key as u32 as usize).collect();
        let first = |column: usize| keys.partition_point(|key| ((key >> 32) as usize) < column);
        let offsets: Vec<usize> = (0..=parameters).map(first).collect();
        let slot = |row: u32, column: u32| {
            let (row, column) = (row as usize, column as usize);
            let start = offsets[column];
            let found = rows[start..offsets[column + 1]].binary_search(&row);
            (start + found.expect("every pair has an entry")) as u32
        };
        let upper = keys.iter().map(|key| (*key as u32, (key >> 32) as u32)).filter(|(i, j)| i < j);
        let mut above = vec![0; parameters];
        let source = |(i, j): (u32, u32)| {
            above[j as usize] += 1;
            slot(j, i)
        };
        let mirror = upper.map(source).collect();
        let mut slots = Vec::new();
        pairs(&mut |i, j| slots.push(slot(i.max(j), i.min(j))));
        let zeros = vec![0.0; rows.len()];
        let matrix = CscMatrix::try_from_csc_data(parameters, parameters, offsets, rows, zeros)
            .expect("columns are sorted and without duplicates");
        let (starts, memory) = (starts(parts), Spare::new());
        Ok(Symmetric { matrix, of_tangents: None, slots, above, mirror, starts, part: 0, memory })
    }
    /// The whole matrix, with respect to the tangents of a point.
    pub(super) fn finish(&mut self, point: &Point<'_>, bends: &Bends) -> &CscMatrix<f64> {
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
        let Some(chart) = &point.chart else { return &self.matrix };
        chart.both(&self.matrix, bends.shown(), &mut self.of_tangents)
    }
}

impl Target for &mut Symmetric {
    fn start(&mut self) {
        self.matrix.values_mut().fill(0.0);
    }
    fn part(&mut self, number: usize) {
        self.part = number;
    }
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        let [runs, rows] = self.starts[self.part];
        let entries = counted(layout, of, entries, &mut self.memory);
        let first = match of {
            Owner::Run(run) => runs + run * entries.len(),
            Owner::Row(row) => rows + row * entries.len(),
        };
        let (slots, values) = (&self.slots[first..first + entries.len()], self.matrix.values_mut());
        scatter(slots, entries, |slot, entry| values[slot as usize] += entry);
    }
    fn is_finite(&self) -> bool {
        all_finite(self.matrix.values())
    }
}

/// The residuals of a sum and their Jacobian, in the user's order.
pub(super) struct Rectangular {
    matrix: CsrMatrix<f64>,
    of_tangents: Option<[CsrMatrix<f64>; 2]>,
    results: Vec<f64>,
    /// The entry of each number, in the order of the jobs; empty if they are in the order of the entries.
    slots: Vec<u32>,
    /// Whether no term reads a parameter twice, so that each number has its own entry.
    distinct: bool,
    /// The first residual and entry of each part, and the residuals of a row.
    starts: Vec<[usize; 3]>,
    part: usize,
}

impl Rectangular {
    pub(super) fn new(
        op: &'static str,
        parameters: usize,
        parts: &mut [SumPart<'_>],
        p: &[f64],
    ) -> Result<Self, AdError> {
        let (mut starts, mut first_row, mut first_entry) = (Vec::new(), 0, 0);
        for part in &mut *parts {
            let residuals = part.first_branch(p)?.map_or(0, |first| first.results.residuals);
            let layout = &part.layout;
            starts.push([first_row, first_entry, residuals]);
            first_row += layout.count * residuals;
            first_entry += layout.count * residuals * layout.places;
        }
        let (mut offsets, mut columns, mut slots) = (vec![0], Vec::new(), Vec::new());
        let (mut all, mut row) = (Vec::new(), Vec::new());
        for (part, &[.., residuals]) in parts.iter().zip(&starts) {
            let layout = &part.layout;
            let mut terms: Vec<(usize, usize)> =
                (0..layout.count).map(|row| (layout.row(row), row)).collect();
            terms.sort_unstable();
            for (_, term) in terms {
                let reads = layout.reads(term);
                all.clear();
                all.extend(layout.ascending.iter().map(|&j| reads[j] as usize));
                row.clone_from(&all);
                row.sort_unstable();
                row.dedup();
                for _ in 0..residuals {
                    let start = columns.len();
                    index(op, "entries", (start + row.len()).max(slots.len() + all.len()))?;
                    columns.extend_from_slice(&row);
                    let place = |i| row.binary_search(i).expect("every input has a column");
                    slots.extend(all.iter().map(|i| (start + place(i)) as u32));
                    offsets.push(columns.len());
                }
            }
        }
        if slots.iter().enumerate().all(|(k, &slot)| k == slot as usize) {
            slots = Vec::new();
        }
        let (zeros, count) = (vec![0.0; columns.len()], offsets.len() - 1);
        let matrix = CsrMatrix::try_from_csr_data(count, parameters, offsets, columns, zeros)
            .expect("rows are sorted and without duplicates");
        let results = Vec::with_capacity(count);
        let distinct = parts.iter().all(|part| part.layout.is_distinct);
        Ok(Rectangular { matrix, of_tangents: None, results, slots, distinct, starts, part: 0 })
    }
    /// The results, and the whole matrix with respect to the tangents of a point.
    pub(super) fn finish(&mut self, point: &Point<'_>) -> (&[f64], &CsrMatrix<f64>) {
        let of_tangents = point.chart.as_ref().map(|chart| chart.rows(&self.matrix, &mut self.of_tangents));
        (&self.results, of_tangents.unwrap_or(&self.matrix))
    }
}

impl Target for Rectangular {
    fn start(&mut self) {
        if !self.distinct {
            self.matrix.values_mut().fill(0.0);
        }
    }
    fn part(&mut self, number: usize) {
        self.part = number;
    }
    /// Sets the residuals of a row, and adds their derivatives.
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        let Owner::Row(row) = of else { return };
        let [start, entry, m] = self.starts[self.part];
        let (residuals, entries) = entries.split_at(m);
        let row = layout.row(row);
        let (row, first) = (start + row * m, entry + row * entries.len());
        self.results.resize(self.matrix.nrows(), 0.0);
        self.results[row..row + m].copy_from_slice(residuals);
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
    fn is_finite(&self) -> bool {
        all_finite(&self.results) && all_finite(self.matrix.values())
    }
}

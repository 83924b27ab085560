//! The receivers of a sum's derivatives: vectors, dense and sparse matrices.

use super::layout::{Owner, SumLayout};
use super::request::Target;
use crate::pool::Spare;

/// Without a branch for each number.
pub(super) fn all_finite(x: &[f64]) -> bool {
    !x.iter().fold(false, |found, x| found | !x.is_finite())
}

/// A gradient, and second derivatives.
pub(super) struct WithGradient<'t, M>(pub(super) &'t mut [f64], pub(super) M);

impl<M: Target> Target for WithGradient<'_, M> {
    fn start(&mut self) {
        self.0.fill(0.0);
        self.1.start();
    }
    fn part(&mut self, number: usize) {
        self.1.part(number);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gradient(&mut self, place: u32, x: f64) {
        self.0[place as usize] += x;
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tangent(&mut self, place: u32, x: f64) {
        self.1.tangent(place, x);
    }
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        self.1.entries(layout, of, entries);
    }
    fn is_finite(&self) -> bool {
        all_finite(self.0) && self.1.is_finite()
    }
}

/// The product of the Hessian with a vector.
pub(super) struct Product<'t>(pub(super) &'t mut [f64]);

impl Target for Product<'_> {
    fn start(&mut self) {
        self.0.fill(0.0);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tangent(&mut self, place: u32, x: f64) {
        self.0[place as usize] += x;
    }
    fn is_finite(&self) -> bool {
        all_finite(self.0)
    }
}

/// The pairs of parameters of entries: of a run each pair of shared ones, of a row each own parameter with the shared
/// ones and with own ones up to itself. The last argument is whether both are at one index of the list.
pub(super) fn pairs_of(layout: &SumLayout, of: Owner, mut pair: impl FnMut(u32, u32, bool)) {
    let (reads, (before, list)) = match of {
        Owner::Run(run) => (layout.reads(layout.runs[run] as usize), layout.lists(of)),
        Owner::Row(row) => (layout.reads(row), layout.lists(of)),
    };
    for (a, &i) in list.iter().enumerate() {
        before.iter().chain(&list[..=a]).for_each(|&j| pair(reads[i], reads[j], i == j));
    }
}

/// The entries of a run or a row. An entry of two indices that are one parameter is doubled: both halves of the matrix
/// fall on its diagonal.
pub(super) fn counted<'e>(
    layout: &SumLayout,
    of: Owner,
    entries: &'e [f64],
    memory: &'e mut Spare<f64>,
) -> &'e [f64] {
    if layout.is_distinct {
        return entries;
    }
    let memory = memory.clear(entries.len());
    let mut entries = entries.iter();
    pairs_of(layout, of, |i, j, is_one| {
        let entry = entries.next().expect("an entry for each pair");
        memory.push(if i == j && !is_one { 2.0 * entry } else { *entry });
    });
    memory
}

/// A symmetric matrix, column by column.
pub(super) struct Dense<'t> {
    size: usize,
    entries: &'t mut [f64],
    memory: Spare<f64>,
}

impl<'t> Dense<'t> {
    pub(super) fn new(size: usize, entries: &'t mut [f64]) -> Self {
        Dense { size, entries, memory: Spare::new() }
    }
    /// Copies the lower triangle to the upper one.
    pub(super) fn finish(self) {
        for column in 0..self.size {
            for row in column + 1..self.size {
                self.entries[column + self.size * row] = self.entries[row + self.size * column];
            }
        }
    }
}

impl Target for Dense<'_> {
    fn start(&mut self) {
        self.entries.fill(0.0);
    }
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        let mut entries = counted(layout, of, entries, &mut self.memory).iter();
        pairs_of(layout, of, |i, j, _| {
            let entry = entries.next().expect("an entry for each pair");
            self.entries[i.max(j) as usize + self.size * i.min(j) as usize] += entry;
        });
    }
    fn is_finite(&self) -> bool {
        all_finite(self.entries)
    }
}

/// A column of each row's own matrix.
pub(super) struct Column<'t, M> {
    /// The index of the column in the rows' lists.
    place: usize,
    matrix: &'t mut M,
    memory: Spare<f64>,
}

impl<'t, M> Column<'t, M> {
    pub(super) fn new(place: usize, matrix: &'t mut M) -> Self {
        Column { place, matrix, memory: Spare::new() }
    }
}

impl<M: Target> Target for Column<'_, M> {
    fn start(&mut self) {}
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        // The number of the column among the shared indices, then the own ones.
        let column = layout.shared.iter().chain(&layout.own).position(|&j| j == self.place);
        let (column, first) = (column.expect("each place is one or the other"), layout.lists(of).0.len());
        let all = self.memory.clear(1);
        for (row, &entry) in (first..).zip(entries) {
            let start = all.len();
            all.resize(start + row + 1, 0.0);
            if column <= row {
                all[start + column] = entry;
            }
        }
        self.matrix.entries(layout, of, all);
    }
    fn is_finite(&self) -> bool {
        true
    }
}

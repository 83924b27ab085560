//! The receivers of a sum's derivatives: vectors, dense and sparse matrices.

use super::layout::SumLayout;
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
    fn of_run(&mut self, layout: &SumLayout, run: usize, entries: &[f64]) {
        self.1.of_run(layout, run, entries);
    }
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        self.1.of_row(layout, row, entries);
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

/// The pairs of parameters of a run's triangle.
pub(super) fn pairs_of_run(layout: &SumLayout, run: usize, mut pair: impl FnMut(u32, u32)) {
    let reads = layout.reads(layout.runs[run] as usize);
    for (a, &i) in layout.shared.iter().enumerate() {
        layout.shared[..=a].iter().for_each(|&j| pair(reads[i], reads[j]));
    }
}

/// The pairs of parameters of a row: of each own parameter with the shared ones, and with own ones up to itself.
pub(super) fn pairs_of_row(layout: &SumLayout, row: usize, mut pair: impl FnMut(u32, u32)) {
    let reads = layout.reads(row);
    for (a, &i) in layout.own.iter().enumerate() {
        layout.shared.iter().chain(&layout.own[..=a]).for_each(|&j| pair(reads[i], reads[j]));
    }
}

/// Doubles entries of two indices that are one parameter: both halves of the matrix fall on its diagonal.
fn doubled(count: usize, first: usize, entries: &mut [f64], pairs: impl FnOnce(&mut dyn FnMut(u32, u32))) {
    let (mut at, mut row, mut column) = (0, 0, 0);
    pairs(&mut |i, j| {
        if i == j && column != first + row {
            entries[at] *= 2.0;
        }
        at += 1;
        column += 1;
        if column > first + row {
            (row, column) = (row + 1, 0);
        }
    });
    debug_assert!(row == count);
}

/// The entries of a run or a row, doubled where two indices are one parameter.
pub(super) fn counted<'e>(
    layout: &SumLayout,
    of: Result<usize, usize>,
    entries: &'e [f64],
    memory: &'e mut Spare<f64>,
) -> &'e [f64] {
    if layout.is_distinct {
        return entries;
    }
    let memory = memory.clear(entries.len());
    memory.extend_from_slice(entries);
    match of {
        Ok(run) => doubled(layout.shared.len(), 0, memory, |pair| pairs_of_run(layout, run, pair)),
        Err(row) => {
            doubled(layout.own.len(), layout.shared.len(), memory, |pair| pairs_of_row(layout, row, pair))
        }
    }
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
    fn of_run(&mut self, layout: &SumLayout, run: usize, entries: &[f64]) {
        let mut entries = counted(layout, Ok(run), entries, &mut self.memory).iter();
        pairs_of_run(layout, run, |i, j| {
            let entry = entries.next().expect("an entry for each pair");
            self.entries[i.max(j) as usize + self.size * i.min(j) as usize] += entry;
        });
    }
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        let mut entries = counted(layout, Err(row), entries, &mut self.memory).iter();
        pairs_of_row(layout, row, |i, j| {
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
    /// The number of the column among the shared indices, then the own ones.
    fn number(&self, layout: &SumLayout) -> usize {
        let found = layout.shared.iter().chain(&layout.own).position(|&j| j == self.place);
        found.expect("each place is one or the other")
    }
}

impl<M: Target> Target for Column<'_, M> {
    fn start(&mut self) {}
    fn of_run(&mut self, layout: &SumLayout, run: usize, entries: &[f64]) {
        let (column, l) = (self.number(layout), layout.shared.len());
        let triangle = self.memory.clear(l * (l + 1) / 2);
        triangle.resize(l * (l + 1) / 2, 0.0);
        for (row, &entry) in entries.iter().enumerate().skip(column) {
            triangle[row * (row + 1) / 2 + column] = entry;
        }
        self.matrix.of_run(layout, run, triangle);
    }
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        let (column, l) = (self.number(layout), layout.shared.len());
        let all = self.memory.clear(1);
        for (a, &entry) in entries.iter().enumerate() {
            let start = all.len();
            all.resize(start + l + a + 1, 0.0);
            if column <= l + a {
                all[start + column] = entry;
            }
        }
        self.matrix.of_row(layout, row, all);
    }
    fn is_finite(&self) -> bool {
        true
    }
}

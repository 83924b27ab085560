//! What the terms of a block read, and who takes the rows of their Jacobian.

use std::ops::Range;

use super::terms::Terms;
use super::wide::{LANES, Single, Values};

/// Takes the results of each term and its Jacobian, row by row, shared inputs first.
pub(super) trait Rows {
    fn begin(&mut self, shared: &[usize]);
    fn term(&mut self, own: &[usize], results: &[f64], rows: &[f64]);
    fn end(&mut self);
}

/// What the terms of a block read; idle lanes repeat the last term.
#[derive(Default)]
pub(super) struct Read {
    /// The inputs of the terms of the block, so many each.
    pub own: Vec<usize>,
    pub width: usize,
    data: Vec<f64>,
    size: usize,
    /// How many terms there are, and the results of each.
    pub terms: usize,
    pub results: usize,
    /// The results and rows of a term.
    of_term: [Vec<f64>; 2],
}

impl Read {
    /// Looks terms up. Not if they have inputs, data or results of several sizes.
    #[inline]
    pub fn block<F: Terms>(&mut self, f: &F, group: usize, terms: Range<usize>) -> bool {
        let Read { own, data, .. } = self;
        own.clear();
        data.clear();
        (self.terms, self.results) = (terms.len(), f.results(group, terms.start));
        for (lane, term) in terms.enumerate() {
            f.inputs(group, term, own);
            f.data(group, term, data);
            if lane == 0 {
                (self.width, self.size) = (own.len(), data.len());
            }
            let alike = own.len() == (lane + 1) * self.width && data.len() == (lane + 1) * self.size;
            if !alike || f.results(group, term) != self.results {
                return false;
            }
        }
        for _ in self.terms..LANES {
            own.extend_from_within(own.len() - self.width..);
            data.extend_from_within(data.len() - self.size..);
        }
        true
    }
    /// The inputs of a term.
    #[inline(always)]
    pub fn own(&self, lane: usize) -> &[usize] {
        &self.own[lane * self.width..][..self.width]
    }
    /// Writes the data as numbers. (They stand still where they can: they are much to write.)
    #[inline(always)]
    pub fn write_data<N>(&self, to: &mut Vec<N>, constant: impl Fn() -> N, set: impl Fn(&mut N, Values)) {
        let size = self.size;
        let rows: [_; LANES] = std::array::from_fn(|lane| &self.data[lane * size..][..size]);
        to.resize_with(size, constant);
        for (j, number) in to.iter_mut().enumerate() {
            set(number, f64::wide(|lane| rows[lane][j]));
        }
    }
    /// Hands over the results of the terms and their rows, from those of the block by result and column.
    #[inline(always)]
    pub fn hand_over(
        &mut self,
        columns: usize,
        take: &mut impl Rows,
        result: impl Fn(usize) -> Values,
        entry: impl Fn(usize, usize) -> Values,
    ) {
        let [mut values, mut rows] = std::mem::take(&mut self.of_term);
        for lane in 0..self.terms {
            values.clear();
            rows.clear();
            for k in 0..self.results {
                values.push(f64::lane(&result(k), lane));
                rows.extend((0..columns).map(|column| f64::lane(&entry(k, column), lane)));
            }
            take.term(self.own(lane), &values, &rows);
        }
        self.of_term = [values, rows];
    }
}

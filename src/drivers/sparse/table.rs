//! A compressed matrix: the products of a pass, and the entry of each product.

use nalgebra_sparse::pattern::SparsityPattern;

use super::colour::Colours;
use crate::error::AdError;

/// Products with lanes, each lane a column.
#[derive(Clone, Debug)]
pub(super) struct CompressedMatrix {
    pub lanes: Colours,
    pub products: Vec<f64>,
    rows: usize,
    /// The products that may differ from zero.
    expected: Vec<bool>,
    /// The entries of the matrix, and their products.
    entries: Vec<(u32, u32)>,
    /// Pairs of entries that are one product, and the product that they are then subtracted from.
    taken: Vec<[u32; 4]>,
}

impl CompressedMatrix {
    /// A matrix of `rows` rows without entries.
    pub fn new(op: &'static str, rows: usize, lanes: Colours) -> Result<Self, AdError> {
        let got = rows.checked_mul(lanes.count());
        let most = u32::MAX as usize;
        let what = "entries of the compressed matrix";
        let size = got.filter(|&size| size <= most).ok_or(AdError::TooMany { op, what, most, got })?;
        Ok(CompressedMatrix {
            lanes,
            products: vec![0.0; size],
            rows,
            expected: vec![false; size],
            entries: vec![],
            taken: vec![],
        })
    }
    /// States that entry number `entry` is the component `row` of a lane.
    pub fn add(&mut self, entry: usize, row: usize, lane: usize) {
        self.expect(row, lane);
        self.entries.push((entry as u32, (row + lane * self.rows) as u32));
    }
    /// States that two entries are the product `of`, and part of the product `from`.
    pub fn take(&mut self, entry: usize, mirror: usize, of: usize, from: usize) {
        self.taken.push([entry, mirror, of, from].map(|i| i as u32));
    }
    /// States that a product may differ from zero.
    pub fn expect(&mut self, row: usize, lane: usize) {
        self.expected[row + lane * self.rows] = true;
    }
    /// Excludes the products of a row from the check.
    pub fn ignore(&mut self, row: usize) {
        (0..self.lanes.count()).for_each(|lane| self.expect(row, lane));
    }
    /// Writes the products to their entries; an error if another product is not zero.
    pub fn scatter(&mut self, op: &'static str, values: &mut [f64]) -> Result<(), AdError> {
        let is_outside =
            |(&product, &expected): (&f64, &bool)| !expected && product != 0.0 && !product.is_nan();
        if let Some(slot) = self.products.iter().zip(&self.expected).position(is_outside) {
            return Err(outside(op, slot % self.rows));
        }
        self.entries.iter().for_each(|&(entry, slot)| values[entry as usize] = self.products[slot as usize]);
        for [entry, mirror, of, from] in self.taken.iter().map(|step| step.map(|i| i as usize)) {
            let value = self.products[of];
            (values[entry], values[mirror]) = (value, value);
            self.products[from] -= value;
        }
        Ok(())
    }
}

/// The error of an entry outside the pattern.
pub(super) fn outside(op: &'static str, line: usize) -> AdError {
    AdError::Structure { op, what: "pattern", part: line }
}

/// An error unless a buffer has the kept pattern.
pub(super) fn demand_pattern(
    op: &'static str,
    kept: &SparsityPattern,
    given: &SparsityPattern,
) -> Result<(), AdError> {
    if kept == given {
        return Ok(());
    }
    let part = (0..kept.major_dim().min(given.major_dim())).find(|&i| kept.lane(i) != given.lane(i));
    let part = part.unwrap_or(kept.major_dim().min(given.major_dim()));
    Err(AdError::Structure { op, what: "pattern of the buffer", part })
}

/// An error if a line of `new` has an entry that `kept` has not.
pub(super) fn demand_within(
    op: &'static str,
    kept: &SparsityPattern,
    (starts, entries): &(Vec<usize>, Vec<usize>),
) -> Result<(), AdError> {
    let differs = |&i: &usize| {
        let kept = kept.lane(i);
        entries[starts[i]..starts[i + 1]].iter().any(|entry| kept.binary_search(entry).is_err())
    };
    match (0..kept.major_dim()).find(differs) {
        Some(line) => Err(outside(op, line)),
        None => Ok(()),
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
#[test]
fn entries_are_counted_before_they_are_stored() {
    let mut lane = Colours::none(1);
    lane.include_rest(|_| true, |_| true);
    let error = CompressedMatrix::new("op", 1 << 32, lane).unwrap_err().to_string();
    assert_eq!(error, "op: 4294967296 entries of the compressed matrix, at most 4294967295 possible");
}

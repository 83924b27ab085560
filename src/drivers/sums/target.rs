//! Receivers of the derivatives of a sum.

use super::layout::SumLayout;

/// Where derivatives go.
pub(super) trait Target {
    /// Begins an evaluation: all is zero.
    fn start(&mut self);
    /// Begins the rows of a part.
    fn part(&mut self, number: usize) {
        let _ = number;
    }
    fn gradient(&mut self, place: u32, x: f64) {
        let _ = (place, x);
    }
    fn tangent(&mut self, place: u32, x: f64) {
        let _ = (place, x);
    }
    /// The lower triangle of a run's shared parameters.
    fn of_run(&mut self, layout: &SumLayout, run: usize, entries: &[f64]) {
        let _ = (layout, run, entries);
    }
    /// The numbers that are kept of a row.
    fn of_row(&mut self, layout: &SumLayout, row: usize, entries: &[f64]) {
        let _ = (layout, row, entries);
    }
    /// Whether all numbers are finite.
    fn is_finite(&self) -> bool;
}

/// Nothing but the value.
impl Target for () {
    fn start(&mut self) {}
    fn is_finite(&self) -> bool {
        true
    }
}

//! Normal equations: the products of the rows of each term.

use std::ops::Range;

use super::jobs::Out;
use super::loss::{Loss, correction};
use super::read::Rows;

/// Keeps values, gradients and lower triangles of `J̃ᵀJ̃`.
pub(super) struct Blocks<'a, G> {
    out: &'a mut Out,
    loss: &'a G,
    /// Where the shared slopes and the shared triangle of the piece stand.
    at: usize,
    more: usize,
    shared: Range<usize>,
    /// `Jᵀr` of a term.
    along: &'a mut Vec<f64>,
    /// Whether no term reads a parameter twice.
    distinct: bool,
}

impl<'a, G: Loss> Blocks<'a, G> {
    /// Of the piece that comes next.
    pub fn new(out: &'a mut Out, loss: &'a G, distinct: bool, along: &'a mut Vec<f64>) -> Self {
        let (at, more) = (out.slopes.len(), out.more.len());
        Blocks { out, loss, at, more, shared: 0..0, along, distinct }
    }
}

impl<G: Loss> Rows for Blocks<'_, G> {
    fn begin(&mut self, shared: &[usize]) {
        let start = self.out.inputs.len();
        self.shared = start..start + shared.len();
        self.out.inputs.extend_from_slice(shared);
        self.out.close();
        self.out.slopes.resize(self.at + shared.len(), 0.0);
        self.out.more.resize(self.more + shared.len() * (shared.len() + 1) / 2, 0.0);
    }
    fn term(&mut self, own: &[usize], residuals: &[f64], rows: &[f64]) {
        let (s, value, first, curvature) = correction(self.loss, residuals);
        let Out { inputs, ends, values, slopes, more, .. } = &mut *self.out;
        values.push(value / 2.0);
        let (shared, list) = (self.shared.len(), inputs.len());
        let width = shared + own.len();
        // Jᵀr for all inputs, the own ones where they belong.
        let along = &mut *self.along;
        along.clear();
        along.resize(width, 0.0);
        for (r, row) in residuals.iter().zip(rows.chunks_exact(width.max(1))) {
            along.iter_mut().zip(row).for_each(|(sum, entry)| *sum += r * entry);
        }
        slopes[self.at..][..shared].iter_mut().zip(along.iter()).for_each(|(sum, a)| *sum += first * a);
        slopes.extend(along[shared..].iter().map(|a| first * a));
        // The lower triangle by rows: the shared part is summed up, the rest is the term's.
        let start = more.len();
        more.resize(start + own.len() * shared + own.len() * (own.len() + 1) / 2, 0.0);
        let bend = if curvature == 1.0 { 0.0 } else { first * (1.0 - curvature) / s };
        let (summed, mut single) = more.split_at_mut(start);
        let mut summed = &mut summed[self.more..];
        for a in 0..width {
            let part = if a < shared { &mut summed } else { &mut single };
            let (line, rest) = std::mem::take(part).split_at_mut(a + 1);
            *part = rest;
            let mut pairs = rows.chunks_exact(2 * width);
            for two in &mut pairs {
                let (r, s) = two.split_at(width);
                let [by_r, by_s] = [first * r[a], first * s[a]];
                for ((sum, r), s) in line.iter_mut().zip(r).zip(s) {
                    *sum += by_r * r + by_s * s;
                }
            }
            let last = pairs.remainder();
            if !last.is_empty() {
                let factor = first * last[a];
                line.iter_mut().zip(last).for_each(|(sum, entry)| *sum += factor * entry);
            }
            if bend != 0.0 {
                let factor = bend * along[a];
                line.iter_mut().zip(along.iter()).for_each(|(sum, b)| *sum -= factor * b);
            }
        }
        inputs.extend_from_slice(own);
        ends.push(inputs.len());
        if self.distinct {
            return;
        }
        // Two inputs that are the same parameter: both halves of the matrix fall on its diagonal.
        let mut row = start;
        for (a, i) in own.iter().enumerate() {
            let before = inputs[self.shared.clone()].iter().chain(&inputs[list..list + a]);
            for (entry, _) in more[row..].iter_mut().zip(before).filter(|(_, j)| *j == i) {
                *entry *= 2.0;
            }
            row += shared + a + 1;
        }
    }
    fn end(&mut self) {
        let (shared, mut row) = (&self.out.inputs[self.shared.clone()], self.more);
        for (a, i) in shared.iter().enumerate() {
            for (entry, _) in self.out.more[row..].iter_mut().zip(&shared[..a]).filter(|(_, j)| *j == i) {
                *entry *= 2.0;
            }
            row += a + 1;
        }
    }
}

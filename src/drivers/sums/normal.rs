//! Normal equations: the products of the rows of each term.

use std::ops::Range;

use super::jobs::Out;
use super::loss::{Loss, correction};
use super::read::Rows;
use crate::pool::Spare;

/// Numbers of a row that are worked on together. Rows end with zeros.
const CHUNK: usize = 4;
type Chunks = [[f64; CHUNK]];

const FITS: &str = "rows end with their last chunk";

/// Memory of a thread for the rows of a term.
#[derive(Default)]
pub(super) struct Scratch {
    /// The rows and their weights, and `Jᵀr`.
    rows: Spare<f64>,
    weights: Spare<f64>,
    along: Spare<f64>,
    /// A square for `JᵀJ`: the lines of shared inputs are summed up.
    square: Spare<f64>,
    /// Chunks of its lines.
    stride: usize,
}

impl Scratch {
    /// Takes the memory, in the reverse order of its return: then the next call finds the same.
    pub fn take() -> Self {
        let mut scratch = Scratch::default();
        let Scratch { rows, weights, along, square, .. } = &mut scratch;
        [square, along, weights, rows].into_iter().for_each(|row| _ = row.clear(1));
        scratch
    }
    /// Makes lines of so many chunks, and keeps the first ones.
    #[cold]
    fn widen(&mut self, chunks: usize, lines: usize) {
        let (old, new) = (CHUNK * self.stride, CHUNK * chunks);
        let square = self.square.kept();
        square.resize(new * new, 0.0);
        for a in (0..lines).rev() {
            square.copy_within(a * old..(a + 1) * old, a * new);
            square[a * new + old..(a + 1) * new].fill(0.0);
        }
        self.stride = chunks;
    }
}

/// Rows of so many chunks, with their weights.
#[derive(Clone, Copy)]
struct Weighted<'a> {
    rows: &'a Chunks,
    chunks: usize,
    weights: &'a [f64],
}

impl Weighted<'_> {
    /// Adds `C` chunks of `Σ w·r·r[a]`, from chunk `first` on, to the lines of a chunk of inputs. (Of known length: a loop over
    /// chunks would be vectorised across them, with their numbers gathered and scattered.)
    #[inline(always)]
    fn lines<const C: usize>(self, chunk: usize, first: usize, lines: &mut Chunks, stride: usize) {
        for (k, weight) in self.weights.iter().enumerate() {
            let row = &self.rows[k * self.chunks..];
            let by = row[chunk].map(|x| weight * x);
            let row: &[[f64; CHUNK]; C] = row[first..].first_chunk().expect(FITS);
            for l in 0..CHUNK {
                let line: &mut [[f64; CHUNK]; C] = lines[l * stride + first..].first_chunk_mut().expect(FITS);
                for c in 0..C {
                    for j in 0..CHUNK {
                        line[c][j] += by[l] * row[c][j];
                    }
                }
            }
        }
    }
    /// Adds `Σ w·r·rᵀ`, of each line up to the chunk of its diagonal.
    #[inline(always)]
    fn add(self, square: &mut Chunks, stride: usize) {
        for chunk in 0..self.chunks {
            let (lines, mut first) = (&mut square[CHUNK * stride * chunk..], 0);
            while chunk - first > 3 {
                self.lines::<4>(chunk, first, lines, stride);
                first += 4;
            }
            match chunk - first {
                0 => self.lines::<1>(chunk, first, lines, stride),
                1 => self.lines::<2>(chunk, first, lines, stride),
                2 => self.lines::<3>(chunk, first, lines, stride),
                _ => self.lines::<4>(chunk, first, lines, stride),
            }
        }
    }
}

/// Keeps values, gradients and lower triangles of `J̃ᵀJ̃`.
pub(super) struct Blocks<'a, G> {
    out: &'a mut Out,
    loss: &'a G,
    /// Where the shared slopes and the shared triangle of the piece stand.
    at: usize,
    more: usize,
    shared: Range<usize>,
    scratch: &'a mut Scratch,
    /// Whether no term reads a parameter twice.
    distinct: bool,
}

impl<'a, G: Loss> Blocks<'a, G> {
    /// Of the piece that comes next.
    pub fn new(out: &'a mut Out, loss: &'a G, distinct: bool, scratch: &'a mut Scratch) -> Self {
        let (at, more) = (out.slopes.len(), out.more.len());
        Blocks { out, loss, at, more, shared: 0..0, scratch, distinct }
    }
}

impl<G: Loss> Rows for Blocks<'_, G> {
    fn begin(&mut self, shared: &[usize]) {
        let (start, n) = (self.out.inputs.len(), shared.len());
        self.shared = start..start + n;
        self.out.inputs.extend_from_slice(shared);
        self.out.close();
        self.out.slopes.resize(self.at + n, 0.0);
        self.out.more.resize(self.more + n * (n + 1) / 2, 0.0);
    }
    fn term(&mut self, own: &[usize], residuals: &[f64], rows: &[f64]) {
        let (s, value, first, curvature) = correction(self.loss, residuals);
        let Out { inputs, ends, values, slopes, more, .. } = &mut *self.out;
        values.push(value / 2.0);
        let (shared, list) = (self.shared.len(), inputs.len());
        let width = shared + own.len();
        if width.div_ceil(CHUNK) > self.scratch.stride {
            self.scratch.widen(width.div_ceil(CHUNK), shared);
        }
        let Scratch { rows: padded, weights, along, square, stride } = &mut *self.scratch;
        let (padded, weights, along) = (padded.kept(), weights.kept(), along.kept());
        let wide = width.next_multiple_of(CHUNK);
        padded.clear();
        for k in 0..residuals.len() {
            padded.extend_from_slice(&rows[k * width..][..width]);
            padded.resize((k + 1) * wide, 0.0);
        }
        // Jᵀr for all inputs, the own ones where they belong.
        along.clear();
        along.resize(wide, 0.0);
        for (k, r) in residuals.iter().enumerate() {
            along.iter_mut().zip(&padded[k * wide..]).for_each(|(sum, entry)| *sum += r * entry);
        }
        slopes[self.at..][..shared].iter_mut().zip(&*along).for_each(|(sum, a)| *sum += first * a);
        slopes.extend(along[shared..width].iter().map(|a| first * a));
        weights.clear();
        weights.resize(residuals.len(), first);
        if curvature != 1.0 {
            padded.extend_from_slice(along);
            weights.push(-first * (1.0 - curvature) / s);
        }
        let rows = Weighted { rows: padded.as_chunks().0, chunks: wide / CHUNK, weights };
        // The lower triangle by rows: the shared part is summed up, the rest is the term's.
        let (square, line) = (square.items(), CHUNK * *stride);
        square[shared * line..width * line].fill(0.0);
        rows.add(square.as_chunks_mut().0, *stride);
        let start = more.len();
        for a in shared..width {
            more.extend_from_slice(&square[a * line..][..a + 1]);
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
        let (n, mut at) = (self.shared.len(), self.more);
        let (square, line) = (self.scratch.square.items(), CHUNK * self.scratch.stride);
        for a in 0..n {
            let to = &mut self.out.more[at..=at + a];
            to.iter_mut().zip(&square[a * line..]).for_each(|(sum, entry)| *sum += entry);
            at += a + 1;
        }
        let (shared, mut row) = (&self.out.inputs[self.shared.clone()], self.more);
        for (a, i) in shared.iter().enumerate() {
            for (entry, _) in self.out.more[row..].iter_mut().zip(&shared[..a]).filter(|(_, j)| *j == i) {
                *entry *= 2.0;
            }
            row += a + 1;
        }
    }
}

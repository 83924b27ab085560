//! Blocks of second derivatives: those of the terms of a piece, and where they go in a dense matrix.

use std::cell::RefCell;
use std::ops::Range;

use super::engine::{Engine, Objective, Slopes};
use super::jobs::Out;
use super::reverse::OnTape;
use super::terms::Terms;
use super::work::{More, Piece, Products, Sink, Work, any_nan};
use crate::duals::DualN;
use crate::pool::{self, Spare};

/// Columns that are worked out together.
const COLUMNS: usize = 8;
type Number = DualN<f64, COLUMNS>;

/// Values, slopes and second derivatives: forward over reverse, some columns of all terms at a time. (Not in lanes over
/// terms: eight columns in eight lanes take twice the instructions, as they leave the registers.)
pub(super) struct Triangles<'a, O>(pub &'a O);

impl<O: Objective> Work for Triangles<'_, O> {
    const MORE: More = More::Triangles;
    fn piece<F: Terms>(&self, _: impl Engine, f: &F, [p, _]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        out.pieces.push(piece.1.len());
        let more = out.more.len();
        let mut blocks =
            Blocks { slopes: out.slopes.len(), out, more, first: 0, width: 0, at: 0, shared: 0..0 };
        while blocks.first == 0 || blocks.first < blocks.width {
            let first = blocks.first;
            let x = |local: usize, i: usize| {
                let lane = local.wrapping_sub(first);
                if lane < COLUMNS { DualN::variable(p[i], lane) } else { DualN::constant(p[i]) }
            };
            OnTape.slopes(f, self.0, &x, piece.clone(), &mut blocks);
            blocks.first += COLUMNS;
        }
    }
    /// A product for each column: forms are few, and products run in lanes over terms.
    fn over_forms<F: Terms>(&self, f: &F, [z, _]: [&[f64]; 2], piece: Piece, forms: usize, out: &mut Out) {
        let memory = pool::take::<RefCell<Out>>().unwrap_or_default();
        let (triangle, mut unit) = (forms * (forms + 1) / 2, Spare::new());
        let unit = unit.clear(z.len());
        for column in 0..forms {
            unit.clear();
            unit.extend((0..z.len()).map(|i| if i % forms == column { 1.0 } else { 0.0 }));
            let of_column = &mut *memory.borrow_mut();
            of_column.clear();
            Products(self.0).over_forms(f, [z, unit], piece.clone(), forms, of_column);
            if column == 0 {
                out.values.extend_from_slice(&of_column.values);
                out.slopes.extend_from_slice(&of_column.slopes);
                out.more.resize(piece.1.len() * triangle, 0.0);
            }
            for (to, from) in out.more.chunks_exact_mut(triangle).zip(of_column.more.chunks_exact(forms)) {
                (column..forms).for_each(|row| to[row * (row + 1) / 2 + column] = from[row]);
            }
        }
        pool::give(memory);
    }
}

/// The lower triangles of a piece.
struct Blocks<'a> {
    out: &'a mut Out,
    /// The first column.
    first: usize,
    /// The most inputs of a term.
    width: usize,
    /// Where the shared slopes and the shared triangle of the piece stand, and the block of the next term.
    slopes: usize,
    more: usize,
    at: usize,
    shared: Range<usize>,
}

impl Blocks<'_> {
    /// Whether this is the first run, in which the places are written.
    fn is_first(&self) -> bool {
        self.first == 0
    }
}

/// `2∂²` where two inputs are the same parameter: both halves of the matrix fall on its diagonal.
fn counted(entry: f64, row: usize, column: usize, distinct: bool) -> f64 {
    if distinct && row == column { 2.0 * entry } else { entry }
}

impl Slopes<Number> for Blocks<'_> {
    fn begin(&mut self, shared: &[usize]) {
        let triangle = shared.len() * (shared.len() + 1) / 2;
        if self.is_first() {
            let start = self.out.inputs.len();
            self.shared = start..start + shared.len();
            self.out.inputs.extend_from_slice(shared);
            self.out.close();
            self.out.slopes.resize(self.slopes + shared.len(), 0.0);
            self.out.more.resize(self.more + triangle, 0.0);
            self.width = shared.len();
        }
        self.at = self.more + triangle;
    }
    fn term(&mut self, value: Number, own: &[usize], slopes: &[Number]) {
        let shared = self.shared.len();
        let size = own.len() * shared + own.len() * (own.len() + 1) / 2;
        if self.is_first() {
            self.out.values.push(value.value());
            self.out.inputs.extend_from_slice(own);
            self.out.close();
            self.out.slopes.extend(slopes.iter().map(|s| s.value()));
            self.out.more.resize(self.at + size, 0.0);
            self.width = self.width.max(shared + own.len());
        }
        let mut row = self.at;
        for (a, slope) in slopes.iter().enumerate() {
            let end = (self.first + COLUMNS).min(shared + a + 1);
            for c in self.first..end {
                let column =
                    if c < shared { self.out.inputs[self.shared.start + c] } else { own[c - shared] };
                let entry = slope.tangents()[c - self.first];
                self.out.more[row + c] = counted(entry, own[a], column, c != shared + a);
            }
            row += shared + a + 1;
        }
        self.at += size;
    }
    fn terms(&mut self, _: &[Number], _: &[usize], _: impl Fn(usize, usize) -> Number) {
        unreachable!("second derivatives are taken term by term")
    }
    fn end(&mut self, slopes: &[Number]) {
        let mut row = self.more;
        for (a, slope) in slopes.iter().enumerate() {
            if self.is_first() {
                self.out.slopes[self.slopes + a] = slope.value();
            }
            let shared = &self.out.inputs[self.shared.clone()];
            for c in self.first..(self.first + COLUMNS).min(a + 1) {
                let entry = slope.tangents()[c - self.first];
                self.out.more[row + c] = counted(entry, shared[a], shared[c], c != a);
            }
            row += a + 1;
        }
    }
}

/// A symmetric matrix, column by column.
pub(super) struct Dense<'a> {
    size: usize,
    entries: &'a mut [f64],
}

impl<'a> Dense<'a> {
    pub fn new(size: usize, entries: &'a mut [f64]) -> Self {
        Dense { size, entries }
    }
    /// Copies the lower triangle to the upper one.
    pub fn finish(self) {
        for column in 0..self.size {
            for row in column + 1..self.size {
                self.entries[column + self.size * row] = self.entries[row + self.size * column];
            }
        }
    }
}

impl Sink for Dense<'_> {
    fn start(&mut self) {
        self.entries.fill(0.0);
    }
    /// Adds blocks to the lower triangle.
    fn add(&mut self, out: &Out) {
        let mut of_out = out.more.iter();
        out.places(|i, j| {
            let entry = of_out.next().expect("an entry for each place");
            self.entries[i.max(j) + self.size * i.min(j)] += entry;
        });
    }
    fn has_nan(&self) -> bool {
        any_nan(self.entries)
    }
}

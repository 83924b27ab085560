//! Terms of linear forms: the operators run over the forms, and the rows make derivatives by the parameters of theirs.

use std::cell::RefCell;
use std::ops::Range;

use super::alike::{Alike, InLanes};
use super::jobs::Out;
use super::linear::{LinearForms, TakeForms, dense, is_dense, run, shared, sparse};
use super::terms::Terms;
use super::work::{More, Work};
use crate::number::Real;
use crate::pool::{self, Spare};
use crate::reduce;

/// The [`Terms`] of functions of linear forms.
///
/// [`Sum::new`](super::Sum::new) and [`LeastSquares::new`](super::LeastSquares::new) look at all rows:
/// [`TooFew`](crate::AdError::TooFew) if a form reads a parameter that there is not, [`AdError::Row`](crate::AdError::Row) if a row has not the length
/// of its places, has places beyond them, is sparse where that of the first term is dense or the other way round, or holds
/// a number that is not finite.
///
/// # Panics
/// Operators panic if rows have become longer or shorter in the meantime.
#[derive(Debug)]
pub struct InForms<'a, F>(
    /// The terms.
    pub &'a F,
);

impl<F: LinearForms> Terms for InForms<'_, F> {
    fn count(&self, _: usize) -> usize {
        self.0.count()
    }
    fn results(&self, _: usize, _: usize) -> usize {
        self.0.results()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        shared(self.0, out);
    }
    fn inputs(&self, _: usize, term: usize, out: &mut Vec<usize>) {
        for form in (0..self.0.forms()).filter(|&form| !is_dense(self.0, form)) {
            let first = self.0.places(form).start;
            out.extend(sparse(self.0, term, form).0.iter().map(|column| first + column));
        }
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, p: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        let (f, mut places) = (self.0, Spare::new());
        shared(f, places.clear(p.len()));
        let memory = RefCell::new((places, Spare::new(), Spare::new(), Spare::new()));
        move |term, mut own: &[T], out: &mut [T]| {
            let (places, z, data, numbers) = &mut *memory.borrow_mut();
            let (z, data, numbers) = (z.clear(1), data.clear(1), numbers.clear(1));
            z.extend((0..f.forms()).map(|form| {
                if is_dense(f, form) {
                    let x = &p[run(f, form, places.items())];
                    return reduce::linear_combination(dense(f, term, form, x.len()), x);
                }
                let weights = sparse(f, term, form).1;
                let (now, rest) = own.split_at(weights.len());
                own = rest;
                reduce::linear_combination(weights, now)
            }));
            f.data(term, data);
            numbers.extend(data.iter().map(|&d| T::lit(d)));
            f.term(z, numbers, out);
        }
    }
    fn with_forms(&self, _: usize, take: &mut impl TakeForms) {
        take.take(self.0);
    }
}

/// Rows that are worked on together.
const ROWS: usize = 4;

/// What an operator makes of the forms of some terms.
pub(super) struct OverForms<'a, W> {
    pub work: &'a W,
    pub at: [&'a [f64]; 2],
    pub terms: Range<usize>,
    pub out: &'a mut Out,
    /// Whether the terms have such.
    pub done: bool,
}

/// The terms as functions of their forms: of numbers that follow each other.
struct OfForms<'a, F> {
    f: &'a F,
    start: usize,
}

impl<F: LinearForms> Alike for OfForms<'_, F> {
    fn count(&self, _: usize) -> usize {
        self.f.count()
    }
    fn results(&self, _: usize) -> usize {
        self.f.results()
    }
    #[inline(always)]
    fn inputs(&self, _: usize, term: usize, out: &mut Vec<usize>) {
        let (first, forms) = (term - self.start, self.f.forms());
        out.extend(first * forms..(first + 1) * forms);
    }
    #[inline(always)]
    fn data(&self, _: usize, term: usize, out: &mut Vec<f64>) {
        self.f.data(term, out);
    }
    #[inline]
    fn group<T: Real<Base = f64>>(&self, _: usize, _: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        |z, data, out| self.f.term(z, data, out)
    }
}

/// Memory of the thread.
#[derive(Default)]
struct Memory {
    shared: Vec<usize>,
    runs: Vec<Option<Range<usize>>>,
    /// The forms of all terms, and their velocities.
    z: [Vec<f64>; 2],
    of_forms: Out,
    /// Form and weight of the sparse entries of a term.
    entries: Vec<(usize, f64)>,
}

impl<W: Work> TakeForms for OverForms<'_, W> {
    fn take(&mut self, f: &impl LinearForms) {
        let (forms, terms) = (f.forms(), self.terms.clone());
        if forms == 0 {
            return;
        }
        self.done = true;
        let memory = pool::take::<RefCell<Memory>>().unwrap_or_default();
        {
            let Memory { shared: places, runs, z, of_forms, entries } = &mut *memory.borrow_mut();
            places.clear();
            shared(f, places);
            runs.clear();
            runs.extend((0..forms).map(|form| is_dense(f, form).then(|| run(f, form, places))));
            let rows = Rows { f, terms: terms.clone(), shared: places, runs };
            for (z, p) in z.iter_mut().zip(self.at) {
                z.clear();
                if !p.is_empty() {
                    rows.apply(p, z);
                }
            }
            of_forms.clear();
            let inner = InLanes(&OfForms { f, start: terms.start });
            self.work.over_forms(&inner, [&z[0], &z[1]], (0, terms), forms, of_forms);
            rows.lift(W::MORE, of_forms, entries, self.out);
        }
        pool::give(memory);
    }
}

/// The rows of some terms.
struct Rows<'a, F> {
    f: &'a F,
    terms: Range<usize>,
    shared: &'a [usize],
    /// Where the dense forms stand among the shared parameters.
    runs: &'a [Option<Range<usize>>],
}

impl<'a, F: LinearForms> Rows<'a, F> {
    fn forms(&self) -> usize {
        self.runs.len()
    }
    /// The dense forms.
    fn dense(&self) -> impl Iterator<Item = (usize, &'a Range<usize>)> {
        self.runs.iter().enumerate().filter_map(|(form, run)| Some((form, run.as_ref()?)))
    }
    /// Where some of the terms stand in the piece, and how many they are.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.terms.len();
        (0..count).step_by(ROWS).map(move |at| (at, ROWS.min(count - at)))
    }
    /// Rows of a dense form, from the term at this place on; the last one again where there are no more.
    #[inline(always)]
    fn some(&self, form: usize, at: usize, length: usize) -> [&'a [f64]; ROWS] {
        let last = self.terms.len() - 1;
        std::array::from_fn(|r| dense(self.f, self.terms.start + (at + r).min(last), form, length))
    }
    /// The sparse entries of a term: form, parameter and weight.
    fn sparse(&self, term: usize, mut take: impl FnMut(usize, usize, f64)) {
        for form in (0..self.forms()).filter(|&form| self.runs[form].is_none()) {
            let (first, (columns, weights)) =
                (self.f.places(form).start, sparse(self.f, self.terms.start + term, form));
            columns.iter().zip(weights).for_each(|(column, &w)| take(form, first + column, w));
        }
    }
    /// `Aᵢp`, in the order of the written sum.
    fn apply(&self, p: &[f64], z: &mut Vec<f64>) {
        let forms = self.forms();
        z.resize(self.terms.len() * forms, std::iter::empty::<f64>().sum());
        for (form, run) in self.dense() {
            let x = &p[self.f.places(form)];
            for (at, count) in self.blocks() {
                let sums = products(x, self.some(form, at, run.len()));
                (0..count).for_each(|r| z[(at + r) * forms + form] = sums[r]);
            }
        }
        for term in 0..self.terms.len() {
            self.sparse(term, |form, i, w| z[term * forms + form] += p[i] * w);
        }
    }
    /// Appends derivatives by the parameters, of those by the forms.
    fn lift(&self, more: More, of_forms: &Out, entries: &mut Vec<(usize, f64)>, out: &mut Out) {
        out.values.extend_from_slice(&of_forms.values);
        match more {
            More::Values => return,
            More::Rows => return self.rows(of_forms, out),
            More::Nothing | More::Tangents | More::Triangles => (),
        }
        self.transpose(&of_forms.slopes, &mut out.slopes);
        if more == More::Tangents {
            self.transpose(&of_forms.more, &mut out.more);
        }
        if more == More::Triangles {
            out.pieces.push(self.terms.len());
        }
        out.inputs.extend_from_slice(self.shared);
        out.close();
        let first = out.more.len();
        if more == More::Triangles {
            let size = self.shared.len();
            out.more.resize(first + size * (size + 1) / 2, 0.0);
            self.triangle(&of_forms.more, &mut out.more[first..]);
        }
        for term in 0..self.terms.len() {
            let start = out.inputs.len();
            entries.clear();
            self.sparse(term, |form, i, w| {
                out.inputs.push(i);
                entries.push((form, w));
            });
            out.close();
            if more == More::Triangles {
                self.lines(&of_forms.more, term, entries, &out.inputs[start..], &mut out.more);
            }
        }
    }
    /// Appends `Aᵢᵀs`: the sum by the shared parameters, then by those of each term.
    fn transpose(&self, s: &[f64], to: &mut Vec<f64>) {
        let (forms, start) = (self.forms(), to.len());
        to.resize(start + self.shared.len(), 0.0);
        for (form, run) in self.dense() {
            let to = &mut to[start..][run.clone()];
            for (at, count) in self.blocks() {
                let by = |r| if r < count { s[(at + r) * forms + form] } else { 0.0 };
                add(to, std::array::from_fn(by), self.some(form, at, run.len()));
            }
        }
        for term in 0..self.terms.len() {
            self.sparse(term, |form, _, w| to.push(w * s[term * forms + form]));
        }
    }
    /// Adds `Aᵢᵀ H Aᵢ` by the shared parameters to a lower triangle.
    fn triangle(&self, h: &[f64], to: &mut [f64]) {
        for (at, count) in self.blocks() {
            for ((k, rows), (l, columns)) in self.dense().flat_map(|k| self.dense().map(move |l| (k, l))) {
                let (of_rows, of_columns) = (self.some(k, at, rows.len()), self.some(l, at, columns.len()));
                let by: [f64; ROWS] =
                    std::array::from_fn(|r| if r < count { self.second(h, at + r, k, l) } else { 0.0 });
                for (i, row) in rows.clone().enumerate().skip(columns.start.saturating_sub(rows.start)) {
                    let line = &mut to[row * (row + 1) / 2..][columns.start..columns.end.min(row + 1)];
                    add(line, std::array::from_fn(|r| by[r] * of_rows[r][i]), of_columns);
                }
            }
        }
    }
    /// The second derivative of a term by two of its forms.
    #[inline(always)]
    fn second(&self, h: &[f64], term: usize, k: usize, l: usize) -> f64 {
        let (forms, (k, l)) = (self.forms(), (k.max(l), k.min(l)));
        h[term * (forms * (forms + 1) / 2) + k * (k + 1) / 2 + l]
    }
    /// Appends the lines of `Aᵢᵀ H Aᵢ` by the own parameters of a term.
    fn lines(&self, h: &[f64], term: usize, entries: &[(usize, f64)], own: &[usize], to: &mut Vec<f64>) {
        for (a, &(k, w)) in entries.iter().enumerate() {
            let start = to.len();
            to.resize(start + self.shared.len(), 0.0);
            for (l, run) in self.dense() {
                let row = dense(self.f, self.terms.start + term, l, run.len());
                let by = w * self.second(h, term, k, l);
                to[start..][run.clone()].iter_mut().zip(row).for_each(|(to, x)| *to += by * x);
            }
            to.extend(entries[..=a].iter().map(|&(l, x)| w * self.second(h, term, k, l) * x));
            // Two inputs that are the same parameter: both halves of the matrix fall on its diagonal.
            let before = self.shared.iter().chain(&own[..a]);
            to[start..].iter_mut().zip(before).filter(|(_, i)| **i == own[a]).for_each(|(to, _)| *to *= 2.0);
        }
    }
    /// Appends rows of Jacobians.
    fn rows(&self, of_forms: &Out, out: &mut Out) {
        let (forms, results) = (self.forms(), self.f.results());
        for (place, by) in of_forms.more.chunks_exact(forms).enumerate() {
            let (term, start) = (place / results, out.more.len());
            out.more.resize(start + self.shared.len(), 0.0);
            for (form, run) in self.dense() {
                let row = dense(self.f, self.terms.start + term, form, run.len());
                let to = out.more[start..][run.clone()].iter_mut().zip(row);
                to.for_each(|(to, x)| *to += by[form] * x);
            }
            self.sparse(term, |form, _, w| out.more.push(by[form] * w));
        }
    }
}

/// `x·rᵢ` of some rows side by side, each in its order.
#[inline(always)]
fn products(x: &[f64], [a, b, c, d]: [&[f64]; ROWS]) -> [f64; ROWS] {
    let mut sums = [std::iter::empty::<f64>().sum(); ROWS];
    for ((((x, a), b), c), d) in x.iter().zip(a).zip(b).zip(c).zip(d) {
        sums[0] += x * a;
        sums[1] += x * b;
        sums[2] += x * c;
        sums[3] += x * d;
    }
    sums
}

/// Adds multiples of some rows.
#[inline(always)]
fn add(to: &mut [f64], by: [f64; ROWS], [a, b, c, d]: [&[f64]; ROWS]) {
    for ((((to, a), b), c), d) in to.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *to += by[0] * a + by[1] * b + (by[2] * c + by[3] * d);
    }
}

//! What an operator does with the terms of a piece, and where the results go.

use std::ops::Range;

use super::blocks::InBlocks;
use super::engine::{Engine, Objective, blank};
use super::jobs::{Out, scatter};
use super::kept::{Along, First};
use super::reverse::OnTape;
use super::terms::Terms;
use crate::duals::Dual;
use crate::pool::Spare;

/// Terms of a group.
pub(super) type Piece = (usize, Range<usize>);

/// What an operator puts in [`Out::more`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    /// Not even slopes.
    Values,
    Nothing,
    /// A tangent of each slope.
    Tangents,
    /// The lower triangles of a symmetric matrix, in the order of [`Out::places`].
    Triangles,
    /// The rows of each term, shared inputs first.
    #[cfg_attr(not(feature = "sparse"), allow(dead_code))]
    Rows,
}

/// What an operator does with the terms of a piece.
pub(super) trait Work: Sync {
    const MORE: More;
    /// Appends what the terms give at a point, and along a direction if the operator has one.
    fn piece<F: Terms>(&self, engine: impl Engine, f: &F, at: [&[f64]; 2], piece: Piece, out: &mut Out);
    /// The same of functions of so many linear forms, which they read by themselves.
    fn over_forms<F: Terms>(&self, f: &F, at: [&[f64]; 2], piece: Piece, forms: usize, out: &mut Out) {
        let _ = forms;
        self.piece(InBlocks(OnTape), f, at, piece, out);
    }
}

/// Values alone.
pub(super) struct Values<'a, O>(pub &'a O);

impl<O: Objective> Work for Values<'_, O> {
    const MORE: More = More::Values;
    fn piece<F: Terms>(&self, _: impl Engine, f: &F, [p, _]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        let ((group, terms), mut inputs) = (piece, Spare::new());
        let [mut point, mut local, mut results, mut weights] = [const { Spare::new() }; 4];
        let (inputs, weights) = (inputs.clear(1), weights.clear(1));
        let (point, local, results) = (point.clear(1), local.clear(1), results.clear(1));
        f.shared_inputs(group, inputs);
        point.extend(inputs.iter().map(|&i| p[i]));
        let function = f.group(group, point);
        for term in terms {
            inputs.clear();
            f.inputs(group, term, inputs);
            local.clear();
            local.extend(inputs.iter().map(|&i| p[i]));
            blank(results, f.results(group, term));
            function(term, local, results);
            weights.clear();
            out.values.push(self.0.of(results, weights));
        }
    }
}

/// Values and slopes.
pub(super) struct Slopes<'a, O>(pub &'a O);

impl<O: Objective> Work for Slopes<'_, O> {
    const MORE: More = More::Nothing;
    fn piece<F: Terms>(&self, engine: impl Engine, f: &F, [p, _]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        engine.slopes(f, self.0, &|_, i: usize| p[i], piece, &mut First(out, 0));
    }
}

/// Values, slopes and their tangents.
pub(super) struct Products<'a, O>(pub &'a O);

impl<O: Objective> Work for Products<'_, O> {
    const MORE: More = More::Tangents;
    fn piece<F: Terms>(&self, engine: impl Engine, f: &F, [p, v]: [&[f64]; 2], piece: Piece, out: &mut Out) {
        let x = |_, i: usize| Dual::new(p[i], v[i]);
        engine.slopes(f, self.0, &x, piece, &mut Along(out, 0));
    }
}

/// Where results go.
pub(super) trait Sink: Send {
    fn start(&mut self);
    /// Takes those of a job.
    fn add(&mut self, out: &Out);
    fn has_nan(&self) -> bool;
}

/// Whether a number is NaN, without a branch for each.
pub(super) fn any_nan(x: &[f64]) -> bool {
    x.iter().fold(false, |nan, x| nan | x.is_nan())
}

/// Nothing but values.
impl Sink for () {
    fn start(&mut self) {}
    fn add(&mut self, _: &Out) {}
    fn has_nan(&self) -> bool {
        false
    }
}

/// A gradient.
impl Sink for &mut [f64] {
    fn start(&mut self) {
        self.fill(0.0);
    }
    fn add(&mut self, out: &Out) {
        out.add_slopes(self);
    }
    fn has_nan(&self) -> bool {
        any_nan(self)
    }
}

/// The tangent of a gradient.
pub(super) struct Tangent<'a>(pub &'a mut [f64]);

impl Sink for Tangent<'_> {
    fn start(&mut self) {
        self.0.fill(0.0);
    }
    fn add(&mut self, out: &Out) {
        scatter(&out.inputs, &out.more, |i, slope| self.0[*i] += slope);
    }
    fn has_nan(&self) -> bool {
        any_nan(self.0)
    }
}

/// Both.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn start(&mut self) {
        self.0.start();
        self.1.start();
    }
    fn add(&mut self, out: &Out) {
        self.0.add(out);
        self.1.add(out);
    }
    fn has_nan(&self) -> bool {
        self.0.has_nan() || self.1.has_nan()
    }
}

impl<S: Sink> Sink for &mut S {
    fn start(&mut self) {
        S::start(self);
    }
    fn add(&mut self, out: &Out) {
        S::add(self, out);
    }
    fn has_nan(&self) -> bool {
        S::has_nan(self)
    }
}

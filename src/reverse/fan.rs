//! Values of many parents, recorded as one step: sums, products, inner products.

use super::misuse;
use super::record::Edge;
use super::slots::{self, Place};
use super::var::Var;
use crate::number::{Real, wide::products_of_others};

/// Up to so many edges are plain nodes in a row; beyond, a block is smaller and faster.
const SHORT: usize = 4;

/// A sum that is being formed: neighbours of one direction are merged.
struct Fan<T: Real> {
    /// That of the first active term; of its tape must all be.
    place: Place,
    /// How many of `edges` are in use; the last one is still open.
    count: usize,
    edges: [Edge<T>; SHORT],
    /// What did not fit, in a buffer that belongs to the tape's record.
    draft: Vec<Edge<T>>,
}

impl<T: Real> Fan<T> {
    #[inline(always)]
    fn new() -> Self {
        Fan { place: Place::NOWHERE, count: 0, edges: [(T::lit(0.0), 0); SHORT], draft: Vec::new() }
    }
    /// Adds `partial` times the tangent of `x`'s node, for an active `x`.
    #[inline(always)]
    #[track_caller]
    fn add(&mut self, x: &Var<T>, partial: T) {
        if self.count == 0 {
            self.place = x.place();
        } else if !self.place.same_tape(x.place()) {
            misuse::two_tapes(self.place.tape(), x.tape());
        } else {
            let last = &mut self.edges[self.count - 1];
            if last.1 == x.node() {
                last.0 += partial;
                return;
            }
            if self.count == SHORT {
                self.move_to_draft();
            }
        }
        self.edges[self.count] = (partial, x.node());
        self.count += 1;
    }
    /// Moves the edges to the draft, the open one too: an edge of another node has come.
    #[track_caller]
    fn move_to_draft(&mut self) {
        if self.draft.capacity() == 0 {
            self.draft = slots::with(self.place.tape(), |record, _| record.drafts.pop().unwrap_or_default());
        }
        self.draft.extend_from_slice(&self.edges);
        self.count = 0;
    }
    /// The variable with this value.
    #[inline]
    #[track_caller]
    fn finish(mut self, value: T) -> Var<T> {
        if self.place == Place::NOWHERE {
            return Var::constant(value);
        }
        if self.draft.capacity() > 0 {
            return self.finish_block(value);
        }
        let (mut slope, node) = self.edges[0];
        let mut place = Place::new(self.place.tape(), node);
        for &(partial, parent) in &self.edges[1..self.count] {
            place = slots::push(place, [slope, partial], [place.node(), parent]);
            slope = T::lit(1.0);
        }
        Var::along(value, slope, place)
    }
    #[cold]
    #[track_caller]
    fn finish_block(&mut self, value: T) -> Var<T> {
        let mut draft = std::mem::take(&mut self.draft);
        draft.extend_from_slice(&self.edges[..self.count]);
        let node = slots::with(self.place.tape(), |record, len| {
            let node = record.add_sum(len, &draft);
            draft.clear();
            record.drafts.push(draft);
            node
        });
        Var::at(value, Place::new(self.place.tape(), node))
    }
}

/// `Σ xᵢ`.
#[inline]
#[track_caller]
pub(super) fn sum<T: Real>(items: impl Iterator<Item = Var<T>>) -> Var<T> {
    let (mut fan, mut value) = (Fan::new(), T::sum_of_nothing());
    for x in items {
        value += x.value();
        if !x.is_passive() {
            fan.add(&x, x.slope());
        }
    }
    fan.finish(value)
}

/// `Σ xᵢyᵢ`.
#[inline]
#[track_caller]
pub(super) fn inner_product<T: Real>(pairs: impl Iterator<Item = (Var<T>, Var<T>)>) -> Var<T> {
    let (mut fan, mut value) = (Fan::new(), T::sum_of_nothing());
    for (x, y) in pairs {
        value += x.value() * y.value();
        if !x.is_passive() {
            fan.add(&x, x.slope() * y.value());
        }
        if !y.is_passive() {
            fan.add(&y, x.value() * y.slope());
        }
    }
    fan.finish(value)
}

/// The variable of this value with the tangent `Σ pᵢẋᵢ`, from pairs of `pᵢ` times the slope of `xᵢ`, and `xᵢ`.
#[inline]
#[track_caller]
pub(super) fn combination<T: Real>(value: T, terms: impl Iterator<Item = (T, Var<T>)>) -> Var<T> {
    let mut fan = Fan::new();
    for (partial, x) in terms.filter(|(_, x)| !x.is_passive()) {
        fan.add(&x, partial);
    }
    fan.finish(value)
}

/// `Π xᵢ`, the partials from products of what stands before and behind: exact with any number of zeros, and where a
/// product of some of the factors is no float.
#[track_caller]
pub(super) fn product<T: Real>(items: impl Iterator<Item = Var<T>>) -> Var<T> {
    let items: Vec<Var<T>> = items.collect();
    let values: Vec<T> = items.iter().map(|x| x.value()).collect();
    let terms =
        items.iter().zip(products_of_others(&values)).map(|(x, others)| (others.strong_mul(x.slope()), *x));
    combination(values.iter().copied().product(), terms)
}

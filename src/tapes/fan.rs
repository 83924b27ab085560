//! Values of many parents, recorded as one block: sums, products, inner products.

use super::misuse;
use super::operand::Edge;
use super::place::Place;
use super::slots;
use super::var::Var;
use crate::number::{Number, Real, wide::products_of_others};
use crate::pool::Spare;

/// Up to this number of edges plain nodes are used; above, a block is smaller and faster.
const SHORT: usize = 4;

/// A sum under construction: neighbouring terms of the same node are merged.
struct Fan<T: Real> {
    /// The tape of the first active term, which the others must share.
    place: Place,
    /// The number of `edges` in use; the last one is still open.
    count: usize,
    edges: [Edge<T>; SHORT],
    /// Further edges, in a buffer of the tape's record.
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
            self.place = x.place;
        } else if !self.place.same_tape(x.place) {
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
    /// Moves all edges, including the open one, to the draft, to make room for an edge of another node.
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

/// From this number of terms on a block of consecutive nodes is faster than plain nodes: a term of a linear combination takes
/// 3.2 and 2.9 ns at 9 terms, 2.9 in either form at 11, 1.6 and 3.2 at 32.
const BLOCK: usize = 11;

/// Up to this number of terms an inner product is recorded as a loop records it if the nodes of a factor are not consecutive. In a
/// short tape a block of 16 terms takes 1.4 times as long, one of 64 or 128 as long, one of 256 0.9 times; in a tape beyond
/// the caches one of 32 to 128 1.5 to 2 times.
const LOOPED: usize = 128;

/// The nodes of the variables of a slice.
#[derive(PartialEq)]
enum NodeRange {
    Constants,
    /// Consecutive nodes, starting with this one.
    Run(Place),
    Scattered,
}

/// Computed without a branch for each variable.
#[inline]
fn row<T: Real>(x: &[Var<T>]) -> NodeRange {
    let first = x.first().map_or(Place::NOWHERE, |x| x.place);
    let (mut active, mut run) = (false, true);
    for (j, x) in x.iter().enumerate() {
        active |= !x.is_passive();
        run &= x.place == first.after(j);
    }
    match (active, run) {
        (false, _) => NodeRange::Constants,
        (true, true) => NodeRange::Run(first),
        (true, false) => NodeRange::Scattered,
    }
}

/// The dependencies of a block of runs: one run or two, and another variable.
struct Parents<T> {
    first: Place,
    second: Option<Place>,
    further: Option<Var<T>>,
}

/// The variable with this value in a block. `write` appends the partials run by run.
#[inline]
#[track_caller]
fn block<T: Real>(value: T, terms: usize, parents: Parents<T>, write: impl FnOnce(&mut Vec<T>)) -> Var<T> {
    let Parents { first, second, further } = parents;
    let further = further.filter(|x| !x.is_passive());
    for other in second.into_iter().chain(further.map(|x| x.place)) {
        if !other.same_tape(first) {
            misuse::two_tapes(first.tape(), other.tape());
        }
    }
    let runs = [Some(first.node()), second.map(Place::node)];
    let further = further.map(|x| (x.slope, x.node()));
    let node = slots::with(first.tape(), |record, len| record.add_runs(len, terms, runs, further, write));
    Var::at(value, Place::new(first.tape(), node))
}

/// `Σ xᵢyᵢ + c` of slices, without c if there is none.
#[inline]
#[track_caller]
pub(super) fn dot<T: Real>(x: &[Var<T>], y: &[Var<T>], c: Option<Var<T>>) -> Var<T> {
    let (n, pairs) = (x.len(), || x.iter().zip(y));
    let rows = (n >= BLOCK).then(|| (row(x), row(y)));
    // With an offset it is a block, so that the nodes of a layer are consecutive.
    let is_looped = c.is_none() && n <= LOOPED;
    let is_short = |(x, y): &(_, _)| is_looped && [x, y].contains(&&NodeRange::Scattered);
    let Some(rows) = rows.filter(|rows| !is_short(rows)) else {
        // Loops, because operations within closures would not have the caller's line.
        let mut sum = None;
        for (&x, &y) in pairs() {
            let product = x * y;
            sum = Some(if let Some(sum) = sum { sum + product } else { product });
        }
        let sum = sum.unwrap_or_else(<Var<T> as Number>::sum_of_nothing);
        return if let Some(c) = c { sum + c } else { sum };
    };
    let value = || {
        let sum = pairs().fold(T::sum_of_nothing(), |sum, (x, y)| sum + x.value() * y.value());
        c.map_or(sum, |c| sum + c.value())
    };
    let left = |(x, y): (&Var<T>, &Var<T>)| x.slope * y.value();
    let right = |(x, y): (&Var<T>, &Var<T>)| x.value() * y.slope;
    let parents = |first, second| Parents { first, second, further: c };
    match rows {
        (NodeRange::Run(x), NodeRange::Constants) => {
            block(value(), n, parents(x, None), |p| p.extend(pairs().map(left)))
        }
        (NodeRange::Constants, NodeRange::Run(y)) => {
            block(value(), n, parents(y, None), |p| p.extend(pairs().map(right)))
        }
        (NodeRange::Run(x), NodeRange::Run(y)) if x == y => {
            block(value(), n, parents(x, None), |p| p.extend(pairs().map(|pair| left(pair) + right(pair))))
        }
        (NodeRange::Run(x), NodeRange::Run(y)) => block(value(), n, parents(x, Some(y)), |p| {
            p.extend(pairs().map(left));
            p.extend(pairs().map(right));
        }),
        _ => {
            let terms = pairs().flat_map(|(x, y)| [(x.slope * y.value(), *x), (x.value() * y.slope, *y)]);
            combination(value(), terms.chain(c.map(|c| (c.slope, c))))
        }
    }
}

/// `Σ wᵢxᵢ` of slices.
#[inline]
#[track_caller]
pub(super) fn weighted_sum<T: Real>(weights: &[T::Base], x: &[Var<T>]) -> Var<T> {
    let terms = || x.iter().zip(weights);
    if x.len() < BLOCK {
        let mut sum = None;
        for (&x, &w) in terms() {
            let term = x * w;
            sum = Some(if let Some(sum) = sum { sum + term } else { term });
        }
        return sum.unwrap_or_else(<Var<T> as Number>::sum_of_nothing);
    }
    match row(x) {
        NodeRange::Run(first) => {
            let value = terms().fold(T::sum_of_nothing(), |sum, (x, &w)| sum + x.value() * w);
            block(value, x.len(), Parents { first, second: None, further: None }, |out| {
                out.extend(terms().map(|(x, &w)| x.slope * w))
            })
        }
        _ => sum(terms().map(|(&x, &w)| x * w)),
    }
}

/// `Σ xᵢ` of a slice.
#[inline]
#[track_caller]
pub(super) fn sum_of<T: Real>(x: &[Var<T>]) -> Var<T> {
    match row(x) {
        NodeRange::Run(first) if x.len() >= BLOCK => {
            let value = x.iter().fold(T::sum_of_nothing(), |sum, x| sum + x.value());
            block(value, x.len(), Parents { first, second: None, further: None }, |out| {
                out.extend(x.iter().map(|x| x.slope))
            })
        }
        _ => sum(x.iter().copied()),
    }
}

/// Up to this number of terms a sum is recorded as a loop would record it. In a short tape a block of 5 terms takes 2.5 times
/// as long, one of 18 1.6 times, one of 32 1.3 times, one of 64 as long; in a tape beyond the caches one of 24 as long.
const FEW: usize = 32;

/// `Σ xᵢ`.
#[inline]
#[track_caller]
pub(super) fn sum<T: Real>(mut items: impl Iterator<Item = Var<T>>) -> Var<T> {
    let (mut value, mut few) = (T::sum_of_nothing(), None);
    if items.size_hint().0 <= FEW {
        let Some(first) = items.next() else { return Var::constant(value) };
        let mut sum = first.with_value(value + first.value());
        for _ in 0..FEW {
            let Some(x) = items.next() else { return sum };
            sum += x;
        }
        value = sum.value();
        few = (!sum.is_passive()).then_some(sum);
    }
    let mut fan = Fan::new();
    if let Some(sum) = few {
        fan.add(&sum, sum.slope);
    }
    for x in items {
        value += x.value();
        if !x.is_passive() {
            fan.add(&x, x.slope);
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
            fan.add(&x, x.slope * y.value());
        }
        if !y.is_passive() {
            fan.add(&y, x.value() * y.slope);
        }
    }
    fan.finish(value)
}

/// The variable of this value with the tangent `Σ pᵢẋᵢ`, from pairs of `pᵢ` times the slope of `xᵢ`, and `xᵢ`.
#[inline]
#[track_caller]
pub(crate) fn combination<T: Real>(value: T, terms: impl Iterator<Item = (T, Var<T>)>) -> Var<T> {
    let mut fan = Fan::new();
    for (partial, x) in terms.filter(|(_, x)| !x.is_passive()) {
        fan.add(&x, partial);
    }
    fan.finish(value)
}

/// `Π xᵢ`, with partials from products of the preceding and following factors: exact with zeros, and where partial
/// products overflow or underflow.
#[track_caller]
pub(super) fn product<T: Real>(mut items: impl Iterator<Item = Var<T>>) -> Var<T> {
    // Fewer factors are on the stack, others in memory of the pool.
    const FEW: usize = 16;
    let one = T::lit(1.0);
    let (mut few, mut count) = ([Var::constant(one); FEW], 0);
    while count < FEW
        && let Some(x) = items.next()
    {
        few[count] = x;
        count += 1;
    }
    if count < FEW {
        return product_of(&few[..count], &mut [one; FEW][..count], &mut [one; FEW][..count]);
    }
    let (mut kept, [mut values, mut others]) = (Spare::new(), [Spare::new(), Spare::new()]);
    let kept = kept.clear(1);
    kept.extend(few.into_iter().chain(items));
    let [values, others] = [&mut values, &mut others].map(|spare| spare.clear(kept.len()));
    values.resize(kept.len(), one);
    others.resize(kept.len(), one);
    product_of(kept, values, others)
}

/// [`product`] with memory for the values, and for the products of the others.
#[track_caller]
fn product_of<T: Real>(x: &[Var<T>], values: &mut [T], others: &mut [T]) -> Var<T> {
    values.iter_mut().zip(x).for_each(|(value, x)| *value = x.value());
    products_of_others(values, others);
    let terms = x.iter().zip(others.iter()).map(|(x, others)| (others.strong_mul(x.slope), *x));
    combination(values.iter().copied().product(), terms)
}

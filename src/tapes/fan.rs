//! Values of many parents, recorded as one block: sums, products, inner products.

use std::{iter, ptr};

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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new() -> Self {
        Fan { place: Place::NOWHERE, count: 0, edges: [(T::lit(0.0), 0); SHORT], draft: Vec::new() }
    }
    /// Adds `partial` times the tangent of `x`'s node, for an active `x`.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
            let (_, node) = record.add_sum(len, draft.len(), |edges| edges.append(&mut draft));
            record.drafts.push(draft);
            node
        });
        Var::at(value, Place::new(self.place.tape(), node))
    }
}

/// From this number of terms on an inner product is a block. Recorded and swept, a term of 8 takes 5.2 ns in plain nodes, 4.9
/// in a block of consecutive nodes, 5.5 in one of others. At 9 terms it takes 5.2, 4.4 and 5.2, at 32 terms 5.7, 2.1 and 3.8.
const BLOCK: usize = 9;

/// Where the variables of a slice seem to be, by the first two: at consecutive nodes, or nowhere, as constants. The pass
/// that computes the partials checks the others.
#[derive(Clone, Copy)]
struct Guess {
    first: Place,
    /// The distance of two nodes: 1, or 0 for constants.
    step: usize,
}

impl Guess {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of<T: Real>(x: &[Var<T>]) -> Option<Self> {
        let [first, second] = [x.first()?, x.get(1)?].map(|x| x.place);
        let step = usize::from(first != Place::NOWHERE);
        (second == first.after(step)).then_some(Guess { first, step })
    }
    /// Whether the variable at `j` is where it seems to be.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn holds<T: Real>(self, j: usize, x: &Var<T>) -> bool {
        x.place == self.first.after(j * self.step)
    }
    /// The first node of consecutive variables.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> Option<Place> {
        (self.step == 1).then_some(self.first)
    }
}

/// The dependencies of a block of runs: one run or two, and another variable.
struct Parents<T> {
    first: Place,
    second: Option<Place>,
    further: Option<Var<T>>,
}

/// The variable whose value is a sum, in a block. Each term has its value, its partial to the first run, and whether the
/// guess was right; `second` has the partials to the second run. None if a guess was wrong.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn block<T: Real>(
    parents: Parents<T>,
    terms: impl ExactSizeIterator<Item = (bool, T, T)>,
    second: impl Iterator<Item = T>,
) -> Option<Var<T>> {
    let further = parents.further.filter(|x| !x.is_passive());
    for other in parents.second.into_iter().chain(further.map(|x| x.place)) {
        if !other.same_tape(parents.first) {
            misuse::two_tapes(parents.first.tape(), other.tape());
        }
    }
    let len = terms.len();
    let runs = [Some(parents.first.node()), parents.second.map(Place::node)];
    let further = further.map(|x| (x.slope, x.node()));
    let (value, node) = slots::with(parents.first.tape(), |record, nodes| {
        record.add_runs(nodes, len, runs, further, |partials| {
            let (before, mut value, mut is_run) = (partials.len(), T::sum_of_nothing(), true);
            partials.resize(before + len, T::lit(0.0));
            // Locals: captured variables would be in memory.
            for (partial, (holds, term, slope)) in partials[before..].iter_mut().zip(terms) {
                is_run &= holds;
                value += term;
                *partial = slope;
            }
            partials.extend(second);
            is_run.then_some(value)
        })
    })?;
    let value = parents.further.map_or(value, |c| value + c.value());
    Some(Var::at(value, Place::new(parents.first.tape(), node)))
}

/// [`dot`] in a block with an edge for each variable. None if all variables are of one node, which takes no block.
#[inline]
#[track_caller]
fn dot_of_scattered<T: Real>(x: &[Var<T>], y: &[Var<T>], c: Option<Var<T>>) -> Option<Var<T>> {
    let places = || x.iter().chain(y).chain(&c).map(|x| x.place);
    let first = places().find(|&place| place != Place::NOWHERE)?;
    if let Some(other) = places().find(|&place| place != Place::NOWHERE && !place.same_tape(first)) {
        misuse::two_tapes(first.tape(), other.tape());
    }
    if places().all(|place| place == Place::NOWHERE || place == first) {
        return None;
    }
    let (most, c) = (2 * x.len() + 1, c.unwrap_or_else(|| Var::constant(T::sum_of_nothing())));
    let (value, node) = slots::with(first.tape(), |record, len| {
        record.add_sum(len, most, |edges| {
            let (start, mut count) = (edges.len(), 0);
            edges.resize(start + most, (T::lit(0.0), 0));
            let out = &mut edges[start..];
            // Constants are written too, and overwritten, which takes no branch.
            let mut add = |x: &Var<T>, partial| {
                out[count] = (partial, x.node());
                count += usize::from(!x.is_passive());
            };
            if ptr::eq(x, y) {
                x.iter().for_each(|x| add(x, x.slope * x.value() + x.value() * x.slope));
            } else {
                for (x, y) in x.iter().zip(y) {
                    add(x, x.slope * y.value());
                    add(y, x.value() * y.slope);
                }
            }
            add(&c, c.slope);
            edges.truncate(start + count);
            x.iter().zip(y).fold(T::sum_of_nothing(), |sum, (x, y)| sum + x.value() * y.value()) + c.value()
        })
    });
    Some(Var::at(value, Place::new(first.tape(), node)))
}

/// `Σ xᵢyᵢ + c` of slices, without c if there is none.
#[inline]
#[track_caller]
pub(super) fn dot<T: Real>(x: &[Var<T>], y: &[Var<T>], c: Option<Var<T>>) -> Var<T> {
    if x.len() >= BLOCK {
        if let Some(sum) = dot_of_runs(x, y, c) {
            return sum;
        }
        if let Some(sum) = dot_of_scattered(x, y, c) {
            return sum;
        }
    }
    // Loops, because operations within closures would not have the caller's line.
    let mut sum = None;
    for (&x, &y) in x.iter().zip(y) {
        let product = x * y;
        sum = Some(if let Some(sum) = sum { sum + product } else { product });
    }
    let sum = sum.unwrap_or_else(<Var<T> as Number>::sum_of_nothing);
    if let Some(c) = c { sum + c } else { sum }
}

/// [`dot`] where the variables of a factor are consecutive, and the other factor's too, or constants.
#[inline]
#[track_caller]
fn dot_of_runs<T: Real>(x: &[Var<T>], y: &[Var<T>], c: Option<Var<T>>) -> Option<Var<T>> {
    let guesses = (Guess::of(x)?, Guess::of(y)?);
    let left = |x: &Var<T>, y: &Var<T>| x.slope * y.value();
    let right = |x: &Var<T>, y: &Var<T>| x.value() * y.slope;
    let parents = |first, second| Parents { first, second, further: c };
    match (guesses.0.run(), guesses.1.run()) {
        (None, None) => None,
        (None, Some(first)) => block(parents(first, None), products(x, y, guesses, right), iter::empty()),
        (Some(first), Some(second)) if first == second => {
            let both = |x: &_, y: &_| left(x, y) + right(x, y);
            block(parents(first, None), products(x, y, guesses, both), iter::empty())
        }
        (Some(first), None) => block(parents(first, None), products(x, y, guesses, left), iter::empty()),
        (Some(first), Some(second)) => {
            let second_run = x.iter().zip(y).map(|(x, y)| right(x, y));
            block(parents(first, Some(second)), products(x, y, guesses, left), second_run)
        }
    }
}

/// For each product whether the guesses are right, its value, and its partial to the first run.
#[cfg_attr(not(debug_assertions), inline(always))]
fn products<T: Real>(
    x: &[Var<T>],
    y: &[Var<T>],
    guesses: (Guess, Guess),
    partial: impl Fn(&Var<T>, &Var<T>) -> T,
) -> impl ExactSizeIterator<Item = (bool, T, T)> {
    x.iter().zip(y).enumerate().map(move |(j, (x, y))| {
        (guesses.0.holds(j, x) & guesses.1.holds(j, y), x.value() * y.value(), partial(x, y))
    })
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
    let of_run = terms().enumerate();
    let block =
        one_run(x, |guess| of_run.map(move |(j, (x, &w))| (guess.holds(j, x), x.value() * w, x.slope * w)));
    let Some(block) = block else { return sum(terms().map(|(&x, &w)| x * w)) };
    block
}

/// The sum of at least [`BLOCK`] terms, each of one of consecutive variables.
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn one_run<T: Real, I>(x: &[Var<T>], terms: impl FnOnce(Guess) -> I) -> Option<Var<T>>
where
    I: ExactSizeIterator<Item = (bool, T, T)>,
{
    let guess = Guess::of(x).filter(|_| x.len() >= BLOCK)?;
    block(Parents { first: guess.run()?, second: None, further: None }, terms(guess), iter::empty())
}

/// `Σ xᵢ` of a slice.
#[inline]
#[track_caller]
pub(super) fn sum_of<T: Real>(x: &[Var<T>]) -> Var<T> {
    let of_run = x.iter().enumerate();
    let block = one_run(x, |guess| of_run.map(move |(j, x)| (guess.holds(j, x), x.value(), x.slope)));
    let Some(block) = block else { return sum(x.iter().copied()) };
    block
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

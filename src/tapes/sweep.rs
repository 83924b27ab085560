//! The backward sweep: cotangents from results to inputs.
//!
//! It resets the cotangents that it used to zero, so the buffer is clean for the next one.

use std::cell::Cell;
use std::ops::Range;

use num_traits::Float;

use super::compiled::lanes_of;
use super::operand::{Edge, NOWHERE, Operand};
use super::record::{Block, Content, MapBlock, Node, Record, Seed};
use super::{blame, compiled, pages, slots};
use crate::number::Real;

/// The treatment of zero times infinity or NaN in a sweep, in products of cotangents and partials.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum StrongZeros {
    /// Plain IEEE (`∞·0 = NaN`); with strong zeros if NaN reaches an input.
    IfNeeded,
    /// Plain IEEE; the outer sweep is repeated if necessary.
    Never,
    /// Strong zeros: a product is zero if either factor is exactly zero.
    Always,
}

thread_local! {
    /// The setting of the sweep whose map is being transposed. A segment in it inherits the setting, so that nested
    /// segments do not sweep twice at each level.
    static OUTER: Cell<StrongZeros> = const { Cell::new(StrongZeros::IfNeeded) };
}

/// The setting of the outer sweep; `IfNeeded` outside of maps.
pub(super) fn inherited() -> StrongZeros {
    OUTER.get()
}

impl<T: Real> Record<T> {
    /// Sweeps `K` sets of cotangents back from the seeds, and calls `read` with the cotangents of all nodes below
    /// (only inputs are nonzero).
    ///
    /// Zero times infinity is NaN in the plain sweep. If NaN reaches an input, the sweep is repeated with strong
    /// zeros: a product is zero if the partial or the cotangent is exactly zero. So `√(x² + y²)` has the derivative 0
    /// at 0.
    ///
    /// This is compiled for each kind of seeds and each reader: the sweeps themselves are functions of their own.
    #[inline]
    pub(super) fn sweep_back<const K: usize, R>(
        &mut self,
        len: usize,
        seeds: impl Iterator<Item = Seed<T, K>> + Clone,
        care: StrongZeros,
        read: impl FnOnce(&[[T; K]]) -> R,
    ) -> R {
        // Kept outside while a rule of a user may panic: a buffer that is not clean is lost then.
        let mut buffer = self.zeros_for(len * K);
        let above = seeded(lanes_of::<T, K>(&mut buffer, len), seeds.clone());
        if self.is_spoilt_by_sweep::<K>(&mut buffer, len, above, care) {
            self.sweep_again::<K>(&mut buffer, len, &seeds.collect::<Vec<_>>());
        }
        let result = read(lanes_of(&mut buffer, len));
        self.keep_cleared::<K>(buffer, len);
        result
    }
    /// The kept buffer, grown to this length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zeros_for(&mut self, numbers: usize) -> Vec<T> {
        let mut buffer = std::mem::take(&mut self.adjoints);
        if buffer.len() < numbers {
            buffer = zeros(numbers.max(2 * buffer.len()));
            pages::prefer_large(&buffer);
        }
        buffer
    }
    /// Sweeps cotangents back, and returns whether NaN reaches an input and something can be done about it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_spoilt_by_sweep<const K: usize>(
        &self,
        buffer: &mut Vec<T>,
        len: usize,
        above: usize,
        care: StrongZeros,
    ) -> bool {
        // At traced numbers strong zeros are operations, and the test for NaN would be a guard.
        let wanted = if care == StrongZeros::Always || T::TRACES && care == StrongZeros::IfNeeded {
            self.sweep::<K, true>(buffer, len, above);
            blame::listener().is_some()
        } else {
            self.sweep::<K, false>(buffer, len, above);
            care == StrongZeros::IfNeeded
        };
        wanted && self.is_spoilt(lanes_of::<T, K>(buffer, len))
    }
    /// Keeps the buffer for the next sweep.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep_cleared<const K: usize>(&mut self, mut buffer: Vec<T>, len: usize) {
        self.clear_inputs(lanes_of::<T, K>(&mut buffer, len));
        self.adjoints = buffer;
    }
    /// Sweeps back with strong zeros, and reports the origin of NaN to a listener.
    #[cold]
    #[inline(never)]
    fn sweep_again<const K: usize>(&self, buffer: &mut Vec<T>, len: usize, seeds: &[Seed<T, K>]) {
        let adjoints = lanes_of::<T, K>(buffer, len);
        self.clear_inputs(adjoints);
        let above = seeded(adjoints, seeds.iter().copied());
        self.sweep::<K, true>(buffer, len, above);
        let Some(listener) = blame::listener() else { return };
        if !self.is_spoilt(lanes_of::<T, K>(buffer, len)) {
            return;
        }
        let blame = |lane: usize| {
            let seeds: Vec<_> = seeds.iter().map(|&(node, seed)| (node, [seed[lane]])).collect();
            if T::IS_F64 { compiled::blame(self, len, &seeds) } else { self.blame(len, &seeds) }
        };
        (0..K).find_map(blame).map(listener);
    }

    /// The nodes of all inputs, and how many inputs come before each range.
    pub(super) fn input_ranges(&self) -> Vec<(Range<usize>, usize)> {
        let count = |before: &mut usize, range: Range<usize>| {
            let first = *before;
            *before += range.len();
            Some((range, first))
        };
        self.inputs().scan(0, count).collect()
    }
    fn inputs(&self) -> impl Iterator<Item = Range<usize>> {
        let further = self.blocks.iter().filter_map(Block::inputs);
        std::iter::once(0..self.first_inputs).chain(further)
    }
    /// Whether the cotangent of an input is NaN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_spoilt<const K: usize>(&self, adjoints: &[[T; K]]) -> bool {
        // Without a branch for each input.
        let any_nan = |inputs: &[[T; K]]| {
            inputs.as_flattened().iter().fold(false, |nan, a| nan | Float::is_nan(a.component_sum()))
        };
        any_nan(&adjoints[..self.first_inputs])
            || self.blocks.iter().filter_map(Block::inputs).any(|range| any_nan(&adjoints[range]))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clear_inputs<const K: usize>(&self, adjoints: &mut [[T; K]]) {
        adjoints[..self.first_inputs].fill([T::lit(0.0); K]);
        self.blocks.iter().filter_map(Block::inputs).for_each(|range| adjoints[range].fill([T::lit(0.0); K]));
    }

    /// Propagates the cotangents of these nodes.
    pub(super) fn sweep_down<const K: usize, const CAREFUL: bool>(
        &self,
        adjoints: &mut [[T; K]],
        nodes: Range<usize>,
    ) {
        let mut above = nodes.end;
        let blocks = self.blocks.iter().rev().skip_while(|b| b.first as usize >= nodes.end);
        for &block in blocks.take_while(|b| b.first as usize >= nodes.start) {
            let first = block.first as usize;
            let end = first + self.width(block);
            self.plain_back::<K, CAREFUL>(adjoints, end..above);
            self.block_back::<K, CAREFUL>(adjoints, block);
            above = first;
        }
        self.plain_back::<K, CAREFUL>(adjoints, nodes.start..above);
    }
    /// Propagates the cotangents of plain nodes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn plain_back<const K: usize, const CAREFUL: bool>(
        &self,
        adjoints: &mut [[T; K]],
        range: Range<usize>,
    ) {
        run_back::<T, K, CAREFUL>(&self.nodes, cells(adjoints), range.start, range.end);
    }
    /// Propagates the cotangents of a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn block_back<const K: usize, const CAREFUL: bool>(
        &self,
        adjoints: &mut [[T; K]],
        block: Block,
    ) {
        let first = block.first as usize;
        match block.content {
            Content::Inputs(_) => {}
            Content::Sum { start, end } => {
                let adjoint = std::mem::replace(&mut adjoints[first], [T::lit(0.0); K]);
                if is_dead(&adjoint) {
                    return;
                }
                let edges = &self.edges[start as usize..end as usize];
                edges.chunks(64 / size_of::<Edge<T>>().min(64)).for_each(|line| slots::prefetch(&line[0]));
                for &edge in edges {
                    send::<T, K, CAREFUL>(cells(adjoints), edge, adjoint);
                }
            }
            Content::Runs(r) => {
                let adjoint = std::mem::replace(&mut adjoints[first], [T::lit(0.0); K]);
                if is_dead(&adjoint) {
                    return;
                }
                for (run, partials) in self.runs_of(r) {
                    partials.chunks(64 / size_of::<T>().min(64)).for_each(|line| slots::prefetch(&line[0]));
                    let (below, _) = adjoints.split_at_mut(first);
                    for (sum, &partial) in below[run].iter_mut().zip(partials) {
                        for (sum, &a) in sum.iter_mut().zip(&adjoint) {
                            *sum += if CAREFUL { partial.strong_both(a) } else { partial * a };
                        }
                    }
                }
            }
            Content::Map(m) => {
                transpose(&self.maps[m as usize], adjoints.as_flattened_mut(), first, K, CAREFUL);
            }
        }
    }
}

#[cold]
#[inline(never)]
fn zeros<T: Real>(count: usize) -> Vec<T> {
    vec![T::lit(0.0); count]
}

/// Adds the cotangents of the results, and returns the first node above all of them.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn seeded<T: Real, const K: usize>(
    adjoints: &mut [[T; K]],
    seeds: impl Iterator<Item = Seed<T, K>>,
) -> usize {
    let adjoints = cells(adjoints);
    seeds.fold(0, |above, (node, seed)| {
        accumulate(&adjoints[node as usize], seed);
        above.max(node as usize + 1)
    })
}

/// `x̄ += partial·ȳ`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn send<T: Real, const K: usize, const CAREFUL: bool>(
    adjoints: &[Cell<[T; K]>],
    (partial, node): Edge<T>,
    adjoint: [T; K],
) {
    let slot = &adjoints[node as usize];
    let mut sum = slot.get();
    // A loop, because calls to `map` and its kin may not be inlined, nor their products of numbers with tangents.
    for (sum, &a) in sum.iter_mut().zip(&adjoint) {
        *sum += if CAREFUL { partial.strong_both(a) } else { partial * a };
    }
    slot.set(sum);
}

/// Whether the cotangent is zero. Tested only for numbers with tangents, whose arithmetic costs more than the test,
/// or is itself recorded on another tape. Base floats need no branch, and in a program the test would be a guard.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_dead<T: Real, const K: usize>(adjoint: &[T; K]) -> bool {
    !T::PLAIN && !T::TRACES && adjoint.iter().all(|a| a.is_exactly_zero())
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn accumulate<T: Real, const K: usize>(slot: &Cell<[T; K]>, term: [T; K]) {
    let mut sum = slot.get();
    sum.iter_mut().zip(&term).for_each(|(sum, &term)| *sum += term);
    slot.set(sum);
}

/// The plain nodes from `low` up to `high`, backwards.
#[inline]
fn run_back<T: Real, const K: usize, const CAREFUL: bool>(
    nodes: &[Node<T>],
    adjoints: &[Cell<[T; K]>],
    low: usize,
    high: usize,
) {
    let range = low.min(high)..high;
    for (node, own) in nodes[range.clone()].iter().zip(&adjoints[range]).rev() {
        slots::prefetch(node);
        let adjoint = own.replace([T::lit(0.0); K]);
        if is_dead(&adjoint) {
            continue;
        }
        send::<T, K, CAREFUL>(adjoints, (node.partials[0], node.parents[0]), adjoint);
        send::<T, K, CAREFUL>(adjoints, (node.partials[1], node.parents[1]), adjoint);
    }
}

/// Cells: a node's own cotangent and its parents' lie in one slice.
#[cfg_attr(not(debug_assertions), inline(always))]
fn cells<T, const K: usize>(adjoints: &mut [[T; K]]) -> &[Cell<[T; K]>] {
    Cell::from_mut(adjoints).as_slice_of_cells()
}

/// Propagates the cotangents of a map's results to its operands, lane by lane; lanes of zeros cost nothing. The
/// number of lanes is an argument: this is long, and compiled once for all of them.
fn transpose<T: Real>(block: &MapBlock<T>, adjoints: &mut [T], first: usize, lanes: usize, careful: bool) {
    let _around = Scope::enter(if careful { StrongZeros::Always } else { StrongZeros::Never });
    let (below, results) = adjoints.split_at_mut(first * lanes);
    let results = &mut results[..block.outputs * lanes];
    for lane in 0..lanes {
        let of_lane = |r: &[T]| r[lane..].iter().step_by(lanes).copied().collect::<Vec<_>>();
        let of_lane = if lanes == 1 { vec![] } else { of_lane(results) };
        let cotangent = if lanes == 1 { &*results } else { &of_lane };
        if !T::TRACES && cotangent.iter().all(|a| a.is_exactly_zero()) {
            continue;
        }
        // Runs are written where they lie, if there is one lane; everything else in buffers first.
        let mut runs = if lanes == 1 { disjoint_runs(&block.operands, below) } else { vec![] };
        let buffer = |(i, operand): (usize, &Operand<T>)| {
            let in_place = runs.iter().any(|(of, _)| *of == i);
            (operand.is_active() && !in_place).then(|| vec![T::lit(0.0); operand.len()])
        };
        let mut buffers: Vec<Option<Vec<T>>> = block.operands.iter().enumerate().map(buffer).collect();
        let mut wanted: Vec<Option<&mut [T]>> = buffers.iter_mut().map(|b| b.as_deref_mut()).collect();
        for (i, run) in runs.drain(..) {
            wanted[i] = Some(run);
        }
        block.map.apply_transpose_add(cotangent, &mut wanted);
        for (operand, buffer) in block.operands.iter().zip(&buffers) {
            deliver(
                operand,
                buffer.as_deref().unwrap_or(&[]),
                |node| node as usize * lanes + lane,
                below,
                careful,
            );
        }
    }
    results.fill(T::lit(0.0));
}

/// Adds the cotangents of an operand's variables to the cotangents of their nodes, which have these indices.
fn deliver<T: Real>(of: &Operand<T>, x: &[T], place: impl Fn(u32) -> usize, below: &mut [T], careful: bool) {
    match of {
        Operand::Passive => {}
        Operand::Run { first, .. } => {
            (*first..).zip(x).for_each(|(node, &x)| below[place(node)] += x);
        }
        Operand::Scattered(edges) => {
            for (&(slope, node), &x) in edges.iter().zip(x).filter(|(edge, _)| edge.1 != NOWHERE) {
                below[place(node)] += if careful { slope.strong_both(x) } else { slope * x };
            }
        }
    }
}

/// The operands that are runs, with their cotangents; none if two of them overlap.
fn disjoint_runs<'a, T: Real>(operands: &[Operand<T>], mut below: &'a mut [T]) -> Vec<(usize, &'a mut [T])> {
    let run = |(i, operand): (usize, &Operand<T>)| match operand {
        Operand::Run { first, len } => Some((i, *first as usize, *len as usize)),
        _ => None,
    };
    let mut runs: Vec<_> = operands.iter().enumerate().filter_map(run).collect();
    if !are_disjoint(&mut runs) {
        return vec![];
    }
    let mut done = 0;
    let mut carve = |(i, first, len): (usize, usize, usize)| {
        let (own, rest) = std::mem::take(&mut below)[first - done..].split_at_mut(len);
        (below, done) = (rest, first + len);
        (i, own)
    };
    runs.into_iter().map(&mut carve).collect()
}

/// Sorts runs by their first nodes; whether none overlaps another.
fn are_disjoint(runs: &mut [(usize, usize, usize)]) -> bool {
    runs.sort_unstable_by_key(|&(_, first, _)| first);
    runs.windows(2).all(|w| w[0].1 + w[0].2 <= w[1].1)
}

/// Restores the setting of the outer sweep, even if a rule panics.
struct Scope(StrongZeros);

impl Scope {
    fn enter(care: StrongZeros) -> Self {
        Scope(OUTER.replace(care))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        OUTER.set(self.0);
    }
}

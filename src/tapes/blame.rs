//! The origin of a NaN in a backward sweep, for numbers that keep notes of their operations.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use num_traits::Float;

use super::operand::NOWHERE;
use super::record::{Record, Seed};
use super::slots;
use crate::number::Real;

/// The step of a sweep in which a cotangent first becomes NaN.
pub(crate) struct Blame {
    /// The number of the tape, and the node whose cotangent was propagated; `None` if the seeds give NaN.
    pub(crate) tape: u32,
    pub(crate) node: Option<u32>,
    /// The node's own cotangent, as text.
    pub(crate) cotangent: String,
    /// The index of the edge, and the number of edges of the node.
    pub(crate) edge: [usize; 2],
}

/// The callback for a sweep that brings NaN to an input.
pub(crate) type Listener = fn(Blame);

/// Whether any thread listens; the only check of a sweep if none does.
static LISTENED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LISTENER: Cell<Option<Listener>> = const { Cell::new(None) };
}

/// Makes the sweeps of this thread report the origin of NaN from now on.
pub(crate) fn listen(listener: Listener) {
    LISTENER.set(Some(listener));
    LISTENED.store(true, Ordering::Relaxed);
}

/// The listener to the sweeps of this thread.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn listener() -> Option<Listener> {
    if LISTENED.load(Ordering::Relaxed) { LISTENER.get() } else { None }
}

/// The open tapes of this thread by number, with their numbers of nodes; an operation recorded the difference.
pub(crate) fn lengths() -> Vec<(u32, u32)> {
    slots::lengths()
}

/// Whether a tape of this number is open on this thread.
pub(crate) fn is_open(tape: u32) -> bool {
    slots::is_open(tape)
}

fn is_nan<T: Real>([adjoint]: &[T; 1]) -> bool {
    Float::is_nan(adjoint.component_sum())
}

impl<T: Real> Record<T> {
    /// Sweeps back with strong zeros, step by step, up to the first NaN.
    #[cold]
    pub(super) fn blame(&self, len: usize, seeds: &[Seed<T, 1>]) -> Option<Blame> {
        let mut adjoints = vec![[T::lit(0.0)]; len];
        let blame = |node, cotangent, edge| Blame { tape: self.tape, node, cotangent, edge };
        for (i, (node, [seed])) in seeds.iter().enumerate() {
            let slot = &mut adjoints[*node as usize];
            slot[0] += *seed;
            if is_nan(slot) {
                return Some(blame(None, format!("{seed:#}"), [i, seeds.len()]));
            }
        }
        let mut step = |first: usize, width: usize, edges: &[u32], back: &dyn Fn(&mut [[T; 1]])| {
            let own = adjoints[first..first + width].iter().find(|a| !a[0].is_exactly_zero());
            let cotangent = own.map(|a| format!("{:#}", a[0]))?;
            back(&mut adjoints);
            // There was none before.
            let nan = |&node: &u32| node != NOWHERE && is_nan(&adjoints[node as usize]);
            let spoilt = edges.iter().position(nan)?;
            Some(blame(Some(first as u32), cotangent, [spoilt, edges.len()]))
        };
        let mut high = len;
        for block in self.blocks.iter().copied().map(Some).rev().chain([None]) {
            // The plain nodes above the block; below all blocks, the rest.
            let (first, width) = block.map_or((self.first_inputs, 0), |b| (b.first as usize, self.width(b)));
            let plain =
                |k: usize| step(k, 1, &self.nodes[k].parents, &|a| self.plain_back::<1, true>(a, k..k + 1));
            if let Some(found) = (first + width..high).rev().find_map(plain) {
                return Some(found);
            }
            let Some(block) = block else { break };
            let back = |adjoints: &mut [[T; 1]]| self.block_back::<1, true>(adjoints, block);
            let mut parents = Vec::new();
            self.each_edge(block, |(_, node)| parents.push(node));
            if let Some(found) = step(first, width, &parents, &back) {
                return Some(found);
            }
            high = first;
        }
        None
    }
}

//! The public tape: inputs, sweeps, statistics, drawings.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::cotangents::Cotangents;
use super::memory::{TapeMemory, pooled};
use super::place::Place;
use super::record::{Content, Record, Seed};
use super::slots::Opened;
use super::sweep::StrongZeros;
use super::var::Var;
use super::{identity, misuse};
use crate::error::AdError;
use crate::number::Real;

/// A recording of operations on [`Var`]s, from inputs to results.
///
/// Drivers such as [`gradient`](crate::gradient) open tapes themselves; use a tape directly for other control flow.
/// Up to 256 tapes of any types may be open on a thread at the same time: each variable finds its own. A tape belongs
/// to its thread. After it is dropped or cleared, using one of its variables panics.
///
/// ```
/// use wengert::Tape;
/// let tape = Tape::new();
/// let x = tape.variables(&[1.0, 2.0, 3.0]);
/// let y = x[0] * x[1] + x[2].sin();
/// let dy = tape.cotangents(y);
/// assert_eq!(dy.of_all(&x), [2.0, 1.0, 3f64.cos()]);
/// ```
pub struct Tape<T: Real> {
    pub(super) opened: Opened<T>,
}

impl<T: Real> Tape<T> {
    /// An empty tape, with memory from the thread's pool.
    ///
    /// # Panics
    /// If 256 tapes are open on this thread.
    #[inline]
    pub fn new() -> Self {
        Tape::with_inputs(0)
    }
    /// A tape with `count` inputs, the nodes 0, 1, ….
    #[inline]
    pub(crate) fn with_inputs(count: usize) -> Self {
        Tape { opened: Opened::new(pooled(), count) }
    }
    /// As [`with_inputs`](Tape::with_inputs), in memory that a driver has kept.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn within(memory: &mut TapeMemory<T>, count: usize) -> Self {
        Tape { opened: Opened::new(memory.take(), count) }
    }
    /// Closes the tape; its memory stays with the driver.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(self, memory: &mut TapeMemory<T>) {
        memory.0 = self.opened.finish(|_, _| ()).1;
    }
    /// A new independent variable.
    #[inline]
    #[track_caller]
    pub fn variable(&self, value: T) -> Var<T> {
        let first = self.add_inputs(1);
        Var::at(value, Place::new(self.opened.tape, first))
    }
    /// New independent variables.
    #[track_caller]
    pub fn variables(&self, values: &[T]) -> Vec<Var<T>> {
        let first = self.add_inputs(values.len());
        values.iter().zip(first..).map(|(&v, node)| Var::at(v, Place::new(self.opened.tape, node))).collect()
    }
    /// Variables of the groups that are wanted, and constants of the others.
    #[cfg(all(feature = "std", any(feature = "nalgebra", feature = "programs")))]
    pub(crate) fn variables_of_some(
        &self,
        groups: &[Vec<T>],
        wanted: impl Iterator<Item = bool>,
    ) -> Vec<Vec<Var<T>>> {
        let lift = |(x, wanted): (&Vec<T>, bool)| match wanted {
            true => self.variables(x),
            false => x.iter().map(|&x| Var::constant(x)).collect(),
        };
        groups.iter().zip(wanted).map(lift).collect()
    }
    /// Nodes for `count` inputs; the first.
    #[inline]
    #[track_caller]
    pub(crate) fn add_inputs(&self, count: usize) -> u32 {
        self.opened.with(|record, len| {
            let first = *len as u32;
            record.add_inputs(len, count);
            first
        })
    }
    /// The input that is node `i`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn input(&self, value: T, i: usize) -> Var<T> {
        Var::at(value, Place::new(self.opened.tape, i as u32))
    }

    /// Calls `show` with the record and the number of nodes.
    #[cfg(feature = "sparse")]
    pub(super) fn with_record<R>(&self, show: impl FnOnce(&Record<T>, usize) -> R) -> R {
        self.opened.with(|record, len| show(record, *len))
    }
    /// The number of nodes and edges to sweep.
    pub(crate) fn size(&self) -> usize {
        self.opened.with(|record, len| *len + record.edges.len() + record.partials.len())
    }

    /// The derivatives of `y` with respect to all inputs, by one sweep. They are zero if `y` is a constant.
    ///
    /// # Panics
    /// If `y` belongs to another tape.
    ///
    /// ```
    /// let tape = wengert::Tape::new();
    /// let x = tape.variable(3.0);
    /// assert_eq!(tape.cotangents(x * x).of(x), 6.0);
    /// assert_eq!(tape.cotangents(x * x * x).of(x), 27.0); // the tape is still there
    /// ```
    #[track_caller]
    pub fn cotangents(&self, y: Var<T>) -> Cotangents<T> {
        self.cotangents_of(&[(y, T::lit(1.0))])
    }
    /// `Σ wᵢ·∂yᵢ/∂x` for all inputs x: one sweep for several pairs `(yᵢ, wᵢ)` of results and cotangents.
    ///
    /// # Panics
    /// If a result belongs to another tape.
    ///
    /// ```
    /// let tape = wengert::Tape::new();
    /// let x = tape.variable(3.0);
    /// assert_eq!(tape.cotangents_of(&[(x * x, 1.0), (x * 5.0, 10.0)]).of(x), 56.0);
    /// ```
    #[track_caller]
    pub fn cotangents_of(&self, results: &[(Var<T>, T)]) -> Cotangents<T> {
        let inputs = self.opened.with(|record, _| record.input_ranges());
        let values = self.pull(results.iter().map(|&(y, w)| (y, [w])), |adjoints| {
            let each: Vec<&[T]> = inputs.iter().map(|(r, _)| adjoints[r.clone()].as_flattened()).collect();
            each.concat()
        });
        Cotangents { tape: self.opened.tape, inputs, values }
    }
    /// Sweeps back from the results and shows the cotangents by node.
    #[inline]
    #[track_caller]
    pub(crate) fn pull<const K: usize, R>(
        &self,
        results: impl Iterator<Item = (Var<T>, [T; K])> + Clone,
        read: impl FnOnce(&[[T; K]]) -> R,
    ) -> R {
        self.pull_with(StrongZeros::IfNeeded, results, read)
    }
    /// As [`pull`](Tape::pull) of one result, and closes the tape; its memory stays with the driver.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(crate) fn pull_last<const K: usize, R>(
        self,
        memory: &mut TapeMemory<T>,
        y: &Var<T>,
        w: [T; K],
        read: impl FnOnce(&[[T; K]]) -> R,
    ) -> R {
        let seed = self.seed_of(y, w);
        let sweep = |record: &mut Record<T>, len| {
            record.sweep_back(len, seed.into_iter(), StrongZeros::IfNeeded, read)
        };
        let result;
        (result, memory.0) = self.opened.finish(sweep);
        result
    }
    /// As [`pull`](Tape::pull), for a sweep within another.
    #[inline]
    #[track_caller]
    pub(super) fn pull_with<const K: usize, R>(
        &self,
        care: StrongZeros,
        results: impl Iterator<Item = (Var<T>, [T; K])> + Clone,
        read: impl FnOnce(&[[T; K]]) -> R,
    ) -> R {
        for (y, _) in results.clone() {
            self.demand(y);
        }
        self.opened.with(|record, len| {
            let seeds = results.filter(|(y, _)| !y.is_passive()).map(|(y, w)| self.seed(y, w));
            record.sweep_back(*len, seeds, care, read)
        })
    }
    /// The node of a result and its slope there; `None` for a constant.
    #[track_caller]
    pub(super) fn direction(&self, y: Var<T>) -> Option<Seed<T, 1>> {
        self.seed_of(&y, [T::lit(1.0)])
    }
    /// Where a result lies and its cotangent there; `None` for a constant.
    #[inline]
    #[track_caller]
    pub(crate) fn seed_of<const K: usize>(&self, y: &Var<T>, w: [T; K]) -> Option<Seed<T, K>> {
        self.demand(*y);
        (!y.is_passive()).then(|| self.seed(*y, w))
    }
    /// Takes the record, with the number of nodes; the variables of the tape are dead afterwards.
    pub(super) fn take(&mut self) -> (Rc<RefCell<Record<T>>>, usize) {
        self.opened.with(|_, _| ()); // the record learns how many nodes it has
        std::mem::replace(&mut self.opened, Opened::new(pooled(), 0)).close()
    }
    /// Panics if a result that is no constant belongs to another tape.
    #[inline]
    #[track_caller]
    fn demand(&self, y: Var<T>) {
        if !y.is_passive() && y.tape() != self.opened.tape {
            misuse::foreign_seed(y.tape(), self.opened.tape);
        }
    }
    #[inline]
    fn seed<const K: usize>(&self, y: Var<T>, w: [T; K]) -> Seed<T, K> {
        (y.node(), w.map(|w| y.slope.strong_both(w)))
    }
    /// `Unsupported` if a rule that is recorded cannot bring tangents forward.
    pub(crate) fn demand_jvp(&self) -> Result<(), AdError> {
        self.opened.with(|record, _| match record.maps.iter().find(|map| !map.applies) {
            Some(map) => Err(AdError::Unsupported { op: map.name, rule: "jvp" }),
            None => Ok(()),
        })
    }
    /// Writes the tangents of results to `out`, from the tangents of the inputs from node `first` on.
    #[track_caller]
    pub(crate) fn push(&self, first: u32, tangents: &[T], results: &[Var<T>], out: &mut [T]) {
        for &y in results {
            self.demand(y);
        }
        self.opened.with(|record, len| {
            let mut all = record.sweep_forward(*len, (first..).zip(tangents.iter().copied()));
            for (&y, out) in results.iter().zip(out) {
                let (node, [slope]) = self.seed(y, [T::lit(1.0)]);
                *out =
                    if y.is_passive() { T::lit(0.0) } else { slope.strong_both(all.items()[node as usize]) };
            }
        });
    }

    /// Removes all that was recorded and keeps the memory. Using an old variable of the tape afterwards panics.
    ///
    /// ```
    /// let mut tape = wengert::Tape::new();
    /// let x = tape.variable(3.0);
    /// tape.clear();
    /// let y = tape.variable(1.0);
    /// assert_eq!(tape.stats().nodes, 1);
    /// assert!(std::panic::catch_unwind(|| x * y).is_err());
    /// ```
    #[track_caller]
    pub fn clear(&mut self) {
        let Some(()) = self.opened.reopen() else { misuse::in_use() };
    }
    /// The size of the tape.
    pub fn stats(&self) -> Stats {
        self.opened.with(|record, len| Stats {
            nodes: *len,
            blocks: record.blocks.iter().filter(|b| !matches!(b.content, Content::Inputs(_))).count(),
            edges: record.edges.len() + record.partials.len(),
            bytes: record.bytes(*len),
            reserve: record.reserve(*len),
        })
    }
    /// The names of the primitives and other maps on the tape, in the order of recording.
    ///
    /// ```
    /// use wengert::{Tape, primitive::{call, from_vjp}};
    /// let twice = from_vjp("twice", 1, |x| vec![2.0 * x[0][0]], |_, w| vec![vec![2.0 * w[0]]]);
    /// let tape = Tape::new();
    /// call(&twice, &[&[tape.variable(3.0)]])?;
    /// assert_eq!(tape.primitives(), ["twice"]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn primitives(&self) -> Vec<&'static str> {
        self.opened.with(|record, _| record.maps.iter().map(|map| map.name).collect())
    }
    /// The tape as a Graphviz graph: inputs as boxes, partials on the edges, maps by name. Useful up to a few dozen
    /// nodes.
    ///
    /// ```
    /// let tape = wengert::Tape::new();
    /// let x = tape.variables(&[2.0, 3.0]);
    /// let y: wengert::Var<f64> = x[0] * x[1];
    /// assert!(tape.to_dot().contains("x0 -> n2 [label=\"3\"]"));
    /// ```
    pub fn to_dot(&self) -> String {
        self.opened.with(|record, len| {
            let mut text = String::from("digraph tape {\n  rankdir=BT;\n");
            record.draw(*len, &mut text).expect("a string takes all that is written");
            text.push_str("}\n");
            text
        })
    }
}

impl<T: Real> Default for Tape<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real> fmt::Debug for Tape<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tape {{ number: {}, {:?} }}", identity::number(self.opened.tape), self.stats())
    }
}

/// The size of a tape.
/// ```
/// let tape = wengert::Tape::new();
/// let [x, y] = [2.0, 3.0].map(|x| tape.variable(x));
/// let _ = x * y;
/// let stats = tape.stats();
/// assert_eq!((stats.nodes, stats.blocks), (3, 0)); // two inputs and their product
/// assert!(stats.bytes > 0);
/// let many = wengert::Tape::new();
/// let _ = wengert::reduce::sum(&many.variables(&[1.0; 20]));
/// let stats = many.stats();
/// assert_eq!((stats.nodes, stats.blocks, stats.edges), (21, 1, 20)); // the sum is one block
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of nodes: inputs, values of two parents, and results of blocks.
    pub nodes: usize,
    /// The number of blocks: sums, products and inner products of many terms, and results of maps (checkpoints, …). Sums
    /// and inner products of up to 8 terms are recorded as their operations, and sums of up to 32 that are not consecutive.
    pub blocks: usize,
    /// The number of partials of sums and inner products.
    pub edges: usize,
    /// The memory of all these, in bytes.
    pub bytes: usize,
    /// The reserved memory, in bytes: room for more nodes, and the buffer of the sweep, with one number for each node
    /// and lane.
    pub reserve: usize,
}

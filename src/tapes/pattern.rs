//! Patterns of sparse derivatives: the inputs that each result depends on, and the pairs of inputs with a second
//! derivative.
//!
//! The function is recorded once. A recorded operation has an edge to each operand that is a variable, even if the partial
//! is zero. An operation that is not recorded stays with its node. So a result depends on the inputs that a walk along the
//! edges finds.
//!
//! For Hessians, `dv = Σ pₖ·duₖ` of a recorded value gives `d²v = Σ pₖ·d²uₖ + Σ dpₖ ⊗ duₖ`. So the Hessian has the
//! pairs (inputs of `pₖ`) × (inputs of `uₖ`) of all edges on the walk. The partials of a tape of `Var<f64>` are
//! variables of a second tape, which has their dependencies. Partials of linear operations are constants.

use std::collections::HashMap;
use std::ops::Range;

use super::operand::{Edge, NOWHERE};
use super::parts::UnchunkedScope;
use super::record::{Content, Record};
use super::tape::Tape;
use super::var::Var;
use crate::number::Real;

/// The entries of all rows in order, sorted within a row, and the start of each row.
pub(crate) type Rows = (Vec<usize>, Vec<usize>);

/// The inputs that nodes depend on.
struct Reach<'r, T: 'static> {
    record: &'r Record<T>,
    /// The last walk that reached each node.
    met: Vec<u32>,
    walk: u32,
    stack: Vec<u32>,
    /// The inputs found by walks, by the first node of each walk.
    found: HashMap<u32, Range<usize>>,
    inputs: Vec<u32>,
}

impl<'r, T: Real> Reach<'r, T> {
    fn new(record: &'r Record<T>, len: usize) -> Self {
        Reach { record, met: vec![0; len], walk: 0, stack: vec![], found: HashMap::new(), inputs: vec![] }
    }
    /// The block of a node that is not plain.
    fn block(&self, node: u32) -> Option<usize> {
        let blocks = &self.record.blocks;
        let i = blocks.partition_point(|block| block.first <= node).checked_sub(1)?;
        let within = (node - blocks[i].first) as usize;
        (within < self.record.width(blocks[i])).then_some(i)
    }
    /// The representative of this node, and whether it is a map: all results of a map depend on all of its operands.
    fn head(&self, node: u32) -> (u32, bool) {
        match self.block(node).map(|i| self.record.blocks[i]) {
            Some(block) if matches!(block.content, Content::Map(_)) => (block.first, true),
            _ => (node, false),
        }
    }
    /// Visits the edges of a node, also edges to constants.
    fn each_edge(&self, node: u32, visit: impl FnMut(Edge<T>)) {
        if let Some(i) = self.block(node) {
            self.record.each_edge(self.record.blocks[i], visit);
        } else if node as usize >= self.record.first_inputs {
            let node = self.record.nodes[node as usize];
            node.partials.into_iter().zip(node.parents).for_each(visit);
        }
    }
    /// The inputs that a node depends on, sorted.
    fn inputs_of(&mut self, node: u32) -> &[u32] {
        let (node, _) = self.head(node);
        if let Some(found) = self.found.get(&node) {
            return &self.inputs[found.clone()];
        }
        self.walk += 1;
        let (walk, start, mut stack) = (self.walk, self.inputs.len(), std::mem::take(&mut self.stack));
        stack.push(node);
        while let Some(node) = stack.pop() {
            let (node, _) = self.head(node);
            if std::mem::replace(&mut self.met[node as usize], walk) == walk {
                continue;
            }
            if (node as usize) < self.record.first_inputs {
                self.inputs.push(node);
            } else if let Some(found) = self.found.get(&node) {
                for i in found.clone() {
                    let input = self.inputs[i];
                    if std::mem::replace(&mut self.met[input as usize], walk) != walk {
                        self.inputs.push(input);
                    }
                }
            } else {
                self.each_edge(node, |(_, u)| {
                    if u != NOWHERE && self.met[u as usize] != walk {
                        stack.push(u);
                    }
                });
            }
        }
        self.stack = stack;
        self.inputs[start..].sort_unstable();
        self.found.insert(node, start..self.inputs.len());
        &self.inputs[start..]
    }
}

/// The inputs that each result of `f` depends on.
#[track_caller]
pub(crate) fn dependencies(x: &[f64], f: impl FnOnce(&[Var<f64>]) -> Vec<Var<f64>>) -> Rows {
    let (_whole, tape) = (UnchunkedScope::enter(), Tape::with_inputs(x.len()));
    let point: Vec<_> = x.iter().enumerate().map(|(i, &x)| tape.input(x, i)).collect();
    let y = f(&point);
    let nodes: Vec<_> = y.iter().map(|&y| tape.direction(y).map(|(node, _)| node)).collect();
    let (mut starts, mut entries) = (vec![0], Vec::new());
    tape.with_record(|record, len| {
        let mut reach = Reach::new(record, len);
        for node in nodes {
            let inputs = node.map_or(&[][..], |node| reach.inputs_of(node));
            entries.extend(inputs.iter().map(|&i| i as usize));
            starts.push(entries.len());
        }
    });
    (starts, entries)
}

/// Pairs of inputs, from time to time without duplicates.
struct Pairs {
    keys: Vec<u64>,
    most: usize,
}

impl Pairs {
    fn add(&mut self, left: &[u32], right: &[u32]) {
        let key = |i: u32, j: u32| u64::from(i) << 32 | u64::from(j);
        self.keys.extend(left.iter().flat_map(|&i| right.iter().flat_map(move |&j| [key(i, j), key(j, i)])));
        if self.keys.len() > self.most {
            self.tidy();
            self.most = self.most.max(2 * self.keys.len());
        }
    }
    fn tidy(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
    }
}

/// A variable whose partials are variables of another tape.
type Twice = Var<Var<f64>>;

/// The pairs of inputs whose second derivative of `f` need not be zero.
#[track_caller]
pub(crate) fn interactions(x: &[f64], f: &dyn Fn(&[Twice]) -> Twice) -> Rows {
    let n = x.len();
    let (_whole, partials, tape) = (UnchunkedScope::enter(), Tape::with_inputs(n), Tape::with_inputs(n));
    let point: Vec<_> = x.iter().enumerate().map(|(i, &x)| tape.input(partials.input(x, i), i)).collect();
    let y = f(&point);
    let mut pairs = Pairs { keys: Vec::new(), most: 1 << 20 };
    if let Some((last, _)) = tape.direction(y) {
        partials.with_record(|below, below_len| {
            tape.with_record(|record, len| {
                let (mut of_partials, mut reach) = (Reach::new(below, below_len), Reach::new(record, len));
                let (mut met, mut stack) = (vec![false; len], vec![last]);
                let mut curved = vec![(y.slope, last)];
                loop {
                    for (partial, node) in curved.drain(..).filter(|(partial, _)| !partial.is_passive()) {
                        pairs.add(of_partials.inputs_of(partial.node()), reach.inputs_of(node));
                    }
                    let Some(node) = stack.pop() else { break };
                    let (node, is_map) = reach.head(node);
                    if std::mem::replace(&mut met[node as usize], true) {
                        continue;
                    }
                    if is_map {
                        let inputs = reach.inputs_of(node);
                        pairs.add(inputs, inputs);
                    }
                    reach.each_edge(node, |(partial, u)| {
                        if u != NOWHERE {
                            stack.push(u);
                            curved.extend((!is_map).then_some((partial, u)));
                        }
                    });
                }
            });
        });
    }
    pairs.tidy();
    let starts = (0..=n as u64).map(|row| pairs.keys.partition_point(|key| key >> 32 < row)).collect();
    (starts, pairs.keys.iter().map(|key| *key as u32 as usize).collect())
}

//! The contents of a tape: nodes with two parents, and blocks with more.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::linear_map::LinearMap;
use crate::number::{Number, Real};

use super::identity::Identities;
use super::misuse;
use super::operand::{Edge, Operand};
use super::pages;

/// Nodes of a fresh record.
const FIRST_ROOM: usize = 256;
/// The number of nodes, edges and partials that a record always keeps.
const LITTLE: usize = 1 << 16;
/// Bytes that a tape may keep when it ends, by [`limit_memory`](super::limit_memory).
pub(super) static MEMORY_LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Without a limit, bytes that a tape keeps whatever the use before it needed.
const LARGE: usize = 1 << 30;
/// Node numbers have 32 bits; the last number is not used.
const MOST_NODES: usize = u32::MAX as usize;

/// A value that depends on two other nodes: `v̇ = p₀·v̇₀ + p₁·v̇₁`.
#[derive(Clone, Copy)]
pub(super) struct Node<T> {
    pub(super) partials: [T; 2],
    pub(super) parents: [u32; 2],
}

impl<T: Number> Node<T> {
    /// A node for an input or a result of a block, without parents.
    pub(super) fn empty() -> Self {
        Node { partials: [T::lit(0.0); 2], parents: [0; 2] }
    }
}

/// Consecutive nodes other than plain ones, starting with `first`.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) first: u32,
    pub(super) content: Content,
}

impl Block {
    /// The nodes, if they are inputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn inputs(&self) -> Option<Range<usize>> {
        let Content::Inputs(n) = self.content else { return None };
        Some(self.first as usize..self.first as usize + n as usize)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Content {
    /// This number of independent variables.
    Inputs(u32),
    /// One value, with these edges.
    Sum { start: u32, end: u32 },
    /// One value that depends on consecutive nodes, with the index of its runs.
    Runs(u32),
    /// The results of the map with this index.
    Map(u32),
}

/// Consecutive nodes that a value depends on: one run, or two of the same length. The record stores the partials
/// contiguously.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) partials: u32,
    pub(super) len: u32,
    /// The first node of each run.
    pub(super) first: [Option<u32>; 2],
    /// One more node, whose partial follows theirs.
    pub(super) further: Option<u32>,
}

/// A linear map from operands to consecutive nodes.
pub(super) struct MapBlock<T> {
    /// The primitive's name, or the map's own.
    pub(super) name: &'static str,
    pub(super) operands: Vec<Operand<T>>,
    pub(super) outputs: usize,
    pub(super) map: Box<dyn LinearMap<T>>,
    /// Whether the map can be applied; otherwise only its transpose can.
    pub(super) applies: bool,
}

/// A cotangent in `K` lanes, with its node.
pub(super) type Seed<T, const K: usize> = (u32, [T; K]);

/// The contents of a tape. The number of valid nodes is the slot's.
pub(super) struct Record<T: 'static> {
    /// Valid up to the tape's number of nodes. Nodes after it, up to the length, were valid before; the rest is
    /// capacity.
    pub(super) nodes: Vec<Node<T>>,
    /// The number of first nodes that are the inputs of a driver, before all blocks.
    pub(super) first_inputs: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) edges: Vec<Edge<T>>,
    pub(super) runs: Vec<Runs>,
    /// The partials of the runs.
    pub(super) partials: Vec<T>,
    pub(super) maps: Vec<MapBlock<T>>,
    /// The numbers for the tapes of this record.
    pub(super) identities: Identities<T>,
    /// The number of its current or last tape.
    pub(super) tape: u32,
    /// The buffer of cotangents, all zero between sweeps.
    pub(super) adjoints: Vec<T>,
    /// Buffers of sums under construction.
    pub(super) drafts: Vec<Vec<Edge<T>>>,
    /// The most edges and partials that were written since the last clearing, also those taken back.
    written: [usize; 2],
    /// The decaying maximum of the sizes of the last uses: nodes, edges, partials.
    needed: [usize; 3],
}

impl<T: Real> Record<T> {
    pub(super) fn new() -> Self {
        Record {
            nodes: Vec::new(),
            first_inputs: 0,
            blocks: Vec::new(),
            edges: Vec::new(),
            runs: Vec::new(),
            partials: Vec::new(),
            maps: Vec::new(),
            identities: Identities::new(),
            tape: 0,
            adjoints: Vec::new(),
            drafts: Vec::new(),
            written: [0; 2],
            needed: [0; 3],
        }
    }
    /// Clears the nodes, `len` of them, and the blocks, and keeps the memory except what [`Record::trim`] frees.
    /// Returns the maps, so that they are dropped where nothing is borrowed.
    pub(super) fn clear(&mut self, len: usize) -> Vec<MapBlock<T>> {
        if self.nodes.capacity() + self.edges.capacity() + self.partials.capacity() > LITTLE {
            self.trim(len);
        }
        self.first_inputs = 0;
        if self.blocks.is_empty() {
            return Vec::new();
        }
        self.blocks.clear();
        self.edges.clear();
        self.runs.clear();
        self.partials.clear();
        std::mem::take(&mut self.maps)
    }
    /// Frees memory by the policy of [`limit_memory`](super::limit_memory).
    #[cold]
    #[inline(never)]
    fn trim(&mut self, len: usize) {
        let [edges, partials] = std::mem::take(&mut self.written);
        let (used, former) = ([len, edges, partials], self.needed);
        let forget = |(needed, used): (&mut usize, usize)| *needed = used.max(*needed - *needed / 8);
        self.needed.iter_mut().zip(used).for_each(forget);
        let [nodes, edges, partials] = self.needed;
        let is_unwanted =
            is_unwanted(self.reserve(0), Self::bytes_of(former), MEMORY_LIMIT.load(Ordering::Relaxed));
        if shrunk(&mut self.nodes, nodes, is_unwanted) {
            self.adjoints = Vec::new();
        }
        shrunk(&mut self.edges, edges, is_unwanted);
        shrunk(&mut self.partials, partials, is_unwanted);
    }
    /// The bytes of this many nodes with their cotangents, edges and partials.
    fn bytes_of([nodes, edges, partials]: [usize; 3]) -> usize {
        nodes * (size_of::<Node<T>>() + size_of::<T>())
            + edges * size_of::<Edge<T>>()
            + partials * size_of::<T>()
    }
    /// Makes room for `more` nodes after the first `len`, without initialising it: a page that is not written costs
    /// nothing.
    pub(super) fn make_room(&mut self, len: usize, more: usize) {
        let (needed, room) = (len.saturating_add(more), self.nodes.capacity());
        if needed > MOST_NODES {
            misuse::too_many_nodes(len, more);
        }
        if needed > room {
            let room = needed.max(2 * room).clamp(FIRST_ROOM, MOST_NODES);
            self.nodes.reserve_exact(room - self.nodes.len());
            pages::prefer_large(&self.nodes);
        }
    }
    /// Appends nodes without parents after the first `len`, and returns the first of them.
    #[inline(never)]
    fn add_empty(&mut self, len: &mut usize, count: usize) -> u32 {
        self.make_room(*len, count);
        let first = *len as u32;
        *len += count;
        if self.nodes.len() < *len {
            self.nodes.resize(*len, Node::empty());
        }
        first
    }
    /// The inputs of a new tape, its first nodes.
    #[inline]
    pub(super) fn start(&mut self, inputs: usize) {
        if self.nodes.len() < inputs {
            self.add_empty(&mut 0, inputs);
        }
        self.first_inputs = inputs;
    }
    /// Appends `count` inputs after the first `len` nodes.
    pub(super) fn add_inputs(&mut self, len: &mut usize, count: usize) {
        let place = self.add_empty(len, count);
        match self.blocks.last_mut() {
            None if place as usize == self.first_inputs => self.first_inputs += count,
            Some(Block { first, content: Content::Inputs(n) }) if *first + *n == place => *n += count as u32,
            _ => self.blocks.push(Block { first: place, content: Content::Inputs(count as u32) }),
        }
    }
    /// Appends one value, whose edges `write` appends, at most `most`; its result is returned with the node.
    #[inline]
    pub(super) fn add_sum<R>(
        &mut self,
        len: &mut usize,
        most: usize,
        write: impl FnOnce(&mut Vec<Edge<T>>) -> R,
    ) -> (R, u32) {
        let start = self.edges.len();
        if u32::try_from(start + most).is_err() {
            misuse::too_many_edges(start, most);
        }
        pages::reserve(&mut self.edges, most);
        self.written[0] = self.written[0].max(start + most);
        let written = write(&mut self.edges);
        let content = Content::Sum { start: start as u32, end: self.edges.len() as u32 };
        let first = self.add_empty(len, 1);
        self.blocks.push(Block { first, content });
        (written, first)
    }
    /// Appends one value of consecutive nodes. `write` appends the partials run by run and returns the value, which this
    /// returns with its node. If it returns none, because the nodes are not consecutive, nothing is appended.
    #[inline]
    pub(super) fn add_runs(
        &mut self,
        len: &mut usize,
        terms: usize,
        first: [Option<u32>; 2],
        further: Option<Edge<T>>,
        write: impl FnOnce(&mut Vec<T>) -> Option<T>,
    ) -> Option<(T, u32)> {
        let before = self.partials.len();
        let Ok(partials) = u32::try_from(before + 2 * terms + 1).map(|_| before as u32) else {
            misuse::too_many_edges(before, 2 * terms + 1)
        };
        pages::reserve(&mut self.partials, 2 * terms + 1);
        self.written[1] = self.written[1].max(before + 2 * terms + 1);
        let Some(value) = write(&mut self.partials) else {
            self.partials.truncate(before);
            return None;
        };
        self.partials.extend(further.map(|(partial, _)| partial));
        let further = further.map(|(_, node)| node);
        let node = self.add_empty(len, 1);
        self.blocks.push(Block { first: node, content: Content::Runs(self.runs.len() as u32) });
        self.runs.push(Runs { partials, len: terms as u32, first, further });
        Some((value, node))
    }
    /// The nodes of each run with their partials.
    #[inline]
    pub(super) fn runs_of(&self, r: u32) -> impl Iterator<Item = (Range<usize>, &[T])> {
        let Runs { partials, len, first, further } = self.runs[r as usize];
        let mut partials = &self.partials[partials as usize..];
        [(first[0], len), (first[1], len), (further, 1)].into_iter().filter_map(move |(first, len)| {
            let (first, of_run) = (first? as usize, partials.split_off(..len as usize)?);
            Some((first..first + len as usize, of_run))
        })
    }
    /// Appends the results of a map, and returns the first node.
    pub(super) fn add_map(&mut self, len: &mut usize, block: MapBlock<T>) -> u32 {
        let first = self.add_empty(len, block.outputs);
        self.blocks.push(Block { first, content: Content::Map(self.maps.len() as u32) });
        self.maps.push(block);
        first
    }
    /// Number of nodes of a block.
    pub(super) fn width(&self, block: Block) -> usize {
        match block.content {
            Content::Inputs(n) => n as usize,
            Content::Sum { .. } | Content::Runs(_) => 1,
            Content::Map(m) => self.maps[m as usize].outputs,
        }
    }
    /// Whether the node is an independent variable.
    pub(super) fn is_input(&self, node: u32) -> bool {
        if (node as usize) < self.first_inputs {
            return true;
        }
        let after = self.blocks.partition_point(|b| b.first <= node);
        after > 0
            && matches!(self.blocks[after - 1], Block { first, content: Content::Inputs(n) } if node - first < n)
    }
    /// Visits the edges of a block, also edges to constants.
    #[inline]
    pub(super) fn each_edge(&self, block: Block, mut visit: impl FnMut(Edge<T>)) {
        match block.content {
            Content::Inputs(_) => {}
            Content::Sum { start, end } => {
                self.edges[start as usize..end as usize].iter().copied().for_each(visit)
            }
            Content::Runs(r) => self.runs_of(r).for_each(|(run, partials)| {
                partials.iter().zip(run).for_each(|(&partial, node)| visit((partial, node as u32)));
            }),
            Content::Map(m) => self.maps[m as usize].operands.iter().flat_map(Operand::edges).for_each(visit),
        }
    }
    /// The bytes of memory besides `len` nodes and the blocks: room for more, and the sweep's buffer.
    pub(super) fn reserve(&self, len: usize) -> usize {
        (self.nodes.capacity() - len) * size_of::<Node<T>>()
            + (self.edges.capacity() - self.edges.len()) * size_of::<Edge<T>>()
            + (self.partials.capacity() - self.partials.len()) * size_of::<T>()
            + self.adjoints.capacity() * size_of::<T>()
    }
    /// The bytes of `len` nodes and their blocks, without the reserve.
    pub(super) fn bytes(&self, len: usize) -> usize {
        let map = |m: &MapBlock<T>| {
            size_of::<MapBlock<T>>() + m.map.bytes() + m.operands.iter().map(Operand::bytes).sum::<usize>()
        };
        len * size_of::<Node<T>>()
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.edges[..])
            + size_of_val(&self.runs[..])
            + size_of_val(&self.partials[..])
            + self.maps.iter().map(map).sum::<usize>()
    }
}

/// Whether a tape that ends with this many bytes frees them: `needed` is what the uses before it needed.
pub(super) fn is_unwanted(bytes: usize, needed: usize, limit: usize) -> bool {
    if limit < usize::MAX { bytes > limit } else { bytes > LARGE && bytes / 4 > needed }
}

/// Empties a list that has much more room than is needed, or is unwanted, and gives up room. Whether it did.
fn shrunk<E>(list: &mut Vec<E>, needed: usize, is_unwanted: bool) -> bool {
    let shrinks = is_unwanted || list.capacity() > 4 * needed.max(LITTLE / 4);
    if shrinks {
        list.clear();
        list.shrink_to(if is_unwanted { 0 } else { 2 * needed });
    }
    shrinks
}

//! The nodes of an argument's variables.

use crate::number::Real;

/// A partial and its node.
pub(super) type Edge<T> = (T, u32);

/// The nodes of a group of variables, which receive its cotangents.
pub(super) enum Operand<T> {
    /// All constants.
    Passive,
    /// Consecutive fresh nodes: results of a block, or inputs.
    Run { first: u32, len: u32 },
    /// One slope and node for each; constants have slope 0 and node `NOWHERE`.
    Scattered(Vec<Edge<T>>),
}

/// The node of a constant.
pub(super) const NOWHERE: u32 = u32::MAX;

impl<T: Real> Operand<T> {
    pub(super) fn is_active(&self) -> bool {
        !matches!(self, Operand::Passive)
    }
    pub(super) fn len(&self) -> usize {
        match self {
            Operand::Passive => 0,
            Operand::Run { len, .. } => *len as usize,
            Operand::Scattered(edges) => edges.len(),
        }
    }
    /// Every edge, slope 1 within a run.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge<T>> {
        let (run, list) = match self {
            Operand::Passive => (0..0, &[][..]),
            Operand::Run { first, len } => (*first..first + len, &[][..]),
            Operand::Scattered(edges) => (0..0, &edges[..]),
        };
        run.map(|node| (T::lit(1.0), node)).chain(list.iter().copied())
    }
    pub(super) fn bytes(&self) -> usize {
        match self {
            Operand::Scattered(edges) => size_of_val(&edges[..]),
            _ => 0,
        }
    }
}

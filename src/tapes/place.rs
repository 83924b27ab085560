//! The reference of a variable to its node.

/// A node of a tape: the tape's number in the upper half, the node's in the lower. 0 for constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(pub(super) u64);

impl Place {
    pub(super) const NOWHERE: Place = Place(0);
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(tape: u32, node: u32) -> Self {
        Place(u64::from(tape) << 32 | u64::from(node))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn tape(self) -> u32 {
        (self.0 >> 32) as u32
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn node(self) -> u32 {
        self.0 as u32
    }
    /// A reference to a later node.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn after(self, nodes: usize) -> Self {
        Place(self.0 + nodes as u64)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn same_tape(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 32 == 0
    }
}

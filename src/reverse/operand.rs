//! Where the variables of an argument live on the tape.

use super::record::Edge;
use super::var::Var;
use crate::number::Real;

/// The nodes of a group of variables, so that cotangents can be brought back to them.
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
    /// The forms of groups.
    #[track_caller]
    pub(super) fn of_all<G: AsRef<[Var<T>]>>(groups: &[G], tape: u32) -> Vec<Self> {
        let mut operands = Vec::with_capacity(groups.len());
        for group in groups {
            operands.push(Self::read(group.as_ref(), tape, |_| ()).0);
        }
        operands
    }
    /// The form, and a part of every variable, in one pass where that is possible; the variables are those of `tape` or
    /// constants.
    #[track_caller]
    pub(super) fn read<V>(
        variables: &[Var<T>],
        tape: u32,
        part: impl Fn(&Var<T>) -> V + Copy,
    ) -> (Self, Vec<V>) {
        let parts = || variables.iter().map(part).collect();
        let Some(first) = variables.first() else { return (Operand::Passive, Vec::new()) };
        if !first.is_passive() && first.is_fresh() {
            first.demand(tape);
            // Without a branch for each variable.
            let mut in_row = true;
            let read = |(i, v): (usize, &Var<T>)| {
                in_row &= (v.place() == first.place().after(i)) & v.is_fresh();
                part(v)
            };
            let parts = variables.iter().enumerate().map(read).collect();
            let run = Operand::Run { first: first.node(), len: variables.len() as u32 };
            return (if in_row { run } else { Self::scattered(variables, tape) }, parts);
        }
        if variables.iter().all(Var::is_passive) {
            return (Operand::Passive, parts());
        }
        (Self::scattered(variables, tape), parts())
    }
    #[track_caller]
    fn scattered(variables: &[Var<T>], tape: u32) -> Self {
        for v in variables {
            v.demand(tape);
        }
        let edge = |v: &Var<T>| if v.is_passive() { (T::lit(0.0), NOWHERE) } else { (v.slope(), v.node()) };
        Operand::Scattered(variables.iter().map(edge).collect())
    }
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

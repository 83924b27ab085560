//! A program as a sequence of what a machine does: operations and questions, without inputs and constants.

use std::collections::HashMap;

use super::super::calls::Call;
use super::super::code::Code;
use super::super::op::Op;

/// The numbers of questions: above those of operations.
const QUESTION: u64 = 1 << 63;

/// What a machine does at one place.
#[derive(Clone, Copy)]
pub(super) enum Item {
    /// The operation of this number.
    Op(u32),
    /// The guard of this number.
    Guard(u32),
}

/// What instructions are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The interpreter, for which those of a kind follow each other.
    Interpreted,
    /// Machine code: in the order of the program, for values to stay in registers; short loops are written out.
    #[cfg(feature = "jit")]
    Compiled,
}

pub(super) struct Items<'a> {
    pub(super) code: &'a Code,
    pub(super) list: Vec<Item>,
    /// The place of each operation in the list; `u32::MAX` for inputs and constants, which have none.
    pub(super) place: Vec<u32>,
    /// The place of the last item that reads a value, and one; 0 for values that are never read, `u32::MAX` for results.
    pub(super) last: Vec<u32>,
    /// Who runs the items.
    pub(super) style: Style,
}

impl<'a> Items<'a> {
    pub(super) fn new(code: &'a Code, calls: &[Call], style: Style) -> Self {
        let mut list = Vec::with_capacity(code.ops.len());
        let mut guards = (0..code.guards.len() as u32).peekable();
        for (v, &op) in code.ops.iter().enumerate() {
            while let Some(g) = guards.next_if(|&g| code.guards[g as usize].before as usize <= v) {
                list.push(Item::Guard(g));
            }
            if !matches!(op, Op::Input(_) | Op::Constant(_) | Op::Part(_)) {
                list.push(Item::Op(v as u32));
            }
        }
        list.extend(guards.map(Item::Guard));
        Self::of(code, list, calls, style)
    }
    /// These items of a program.
    pub(super) fn of(code: &'a Code, list: Vec<Item>, calls: &[Call], style: Style) -> Self {
        let mut items = Items { code, list, place: Vec::new(), last: Vec::new(), style };
        items.count(calls);
        items
    }
    /// Notes where operations stand in the list and where they are read last.
    pub(super) fn count(&mut self, calls: &[Call]) {
        let ops = &self.code.ops;
        (self.place, self.last) = (vec![u32::MAX; ops.len()], vec![0; ops.len()]);
        for (at, &item) in (0..).zip(&self.list) {
            self.operands(item).for_each(|x| self.last[x as usize] = at + 1);
            let Item::Op(v) = item else { continue };
            self.place[v as usize] = at;
            if let Op::Call(k) = ops[v as usize] {
                let call = &calls[k as usize];
                call.groups.iter().flatten().for_each(|&x| self.last[x as usize] = at + 1);
                self.place[v as usize + 1..][..call.results as usize].fill(at);
            }
        }
        self.code.outputs.iter().for_each(|&y| self.last[y as usize] = u32::MAX);
    }
    /// What tells items apart but for their operands, as numbers: equal for equal items alone. Calls differ from
    /// everything.
    pub(super) fn kinds(&self) -> Vec<u64> {
        // (One to one, and it spreads the numbers.)
        let mix = |number: u64| {
            let product = (number ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd1b5_4a32_d192_ed03);
            (product ^ product >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        let mut questions = HashMap::new();
        let mut kind = |item: &Item| match *item {
            // The upper half of the key: the operation and its rule, or the call.
            Item::Op(v) => mix((self.code.ops[v as usize].map_operands(|_| 0).key() >> 64) as u64),
            Item::Guard(g) => {
                let guard = &self.code.guards[g as usize];
                let next = questions.len() as u64;
                let place = (guard.location.line(), guard.location.column(), guard.location.file());
                mix(QUESTION | *questions.entry((guard.question.map_operands(|_| 0), place)).or_insert(next))
            }
        };
        self.list.iter().map(&mut kind).collect()
    }
    /// The values that an item reads; those of a call are in the program's list.
    #[inline]
    pub(super) fn operands(&self, item: Item) -> impl Iterator<Item = u32> + use<> {
        match item {
            Item::Op(v) => self.code.ops[v as usize].list(),
            Item::Guard(g) => self.code.guards[g as usize].question.list(),
        }
    }
    /// The value of an item, if it has one.
    pub(super) fn value(&self, place: usize) -> Option<u32> {
        if let Item::Op(v) = self.list[place] { Some(v) } else { None }
    }
}

//! Instruction scheduling: groups instructions by operation, because the interpreter dispatches once per run of equal
//! operations.

use super::super::op::{Code, Op};
use super::fused::Instr;

/// An operation or a guard, to be ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Item {
    /// The operation of this number, which is neither an input nor a constant.
    Op(u32),
    /// The guard of this number.
    Guard(u32),
}

impl Code {
    /// Operations and guards in the order of the program.
    pub(in super::super) fn items(&self) -> Vec<Item> {
        let mut list = Vec::with_capacity(self.ops.len());
        let mut guards = (0..self.guards.len() as u32).peekable();
        for (v, &op) in self.ops.iter().enumerate() {
            while let Some(g) = guards.next_if(|&g| self.guards[g as usize].position as usize <= v) {
                list.push(Item::Guard(g));
            }
            if !matches!(op, Op::Input(_) | Op::Constant(_) | Op::CallResult(_)) {
                list.push(Item::Op(v as u32));
            }
        }
        list.extend(guards.map(Item::Guard));
        list
    }
    /// The values that an item reads.
    #[cfg(feature = "jit")]
    #[inline]
    pub(in super::super) fn operands(&self, item: Item) -> impl Iterator<Item = u32> + use<> {
        match item {
            Item::Op(v) => self.ops[v as usize].list(),
            Item::Guard(g) => self.guards[g as usize].condition.list(),
        }
    }
}

/// Code with the instructions of its operations.
#[derive(Clone, Copy)]
pub(super) struct Fused<'c> {
    pub(super) code: &'c Code,
    pub(super) instrs: &'c [Option<Instr>],
}

impl Fused<'_> {
    pub(super) fn instr(self, v: u32) -> Instr {
        self.instrs[v as usize].expect("items are instructions")
    }
    /// The values that an item reads; the operands of a call are in the program's list.
    pub(super) fn operands(self, item: Item) -> impl Iterator<Item = u32> + use<> {
        let (instr, condition) = match item {
            Item::Op(v) => (Some(self.instr(v).operands()), None),
            Item::Guard(g) => (None, Some(self.code.guards[g as usize].condition.list())),
        };
        instr.into_iter().flatten().chain(condition.into_iter().flatten())
    }
    /// The number of an item's kind: of its instruction, or one number for all guards.
    fn kind(self, item: Item) -> usize {
        match item {
            Item::Op(v) => self.instr(v).kind(),
            Item::Guard(_) => KINDS - 1,
        }
    }
}

/// The number of kinds: of instructions, and guards.
const KINDS: usize = Instr::KINDS + 1;

/// Items that are ordered together: few enough that their values stay in the nearest cache.
const WINDOW: usize = 512;

/// No index.
const NONE: u32 = u32::MAX;

/// The operations and guards of a program, grouped by operation where possible. Calls keep their positions, and
/// guards their order.
pub(super) fn grouped(code: Fused<'_>) -> Vec<Item> {
    let mut list = code.code.items();
    list.retain(|item| !matches!(*item, Item::Op(v) if code.instrs[v as usize].is_none()));
    let is_call =
        |item: &Item| matches!(*item, Item::Op(v) if matches!(code.instr(v), Instr::Op(Op::Call(_))));
    let mut places = vec![NONE; code.instrs.len()];
    let windows = list.split_mut(is_call).flat_map(|part| part.chunks_mut(WINDOW));
    windows.for_each(|items| group(code, items, &mut places));
    list
}

/// Orders items. `places` holds the indices of the operations among them during the call.
fn group(code: Fused<'_>, items: &mut [Item], places: &mut [u32]) {
    let note = |places: &mut [u32], place: &dyn Fn(u32) -> u32| {
        for (i, item) in (0..).zip(&*items) {
            if let Item::Op(v) = *item {
                places[v as usize] = place(i);
            }
        }
    };
    note(places, &|i| i);
    let order = in_runs(code, items, places);
    note(places, &|_| NONE);
    items.copy_from_slice(&order);
}

/// The items in an order in which each comes after its operands, and as many as possible of one kind are consecutive.
fn in_runs(code: Fused<'_>, items: &[Item], places: &[u32]) -> Vec<Item> {
    // The readers of each item, as linked lists: a reader, and the index of the next entry.
    let (mut first, mut readers) = (vec![NONE; items.len()], Vec::with_capacity(2 * items.len()));
    let (mut waits, mut guard) = (vec![0u32; items.len()], NONE);
    for (i, &item) in (0..items.len() as u32).zip(items).rev() {
        let later = if let Item::Guard(_) = item { std::mem::replace(&mut guard, i) } else { NONE };
        let needs = code.operands(item).map(|x| (places[x as usize], i));
        for (need, reader) in
            needs.chain([(i, later)]).filter(|&(need, reader)| need != NONE && reader != NONE)
        {
            readers.push((reader, first[need as usize]));
            first[need as usize] = readers.len() as u32 - 1;
            waits[reader as usize] += 1;
        }
    }
    let mut ready: [Vec<u32>; KINDS] = Default::default();
    let free = (0..items.len()).filter(|&i| waits[i] == 0);
    free.for_each(|i| ready[code.kind(items[i])].push(i as u32));
    let mut order = Vec::with_capacity(items.len());
    while let Some(kind) = (0..KINDS).max_by_key(|&kind| ready[kind].len()).filter(|&k| !ready[k].is_empty())
    {
        let (mut run, mut at) = (std::mem::take(&mut ready[kind]), 0);
        while let Some(&i) = run.get(at) {
            at += 1;
            order.push(items[i as usize]);
            let mut entry = first[i as usize];
            while entry != NONE {
                let (reader, next) = readers[entry as usize];
                entry = next;
                waits[reader as usize] -= 1;
                if waits[reader as usize] == 0 {
                    let of = code.kind(items[reader as usize]);
                    if of == kind { &mut run } else { &mut ready[of] }.push(reader);
                }
            }
        }
    }
    debug_assert_eq!(order.len(), items.len(), "an order exists");
    order
}

#[cfg(test)]
mod tests {
    use super::super::fused::{Sharing, fused};
    use super::*;
    use crate::programs::{Program, Traced, trace_unoptimized};

    #[test]
    fn kinds_follow_each_other_after_what_they_need() {
        // Four chains of a product and a sum, which are one instruction, and a product.
        let program = trace_unoptimized(
            |x: &[Traced]| [0, 1, 2, 3].map(|i| (x[i] * x[i] + x[i]) * x[i]).to_vec(),
            &[1.0; 4][..],
        );
        let grouped = |program: &Program| {
            let code = program.code();
            grouped(Fused { code, instrs: &fused(code, &[], &Sharing::default()) })
        };
        let order = [1, 4, 7, 10, 2, 5, 8, 11].map(|i| Item::Op(4 + i));
        assert_eq!(grouped(&program), order);
        // Guards keep their order, and wait for their operands.
        let asks = |x: &[Traced]| [x[0].exp() < x[1], x[0] < x[1]].map(|less| if less { x[0] } else { x[1] });
        let program = trace_unoptimized(asks, &[0.0, 2.0]);
        assert_eq!(grouped(&program), [Item::Op(2), Item::Guard(0), Item::Guard(1)]);
    }
}

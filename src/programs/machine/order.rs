//! The order of instructions: those of one kind follow each other, because a run of them needs one decision for all.

use std::collections::BTreeMap;

use super::super::op::Op;
use super::items::{Item, Items, Style};

/// A kind of instructions.
pub(super) type Kind = u8;

/// The kind of loads.
pub(super) const LOAD: Kind = 0;

/// The kind of an item's instruction.
pub(super) fn kind(items: &Items<'_>, place: usize) -> Kind {
    match items.value(place).map(|v| items.code.ops[v as usize]) {
        None => 1,
        // The number of the operation: the highest part of its key.
        Some(op) => 2 + (op.map_operands(|_| 0).key() >> 96) as Kind,
    }
}

/// An order in which each comes after what it `needs`, and otherwise in the given order.
pub(super) fn kept(needs: &[Vec<u32>]) -> Vec<u32> {
    let (mut seen, mut order) = (vec![false; needs.len()], Vec::with_capacity(needs.len()));
    let mut open = Vec::new();
    for i in 0..needs.len() as u32 {
        open.push((i, false));
        while let Some((i, ready)) = open.pop() {
            if ready {
                order.push(i);
            } else if !std::mem::replace(&mut seen[i as usize], true) {
                open.push((i, true));
                open.extend(needs[i as usize].iter().rev().map(|&need| (need, false)));
            }
        }
    }
    order
}

/// An order in which each comes after what it `needs`, and as many of one kind as possible follow each other.
pub(super) fn grouped(kinds: &[Kind], needs: &[Vec<u32>]) -> Vec<u32> {
    let mut waits: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); needs.len()];
    for (i, needs) in (0..).zip(needs) {
        needs.iter().for_each(|&need| readers[need as usize].push(i));
    }
    let mut ready: BTreeMap<Kind, Vec<u32>> = BTreeMap::new();
    let free = (0..needs.len()).filter(|&i| waits[i] == 0);
    free.for_each(|i| ready.entry(kinds[i]).or_default().push(i as u32));
    let mut order = Vec::with_capacity(needs.len());
    while let Some((&kind, _)) = ready.iter().max_by_key(|(_, of)| of.len()) {
        let mut run = ready.remove(&kind).unwrap_or_default();
        let mut at = 0;
        while let Some(&i) = run.get(at) {
            at += 1;
            for &reader in &readers[i as usize] {
                let reader = reader as usize;
                waits[reader] -= 1;
                if waits[reader] == 0 {
                    let more = if kinds[reader] == kind {
                        &mut run
                    } else {
                        ready.entry(kinds[reader]).or_default()
                    };
                    more.push(reader as u32);
                }
            }
        }
        order.append(&mut run);
    }
    debug_assert_eq!(order.len(), needs.len(), "an order exists");
    order
}

/// Items that are ordered together: few enough that their values stay in the nearest cache.
const WINDOW: usize = 512;

impl Items<'_> {
    /// Orders the items of straight code from `from` to `to`; calls stay where they are.
    pub(super) fn group(&mut self, from: usize, to: usize) {
        if self.style != Style::Interpreted {
            return;
        }
        let is_call = |items: &Self, place| {
            items.value(place).is_some_and(|v| matches!(items.code.ops[v as usize], Op::Call(_)))
        };
        let mut start = from;
        for at in from..=to {
            if at == to || at == start + WINDOW || is_call(self, at) {
                self.group_window(start, at);
                start = if at < to && is_call(self, at) { at + 1 } else { at };
            }
        }
    }
    fn group_window(&mut self, from: usize, to: usize) {
        let mut asked = None;
        let needs: Vec<Vec<u32>> = (from..to)
            .map(|place| {
                let operands = self.operands(self.list[place]).map(|x| self.place[x as usize] as usize);
                let mut needs: Vec<u32> =
                    operands.filter(|p| (from..to).contains(p)).map(|p| (p - from) as u32).collect();
                if let Item::Guard(_) = self.list[place] {
                    needs.extend(asked.replace((place - from) as u32));
                }
                needs
            })
            .collect();
        let kinds: Vec<Kind> = (from..to).map(|place| kind(self, place)).collect();
        let order = grouped(&kinds, &needs);
        let moved: Vec<Item> = order.iter().map(|&i| self.list[from + i as usize]).collect();
        self.list[from..to].copy_from_slice(&moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_each_other_after_what_they_need() {
        // Four chains of a product, a sum and a product.
        let kinds: Vec<Kind> = [7, 3, 7].repeat(4);
        let needs: Vec<Vec<u32>> = (0..12).map(|i| if i % 3 == 0 { vec![] } else { vec![i - 1] }).collect();
        let order = grouped(&kinds, &needs);
        assert_eq!(order, [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]);
        // An operand that is read twice is waited for once.
        assert_eq!(grouped(&[1, 1], &[vec![1, 1], vec![]]), [1, 0]);
    }

    #[test]
    fn the_given_order_is_kept_but_for_what_is_needed() {
        assert_eq!(kept(&[vec![], vec![0], vec![], vec![1, 0]]), [0, 1, 2, 3]);
        // What stands too late comes right before its reader, operands in their order.
        assert_eq!(kept(&[vec![], vec![4, 3], vec![], vec![], vec![2], vec![1, 4]]), [0, 2, 4, 3, 1, 5]);
    }
}

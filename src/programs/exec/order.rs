//! Instruction scheduling: groups instructions by operation, because the interpreter dispatches once per run of equal
//! operations.

use super::super::op::Op;
use super::fused::{Instr, Item};

/// Items that are ordered together: few enough that their values stay in the nearest cache.
const WINDOW: usize = 512;

/// No index.
const NONE: u32 = u32::MAX;

/// Groups the instructions of a program with this number of values by kind, where possible. Calls keep their positions, and
/// guards their order.
pub(super) fn group(items: &mut [Item], values: usize) {
    let mut places = vec![NONE; values];
    let windows = items.split_mut(|(instr, _)| matches!(instr, Instr::Op(Op::Call(_))));
    for items in windows.flat_map(|part| part.chunks_mut(WINDOW)) {
        note(items, &mut places, |i| i);
        let order = in_runs(items, &places);
        note(items, &mut places, |_| NONE);
        items.copy_from_slice(&order);
    }
}

/// Notes a place for the value of each item.
fn note(items: &[Item], places: &mut [u32], place: impl Fn(u32) -> u32) {
    for (i, &(instr, v)) in (0..).zip(items) {
        if !matches!(instr, Instr::Guard { .. }) {
            places[v as usize] = place(i);
        }
    }
}

/// The items in an order in which each comes after its operands, and as many as possible of one kind are consecutive.
/// `places` has the indices of the values.
fn in_runs(items: &[Item], places: &[u32]) -> Vec<Item> {
    // The readers of each item, as linked lists: a reader, and the index of the next entry.
    let (mut first, mut readers) = (vec![NONE; items.len()], Vec::with_capacity(2 * items.len()));
    let (mut waits, mut guard) = (vec![0u32; items.len()], NONE);
    for (i, &(instr, _)) in (0..items.len() as u32).zip(items).rev() {
        let is_guard = matches!(instr, Instr::Guard { .. });
        let later = if is_guard { std::mem::replace(&mut guard, i) } else { NONE };
        let needs = instr.operands().map(|x| (places[x as usize], i));
        for (need, reader) in
            needs.chain([(i, later)]).filter(|&(need, reader)| need != NONE && reader != NONE)
        {
            readers.push((reader, first[need as usize]));
            first[need as usize] = readers.len() as u32 - 1;
            waits[reader as usize] += 1;
        }
    }
    let mut ready: [Vec<u32>; Instr::KINDS] = Default::default();
    let free = (0..items.len()).filter(|&i| waits[i] == 0);
    free.for_each(|i| ready[items[i].0.kind()].push(i as u32));
    let mut order = Vec::with_capacity(items.len());
    while let Some(kind) =
        (0..Instr::KINDS).max_by_key(|&kind| ready[kind].len()).filter(|&k| !ready[k].is_empty())
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
                    let of = items[reader as usize].0.kind();
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
    use super::super::super::op::GuardCondition;
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
            let mut items = fused(program.code(), &[], &Sharing::default());
            group(&mut items, program.code().ops.len());
            items
        };
        let order: Vec<u32> = grouped(&program).into_iter().map(|(_, v)| v).collect();
        assert_eq!(order, [1, 4, 7, 10, 2, 5, 8, 11].map(|i| 4 + i));
        // Guards keep their order, and wait for their operands.
        let asks = |x: &[Traced]| [x[0].exp() < x[1], x[0] < x[1]].map(|less| if less { x[0] } else { x[1] });
        let program = trace_unoptimized(asks, &[0.0, 2.0]);
        let [(Instr::Op(_), 2), (first, NONE), (second, NONE)] = grouped(&program)[..] else { panic!() };
        for (number, instr, operands) in [(0, first, [2, 1]), (1, second, [0, 1])] {
            let is_less = |instr| matches!(instr, Instr::Guard { guard, condition: GuardCondition::Compare(..) } if guard == number);
            assert!(is_less(instr) && instr.operands().eq(operands));
        }
    }
}

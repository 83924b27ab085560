//! What the operands of a loop's body are: the same in all iterations, of the iteration before, or one for each.

use std::collections::HashMap;

use super::items::Items;
use super::repeats::Repeat;

/// What an operand of the body is in every iteration. Places are those of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The value at a place, of the same iteration.
    Same(u32),
    /// The value at a place, of the iteration before.
    Previous(u32),
    /// A value from before the loop.
    Outer(u32),
    /// One value for each iteration: a list of the plan.
    Varying(u32),
}

/// A loop and its operands.
pub(super) struct Plan {
    pub(super) repeat: Repeat,
    /// The operands of each item of the body.
    pub(super) operands: Vec<Vec<Operand>>,
    /// The values that vary, by iteration.
    pub(super) lists: Vec<Vec<u32>>,
    /// The value before the first iteration of what the next iteration reads.
    pub(super) initial: Vec<Option<u32>>,
    /// Whether the values of all iterations are kept, because one is read later.
    pub(super) stored: Vec<bool>,
    /// Whether the value of the last iteration is read after the loop.
    pub(super) kept: Vec<bool>,
}

/// The iteration and the place in the body of a value of the loop.
pub(super) fn within(items: &Items<'_>, repeat: &Repeat, value: u32) -> Option<(usize, u32)> {
    let place = items.place[value as usize] as usize;
    let inside = place >= repeat.start && place < repeat.end();
    inside.then(|| ((place - repeat.start) / repeat.period, ((place - repeat.start) % repeat.period) as u32))
}

/// Moves the beginning of the iterations to where the fewest values pass from one to the next.
fn turned(items: &Items<'_>, repeat: Repeat) -> Repeat {
    let (d, end) = (repeat.period, repeat.end() + repeat.rest);
    let mut crossing = vec![0i64; d + 1];
    for place in repeat.start..end {
        let Some(v) = items.value(place) else { continue };
        let last = (items.last[v as usize] as usize).min(end);
        // Beginnings from place + 1 to last − 1 part the value from its last reader.
        if last >= place + 2 && last - 1 - place < d {
            let (from, to) = ((place + 1 - repeat.start) % d, (last - 1 - repeat.start) % d);
            crossing[from] += 1;
            crossing[to + 1] -= 1;
            if to < from {
                crossing[0] += 1;
                crossing[d] -= 1;
            }
        }
    }
    let mut sum = 0;
    crossing.iter_mut().for_each(|c| {
        sum += *c;
        *c = sum;
    });
    let turn = (0..d).min_by_key(|&t| crossing[t]).unwrap_or(0);
    let left = end - repeat.start - turn;
    Repeat { start: repeat.start + turn, period: d, count: left / d, rest: left % d }
}

/// The loop over a stretch; the first iterations may be left out, if they differ from the others.
pub(super) fn plan(items: &Items<'_>, repeat: Repeat) -> Option<Plan> {
    let mut repeat = turned(items, repeat);
    for _ in 0..3 {
        if repeat.count < 3 {
            return None;
        }
        if !first_differs(items, &repeat) {
            return Some(classified(items, repeat));
        }
        (repeat.start, repeat.count) = (repeat.start + repeat.period, repeat.count - 1);
    }
    Some(classified(items, repeat))
}

/// The values of one operand in all iterations.
fn values_of(items: &Items<'_>, repeat: &Repeat, place: usize, operand: usize) -> Vec<u32> {
    let item = |i: usize| items.list[repeat.start + i * repeat.period + place];
    let value = |i| items.operands(item(i)).nth(operand).expect("items of one kind have as many operands");
    (0..repeat.count).map(value).collect()
}

/// What some values are from iteration `from` on, if they are of a kind that needs no list.
fn fixed(items: &Items<'_>, repeat: &Repeat, values: &[u32], from: usize) -> Option<Operand> {
    let inside = |i: usize| within(items, repeat, values[i]);
    match inside(from.max(1)) {
        None => values[from..].iter().all(|&v| v == values[from]).then_some(Operand::Outer(values[from])),
        Some((1, j)) => (from..values.len()).all(|i| inside(i) == Some((i, j))).then_some(Operand::Same(j)),
        Some((0, j)) => {
            let all = (1..values.len()).all(|i| inside(i) == Some((i - 1, j)));
            (all && (from > 0 || inside(0).is_none())).then_some(Operand::Previous(j))
        }
        Some(_) => None,
    }
}

/// Whether an operand needs no list but for the first iteration, or values before the loop disagree.
fn first_differs(items: &Items<'_>, repeat: &Repeat) -> bool {
    let mut initial: HashMap<u32, u32> = HashMap::new();
    for place in 0..repeat.period {
        for k in 0..items.operands(items.list[repeat.start + place]).count() {
            let values = values_of(items, repeat, place, k);
            match fixed(items, repeat, &values, 0) {
                Some(Operand::Previous(j)) if *initial.entry(j).or_insert(values[0]) != values[0] => {
                    return true;
                }
                None if fixed(items, repeat, &values, 1).is_some() => return true,
                _ => {}
            }
        }
    }
    false
}

fn classified(items: &Items<'_>, repeat: Repeat) -> Plan {
    let d = repeat.period;
    let (mut initial, mut stored, mut kept) = (vec![None; d], vec![false; d], vec![false; d]);
    let (mut lists, mut numbers): (Vec<Vec<u32>>, HashMap<Vec<u32>, u32>) = (Vec::new(), HashMap::new());
    let mut operands = vec![Vec::new(); d];
    for (place, operands) in operands.iter_mut().enumerate() {
        for k in 0..items.operands(items.list[repeat.start + place]).count() {
            let values = values_of(items, &repeat, place, k);
            let mut operand = fixed(items, &repeat, &values, 0);
            if let Some(Operand::Previous(j)) = operand
                && *initial[j as usize].get_or_insert(values[0]) != values[0]
            {
                operand = None;
            }
            operands.push(operand.unwrap_or_else(|| {
                for (i, &v) in values.iter().enumerate() {
                    if let Some((_, j)) = within(items, &repeat, v).filter(|at| at.0 != i) {
                        stored[j as usize] = true;
                    }
                }
                Operand::Varying(*numbers.entry(values).or_insert_with_key(|values| {
                    lists.push(values.clone());
                    lists.len() as u32 - 1
                }))
            }));
        }
    }
    for place in repeat.start..repeat.end() {
        let read_later = |v| items.last[v as usize] as usize > repeat.end();
        if items.value(place).is_some_and(read_later) {
            let last = place >= repeat.end() - d;
            *if last { &mut kept } else { &mut stored }
                .get_mut((place - repeat.start) % d)
                .expect("in the body") = true;
        }
    }
    Plan { repeat, operands, lists, initial, stored, kept }
}

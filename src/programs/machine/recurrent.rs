//! What passes from one iteration of a loop to the next.

use super::items::Items;
use super::plan::{Operand, Plan, within};

/// What depends on itself in iterations before, and what depends on that: all that is left when everything has been taken
/// away whose operands have.
pub(super) fn recurrent(items: &Items<'_>, plan: &Plan) -> Vec<bool> {
    // (A list with values of other iterations is never taken away.)
    let lists = plan.lists.iter().map(|list| {
        let mut needs = Vec::new();
        for (i, &v) in list.iter().enumerate() {
            match within(items, &plan.repeat, v) {
                Some((of, k)) if of == i => needs.push(k),
                Some(_) => return None,
                None => {}
            }
        }
        needs.sort_unstable();
        needs.dedup();
        Some(needs)
    });
    // The places, and the lists behind them: how many each waits for, and who waits for it.
    let d = plan.repeat.period;
    let mut users = vec![Vec::new(); d + plan.lists.len()];
    let mut waits = vec![0u32; users.len()];
    let mut wait = |who: usize, on: u32| {
        users[on as usize].push(who);
        waits[who] += 1;
    };
    for (j, operand) in plan.operands.iter().enumerate().flat_map(|(j, all)| all.iter().map(move |o| (j, o)))
    {
        match *operand {
            Operand::Same(k) | Operand::Previous(k) => wait(j, k),
            Operand::Outer(_) => {}
            Operand::Varying(list) => wait(j, d as u32 + list),
        }
    }
    for (list, needs) in (d..).zip(lists) {
        match needs {
            Some(needs) => needs.into_iter().for_each(|k| wait(list, k)),
            None => wait(list, list as u32), // for ever
        }
    }
    let mut free: Vec<usize> = (0..waits.len()).filter(|&n| waits[n] == 0).collect();
    let mut left = vec![true; waits.len()];
    while let Some(n) = free.pop() {
        left[n] = false;
        for &user in &users[n] {
            waits[user] -= 1;
            free.extend((waits[user] == 0).then_some(user));
        }
    }
    left.truncate(d);
    left
}

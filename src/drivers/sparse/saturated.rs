//! Colourings in the order of saturation: the next item is the one with the most forbidden colours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most words of bits for forbidden colours: 32 MiB.
const WORDS: usize = 1 << 22;

/// A colouring with fewer than `limit` colours, by D. Brélaz: *New methods to color the vertices of a graph* (1979).
/// `conflicts` calls its function with the items that must differ from an item, some of them more than once. Items
/// outside `items` keep the colour `u32::MAX`. `None` if the order needs `limit` colours, or more bits than
/// [`WORDS`].
pub(super) fn colours_below(
    limit: usize,
    n: usize,
    items: &[usize],
    conflicts: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Option<Vec<u32>> {
    let words = limit.div_ceil(64);
    if n.checked_mul(words).is_none_or(|size| size > WORDS) {
        return None;
    }
    let mut forbidden = vec![0_u64; n * words];
    // How many colours are forbidden, and the number of conflicts, for ties.
    let mut saturation = vec![0_u32; n];
    let mut degree = vec![0_u32; n];
    items.iter().for_each(|&i| conflicts(i, &mut |_| degree[i] += 1));
    let mut colours = vec![u32::MAX; n];
    let mut next: BinaryHeap<_> = items.iter().map(|&i| (0, degree[i], Reverse(i))).collect();
    while let Some((saturated, _, Reverse(i))) = next.pop() {
        if colours[i] != u32::MAX || saturated != saturation[i] {
            continue;
        }
        let taken = &forbidden[i * words..][..words];
        let free = taken.iter().position(|word| *word != u64::MAX)?;
        let colour = 64 * free + taken[free].trailing_ones() as usize;
        if colour + 1 >= limit {
            return None;
        }
        colours[i] = colour as u32;
        conflicts(i, &mut |other| {
            let word = &mut forbidden[other * words + colour / 64];
            if other == i || *word >> (colour % 64) & 1 == 1 {
                return;
            }
            *word |= 1 << (colour % 64);
            saturation[other] += 1;
            if colours[other] == u32::MAX {
                next.push((saturation[other], degree[other], Reverse(other)));
            }
        });
    }
    Some(colours)
}

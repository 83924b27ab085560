//! Iterations made alike: where some terms of a sum do a little more than others, the others do it too, for nothing.
//!
//! A branch by data, the largest of some numbers for example, gives each term one of a few bodies. The bodies are merged
//! into a shortest list that has all of them as parts; where a term lacks an operation of that list, the operation is
//! done on the numbers of this term, and nothing reads what it gives. Then all terms are iterations of one loop.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::super::code::Code;
use super::super::op::Op;
use super::super::rules::Mixing;
use super::items::{Item, Items};

/// Iterations are found by what occurs once in each: so many items.
const ANCHOR: usize = 8;
/// Fewer iterations, more kinds of them, and longer ones are left as they are.
const LEAST_COUNT: usize = 16;
const MOST_VARIANTS: usize = 16;
const LONGEST: usize = 1024;

/// Iterations as stretches of the list.
struct Iterations {
    /// Where each begins; the last entry is the end of the last one.
    starts: Vec<usize>,
    /// The variant of each.
    variants: Vec<usize>,
    /// For each variant the place of each of its items in the merged body.
    places: Vec<Vec<usize>>,
    /// The number of items of the merged body.
    period: usize,
}

/// The program and its items with a stretch of iterations made alike, if there is one.
pub(super) fn padded(items: &Items<'_>, kinds: &[u64]) -> Option<(Code, Vec<Item>)> {
    let starts = anchors(kinds)?;
    let body = |i: usize| &kinds[starts[i]..starts[i + 1]];
    let mut numbers: HashMap<&[u64], usize> = HashMap::new();
    let mut bodies: Vec<&[u64]> = Vec::new();
    let variants: Vec<usize> = (0..starts.len() - 1)
        .map(|i| {
            *numbers.entry(body(i)).or_insert_with(|| {
                bodies.push(body(i));
                bodies.len() - 1
            })
        })
        .collect();
    let (from, to) = frequent(&variants, bodies.len())?;
    let mut used: Vec<usize> = variants[from..to].to_vec();
    used.sort_unstable();
    used.dedup();
    let changes = variants[from..to].windows(2).filter(|w| w[0] != w[1]).count();
    if to - from < LEAST_COUNT || !(2..=MOST_VARIANTS).contains(&used.len()) || 8 * changes < to - from {
        return None; // (Long stretches of one variant are loops of their own.)
    }
    let merged =
        used[1..].iter().fold(bodies[used[0]].to_vec(), |merged, &v| supersequence(&merged, bodies[v]));
    let longest = used.iter().map(|&v| bodies[v].len()).max()?;
    if 4 * merged.len() > 5 * longest {
        return None;
    }
    let places = bodies.iter().map(|body| embedded(body, &merged)).collect();
    let iterations = Iterations {
        starts: starts[from..=to].to_vec(),
        variants: variants[from..to].to_vec(),
        places,
        period: merged.len(),
    };
    iterations.filled(items)
}

/// Where iterations begin: what occurs at nearly equal distances over the longest stretch.
fn anchors(kinds: &[u64]) -> Option<Vec<usize>> {
    let mut places: HashMap<u64, Vec<usize>, BuildHasherDefault<Mixing>> = HashMap::default();
    for (i, gram) in kinds.windows(ANCHOR).enumerate() {
        let hash =
            gram.iter().fold(0u64, |h, &k| (h ^ k).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        places.entry(hash).or_default().push(i);
    }
    let stretches = places.values().filter(|places| places.len() > LEAST_COUNT).map(|places| even(places));
    let long = stretches.filter(|places| places.len() > LEAST_COUNT);
    long.max_by_key(|places| (span(places), std::cmp::Reverse(places[0]))).map(<[usize]>::to_vec)
}

fn span(places: &[usize]) -> usize {
    places[places.len() - 1] - places[0]
}

/// The longest stretch of places whose distances differ by a quarter at most.
fn even(places: &[usize]) -> &[usize] {
    let (mut best, mut from) = (&places[..1], 0);
    let (mut least, mut most) = (usize::MAX, 0);
    for at in 1..places.len() {
        let gap = places[at] - places[at - 1];
        (least, most) = (least.min(gap), most.max(gap));
        if gap > LONGEST {
            (from, least, most) = (at, usize::MAX, 0);
        } else if 4 * most > 5 * least {
            (from, least, most) = (at - 1, gap, gap);
        }
        if places[at] - places[from] > span(best) {
            best = &places[from..=at];
        }
    }
    best
}

/// The longest stretch of iterations whose variants occur three times or more.
fn frequent(variants: &[usize], count: usize) -> Option<(usize, usize)> {
    let mut times = vec![0; count];
    variants.iter().for_each(|&v| times[v] += 1);
    let rare = (0..variants.len()).filter(|&i| times[variants[i]] < 3);
    let ends: Vec<usize> = rare.chain([variants.len()]).collect();
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    starts.zip(&ends).map(|(from, &to)| (from.min(to), to)).max_by_key(|(from, to)| to - from)
}

/// A shortest list that has both as parts, by the longest list that is a part of both.
fn supersequence(a: &[u64], b: &[u64]) -> Vec<u64> {
    // common[i][j]: of a[i..] and b[j..].
    let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] =
                if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut merged) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        let both = a[i] == b[j];
        let of_a = both || common[i + 1][j] >= common[i][j + 1];
        merged.push(if of_a { a[i] } else { b[j] });
        (i, j) = (i + usize::from(of_a), j + usize::from(both || !of_a));
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

/// Where the items of a body stand in the merged one, if all do.
fn embedded(body: &[u64], merged: &[u64]) -> Vec<usize> {
    let mut rest = body.iter().peekable();
    (0..merged.len()).filter(|&at| rest.next_if(|&&kind| kind == merged[at]).is_some()).collect()
}

impl Iterations {
    fn count(&self) -> usize {
        self.variants.len()
    }
    /// The iteration and the place in the merged body of an item.
    fn at(&self, place: usize) -> Option<(usize, usize)> {
        let i = self.starts.partition_point(|&start| start <= place).checked_sub(1)?;
        let places = &self.places[*self.variants.get(i)?];
        Some((i, places[place - self.starts[i]]))
    }
    /// The items with those that iterations lack.
    fn filled(&self, items: &Items<'_>) -> Option<(Code, Vec<Item>)> {
        // What stands at each place of each iteration, and for each place an iteration that has it.
        let mut table: Vec<Option<Item>> = vec![None; self.count() * self.period];
        let mut model = vec![usize::MAX; self.period];
        for place in self.starts[0]..self.starts[self.count()] {
            let (i, p) = self.at(place)?;
            table[i * self.period + p] = Some(items.list[place]);
            model[p] = i;
        }
        let mut code = items.code.clone();
        for i in 0..self.count() {
            for p in 0..self.period {
                if table[i * self.period + p].is_some() {
                    continue;
                }
                let Some(Item::Op(v)) = table[model[p] * self.period + p] else { return None };
                // (A rule of a user may fail at numbers that are not its own.)
                let mut is_known =
                    !matches!(items.code.ops[v as usize], Op::Unary { .. } | Op::Binary { .. });
                let op = items.code.ops[v as usize].map_operands(|x| {
                    let own = self.moved(items, x, model[p], i, &table);
                    is_known &= own.is_some();
                    own.unwrap_or(0)
                });
                if !is_known {
                    return None;
                }
                table[i * self.period + p] = Some(Item::Op(code.ops.len() as u32));
                code.ops.push(op);
            }
        }
        let (before, after) = (&items.list[..self.starts[0]], &items.list[self.starts[self.count()]..]);
        let table = table.into_iter().collect::<Option<Vec<Item>>>()?;
        Some((code, [before, &table, after].concat()))
    }
    /// What iteration `to` reads where iteration `from` reads `x`.
    fn moved(
        &self,
        items: &Items<'_>,
        x: u32,
        from: usize,
        to: usize,
        table: &[Option<Item>],
    ) -> Option<u32> {
        let place = items.place[x as usize];
        if place == u32::MAX || (place as usize) < self.starts[0] {
            return Some(x);
        }
        let (of, p) = self.at(place as usize)?;
        let own = (of + to).checked_sub(from)?;
        match table.get(own * self.period + p)? {
            Some(Item::Op(v)) => Some(*v),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_parts_of_the_merged_one() {
        let bodies: [&[u64]; 4] = [&[1, 9, 2, 3, 2, 4], &[1, 2, 3, 9, 2, 4], &[1, 2, 3, 2, 4, 9], &[7]];
        let merged = bodies.iter().fold(Vec::new(), |merged, body| supersequence(&merged, body));
        assert_eq!(merged.len(), 5 + 3 + 1);
        for body in bodies {
            let at = embedded(body, &merged);
            assert_eq!(at.iter().map(|&i| merged[i]).collect::<Vec<_>>(), body);
            assert!(at.is_sorted());
        }
        assert!(embedded(&[5], &merged).is_empty());
    }

    #[test]
    fn iterations_begin_at_even_distances() {
        let term = |i: u64| {
            let odd = if i.is_multiple_of(3) { vec![50] } else { vec![] };
            [vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], odd, vec![13, 14, 15]].concat()
        };
        let kinds: Vec<u64> = [90, 91].into_iter().chain((0..40).flat_map(term)).chain([92]).collect();
        let starts = anchors(&kinds).unwrap();
        assert_eq!(starts.len(), 40);
        assert_eq!((starts[0], starts[1], starts[2]), (2, 18, 33));
        assert_eq!(frequent(&[0, 1, 2, 1, 1, 0, 3, 0], 4), Some((3, 6)));
    }
}

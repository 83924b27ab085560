//! Second derivatives and products of a row's Jacobian, summed up or kept.

use super::branch::Programs;
use super::layout::SumLayout;
use super::out::{JobOutput, inner_len, pair_len};
use crate::programs::rows::{LANES, Line, Lines, add_products, add_squares};

/// Keeps numbers of each row, row after row.
pub(super) fn keep(
    out: &mut JobOutput,
    some: usize,
    number: impl Fn(usize) -> u32,
    numbers: &[Line],
    slots: &[u32],
) {
    if !slots.is_empty() {
        out.rows.extend((0..some).map(number));
        (0..some).for_each(|lane| out.entries.extend(slots.iter().map(|&slot| numbers[slot as usize][lane])));
    }
}

/// Blocks whose squares are added together, so that the sums pass through the cache once for all of them.
const AT_ONCE: usize = 16;

/// Vectors of several blocks, and the same times the weights of their squares.
#[derive(Default)]
pub(super) struct Held {
    vectors: Lines,
    weighted: Lines,
    blocks: usize,
}

impl Held {
    /// Holds the vector of a block; adds the squares once there are enough.
    fn hold<'c>(
        &mut self,
        sums: &mut [Line],
        n: usize,
        weight: &Line,
        vector: impl Iterator<Item = &'c Line>,
    ) {
        let [to, weighted] = [&mut self.vectors, &mut self.weighted]
            .map(|lines| &mut lines.at_least(AT_ONCE * n)[self.blocks * n..][..n]);
        for ((to, weighted), line) in to.iter_mut().zip(weighted).zip(vector) {
            *to = *line;
            *weighted = std::array::from_fn(|lane| weight[lane] * line[lane]);
        }
        self.blocks += 1;
        if self.blocks == AT_ONCE {
            self.add(sums, n);
        }
    }
    fn add(&mut self, sums: &mut [Line], n: usize) {
        let blocks = std::mem::take(&mut self.blocks);
        if blocks > 0 {
            let [left, right] = [&self.weighted, &self.vectors].map(|lines| &lines.get()[..blocks * n]);
            add_squares(sums, left, right, n);
        }
    }
}

/// Adds the squares that are still held.
pub(super) fn add_held(programs: &Programs, sums: &mut [Line], held: &mut [Held]) {
    let mut start = 0;
    for (&pair, held) in programs.pairs.iter().zip(held) {
        let len = pair_len(programs, pair);
        held.add(&mut sums[start..start + len], inner_len(programs, pair.0));
        start += len;
    }
}

/// Adds second derivatives with respect to the inner inputs of a row, times the columns of the forms among them.
pub(super) fn add_pairs<'c>(
    programs: &Programs,
    sums: &mut [Line],
    numbers: &[Line],
    outputs: &[u32],
    column: impl Fn(u32) -> &'c Line,
    (vectors, held): (&mut Lines, &mut [Held]),
) {
    let of_row = &programs.split;
    let form = |i: u32| (i as usize).checked_sub(of_row.direct.len()).map(|f| &of_row.forms[f].entries);
    let mut start = 0;
    for ((&(i, j), &y), held) in programs.pairs.iter().zip(outputs).zip(held) {
        let (weight, len) = (numbers[y as usize], pair_len(programs, (i, j)));
        let to = &mut sums[start..start + len];
        start += len;
        match (form(i), form(j)) {
            (Some(form), Some(_)) if i == j => {
                held.hold(to, form.len(), &weight, form.iter().map(|&(_, c)| column(c)));
            }
            (Some(left), Some(right)) => {
                let n = right.len();
                let vectors = vectors.at_least(n);
                vectors.iter_mut().zip(right).for_each(|(to, &(_, c))| *to = *column(c));
                for (&(_, c), to) in left.iter().zip(to.chunks_mut(n)) {
                    let product = std::array::from_fn(|lane| weight[lane] * column(c)[lane]);
                    add_products(to, &product, vectors);
                }
            }
            (Some(left), None) => {
                for (to, &(_, c)) in to.iter_mut().zip(left) {
                    add_products(std::slice::from_mut(to), &weight, std::slice::from_ref(column(c)));
                }
            }
            _ => (0..LANES).for_each(|lane| to[0][lane] += weight[lane]),
        }
    }
}

/// Adds `JᵀJ` of the shared parameters, and keeps the entries of the rows' own parameters.
#[allow(clippy::too_many_arguments)]
pub(super) fn add_row_squares(
    layout: &SumLayout,
    sums: &mut [Line],
    numbers: &[Line],
    residuals: usize,
    outputs: &[u32],
    vectors: &mut Lines,
    (out, some): (&mut JobOutput, usize),
    number: impl Fn(usize) -> u32,
) {
    let (shared, all) = (layout.shared.len(), layout.places);
    let own = all - shared;
    let entries = own * shared + own * (own + 1) / 2;
    let memory = vectors.at_least(residuals * all + entries);
    let (rows, products) = memory.split_at_mut(residuals * all);
    // The shared entries of all residuals, then the own ones.
    let (of_shared, of_own) = rows.split_at_mut(residuals * shared);
    for (k, row) in outputs.chunks_exact(all.max(1)).enumerate() {
        let (left, right) = row.split_at(shared);
        of_shared[k * shared..].iter_mut().zip(left).for_each(|(to, &y)| *to = numbers[y as usize]);
        of_own[k * own..].iter_mut().zip(right).for_each(|(to, &y)| *to = numbers[y as usize]);
    }
    if shared > 0 {
        add_squares(sums, of_shared, of_shared, shared);
    }
    if own == 0 {
        return;
    }
    products.fill([0.0; LANES]);
    for k in 0..residuals {
        let (shared_row, own_row) = (&of_shared[k * shared..][..shared], &of_own[k * own..][..own]);
        let mut at = 0;
        for (a, left) in own_row.iter().enumerate() {
            add_products(&mut products[at..at + shared], left, shared_row);
            add_products(&mut products[at + shared..at + shared + a + 1], left, &own_row[..=a]);
            at += shared + a + 1;
        }
    }
    out.rows.extend((0..some).map(number));
    (0..some).for_each(|lane| out.entries.extend(products.iter().map(|line| line[lane])));
}

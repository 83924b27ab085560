//! Second derivatives and products of a row's Jacobian, summed up or kept.

use super::branch::Programs;
use super::layout::Layout;
use super::out::{Out, pair_len};
use crate::programs::rows::{LANES, Line, Lines, add_products, add_squares};

/// Keeps numbers of each row, row after row.
pub(super) fn keep(
    out: &mut Out,
    some: usize,
    number: impl Fn(usize) -> u32,
    numbers: &[Line],
    slots: &[u32],
) {
    if slots.is_empty() {
        return;
    }
    out.rows.extend((0..some).map(number));
    let (start, count) = (out.entries.len(), slots.len());
    out.entries.resize(start + some * count, 0.0);
    for (k, &slot) in slots.iter().enumerate() {
        for (lane, &x) in numbers[slot as usize][..some].iter().enumerate() {
            out.entries[start + lane * count + k] = x;
        }
    }
}

/// Adds second derivatives by the inner inputs of a row, times the columns of the forms among them.
pub(super) fn add_pairs<'c>(
    programs: &Programs,
    sums: &mut [Line],
    numbers: &[Line],
    outputs: &[u32],
    column: impl Fn(u32) -> &'c Line,
    vectors: &mut Lines,
) {
    let of_row = &programs.split;
    let form = |i: u32| (i as usize).checked_sub(of_row.direct.len()).map(|f| &of_row.forms[f].entries);
    let mut start = 0;
    for (&(i, j), &y) in programs.pairs.iter().zip(outputs) {
        let (weight, len) = (numbers[y as usize], pair_len(programs, (i, j)));
        let to = &mut sums[start..start + len];
        start += len;
        match (form(i), form(j)) {
            (Some(left), Some(right)) => {
                let n = right.len();
                let both = vectors.at_least(left.len() + n);
                both.iter_mut().zip(left.iter().chain(right)).for_each(|(to, &(_, c))| *to = *column(c));
                if i == j {
                    add_squares(to, &both[..n], &[weight], n);
                } else {
                    let (left, right) = both.split_at(left.len());
                    for (line, to) in left.iter().zip(to.chunks_mut(n)) {
                        let product = std::array::from_fn(|lane| weight[lane] * line[lane]);
                        add_products(to, &product, right);
                    }
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

/// Adds `JᵀJ` of the shared parameters, and keeps the entries of the rows' own ones.
#[allow(clippy::too_many_arguments)]
pub(super) fn add_row_squares(
    layout: &Layout,
    sums: &mut [Line],
    numbers: &[Line],
    residuals: usize,
    outputs: &[u32],
    vectors: &mut Lines,
    (out, some): (&mut Out, usize),
    number: impl Fn(usize) -> u32,
) {
    let (shared, all) = (layout.shared.len(), layout.places);
    let own = all - shared;
    let entries = own * shared + own * (own + 1) / 2;
    let memory = vectors.at_least(residuals * (all + 1) + entries);
    let (rows, rest) = memory.split_at_mut(residuals * all);
    let (ones, products) = rest.split_at_mut(residuals);
    ones.fill([1.0; LANES]);
    // The shared entries of all residuals, then the own ones.
    let (of_shared, of_own) = rows.split_at_mut(residuals * shared);
    for (k, row) in outputs.chunks_exact(all.max(1)).enumerate() {
        let (left, right) = row.split_at(shared);
        of_shared[k * shared..].iter_mut().zip(left).for_each(|(to, &y)| *to = numbers[y as usize]);
        of_own[k * own..].iter_mut().zip(right).for_each(|(to, &y)| *to = numbers[y as usize]);
    }
    if shared > 0 {
        add_squares(sums, of_shared, ones, shared);
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
    let (start, count) = (out.entries.len(), products.len());
    out.rows.extend((0..some).map(number));
    out.entries.resize(start + some * count, 0.0);
    for (k, line) in products.iter().enumerate() {
        (0..some).for_each(|lane| out.entries[start + lane * count + k] = line[lane]);
    }
}

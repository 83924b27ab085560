//! The branch of each row of a piece.

use std::collections::HashMap;

/// The branch of rows without a program. Larger numbers are no branches.
pub(super) const ALONE: u16 = u16::MAX - 1;
/// The branch of rows whose program is not known: branches, or rows without a program, are too many.
pub(super) const BEYOND: u16 = u16::MAX;

/// The branches of a piece's rows.
pub(super) enum SumClass {
    All(u16),
    /// The rows of each branch; branches in the order of their first rows.
    Mixed {
        order: Vec<u16>,
        ends: Vec<(u16, u32)>,
    },
}

impl SumClass {
    /// The branches, each with its rows: `None` for all rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u16, Option<&[u16]>)> {
        let (all, ends, order) = match self {
            SumClass::All(branch) => (Some((*branch, None)), &[][..], &[][..]),
            SumClass::Mixed { order, ends } => (None, &ends[..], &order[..]),
        };
        let mut start = 0;
        all.into_iter().chain(ends.iter().map(move |&(branch, end)| {
            let rows = &order[start..end as usize];
            start = end as usize;
            (branch, Some(rows))
        }))
    }
    /// The branch of each row of the piece.
    pub(super) fn list(&self, rows: usize) -> Vec<u16> {
        let mut list = vec![0; rows];
        for (branch, some) in self.parts() {
            match some {
                None => list.fill(branch),
                Some(some) => some.iter().for_each(|&row| list[row as usize] = branch),
            }
        }
        list
    }
    pub(super) fn of(list: &[u16]) -> Self {
        let first = list.first().copied().unwrap_or(0);
        if list.iter().all(|&branch| branch == first) && first < ALONE {
            return SumClass::All(first);
        }
        let mut parts: Vec<(u16, Vec<u16>)> = Vec::new();
        let mut place = HashMap::new();
        for (row, &branch) in (0..).zip(list) {
            let at = *place.entry(branch).or_insert_with(|| {
                parts.push((branch, Vec::new()));
                parts.len() - 1
            });
            parts[at].1.push(row);
        }
        let (mut order, mut ends) = (Vec::new(), Vec::new());
        for (branch, rows) in parts {
            order.extend(rows);
            ends.push((branch, order.len() as u32));
        }
        SumClass::Mixed { order, ends }
    }
}

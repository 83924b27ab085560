//! The branch of each row of a piece.

/// The branch of rows without a program. Larger numbers are no branches.
pub(super) const ALONE: u16 = u16::MAX - 1;
/// The branch of rows whose program is not known: branches, or rows without a program, are too many.
pub(super) const BEYOND: u16 = u16::MAX;

/// The branches of a piece's rows.
#[derive(Default)]
pub(super) struct SumClass {
    /// The branch of all rows, if there is no list of each.
    of_all: u16,
    /// Each branch and where its rows end in `order`; branches in the order of their first rows.
    ends: Vec<(u16, u32)>,
    order: Vec<u16>,
}

impl SumClass {
    /// The branches, each with its rows: `None` for all rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u16, Option<&[u16]>)> {
        let mut start = 0;
        let all = self.ends.is_empty().then_some((self.of_all, None));
        all.into_iter().chain(self.ends.iter().map(move |&(branch, end)| {
            let rows = &self.order[start..end as usize];
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
        let of_all = list.first().copied().unwrap_or(0);
        let mut class = SumClass { of_all, ..Self::default() };
        if of_all < ALONE && list.iter().all(|&branch| branch == of_all) {
            return class;
        }
        // A table, because a search takes a jump that no processor predicts. The numbers above all branches come first.
        let slot = |branch: u16| usize::from(branch.wrapping_add(2));
        let slots = list.iter().map(|&branch| slot(branch) + 1).max().unwrap_or(0);
        let (mut counts, mut next) = (vec![0; slots], vec![u32::MAX; slots]);
        list.iter().for_each(|&branch| counts[slot(branch)] += 1);
        class.order.resize(list.len(), 0);
        let mut end = 0;
        for (row, &branch) in (0..).zip(list) {
            let next = &mut next[slot(branch)];
            if *next == u32::MAX {
                *next = end;
                end += counts[slot(branch)];
                class.ends.push((branch, end));
            }
            class.order[*next as usize] = row;
            *next += 1;
        }
        class
    }
}

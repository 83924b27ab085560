//! Finds branches: of the first row, and of rows that have left theirs.

use super::branch::Branch;
use super::class::{ALONE, BEYOND, SumClass};
use super::out::JobOutput;
use super::part::SumPart;
use super::request::Request;
use super::run::RowMemory;
use crate::error::AdError;

/// The largest number of branches that are kept. Rows of further branches are computed without a program.
const BRANCHES: usize = 64;

/// The number of rows without a program that are found by tracing. Then one is traced for each `UNTRACED` rows; the others
/// are taken for rows without a program.
const TRACED: usize = 64;
const UNTRACED: usize = 128;

impl SumPart<'_> {
    /// Traces the first row, if there is one and no row is traced yet. If it has no program, no row takes its branch.
    pub(super) fn first_branch(&mut self, p: &[f64]) -> Result<Option<&Branch>, AdError> {
        if self.branches.is_empty() && self.layout.count > 0 {
            self.branches.push(self.traced(p, 0, 0)?);
        }
        Ok(self.branches.first())
    }
    /// Finds the branches of rows that failed; traces new ones.
    #[cold]
    pub(super) fn classify(&mut self, failed: &[(u32, u16)], request: &Request<'_>) -> Result<(), AdError> {
        let mut trial = JobOutput::default();
        for rows in failed.chunk_by(|a, b| a.0 == b.0) {
            let number = rows[0].0 as usize;
            let mut list = self.classes[number].list(self.layout.pieces[number].rows as usize);
            let mut open: Vec<u16> = rows.iter().map(|&(_, row)| row).collect();
            open.sort_unstable();
            open.dedup();
            let (mut branch, mut fresh) = (0, None);
            while !open.is_empty() {
                let [traced, untraced] = self.found_alone;
                let is_new = branch == self.branches.len();
                if branch == BRANCHES {
                    open.drain(..).for_each(|row| list[row as usize] = BEYOND);
                    break;
                }
                if is_new && traced > TRACED + untraced / UNTRACED {
                    self.found_alone[1] += 1;
                    list[usize::from(open.remove(0))] = BEYOND;
                    continue;
                }
                if is_new {
                    let mut new = self.traced(request.p, number, open[0])?;
                    if new.is_pinned {
                        self.found_alone[0] += 1;
                        list[usize::from(open.remove(0))] = ALONE;
                        continue;
                    }
                    new.demand(&self.layout, request.derivative, request.exact)?;
                    self.branches.push(new);
                    fresh = Some(open[0]);
                }
                self.share(self.layout.pieces[number].run, branch as u16, request)?;
                trial.clear();
                RowMemory::with(|memory| {
                    self.run_part(number, branch as u16, Some(&open), request, memory, &mut trial);
                });
                let mut others: Vec<u16> = trial.failed.iter().map(|&(_, row)| row).collect();
                others.sort_unstable();
                // A row that fails in its own branch: a primitive has no derivative there, or rounding makes a tie.
                if let Some(row) = fresh.take()
                    && let Ok(at) = others.binary_search(&row)
                {
                    list[usize::from(others.remove(at))] = ALONE;
                    open.retain(|&other| other != row);
                }
                let is_other = |row: &u16| others.binary_search(row).is_ok();
                open.iter().filter(|row| !is_other(row)).for_each(|&row| list[row as usize] = branch as u16);
                open = others;
                branch += 1;
            }
            self.classes[number] = SumClass::of(&list);
        }
        Ok(())
    }
    /// Drops the branches that no row takes any more, if there are many; rows beyond the limits then look for a branch
    /// again. Only between evaluations, because computed values refer to the numbers of branches.
    pub(super) fn drop_unused(&mut self) {
        if self.branches.len() < BRANCHES / 2 {
            return;
        }
        let mut is_used = vec![false; self.branches.len()];
        is_used[0] = true;
        let used = self.classes.iter().flat_map(SumClass::parts).map(|(branch, _)| branch);
        used.filter(|&branch| branch < ALONE).for_each(|branch| is_used[usize::from(branch)] = true);
        if is_used.iter().all(|used| *used) {
            return;
        }
        let number = |branch: u16| is_used[..usize::from(branch)].iter().filter(|used| **used).count() as u16;
        let moved = |branch: u16| match branch {
            BEYOND => 0,
            ALONE => ALONE,
            _ => number(branch),
        };
        for (class, piece) in self.classes.iter_mut().zip(&self.layout.pieces) {
            let list = class.list(piece.rows as usize);
            *class = SumClass::of(&list.into_iter().map(moved).collect::<Vec<_>>());
        }
        let mut of_branch = is_used.iter();
        self.branches.retain(|_| of_branch.next() == Some(&true));
    }
}

//! Finds the branches of rows that have left theirs.

use super::class::{Class, UNKNOWN};
use super::out::Out;
use super::part::Part;
use super::request::Request;
use super::run::Memory;
use crate::error::AdError;

/// Branches that are kept at most; rows of further ones are computed by themselves.
const BRANCHES: usize = 64;

impl Part<'_> {
    /// Finds the branches of rows that failed; traces new ones.
    #[cold]
    pub(super) fn classify(&mut self, failed: &[(u32, u16)], request: &Request<'_>) -> Result<(), AdError> {
        if self.branches.len() == BRANCHES {
            self.drop_unused();
        }
        let mut trial = Out::default();
        for rows in failed.chunk_by(|a, b| a.0 == b.0) {
            let number = rows[0].0 as usize;
            let mut list = self.classes[number].list(self.layout.pieces[number].rows as usize);
            let mut open: Vec<u16> = rows.iter().map(|&(_, row)| row).collect();
            open.sort_unstable();
            open.dedup();
            let mut branch = 0;
            while !open.is_empty() {
                if branch == BRANCHES {
                    open.drain(..).for_each(|row| list[row as usize] = UNKNOWN);
                    break;
                }
                if branch == self.branches.len() {
                    let mut new = self.traced(request.p, number, open[0])?;
                    if new.is_pinned() {
                        list[usize::from(open.remove(0))] = UNKNOWN;
                        continue;
                    }
                    new.demand(&self.layout, request.derivative, request.exact)?;
                    self.branches.push(new);
                }
                self.share(self.layout.pieces[number].run, branch as u16, request);
                trial.clear();
                Memory::with(|memory| {
                    self.run_part(number, branch as u16, Some(&open), request, memory, &mut trial);
                });
                let mut others: Vec<u16> = trial.failed.iter().map(|&(_, row)| row).collect();
                others.sort_unstable();
                let is_other = |row: &u16| others.binary_search(row).is_ok();
                open.iter().filter(|row| !is_other(row)).for_each(|&row| list[row as usize] = branch as u16);
                open = others;
                branch += 1;
            }
            self.classes[number] = Class::of(&list);
        }
        Ok(())
    }
    /// Drops the branches that no row takes any more.
    fn drop_unused(&mut self) {
        let mut is_used = vec![false; self.branches.len()];
        let of_classes =
            self.classes.iter().flat_map(|class| class.parts().map(|(branch, _)| usize::from(branch)));
        let used = of_classes.chain(self.shared.iter().map(|shared| shared.branch as usize));
        used.filter(|&branch| branch < BRANCHES).for_each(|branch| is_used[branch] = true);
        let numbers: Vec<usize> = is_used
            .iter()
            .scan(0, |next, &used| {
                *next += usize::from(used);
                Some(next.wrapping_sub(1))
            })
            .collect();
        let mut of_branch = is_used.iter();
        self.branches.retain(|_| of_branch.next() == Some(&true));
        let moved =
            |branch: u16| if branch == UNKNOWN { branch } else { numbers[usize::from(branch)] as u16 };
        for class in &mut self.classes {
            match class {
                Class::All(branch) => *branch = moved(*branch),
                Class::Mixed { ends, .. } => ends.iter_mut().for_each(|(branch, _)| *branch = moved(*branch)),
            }
        }
        self.shared.iter_mut().for_each(|shared| shared.branch = numbers[shared.branch as usize] as u32);
        self.shared_of = (0..).zip(&self.shared).map(|(k, s)| ((s.run, s.branch), Some(k))).collect();
    }
}

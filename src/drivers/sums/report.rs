//! How the rows of a sum ran.

use std::fmt;

/// How the rows of a sum ran; `Display` prints a line for each part. Rows are traced at the first evaluation: before
/// it, a report has only the numbers of rows and runs.
/// ```
/// use wengert::{programs::Traced, sums::Sum};
/// // Rows take two branches.
/// let data = [[1.0], [-1.0], [2.0]];
/// let term = |p: &[Traced], d: &[Traced]| if d[0] > 0.0 { p[0] * d[0] } else { p[0].exp() };
/// let mut sum = Sum::new(1, &data, term)?;
/// assert_eq!(sum.value(&[0.0])?, 1.0);
/// let report = sum.report();
/// let part = &report.parts[0];
/// assert_eq!((report.parts.len(), part.rows, part.branches, part.alone), (1, 3, 2, 0));
/// assert!(report.to_string().starts_with("rows: 3, runs: "));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SumReport {
    /// The parts that have been added up.
    pub parts: Vec<PartReport>,
}

/// How the rows of a part ran; the example of [`SumReport`] has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// The number of rows.
    pub rows: usize,
    /// Runs of rows with the same shared parameters.
    pub runs: usize,
    /// The branches that rows have taken, each a program.
    pub branches: usize,
    /// Rows that are computed without a program: their values leave the program, or they take too many branches.
    pub alone: usize,
    /// Operations that run once per run of rows, in the first branch.
    pub hoisted: usize,
    /// Columns that are computed once from the data, in the first branch.
    pub columns: usize,
    /// Linear forms of at least four parameters, which run as products with the table, in the first branch.
    pub forms: usize,
    /// Operations at each row, without derivatives, in the first branch.
    pub operations: usize,
}

impl fmt::Display for SumReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            let PartReport { rows, runs, branches, alone, hoisted, columns, forms, operations } = part;
            let end = if i + 1 < self.parts.len() { "\n" } else { "" };
            write!(
                f,
                "rows: {rows}, runs: {runs}, branches: {branches}, rows without a program: {alone}, operations hoisted: \
                 {hoisted}, columns derived: {columns}, linear forms: {forms}, operations a row: {operations}{end}"
            )?;
        }
        Ok(())
    }
}

//! How the rows of a sum ran.

use std::fmt;

/// How the rows of a sum ran; `Display` prints a line for each part.
#[derive(Clone, Debug)]
pub struct SumReport {
    /// The parts that have been added up.
    pub parts: Vec<PartReport>,
}

/// How the rows of a part ran.
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
    /// Columns that are computed once from the data.
    pub columns: usize,
    /// Linear forms that run as products with the table.
    pub forms: usize,
    /// Operations at each row, without derivatives.
    pub operations: usize,
}

impl fmt::Display for SumReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            let PartReport { rows, runs, branches, alone, hoisted, columns, forms, operations } = part;
            let end = if i + 1 < self.parts.len() { "\n" } else { "" };
            write!(
                f,
                "{rows} rows in {runs} runs, {branches} branches ({alone} rows without a program): \
                 {hoisted} operations hoisted, {columns} columns derived, {forms} linear forms, {operations} operations a row{end}"
            )?;
        }
        Ok(())
    }
}

//! Reads the oracle tables: CSV without quoting, a header line, lists inside a cell separated by `;`.

/// A table whose columns are read by name.
pub struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// One line of a [`Table`].
#[derive(Clone, Copy)]
pub struct Row<'a> {
    columns: &'a [&'static str],
    cells: &'a [&'static str],
}

impl Table {
    pub fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let columns = lines.next().expect("a header line");
        let rows: Vec<_> = lines.collect();
        assert!(rows.iter().all(|row| row.len() == columns.len()), "a row of another width");
        Table { columns, rows }
    }
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }
}

impl Row<'_> {
    pub fn text(&self, column: &str) -> &'static str {
        let at = self.columns.iter().position(|c| *c == column);
        self.cells[at.unwrap_or_else(|| panic!("no column {column}"))]
    }
    pub fn number(&self, column: &str) -> f64 {
        number(self.text(column))
    }
    /// The numbers in the columns, one each.
    pub fn columns(&self, names: &[&str]) -> Vec<f64> {
        names.iter().map(|c| self.number(c)).collect()
    }
    /// The list in one cell.
    pub fn list(&self, column: &str) -> Vec<f64> {
        self.text(column).split(';').map(number).collect()
    }
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("`{cell}` is not a number"))
}

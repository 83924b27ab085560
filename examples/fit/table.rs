//! Tables of text.

/// Columns of equal width, the first to the left and the others to the right.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let first = format!("  {:<width$}", row[0], width = widths[0]);
        let rest = row.iter().zip(widths).skip(1).map(|(cell, width)| format!("   {cell:>width$}"));
        format!("{}\n", (first + &rest.collect::<String>()).trim_end())
    };
    rows.iter().map(line).collect()
}

//! The data of a sum: rows of numbers.

use std::borrow::Cow;

use crate::error::AdError;

/// Rows of numbers, one for each term of a sum: made from a slice of arrays, of pairs, of triples or of numbers, or by one of the
/// constructors.
///
/// A sum copies it once, into its own order, and does not borrow it.
///
/// ```
/// use wengert::sums::Table;
/// let points = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let tables: [Table; 6] = [
///     Table::from(&points),
///     Table::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)?,
///     Table::of_columns(&[&[1.0, 3.0, 5.0], &[2.0, 4.0, 6.0]])?,
///     Table::from(points.to_vec()),
///     Table::from(&vec![(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]),
///     Table::from(&[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]),
/// ];
/// assert!(tables.iter().all(|table| (table.count(), table.width()) == (3, 2)));
/// assert!(tables.iter().all(|table| table.get(2, 0) == 5.0));
/// let triples = Table::from(vec![(1.0, 2.0, 3.0)]);
/// assert_eq!((triples.width(), triples.get(0, 2)), (3, 3.0));
/// assert!(Table::new(&[1.0, 2.0, 3.0], 2).is_err());
/// assert_eq!(Table::without_data(7).count(), 7);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table<'a> {
    count: usize,
    width: usize,
    numbers: Numbers<'a>,
    pub(super) reads: Option<Reads>,
}

/// The parameters that each row reads.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    pub(super) places: Vec<u32>,
    /// The number of parameters that each row reads.
    pub(super) of_row: usize,
    /// A row that reads another number of them, and this number.
    pub(super) other: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
enum Numbers<'a> {
    Rows(Cow<'a, [f64]>),
    Columns(Vec<&'a [f64]>),
}

impl<'a> Table<'a> {
    /// Rows of `width` numbers, one row after another.
    ///
    /// # Errors
    /// [`AdError::PartialRow`] if the numbers are not whole rows.
    pub fn new(numbers: impl Into<Cow<'a, [f64]>>, width: usize) -> Result<Self, AdError> {
        let numbers = numbers.into();
        let (got, count) = (numbers.len(), numbers.len().checked_div(width).unwrap_or(0));
        if count * width != got {
            return Err(AdError::PartialRow { op: "table", what: "list of numbers", width, got });
        }
        Ok(Table::of_rows(count, width, numbers))
    }
    fn of_rows(count: usize, width: usize, numbers: impl Into<Cow<'a, [f64]>>) -> Self {
        Table { count, width, numbers: Numbers::Rows(numbers.into()), reads: None }
    }
    /// Columns of equal length: number `i` of each is row `i`.
    ///
    /// # Errors
    /// [`AdError::Shape`] if their lengths differ.
    pub fn of_columns(columns: &[&'a [f64]]) -> Result<Self, AdError> {
        let count = columns.first().map_or(0, |column| column.len());
        columns.iter().try_for_each(|column| AdError::check_len("table", "column", count, column.len()))?;
        Ok(Table { count, width: columns.len(), numbers: Numbers::Columns(columns.to_vec()), reads: None })
    }
    /// `count` rows without numbers, for terms that differ only in their parameters.
    pub fn without_data(count: usize) -> Self {
        Table::of_rows(count, 0, &[])
    }
    /// This table with terms that read some of the parameters: for each row the parameters at the indices that
    /// `reads` lists, in this order, equally many for each row. Rows may come in any order: rows that share
    /// parameters are computed together.
    ///
    /// ```
    /// use wengert::sums::{Sum, Table};
    /// // Neighbours are drawn together.
    /// let neighbours = Table::without_data(3).reading(|i| [i, i + 1]);
    /// let mut energy = Sum::new(4, neighbours, |x, _| (x[0] - x[1]) * (x[0] - x[1]))?;
    /// let mut g = [0.0; 4];
    /// assert_eq!(energy.gradient(&[0.0, 1.0, 3.0, 3.0], &mut g)?, 5.0);
    /// assert_eq!(g, [-2.0, -2.0, 4.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn reading<I: IntoIterator<Item = usize>>(mut self, mut reads: impl FnMut(usize) -> I) -> Self {
        let mut all = Reads { places: Vec::new(), of_row: 0, other: None };
        for row in 0..self.count {
            let start = all.places.len();
            all.places.extend(reads(row).into_iter().map(|place| u32::try_from(place).unwrap_or(u32::MAX)));
            let count = all.places.len() - start;
            if row == 0 {
                all.of_row = count;
                all.places.reserve_exact(count * (self.count - 1));
            } else if count != all.of_row {
                all.other = Some((row, count));
                break;
            }
        }
        self.reads = Some(all);
        self
    }
    /// This table, if each row reads all of `n` parameters.
    pub(super) fn reading_all(self, op: &'static str, n: usize) -> Result<Self, AdError> {
        let of_row = self.reads.as_ref().filter(|_| self.count > 0).map_or(n, |reads| reads.of_row);
        AdError::check_len(op, "list of parameters of a row", n, of_row)?;
        Ok(self)
    }
    /// The number of rows.
    pub fn count(&self) -> usize {
        self.count
    }
    /// The numbers of a row.
    pub fn width(&self) -> usize {
        self.width
    }
    /// The number in a row and a column.
    ///
    /// # Panics
    /// If the row or the column does not exist.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        assert!(column < self.width, "column {column} of a table with {}", self.width);
        match &self.numbers {
            Numbers::Rows(all) => all[row * self.width + column],
            Numbers::Columns(all) => all[column][row],
        }
    }
}

impl<'a, const K: usize> From<&'a [[f64; K]]> for Table<'a> {
    fn from(rows: &'a [[f64; K]]) -> Self {
        Table::of_rows(rows.len(), K, rows.as_flattened())
    }
}

impl<'a, const K: usize> From<&'a Vec<[f64; K]>> for Table<'a> {
    fn from(rows: &'a Vec<[f64; K]>) -> Self {
        Table::from(&rows[..])
    }
}

impl<'a, const K: usize, const N: usize> From<&'a [[f64; K]; N]> for Table<'a> {
    fn from(rows: &'a [[f64; K]; N]) -> Self {
        Table::from(&rows[..])
    }
}

impl<const K: usize> From<Vec<[f64; K]>> for Table<'_> {
    fn from(rows: Vec<[f64; K]>) -> Self {
        Table::of_rows(rows.len(), K, rows.into_flattened())
    }
}

macro_rules! from_tuples {
    ($($Row:ty, $k:literal;)*) => {$(
        from_tuples! { @ $Row, $k; [] &[$Row]; [] &Vec<$Row>; [] Vec<$Row>; [const N: usize] &[$Row; N]; }
    )*};
    (@ $Row:ty, $k:literal; $([$($g:tt)*] $Rows:ty;)*) => {$(
        /// Rows of tuples, copied.
        impl<$($g)*> From<$Rows> for Table<'_> {
            fn from(rows: $Rows) -> Self {
                rows.iter().map(|&row| <[f64; $k]>::from(row)).collect::<Vec<_>>().into()
            }
        }
    )*};
}
from_tuples! { (f64, f64), 2; (f64, f64, f64), 3; }

/// Rows of one number.
impl<'a> From<&'a [f64]> for Table<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Table::of_rows(numbers.len(), 1, numbers)
    }
}

impl<'a> From<&'a Vec<f64>> for Table<'a> {
    fn from(numbers: &'a Vec<f64>) -> Self {
        Table::from(&numbers[..])
    }
}

//! Sparse Hessians.

use std::fmt;

use nalgebra_sparse::CscMatrix;
use nalgebra_sparse::pattern::SparsityPattern;

use super::colour::{Colours, Stars};
use super::forest::Forest;
use super::table::{Compressed, demand_within};
use crate::drivers::call::Object;
use crate::drivers::forms::ask;
use crate::drivers::function::Function;
use crate::drivers::modes::{ForwardChunk, Reverse, SecondOrder};
use crate::drivers::sinks::{Grown, Onto};
use crate::error::AdError;
use crate::space::Split;
use crate::tapes::interactions;

const OP: &str = "sparse hessian";

/// A sparse Hessian, kept: pattern, colouring and memory. Nothing is allocated after the first call of [`at`](Self::at).
///
/// Products `H·(eᵢ + eⱼ + …)`, forward over reverse, whose entries are read off directly by a star colouring. The whole
/// matrix is written, both triangles.
///
/// The pattern is found at one point, see the [module](super).
///
/// ```
/// use wengert::{function, sparse};
/// let rosenbrock = function!(|x: &[T]| {
///     let term = |w: &[T]| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (-w[0] + 1.0).powi(2);
///     x.windows(2).map(term).sum()
/// });
/// let (x, mut g) = ([1.0; 50], [0.0; 50]);
/// let mut hessian = sparse::Hessian::new(&rosenbrock, &x)?;
/// assert_eq!(hessian.lanes(), 3);
/// let (value, h) = hessian.at(&x, &mut g)?;
/// assert_eq!((value, g, h.nnz()), (0.0, [0.0; 50], 148));
/// assert_eq!(h.get_entry(7, 8).unwrap().into_value(), -400.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Hessian<F: Function> {
    f: F,
    matrix: CscMatrix<f64>,
    table: Compressed,
}

impl<F: Function> fmt::Debug for Hessian<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, entries) = (self.matrix.ncols(), self.matrix.nnz());
        write!(f, "Hessian {{ {n} × {n}, {entries} entries, {} lanes }}", self.lanes())
    }
}

impl<F: Function> Hessian<F> {
    /// Finds the pattern at `x`.
    ///
    /// # Errors
    /// [`TooMany`](AdError::TooMany) if there are 2³² entries.
    #[track_caller]
    pub fn new(f: F, x: &[f64]) -> Result<Self, AdError> {
        let columns = pattern(&f, x);
        let stars = Stars::of(&columns);
        Self::with(f, columns, stars.colours.clone(), |columns, table| {
            for column in 0..x.len() {
                for (entry, &row) in (columns.major_offsets()[column]..).zip(columns.lane(column)) {
                    let (component, lane) = stars.place(row, column);
                    table.add(entry, component, lane);
                }
                stars.lanes_around(column).for_each(|lane| table.expect(column, lane));
            }
        })
    }
    /// As [`new`](Self::new), by an acyclic colouring, which as a rule has fewer lanes. Entries follow from others by
    /// subtraction, so they have the errors of sums of entries, and one that is not finite spreads.
    ///
    /// # Errors
    /// [`TooMany`](AdError::TooMany) if there are 2³² entries.
    ///
    /// ```
    /// use wengert::{function, sparse};
    /// let chain = function!(|x: &[T]| x.windows(2).map(|w| w[0] * w[1]).sum());
    /// let (x, mut g) = ([1.0; 50], [0.0; 50]);
    /// let mut hessian = sparse::Hessian::by_substitution(&chain, &x)?;
    /// assert_eq!((hessian.lanes(), sparse::Hessian::new(&chain, &x)?.lanes()), (2, 3));
    /// assert!(hessian.at(&x, &mut g)?.1.triplet_iter().all(|(i, j, h)| {
    ///     *h == f64::from(i.abs_diff(j) == 1)
    /// }));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn by_substitution(f: F, x: &[f64]) -> Result<Self, AdError> {
        let columns = pattern(&f, x);
        let colours = Forest::of(&columns).colours;
        Self::with(f, columns, colours, Forest::place)
    }
    fn with(
        f: F,
        columns: SparsityPattern,
        colours: Colours,
        place: impl FnOnce(&SparsityPattern, &mut Compressed),
    ) -> Result<Self, AdError> {
        let mut table = Compressed::new(OP, columns.major_dim(), colours)?;
        place(&columns, &mut table);
        let zeros = vec![0.0; columns.nnz()];
        let matrix = CscMatrix::try_from_pattern_and_values(columns, zeros).expect("a value for each entry");
        Ok(Hessian { f, matrix, table })
    }
    /// `f(x)` and `H(x)`; the gradient to `gradient`.
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if a slice has another length. [`Structure`](AdError::Structure), with a row, if a product
    /// that the pattern says to be zero is not: an entry outside the pattern that falls on another entry of the same lane
    /// is not seen ([`check_pattern`](Self::check_pattern)).
    pub fn at(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<(f64, &CscMatrix<f64>), AdError> {
        AdError::check_len(OP, "point", self.matrix.ncols(), x.len())?;
        let (f, table) = (&self.f, &mut self.table);
        macro_rules! ask {
            ($width:literal) => {
                ask::<_, f64, Split, _, _>(OP, SecondOrder(ForwardChunk::<$width>, Reverse), x, |work| {
                    let gradient = Onto::<f64, _, Split>::new("gradient buffer", gradient);
                    let done = work.curvature(Object(f), &table.lanes, gradient, Grown(&mut table.products));
                    Ok(done.map(|(value, ..)| value))
                })?
            };
        }
        let value = match table.lanes.count() {
            0..=4 => ask!(4),
            5..=8 => ask!(8),
            _ => ask!(12),
        };
        self.table.scatter(OP, self.matrix.values_mut())?;
        Ok((value, &self.matrix))
    }
    /// Finds the pattern at `x` as well, and compares.
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if `x` has another length, [`Structure`](AdError::Structure), with the row, if there is an
    /// entry outside the kept pattern.
    #[track_caller]
    pub fn check_pattern(&self, x: &[f64]) -> Result<(), AdError> {
        AdError::check_len(OP, "point", self.matrix.ncols(), x.len())?;
        demand_within(OP, self.matrix.pattern(), &interactions(x, |x| self.f.call(x)))
    }
    /// The matrix of the last point.
    pub fn into_matrix(self) -> CscMatrix<f64> {
        self.matrix
    }
    /// The number of products with vectors.
    pub fn lanes(&self) -> usize {
        self.table.lanes.count()
    }
    /// The pattern, which is symmetric.
    pub fn pattern(&self) -> &SparsityPattern {
        self.matrix.pattern()
    }
}

/// What the variables of a function at a point meet in its Hessian.
#[track_caller]
fn pattern<F: Function>(f: &F, x: &[f64]) -> SparsityPattern {
    let (starts, entries) = interactions(x, |x| f.call(x));
    SparsityPattern::try_from_offsets_and_indices(x.len(), x.len(), starts, entries)
        .expect("columns are sorted and without duplicates")
}

//! Sparse Jacobians.

use std::fmt;

use nalgebra_sparse::CsrMatrix;
use nalgebra_sparse::pattern::SparsityPattern;

use super::colour::Colours;
use super::table::{CompressedMatrix, demand_pattern, demand_within};
use crate::drivers::VectorFunction;
use crate::drivers::call::VectorObject;
use crate::drivers::forms::request;
use crate::drivers::modes::{ForwardChunk, Reverse};
use crate::drivers::sinks::{Grown, StructureBuffer};
use crate::error::AdError;
use crate::pool::Spare;
use crate::space::{Components, PairLayout};
use crate::tapes::{Rows, Var, dependencies};

const OP: &str = "sparse jacobian";

/// A recording and its sweeps cost as much as this number of further tangents: as for dense Jacobians.
const RECORDING: usize = 12;

/// A prepared sparse Jacobian: pattern, colouring and memory. It is prepared once with a structure, and takes the
/// function in each call, as the operators of [`prepare`](crate::prepare) do. Nothing is allocated after the first
/// call of [`at`](BoundJacobian::at).
///
/// Columns that share no row are pushed together: `J·(eᵢ + eⱼ + …)` has the entries of all of them. Rows that share no
/// column are pulled together. The rows are split: the longest ones are pulled, if that saves lanes, and the others are
/// pushed; or all are pulled. So a matrix with a few dense rows, or with a few dense columns, has few lanes as well.
///
/// Columns without entries in the rows that are pushed have a lane of their own, and so do rows without entries if all are
/// pulled: [`at`](BoundJacobian::at) detects entries there. With a multiple of four other lanes, where one more
/// takes time, they join the last one.
///
/// The pattern is found at one point, see the [module](super).
///
/// ```
/// use wengert::{function, sparse};
/// let chain = function!(|x, y: [_; 98]| for i in 0..98 {
///     y[i] = x[i] - x[i + 1] * x[i + 1] + x[i + 2];
/// });
/// let x = [2.0; 100];
/// let mut jacobian = sparse::Jacobian::new(&chain, &x)?;
/// assert_eq!(jacobian.lanes(), (3, 0));
/// let (mut y, mut j) = ([0.0; 98], jacobian.zeros());
/// jacobian.of_object(&chain).at(&x, &mut y, &mut j)?;
/// assert_eq!((y[5], j.nnz()), (0.0, 294));
/// assert_eq!(j.get_entry(5, 6).unwrap().into_value(), -4.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Jacobian {
    pattern: SparsityPattern,
    pushed: CompressedMatrix,
    pulled: CompressedMatrix,
}

/// A sparse Jacobian with a function, of [`Jacobian::of_object`].
#[must_use = "it runs at a point: `.at(…)`"]
pub struct BoundJacobian<'a, F: ?Sized> {
    kept: &'a mut Jacobian,
    f: &'a F,
}

impl fmt::Debug for Jacobian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, n) = (self.pattern.major_dim(), self.pattern.minor_dim());
        write!(f, "Jacobian {{ {m} × {n}, {} entries, lanes {:?} }}", self.pattern.nnz(), self.lanes())
    }
}

/// Which rows are pulled, by the least number of lanes that the lengths of rows and columns allow.
fn pulled_rows(rows: &SparsityPattern, columns: &SparsityPattern) -> Vec<bool> {
    let longest =
        |lines: &SparsityPattern| (0..lines.major_dim()).map(|i| lines.lane(i).len()).max().unwrap_or(0);
    let m = rows.major_dim();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(rows.lane(i).len()));
    let length = |k: usize| order.get(k).map_or(0, |&i| rows.lane(i).len());
    let cost = |k: usize| length(k) + if k > 0 { k + RECORDING } else { 0 };
    let split = (0..m).min_by_key(|&k| cost(k)).unwrap_or(0);
    // All other rows may be empty.
    if longest(columns) + RECORDING < cost(split) || split > 0 && length(split) == 0 {
        return vec![true; m];
    }
    let mut pulled = vec![false; m];
    order[..split].iter().for_each(|&i| pulled[i] = true);
    pulled
}

impl Jacobian {
    /// Finds the pattern of `f` at `x`.
    ///
    /// # Errors
    /// [`TooMany`](AdError::TooMany) if the compressed matrix has 2³² entries.
    #[track_caller]
    pub fn new(f: impl VectorFunction, x: &[f64]) -> Result<Self, AdError> {
        let (n, m) = (x.len(), f.outputs(x.len()));
        let (starts, entries) = pattern(&f, x, m);
        let rows = SparsityPattern::try_from_offsets_and_indices(m, n, starts, entries)
            .expect("rows are sorted and without duplicates");
        let columns = rows.transpose();
        let is_pulled = pulled_rows(&rows, &columns);
        let mut of_columns = Colours::greedy(&columns, &rows, |_| true, |i| !is_pulled[i]);
        let mut of_rows = Colours::greedy(&rows, &columns, |i| is_pulled[i], |_| true);
        // Passes push four lanes, or multiples.
        let is_free = |count: usize| !count.is_multiple_of(4);
        of_columns.include_rest(|_| is_pulled.contains(&false), is_free);
        of_rows.include_rest(|i| is_pulled[i], is_free);
        let mut pushed = CompressedMatrix::new(OP, m, of_columns)?;
        let mut pulled = CompressedMatrix::new(OP, n, of_rows)?;
        for (row, &is_pulled) in is_pulled.iter().enumerate() {
            if is_pulled {
                pushed.ignore(row);
            }
            for (entry, &column) in (rows.major_offsets()[row]..).zip(rows.lane(row)) {
                if is_pulled {
                    let lane = pulled.lanes.of(row);
                    pulled.add(entry, column, lane);
                } else {
                    let lane = pushed.lanes.of(column);
                    pushed.add(entry, row, lane);
                }
            }
        }
        Ok(Jacobian { pattern: rows, pushed, pulled })
    }
    /// The operator of a function, whose Jacobian has no entry outside the pattern.
    pub fn of_object<'a, F: VectorFunction + ?Sized>(&'a mut self, f: &'a F) -> BoundJacobian<'a, F> {
        BoundJacobian { kept: self, f }
    }
    /// A matrix of zeros with the pattern: a buffer for [`at`](BoundJacobian::at).
    pub fn zeros(&self) -> CsrMatrix<f64> {
        let zeros = vec![0.0; self.pattern.nnz()];
        CsrMatrix::try_from_pattern_and_values(self.pattern.clone(), zeros).expect("a value for each entry")
    }
    /// The number of tangents that are pushed, and of cotangents that are pulled.
    pub fn lanes(&self) -> (usize, usize) {
        (self.pushed.lanes.count(), self.pulled.lanes.count())
    }
    /// The pattern, by rows.
    pub fn pattern(&self) -> &SparsityPattern {
        &self.pattern
    }
}

impl<F: VectorFunction + ?Sized> BoundJacobian<'_, F> {
    /// Writes `f(x)` to `value` (`&mut ()` if it is not needed), and `J(x)` to `out`, which has the [pattern of the
    /// operator](Jacobian::zeros).
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if a slice has another length, or `f` another number of results.
    /// [`Structure`](AdError::Structure) if `out` has another pattern, and, with a row or a column, if a product that
    /// is zero by the pattern is not zero. An entry outside the pattern that falls on another entry of the same lane
    /// is not detected ([`check_pattern`](Self::check_pattern) detects it).
    pub fn at<Y>(self, x: &[f64], value: &mut Y, out: &mut CsrMatrix<f64>) -> Result<(), AdError>
    where
        Y: Components<f64> + ?Sized,
    {
        let m = self.demand(x)?;
        let BoundJacobian { kept: Jacobian { pattern, pushed, pulled }, f } = self;
        if !Y::ABSENT {
            AdError::check_len(OP, "value buffer", m, value.count())?;
        }
        demand_pattern(OP, pattern, out.pattern())?;
        let pushes = pushed.lanes.count();
        macro_rules! request {
            ($mode:expr, $pass:ident, $with:expr) => {
                request::<_, f64, PairLayout, _, _>(OP, $mode, x, |work| {
                    let mut numbers = Spare::new();
                    let value = StructureBuffer::<f64, _, PairLayout>::optional("value buffer", &mut *value);
                    let f = VectorObject(f, numbers.clear(m), m);
                    Ok(work.$pass(f, &$with.lanes, value, Grown(&mut $with.products)).map(drop))
                })?
            };
        }
        if pulled.lanes.count() > 0 {
            request!(Reverse, pull, pulled);
            pulled.scatter(OP, out.values_mut())?;
        }
        if pushes > 0 || pulled.lanes.count() == 0 {
            match pushes {
                0..=4 => request!(ForwardChunk::<4>, push, pushed),
                5..=8 => request!(ForwardChunk::<8>, push, pushed),
                _ => request!(ForwardChunk::<16>, push, pushed),
            }
            pushed.scatter(OP, out.values_mut())?;
        }
        Ok(())
    }
    /// Finds the pattern at `x` again, and compares.
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if `x` or the result has another length, [`Structure`](AdError::Structure), with the row,
    /// if there is an entry outside the kept pattern.
    /// ```
    /// use wengert::{AdError, function, sparse};
    /// let f = function!(|x, y: [_; 1]| y[0] = if x[0] > 0.0 { x[0] } else { x[1] });
    /// let mut jacobian = sparse::Jacobian::new(&f, &[1.0, 2.0])?;
    /// assert!(jacobian.of_object(&f).check_pattern(&[3.0, 2.0]).is_ok());
    /// // Row 0 has an entry in another column.
    /// let error = jacobian.of_object(&f).check_pattern(&[-1.0, 2.0]).unwrap_err();
    /// assert!(matches!(error, AdError::Structure { part: 0, .. }));
    /// # Ok::<(), AdError>(())
    /// ```
    #[track_caller]
    pub fn check_pattern(self, x: &[f64]) -> Result<(), AdError> {
        let m = self.demand(x)?;
        demand_within(OP, &self.kept.pattern, &pattern(self.f, x, m))
    }
    /// The number of results, if point and function have the prepared sizes.
    fn demand(&self, x: &[f64]) -> Result<usize, AdError> {
        let rows = self.kept.pattern.major_dim();
        AdError::check_len(OP, "point", self.kept.pattern.minor_dim(), x.len())?;
        AdError::check_len(OP, "result", rows, self.f.outputs(x.len()))?;
        Ok(rows)
    }
}

#[track_caller]
fn pattern<F: VectorFunction + ?Sized>(f: &F, x: &[f64], outputs: usize) -> Rows {
    dependencies(x, |x| {
        let mut y = vec![Var::constant(f64::NAN); outputs];
        f.call(x, &mut y);
        y
    })
}

//! Sparse Hessians.

use std::fmt;

use nalgebra_sparse::CscMatrix;
use nalgebra_sparse::pattern::SparsityPattern;

use super::colour::{Colours, StarColouring};
use super::forest::AcyclicColouring;
use super::table::{CompressedMatrix, demand_pattern, demand_within};
use crate::drivers::Function;
use crate::drivers::call::Object;
use crate::drivers::forms::request;
use crate::drivers::modes::{ForwardChunk, Reverse, SecondOrder};
use crate::drivers::sinks::{Grown, StructureBuffer};
use crate::error::AdError;
use crate::space::{Components, PairLayout, SelfTangent};
use crate::tapes::interactions;

const OP: &str = "sparse hessian";

/// A prepared sparse Hessian: pattern, colouring and memory. It is prepared once with a structure, and takes the
/// function in each call, as the operators of [`prepare`](crate::prepare) do. Nothing is allocated after the first
/// call of [`at`](BoundHessian::at).
///
/// It computes products `H·(eᵢ + eⱼ + …)`, forward over reverse. A star colouring makes each entry a component of one
/// of them. The whole matrix is written, both triangles. Variables without entries join the last lane, or have one if there
/// is no other: so [`at`](BoundHessian::at) detects entries of two such variables.
///
/// The pattern is found at one point, see the [module](super).
///
/// ```
/// use wengert::{function, sparse};
/// let rosenbrock = function!(|x| {
///     x.windows(2)
///         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
///         .sum()
/// });
/// let (x, mut g) = ([1.0; 50], [0.0; 50]);
/// let mut hessian = sparse::Hessian::new(&rosenbrock, &x)?;
/// assert_eq!(hessian.lanes(), 3);
/// let mut h = hessian.zeros();
/// let value = hessian.of_object(&rosenbrock).at(&x, &mut g, &mut h)?;
/// assert_eq!((value, g, h.nnz()), (0.0, [0.0; 50], 148));
/// assert_eq!(h.get_entry(7, 8).unwrap().into_value(), -400.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
///
/// Another function with this pattern, for example a Lagrangian with other multipliers, is another call:
///
/// ```
/// use wengert::{function, sparse};
/// let lagrangian =
///     |lambda: f64| function!(|x, #[data] lambda: f64| x[0].exp() + lambda * x[0] * x[1]);
/// let (x, mut g) = ([2.0, 3.0], [0.0; 2]);
/// let mut hessian = sparse::Hessian::new(lagrangian(0.0), &x)?;
/// let mut h = hessian.zeros();
/// for lambda in [1.0, -2.0] {
///     hessian.of_object(&lagrangian(lambda)).at(&x, &mut g, &mut h)?;
///     assert_eq!(h.get_entry(0, 1).unwrap().into_value(), lambda);
/// }
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Hessian {
    pattern: SparsityPattern,
    table: CompressedMatrix,
}

/// A sparse Hessian with a function, of [`Hessian::of_object`].
#[must_use = "it runs at a point: `.at(…)`"]
pub struct BoundHessian<'a, F: ?Sized> {
    kept: &'a mut Hessian,
    f: &'a F,
}

impl fmt::Debug for Hessian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, entries) = (self.pattern.major_dim(), self.pattern.nnz());
        write!(f, "Hessian {{ {n} × {n}, {entries} entries, {} lanes }}", self.lanes())
    }
}

impl Hessian {
    /// Finds the pattern of `f` at `x`.
    ///
    /// # Errors
    /// [`TooMany`](AdError::TooMany) if the compressed matrix has 2³² entries.
    #[track_caller]
    pub fn new(f: impl Function, x: &[f64]) -> Result<Self, AdError> {
        let columns = pattern(&f, x);
        let stars = StarColouring::of(&columns);
        Self::with(columns, stars.colours.clone(), |columns, table| {
            for column in 0..x.len() {
                for (entry, &row) in (columns.major_offsets()[column]..).zip(columns.lane(column)) {
                    let (component, lane) = stars.place(row, column);
                    table.add(entry, component, lane);
                }
                stars.lanes_around(column).for_each(|lane| table.expect(column, lane));
            }
        })
    }
    /// As [`new`](Self::new), by an acyclic colouring, which usually has fewer lanes. Entries follow from others by
    /// subtraction, so they have the errors of sums of entries, and an entry that is not finite spreads.
    ///
    /// # Errors
    /// [`TooMany`](AdError::TooMany) if the compressed matrix has 2³² entries.
    ///
    /// ```
    /// use wengert::{function, sparse};
    /// let chain = function!(|x| x.windows(2).map(|w| w[0] * w[1]).sum());
    /// let (x, mut g) = ([1.0; 50], [0.0; 50]);
    /// let mut hessian = sparse::Hessian::by_substitution(&chain, &x)?;
    /// assert_eq!((hessian.lanes(), sparse::Hessian::new(&chain, &x)?.lanes()), (2, 3));
    /// let mut h = hessian.zeros();
    /// hessian.of_object(&chain).at(&x, &mut g, &mut h)?;
    /// assert!(h.triplet_iter().all(|(i, j, h)| *h == f64::from(i.abs_diff(j) == 1)));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn by_substitution(f: impl Function, x: &[f64]) -> Result<Self, AdError> {
        let columns = pattern(&f, x);
        let colours = AcyclicColouring::of(&columns).colours;
        Self::with(columns, colours, AcyclicColouring::place)
    }
    fn with(
        columns: SparsityPattern,
        mut colours: Colours,
        place: impl FnOnce(&SparsityPattern, &mut CompressedMatrix),
    ) -> Result<Self, AdError> {
        // An entry of two variables without entries, in any lane, is a product in an empty row.
        colours.include_rest(|_| true, |_| false);
        let mut table = CompressedMatrix::new(OP, columns.major_dim(), colours)?;
        place(&columns, &mut table);
        Ok(Hessian { pattern: columns, table })
    }
    /// The operator of a function, whose Hessian has no entry outside the pattern.
    pub fn of_object<'a, F: Function + ?Sized>(&'a mut self, f: &'a F) -> BoundHessian<'a, F> {
        BoundHessian { kept: self, f }
    }
    /// A matrix of zeros with the pattern: a buffer for [`at`](BoundHessian::at).
    pub fn zeros(&self) -> CscMatrix<f64> {
        let zeros = vec![0.0; self.pattern.nnz()];
        CscMatrix::try_from_pattern_and_values(self.pattern.clone(), zeros).expect("a value for each entry")
    }
    /// The number of products with vectors.
    pub fn lanes(&self) -> usize {
        self.table.lanes.count()
    }
    /// The pattern, which is symmetric.
    pub fn pattern(&self) -> &SparsityPattern {
        &self.pattern
    }
}

impl<F: Function + ?Sized> BoundHessian<'_, F> {
    /// Writes `∇f(x)` to `gradient` (`&mut ()` if it is not needed), and `H(x)` to `out`, which has the [pattern of
    /// the operator](Hessian::zeros); returns `f(x)`.
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if a slice has another length. [`Structure`](AdError::Structure) if `out` has
    /// another pattern, and, with a row, if a product that is zero by the pattern is not zero. An entry outside the
    /// pattern that falls on another entry of the same lane is not detected ([`check_pattern`](Self::check_pattern)
    /// detects it).
    pub fn at<G>(self, x: &[f64], gradient: &mut G, out: &mut CscMatrix<f64>) -> Result<f64, AdError>
    where
        G: Components<f64> + SelfTangent + ?Sized,
    {
        let BoundHessian { kept: Hessian { pattern, table }, f } = self;
        AdError::check_len(OP, "point", pattern.major_dim(), x.len())?;
        if !G::ABSENT {
            AdError::check_len(OP, "gradient buffer", x.len(), gradient.count())?;
        }
        demand_pattern(OP, pattern, out.pattern())?;
        macro_rules! request {
            ($width:literal) => {
                request::<_, f64, PairLayout, _, _>(
                    OP,
                    SecondOrder(ForwardChunk::<$width>, Reverse),
                    x,
                    |work| {
                        let gradient = StructureBuffer::optional("gradient buffer", gradient);
                        let done =
                            work.curvature(Object(f), &table.lanes, gradient, Grown(&mut table.products));
                        Ok(done.map(|(value, ..)| value))
                    },
                )?
            };
        }
        let value = match table.lanes.count() {
            0..=4 => request!(4),
            5..=6 => request!(6),
            7..=8 => request!(8),
            _ => request!(12),
        };
        table.scatter(OP, out.values_mut())?;
        Ok(value)
    }
    /// Finds the pattern at `x` again, and compares.
    ///
    /// # Errors
    /// [`Shape`](AdError::Shape) if `x` has another length, [`Structure`](AdError::Structure), with the row, if there is an
    /// entry outside the kept pattern.
    /// ```
    /// use wengert::{AdError, function, sparse};
    /// let f = function!(|x| if x[0] > 0.0 { x[1] * x[1] } else { x[1] * x[2] });
    /// let mut hessian = sparse::Hessian::new(&f, &[1.0, 2.0, 3.0])?;
    /// assert!(hessian.of_object(&f).check_pattern(&[3.0, 2.0, 3.0]).is_ok());
    /// // The pair (1, 2) is not in the pattern.
    /// let error = hessian.of_object(&f).check_pattern(&[-1.0, 2.0, 3.0]).unwrap_err();
    /// assert!(matches!(error, AdError::Structure { part: 1, .. }));
    /// # Ok::<(), AdError>(())
    /// ```
    #[track_caller]
    pub fn check_pattern(self, x: &[f64]) -> Result<(), AdError> {
        AdError::check_len(OP, "point", self.kept.pattern.major_dim(), x.len())?;
        demand_within(OP, &self.kept.pattern, &interactions(x, &|x| self.f.call(x)))
    }
}

/// The pairs of variables in the Hessian of a function at a point.
#[track_caller]
fn pattern<F: Function>(f: &F, x: &[f64]) -> SparsityPattern {
    let (starts, entries) = interactions(x, &|x| f.call(x));
    SparsityPattern::try_from_offsets_and_indices(x.len(), x.len(), starts, entries)
        .expect("columns are sorted and without duplicates")
}

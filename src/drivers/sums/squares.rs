//! Least squares over rows of data, plain or robust.

use super::loss::Loss;
use super::parts::SumParts;
use super::points::{Parameters, Precision};
use super::report::SumReport;
use super::request::Derivative;
#[cfg(feature = "sparse")]
use super::request::Request;
use super::table::Table;
use super::term::{Term, structured};
use crate::drivers::VectorFunction;
use crate::error::AdError;
use crate::programs::Traced;
use crate::space::Components;

/// `½ Σᵢ ρ(‖r(p, dᵢ)‖²)` over the rows `d` of a [`Table`], where the term returns the residuals `r`.
///
/// The parts of a step of Gauss and Newton, or of Levenberg and Marquardt, are dense or sparse matrices (sparse ones
/// with the feature `sparse`). Rows are computed as for [`Sum`](super::Sum); all rows have equally many residuals.
///
/// A robust loss acts as in B. Triggs, P. McLauchlan, R. Hartley, A. Fitzgibbon: *Bundle Adjustment – A Modern
/// Synthesis* (2000), section 4.3. With the root `α = 1 − √D` of `½α² − α = s·ρ″/ρ′`, `D = 1 + 2s·ρ″/ρ′`, residuals
/// and Jacobian are `r̃ = √ρ′/(1 − α)·r` and `J̃ = √ρ′·(1 − α·r·rᵀ/s)·J`. So `J̃ᵀr̃` is the gradient, and `J̃ᵀJ̃` is
/// `Jᵀ(ρ′ + 2ρ″·r·rᵀ)J`. This matrix is no longer positive where `D` is not, so `D` is limited to at least 0.01.
///
/// ```
/// use wengert::sums::{Huber, LeastSquares};
/// // A line through points, y ≈ a + bx.
/// let data = [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]];
/// let line = || LeastSquares::new(2, &data, |p, d| p[0] + p[1] * d[0] - d[1]);
/// # #[cfg(feature = "nalgebra")] {
/// use nalgebra::{DMatrix, DVector, dmatrix};
/// let (mut p, mut g, mut a) = ([0.0; 2], DVector::zeros(2), DMatrix::<f64>::zeros(2, 2));
/// let mut squares = line()?;
/// assert_eq!(squares.normal_equations(&p, g.as_mut_slice(), &mut a)?, 17.5);
/// assert_eq!(a, dmatrix![3.0, 3.0; 3.0, 5.0]);
/// let step = a.cholesky().unwrap().solve(&g);
/// p.iter_mut().zip(&step).for_each(|(p, s)| *p -= s);
/// assert!(squares.value(&p)? < 1e-28);
/// # }
/// let mut robust = line()?.with_loss(Huber(1.0));
/// assert_eq!(robust.value(&[0.0; 2])?, 0.5 * (1.0 + 5.0 + 9.0));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct LeastSquares<'a>(SumParts<'a>);

const OP: &str = "least squares";

impl<'a> LeastSquares<'a> {
    /// A closure's results at the rows are the residuals: see [`Sum::new`](super::Sum::new).
    ///
    /// # Errors
    /// As for [`Sum::new`](super::Sum::new).
    pub fn new<'t, O: Components<Traced>>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        residuals: impl Fn(&[Traced], &[Traced]) -> O + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Ok(LeastSquares(SumParts::new(OP, parameters, &data.into(), Term::squared(residuals))?))
    }
    /// Like [`new`](Self::new), for parameters in the [structure](crate::space) of `x`. The closure gets them in this
    /// structure; each row reads all of them.
    ///
    /// # Errors
    /// As for [`Sum::of_structure`](super::Sum::of_structure).
    pub fn of_structure<'t, X: Components<f64> + Send + Sync + 'a, O: Components<Traced> + 'a>(
        x: X,
        data: impl Into<Table<'t>>,
        residuals: impl Fn(&X::Arg<Traced>, &[Traced]) -> O + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Self::new(x.count(), data.into().reading_all(OP, x.count())?, structured(x, residuals))
    }
    /// Like [`new`](Self::new), for a function at every number type: see [`Sum::of_object`](super::Sum::of_object).
    /// Its argument is the parameters followed by the row.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use wengert::{function, sums::LeastSquares};
    /// // The parameter is x[0]; a row is x[1] and x[2].
    /// let residual = function!(|x, y: [_; 1]| y[0] = x[0] * x[1] - x[2]);
    /// let mut squares = LeastSquares::of_object(1, &[[1.0, 3.0], [2.0, 4.0]], residual)?;
    /// assert_eq!(squares.value(&[1.0])?, 4.0); // ½((−2)² + (−2)²)
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn of_object<'t>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        residuals: impl VectorFunction + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Ok(LeastSquares(SumParts::new(OP, parameters, &data.into(), Term::of_residuals(residuals))?))
    }
    /// These least squares with a robust loss, for all terms that they have now.
    ///
    /// ```
    /// use wengert::sums::{Huber, LeastSquares};
    /// let squares = LeastSquares::new(1, &[[0.5], [3.0]], |p, d| p[0] - d[0])?;
    /// let mut robust = squares.with_loss(Huber(1.0));
    /// assert_eq!(robust.value(&[0.0])?, 0.5 * (0.25 + 5.0)); // s and 2√s − 1
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn with_loss(mut self, loss: impl Loss + Clone + Send + 'a) -> Self {
        self.0.map_terms(|term| term.with_loss(loss.clone()));
        self
    }
    /// The value.
    ///
    /// # Errors
    /// If `p` has another number of parameters, or if a row has another number of residuals than the others.
    ///
    /// # Panics
    /// As [`Sum::value`](super::Sum::value).
    pub fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        self.0.value(p)
    }
    /// Writes the gradient to `gradient`; returns the value. Plain squares `½r²` are not differentiated: the
    /// residuals are the weights of their own derivatives.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters, or if a primitive lacks the rule. If a row has another
    /// number of residuals than the others: rows are evaluated to find this, so buffers then have parts of a result.
    /// ```
    /// use wengert::sums::LeastSquares;
    /// // ½Σ(px − y)² has the gradient Σx(px − y).
    /// let mut squares =
    ///     LeastSquares::new(1, &[[1.0, 3.0], [2.0, 4.0]], |p, d| p[0] * d[0] - d[1])?;
    /// let mut g = [0.0];
    /// assert_eq!(squares.gradient(&[1.0], &mut g)?, 4.0);
    /// assert_eq!(g, [-6.0]); // 1·(−2) + 2·(−2)
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        self.0.gradient(p, gradient)
    }
    /// Writes the gradient `J̃ᵀr̃` and the matrix `J̃ᵀJ̃`, `n × n` for a gradient of `n` numbers, to buffers; returns
    /// the value. The buffer of the matrix is a matrix, or gets the columns in order.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    /// ```
    /// use wengert::sums::LeastSquares;
    /// let data = [[1.0, 3.0], [2.0, 5.0]];
    /// let mut line = LeastSquares::new(2, &data, |p, d| p[0] * d[0] + p[1] - d[1])?;
    /// let (mut g, mut a) = ([0.0; 2], [0.0; 4]);
    /// assert_eq!(line.normal_equations(&[0.0; 2], &mut g, &mut a)?, 17.0);
    /// assert_eq!((g, a), ([-13.0, -8.0], [5.0, 3.0, 3.0, 2.0])); // columns of [Σx² Σx; Σx n]
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn normal_equations<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        matrix: &mut H,
    ) -> Result<f64, AdError> {
        let point = self.0.point(p)?;
        self.0.dense(Derivative::Squares, &point, gradient, ("matrix buffer", matrix))
    }
    /// Writes the gradient to `gradient`; returns the value and the matrix `J̃ᵀJ̃`. The matrix has an entry for each
    /// pair of parameters that a row reads, in both triangles, and for all of the diagonal.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient), or if there are 2³² entries.
    /// ```
    /// use wengert::sums::{LeastSquares, Table};
    /// // Neighbours differ by 1.
    /// let neighbours = Table::without_data(2).reading(|i| [i, i + 1]);
    /// let mut squares = LeastSquares::new(3, neighbours, |x, _| x[1] - x[0] - 1.0)?;
    /// let mut g = [0.0; 3];
    /// let (value, a) = squares.sparse_normal_equations(&[0.0, 1.0, 3.0], &mut g)?;
    /// assert_eq!((value, g), (0.5, [0.0, -1.0, 1.0])); // the residuals are 0 and 1
    /// assert_eq!(a.values(), [1.0, -1.0, -1.0, 2.0, -1.0, -1.0, 1.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[cfg(feature = "sparse")]
    pub fn sparse_normal_equations<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let point = self.0.point(p)?;
        self.0.sparse(Derivative::Squares, &point, gradient)
    }
    /// The residuals `r̃` and their Jacobian `J̃`, a row for each residual in the order of the table: `r` and `J` without a
    /// robust loss.
    ///
    /// ```
    /// use wengert::sums::{LeastSquares, Table};
    /// // Neighbours differ by 1.
    /// let neighbours = Table::without_data(3).reading(|i| [i, i + 1]);
    /// let mut squares = LeastSquares::new(4, neighbours, |x, _| x[1] - x[0] - 1.0)?;
    /// let (r, j) = squares.jacobian(&[0.0, 1.0, 3.0, 4.0])?;
    /// assert_eq!(r, [0.0, 1.0, 0.0]);
    /// assert_eq!((j.nrows(), j.ncols()), (3, 4));
    /// assert_eq!(j.values(), [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// If `p` has another number of parameters, if a row has another number of residuals than the others, if a primitive
    /// lacks the rule, or if there are 2³² entries.
    #[cfg(feature = "sparse")]
    pub fn jacobian<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
    ) -> Result<(&[f64], &nalgebra_sparse::CsrMatrix<f64>), AdError> {
        let point = self.0.point(p)?;
        let mut rows = self.0.take_jacobian(&point.numbers)?;
        self.0.evaluated(Request::of(Derivative::Jacobian, &point.numbers), &mut rows)?;
        Ok(self.0.jacobian.insert(rows).finish(&point))
    }
    /// How the rows ran.
    pub fn report(&self) -> SumReport {
        self.0.report()
    }
}

added! {
    /// The residuals of both sums.
    ///
    /// # Panics
    /// If the sums have different numbers of parameters.
    LeastSquares
}

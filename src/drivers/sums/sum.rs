//! A sum over rows of data, with its derivatives.

use super::parts::SumParts;
use super::points::{Parameters, Precision};
use super::report::SumReport;
use super::request::{Derivative, Request, RequestedDirection};
use super::table::Table;
use super::targets::{Product, WithGradient};
use super::term::{Term, structured};
use crate::drivers::Function;
use crate::error::AdError;
use crate::programs::Traced;
use crate::space::Components;

/// `Σᵢ f(p, dᵢ)` over the rows `d` of a [`Table`], with its derivatives.
///
/// The term is a closure at [`Traced`] numbers. It is traced once for each branch that rows take, and the program is
/// cut by how often values change. Values that depend only on parameters are computed once per evaluation, values
/// that depend only on data once, and the rest at sixteen rows at a time. Sums of parameters with coefficients from
/// the row, as in regressions, run as products with the table. Results that the term returns are added up.
///
/// Values differ from the plain sum's in the last bits: the terms are added in another order, and `exp`, `ln`,
/// `ln_1p`, `tanh`, `sin`, `cos` and `hypot` of sixteen rows are computed together, within 1.21 ulp. The results do not depend on
/// threads (feature `rayon`). They do not depend on previous points either, as long as rows have taken at most 64
/// branches and each had a program.
///
/// Rows of further branches, and rows whose values leave the program, are computed without a program, which is slow for a
/// closure; [`report`](Sum::report) counts them, and [`of_object`](Sum::of_object) runs them on tapes. If a result is
/// not finite, where 0·∞ is NaN, the sum is computed again with the conventions at singular points.
///
/// ```
/// use wengert::{Real, reduce, sums::Sum};
/// // Logistic regression: two inputs and a label in each row.
/// let data = [[1.0, 0.5, 1.0], [1.0, -2.0, 0.0], [1.0, 1.5, 1.0]];
/// let mut loss = Sum::new(2, &data, |w, d| {
///     let t = reduce::dot(&d[..2], w);
///     t.softplus() - t * d[2]
/// })?;
/// let mut g = [0.0; 2];
/// let value = loss.gradient(&[0.0; 2], &mut g)?;
/// assert!((value - 3.0 * 2f64.ln()).abs() < 1e-15);
/// assert_eq!(g, [-0.5, -2.0]);
/// # #[cfg(feature = "nalgebra")] {
/// let mut h = nalgebra::DMatrix::<f64>::zeros(2, 2);
/// loss.hessian(&[0.0; 2], &mut g, &mut h)?;
/// assert_eq!(h, nalgebra::dmatrix![0.75, 0.0; 0.0, 1.625]);
/// # }
/// # Ok::<(), wengert::AdError>(())
/// ```
///
/// Several sums of the same parameters are added with `+`:
///
/// ```
/// use wengert::sums::{Sum, Table};
/// let fit = Sum::new(1, &[[1.0], [2.0]], |p, d| (p[0] - d[0]) * (p[0] - d[0]))?;
/// let prior = Sum::new(1, Table::without_data(1), |p, _| p[0] * p[0] * 0.5)?;
/// assert_eq!((fit + prior).value(&[2.0])?, 3.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Sum<'a>(SumParts<'a>);

impl<'a> Sum<'a> {
    /// The sum of a closure's results at the rows. The closure gets the parameters that a row
    /// [reads](Table::reading), by default all, and the row.
    ///
    /// # Errors
    /// [`AdError::TooMany`] if there are 2³² rows or parameters. [`AdError::Row`] with [`AdError::TooFew`] if a row reads
    /// a parameter that does not exist, with [`AdError::Shape`] if it reads another number of parameters than the first.
    pub fn new<'t, O: Components<Traced>>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        term: impl Fn(&[Traced], &[Traced]) -> O + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Ok(Sum(SumParts::new("sum", parameters, &data.into(), Term::summed(term))?))
    }
    /// Like [`new`](Self::new), for parameters in the [structure](crate::space) of `x`. The closure gets them in this
    /// structure; each row reads all of them.
    ///
    /// ```
    /// # #[cfg(feature = "macros")] {
    /// use wengert::{Differentiable, programs::Traced, space::With, sums::Sum};
    /// #[derive(Clone, Differentiable)]
    /// struct Decay { scale: f64, rates: [f64; 2] }
    /// let p = Decay { scale: 2.0, rates: [0.0, 1.0] };
    /// let term = |p: &With<Decay, Traced>, d: &[Traced]| {
    ///     p.rates.map(|rate| (-rate * d[0]).exp() * p.scale)
    /// };
    /// let mut sum = Sum::of_structure(p.clone(), &[[0.0], [1.0]], term)?;
    /// let mut g = p.clone();
    /// sum.gradient(&p, &mut g)?;
    /// assert_eq!(g.scale, 3.0 + (-1f64).exp());
    /// # }
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`AdError::Shape`] if rows do not read all parameters.
    pub fn of_structure<'t, X: Components<f64> + Send + Sync + 'a, O: Components<Traced> + 'a>(
        x: X,
        data: impl Into<Table<'t>>,
        term: impl Fn(&X::Arg<Traced>, &[Traced]) -> O + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Self::new(x.count(), data.into().reading_all("sum", x.count())?, structured(x, term))
    }
    /// Like [`new`](Self::new), for a function at every number type. Its argument is the parameters followed by the
    /// row. Rows without a program, because their values leave it or because they take too many branches, run on
    /// tapes.
    ///
    /// ```
    /// use wengert::{Real, function, sums::Sum};
    /// // A table look-up at a point that moves with the parameter. With `floor` before `primal`
    /// // each index is a branch. Without it the point itself leaves the program: rows run alone.
    /// let data = [[0.0], [1.0], [1.0]];
    /// let rounded = function!(|x| {
    ///     x[0] * [1.0, 5.0, 9.0][(x[0] * x[1]).floor().primal() as usize]
    /// });
    /// let mut sum = Sum::of_object(1, &data, rounded)?;
    /// assert_eq!((sum.value(&[2.0])?, sum.report().parts[0].alone), (38.0, 0));
    /// let exact = function!(|x| x[0] * [1.0, 5.0, 9.0][(x[0] * x[1]).primal() as usize]);
    /// let mut sum = Sum::of_object(1, &data, exact)?;
    /// assert_eq!((sum.value(&[2.0])?, sum.report().parts[0].alone), (38.0, 3));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_object<'t>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        term: impl Function + Send + Sync + 'a,
    ) -> Result<Self, AdError> {
        Ok(Sum(SumParts::new("sum", parameters, &data.into(), Term::of_function(term))?))
    }
    /// The sum.
    ///
    /// # Errors
    /// If `p` has another number of parameters.
    ///
    /// # Panics
    /// If the term panics. It runs at rows that have no program at this point: at the first evaluation, where a row
    /// takes a new branch, and where a primitive in it returns an error. This holds for all methods.
    pub fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        self.0.value(p)
    }
    /// Writes the gradient to `gradient`, a number for each component of a tangent of `p`; returns the sum. The
    /// [type](Self) has an example.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters, or if a primitive lacks the rule.
    pub fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        self.0.gradient(p, gradient)
    }
    /// Writes the gradient and the product `H·v` to buffers; returns the sum. In all methods `&mut ()` is the buffer
    /// of a result that is not needed.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    /// ```
    /// use wengert::sums::Sum;
    /// // Σ(p₀x + p₁ − y)²: the Hessian is 2·[Σx² Σx; Σx n].
    /// let data = [[1.0, 3.0], [2.0, 5.0]];
    /// let mut sum = Sum::new(2, &data, |p, d| {
    ///     let r = p[0] * d[0] + p[1] - d[1];
    ///     r * r
    /// })?;
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
    /// assert_eq!(sum.hvp(&[0.0; 2], &[1.0, 0.0], &mut g, &mut hv)?, 34.0);
    /// assert_eq!((g, hv), ([-26.0, -16.0], [10.0, 6.0]));
    /// // Without the gradient.
    /// sum.hvp(&[0.0; 2], &[0.0, 1.0], &mut (), &mut hv)?;
    /// assert_eq!(hv, [6.0, 4.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn hvp<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        v: &(impl Parameters<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        product: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let point = self.0.point(p)?.curved(p);
        let [v, velocity] = &point.direction(v)?;
        let request = Request {
            direction: RequestedDirection::Along(velocity),
            ..Request::of(Derivative::Hvp, &point.numbers)
        };
        point.gradient(gradient, |g| {
            point.write("product buffer", product, false, |hv| {
                let value = self.0.evaluated(request, &mut WithGradient(&mut *g, Product(hv)))?;
                Ok((value, point.bends_along(g, v)))
            })
        })
    }
    /// Writes the gradient and the Hessian, `n × n` for a gradient of `n` numbers, to buffers; returns the sum. The
    /// buffer of the Hessian is a matrix, or gets the columns in order. The [type](Self) has an example.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    pub fn hessian<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        hessian: &mut H,
    ) -> Result<f64, AdError> {
        let point = self.0.point(p)?.curved(p);
        self.0.dense(Derivative::Hessian, &point, gradient, ("hessian buffer", hessian))
    }
    /// Writes the gradient to `gradient`; returns the sum and its Hessian. The matrix has an entry for each pair of
    /// parameters that a row reads, in both triangles, and for all of the diagonal.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient), or if there are 2³² entries.
    /// ```
    /// use wengert::sums::{Sum, Table};
    /// // Neighbours are drawn together: each row reads two of three parameters.
    /// let neighbours = Table::without_data(2).reading(|i| [i, i + 1]);
    /// let mut energy = Sum::new(3, neighbours, |x, _| (x[1] - x[0]) * (x[1] - x[0]))?;
    /// let mut g = [0.0; 3];
    /// let (value, h) = energy.sparse_hessian(&[0.0, 1.0, 3.0], &mut g)?;
    /// assert_eq!((value, g), (5.0, [-2.0, -2.0, 4.0]));
    /// assert_eq!(h.values(), [2.0, -2.0, -2.0, 4.0, -2.0, -2.0, 2.0]); // 0 and 2 share no row
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[cfg(feature = "sparse")]
    pub fn sparse_hessian<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let point = self.0.point(p)?.curved(p);
        self.0.sparse(Derivative::Hessian, &point, gradient)
    }
    /// How the rows ran.
    pub fn report(&self) -> SumReport {
        self.0.report()
    }
}

added! {
    /// The terms of both sums.
    ///
    /// # Panics
    /// If the sums have different numbers of parameters.
    Sum
}

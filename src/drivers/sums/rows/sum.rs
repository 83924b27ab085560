//! A sum over rows of data, with its derivatives.

use std::fmt;
use std::ops::Add;

use super::super::points::{Parameters, Point, Precision};
use super::layout::Layout;
#[cfg(feature = "sparse")]
use super::matrices::Pattern;
use super::part::Part;
use super::report::Report;
use super::request::{Derivative, Direction, Request};
use super::table::Table;
use super::targets::{Dense, Gradient, Products, Second, evaluated, evaluated_hessian};
use crate::error::AdError;
use crate::programs::Traced;
use crate::programs::rows::TermResults;
use crate::space::{Components, components};

/// `Σᵢ f(p, dᵢ)` over the rows `d` of a [`Table`], with its derivatives.
///
/// The term is a closure at [`Traced`] numbers. It is traced once for each branch that rows take, and the program is cut:
/// what depends on parameters alone is computed once per evaluation, what depends on data alone once ever, and the rest at
/// sixteen rows at a time. Sums of parameters with coefficients from the row, as in regressions, are run as products with
/// the table. Results that the term returns are added up.
///
/// Values differ from those of the plain sum in their last bits, for they are added in another order. This order does not
/// depend on former points, while rows take at most 64 branches; rows of further ones are traced each time, which is slow
/// ([`report`](Sum::report) counts them). A sum runs on one thread. Where a result is not finite, the sum is computed again with the conventions at singular points.
///
/// ```
/// use wengert::{Real, reduce, sums::rows::Sum};
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
/// use wengert::sums::rows::{Sum, Table};
/// let fit = Sum::new(1, &[[1.0], [2.0]], |p, d| (p[0] - d[0]) * (p[0] - d[0]))?;
/// let prior = Sum::new(1, Table::without_data(1), |p, _| p[0] * p[0] * 0.5)?;
/// assert_eq!((fit + prior).value(&[2.0])?, 3.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Sum<'a> {
    parts: Vec<Part<'a>>,
    parameters: usize,
    #[cfg(feature = "sparse")]
    pattern: Option<Pattern>,
}

const OP: &str = "sum";

impl<'a> Sum<'a> {
    /// Terms that read all parameters.
    ///
    /// # Errors
    /// [`AdError::TooMany`] if there are 2³² rows or parameters.
    pub fn new<'t, O: Components<Traced>>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        term: impl Fn(&[Traced], &[Traced]) -> O + Sync + 'a,
    ) -> Result<Self, AdError> {
        Ok(Self::of(Layout::reading_all(OP, parameters, &data.into())?, term))
    }
    /// Terms that read some of the parameters: those at the places that `reads` lists for each row, in this order, as many
    /// for each. Rows may come in any order: those that share parameters are computed together.
    ///
    /// ```
    /// use wengert::sums::rows::{Sum, Table};
    /// // Neighbours are drawn together.
    /// let mut energy = Sum::reading(4, Table::without_data(3), |i| [i, i + 1], |x, _| {
    ///     (x[0] - x[1]) * (x[0] - x[1])
    /// })?;
    /// let mut g = [0.0; 4];
    /// assert_eq!(energy.gradient(&[0.0, 1.0, 3.0, 3.0], &mut g)?, 5.0);
    /// assert_eq!(g, [-2.0, -2.0, 4.0, 0.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    ///
    /// # Errors
    /// [`AdError::TooFew`] if a row reads a parameter that there is not, [`AdError::Shape`] if rows read different numbers
    /// of them, [`AdError::TooMany`] as for [`new`](Self::new).
    pub fn reading<'t, O: Components<Traced>, I: IntoIterator<Item = usize>>(
        parameters: usize,
        data: impl Into<Table<'t>>,
        reads: impl Fn(usize) -> I,
        term: impl Fn(&[Traced], &[Traced]) -> O + Sync + 'a,
    ) -> Result<Self, AdError> {
        let layout = Layout::reading(OP, parameters, &data.into(), |row| reads(row).into_iter().collect())?;
        Ok(Self::of(layout, term))
    }
    fn of<O: Components<Traced>>(
        layout: Layout,
        term: impl Fn(&[Traced], &[Traced]) -> O + Sync + 'a,
    ) -> Self {
        let parameters = layout.parameters;
        let traced = move |p: &[Traced], d: &[Traced], out: &mut Vec<Traced>| {
            let results = term(p, d);
            let all = components(&results);
            out.push(all.iter().copied().reduce(|sum, y| sum + y).unwrap_or(Traced::constant(0.0)));
            TermResults { residuals: 0, is_robust: false }
        };
        let parts = vec![Part::new(layout, Box::new(traced))];
        Sum {
            parts,
            parameters,
            #[cfg(feature = "sparse")]
            pattern: None,
        }
    }
    /// The sum.
    ///
    /// # Errors
    /// If `p` has another number of parameters.
    pub fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        let point = Point::of(OP, self.parameters, p)?;
        evaluated(&mut self.parts, Request::of(Derivative::Value, &point.numbers), &mut ())
    }
    /// The sum; its gradient to `gradient`.
    ///
    /// # Errors
    /// If a vector does not have the length of the parameters, or if a primitive lacks the rule.
    pub fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let point = Point::of(OP, self.parameters, p)?;
        let request = Request::of(Derivative::Gradient, &point.numbers);
        point.gradient(gradient, |g| evaluated(&mut self.parts, request, &mut Gradient(g)))
    }
    /// The sum; its gradient and the product `H·v` to buffers.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    pub fn hvp<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        v: &(impl Parameters<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        product: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let point = Point::of(OP, self.parameters, p)?.curved(p);
        let [v, velocity] = &point.direction(v)?;
        let request =
            Request { direction: Direction::Along(velocity), ..Request::of(Derivative::Hvp, &point.numbers) };
        point.gradient(gradient, |g| {
            point.write("product buffer", product, false, |hv| {
                let value = evaluated(&mut self.parts, request, &mut Products(&mut *g, hv))?;
                Ok((value, point.bends_along(g, v)))
            })
        })
    }
    /// The sum; its gradient and its Hessian to buffers. That of the Hessian is a matrix, or takes the columns one after
    /// the other.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    pub fn hessian<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
        hessian: &mut H,
    ) -> Result<f64, AdError> {
        let point = Point::of(OP, self.parameters, p)?.curved(p);
        point.write("hessian buffer", hessian, true, |entries| {
            point.gradient(gradient, |g| {
                let mut second = Second(&mut *g, Dense::new(self.parameters, entries));
                let value = evaluated_hessian(&mut self.parts, &point.numbers, &mut second)?;
                second.1.finish();
                Ok((value, point.bends(g)))
            })
        })
    }
    /// The sum and its Hessian; the gradient to `gradient`. The matrix has an entry for each pair of parameters that a
    /// row reads, in both triangles, and all of the diagonal.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient), or if there are 2³² entries.
    #[cfg(feature = "sparse")]
    pub fn sparse_hessian<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let point = Point::of(OP, self.parameters, p)?.curved(p);
        let pattern = match self.pattern.take() {
            Some(pattern) => pattern,
            None => Pattern::new(OP, self.parameters, &self.parts)?,
        };
        let pattern = self.pattern.insert(pattern);
        let (value, bends) = point.gradient(gradient, |g| {
            let mut second = Second(&mut *g, &mut *pattern);
            let value = evaluated_hessian(&mut self.parts, &point.numbers, &mut second)?;
            Ok((value, point.bends(g)))
        })?;
        Ok((value, pattern.matrix.finish(&point, &bends)))
    }
    /// How the rows ran.
    pub fn report(&self) -> Report {
        Report { parts: self.parts.iter().map(Part::report).collect() }
    }
}

/// The terms of both.
///
/// # Panics
/// If the sums have different numbers of parameters.
impl<'a> Add for Sum<'a> {
    type Output = Self;
    #[track_caller]
    fn add(mut self, other: Self) -> Self {
        let (left, right) = (self.parameters, other.parameters);
        assert!(left == right, "a sum of {left} parameters and one of {right} are added");
        self.parts.extend(other.parts);
        #[cfg(feature = "sparse")]
        {
            self.pattern = None;
        }
        self
    }
}

impl fmt::Debug for Sum<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum {{ {} parameters }}", self.parameters)
    }
}

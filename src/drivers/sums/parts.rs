//! The common part of sums and least squares: parts, each over the rows of one table.

use super::layout::SumLayout;
use super::part::SumPart;
use super::points::{Parameters, Point, Precision};
use super::report::SumReport;
use super::request::{Derivative, Request, RequestedDirection, Target};
#[cfg(feature = "sparse")]
use super::sparse::{Rectangular, Symmetric};
use super::table::Table;
use super::targets::{Column, Dense, WithGradient};
use super::term::Term;
use crate::error::AdError;
use crate::space::Components;

/// Addition and the text of a sum.
macro_rules! added {
    ($(#[$doc:meta])* $Sum:ident) => {
        $(#[$doc])*
        impl<'a> std::ops::Add for $Sum<'a> {
            type Output = Self;
            #[track_caller]
            fn add(self, other: Self) -> Self {
                $Sum(self.0.and(other.0))
            }
        }
        impl std::fmt::Debug for $Sum<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($Sum), " {{ {} parameters }}"), self.0.parameters)
            }
        }
    };
}

/// The Hessian of rows with more active numbers is computed column by column.
const WIDE: usize = 64;

/// Sums over rows that are added up.
pub(super) struct SumParts<'a> {
    op: &'static str,
    pub(super) parameters: usize,
    list: Vec<SumPart<'a>>,
    /// The Hessian, or the matrix of the normal equations.
    #[cfg(feature = "sparse")]
    pub(super) symmetric: Option<Symmetric>,
    #[cfg(feature = "sparse")]
    pub(super) jacobian: Option<Rectangular>,
}

impl<'a> SumParts<'a> {
    pub(super) fn new(
        op: &'static str,
        parameters: usize,
        data: &Table<'_>,
        term: Term<'a>,
    ) -> Result<Self, AdError> {
        Ok(SumParts {
            op,
            parameters,
            list: vec![SumPart::new(SumLayout::new(op, parameters, data)?, term)],
            #[cfg(feature = "sparse")]
            symmetric: None,
            #[cfg(feature = "sparse")]
            jacobian: None,
        })
    }
    /// These rows with other terms.
    pub(super) fn map_terms(&mut self, map: impl Fn(Term<'a>) -> Term<'a>) {
        self.list.iter_mut().for_each(|part| part.map_term(&map));
    }
    /// Appends the parts of another sum.
    #[track_caller]
    pub(super) fn and(mut self, other: Self) -> Self {
        let (left, right) = (self.parameters, other.parameters);
        assert!(left == right, "a sum of {left} parameters and one of {right} are added");
        self.list.extend(other.list);
        #[cfg(feature = "sparse")]
        {
            (self.symmetric, self.jacobian) = (None, None);
        }
        self
    }
    pub(super) fn report(&self) -> SumReport {
        SumReport { parts: self.list.iter().map(SumPart::report).collect() }
    }
    pub(super) fn point<'x, B: Precision, X: Components<B> + ?Sized>(
        &self,
        x: &'x X,
    ) -> Result<Point<'x>, AdError> {
        Point::of(self.op, self.parameters, x)
    }
    /// Moves the Jacobian out, made at the first call.
    #[cfg(feature = "sparse")]
    pub(super) fn take_jacobian(&mut self, p: &[f64]) -> Result<Rectangular, AdError> {
        let rows = self.jacobian.take();
        rows.map_or_else(|| Rectangular::new(self.op, self.parameters, &mut self.list, p), Ok)
    }
    pub(super) fn value<B: Precision>(&mut self, p: &(impl Components<B> + ?Sized)) -> Result<f64, AdError> {
        let point = self.point(p)?;
        self.evaluated(Request::of(Derivative::Value, &point.numbers), &mut ())
    }
    pub(super) fn gradient<B: Precision>(
        &mut self,
        p: &(impl Components<B> + ?Sized),
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<f64, AdError> {
        let point = self.point(p)?;
        let request = Request::of(Derivative::Gradient, &point.numbers);
        point.gradient(gradient, |g| self.evaluated(request, &mut WithGradient(g, ())))
    }
    /// The value of all parts; their derivatives go to the target.
    pub(super) fn evaluated(
        &mut self,
        request: Request<'_>,
        target: &mut impl Target,
    ) -> Result<f64, AdError> {
        self.passes(target, |part, exact, target| part.evaluate(&Request { exact, ..request }, target))
    }
    /// Writes the gradient and a symmetric matrix; the value.
    pub(super) fn dense<B: Precision, H: Components<B> + ?Sized>(
        &mut self,
        derivative: Derivative,
        point: &Point<'_>,
        gradient: &mut (impl Parameters<B> + ?Sized),
        (what, matrix): (&'static str, &mut H),
    ) -> Result<f64, AdError> {
        point.write(what, matrix, true, |entries| {
            point.gradient(gradient, |g| {
                let mut second = WithGradient(&mut *g, Dense::new(self.parameters, entries));
                let value = self.evaluated_matrix(derivative, &point.numbers, &mut second)?;
                second.1.finish();
                Ok((value, point.bends(g)))
            })
        })
    }
    /// Writes the gradient; the value and a symmetric matrix, which is made at the first call.
    #[cfg(feature = "sparse")]
    pub(super) fn sparse<B: Precision>(
        &mut self,
        derivative: Derivative,
        point: &Point<'_>,
        gradient: &mut (impl Parameters<B> + ?Sized),
    ) -> Result<(f64, &nalgebra_sparse::CscMatrix<f64>), AdError> {
        let new = || Symmetric::new(self.op, self.parameters, &self.list);
        let mut matrix = self.symmetric.take().map_or_else(new, Ok)?;
        let (value, bends) = point.gradient(gradient, |g| {
            let mut second = WithGradient(&mut *g, &mut matrix);
            let value = self.evaluated_matrix(derivative, &point.numbers, &mut second)?;
            Ok((value, point.bends(g)))
        })?;
        Ok((value, self.symmetric.insert(matrix).finish(point, &bends)))
    }
    /// As [`evaluated`](Self::evaluated), of a gradient and a symmetric matrix.
    fn evaluated_matrix<M: Target>(
        &mut self,
        derivative: Derivative,
        p: &[f64],
        target: &mut WithGradient<'_, M>,
    ) -> Result<f64, AdError> {
        self.passes(target, |part, exact, target| {
            let request = Request { exact, ..Request::of(derivative, p) };
            let active = part.first_branch(p)?.map_or(0, |first| first.programs(false).split.active());
            if derivative != Derivative::Hessian || active <= WIDE {
                return part.evaluate(&request, target);
            }
            let value = part.evaluate(&Request { derivative: Derivative::Gradient, ..request }, target)?;
            for place in 0..part.layout.places {
                let direction = RequestedDirection::Place(place);
                let request = Request { derivative: Derivative::Hvp, direction, ..request };
                part.evaluate(&request, &mut Column::new(place, &mut target.1))?;
            }
            Ok(value)
        })
    }
    /// Evaluates the parts in order. If a result is not finite, evaluates them again with the conventions at singular
    /// points.
    fn passes<T: Target>(
        &mut self,
        target: &mut T,
        mut evaluate: impl FnMut(&mut SumPart<'a>, bool, &mut T) -> Result<f64, AdError>,
    ) -> Result<f64, AdError> {
        let mut value = 0.0;
        for exact in [false, true] {
            target.start();
            value = std::iter::empty::<f64>().sum();
            for (number, part) in self.list.iter_mut().enumerate() {
                target.part(number);
                value += evaluate(part, exact, target)?;
            }
            if value.is_finite() && target.is_finite() {
                break;
            }
        }
        Ok(value)
    }
}

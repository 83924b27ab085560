//! Requests to a sum, and receivers of their results.

use super::layout::{Owner, SumLayout};

/// The derivative that is computed of each row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Derivative {
    Value,
    Gradient,
    Hvp,
    Hessian,
    /// The gradient, and the products of the rows of the Jacobian.
    Squares,
    /// Residuals, and the rows of the Jacobian.
    Jacobian,
}

impl Derivative {
    /// Whether the gradient is among the results.
    pub(super) fn has_gradient(self) -> bool {
        !matches!(self, Derivative::Value | Derivative::Jacobian)
    }
    /// Whether rows read the partials of shared values.
    pub(super) fn reads_slopes(self) -> bool {
        matches!(self, Derivative::Hessian | Derivative::Squares | Derivative::Jacobian)
    }
}

/// An evaluation of a sum.
#[derive(Clone, Copy)]
pub(super) struct Request<'r> {
    pub(super) derivative: Derivative,
    pub(super) exact: bool,
    pub(super) p: &'r [f64],
    pub(super) direction: RequestedDirection<'r>,
}

/// The direction of products with the Hessian.
#[derive(Clone, Copy)]
pub(super) enum RequestedDirection<'r> {
    Along(&'r [f64]),
    /// The parameter at this index of each row's list: the products are a column of each row's own matrix.
    Place(usize),
}

impl RequestedDirection<'_> {
    /// The tangent of the parameter at an index of a row's list.
    pub(super) fn tangent(&self, place: usize, parameter: u32) -> f64 {
        match *self {
            RequestedDirection::Along(v) => v[parameter as usize],
            RequestedDirection::Place(j) => f64::from(place == j),
        }
    }
}

impl<'r> Request<'r> {
    pub(super) fn of(derivative: Derivative, p: &'r [f64]) -> Self {
        Request { derivative, exact: false, p, direction: RequestedDirection::Along(&[]) }
    }
}

/// Where derivatives go.
pub(super) trait Target {
    /// Begins an evaluation: all is zero.
    fn start(&mut self);
    /// Begins the rows of a part.
    fn part(&mut self, number: usize) {
        let _ = number;
    }
    fn gradient(&mut self, place: u32, x: f64) {
        let _ = (place, x);
    }
    fn tangent(&mut self, place: u32, x: f64) {
        let _ = (place, x);
    }
    /// The lower triangle of a run's shared parameters, or the numbers that are kept of a row.
    fn entries(&mut self, layout: &SumLayout, of: Owner, entries: &[f64]) {
        let _ = (layout, of, entries);
    }
    /// Whether all numbers are finite.
    fn is_finite(&self) -> bool;
}

/// Nothing but the value.
impl Target for () {
    fn start(&mut self) {}
    fn is_finite(&self) -> bool {
        true
    }
}

//! Requests to a sum.

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

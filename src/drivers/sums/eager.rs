//! Terms at every number.

use std::sync::Arc;

use crate::drivers::{Function, VectorFunction};
use crate::duals::Dual;
use crate::number::Scalar;
use crate::tapes::Var;

/// A term at the numbers that its derivatives need; it takes the parameters and the data of a row in one slice.
pub(super) trait Eager: Send + Sync {
    /// The results: residuals, or the value.
    fn values(&self, z: &[f64]) -> Vec<f64>;
    fn first(&self, z: &[Var<f64>]) -> Vec<Var<f64>>;
    fn second(&self, z: &[Var<Dual<f64>>]) -> Vec<Var<Dual<f64>>>;
}

/// A term at every number.
pub(super) trait Generic: Send + Sync {
    fn call<T: Scalar>(&self, z: &[T]) -> Vec<T>;
}

impl<F: Generic> Eager for F {
    fn values(&self, z: &[f64]) -> Vec<f64> {
        self.call(z)
    }
    fn first(&self, z: &[Var<f64>]) -> Vec<Var<f64>> {
        self.call(z)
    }
    fn second(&self, z: &[Var<Dual<f64>>]) -> Vec<Var<Dual<f64>>> {
        self.call(z)
    }
}

/// A function with one result.
pub(super) struct OfOne<F>(pub(super) Arc<F>);

impl<F: Function + Send + Sync> Generic for OfOne<F> {
    fn call<T: Scalar>(&self, z: &[T]) -> Vec<T> {
        vec![self.0.call(z)]
    }
}

/// A function whose results are residuals.
pub(super) struct OfResiduals<F>(pub(super) Arc<F>);

impl<F: VectorFunction + Send + Sync> Generic for OfResiduals<F> {
    fn call<T: Scalar>(&self, z: &[T]) -> Vec<T> {
        let mut r = vec![T::lit(0.0); self.0.outputs(z.len())];
        self.0.call(z, &mut r);
        r
    }
}

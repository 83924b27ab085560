//! Functions of many numbers that a trace records as one operation, however they compute their results.

use super::Direction;
#[cfg(feature = "programs")]
use super::Primitive;
use crate::error::AdError;
use crate::number::Real;

/// A function of groups of numbers over `f64`, at every number type.
#[doc(hidden)]
pub trait Operation: Send + Sync + 'static {
    /// The operation's name.
    fn name(&self) -> &'static str;
    /// Whether it has derivatives in this direction.
    fn supports(&self, _: Direction) -> bool {
        true
    }
    /// The results.
    ///
    /// # Errors
    /// The errors of the function.
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError>;
}

#[cfg(feature = "programs")]
impl<R: Primitive<f64>> Operation for R {
    fn name(&self) -> &'static str {
        Primitive::name(self)
    }
    fn supports(&self, direction: Direction) -> bool {
        Primitive::supports(self, direction)
    }
    fn call<S: Real<Base = f64, Primal = f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        S::lift_primitive(self, x)
    }
}

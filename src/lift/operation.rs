//! Functions of many numbers that a trace records as one operation, however they compute their results.

use super::Direction;
#[cfg(feature = "programs")]
use super::Primitive;
use crate::error::AdError;
use crate::number::{AsNumber, Number, PrimalNumber, Real};

/// The complex primal numbers over the floats of `P`.
type ComplexOf<P> = <<P as Number>::Base as Real>::Complex;

/// A number over the primal numbers `P`, of the crate's own: its complex numbers are over complex primal numbers.
#[doc(hidden)]
pub trait OperationNumber<P: PrimalNumber>:
    AsNumber<Primal = P, Base = P::Base, Re: Real<Complex: Number<Primal = ComplexOf<P>>>>
{
}

impl<P: PrimalNumber, S> OperationNumber<P> for S where
    S: AsNumber<Primal = P, Base = P::Base, Re: Real<Complex: Number<Primal = ComplexOf<P>>>>
{
}

/// A function of groups of numbers over the primal numbers `P`, at every number type.
#[doc(hidden)]
pub trait Operation<P: PrimalNumber>: Send + Sync + 'static {
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
    fn call<S: OperationNumber<P>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError>;
}

#[cfg(feature = "programs")]
impl<P: PrimalNumber, R: Primitive<P>> Operation<P> for R {
    fn name(&self) -> &'static str {
        Primitive::name(self)
    }
    fn supports(&self, direction: Direction) -> bool {
        Primitive::supports(self, direction)
    }
    fn call<S: OperationNumber<P>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        S::lift(self, x)
    }
}

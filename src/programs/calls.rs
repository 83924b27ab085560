//! Primitives as operations of a program.

use std::panic::Location;
use std::rc::Rc;

use crate::error::AdError;
use crate::lift::Primitive;

/// A primitive over `f64`, without its type.
pub trait AnyPrimitive {
    /// The operation's name.
    fn name(&self) -> &'static str;
    /// The results at floats.
    ///
    /// # Errors
    /// Those of the primitive.
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError>;
}

impl<R: Primitive<f64>> AnyPrimitive for R {
    fn name(&self) -> &'static str {
        Primitive::name(self)
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Primitive::value(self, x)
    }
}

/// An operation of many numbers.
#[derive(Clone)]
pub struct Call {
    /// The primitive.
    pub primitive: Rc<dyn AnyPrimitive>,
    /// The operands, group by group.
    pub groups: Vec<Vec<u32>>,
    /// The number of results.
    pub results: u32,
    /// Whether it returned an error, which the traced code may have handled: then it must do so again.
    pub fails: bool,
    /// The source line.
    pub location: &'static Location<'static>,
}

impl Call {
    /// The operation's name.
    pub fn name(&self) -> String {
        self.primitive.name().to_string()
    }
}

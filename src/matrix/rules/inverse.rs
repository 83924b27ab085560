//! The inverse.
//!
//! ```text
//! value      Y = A⁻¹
//! tangent    Ẏ = −YȦY
//! cotangent  Ā = −YᴴȲYᴴ
//! ```

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::Primitive;
use crate::linear_map::LinearMap;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::{add, dense};
use crate::number::{Machine, Number};

/// `A ↦ Y`.
#[derive(Clone)]
pub(crate) struct InverseRule<P> {
    pub(crate) n: usize,
    pub(crate) value: Vec<P>,
}

impl<P: Machine> Primitive<P> for InverseRule<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = InverseDerivative<T>;
    fn name(&self) -> &'static str {
        "inverse"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.value.clone())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<InverseDerivative<T>, AdError> {
        Ok(InverseDerivative { y: dense(self.n, self.n, y) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of an inverse.
pub(crate) struct InverseDerivative<T> {
    y: DMatrix<T>,
}

impl<T: Number> InverseDerivative<T> {
    /// `−op(Y)·M·op(Y)`.
    fn both_sides(&self, op: Op, m: &[T]) -> DMatrix<T> {
        let n = self.y.nrows();
        -times(Op::Plain, &times(op, &self.y, Op::Plain, &dense(n, n, m)), op, &self.y)
    }
}

impl<T: Number> LinearMap<T> for InverseDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let dy = self.both_sides(Op::Plain, tangents[0].expect("a matrix"));
        out.copy_from_slice(dy.as_slice());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.both_sides(Op::Adjoint, cotangent).as_slice());
    }
    fn name(&self) -> &'static str {
        "inverse"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.y.as_slice())
    }
}

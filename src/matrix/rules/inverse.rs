//! The inverse.
//!
//! ```text
//! value      Y = A⁻¹
//! tangent    Ẏ = −YȦY
//! cotangent  Ā = −YᴴȲYᴴ
//! ```

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense};
use crate::number::{Number, PrimalNumber};

/// `A ↦ Y`.
#[derive(Clone)]
pub(crate) struct InverseRule<P> {
    pub(crate) n: usize,
    pub(crate) value: Vec<P>,
}

impl<P: PrimalNumber> Primitive<P> for InverseRule<P> {
    type Map<T: Extension<P>> = InverseDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "inverse"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.value.clone())
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        Ok(InverseDerivative { y: dense(self.n, self.n, y) })
    }
    /// `yₖ = −y₀·Σ Aⱼyₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &InverseDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let factor = (Op::Plain, (self.n, self.n));
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            let pairs = (1..=k).map(|j| (orders.x(0, j), Some(orders.y(k - j))));
            (-times(Op::Plain, &map.y, Op::Plain, &sum_of_products([factor; 2], pairs))).data.into()
        }))
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
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.both_sides(Op::Adjoint, cotangent).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.y.as_slice())
    }
}

//! Singular values without their vectors, for equal values too.
//!
//! ```text
//! value      A = UΣVᴴ
//! tangent    σ̇ = Re diag(UᴴȦV)
//! cotangent  Ā = U·diag(Re σ̄)·Vᴴ
//! ```

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::svd::scale_columns;
use crate::matrix::rules::{add, dense};
use crate::number::{Number, PrimalNumber};

/// `A ↦ σ`.
#[derive(Clone)]
pub(crate) struct SingularValuesRule<P: PrimalNumber> {
    pub(crate) of: Arc<PrimalSvd<P>>,
}

impl<P: PrimalNumber> Primitive<P> for SingularValuesRule<P> {
    type Map<T: Extension<P>> = SingularValuesDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "singular_values"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.of.values.iter().map(|&s| P::base(s)).collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let (u, _, v) = self.of.at("singular_values", &x[0])?;
        Ok(SingularValuesDerivative { u, v })
    }
}

/// The derivative of singular values.
pub(crate) struct SingularValuesDerivative<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for SingularValuesDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let da = dense(self.u.nrows(), self.v.nrows(), tangents[0].expect("a matrix"));
        let image = times(Op::Plain, &da, Op::Plain, &self.v);
        for ((s, u), image) in out.iter_mut().zip(self.u.column_iter()).zip(image.column_iter()) {
            *s = T::from_re(u.iter().zip(image.iter()).map(|(u, &i)| u.conj() * i).sum::<T>().re());
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut left = self.u.clone();
        scale_columns(&mut left, &cotangent.iter().map(|s| T::from_re(s.re())).collect::<Vec<_>>());
        add(out[0].as_mut().expect("a matrix"), times(Op::Plain, &left, Op::Adjoint, &self.v).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.u.as_slice()) + size_of_val(self.v.as_slice())
    }
}

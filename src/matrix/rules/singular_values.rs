//! Singular values, or the eigenvalues of a symmetric or hermitian matrix, without their vectors, for equal values too. Of
//! eigenvalues U is V.
//!
//! ```text
//! value      A = UΣVᴴ
//! tangent    σ̇ = Re diag(UᴴȦV)
//! cotangent  Ā = U·diag(Re σ̄)·Vᴴ
//! ```
//!
//! Each of several equal eigenvalues has the mean of their tangents.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::svd::weighted;
use crate::matrix::rules::symmetric_eigen::SymmetricEigenRule;
use crate::matrix::rules::{add, dense, inner_product};
use crate::number::{Number, PrimalNumber};

/// `A ↦ σ`, or `A ↦ λ`.
#[derive(Clone)]
pub(crate) enum ValuesRule<P: PrimalNumber> {
    Singular(Arc<PrimalSvd<P>>),
    Symmetric(Arc<Spectrum<P>>),
}

impl<P: PrimalNumber> Primitive<P> for ValuesRule<P> {
    type Map<T: Extension<P>> = ValuesDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        match self {
            ValuesRule::Singular(_) => "singular_values",
            ValuesRule::Symmetric(found) => found.op,
        }
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = match self {
            ValuesRule::Singular(of) => &of.values[..],
            ValuesRule::Symmetric(found) => found.values.as_slice(),
        };
        Ok(values.iter().map(|&s| P::base(s)).collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        match self {
            ValuesRule::Singular(of) => {
                let (u, _, v) = of.at("singular_values", &x[0])?;
                Ok(ValuesDerivative { u: Some(u), v, clusters: Vec::new() })
            }
            ValuesRule::Symmetric(found) => {
                let whole = T::lift_primitive(&SymmetricEigenRule { found: found.clone() }, &[&x[0]])?;
                let v = dense(y.len(), y.len(), &whole[y.len()..]);
                Ok(ValuesDerivative { u: None, v, clusters: found.clusters() })
            }
        }
    }
}

/// The derivative of singular values or eigenvalues.
pub(crate) struct ValuesDerivative<T> {
    /// `None` where it is V.
    u: Option<DMatrix<T>>,
    v: DMatrix<T>,
    clusters: Vec<Range<usize>>,
}

impl<T: Number> ValuesDerivative<T> {
    fn u(&self) -> &DMatrix<T> {
        self.u.as_ref().unwrap_or(&self.v)
    }
    /// Equal values share the mean.
    fn share(&self, values: &mut [T]) {
        for cluster in self.clusters.iter().filter(|c| c.len() > 1) {
            let mean = T::total(values[cluster.clone()].iter().copied()) / T::lit(cluster.len() as f64);
            values[cluster.clone()].fill(mean);
        }
    }
}

impl<T: Number> LinearMap<T> for ValuesDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (u, n) = (self.u(), self.v.nrows());
        let da = dense(u.nrows(), n, tangents[0].expect("a matrix"));
        let image = times(Op::Plain, &da, Op::Plain, &self.v);
        let [u, image] = [u, &image].map(|m| m.as_slice().chunks_exact(m.nrows().max(1)));
        for (s, (u, image)) in out.iter_mut().zip(u.zip(image)) {
            *s = T::from_re(inner_product(u, image).re());
        }
        self.share(out);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut weights = cotangent.to_vec();
        self.share(&mut weights);
        add(out[0].as_mut().expect("a matrix"), weighted(self.u(), &weights, &self.v).as_slice());
    }
    fn bytes(&self) -> usize {
        self.u.as_ref().map_or(0, |u| size_of_val(u.as_slice())) + size_of_val(self.v.as_slice())
    }
}

//! Eigenvalues of symmetric and hermitian matrices without their vectors.
//!
//! ```text
//! value      A = VΛVᴴ
//! tangent    λ̇ᵢ = (VᴴȦV)ᵢᵢ
//! cotangent  Ā = V diag(λ̄) Vᴴ
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
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::symmetric_eigen::{SymmetricEigenRule, weighted};
use crate::matrix::rules::{add, dense};
use crate::number::{Number, PrimalNumber};

/// `A ↦ Λ`.
#[derive(Clone)]
pub(crate) struct SymmetricEigenvaluesRule<P: PrimalNumber> {
    pub(crate) found: Arc<Spectrum<P>>,
}

impl<P: PrimalNumber> Primitive<P> for SymmetricEigenvaluesRule<P> {
    type Map<T: Extension<P>> = SymmetricEigenvaluesDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.found.values.iter().map(|&x| P::base(x)).collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let n = y.len();
        let whole = T::lift_primitive(&SymmetricEigenRule { found: self.found.clone() }, &[&x[0]])?;
        Ok(SymmetricEigenvaluesDerivative {
            vectors: dense(n, n, &whole[n..]),
            clusters: self.found.clusters(),
        })
    }
}

/// The derivative of eigenvalues.
pub(crate) struct SymmetricEigenvaluesDerivative<T> {
    vectors: DMatrix<T>,
    clusters: Vec<Range<usize>>,
}

impl<T: Number> SymmetricEigenvaluesDerivative<T> {
    /// Means over clusters.
    fn share(&self, values: &mut [T]) {
        for cluster in self.clusters.iter().filter(|c| c.len() > 1) {
            let mean = T::total(values[cluster.clone()].iter().copied()) / T::lit(cluster.len() as f64);
            values[cluster.clone()].fill(mean);
        }
    }
}

impl<T: Number> LinearMap<T> for SymmetricEigenvaluesDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, out.len());
        let product = times(Op::Plain, &dense(n, n, tangents[0].expect("a matrix")), Op::Plain, v);
        for (j, out) in out.iter_mut().enumerate() {
            let terms = (0..n).map(|i| (v[(i, j)].conj(), product[(i, j)]));
            *out = T::from_re(T::inner_product(terms).re());
        }
        self.share(out);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut weights = cotangent.to_vec();
        self.share(&mut weights);
        add(out[0].as_mut().expect("a matrix"), weighted(&self.vectors, &weights).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.vectors.as_slice())
    }
}

//! The nuclear norm `Σσᵢ` and the spectral norm `σ₁`. With `W = UVᴴ` of the singular vectors involved (with equal
//! weights for values that tie for the largest):
//!
//! ```text
//! value      y = Σσᵢ, or σ₁
//! tangent    ẏ = Re tr(WᴴȦ)
//! cotangent  Ā = ȳW
//! ```

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::polar::PolarRule;
use crate::matrix::rules::product::times;
use crate::matrix::rules::svd::SvdRule;
use crate::matrix::rules::{ScalarDerivative, dense};
use crate::number::PrimalNumber;

/// `A ↦ Σσᵢ` or `σ₁`.
#[derive(Clone)]
pub(crate) struct SingularNormRule<P: PrimalNumber> {
    pub(crate) part: NormOf,
    pub(crate) of: Arc<PrimalSvd<P>>,
}

/// Which singular values a norm is made of.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum NormOf {
    /// All: the nuclear norm.
    Sum,
    /// The spectral norm.
    Largest,
}

impl<P: PrimalNumber> Primitive<P> for SingularNormRule<P> {
    type Map<T: Extension<P>> = ScalarDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.part.name()
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = &self.of.values;
        let norm = if self.part == NormOf::Sum { values.iter().copied().sum() } else { values[0] };
        Ok(vec![P::base(norm)])
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let of = self.of.clone();
        let gradient = if T::PLAIN {
            self.subgradient()
        } else if self.part == NormOf::Sum {
            let shape = (of.u.nrows(), of.v.nrows());
            dense(shape.0, shape.1, &T::lift_primitive(&PolarRule { op: self.name(), of }, &[&x[0]])?)
        } else {
            let rule = SvdRule { op: self.name(), of, leading: 1 };
            let (u, _, v) = rule.split(&T::lift_primitive(&rule, &[&x[0]])?);
            times(Op::Plain, &u, Op::Adjoint, &v)
        };
        Ok(ScalarDerivative { gradient: gradient.data.into(), is_real: true })
    }
}

impl NormOf {
    pub(crate) fn name(self) -> &'static str {
        if self == NormOf::Sum { "nuclear_norm" } else { "spectral_norm" }
    }
}

impl<P: PrimalNumber> SingularNormRule<P> {
    /// The derivative at primal numbers, the subgradient of least norm: `UVᴴ` of the nonzero values, or of the values
    /// that tie for the largest, in equal shares.
    fn subgradient<T: Extension<P>>(&self) -> DMatrix<T> {
        let (values, noise) = (&self.of.values, self.of.noise());
        let taken = |s: P::Base| s > noise && (self.part == NormOf::Sum || values[0] - s <= noise);
        let r = values.iter().take_while(|&&s| taken(s)).count();
        let leading = |m: &DMatrix<P>| m.columns(0, r).map(T::constant_of);
        let g = times(Op::Plain, &leading(&self.of.u), Op::Adjoint, &leading(&self.of.v));
        if self.part == NormOf::Largest && r > 1 { g / T::lit(r as f64) } else { g }
    }
}

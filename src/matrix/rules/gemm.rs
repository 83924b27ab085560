//! Products that are added to a matrix; with β = 0 the result does not depend on C.
//!
//! ```text
//! value      Y = α·AB + β·C
//! tangent    Ẏ = α̇AB + α(ȦB + AḂ) + β̇C + βĊ
//! cotangent  ᾱ = Σ conj(AB)ᵢⱼȳᵢⱼ,  Ā = conj(α)·ȲBᴴ,  B̄ = conj(α)·AᴴȲ,
//!            β̄ = Σ conj(cᵢⱼ)ȳᵢⱼ,  C̄ = conj(β)·Ȳ
//! ```

use std::cell::OnceCell;

use nalgebra::DMatrixViewMut;

use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::matrix::op::Op;
use crate::matrix::rules::inner_product;
use crate::matrix::rules::product::{ProductDerivative, ProductRule};
use crate::number::{Number, PrimalNumber};

use crate::matrix::kernels::gemm::gemm as add_product;

/// `(α, A, B, β, C) ↦ Y`.
#[derive(Clone, Copy)]
pub(crate) struct GemmRule(pub(crate) ProductRule);

impl<P: PrimalNumber> Primitive<P> for GemmRule {
    type Map<T: Extension<P>> = GemmDerivative<T>;
    fn name(&self) -> &'static str {
        "gemm"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, _, n) = self.0.extents();
        let mut y: Vec<P> = x[4].iter().map(|c| c.strong_mul(x[3][0])).collect();
        let operand = |i: usize| Op::Plain.view(x[1 + i], self.0.shapes[i], self.0.shapes[i].0.max(1));
        add_product(
            x[0][0],
            &operand(0),
            &operand(1),
            P::lit(1.0),
            &mut DMatrixViewMut::from_slice(&mut y, m, n),
        );
        Ok(y)
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let [alpha, a, b, beta, c] = x.try_into().expect("two factors and three matrices");
        let (factors, product) = (ProductDerivative { product: self.0, a, b }, OnceCell::new());
        Ok(GemmDerivative { alpha: alpha[0], factors, product, beta: beta[0], c })
    }
}

/// The derivative of `α·AB + β·C`.
pub(crate) struct GemmDerivative<T> {
    alpha: T,
    factors: ProductDerivative<T>,
    /// `AB`, which only the derivative by α takes.
    product: OnceCell<Vec<T>>,
    beta: T,
    c: Vec<T>,
}

impl<T: Number> GemmDerivative<T> {
    fn product(&self) -> &[T] {
        let ProductDerivative { product, a, b } = &self.factors;
        self.product.get_or_init(|| T::lift_primitive(product, &[a, b]).expect("products always exist"))
    }
}

impl<T: Number> LinearMap<T> for GemmDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let [alpha, a, b, beta, c] = tangents else { unreachable!("two factors and three matrices") };
        self.factors.apply(&[*a, *b], out);
        out.iter_mut().for_each(|o| *o *= self.alpha);
        if let Some([d]) = alpha {
            out.iter_mut().zip(self.product()).for_each(|(o, p)| *o += p.strong_mul(*d));
        }
        if let Some([d]) = beta {
            out.iter_mut().zip(&self.c).for_each(|(o, c)| *o += c.strong_mul(*d));
        }
        if let Some(c) = c {
            out.iter_mut().zip(*c).for_each(|(o, d)| *o += d.strong_mul(self.beta));
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let [alpha, a, b, beta, c] = out else { unreachable!("two factors and three matrices") };
        if let Some([sum]) = alpha {
            *sum += inner_product(self.product(), cotangent);
        }
        if let Some([sum]) = beta {
            let terms = self.c.iter().zip(cotangent).map(|(c, &y)| c.conj().strong_mul(y));
            *sum += T::total(terms);
        }
        if let Some(c) = c {
            c.iter_mut().zip(cotangent).for_each(|(c, y)| *c += y.strong_mul(self.beta.conj()));
        }
        if a.is_some() || b.is_some() {
            let scaled: Vec<T> = cotangent.iter().map(|&y| y * self.alpha.conj()).collect();
            self.factors.apply_transpose_add(&scaled, &mut [a.as_deref_mut(), b.as_deref_mut()]);
        }
    }
    fn bytes(&self) -> usize {
        self.factors.bytes() + size_of_val(&self.c[..])
    }
}

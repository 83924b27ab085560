//! One eigenvalue of a symmetric or hermitian matrix, and its vector, by the bordered matrix `B = [A − λI, v; vᴴ, 0]`:
//!
//! ```text
//! value      Av = λv, vᴴv = 1
//! tangent    λ̇ = vᴴȦv,  B[v̇; μ] = [−Ȧv; 0]
//! cotangent  Ā = λ̄vvᴴ − wvᴴ with B[w; μ] = [v̄; 0], its hermitian part
//! ```
//!
//! `B` is regular where the eigenvalue is simple, also if others are equal. The phase of a complex vector keeps its
//! leading entry real.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::op::Op;
use crate::matrix::rules::add;
use crate::matrix::rules::solve::SolveRule;
use crate::matrix::rules::svd::imaginary;
use crate::matrix::rules::symmetric_function::hermitian_part;
use crate::number::PrimalNumber;

/// `A ↦ (λ, v)`.
#[derive(Clone)]
pub(crate) struct SymmetricEigenpairRule<P: PrimalNumber> {
    pub(crate) found: Arc<Spectrum<P>>,
    pub(crate) index: usize,
}

impl<P: PrimalNumber> Primitive<P> for SymmetricEigenpairRule<P> {
    type Map<T: Extension<P>> = SymmetricEigenpairDerivative<P, T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let value = P::base(self.found.values[self.index]);
        Ok(core::iter::once(value).chain(self.found.vectors.column(self.index).iter().copied()).collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        self.found.is_simple(self.index)?;
        let (a, v, n) = (hermitian_part(&x[0]), y[1..].to_vec(), y.len());
        let bordered = DMatrix::from_fn(n, n, |i, j| match (i + 1 == n, j + 1 == n) {
            (false, false) if i == j => a[i + i * (n - 1)] - y[0],
            (false, false) => a[i + j * (n - 1)],
            (false, true) => v[i],
            (true, false) => v[j].conj(),
            (true, true) => T::lit(0.0),
        });
        let primal = bordered.map(T::innermost);
        let solver = Factors::lu(self.found.op, n, primal.as_slice())?;
        let rule = SolveRule { solver, op: Op::Plain, n, columns: 1 };
        let leading = self.found.leading.get(self.index).copied();
        Ok(SymmetricEigenpairDerivative { rule, bordered, v, leading })
    }
}

/// The derivative of an eigenvalue and its vector.
pub(crate) struct SymmetricEigenpairDerivative<P: PrimalNumber, T> {
    rule: SolveRule<Arc<Factors<P>>>,
    bordered: DMatrix<T>,
    v: Vec<T>,
    /// `None` for real numbers, whose vectors cannot turn.
    leading: Option<usize>,
}

impl<P: PrimalNumber, T: Extension<P>> SymmetricEigenpairDerivative<P, T> {
    /// `x` of `B[x; μ] = [b; 0]`.
    fn solve(&self, mut b: Vec<T>) -> Vec<T> {
        b.push(T::lit(0.0));
        let mut x = T::lift_primitive(&self.rule, &[self.bordered.as_slice(), &b]).expect("a regular matrix");
        x.pop();
        x
    }
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for SymmetricEigenpairDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.v, self.v.len());
        let da = hermitian_part(tangents[0].expect("a matrix"));
        let product = |i: usize| T::inner_product((0..n).map(|k| (da[i + k * n], v[k])));
        let image: Vec<T> = (0..n).map(product).collect();
        out[0] = T::from_re(T::inner_product(v.iter().map(|v| v.conj()).zip(image.iter().copied())).re());
        out[1..].copy_from_slice(&self.solve(image.into_iter().map(|x| -x).collect()));
        if let Some(k) = self.leading {
            let turn = imaginary(out[k + 1]) / v[k];
            out[1..].iter_mut().zip(v).for_each(|(dv, &v)| *dv -= v * turn);
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (v, n) = (&self.v, self.v.len());
        let mut of_v = cotangent[1..].to_vec();
        if let Some(k) = self.leading {
            let along = T::inner_product(v.iter().map(|v| v.conj()).zip(of_v.iter().copied()));
            of_v[k] -= imaginary(along) / v[k];
        }
        let (w, of_value) = (self.solve(of_v), T::from_re(cotangent[0].re()));
        let entry = |k: usize| (of_value * v[k % n] - w[k % n]) * v[k / n].conj();
        add(out[0].as_mut().expect("a matrix"), &hermitian_part(&(0..n * n).map(entry).collect::<Vec<_>>()));
    }
    fn bytes(&self) -> usize {
        let numbers = size_of_val(self.bordered.as_slice()) + size_of_val(&self.v[..]);
        numbers + size_of::<P>() * self.rule.n * self.rule.n
    }
}

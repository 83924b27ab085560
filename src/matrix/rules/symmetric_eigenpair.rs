//! One eigenvalue of a symmetric or hermitian matrix, and its vector, by the bordered matrix `B = [A − λI, sv; svᴴ, 0]`,
//! where `s` is a power of two near the size of `A`:
//!
//! ```text
//! value      Av = λv, vᴴv = 1
//! tangent    λ̇ = vᴴȦv,  B[v̇; μ] = [−Ȧv; 0]
//! cotangent  Ā = λ̄vvᴴ − wvᴴ with B[w; μ] = [v̄; 0], its hermitian part
//! ```
//!
//! `B` is regular where the eigenvalue is simple, also if others are equal. At numbers without tangents the other
//! eigenvectors give the same, `v̇ = −Σ vₖvₖᴴȦv/(λₖ − λ)`. The phase of a complex vector keeps its
//! leading entry real.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::balance::largest_exponent;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::op::Op;
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::svd::{column_terms, imaginary};
use crate::matrix::rules::symmetric_function::hermitian_part;
use crate::matrix::rules::{add, dense, inner_product};
use crate::number::{PrimalNumber, power_of_two};

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
        let (v, n) = (y[1..].to_vec(), y.len());
        if T::PLAIN {
            return Ok(SymmetricEigenpairDerivative { rule: self.clone(), v, bordered: None });
        }
        let a = hermitian_part(&x[0]);
        let border = power_of_two::<P::Base>(largest_exponent(&a).unwrap_or(0));
        let matrix = DMatrix::from_fn(n, n, |i, j| match (i + 1 == n, j + 1 == n) {
            (false, false) if i == j => a[i + i * (n - 1)] - y[0],
            (false, false) => a[i + j * (n - 1)],
            (false, true) => v[i] * border,
            (true, false) => v[j].conj() * border,
            (true, true) => T::lit(0.0),
        });
        let factors = Factors::lu(self.found.op, n, matrix.map(T::innermost).as_slice())?;
        Ok(SymmetricEigenpairDerivative { rule: self.clone(), v, bordered: Some((matrix, factors)) })
    }
    /// Order by order from `Av = λv`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SymmetricEigenpairDerivative<P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let size = map.v.len();
        let (value, vector) = (0..1, 1..size + 1);
        let mut parts: Vec<Option<Vec<S::Part>>> = Vec::new();
        Ok(by_recurrence(x, y, n, |orders| {
            parts.push(orders.x(0, orders.next()).map(hermitian_part));
            let a = |i: usize| parts[i - 1].as_deref();
            let (image, turns) =
                column_terms(orders, (Op::Plain, (size, size)), a, [&vector, &vector, &value]);
            map.next(image.data.into(), turns[0])
        }))
    }
}

/// The derivative of an eigenvalue and its vector.
pub(crate) struct SymmetricEigenpairDerivative<P: PrimalNumber, T> {
    rule: SymmetricEigenpairRule<P>,
    v: Vec<T>,
    /// `B` and the factors of its values, where the eigenvectors are not constant.
    bordered: Option<(DMatrix<T>, Arc<Factors<P>>)>,
}

impl<P: PrimalNumber, T: Extension<P>> SymmetricEigenpairDerivative<P, T> {
    /// The row of the leading entry; `None` for real numbers, whose vectors cannot turn.
    fn leading(&self) -> Option<usize> {
        self.rule.found.leading.get(self.rule.index).copied()
    }
    /// `x` of `B[x; μ] = [b; 0]`.
    fn solve(&self, mut b: Vec<T>) -> Vec<T> {
        let SymmetricEigenpairRule { found, index } = &self.rule;
        let Some((matrix, factors)) = &self.bordered else {
            let mut x = vec![T::lit(0.0); b.len()];
            for k in (0..b.len()).filter(|k| k != index) {
                let vector: Vec<T> = found.vectors.column(k).iter().map(|&v| T::constant_of(v)).collect();
                let part =
                    inner_product(&vector, &b) * T::base(found.values[k] - found.values[*index]).recip();
                x.iter_mut().zip(vector).for_each(|(x, v)| *x += v * part);
            }
            return x;
        };
        b.push(T::lit(0.0));
        let mut x: Vec<T> = solved(factors, Op::Plain, matrix, &dense(b.len(), 1, &b)).data.into();
        x.pop();
        x
    }
    /// The next coefficients of value and vector: `Re vᴴb` and `−(A − λI)⁺b`, with a multiple of the vector.
    fn next(&self, b: Vec<T>, along: T) -> Vec<T> {
        let of_value = T::from_re(inner_product(&self.v, &b).re());
        let mut dv = self.solve(b.into_iter().map(|x| -x).collect());
        dv.iter_mut().zip(&self.v).for_each(|(dv, &v)| *dv += v * along);
        if let Some(k) = self.leading() {
            let turn = imaginary(dv[k]) / self.v[k];
            dv.iter_mut().zip(&self.v).for_each(|(dv, &v)| *dv -= v * turn);
        }
        core::iter::once(of_value).chain(dv).collect()
    }
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for SymmetricEigenpairDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.v, self.v.len());
        let da = hermitian_part(tangents[0].expect("a matrix"));
        let product = |i: usize| T::inner_product((0..n).map(|k| (da[i + k * n], v[k])));
        out.copy_from_slice(&self.next((0..n).map(product).collect(), T::lit(0.0)));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (v, n) = (&self.v, self.v.len());
        let mut of_v = cotangent[1..].to_vec();
        if let Some(k) = self.leading() {
            let along = T::inner_product(v.iter().map(|v| v.conj()).zip(of_v.iter().copied()));
            of_v[k] -= imaginary(along) / v[k];
        }
        let (w, of_value) = (self.solve(of_v), T::from_re(cotangent[0].re()));
        let entry = |k: usize| (of_value * v[k % n] - w[k % n]) * v[k / n].conj();
        add(out[0].as_mut().expect("a matrix"), &hermitian_part(&(0..n * n).map(entry).collect::<Vec<_>>()));
    }
    fn bytes(&self) -> usize {
        let n = self.v.len() + 1;
        let bordered = self.bordered.as_ref().map_or(0, |_| n * n * (size_of::<T>() + size_of::<P>()));
        bordered + size_of_val(&self.v[..])
    }
}

//! The orthogonal factors of a matrix with independent columns. With `X = QᴴȦR⁻¹`, the triangle
//! `U = triu(X) + (strict lower part of X)ᴴ`, its diagonal real, and the hermitian `H` that has the upper triangle of
//! `R̄Rᴴ − QᴴQ̄`:
//!
//! ```text
//! value      A = QR
//! tangent    Ṙ = UR,  Q̇ = ȦR⁻¹ − QU
//! cotangent  Ā = (Q̄ + QH)R⁻ᴴ
//! ```
//!
//! Walter and Lehmann, Algorithmic differentiation of linear algebra functions with application in optimum experimental
//! design, 2010.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::factors::by_triangle;
use crate::matrix::kernels::qr::QrFactors;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::scaled::{Scales, each, lift};
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::{add, dense, subtract, with_rest};
use crate::number::{Number, PrimalNumber};

/// `A ↦ (Q, R)`.
#[derive(Clone)]
pub(crate) struct QrRule<P: PrimalNumber> {
    pub(crate) factors: Arc<QrFactors<P>>,
}

impl<P: PrimalNumber> Primitive<P> for QrRule<P> {
    type Map<T: Extension<P>> = QrDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "qr"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok([self.factors.q.as_slice(), self.factors.r.as_slice()].concat())
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (m, n) = self.factors.q.shape();
        let (q, r) = y.split_at(m * n);
        Ok(QrDerivative { q: dense(m, n, q), r: dense(n, n, r) })
    }
    /// With `N = Σ qⱼᴴqₖ₋ⱼ`, where `q₀ᴴqₖ + qₖᴴq₀ = −N`: the remainder of `aₖ` after subtracting `Σ qⱼrₖ₋ⱼ − ½q₀Nr₀`,
    /// as a tangent; `−½q₀N` is added to the tangent of `Q`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &QrDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let ((rows, columns), half) = (self.factors.q.shape(), S::Part::lit(0.5));
        let (of_q, of_r) = ((Op::Plain, (rows, columns)), (Op::Plain, (columns, columns)));
        Ok(by_recurrence(x, y, n, |orders| {
            let part = |j: usize| orders.y(j).split_at(rows * columns);
            let both = orders.between().map(|j| (part(j), part(orders.next() - j)));
            let product = both.clone().map(|((q, _), (_, r))| (Some(q), Some(r)));
            let gram = both.map(|((q, _), (other, _))| (Some(q), Some(other)));
            let gram = sum_of_products([(Op::Adjoint, of_q.1), of_q], gram) * half;
            let turn = times(Op::Plain, &map.q, Op::Plain, &gram);
            let rest = sum_of_products([of_q, of_r], product) - times(Op::Plain, &turn, Op::Plain, &map.r);
            let mut y = with_rest(map, orders, &rest);
            subtract(&mut y, turn.as_slice());
            y
        }))
    }
}

/// The derivative of the factors.
pub(crate) struct QrDerivative<T> {
    q: DMatrix<T>,
    r: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for QrDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (m, n) = self.q.shape();
        let da = dense(m, n, tangents[0].expect("a matrix")).transpose();
        let mut dq = solved(&Triangle::Upper, Op::Transpose, &self.r, &da).transpose();
        let x = times(Op::Adjoint, &self.q, Op::Plain, &dq);
        let u = by_triangle(&x, |_, _| T::lit(0.0), |i, j| x[(i, j)] + x[(j, i)].conj());
        if m == n {
            // The columns are in the span of Q: the difference is QΩ with a skew Ω, and keeps Q orthogonal.
            dq = times(Op::Plain, &self.q, Op::Plain, &(x - &u));
        } else {
            dq -= times(Op::Plain, &self.q, Op::Plain, &u);
        }
        let (to_q, to_r) = out.split_at_mut(m * n);
        to_q.copy_from_slice(dq.as_slice());
        to_r.copy_from_slice(times(Op::Plain, &u, Op::Plain, &self.r).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (m, n) = self.q.shape();
        let (q, r) = cotangent.split_at(m * n);
        let (mut bar, r) = (dense(m, n, q), dense(n, n, r).upper_triangle());
        let h = times(Op::Plain, &r, Op::Adjoint, &self.r) - times(Op::Adjoint, &self.q, Op::Plain, &bar);
        let h = by_triangle(&h, |i, j| h[(j, i)].conj(), |i, j| h[(i, j)]);
        bar += times(Op::Plain, &self.q, Op::Plain, &h);
        let g = solved(&Triangle::Upper, Op::Plain, &self.r, &Op::Adjoint.of(bar));
        add(out[0].as_mut().expect("a matrix"), Op::Adjoint.of(g).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.q.as_slice()) + size_of_val(self.r.as_slice())
    }
}

/// The entries of Q and then of R, for the matrix of these columns with its factors.
#[track_caller]
pub(crate) fn orthogonal_factors<S: Entry>(factors: &Arc<QrFactors<S::Primal>>, a: &[S]) -> Vec<S> {
    let (m, n) = factors.q.shape();
    let (factors, powers) = factors.of_columns_near_one();
    let powers = powers.map(|powers| {
        let of_r = powers.iter().map(|power| -power).collect::<Vec<_>>();
        Scales::new([each(&powers, m)], [vec![0; m * n], each(&of_r, n)].concat())
    });
    lift(QrRule { factors }, powers, &[a]).expect("the factors exist")
}

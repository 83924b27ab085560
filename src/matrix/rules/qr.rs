//! The orthogonal factors of a matrix with independent columns. With `M = QᴴȦ`, the skew-hermitian `Ω` that has the strict
//! lower triangle of `MR⁻¹` and the imaginary parts of its diagonal, `G = QᴴQ̄ − R̄Rᴴ`, and the lower triangle `K` of `G − Gᴴ`
//! with the imaginary parts of the diagonal of `G`:
//!
//! ```text
//! value      A = QR
//! tangent    Ṙ = M − ΩR,  Q̇ = QΩ + (Ȧ − QM)R⁻¹
//! cotangent  Ā = Q(R̄ + KR⁻ᴴ) + (Q̄ − QQᴴQ̄)R⁻ᴴ
//! ```
//!
//! The last terms are zero for a square matrix. So the last column of `R⁻¹`, which is large if the matrix is nearly
//! singular, is not read there, unless the matrix is complex. For other matrices `X = QᴴȦR⁻¹` costs no product with `Ȧ`:
//! `Ṙ = (X − Ω)R`, `Q̇ = ȦR⁻¹ − Q(X − Ω)`, `Ā = (Q̄ + Q(K − G))R⁻ᴴ`.
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
        let da = dense(m, n, tangents[0].expect("a matrix"));
        let over =
            |a: &DMatrix<T>| solved(&Triangle::Upper, Op::Transpose, &self.r, &a.transpose()).transpose();
        let turn = |x: &DMatrix<T>| skewed(x, |i, j| x[(i, j)], |i, j| -x[(j, i)].conj());
        let by_q = |a: &DMatrix<T>| times(Op::Plain, &self.q, Op::Plain, a);
        let by_r = |a: &DMatrix<T>| times(Op::Plain, a, Op::Plain, &self.r);
        let (dq, dr) = if m > n {
            let over_r = over(&da);
            let x = times(Op::Adjoint, &self.q, Op::Plain, &over_r);
            let difference = &x - turn(&x);
            (over_r - by_q(&difference), by_r(&difference))
        } else {
            let along = times(Op::Adjoint, &self.q, Op::Plain, &da);
            let turn = turn(&over(&along));
            (by_q(&turn), along - by_r(&turn))
        };
        let (to_q, to_r) = out.split_at_mut(m * n);
        to_q.copy_from_slice(dq.as_slice());
        to_r.copy_from_slice(upper(&dr).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (m, n) = self.q.shape();
        let (q, r) = cotangent.split_at(m * n);
        let (q, r) = (dense(m, n, q), upper(&dense(n, n, r)));
        let over = |a| Op::Adjoint.of(solved(&Triangle::Upper, Op::Plain, &self.r, &Op::Adjoint.of(a)));
        let by_q = |a: &DMatrix<T>| times(Op::Plain, &self.q, Op::Plain, a);
        let g = times(Op::Adjoint, &self.q, Op::Plain, &q) - times(Op::Plain, &r, Op::Adjoint, &self.r);
        let k = skewed(&g, |i, j| g[(i, j)] - g[(j, i)].conj(), |_, _| T::lit(0.0));
        let a = if m > n { over(q + by_q(&(k - g))) } else { by_q(&(r + over(k))) };
        add(out[0].as_mut().expect("a matrix"), a.as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.q.as_slice()) + size_of_val(self.r.as_slice())
    }
}

/// The upper triangle, with the real parts of the diagonal.
fn upper<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    by_triangle(a, |_, _| T::lit(0.0), |i, j| a[(i, j)])
}

/// The matrix with the imaginary parts of this diagonal, and these entries below and above it.
fn skewed<T: Number>(
    a: &DMatrix<T>,
    below: impl Fn(usize, usize) -> T,
    above: impl Fn(usize, usize) -> T,
) -> DMatrix<T> {
    let mut skew = by_triangle(a, below, above);
    let imaginary = |x: T| if T::REAL { T::lit(0.0) } else { x - T::from_re(x.re()) };
    (0..a.nrows()).for_each(|i| skew[(i, i)] = imaginary(a[(i, i)]));
    skew
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

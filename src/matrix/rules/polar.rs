//! The polar factor: the nearest matrix with orthonormal columns (or rows). With `M = UᴴȦV`, for a tall matrix:
//!
//! ```text
//! value      W = UVᴴ
//! tangent    Ẇ = U((M−Mᴴ)∘1/(σᵢ+σⱼ))Vᴴ + (I−UUᴴ)ȦVΣ⁻¹Vᴴ
//! cotangent  the same map of W̄: it is its own transpose
//! ```
//!
//! For a wide matrix it is the adjoint of the polar factor of the adjoint.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::svd::{over, over_sum, scale_columns};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `A ↦ W`.
#[derive(Clone)]
pub(crate) struct PolarRule<P: PrimalNumber> {
    pub(crate) op: &'static str,
    pub(crate) of: Arc<PrimalSvd<P>>,
}

impl<P: PrimalNumber> Primitive<P> for PolarRule<P> {
    type Map<T: Extension<P>> = PolarDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(times(Op::Plain, &self.of.u, Op::Adjoint, &self.of.v).data.into())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let noise = self.of.noise();
        if self.of.values.iter().any(|&s| s <= noise) {
            return Err(AdError::Singular { op: self.op });
        }
        let (u, values, v) = self.of.at(self.op, &x[0])?;
        Ok(PolarDerivative { u, v, values })
    }
    /// Order by order from `A = WP` with `P = WᴴA` and `WᴴW = I`, of the adjoint of a wide matrix: without singular
    /// vectors, whose derivatives grow where values are close.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &PolarDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (rows, columns) = (self.of.u.nrows(), self.of.v.nrows());
        let op = if rows >= columns { Op::Plain } else { Op::Adjoint };
        let tall = |entries: &[S::Part]| op.of(dense(rows, columns, entries));
        let square = |left: &[DMatrix<S::Part>], right: &[DMatrix<S::Part>]| {
            let pairs = left.iter().zip(right.iter().rev());
            let pairs = pairs.map(|(x, y)| (Some(x.as_slice()), Some(y.as_slice())));
            sum_of_products(
                [(Op::Adjoint, op.shape((rows, columns))), (Op::Plain, op.shape((rows, columns)))],
                pairs,
            )
        };
        let (mut a, mut w, mut p) = (Vec::new(), vec![tall(&y)], Vec::new());
        a.push(tall(&x[0].iter().map(|x| x.order_part(0)).collect::<Vec<_>>()));
        Ok(by_recurrence(x, y, n, |orders| {
            let k = orders.next();
            p.push(square(&w, &a));
            let turn = times(Op::Plain, &w[0], Op::Plain, &(square(&w[1..], &w[1..]) * S::Part::lit(-0.5)));
            let known = times(Op::Plain, &turn, Op::Plain, &p[0]);
            let known = (1..k).fold(known, |sum, i| sum + times(Op::Plain, &w[i], Op::Plain, &p[k - i]));
            let mut y = with_rest(map, orders, &[(0, op.of(known))]);
            add(&mut y, op.of(turn).as_slice());
            a.push(orders.x(0, k).map_or_else(|| &a[0] * S::Part::lit(0.0), tall));
            w.push(tall(&y));
            y
        }))
    }
}

/// The derivative of a polar factor.
pub(crate) struct PolarDerivative<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
    values: Vec<T>,
}

impl<T: Number> PolarDerivative<T> {
    fn of(&self, da: &[T]) -> DMatrix<T> {
        let da = dense(self.u.nrows(), self.v.nrows(), da);
        let tall = self.u.nrows() >= self.v.nrows();
        let (own, other) = if tall { (&self.u, &self.v) } else { (&self.v, &self.u) };
        let mut image = times(if tall { Op::Plain } else { Op::Adjoint }, &da, Op::Plain, other);
        let mut m = times(Op::Adjoint, own, Op::Plain, &image);
        let k = m.nrows();
        let skew = |i: usize, j: usize| m[(i, j)] - m[(j, i)].conj();
        let mut core = DMatrix::from_fn(k, k, |i, j| skew(i, j) * over_sum(1.0, &self.values, i, j));
        if own.nrows() > k {
            let reciprocals: Vec<T> = self.values.iter().map(|&s| over(1.0, s)).collect();
            scale_columns(&mut image, &reciprocals);
            scale_columns(&mut m, &reciprocals);
            core -= m;
        } else {
            image.fill(T::lit(0.0));
        }
        let left = image + times(Op::Plain, own, Op::Plain, &core);
        let (left, right) = if tall { (&left, other) } else { (other, &left) };
        times(Op::Plain, left, Op::Adjoint, right)
    }
}

impl<T: Number> LinearMap<T> for PolarDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.of(tangents[0].expect("a matrix")).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.of(cotangent).as_slice());
    }
    fn bytes(&self) -> usize {
        [self.u.as_slice(), self.v.as_slice(), &self.values].map(size_of_val).iter().sum()
    }
}

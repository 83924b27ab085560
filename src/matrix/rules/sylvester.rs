//! The Sylvester and Lyapunov equations.
//!
//! ```text
//! value      op(A)X + X op(B) = C
//! tangent    op(A)Ẋ + Ẋ op(B) = Ċ − op(Ȧ)X − X op(Ḃ)
//! cotangent  op(A)ᴴC̄ + C̄ op(B)ᴴ = X̄; of op(A) it is −C̄Xᴴ, of op(B) −XᴴC̄
//! ```

use std::sync::Arc;

use nalgebra::DMatrix;
use num_complex::Complex64;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::schur::{complex, to_primal};
use crate::matrix::kernels::sylvester::SylvesterOperator;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `(A, B, C) ↦ X`.
#[derive(Clone)]
pub(crate) struct SylvesterRule {
    pub(crate) name: &'static str,
    pub(crate) operator: Arc<SylvesterOperator>,
    pub(crate) adjoint: bool,
    pub(crate) shape: (usize, usize),
    /// A and B if a solution is refined once: the errors of the Schur forms are relative to the largest entries, and balanced
    /// solutions have entries of different sizes.
    pub(crate) refined: Option<Arc<[DMatrix<Complex64>; 2]>>,
}

impl SylvesterRule {
    fn op(&self) -> Op {
        if self.adjoint { Op::Adjoint } else { Op::Plain }
    }
}

impl<P: PrimalNumber> Primitive<P> for SylvesterRule {
    type Map<T: Extension<P>> = SylvesterDerivative<T>;
    const HELD: usize = 2;
    fn name(&self) -> &'static str {
        self.name
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let c = DMatrix::from_iterator(self.shape.0, self.shape.1, x[2].iter().map(|&x| complex(x)));
        let mut y = self.operator.solve(self.adjoint, &c);
        if let Some(matrices) = &self.refined {
            let [a, b] = matrices.each_ref().map(|a| if self.adjoint { a.adjoint() } else { a.clone() });
            y += self.operator.solve(self.adjoint, &(c - a * &y - &y * b));
        }
        Ok(y.iter().map(|&x| to_primal(x)).collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a, b, _] = x.try_into().expect("three matrices");
        Ok(SylvesterDerivative { rule: self.clone(), a, b, x: dense(self.shape.0, self.shape.1, y) })
    }
    /// `A₀xₖ + xₖB₀ = cₖ − Σ (Aⱼxₖ₋ⱼ + xₖ₋ⱼBⱼ)`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SylvesterDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let ((rows, columns), op) = (self.shape, self.op());
        let (of_a, of_b, of_x) = ((op, (rows, rows)), (op, (columns, columns)), (Op::Plain, self.shape));
        Ok(by_recurrence(x, y, n, |orders| {
            let x = |j: usize| Some(orders.y(orders.next() - j));
            let by_a = sum_of_products([of_a, of_x], orders.between().map(|j| (orders.x(0, j), x(j))));
            let by_b = sum_of_products([of_x, of_b], orders.between().map(|j| (x(j), orders.x(1, j))));
            with_rest(map, orders, &[(2, by_a + by_b)])
        }))
    }
}

/// The derivative of a solution.
pub(crate) struct SylvesterDerivative<T> {
    rule: SylvesterRule,
    a: Vec<T>,
    b: Vec<T>,
    x: DMatrix<T>,
}

impl<T: Number> SylvesterDerivative<T> {
    fn solve(&self, rule: &SylvesterRule, c: &[T]) -> Vec<T> {
        T::lift_primitive(rule, &[&self.a, &self.b, c]).expect("the factors exist")
    }
}

impl<T: Number> LinearMap<T> for SylvesterDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let ((m, n), op) = (self.rule.shape, self.rule.op());
        let mut rest = tangents[2].map_or(vec![T::lit(0.0); m * n], <[T]>::to_vec);
        let of_a = tangents[0].map(|da| times(op, &dense(m, m, da), Op::Plain, &self.x));
        let of_b = tangents[1].map(|db| times(Op::Plain, &self.x, op, &dense(n, n, db)));
        for term in [of_a, of_b].into_iter().flatten() {
            rest.iter_mut().zip(term.as_slice()).for_each(|(r, &t)| *r -= t);
        }
        out.copy_from_slice(&self.solve(&self.rule, &rest));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let ((m, n), op) = (self.rule.shape, self.rule.op());
        let rule = SylvesterRule { adjoint: !self.rule.adjoint, ..self.rule.clone() };
        let c = DMatrix::from_vec(m, n, self.solve(&rule, cotangent));
        let [to_a, to_b, to_c] = out else { unreachable!("three matrices") };
        if let Some(out) = to_a {
            add(out, op.of(-times(Op::Plain, &c, Op::Adjoint, &self.x)).as_slice());
        }
        if let Some(out) = to_b {
            add(out, op.of(-times(Op::Adjoint, &self.x, Op::Plain, &c)).as_slice());
        }
        if let Some(out) = to_c {
            add(out, c.as_slice());
        }
    }
    fn bytes(&self) -> usize {
        let factors = [&self.rule.operator.a, &self.rule.operator.b]
            .map(|f| size_of_val(f.unitary.as_slice()) + size_of_val(f.triangular.as_slice()));
        factors[0] + factors[1] + size_of::<T>() * (self.a.len() + self.b.len() + self.x.len())
    }
}

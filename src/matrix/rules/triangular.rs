//! The solution of a triangular system; the other triangle is not read.
//!
//! ```text
//! value      op(T)·X = B
//! tangent    op(T)·Ẋ = Ḃ − op(Ṫ)·X
//! cotangent  op(T)ᴴ·B̄ = X̄; of op(T) it is the triangle of −B̄Xᴴ
//! ```

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::substitution::TriangularSystem;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `(T, B) ↦ X`.
#[derive(Clone, Copy)]
pub(crate) struct TriangularSolveRule {
    pub(crate) triangle: TriangularSystem,
    pub(crate) n: usize,
    pub(crate) columns: usize,
}

impl<P: PrimalNumber> Primitive<P> for TriangularSolveRule {
    type Map<T: Extension<P>> = TriangularSolveDerivative<T>;
    fn name(&self) -> &'static str {
        "triangular solve"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut b = dense(self.n, self.columns, x[1]);
        self.triangle.solve(x[0], self.n, &mut b);
        Ok(b.data.into())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [t, _] = x.try_into().expect("a matrix and a right-hand side");
        Ok(TriangularSolveDerivative { rule: *self, t, x: dense(self.n, self.columns, y) })
    }
    /// `T₀xₖ = bₖ − Σ Tⱼxₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &TriangularSolveDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let factors = [(self.triangle.op, (self.n, self.n)), (Op::Plain, (self.n, self.columns))];
        Ok(by_recurrence(x, y, n, |orders| {
            let triangles: Vec<_> = orders.between().map(|j| Some(self.masked(orders.x(0, j)?))).collect();
            let pairs = triangles.iter().zip(orders.between());
            let pairs =
                pairs.map(|(t, j)| (t.as_ref().map(DMatrix::as_slice), Some(orders.y(orders.next() - j))));
            with_rest(map, orders, &[(1, sum_of_products(factors, pairs))])
        }))
    }
}

/// The derivative of the solution of a triangular system.
pub(crate) struct TriangularSolveDerivative<T> {
    rule: TriangularSolveRule,
    t: Vec<T>,
    x: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for TriangularSolveDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let mut rest = vec![T::lit(0.0); out.len()];
        if let Some(db) = tangents[1] {
            rest.copy_from_slice(db);
        }
        if let Some(dt) = tangents[0] {
            let term = times(self.rule.triangle.op, &self.rule.masked(dt), Op::Plain, &self.x);
            rest.iter_mut().zip(term.as_slice()).for_each(|(r, &t)| *r -= t);
        }
        let dx = T::lift_primitive(&self.rule, &[&self.t, &rest]).expect("the diagonal is not zero");
        out.copy_from_slice(&dx);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let op = self.rule.triangle.op;
        let rule = TriangularSolveRule {
            triangle: TriangularSystem { op: op.adjoint(), ..self.rule.triangle },
            ..self.rule
        };
        let b = T::lift_primitive(&rule, &[&self.t, cotangent]).expect("the diagonal is not zero");
        let [to_t, to_b] = out else { unreachable!("a matrix and a right-hand side") };
        if let Some(out) = to_b {
            add(out, &b);
        }
        if let Some(out) = to_t {
            let b = DMatrix::from_vec(self.rule.n, self.rule.columns, b);
            let g = op.of(-times(Op::Plain, &b, Op::Adjoint, &self.x));
            add(out, self.rule.masked(g.as_slice()).as_slice());
        }
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.t[..]) + size_of_val(self.x.as_slice())
    }
}

impl TriangularSolveRule {
    /// `T` with zeros outside of the triangle that is read.
    fn masked<T: Number>(&self, t: &[T]) -> DMatrix<T> {
        let TriangularSystem { lower, unit, .. } = self.triangle;
        let mut t = dense(self.n, self.n, t);
        if lower {
            t.fill_upper_triangle(T::lit(0.0), 1);
        } else {
            t.fill_lower_triangle(T::lit(0.0), 1);
        }
        if unit {
            t.fill_diagonal(T::lit(0.0));
        }
        t
    }
}

/// `X` of `op(T)·X = B`; the diagonal must have no zero.
pub(crate) fn substituted<T: Number>(
    triangle: TriangularSystem,
    t: &DMatrix<T>,
    b: &DMatrix<T>,
) -> DMatrix<T> {
    let (n, columns) = b.shape();
    let rule = TriangularSolveRule { triangle, n, columns };
    let x = T::lift_primitive(&rule, &[t.as_slice(), b.as_slice()]).expect("the diagonal is not zero");
    DMatrix::from_vec(n, columns, x)
}

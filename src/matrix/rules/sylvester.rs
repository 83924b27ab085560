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

use crate::matrix::kernels::schur::{complex, to_primal};
use crate::matrix::kernels::sylvester::SylvesterOperator;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::system::LinearSystem;
use crate::matrix::rules::{dense, subtract};
use crate::number::{Number, PrimalNumber};

/// `(A, B, C) ↦ X`.
#[derive(Clone)]
pub(crate) struct SylvesterSystem {
    pub(crate) name: &'static str,
    pub(crate) operator: Arc<SylvesterOperator>,
    pub(crate) op: Op,
    pub(crate) shape: (usize, usize),
    /// A and B if a solution is refined once: the errors of the Schur forms are relative to the largest entries, and balanced
    /// solutions have entries of different sizes.
    pub(crate) refined: Option<Arc<[DMatrix<Complex64>; 2]>>,
}

impl<P: PrimalNumber> LinearSystem<P> for SylvesterSystem {
    const MATRICES: usize = 2;
    const HELD: usize = 2;
    fn name(&self) -> &'static str {
        self.name
    }
    fn split<T: Number>(&self, x: &[T]) -> [DMatrix<T>; 2] {
        [dense(self.shape.0, self.shape.1, x), DMatrix::default()]
    }
    fn solve(&self, _: &[&[P]], c: &[&[P]]) -> Vec<P> {
        let c = DMatrix::from_iterator(self.shape.0, self.shape.1, c[0].iter().map(|&x| complex(x)));
        let mut y = self.operator.solve(self.op == Op::Adjoint, &c);
        if let Some(matrices) = &self.refined {
            let [a, b] = matrices.each_ref().map(|a| self.op.of(a.clone()));
            y += self.operator.solve(self.op == Op::Adjoint, &(c - a * &y - &y * b));
        }
        y.iter().map(|&x| to_primal(x)).collect()
    }
    fn adjoint(&self) -> Self {
        SylvesterSystem { op: self.op.adjoint(), ..self.clone() }
    }
    fn push<T: Number>(&self, matrix: usize, da: &[T], x: &[DMatrix<T>; 2], rest: &mut [DMatrix<T>; 2]) {
        let ((m, n), op) = (self.shape, self.op);
        rest[0] -= match matrix {
            0 => times(op, &dense(m, m, da), Op::Plain, &x[0]),
            _ => times(Op::Plain, &x[0], op, &dense(n, n, da)),
        };
    }
    fn pull<T: Number>(&self, matrix: usize, c: &[DMatrix<T>; 2], x: &[DMatrix<T>; 2], out: &mut [T]) {
        let term = match matrix {
            0 => times(Op::Plain, &c[0], Op::Adjoint, &x[0]),
            _ => times(Op::Adjoint, &x[0], Op::Plain, &c[0]),
        };
        subtract(out, self.op.of(term).as_slice());
    }
    fn bytes(&self) -> usize {
        let forms = [&self.operator.a, &self.operator.b];
        forms.map(|f| size_of_val(f.unitary.as_slice()) + size_of_val(f.triangular.as_slice())).iter().sum()
    }
}

//! Least squares as a system in which the residual `R` and the solution `X` are unknowns; the original problem has
//! `C = 0`.
//!
//! ```text
//! value      R + AX = B,  AᴴR = C
//! tangent    Ṙ + AẊ = Ḃ − ȦX,  AᴴṘ = Ċ − ȦᴴR
//! cotangent  B̄ + AC̄ = R̄,  AᴴB̄ = X̄,  Ā = −B̄Xᴴ − RC̄ᴴ
//! ```
//!
//! The system is hermitian, so it is its own adjoint, and derivatives are systems of the same form. The residual
//! term, which depends on the squared condition number, then needs no normal equations (Björck, Solving linear least
//! squares problems by Gram–Schmidt orthogonalization, BIT 7 (1967); Golub and Pereyra, The differentiation of
//! pseudo-inverses and nonlinear least squares problems whose variables separate, 1973).

use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::qr::QrFactors;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::rules::product::times;
use crate::matrix::rules::scaled::{Scales, each, lift};
use crate::matrix::rules::system::{LinearSystem, SystemRule};
use crate::matrix::rules::{dense, subtract};
use crate::number::{Number, PrimalNumber};

/// `(A, B, C) ↦ (R, X)`, with factors of `A`.
#[derive(Clone)]
pub(crate) struct LstsqSystem<P: PrimalNumber> {
    pub(crate) factors: Arc<QrFactors<P>>,
    pub(crate) columns: usize,
}

impl<P: PrimalNumber> LinearSystem<P> for LstsqSystem<P> {
    const MATRICES: usize = 1;
    const RESULTS: usize = 2;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "lstsq"
    }
    fn split<T: Number>(&self, y: &[T]) -> [DMatrix<T>; 2] {
        let (m, n) = self.factors.q.shape();
        let (r, x) = y.split_at(m * self.columns);
        [dense(m, self.columns, r), dense(n, self.columns, x)]
    }
    /// With `D = R⁻ᴴC`: the residual is `QD + (I−QQᴴ)B`, and `X = R⁻¹(QᴴB − D)`.
    fn solve(&self, _: &[&[P]], sides: &[&[P]]) -> Vec<P> {
        let QrFactors { q, r } = &*self.factors;
        let (b, mut d) = (dense(q.nrows(), self.columns, sides[0]), dense(q.ncols(), self.columns, sides[1]));
        Triangle::Upper.solve(Op::Adjoint, r.as_slice(), r.nrows(), &mut d);
        let mut x = times(Op::Adjoint, q, Op::Plain, &b) - &d;
        let residual = match q.is_square() {
            true => times(Op::Plain, q, Op::Plain, &d), // nothing is outside of Q
            false => b - times(Op::Plain, q, Op::Plain, &x),
        };
        Triangle::Upper.solve(Op::Plain, r.as_slice(), r.nrows(), &mut x);
        [residual.as_slice(), x.as_slice()].concat()
    }
    fn adjoint(&self) -> Self {
        self.clone()
    }
    fn push<T: Number>(&self, _: usize, da: &[T], y: &[DMatrix<T>; 2], rest: &mut [DMatrix<T>; 2]) {
        let (m, n) = self.factors.q.shape();
        let da = dense(m, n, da);
        rest[0] -= times(Op::Plain, &da, Op::Plain, &y[1]);
        rest[1] -= times(Op::Adjoint, &da, Op::Plain, &y[0]);
    }
    fn pull<T: Number>(&self, _: usize, c: &[DMatrix<T>; 2], y: &[DMatrix<T>; 2], out: &mut [T]) {
        let g = times(Op::Plain, &c[0], Op::Adjoint, &y[1]) + times(Op::Plain, &y[0], Op::Adjoint, &c[1]);
        subtract(out, g.as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.factors.q.as_slice()) + size_of_val(self.factors.r.as_slice())
    }
}

/// The X of least `|AX − B|` for a matrix with its factors.
#[track_caller]
pub(crate) fn least_squares<S: Entry, R: Dim, C: Dim, K: Dim>(
    factors: &Arc<QrFactors<S::Primal>>,
    a: &OMatrix<S, R, C>,
    b: &OMatrix<S, R, K>,
) -> OMatrix<S, C, K>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, K> + Allocator<C, K>,
{
    let (rows, columns) = (a.shape_generic().1, b.shape_generic().1);
    let zero = vec![S::constant(0.0); rows.value() * columns.value()];
    let (factors, powers) = factors.of_columns_near_one();
    let powers = powers.map(|of_a| {
        let (of_b, columns) = (middle(b.iter()), columns.value());
        let of_c = of_a.iter().map(|power| power - of_b).collect::<Vec<_>>().repeat(columns);
        let of_x = of_a.iter().map(|power| power + of_b).collect::<Vec<_>>().repeat(columns);
        let of_r = vec![of_b; b.len()];
        Scales::new([each(&of_a, a.nrows()), vec![-of_b; b.len()], of_c], [of_r, of_x].concat())
    });
    let rule = SystemRule(LstsqSystem { factors, columns: columns.value() });
    let y = lift(rule, powers, &[a.as_slice(), b.as_slice(), &zero]).expect("the factors exist");
    OMatrix::from_column_slice_generic(rows, columns, &y[b.len()..])
}

//! The solution of a linear system, with factors of the matrix or by its triangle.
//!
//! ```text
//! value      op(A)·X = B
//! tangent    op(A)·Ẋ = Ḃ − op(Ȧ)·X
//! cotangent  op(A)ᴴ·B̄ = X̄; of op(A) it is −B̄Xᴴ: for `solve` Ā = −B̄Xᴴ
//! ```
//!
//! For a hermitian matrix with Cholesky factors only the lower triangle is read, and the cotangent is lower
//! triangular. Of a triangular system the other triangle is not read, and has no cotangent.

use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::lift::{TangentLanes, lane_by_lane};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::rules::product::times;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::system::{LinearSystem, SystemDerivative, SystemRule};
use crate::matrix::rules::{dense, subtract};
use crate::matrix::sizes::MANY_SIDES;
use crate::number::{Number, Passive, PrimalNumber};

/// How a rule solves with a matrix: with its factors, or by its triangle.
pub(crate) trait Solver<P: PrimalNumber>: Clone + Passive + Send + Sync + 'static {
    const NAME: &'static str;
    /// 1 if the solver holds the values of the matrix.
    const HELD: usize;
    /// `op(A)·X = B` in place.
    fn solve(&self, op: Op, a: &[P], x: &mut DMatrix<P>);
    /// Whether only the lower triangle of a hermitian matrix is read.
    fn is_hermitian(&self) -> bool {
        false
    }
    /// The matrix that these entries represent.
    fn meant<T: Number>(&self, a: DMatrix<T>) -> DMatrix<T>;
    /// Subtracts `BXᴴ`, seen through `op`, from the cotangent of the entries.
    fn update<T: Number>(&self, out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>);
}

impl<P: PrimalNumber> Solver<P> for Arc<Factors<P>> {
    const NAME: &'static str = "solve";
    const HELD: usize = 1;
    fn solve(&self, op: Op, _: &[P], x: &mut DMatrix<P>) {
        Factors::solve(self, op, x);
    }
    fn is_hermitian(&self) -> bool {
        Factors::is_hermitian(self)
    }
    fn meant<T: Number>(&self, a: DMatrix<T>) -> DMatrix<T> {
        Factors::meant(self, a)
    }
    fn update<T: Number>(&self, out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>) {
        match Factors::is_hermitian(self) {
            true => rank_update_of_lower(out, op, b, x),
            false => rank_update(out, op, b, x),
        }
    }
}

impl<P: PrimalNumber> Solver<P> for Triangle {
    const NAME: &'static str = "triangular solve";
    const HELD: usize = 0;
    fn solve(&self, op: Op, t: &[P], x: &mut DMatrix<P>) {
        Triangle::solve(*self, op, t, x.nrows(), x);
    }
    /// With zeros outside of the triangle that is read.
    fn meant<T: Number>(&self, mut t: DMatrix<T>) -> DMatrix<T> {
        match self.is_lower() {
            true => t.fill_upper_triangle(T::lit(0.0), 1),
            false => t.fill_lower_triangle(T::lit(0.0), 1),
        }
        if self.has_ones() {
            t.fill_diagonal(T::lit(0.0));
        }
        t
    }
    fn update<T: Number>(&self, out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>) {
        let g = op.of(times(Op::Plain, b, Op::Adjoint, x));
        subtract(out, Solver::<P>::meant(self, g).as_slice());
    }
}

/// `(A, B) ↦ X`.
#[derive(Clone)]
pub(crate) struct SolveSystem<F> {
    pub(crate) solver: F,
    pub(crate) op: Op,
    pub(crate) n: usize,
    pub(crate) columns: usize,
}

impl<P: PrimalNumber, F: Solver<P>> LinearSystem<P> for SolveSystem<F> {
    const MATRICES: usize = 1;
    const HELD: usize = F::HELD;
    fn name(&self) -> &'static str {
        F::NAME
    }
    fn split<T: Number>(&self, x: &[T]) -> [DMatrix<T>; 2] {
        [dense(self.n, self.columns, x), DMatrix::default()]
    }
    fn solve(&self, a: &[&[P]], b: &[&[P]]) -> Vec<P> {
        let mut b = dense(self.n, self.columns, b[0]);
        self.solver.solve(self.op, a[0], &mut b);
        b.data.into()
    }
    fn adjoint(&self) -> Self {
        SolveSystem { op: self.op.adjoint(), ..self.clone() }
    }
    fn push<T: Number>(&self, _: usize, da: &[T], x: &[DMatrix<T>; 2], rest: &mut [DMatrix<T>; 2]) {
        let da = self.solver.meant(dense(self.n, self.n, da));
        rest[0] -= times(self.op, &da, Op::Plain, &x[0]);
    }
    fn pull<T: Number>(&self, _: usize, b: &[DMatrix<T>; 2], x: &[DMatrix<T>; 2], out: &mut [T]) {
        self.solver.update(out, self.op, &b[0], &x[0]);
    }
    /// All lanes of `Ḃ − op(Ȧ)·X` in one pass, which reads `A` in its memory order; of many columns, a product for each
    /// lane. A triangle has zeros in each lane.
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &SystemDerivative<Self, S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        if F::HELD == 0 || self.columns >= MANY_SIDES * S::LANES.min(4) {
            return lane_by_lane(&|tangents, out| map.apply(tangents, out), x, active, y);
        }
        let (n, zero) = (self.n, S::Part::lit(0.0));
        let stride = n * self.columns;
        // Lane after lane, each a block of columns.
        let mut rest = vec![zero; S::LANES * stride];
        if active[1] {
            for (i, b) in x[1].iter().enumerate() {
                (0..S::LANES).for_each(|l| rest[l * stride + i] = b.lane(l));
            }
        }
        if active[0] {
            let mut row = vec![S::lit(0.0); n];
            for c in 0..self.columns {
                row.fill(S::lit(0.0));
                self.multiply_column(self.solver.is_hermitian(), x[0], &y[c * n..(c + 1) * n], &mut row);
                for (i, r) in row.iter().enumerate() {
                    (0..S::LANES).for_each(|l| rest[l * stride + c * n + i] -= r.lane(l));
                }
            }
        }
        let system = SolveSystem { columns: self.columns * S::LANES, ..self.clone() };
        let dx = map.solve(&SystemRule(system), [&rest, &[]]);
        let result = |(i, &x): (usize, &S::Part)| S::assemble(x, |l| dx[l * stride + i]);
        y.iter().enumerate().map(result).collect()
    }
    fn bytes(&self) -> usize {
        F::HELD * size_of::<P>() * self.n * self.n
    }
}

impl<F> SolveSystem<F> {
    /// The tangents of `op(A)·x` for a constant `x`, added to `sums`.
    fn multiply_column<S: TangentLanes>(&self, hermitian: bool, a: &[S], x: &[S::Part], sums: &mut [S]) {
        let conjugated = |a: S, yes: bool| if yes && !S::REAL { a.conj() } else { a };
        let term = |sum: &mut S, a: S, x: S::Part| {
            *sum = S::assemble(sum.value_part(), |l| sum.lane(l) + a.lane(l) * x);
        };
        let conj = self.op.conjugates();
        for (j, column) in a.chunks_exact(self.n.max(1)).enumerate() {
            if hermitian {
                let conj = conj != self.op.transposes();
                for (i, &a) in column.iter().enumerate().skip(j) {
                    let a = if i == j { S::from_re(a.re()) } else { conjugated(a, conj) };
                    term(&mut sums[i], a, x[j]);
                    if i > j {
                        term(&mut sums[j], conjugated(a, true), x[i]);
                    }
                }
            } else if self.op.transposes() {
                column.iter().zip(x).for_each(|(&a, &x)| term(&mut sums[j], conjugated(a, conj), x));
            } else {
                column.iter().zip(&mut *sums).for_each(|(&a, sum)| term(sum, conjugated(a, conj), x[j]));
            }
        }
    }
}

/// The factors of a matrix divided by a power of two, so that powers of it and of its inverse stay in the range, which
/// derivatives contain; and the exponent, which is even, and 0 except far from the middle of the range.
pub(crate) fn near_one<S: Entry>(
    factors: &Arc<Factors<S::Primal>>,
    a: &[S],
) -> (Arc<Factors<S::Primal>>, i32) {
    let is_far = middle(factors.pivots().iter()) != 0;
    match if is_far { middle(a.iter()) & !1 } else { 0 } {
        0 => (factors.clone(), 0),
        power => (Arc::new(factors.scaled(-power)), power),
    }
}

/// `op(A)·X = B` for a matrix with its factors.
#[track_caller]
pub(crate) fn solution<S: Entry, D: Dim, C: Dim>(
    factors: &Arc<Factors<S::Primal>>,
    op: Op,
    a: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> OMatrix<S, D, C>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let (rows, columns) = b.shape_generic();
    let (factors, power) = near_one(factors, a.as_slice());
    let system = SolveSystem { solver: factors, op, n: a.nrows(), columns: columns.value() };
    let powers = Scales::of_system(power, &[a.as_slice()], b.as_slice());
    let x = lift(SystemRule(system), powers, &[a.as_slice(), b.as_slice()]).expect("a regular matrix");
    OMatrix::from_vec_generic(rows, columns, x)
}

/// `X` of `op(A)·X = B` for a regular matrix, whose values the solver solves with.
pub(crate) fn solved<T: Number, F: Solver<T::Primal>>(
    solver: &F,
    op: Op,
    a: &DMatrix<T>,
    b: &DMatrix<T>,
) -> DMatrix<T> {
    let (n, columns) = b.shape();
    let rule = SystemRule(SolveSystem { solver: solver.clone(), op, n, columns });
    let x = T::lift_primitive(&rule, &[a.as_slice(), b.as_slice()]).expect("a regular matrix");
    DMatrix::from_vec(n, columns, x)
}

/// Subtracts `BXᴴ`, seen through `op`, from a cotangent.
fn rank_update<T: Number>(out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>) {
    let n = b.nrows();
    if b.ncols() > 1 {
        let g = op.of(times(Op::Plain, b, Op::Adjoint, x));
        return subtract(out, g.as_slice());
    }
    // −b·xᴴ through op is −u·vᵀ.
    let conjugated = |z: &DMatrix<T>, yes: bool| if yes && !T::REAL { z.map(T::conj) } else { z.clone() };
    let (b, x) = (conjugated(b, op.conjugates()), conjugated(x, !op.conjugates()));
    let (u, v) = if op.transposes() { (x, b) } else { (b, x) };
    for (out, &v) in out.chunks_exact_mut(n.max(1)).zip(v.iter()) {
        out.iter_mut().zip(u.iter()).for_each(|(o, &u)| *o -= u * v);
    }
}

/// Subtracts `BXᴴ`, after `op` and as the lower triangle of a hermitian matrix, from a cotangent.
fn rank_update_of_lower<T: Number>(out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>) {
    let n = b.nrows();
    let (b, x) = if op.conjugates() == op.transposes() {
        (b.clone(), x.clone())
    } else {
        (b.map(T::conj), x.map(T::conj))
    };
    for (b, x) in b.column_iter().zip(x.column_iter()) {
        for j in 0..n {
            out[j * n + j] -= T::from_re((b[j] * x[j].conj()).re());
            for i in j + 1..n {
                out[j * n + i] -= b[i] * x[j].conj() + (b[j] * x[i].conj()).conj();
            }
        }
    }
}

//! The solution of a linear system, with factors of the matrix.
//!
//! ```text
//! value      op(A)·X = B
//! tangent    op(A)·Ẋ = Ḃ − op(Ȧ)·X
//! cotangent  op(A)ᴴ·B̄ = X̄; of op(A) it is −B̄Xᴴ: for `solve` Ā = −B̄Xᴴ
//! ```
//!
//! For a hermitian matrix with Cholesky factors only the lower triangle is read, and the cotangent is lower
//! triangular.

use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, TangentLanes, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `B ↦ X`, with factors of `A`.
#[derive(Clone)]
pub(crate) struct SolveRule<P: PrimalNumber> {
    pub(crate) factors: Arc<Factors<P>>,
    pub(crate) op: Op,
    pub(crate) n: usize,
    pub(crate) columns: usize,
}

impl<P: PrimalNumber> Primitive<P> for SolveRule<P> {
    type Map<T: Extension<P>> = SolveDerivative<P, T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "solve"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut x = dense(self.n, self.columns, x[1]);
        self.factors.solve(self.op, &mut x);
        Ok(x.data.into())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a, _] = x.try_into().expect("a matrix and a right-hand side");
        Ok(SolveDerivative { rule: self.clone(), a, x: dense(self.n, self.columns, y) })
    }
    /// All lanes of `Ḃ − op(Ȧ)·X` in one pass, which reads `A` in its memory order.
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &SolveDerivative<P, S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
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
                self.multiply_column(x[0], &y[c * n..(c + 1) * n], &mut row);
                for (i, r) in row.iter().enumerate() {
                    (0..S::LANES).for_each(|l| rest[l * stride + c * n + i] -= r.lane(l));
                }
            }
        }
        let rule = SolveRule { columns: self.columns * S::LANES, ..self.clone() };
        let dx = S::Part::lift_primitive(&rule, &[&map.a, &rest]).expect("the factors exist");
        let result = |(i, &x): (usize, &S::Part)| S::assemble(x, |l| dx[l * stride + i]);
        y.iter().enumerate().map(result).collect()
    }
    /// `A₀xₖ = bₖ − Σ Aⱼxₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SolveDerivative<P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (a, x_of) = ((self.op, (self.n, self.n)), (Op::Plain, (self.n, self.columns)));
        Ok(by_recurrence(x, y, n, |orders| {
            let meant = |j| Some(self.factors.meant(dense(self.n, self.n, orders.x(0, j)?)));
            let matrices: Vec<_> = orders.between().map(meant).collect();
            let pairs = matrices.iter().zip(orders.between());
            let pairs =
                pairs.map(|(a, j)| (a.as_ref().map(DMatrix::as_slice), Some(orders.y(orders.next() - j))));
            with_rest(map, orders, &[(1, sum_of_products([a, x_of], pairs))])
        }))
    }
}

/// The derivative of a solution `X`.
pub(crate) struct SolveDerivative<P: PrimalNumber, T> {
    rule: SolveRule<P>,
    /// The entries of the matrix, if its numbers have tangents.
    a: Vec<T>,
    x: DMatrix<T>,
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for SolveDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let SolveRule { op, n, .. } = self.rule;
        let mut rest = vec![T::lit(0.0); out.len()];
        if let Some(db) = tangents[1] {
            rest.copy_from_slice(db);
        }
        if let Some(da) = tangents[0] {
            let da = self.rule.factors.meant(dense(n, n, da));
            let term = times(op, &da, Op::Plain, &self.x);
            rest.iter_mut().zip(term.as_slice()).for_each(|(r, &t)| *r -= t);
        }
        let dx = T::lift_primitive(&self.rule, &[&self.a, &rest]).expect("the factors exist");
        out.copy_from_slice(&dx);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let SolveRule { op, n, columns, .. } = self.rule;
        let rule = SolveRule { op: op.adjoint(), ..self.rule.clone() };
        let b = T::lift_primitive(&rule, &[&self.a, cotangent]).expect("the factors exist");
        let [to_a, to_b] = out else { unreachable!("a matrix and a right-hand side") };
        if let Some(out) = to_b {
            add(out, &b);
        }
        if let Some(out) = to_a {
            let b = DMatrix::from_vec(n, columns, b);
            match self.rule.factors.is_hermitian() {
                true => rank_update_of_lower(out, op, &b, &self.x),
                false => rank_update(out, op, &b, &self.x),
            }
        }
    }
    fn bytes(&self) -> usize {
        let factors = size_of::<P>() * self.rule.n * self.rule.n;
        factors + size_of_val(&self.a[..]) + size_of_val(self.x.as_slice())
    }
}

impl<P: PrimalNumber> SolveRule<P> {
    /// The tangents of `op(A)·x` for a constant `x`, added to `sums`.
    fn multiply_column<S: TangentLanes>(&self, a: &[S], x: &[S::Part], sums: &mut [S]) {
        let conjugated = |a: S, yes: bool| if yes && !S::REAL { a.conj() } else { a };
        let term = |sum: &mut S, a: S, x: S::Part| {
            *sum = S::assemble(sum.value_part(), |l| sum.lane(l) + a.lane(l) * x);
        };
        let conj = self.op.conjugates();
        for (j, column) in a.chunks_exact(self.n.max(1)).enumerate() {
            if self.factors.is_hermitian() {
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
    let rule = SolveRule { factors, op, n: a.nrows(), columns: columns.value() };
    let powers = Scales::of_system(power, &[a.as_slice()], b.as_slice());
    let x = lift(rule, powers, &[a.as_slice(), b.as_slice()]).expect("the factors exist");
    OMatrix::from_vec_generic(rows, columns, x)
}

/// Subtracts `BXᴴ`, seen through `op`, from a cotangent.
fn rank_update<T: Number>(out: &mut [T], op: Op, b: &DMatrix<T>, x: &DMatrix<T>) {
    let n = b.nrows();
    if b.ncols() > 1 {
        let g = op.of(times(Op::Plain, b, Op::Adjoint, x));
        out.iter_mut().zip(g.as_slice()).for_each(|(o, &g)| *o -= g);
        return;
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

//! Linear systems with given factors of the matrix: the rule.

use std::cmp::Ordering;
use std::rc::Rc;

use nalgebra::{DMatrix, Dyn, LU};

use super::pivots::{are_significant, is_pivot};
use super::substitution::Triangle;
use super::{Entry, Op, add, dense, llt, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::{Lanes, Primitive};

/// The factors of a machine matrix.
pub(super) enum Factored<P: Machine> {
    /// `PA = LU`.
    Lu(LU<P, Dyn, Dyn>),
    /// `A = LLᴴ`, of a hermitian matrix of which only the lower triangle is read.
    Cholesky(DMatrix<P>),
}

impl<P: Machine> Factored<P> {
    pub(super) fn lu<S: Entry<Primal = P>>(op: &'static str, n: usize, a: &[S]) -> Result<Rc<Self>, AdError> {
        count();
        let lu = DMatrix::from_iterator(n, n, a.iter().map(|a| a.primal_value())).lu();
        let packed = lu.lu_internal();
        let divides = packed.diagonal().iter().all(|p| is_pivot(p.magnitude()));
        let regular = divides && are_significant(packed.as_slice(), n);
        if regular { Ok(Rc::new(Factored::Lu(lu))) } else { Err(AdError::Singular { op }) }
    }
    pub(super) fn cholesky<S: Entry<Primal = P>>(
        op: &'static str,
        n: usize,
        a: &[S],
    ) -> Result<Rc<Self>, AdError> {
        count();
        let a = DMatrix::from_iterator(n, n, a.iter().map(|a| a.primal_value()));
        Ok(Rc::new(Factored::Cholesky(llt::factor(op, &a)?)))
    }
    /// Whether only the lower triangle of the matrix counts.
    pub(super) fn is_hermitian(&self) -> bool {
        matches!(self, Factored::Cholesky(_))
    }
    /// The pivots of elimination.
    pub(super) fn pivots(&self) -> Vec<P> {
        match self {
            Factored::Lu(lu) => lu.lu_internal().diagonal().iter().copied().collect(),
            Factored::Cholesky(l) => l.diagonal().iter().map(|&l| l * l).collect(),
        }
    }
    /// The sign of the exchanges of rows.
    pub(super) fn sign(&self) -> P {
        match self {
            // A real number: −1 by negation would have an imaginary part of −0, and an angle of −π.
            Factored::Lu(lu) => P::from_re(Number::re(lu.p().determinant::<P>())),
            Factored::Cholesky(_) => P::lit(1.0),
        }
    }
    /// `op(A)·X = B` in place.
    pub(super) fn solve(&self, op: Op, x: &mut DMatrix<P>) {
        let triangle = |lower, unit, op| Triangle { lower, unit, op };
        match self {
            Factored::Lu(lu) => {
                let packed = lu.lu_internal().as_slice();
                let steps = [triangle(true, true, op), triangle(false, false, op)];
                if op.transposes() {
                    steps.iter().rev().for_each(|t| t.solve(packed, x.nrows(), x));
                    lu.p().inv_permute_rows(x);
                } else {
                    lu.p().permute_rows(x);
                    steps.iter().for_each(|t| t.solve(packed, x.nrows(), x));
                }
            }
            // A is its own adjoint, and its transpose its conjugate.
            Factored::Cholesky(l) => {
                let conjugate = matches!(op, Op::Transpose | Op::Conjugate);
                let (op, adjoint) =
                    if conjugate { (Op::Conjugate, Op::Transpose) } else { (Op::Plain, Op::Adjoint) };
                triangle(true, false, op).solve(l.as_slice(), x.nrows(), x);
                triangle(true, false, adjoint).solve(l.as_slice(), x.nrows(), x);
            }
        }
    }
    /// The inverse of the matrix, `U⁻¹L⁻¹P` from LU factors; the zeros of `L⁻¹` cost nothing.
    pub(super) fn inverse(&self, n: usize) -> DMatrix<P> {
        let mut x = DMatrix::identity(n, n);
        match self {
            Factored::Lu(lu) => {
                let packed = lu.lu_internal().as_slice();
                let triangle = |lower, unit| Triangle { lower, unit, op: Op::Plain };
                triangle(true, true).invert(packed, n, x.as_view_mut());
                triangle(false, false).solve(packed, n, &mut x);
                lu.p().inv_permute_columns(&mut x);
            }
            Factored::Cholesky(_) => self.solve(Op::Plain, &mut x),
        }
        x
    }
    /// The matrix that is meant by these entries.
    fn meant<T: Number>(&self, a: DMatrix<T>) -> DMatrix<T> {
        if !self.is_hermitian() {
            return a;
        }
        let n = a.nrows();
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Greater => a[(i, j)],
            Ordering::Equal => T::from_re(a[(i, i)].re()),
            Ordering::Less => a[(j, i)].conj(),
        };
        DMatrix::from_fn(n, n, entry)
    }
    /// The cotangent of the entries from that of the matrix that is meant by them.
    pub(super) fn of_entries<T: Number>(&self, g: DMatrix<T>) -> DMatrix<T> {
        if !self.is_hermitian() {
            return g;
        }
        let n = g.nrows();
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Greater => g[(i, j)] + g[(j, i)].conj(),
            Ordering::Equal => T::from_re(g[(i, i)].re()),
            Ordering::Less => T::lit(0.0),
        };
        DMatrix::from_fn(n, n, entry)
    }
}

/// Counts the factorisations of a test.
fn count() {
    #[cfg(test)]
    tests::FACTORISATIONS.set(tests::FACTORISATIONS.get() + 1);
}

/// `op(A)·X = B`, with factors of `A`: `op(A)·Ẋ = Ḃ − op(Ȧ)·X`; with `op(A)ᴴ·B̄ = X̄`, the cotangent of `op(A)` is
/// `−B̄Xᴴ`.
#[derive(Clone)]
pub(super) struct Solve<P: Machine> {
    pub(super) factors: Rc<Factored<P>>,
    pub(super) op: Op,
    pub(super) n: usize,
    pub(super) columns: usize,
}

impl<P: Machine> Primitive<P> for Solve<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Solved<P, T>;
    fn name(&self) -> &'static str {
        "solve"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut x = dense(self.n, self.columns, x[1]);
        self.factors.solve(self.op, &mut x);
        Ok(x.data.into())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Solved<P, T>, AdError> {
        let [a, _] = x.try_into().expect("a matrix and a right-hand side");
        Ok(Solved { rule: self.clone(), a, x: dense(self.n, self.columns, y) })
    }
    fn leaves_out(&self, group: usize) -> bool {
        group == 0
    }
    /// All lanes of `Ḃ − op(Ȧ)·X` at once, reading `A` as it lies.
    fn tangents<S: Lanes>(
        &self,
        map: &Solved<P, S::Inner>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Inner>,
    ) -> Vec<S>
    where
        S::Inner: Number<Primal = P, Base = P::Base>,
    {
        let (n, zero) = (self.n, S::Inner::lit(0.0));
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
        let rule = Solve { columns: self.columns * S::LANES, ..self.clone() };
        let dx = S::Inner::lift_primitive(&rule, &[&map.a, &rest]).expect("the factors exist");
        let result = |(i, &x): (usize, &S::Inner)| S::assemble(x, |l| dx[l * stride + i]);
        y.iter().enumerate().map(result).collect()
    }
}

impl<P: Machine> Solve<P> {
    /// The tangents of `op(A)·x` for a constant `x`, added to `sums`.
    fn multiply_column<S: Lanes>(&self, a: &[S], x: &[S::Inner], sums: &mut [S]) {
        let conjugated = |a: S, yes: bool| if yes && !S::REAL { a.conj() } else { a };
        let term = |sum: &mut S, a: S, x: S::Inner| {
            *sum = S::assemble(sum.part(), |l| sum.lane(l) + a.lane(l) * x);
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

/// The derivative of a solution `X`.
pub(super) struct Solved<P: Machine, T> {
    rule: Solve<P>,
    /// The entries of the matrix, where it is one of numbers with tangents.
    a: Vec<T>,
    x: DMatrix<T>,
}

impl<P: Machine, T: Number<Primal = P, Base = P::Base>> LinearMap<T> for Solved<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let Solve { op, n, .. } = self.rule;
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
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Solve { op, n, columns, .. } = self.rule;
        let rule = Solve { op: op.adjoint(), ..self.rule.clone() };
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
    fn name(&self) -> &'static str {
        "solve"
    }
    fn bytes(&self) -> usize {
        let factors = size_of::<P>() * self.rule.n * self.rule.n;
        factors + size_of_val(&self.a[..]) + size_of_val(self.x.as_slice())
    }
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

/// Subtracts `BXᴴ`, seen through `op` and as the lower triangle of a hermitian matrix, from a cotangent.
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use nalgebra::{DMatrix, DVector};

    use crate::forward::{Dual, DualN, HyperDual};
    use crate::matrix::{Cholesky, Entry, Lu, solve};
    use crate::reverse::Tape;

    thread_local! {
        pub(super) static FACTORISATIONS: Cell<usize> = const { Cell::new(0) };
    }

    /// How often a matrix is factored while `f` runs.
    fn factorisations(f: impl FnOnce()) -> usize {
        FACTORISATIONS.set(0);
        f();
        FACTORISATIONS.get()
    }

    /// Positive definite, of more rows than are done in the numbers' own arithmetic.
    fn matrix<S: Entry>(make: impl Fn(f64, f64) -> S) -> DMatrix<S> {
        DMatrix::from_fn(13, 13, |i, j| {
            make(if i == j { 5.0 } else { 1.0 / (1 + i + j) as f64 }, (i * j) as f64)
        })
    }

    fn use_all<S: Entry>(make: impl Fn(f64, f64) -> S) -> [usize; 3] {
        let (a, b) = (matrix(&make), DVector::from_fn(13, |i, _| make(i as f64, 1.0)));
        let once = factorisations(|| drop(solve(&a, &b).unwrap()));
        let lu = factorisations(|| {
            let lu = Lu::new(&a).unwrap();
            let _ = (lu.solve(&b), lu.solve_transpose(&b), lu.solve_adjoint(&b), lu.det(), lu.ln_abs_det());
        });
        let cholesky = factorisations(|| {
            let cholesky = Cholesky::new(&a).unwrap();
            let _ = (cholesky.solve(&b), cholesky.l(), cholesky.ln_det());
        });
        [once, lu, cholesky]
    }

    #[test]
    fn one_factorisation_serves_every_derivative() {
        assert_eq!(use_all(|x, _| x), [1; 3]);
        assert_eq!(use_all(Dual::new), [1; 3]);
        assert_eq!(use_all(|x, t| DualN::new(x, [t; 4])), [1; 3]);
        assert_eq!(use_all(|x, t| HyperDual::new(x, t, 1.0, 0.0)), [1; 3]);
        assert_eq!(use_all(|x, t| Dual::new(Dual::new(x, t), Dual::new(t, 0.0))), [1; 3]);
        let tape = Tape::new();
        let sweep = factorisations(|| {
            let (a, b) =
                (matrix(|x, _| tape.variable(x)), DVector::from_fn(13, |i, _| tape.variable(i as f64)));
            let lu = Lu::new(&a).unwrap();
            let (x, y) = (lu.solve(&b), lu.solve_transpose(&b));
            tape.cotangents(x[3] * y[2] + lu.ln_abs_det());
        });
        assert_eq!(sweep, 1);
        let tape = Tape::new();
        let nested = factorisations(|| {
            let a = matrix(|x, t| tape.variable(Dual::new(x, t)));
            tape.cotangents(solve(&a, &DVector::from_fn(13, |i, _| a[(i, i)])).unwrap()[1]);
        });
        assert_eq!(nested, 1);
    }
}

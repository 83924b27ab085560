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

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::qr::{QrFactors, upper};
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::scaled::{Scales, each, lift};
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `(A, B, C) ↦ (R, X)`, with factors of `A`.
#[derive(Clone)]
pub(crate) struct LstsqRule<P: PrimalNumber> {
    pub(crate) factors: Arc<QrFactors<P>>,
    pub(crate) columns: usize,
}

impl<P: PrimalNumber> LstsqRule<P> {
    fn shape(&self) -> (usize, usize) {
        self.factors.q.shape()
    }
    /// Splits into `R` and `X`.
    fn split<T: Number>(&self, y: &[T]) -> (DMatrix<T>, DMatrix<T>) {
        let (m, n) = self.shape();
        let (r, x) = y.split_at(m * self.columns);
        (dense(m, self.columns, r), dense(n, self.columns, x))
    }
}

impl<P: PrimalNumber> Primitive<P> for LstsqRule<P> {
    type Map<T: Extension<P>> = LstsqDerivative<P, T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "lstsq"
    }
    /// With `D = R⁻ᴴC`: the residual is `QD + (I−QQᴴ)B`, and `X = R⁻¹(QᴴB − D)`.
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, n) = self.shape();
        let QrFactors { q, r } = &*self.factors;
        let (b, mut d) = (dense(m, self.columns, x[1]), dense(n, self.columns, x[2]));
        upper(Op::Adjoint).solve(r.as_slice(), r.nrows(), &mut d);
        let mut x = times(Op::Adjoint, q, Op::Plain, &b) - &d;
        let residual = match m == n {
            true => times(Op::Plain, q, Op::Plain, &d), // nothing is outside of Q
            false => b - times(Op::Plain, q, Op::Plain, &x),
        };
        upper(Op::Plain).solve(r.as_slice(), r.nrows(), &mut x);
        Ok([residual.as_slice(), x.as_slice()].concat())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let [a, _, _] = x.try_into().expect("a matrix and two right-hand sides");
        let (r, x) = self.split(y);
        Ok(LstsqDerivative { rule: self.clone(), a, r, x })
    }
    /// `rₖ + A₀xₖ = bₖ − Σ Aⱼxₖ₋ⱼ`, `A₀ᴴrₖ = cₖ − Σ Aⱼᴴrₖ₋ⱼ`.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &LstsqDerivative<P, S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let ((rows, unknowns), columns) = (self.shape(), self.columns);
        let of_x = [(Op::Plain, (rows, unknowns)), (Op::Plain, (unknowns, columns))];
        let of_r = [(Op::Adjoint, (rows, unknowns)), (Op::Plain, (rows, columns))];
        Ok(by_recurrence(x, y, n, |orders| {
            let y = |j: usize| orders.y(orders.next() - j).split_at(rows * columns);
            let by_x = sum_of_products(of_x, orders.between().map(|j| (orders.x(0, j), Some(y(j).1))));
            let by_r = sum_of_products(of_r, orders.between().map(|j| (orders.x(0, j), Some(y(j).0))));
            with_rest(map, orders, &[(1, by_x), (2, by_r)])
        }))
    }
}

/// The derivative of a solution and its residual.
pub(crate) struct LstsqDerivative<P: PrimalNumber, T> {
    rule: LstsqRule<P>,
    /// The entries of the matrix, if its numbers have tangents.
    a: Vec<T>,
    r: DMatrix<T>,
    x: DMatrix<T>,
}

impl<P: PrimalNumber, T: Extension<P>> LinearMap<T> for LstsqDerivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let ((m, n), columns) = (self.rule.shape(), self.rule.columns);
        let given = |group: usize, rows: usize| match tangents[group] {
            Some(tangents) => dense(rows, columns, tangents),
            None => DMatrix::zeros(rows, columns),
        };
        let (mut b, mut c) = (given(1, m), given(2, n));
        if let Some(da) = tangents[0] {
            let da = dense(m, n, da);
            b -= times(Op::Plain, &da, Op::Plain, &self.x);
            c -= times(Op::Adjoint, &da, Op::Plain, &self.r);
        }
        let groups = [&self.a[..], b.as_slice(), c.as_slice()];
        out.copy_from_slice(&T::lift_primitive(&self.rule, &groups).expect("the factors exist"));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (r, x) = cotangent.split_at(self.r.len());
        let y = T::lift_primitive(&self.rule, &[&self.a, r, x]).expect("the factors exist");
        let (b, c) = self.rule.split(&y);
        if let Some(out) = &mut out[0] {
            let g = times(Op::Plain, &b, Op::Adjoint, &self.x) + times(Op::Plain, &self.r, Op::Adjoint, &c);
            out.iter_mut().zip(g.as_slice()).for_each(|(o, &g)| *o -= g);
        }
        for (group, bar) in [(1, &b), (2, &c)] {
            if let Some(out) = &mut out[group] {
                add(out, bar.as_slice());
            }
        }
    }
    fn bytes(&self) -> usize {
        let (m, n) = self.rule.shape();
        let factors = size_of::<P>() * (m + n) * n;
        factors + [&self.a[..], self.r.as_slice(), self.x.as_slice()].map(size_of_val).iter().sum::<usize>()
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
    let rule = LstsqRule { factors, columns: columns.value() };
    let y = lift(rule, powers, &[a.as_slice(), b.as_slice(), &zero]).expect("the factors exist");
    OMatrix::from_column_slice_generic(rows, columns, &y[b.len()..])
}

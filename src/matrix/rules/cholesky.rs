//! The Cholesky factor of a positive definite matrix; only the lower triangle is read. `Φ` is the lower triangle with
//! half the diagonal; with `S = L⁻ᴴΦ(LᴴL̄)L⁻¹`:
//!
//! ```text
//! value      A = LLᴴ
//! tangent    L̇ = L·Φ(L⁻¹ȦL⁻ᴴ)
//! cotangent  Ā = (S + Sᴴ)/2, its lower triangle
//! ```
//!
//! At plain numbers tangents and cotangents follow the steps of the factorisation, column by column in small blocks
//! and recursively by halves for larger ones, so that most of the work is products: Murray, Differentiation of the
//! Cholesky decomposition, arXiv:1602.07527 (2016); Smith, Differentiation of the Cholesky algorithm, J. Comput.
//! Graph. Stat. 4 (1995).

use crate::number::array::from_fn;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::factors::{Factors, hermitian};
use crate::matrix::op::{Op, Triangle};
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::{add, dense, inner_product, with_rest};
use crate::matrix::sizes::{CHOLESKY_BLOCK, COLUMNS_AT_ONCE};
use crate::number::{Number, PrimalNumber};

use crate::matrix::kernels::cholesky::{adjoint, block, divided, put_adjoint, subtract, subtract_all};

/// `A ↦ L`, from the factor of the values.
#[derive(Clone)]
pub(crate) struct CholeskyRule<P: PrimalNumber> {
    pub(crate) factors: Arc<Factors<P>>,
    pub(crate) n: usize,
}

impl<P: PrimalNumber> Primitive<P> for CholeskyRule<P> {
    type Map<T: Extension<P>> = CholeskyDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "cholesky"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        match &*self.factors {
            Factors::Cholesky(l) => Ok(l.as_slice().to_vec()),
            Factors::Lu(..) => unreachable!("factors of another kind"),
        }
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        Ok(CholeskyDerivative { l: dense(self.n, self.n, y) })
    }
    /// The remainder of `aₖ` after subtracting `Σ lⱼlₖ₋ⱼᴴ`, as a tangent.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &CholeskyDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let factors = [Op::Plain, Op::Adjoint].map(|op| (op, (self.n, self.n)));
        Ok(by_recurrence(x, y, n, |orders| {
            let pairs = orders.between().map(|j| (Some(orders.y(j)), Some(orders.y(orders.next() - j))));
            with_rest(map, orders, &sum_of_products(factors, pairs))
        }))
    }
}

/// The derivative of a factor.
pub(crate) struct CholeskyDerivative<T> {
    l: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for CholeskyDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (n, da) = (self.l.nrows(), tangents[0].expect("a matrix"));
        if T::PLAIN {
            out.copy_from_slice(da);
            push_by_halves(out, self.l.as_slice(), n, n);
            clear_above(out, n);
            return;
        }
        let m = solved(&Triangle::Lower, Op::Plain, &self.l, &hermitian(&dense(n, n, da)));
        let m = adjoint(&solved(&Triangle::Lower, Op::Plain, &self.l, &adjoint(&m.as_view())).as_view());
        out.copy_from_slice(times(Op::Plain, &self.l, Op::Plain, &halved(m)).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.l.nrows();
        let out = out[0].as_mut().expect("a matrix");
        if T::PLAIN {
            let mut g = cotangent.to_vec();
            pull_by_halves(&mut g, self.l.as_slice(), n, n);
            clear_above(&mut g, n);
            return add(out, &g);
        }
        let p = halved(times(Op::Adjoint, &self.l, Op::Plain, &dense(n, n, cotangent).lower_triangle()));
        let s = solved(&Triangle::Lower, Op::Adjoint, &self.l, &p);
        let s = solved(&Triangle::Lower, Op::Adjoint, &self.l, &adjoint(&s.as_view()));
        let mut g = hermitian_sum(&s);
        (0..n).for_each(|i| g[(i, i)] = T::from_re(s[(i, i)].re()));
        add(out, g.lower_triangle().as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.l.as_slice())
    }
}

/// Φ: the lower triangle with half the diagonal.
fn halved<T: Number>(m: DMatrix<T>) -> DMatrix<T> {
    let mut m = m.lower_triangle();
    (0..m.nrows()).for_each(|i| m[(i, i)] = T::from_re(m[(i, i)].re()) * T::lit(0.5));
    m
}

/// `A + Aᴴ` of a lower triangle, twice its diagonal.
fn hermitian_sum<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    a + adjoint(&a.as_view())
}

fn clear_above<T: Number>(a: &mut [T], n: usize) {
    for (j, column) in a.chunks_exact_mut(n.max(1)).enumerate() {
        column[..j].fill(T::lit(0.0));
    }
}

/// `L̇` in place of `Ȧ`: `L̇₂₁ = (Ȧ₂₁ − L₂₁L̇₁₁ᴴ)L₁₁⁻ᴴ`, and `L̇₂₂` is the tangent of the factor of `Ȧ₂₂ − L̇₂₁L₂₁ᴴ −
/// L₂₁L̇₂₁ᴴ`.
fn push_by_halves<T: Number>(d: &mut [T], l: &[T], lead: usize, n: usize) {
    if n <= CHOLESKY_BLOCK {
        return push_by_columns(d, l, lead, n);
    }
    let (h, rest) = (n / 2, n - n / 2);
    let (left, right) = d.split_at_mut(h * lead);
    push_by_halves(left, l, lead, h);
    let l21 = block(&l[h..], (rest, h), lead);
    let mut d11 = adjoint(&block(left, (h, h), lead));
    d11.fill_lower_triangle(T::lit(0.0), 1);
    subtract(l21, &d11, &mut left[h..], lead);
    let w = divided(Op::Plain, l, &left[h..], (rest, h), lead);
    put_adjoint(&w, &mut left[h..], lead);
    subtract(block(&left[h..], (rest, h), lead), &adjoint(&l21), &mut right[h..], lead);
    subtract(l21, &w, &mut right[h..], lead);
    push_by_halves(&mut right[h..], &l[h * lead + h..], lead, rest);
}

/// Column j of the factorisation is `v = aⱼ − Σₖ lₖ·conj(lⱼₖ)`, then `lⱼⱼ = √vⱼⱼ` and `lᵢⱼ = vᵢⱼ/lⱼⱼ`. So
/// `v̇ = ȧⱼ − Σₖ (l̇ₖ·conj(lⱼₖ) + lₖ·conj(l̇ⱼₖ))`, `l̇ⱼⱼ = v̇ⱼⱼ/2lⱼⱼ`, `l̇ᵢⱼ = (v̇ᵢⱼ − lᵢⱼl̇ⱼⱼ)/lⱼⱼ`.
fn push_by_columns<T: Number>(d: &mut [T], l: &[T], lead: usize, n: usize) {
    for j in 0..n {
        let (left, own) = d.split_at_mut(j * lead);
        let own = &mut own[j..n];
        own[0] = T::from_re(own[0].re());
        subtract_all(own, 2 * j, |k| {
            let row = k / 2 * lead + j;
            let (dl, l) = (&left[row..row + n - j], &l[row..row + n - j]);
            if k % 2 == 0 { (dl, l[0].conj()) } else { (l, dl[0].conj()) }
        });
        let l = &l[j * lead + j..j * lead + n];
        let reciprocal = T::lit(1.0) / l[0];
        own[0] = T::from_re((own[0] * reciprocal).re()) * T::lit(0.5);
        let d = own[0];
        own[1..].iter_mut().zip(&l[1..]).for_each(|(v, &l)| *v = (*v - l * d) * reciprocal);
    }
}

/// `Ā` in place of `L̄`, the same steps backwards: `Ā₂₂`, then `L̄₂₁ −= HL₂₁` with the `H` of all entries of `A₂₂`,
/// `Ā₂₁ = L̄₂₁L₁₁⁻¹`, `L̄₁₁ −= Ā₂₁ᴴL₂₁`, and `Ā₁₁`.
fn pull_by_halves<T: Number>(g: &mut [T], l: &[T], lead: usize, n: usize) {
    if n <= CHOLESKY_BLOCK {
        return pull_by_columns(g, l, lead, n);
    }
    let (h, rest) = (n / 2, n - n / 2);
    let (left, right) = g.split_at_mut(h * lead);
    pull_by_halves(&mut right[h..], &l[h * lead + h..], lead, rest);
    let l21 = block(&l[h..], (rest, h), lead);
    let own = hermitian_sum(&block(&right[h..], (rest, rest), lead).lower_triangle());
    subtract(own.as_view(), &l21.clone_owned(), &mut left[h..], lead);
    let w = divided(Op::Adjoint, l, &left[h..], (rest, h), lead);
    put_adjoint(&w, &mut left[h..], lead);
    subtract(w.as_view(), &l21.clone_owned(), left, lead);
    pull_by_halves(left, l, lead, h);
}

/// `v̄ᵢₖ = l̄ᵢₖ/lₖₖ` and `v̄ₖₖ = (l̄ₖₖ − Re Σ conj(v̄ᵢₖ)lᵢₖ)/2lₖₖ`, after the contributions of the columns `v̄ⱼ` to
/// the right: `l̄ₖ −= v̄ⱼ·lⱼₖ` and `l̄ⱼₖ −= Σ conj(v̄ᵢⱼ)lᵢₖ`.
fn pull_by_columns<T: Number>(g: &mut [T], l: &[T], lead: usize, n: usize) {
    for k in (0..n).rev() {
        let (left, right) = g.split_at_mut(k * lead + n);
        let (own, l) = (&mut left[k * lead..], &l[k * lead..k * lead + n]);
        let mut columns = (k + 1..n).map(|j| &right[(j - k) * lead - n..(j - k) * lead]).enumerate();
        let mut first = k + 1;
        while first + COLUMNS_AT_ONCE <= n {
            let together = from_fn(|_| columns.next().expect("a column").1);
            receive::<T, COLUMNS_AT_ONCE>(own, l, together, first);
            first += COLUMNS_AT_ONCE;
        }
        columns.for_each(|(j, v)| receive(own, l, [v], k + 1 + j));
        let reciprocal = T::lit(1.0) / l[k];
        own[k + 1..].iter_mut().for_each(|v| *v *= reciprocal);
        let inner = own[k] - inner_product(&own[k + 1..], &l[k + 1..]);
        own[k] = T::from_re((inner * reciprocal).re()) * T::lit(0.5);
    }
}

/// Adds the contributions of the columns `v` from number `first` on to the column `g`, in one pass.
#[cfg_attr(not(debug_assertions), inline(always))]
fn receive<T: Number, const K: usize>(g: &mut [T], l: &[T], v: [&[T]; K], first: usize) {
    let weights: [T; K] = from_fn(|q| l[first + q]);
    // The beginnings of the columns first, then all columns together.
    for (q, v) in v.iter().enumerate() {
        let (from, to) = (first + q, first + K);
        for i in from..to {
            g[i] -= v[i] * weights[q];
            g[from] -= v[i].conj() * l[i];
        }
    }
    let below = first + K..g.len();
    let (heads, g) = g.split_at_mut(first + K);
    let (l, v) = (&l[below.clone()], v.map(|v| &v[below.clone()]));
    let mut sums = [[T::lit(0.0); 2]; K];
    let (pairs, last) = g.as_chunks_mut::<2>();
    let (l_pairs, v_pairs) = (&l.as_chunks().0[..pairs.len()], v.map(|v| &v.as_chunks().0[..pairs.len()]));
    for (c, g) in pairs.iter_mut().enumerate() {
        let (l, v): ([T; 2], [[T; 2]; K]) = (l_pairs[c], v_pairs.map(|v| v[c]));
        for q in 0..K {
            *g = from_fn(|i| g[i] - v[q][i] * weights[q]);
            sums[q] = from_fn(|i| sums[q][i] + v[q][i].conj() * l[i]);
        }
    }
    if let [g] = last {
        let row = l.len() - 1;
        for q in 0..K {
            *g -= v[q][row] * weights[q];
            sums[q][0] += v[q][row].conj() * l[row];
        }
    }
    (0..K).for_each(|q| heads[first + q] -= sums[q][0] + sums[q][1]);
}

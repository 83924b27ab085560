//! `A = LLᴴ` and its derivative, of the lower triangle of a positive definite matrix.
//!
//! Tangents and cotangents run with the steps of the factorisation itself, column by column in small blocks and by
//! halves beyond, where most of the work is products: Murray, Differentiation of the Cholesky decomposition,
//! arXiv:1602.07527 (2016); Smith, Differentiation of the Cholesky algorithm, J. Comput. Graph. Stat. 4 (1995).

use std::array::from_fn;
use std::rc::Rc;

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Dyn};
use num_traits::Float;

use super::op::gemm;
use super::pivots::demand_definite;
use super::substitution::Triangle;
use super::system::Factored;
use super::triangular::substituted;
use super::{Entry, Op, add, dense, inner_product, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// Blocks up to this size go column by column.
pub(super) const BLOCK: usize = 64;
/// Columns that are subtracted at once.
const AT_ONCE: usize = 4;

/// The factor of a machine matrix, zero above the diagonal.
pub(super) fn factor<P: Machine>(op: &'static str, a: &DMatrix<P>) -> Result<DMatrix<P>, AdError> {
    let (mut l, n) = (a.clone(), a.nrows());
    factor_by_halves(l.as_mut_slice(), n, n).map_err(|pivot| AdError::NotPositiveDefinite { op, pivot })?;
    l.fill_upper_triangle(P::lit(0.0), 1);
    demand_definite(op, a.as_slice(), l.as_slice(), n)?;
    Ok(l)
}

/// An error unless the pivot is positive and finite; NaN is neither.
pub(super) fn demand_positive<T: Real>(op: &'static str, row: usize, pivot: T) -> Result<(), AdError> {
    let positive = pivot.primal() > T::Base::from_double(0.0) && Float::is_finite(pivot.primal());
    positive.then_some(()).ok_or(AdError::NotPositiveDefinite { op, pivot: row })
}

/// `L` in place of the lower triangle of an n × n block whose columns are `lead` apart; else the row of the first
/// pivot that is not positive.
///
/// `L₂₁ = A₂₁L₁₁⁻ᴴ`, then `L₂₂` is the factor of `A₂₂ − L₂₁L₂₁ᴴ`.
fn factor_by_halves<P: Machine>(a: &mut [P], lead: usize, n: usize) -> Result<(), usize> {
    if n <= BLOCK {
        return factor_by_columns(a, lead, n);
    }
    let (h, rest) = (n / 2, n - n / 2);
    let (left, right) = a.split_at_mut(h * lead);
    factor_by_halves(left, lead, h)?;
    let w = divided(Op::Plain, left, &left[h..], (rest, h), lead);
    put_adjoint(&w, &mut left[h..], lead);
    subtract(block(&left[h..], (rest, h), lead), &w, &mut right[h..], lead);
    factor_by_halves(&mut right[h..], lead, rest).map_err(|row| h + row)
}

/// `v −= Σ wₖ·lₖ` over so many terms.
#[inline(always)]
fn subtract_all<'a, S: Entry>(v: &mut [S], count: usize, term: impl Fn(usize) -> (&'a [S], S)) {
    let together = count - count % AT_ONCE;
    for first in (0..together).step_by(AT_ONCE) {
        let terms: [_; AT_ONCE] = from_fn(|i| term(first + i));
        let [(a, p), (b, q), (c, r), (d, s)] = terms.map(|(l, w)| (&l[..v.len()], w));
        for (i, v) in v.iter_mut().enumerate() {
            *v -= (a[i] * p + b[i] * q) + (c[i] * r + d[i] * s);
        }
    }
    for (l, w) in (together..count).map(term) {
        v.iter_mut().zip(l).for_each(|(v, &l)| *v -= l * w);
    }
}

/// The same in the arithmetic of the numbers themselves, which carries tangents along.
pub(super) fn factor_by_columns<S: Entry>(a: &mut [S], lead: usize, n: usize) -> Result<(), usize> {
    for j in 0..n {
        let (left, own) = a.split_at_mut(j * lead);
        let own = &mut own[j..n];
        own[0] = S::from_real(own[0].real_part());
        subtract_all(own, j, |k| {
            let l = &left[k * lead + j..k * lead + n];
            (l, l[0].conjugated())
        });
        let pivot = own[0].real_part();
        demand_positive("", j, pivot).map_err(|_| j)?;
        let root = S::from_real(Number::sqrt(pivot));
        own[0] = root;
        own[1..].iter_mut().for_each(|v| *v /= root);
    }
    Ok(())
}

/// A block of the matrix that begins with `a`.
fn block<T: Number>(a: &[T], (rows, columns): (usize, usize), lead: usize) -> DMatrixView<'_, T, Dyn, Dyn> {
    DMatrixView::from_slice_with_strides(a, rows, columns, 1, lead)
}

/// `C −= A·B`, where C begins with `c`.
fn subtract<T: Number>(a: DMatrixView<T, Dyn, Dyn>, b: &DMatrix<T>, c: &mut [T], lead: usize) {
    let mut c = DMatrixViewMut::from_slice_with_strides_mut(c, a.nrows(), b.ncols(), 1, lead);
    gemm(T::lit(-1.0), &a, b, T::lit(1.0), &mut c);
}

/// `W` of `op(L)·W = Xᴴ`: `Wᴴ = X·op(L)⁻ᴴ`.
fn divided<T: Number>(op: Op, l: &[T], x: &[T], shape: (usize, usize), lead: usize) -> DMatrix<T> {
    let mut w = adjoint(&block(x, shape, lead));
    Triangle { lower: true, unit: false, op }.solve(l, lead, &mut w);
    w
}

fn adjoint<T: Number>(x: &DMatrixView<T, Dyn, Dyn>) -> DMatrix<T> {
    let w = x.transpose();
    if T::REAL { w } else { w.map(T::conj) }
}

/// `Wᴴ`, to where a block begins with `x`.
fn put_adjoint<T: Number>(w: &DMatrix<T>, x: &mut [T], lead: usize) {
    for (i, column) in w.as_slice().chunks_exact(w.nrows()).enumerate() {
        column.iter().enumerate().for_each(|(j, w)| x[j * lead + i] = w.conj());
    }
}

/// `A ↦ L`, from the factor of the values.
#[derive(Clone)]
pub(super) struct Factor<P: Machine> {
    pub(super) factors: Rc<Factored<P>>,
    pub(super) n: usize,
}

impl<P: Machine> Primitive<P> for Factor<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Columns<T>;
    fn name(&self) -> &'static str {
        "cholesky"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        match &*self.factors {
            Factored::Cholesky(l) => Ok(l.as_slice().to_vec()),
            Factored::Lu(_) => unreachable!("factors of another kind"),
        }
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Columns<T>, AdError> {
        Ok(Columns { l: dense(self.n, self.n, y) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of a factor.
pub(super) struct Columns<T> {
    l: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Columns<T> {
    /// `L̇ = L·Φ(L⁻¹ȦL⁻ᴴ)`, where Φ takes the lower triangle and half the diagonal.
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (n, da) = (self.l.nrows(), tangents[0].expect("a matrix"));
        if T::PLAIN {
            out.copy_from_slice(da);
            push_by_halves(out, self.l.as_slice(), n, n);
            clear_above(out, n);
            return;
        }
        let lower = Triangle { lower: true, unit: false, op: Op::Plain };
        let m = substituted(lower, &self.l, &hermitian(&dense(n, n, da)));
        let m = adjoint(&substituted(lower, &self.l, &adjoint(&m.as_view())).as_view());
        out.copy_from_slice(times(Op::Plain, &self.l, Op::Plain, &halved(m)).as_slice());
    }
    /// With `S = L⁻ᴴΦ(LᴴL̄)L⁻¹` the cotangent of the whole of `A` is `(S + Sᴴ)/2`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.l.nrows();
        let out = out[0].as_mut().expect("a matrix");
        if T::PLAIN {
            let mut g = cotangent.to_vec();
            pull_by_halves(&mut g, self.l.as_slice(), n, n);
            clear_above(&mut g, n);
            return add(out, &g);
        }
        let upper = Triangle { lower: true, unit: false, op: Op::Adjoint };
        let p = halved(times(Op::Adjoint, &self.l, Op::Plain, &dense(n, n, cotangent).lower_triangle()));
        let s = substituted(upper, &self.l, &p);
        let s = substituted(upper, &self.l, &adjoint(&s.as_view()));
        let mut g = hermitian_sum(&s);
        (0..n).for_each(|i| g[(i, i)] = T::from_re(s[(i, i)].re()));
        add(out, g.lower_triangle().as_slice());
    }
    fn name(&self) -> &'static str {
        "cholesky"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.l.as_slice())
    }
}

/// The hermitian matrix of this lower triangle.
fn hermitian<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => a[(i, j)],
        std::cmp::Ordering::Equal => T::from_re(a[(i, i)].re()),
        std::cmp::Ordering::Less => a[(j, i)].conj(),
    })
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

/// `L̇` in place of `Ȧ`: `L̇₂₁ = (Ȧ₂₁ − L₂₁L̇₁₁ᴴ)L₁₁⁻ᴴ`, and `L̇₂₂` is that of `Ȧ₂₂ − L̇₂₁L₂₁ᴴ − L₂₁L̇₂₁ᴴ`.
fn push_by_halves<T: Number>(d: &mut [T], l: &[T], lead: usize, n: usize) {
    if n <= BLOCK {
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
    if n <= BLOCK {
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

/// `v̄ᵢₖ = l̄ᵢₖ/lₖₖ` and `v̄ₖₖ = (l̄ₖₖ − Re Σ conj(v̄ᵢₖ)lᵢₖ)/2lₖₖ`, after what the columns `v̄ⱼ` to the right send:
/// `l̄ₖ −= v̄ⱼ·lⱼₖ` and `l̄ⱼₖ −= Σ conj(v̄ᵢⱼ)lᵢₖ`.
fn pull_by_columns<T: Number>(g: &mut [T], l: &[T], lead: usize, n: usize) {
    for k in (0..n).rev() {
        let (left, right) = g.split_at_mut(k * lead + n);
        let (own, l) = (&mut left[k * lead..], &l[k * lead..k * lead + n]);
        let mut columns = (k + 1..n).map(|j| &right[(j - k) * lead - n..(j - k) * lead]).enumerate();
        let mut first = k + 1;
        while first + AT_ONCE <= n {
            let together = from_fn(|_| columns.next().expect("a column").1);
            receive::<T, AT_ONCE>(own, l, together, first);
            first += AT_ONCE;
        }
        columns.for_each(|(j, v)| receive(own, l, [v], k + 1 + j));
        let reciprocal = T::lit(1.0) / l[k];
        own[k + 1..].iter_mut().for_each(|v| *v *= reciprocal);
        let inner = own[k] - inner_product(&own[k + 1..], &l[k + 1..]);
        own[k] = T::from_re((inner * reciprocal).re()) * T::lit(0.5);
    }
}

/// What the columns `v` from number `first` on send to the column `g`, in one pass.
#[inline(always)]
fn receive<T: Number, const K: usize>(g: &mut [T], l: &[T], v: [&[T]; K], first: usize) {
    let weights: [T; K] = from_fn(|q| l[first + q]);
    // Where the columns begin, and then all of them at once.
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

//! Singular values and vectors. With `M = UᴴȦV`, and `Ω` and `Ψ` off the diagonal
//!
//! ```text
//! 2Ω = (M+Mᴴ)∘1/(σⱼ−σᵢ) + (M−Mᴴ)∘1/(σⱼ+σᵢ),  2Ψ = (M+Mᴴ)∘1/(σⱼ−σᵢ) − (M−Mᴴ)∘1/(σⱼ+σᵢ)
//! ```
//!
//! These are sums and differences of the usual formula with `1/(σⱼ²−σᵢ²)`, without its cancellation. Then
//!
//! ```text
//! value      A = UΣVᴴ
//! tangent    σ̇ = Re diag M,  U̇ = UΩ + (I−UUᴴ)ȦVΣ⁻¹,  V̇ = VΨ + (I−VVᴴ)ȦᴴUΣ⁻¹
//! cotangent  Ā = U(M̄ − UᴴŪΣ⁻¹)Vᴴ + ŪΣ⁻¹Vᴴ of a tall matrix, UM̄Vᴴ of a square one
//! ```
//!
//! where `M̄` is the transpose of `M ↦ (σ̇, Ω, Ψ)` at `(σ̄, UᴴŪ, VᴴV̄)`; for a wide matrix U and V are exchanged. On
//! the diagonal only the phases of complex vectors change: relative to each other as in the formula, and together
//! such that a pivot stays real.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Orders, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::svd::PrimalSvd;
use crate::matrix::op::Op;
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::{add, dense, inner_product};
use crate::number::{Number, PrimalNumber};

/// `A ↦ (U, σ, V)`, the first `leading` of them.
#[derive(Clone)]
pub(crate) struct SvdRule<P: PrimalNumber> {
    pub(crate) op: &'static str,
    pub(crate) of: Arc<PrimalSvd<P>>,
    pub(crate) leading: usize,
}

impl<P: PrimalNumber> Primitive<P> for SvdRule<P> {
    type Map<T: Extension<P>> = SvdDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let PrimalSvd { u, values, v, .. } = &*self.of;
        let (m, n, r) = (u.nrows(), v.nrows(), self.leading);
        let values = values[..r].iter().map(|&s| P::base(s));
        Ok(u.as_slice()[..m * r]
            .iter()
            .copied()
            .chain(values)
            .chain(v.as_slice()[..n * r].iter().copied())
            .collect())
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        self.of.check(self.op, self.leading)?;
        let whole = self.leading == self.of.values.len();
        let (u, values, v) = if whole { self.split(y) } else { self.of.at(self.op, &x[0])? };
        // Real vectors have no phases.
        let pivots = if T::REAL { Vec::new() } else { self.of.pivots[..self.leading].to_vec() };
        Ok(SvdDerivative { u, v, values, leading: self.leading, pivots })
    }
    /// Order by order from `Avⱼ = σⱼuⱼ` and `Aᴴuⱼ = σⱼvⱼ`, each column by itself: values that are close to each other do
    /// not disturb the others.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SvdDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let (shape, r) = ((self.of.u.nrows(), self.of.v.nrows()), self.leading);
        let end = (shape.0 + 1) * r;
        let (u, values, v) = (0..shape.0 * r, shape.0 * r..end, end..y.len());
        Ok(by_recurrence(x, y, n, |orders| {
            let terms = |op, from: &Range<usize>, to: &Range<usize>| {
                column_terms(orders, (op, shape), |i| orders.x(0, i), [from, to, &values])
            };
            let ((to_u, turn_u), (to_v, turn_v)) = (terms(Op::Plain, &v, &u), terms(Op::Adjoint, &u, &v));
            let mut a = times(Op::Adjoint, &map.u, Op::Plain, &to_u);
            let mut b = times(Op::Adjoint, &map.v, Op::Plain, &to_v);
            let (image, inside) = if shape.0 >= shape.1 { (to_u, &a) } else { (to_v, &b) };
            let outside = map.outside(image, inside);
            let mut y = vec![S::Part::lit(0.0); orders.y(0).len()];
            for j in 0..r {
                y[values.start + j] = S::Part::from_re((a[(j, j)] + b[(j, j)]).re()) * S::Part::lit(0.5);
                (a[(j, j)], b[(j, j)]) = (imaginary(a[(j, j)]), imaginary(b[(j, j)]));
            }
            let (mut omega, mut psi) = map.rotations(|i, j| (a[(i, j)], b[(i, j)]));
            for j in 0..r {
                omega[(j, j)] += turn_u[j];
                psi[(j, j)] += turn_v[j];
            }
            let (du, dv) = map.vectors(&omega, &psi, outside);
            y[u.clone()].copy_from_slice(du.as_slice());
            y[v.clone()].copy_from_slice(dv.as_slice());
            y
        }))
    }
}

/// The derivative of singular values and vectors.
pub(crate) struct SvdDerivative<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
    values: Vec<T>,
    /// How many pairs of vectors are wanted.
    leading: usize,
    /// The rows of the entries of U that stay real.
    pivots: Vec<usize>,
}

impl<T: Number> LinearMap<T> for SvdDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (m, n, r) = (self.u.nrows(), self.v.nrows(), self.leading);
        let (op, own, other) = self.sides();
        let image = times(op, &dense(m, n, tangents[0].expect("a matrix")), Op::Plain, other);
        let inside = times(Op::Adjoint, own, Op::Plain, &image);
        let outside = self.outside(image, &inside);
        let inside = op.of(inside);
        let (omega, psi) = self.rotations(|i, j| (inside[(i, j)], inside[(j, i)].conj()));
        let (du, dv) = self.vectors(&omega, &psi, outside);
        let (to_u, rest) = out.split_at_mut(m * r);
        let (to_values, to_v) = rest.split_at_mut(r);
        to_u.copy_from_slice(du.as_slice());
        to_v.copy_from_slice(dv.as_slice());
        for (i, s) in to_values.iter_mut().enumerate() {
            *s = T::from_re(inside[(i, i)].re());
        }
    }
    /// `Ā = U(M̄ − Ω̄Σ⁻¹)Vᴴ + ŪΣ⁻¹Vᴴ` for a tall matrix, with `Ω̄ = UᴴŪ`, `Ψ̄ = VᴴV̄`; for a wide one U and V are
    /// exchanged; for a square one `UM̄Vᴴ`.
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (m, n, r) = (self.u.nrows(), self.v.nrows(), self.leading);
        let (u_bar, rest) = cotangent.split_at(m * r);
        let (mut u_bar, v_bar) = (dense(m, r, u_bar), dense(n, r, &rest[r..]));
        self.release_phases(&mut u_bar, &v_bar);
        let omega = times(Op::Adjoint, &self.u, Op::Plain, &u_bar);
        let psi = times(Op::Adjoint, &self.v, Op::Plain, &v_bar);
        let mut inside = self.rotations_transposed(&omega, &psi);
        for (i, s) in rest[..r].iter().enumerate() {
            inside[(i, i)] += T::from_re(s.re());
        }
        let (tall, (op, own, other)) = (m >= n, self.sides());
        let mut inside = op.of(inside);
        let (mut bar, mut rotation) = if tall { (u_bar, omega) } else { (v_bar, psi) };
        let mut left = DMatrix::zeros(own.nrows(), own.ncols());
        if m != n {
            scale_columns(&mut bar, &self.reciprocals());
            scale_columns(&mut rotation, &self.reciprocals());
            left.columns_mut(0, r).copy_from(&bar);
            let mut leading = inside.columns_mut(0, r);
            leading -= rotation;
        }
        left += times(Op::Plain, own, Op::Plain, &inside);
        let (left, right) = if tall { (&left, other) } else { (other, &left) };
        add(out[0].as_mut().expect("a matrix"), times(Op::Plain, left, Op::Adjoint, right).as_slice());
    }
    fn bytes(&self) -> usize {
        [self.u.as_slice(), self.v.as_slice(), &self.values].map(size_of_val).iter().sum()
    }
}

impl<T: Number> SvdDerivative<T> {
    /// `½/(σⱼ−σᵢ)`, zero on the diagonal.
    fn over_gap(&self, i: usize, j: usize) -> T {
        if i == j { T::lit(0.0) } else { over(0.5, self.values[j] - self.values[i]) }
    }
    /// `1/σᵢ` of the leading values.
    fn reciprocals(&self) -> Vec<T> {
        self.values[..self.leading].iter().map(|&s| over(1.0, s)).collect()
    }
    /// U and V, the longer first, after the operation on `A` that makes it tall.
    fn sides(&self) -> (Op, &DMatrix<T>, &DMatrix<T>) {
        let tall = self.u.nrows() >= self.v.nrows();
        if tall { (Op::Plain, &self.u, &self.v) } else { (Op::Adjoint, &self.v, &self.u) }
    }
    /// `(I−UUᴴ)XΣ⁻¹` of the image `X` of V, given `UᴴX`, for a tall matrix; for a wide one U and V are exchanged. Only
    /// the leading columns.
    fn outside(&self, mut image: DMatrix<T>, inside: &DMatrix<T>) -> Option<DMatrix<T>> {
        let (_, own, _) = self.sides();
        (self.u.nrows() != self.v.nrows()).then(|| {
            image -= times(Op::Plain, own, Op::Plain, inside);
            let mut image = image.columns(0, self.leading).into_owned();
            scale_columns(&mut image, &self.reciprocals());
            image
        })
    }
    /// Ω and Ψ, their leading columns, from the entries of `M` and `Mᴴ`.
    fn rotations(&self, entries: impl Fn(usize, usize) -> (T, T)) -> (DMatrix<T>, DMatrix<T>) {
        let (k, r) = (self.values.len(), self.leading);
        let mut parts = (DMatrix::zeros(k, r), DMatrix::zeros(k, r));
        for j in 0..r {
            for i in 0..k {
                let (a, b) = entries(i, j);
                let even = (a + b) * self.over_gap(i, j);
                let odd = (a - b) * over_sum(0.5, &self.values, i, j);
                parts.0[(i, j)] = even + odd;
                parts.1[(i, j)] = even - odd;
            }
        }
        parts
    }
    /// `UΩ` and `VΨ`, with the part outside of the longer one, and with real pivots.
    fn vectors(
        &self,
        omega: &DMatrix<T>,
        psi: &DMatrix<T>,
        outside: Option<DMatrix<T>>,
    ) -> (DMatrix<T>, DMatrix<T>) {
        let mut du = times(Op::Plain, &self.u, Op::Plain, omega);
        let mut dv = times(Op::Plain, &self.v, Op::Plain, psi);
        if let Some(outside) = outside {
            *(if self.u.nrows() > self.v.nrows() { &mut du } else { &mut dv }) += outside;
        }
        self.hold_phases(&mut du, &mut dv);
        (du, dv)
    }
    /// `M̄` of the cotangents of Ω and Ψ: with `H̄ = ½(Ω̄+Ψ̄)∘1/(σⱼ−σᵢ)` and `K̄ = ½(Ω̄−Ψ̄)∘1/(σⱼ+σᵢ)` it is
    /// `H̄ + H̄ᴴ + K̄ − K̄ᴴ`.
    fn rotations_transposed(&self, omega: &DMatrix<T>, psi: &DMatrix<T>) -> DMatrix<T> {
        let (k, r) = (omega.nrows(), self.leading);
        let mut m = DMatrix::zeros(k, k);
        for j in 0..r {
            for i in 0..k {
                let even = (omega[(i, j)] + psi[(i, j)]) * self.over_gap(i, j);
                let odd = (omega[(i, j)] - psi[(i, j)]) * over_sum(0.5, &self.values, i, j);
                m[(i, j)] += even + odd;
                m[(j, i)] += (even - odd).conj();
            }
        }
        m
    }
    /// Turns the tangents of each pair so that the pivot stays real: `+iφ(u, v)` with `φ = −Im u̇ₚ/uₚ`.
    fn hold_phases(&self, du: &mut DMatrix<T>, dv: &mut DMatrix<T>) {
        for (i, &p) in self.pivots.iter().enumerate() {
            let turn = (du[(p, i)].conj() - du[(p, i)]) * T::lit(0.5) / self.u[(p, i)];
            du.column_mut(i).zip_apply(&self.u.column(i), |d, u| *d += turn * u);
            dv.column_mut(i).zip_apply(&self.v.column(i), |d, v| *d += turn * v);
        }
    }
    /// The transpose of `hold_phases`: `ūₚ −= i·Im(uᴴū + vᴴv̄)/uₚ`.
    fn release_phases(&self, to_u: &mut DMatrix<T>, to_v: &DMatrix<T>) {
        for (i, &p) in self.pivots.iter().enumerate() {
            let product = |x: &DMatrix<T>, y: &DMatrix<T>| {
                let pairs =
                    x.column(i).iter().map(|x| x.conj()).zip(y.column(i).iter().copied()).collect::<Vec<_>>();
                T::inner_product(pairs.into_iter())
            };
            let c = product(&self.u, to_u) + product(&self.v, to_v);
            to_u[(p, i)] -= (c - c.conj()) * T::lit(0.5) / self.u[(p, i)];
        }
    }
}

/// Order `k` of `op(A)xⱼ = σⱼyⱼ` with vectors of norm 1, column by column: the terms `Σ op(Aᵢ)xₖ₋ᵢ − Σ σᵢyₖ₋ᵢ` without
/// `xₖ`, `σₖ` and `yₖ`, and the real part of `yᴴyₖ`, which is `−½Σ yᵢᴴyₖ₋ᵢ`. The ranges tell where `x`, `y` and `σ` are
/// among the results.
pub(crate) fn column_terms<'a, 'o, T: Number>(
    orders: &'o Orders<T>,
    (op, shape): (Op, (usize, usize)),
    a: impl Fn(usize) -> Option<&'a [T]>,
    [x, y, values]: [&Range<usize>; 3],
) -> (DMatrix<T>, Vec<T>)
where
    'o: 'a,
{
    let (k, half) = (orders.next(), T::lit(0.5));
    let (rows, x_rows) = op.shape(shape);
    let pairs = (1..=k).map(|i| (a(i), Some(&orders.y(k - i)[x.clone()])));
    let mut image = sum_of_products([(op, shape), (Op::Plain, (x_rows, values.len()))], pairs);
    let mut turns = vec![T::lit(0.0); values.len()];
    for i in orders.between() {
        let [of_y, rest] = [i, k - i].map(|order| &orders.y(order)[y.clone()]);
        for (j, &value) in orders.y(k - i)[values.clone()].iter().enumerate() {
            let column = j * rows..(j + 1) * rows;
            let own = &of_y[column.clone()];
            image.column_mut(j).iter_mut().zip(own).for_each(|(x, &y)| *x -= y * value);
            turns[j] -= T::from_re(inner_product(own, &rest[column]).re()) * half;
        }
    }
    (image, turns)
}

/// `(x − conj x)/2`, the imaginary part times i.
pub(crate) fn imaginary<T: Number>(x: T) -> T {
    (x - x.conj()) * T::lit(0.5)
}

/// U, the singular values, V.
pub(crate) type Triple<T> = (DMatrix<T>, Vec<T>, DMatrix<T>);

impl<P: PrimalNumber> SvdRule<P> {
    pub(crate) fn split<T: Number>(&self, y: &[T]) -> Triple<T> {
        let (m, n, r) = (self.of.u.nrows(), self.of.v.nrows(), self.leading);
        let (u, rest) = y.split_at(m * r);
        (dense(m, r, u), rest[..r].to_vec(), dense(n, r, &rest[r..]))
    }
}

impl<P: PrimalNumber> PrimalSvd<P> {
    /// U, the values and V at numbers that may have tangents.
    pub(crate) fn at<T: Extension<P>>(
        self: &Arc<Self>,
        op: &'static str,
        a: &[T],
    ) -> Result<Triple<T>, AdError> {
        if T::PLAIN {
            let values = self.values.iter().map(|&s| T::constant_of(P::base(s))).collect();
            return Ok((self.u.map(T::constant_of), values, self.v.map(T::constant_of)));
        }
        let rule = SvdRule { op, of: self.clone(), leading: self.values.len() };
        Ok(rule.split(&T::lift_primitive(&rule, &[a])?))
    }
}

/// `c/x` for a number without imaginary part, by real division: a complex division squares the modulus.
pub(crate) fn over<T: Number>(c: f64, x: T) -> T {
    T::from_re(T::Re::lit(c) / x.re())
}

/// `c/(σᵢ + σⱼ)`; on the diagonal of real matrices, where nothing is multiplied by it, zero.
pub(crate) fn over_sum<T: Number>(c: f64, values: &[T], i: usize, j: usize) -> T {
    if T::REAL && i == j { T::lit(0.0) } else { over(c, values[i] + values[j]) }
}

/// Scales the columns of a matrix.
pub(crate) fn scale_columns<T: Number>(a: &mut DMatrix<T>, scales: &[T]) {
    for (mut column, &s) in a.column_iter_mut().zip(scales) {
        column.apply(|a| *a *= s);
    }
}

/// `U·diag(weights)·Vᴴ`, by the real parts of the weights.
pub(crate) fn weighted<T: Number>(u: &DMatrix<T>, weights: &[T], v: &DMatrix<T>) -> DMatrix<T> {
    let mut scaled = u.clone();
    scale_columns(&mut scaled, &weights.iter().map(|s| T::from_re(s.re())).collect::<Vec<_>>());
    times(Op::Plain, &scaled, Op::Adjoint, v)
}

//! Eigenvalues and eigenvectors of symmetric and hermitian matrices. With `P = VᴴȦV` (of the hermitian part of Ȧ) and
//! `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal:
//!
//! ```text
//! value      A = VΛVᴴ
//! tangent    λ̇ᵢ = Pᵢᵢ,  V̇ = V(F∘P)
//! cotangent  Ā = V(diag λ̄ + F∘VᴴV̄)Vᴴ, its hermitian part
//! ```
//!
//! The phases of complex vectors keep their leading entries real. M. B. Giles, Collected matrix derivative results,
//! 2008.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, TangentLanes, by_recurrence, lane_by_lane};
use crate::linear_map::LinearMap;
use crate::matrix::kernels::spectrum::Spectrum;
use crate::matrix::op::Op;
use crate::matrix::rules::product::times;
use crate::matrix::rules::svd::{column_terms, imaginary, over, weighted};
use crate::matrix::rules::symmetric_function::hermitian_part;
use crate::matrix::rules::{add, dense};
use crate::matrix::sizes::EIGEN_TANGENT_BY_ENTRY;
use crate::number::{Number, PrimalNumber};

/// `A ↦ (Λ, V)`.
#[derive(Clone)]
pub(crate) struct SymmetricEigenRule<P: PrimalNumber> {
    pub(crate) found: Arc<Spectrum<P>>,
}

impl<P: PrimalNumber> Primitive<P> for SymmetricEigenRule<P> {
    type Map<T: Extension<P>> = SymmetricEigenDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = self.found.values.iter().map(|&x| P::base(x));
        Ok(values.chain(self.found.vectors.iter().copied()).collect())
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        self.found.distinct()?;
        let n = self.found.values.len();
        let leading = self.found.leading.clone();
        Ok(SymmetricEigenDerivative { values: y[..n].to_vec(), vectors: dense(n, n, &y[n..]), leading })
    }
    /// For small matrices without a vector for each lane.
    fn tangents<S: TangentLanes>(
        &self,
        map: &SymmetricEigenDerivative<S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        let n = map.values.len();
        if n > EIGEN_TANGENT_BY_ENTRY {
            return lane_by_lane(&|tangents, out| map.apply(tangents, out), x, active, y);
        }
        let mut space = vec![S::Part::lit(0.0); S::LANES * y.len() + 2 * n * n];
        let (out, work) = space.split_at_mut(S::LANES * y.len());
        for (lane, out) in out.chunks_exact_mut(y.len().max(1)).enumerate() {
            map.entry_by_entry(|k| x[0][k].lane(lane), work, out);
        }
        let result = |(i, &value): (usize, &S::Part)| S::assemble(value, |lane| out[lane * y.len() + i]);
        y.iter().enumerate().map(result).collect()
    }
    /// Order by order from `Avⱼ = λⱼvⱼ`, each column by itself: values that are close to each other do not disturb the
    /// others.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &SymmetricEigenDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let size = self.found.values.len();
        let (values, vectors) = (0..size, size..y.len());
        let mut parts: Vec<Option<Vec<S::Part>>> = Vec::new();
        Ok(by_recurrence(x, y, n, |orders| {
            parts.push(orders.x(0, orders.next()).map(hermitian_part));
            let a = |i: usize| parts[i - 1].as_deref();
            let (image, turns) =
                column_terms(orders, (Op::Plain, (size, size)), a, [&vectors, &vectors, &values]);
            let mut p = times(Op::Adjoint, &map.vectors, Op::Plain, &image);
            let mut y = vec![S::Part::lit(0.0); orders.y(0).len()];
            for (j, &turn) in turns.iter().enumerate() {
                y[j] = S::Part::from_re(p[(j, j)].re());
                for i in (0..size).filter(|&i| i != j) {
                    p[(i, j)] = over_gap(p[(i, j)], map.values[j] - map.values[i]);
                }
                p[(j, j)] = turn;
            }
            y[size..].copy_from_slice(times(Op::Plain, &map.vectors, Op::Plain, &p).as_slice());
            map.keep_gauge(&mut y[size..]);
            y
        }))
    }
}

/// The derivative of eigenvalues and eigenvectors.
pub(crate) struct SymmetricEigenDerivative<T> {
    values: Vec<T>,
    vectors: DMatrix<T>,
    /// Empty for real numbers, whose vectors cannot turn.
    leading: Vec<usize>,
}

impl<T: Number> SymmetricEigenDerivative<T> {
    /// As `apply`, without temporary matrices: by columns, in `work` of 2n² numbers.
    fn entry_by_entry(&self, da: impl Fn(usize) -> T, work: &mut [T], out: &mut [T]) {
        let (n, half, v) = (self.values.len(), T::lit(0.5), self.vectors.as_slice());
        let column = |m: usize| m * n..(m + 1) * n;
        let (p, product) = work.split_at_mut(n * n);
        for (j, i) in (0..n).flat_map(|j| (0..=j).map(move |i| (j, i))) {
            let x = (da(i + j * n) + da(j + i * n).conj()) * half;
            (p[i + j * n], p[j + i * n]) = (x, x.conj());
        }
        let combine = |sum: &mut [T], of: &[T], weights: &[T]| {
            sum.fill(T::lit(0.0));
            for (k, &weight) in weights.iter().enumerate() {
                sum.iter_mut().zip(&of[column(k)]).for_each(|(s, &x)| *s += x * weight);
            }
        };
        (0..n).for_each(|j| combine(&mut product[column(j)], p, &v[column(j)]));
        for (j, i) in (0..n).flat_map(|j| (0..=j).map(move |i| (j, i))) {
            let pairs = v[column(i)].iter().zip(&product[column(j)]);
            let x = pairs.fold(T::lit(0.0), |sum, (&v, &x)| sum + v.conj() * x);
            if i == j {
                (out[i], p[i + i * n]) = (T::from_re(x.re()), T::lit(0.0));
            } else {
                let x = over_gap(x, self.values[j] - self.values[i]);
                (p[i + j * n], p[j + i * n]) = (x, -x.conj());
            }
        }
        (0..n).for_each(|j| combine(&mut out[n..][column(j)], v, &p[column(j)]));
        self.keep_gauge(&mut out[n..]);
    }
    /// The leading entry stays real: `v̇ − v·i Im(v̇ₖ)/vₖ`.
    fn keep_gauge(&self, dv: &mut [T]) {
        let (n, v) = (self.values.len(), self.vectors.as_slice());
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(dv[k + j * n]) / v[k + j * n];
            (j * n..(j + 1) * n).for_each(|i| dv[i] -= v[i] * turn);
        }
    }
    /// F∘(the hermitian part of P), which is skew-hermitian, or F∘(the skew-hermitian part of P), which is hermitian; with
    /// zeros on the diagonal.
    fn over_gaps(&self, is_skew: bool, p: &mut DMatrix<T>) {
        let half = T::lit(0.5);
        let mirrored = |x: T| if is_skew { -x.conj() } else { x.conj() };
        for j in 0..p.ncols() {
            for i in 0..j {
                let part = (p[(i, j)] - mirrored(p[(j, i)])) * half;
                let x = over_gap(part, self.values[j] - self.values[i]);
                (p[(i, j)], p[(j, i)]) = (x, mirrored(x));
            }
            p[(j, j)] = T::lit(0.0);
        }
    }
}

impl<T: Number> LinearMap<T> for SymmetricEigenDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, self.values.len());
        let da = tangents[0].expect("a matrix");
        if n <= EIGEN_TANGENT_BY_ENTRY {
            return self.entry_by_entry(|k| da[k], &mut vec![T::lit(0.0); 2 * n * n], out);
        }
        let da = dense(n, n, da);
        let mut p = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &da, Op::Plain, v));
        for i in 0..n {
            out[i] = T::from_re(p[(i, i)].re());
        }
        self.over_gaps(true, &mut p);
        out[n..].copy_from_slice(times(Op::Plain, v, Op::Plain, &p).as_slice());
        self.keep_gauge(&mut out[n..]);
    }
    /// `Ā` is the hermitian part of `V(diag λ̄ + F∘VᴴV̄)Vᴴ`, after removing from V̄ the part that changes only the
    /// phases of vectors.
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (v, n) = (&self.vectors, self.values.len());
        let (of_values, of_vectors) = cotangent.split_at(n);
        let out = out[0].as_mut().expect("a matrix");
        if of_vectors.iter().all(|x| x.is_exactly_zero()) {
            return add(out, weighted(v, of_values, v).as_slice());
        }
        let mut p = times(Op::Adjoint, v, Op::Plain, &dense(n, n, of_vectors));
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(p[(j, j)]) / v[(k, j)];
            (0..n).for_each(|i| p[(i, j)] -= v[(k, i)].conj() * turn);
        }
        self.over_gaps(false, &mut p);
        (0..n).for_each(|i| p[(i, i)] = T::from_re(of_values[i].re()));
        add(out, times(Op::Plain, v, Op::Plain, &times(Op::Plain, &p, Op::Adjoint, v)).as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(self.vectors.as_slice())
    }
}

/// `x/gap` for a real gap.
fn over_gap<T: Number>(x: T, gap: T) -> T {
    if T::REAL { x / gap } else { x * over(1.0, gap) }
}

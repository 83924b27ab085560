//! Singular values and vectors: `A = UΣVᴴ`.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, OVector, allocator::Allocator};

use super::decomposition::{Decomposition, columns_of};
use super::small::singular_pair;
use super::{Entry, Op, add, dense, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

impl<P: Machine> Decomposition<P> {
    /// U, the values and V at numbers that may have tangents.
    pub(super) fn at<T: Number<Primal = P, Base = P::Base>>(
        self: &Rc<Self>,
        op: &'static str,
        a: &[T],
    ) -> Result<Triple<T>, AdError> {
        if T::PLAIN {
            let values = self.values.iter().map(|&s| T::constant_of(P::base(s))).collect();
            return Ok((self.u.map(T::constant_of), values, self.v.map(T::constant_of)));
        }
        let rule = Vectors { op, of: self.clone(), leading: self.values.len() };
        Ok(rule.split(&T::lift_primitive(&rule, &[a])?))
    }
}

/// U, the singular values, V.
pub(super) type Triple<T> = (DMatrix<T>, Vec<T>, DMatrix<T>);

/// `c/x` for a number without imaginary part, by real division: a complex one squares the modulus.
pub(super) fn over<T: Number>(c: f64, x: T) -> T {
    T::from_re(T::Re::lit(c) / x.re())
}

/// `c/(σᵢ + σⱼ)`; on the diagonal of real matrices, where nothing is multiplied by it, zero.
pub(super) fn over_sum<T: Number>(c: f64, values: &[T], i: usize, j: usize) -> T {
    if T::REAL && i == j { T::lit(0.0) } else { over(c, values[i] + values[j]) }
}

/// Scales the columns of a matrix.
pub(super) fn scale_columns<T: Number>(a: &mut DMatrix<T>, scales: &[T]) {
    for (mut column, &s) in a.column_iter_mut().zip(scales) {
        column.apply(|a| *a *= s);
    }
}

/// `A ↦ (U, σ, V)`, the first `leading` of them.
#[derive(Clone)]
pub(super) struct Vectors<P: Machine> {
    pub(super) op: &'static str,
    pub(super) of: Rc<Decomposition<P>>,
    pub(super) leading: usize,
}

impl<P: Machine> Vectors<P> {
    pub(super) fn split<T: Number>(&self, y: &[T]) -> Triple<T> {
        let (m, n, r) = (self.of.u.nrows(), self.of.v.nrows(), self.leading);
        let (u, rest) = y.split_at(m * r);
        (dense(m, r, u), rest[..r].to_vec(), dense(n, r, &rest[r..]))
    }
}

impl<P: Machine> Primitive<P> for Vectors<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Turning<T>;
    fn name(&self) -> &'static str {
        self.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let Decomposition { u, values, v, .. } = &*self.of;
        let (m, n, r) = (u.nrows(), v.nrows(), self.leading);
        let values = values[..r].iter().map(|&s| P::base(s));
        Ok(u.as_slice()[..m * r]
            .iter()
            .copied()
            .chain(values)
            .chain(v.as_slice()[..n * r].iter().copied())
            .collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Turning<T>, AdError> {
        self.of.check(self.op, self.leading)?;
        let whole = self.leading == self.of.values.len();
        let (u, values, v) = if whole { self.split(y) } else { self.of.at(self.op, &x[0])? };
        // Real vectors have no phases.
        let pivots = if T::REAL { Vec::new() } else { self.of.pivots[..self.leading].to_vec() };
        Ok(Turning { u, v, values, leading: self.leading, pivots })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// With `M = UᴴȦV`: `σ̇ = Re diag M`, `U̇ = UΩ + (I−UUᴴ)ȦVΣ⁻¹`, `V̇ = VΨ + (I−VVᴴ)ȦᴴUΣ⁻¹`, and off the diagonal
///
/// `2Ω = (M+Mᴴ)∘1/(σⱼ−σᵢ) + (M−Mᴴ)∘1/(σⱼ+σᵢ)`, `2Ψ = (M+Mᴴ)∘1/(σⱼ−σᵢ) − (M−Mᴴ)∘1/(σⱼ+σᵢ)`:
///
/// sums and differences of the usual formula with `1/(σⱼ²−σᵢ²)`, without its cancellation. On the diagonal only
/// the phases of complex vectors turn: against each other as in the formula, together so that a pivot stays real.
pub(super) struct Turning<T> {
    u: DMatrix<T>,
    v: DMatrix<T>,
    values: Vec<T>,
    /// How many pairs of vectors are wanted.
    leading: usize,
    /// The rows of the entries of U that stay real.
    pivots: Vec<usize>,
}

impl<T: Number> Turning<T> {
    /// `½/(σⱼ−σᵢ)`, zero on the diagonal.
    fn over_gap(&self, i: usize, j: usize) -> T {
        if i == j { T::lit(0.0) } else { over(0.5, self.values[j] - self.values[i]) }
    }
    /// `1/σᵢ` of the leading values.
    fn reciprocals(&self) -> Vec<T> {
        self.values[..self.leading].iter().map(|&s| over(1.0, s)).collect()
    }
    /// `M`, and `(I−UUᴴ)ȦVΣ⁻¹` of a tall matrix, `(I−VVᴴ)ȦᴴUΣ⁻¹` of a wide one, for the leading columns.
    fn seen_from_inside(&self, da: &DMatrix<T>) -> (DMatrix<T>, Option<DMatrix<T>>) {
        let (u, v) = (&self.u, &self.v);
        let tall = u.nrows() >= v.nrows();
        let (own, other) = if tall { (u, v) } else { (v, u) };
        let mut image = times(if tall { Op::Plain } else { Op::Adjoint }, da, Op::Plain, other);
        let m = times(Op::Adjoint, own, Op::Plain, &image);
        let outside = (u.nrows() != v.nrows()).then(|| {
            image -= times(Op::Plain, own, Op::Plain, &m);
            let mut image = image.columns(0, self.leading).into_owned();
            scale_columns(&mut image, &self.reciprocals());
            image
        });
        (if tall { m } else { Op::Adjoint.of(m) }, outside)
    }
    /// Ω and Ψ, their leading columns.
    fn rotations(&self, m: &DMatrix<T>) -> (DMatrix<T>, DMatrix<T>) {
        let (k, r) = (m.nrows(), self.leading);
        let mut parts = (DMatrix::zeros(k, r), DMatrix::zeros(k, r));
        for j in 0..r {
            for i in 0..k {
                let (a, b) = (m[(i, j)], m[(j, i)].conj());
                let even = (a + b) * self.over_gap(i, j);
                let odd = (a - b) * over_sum(0.5, &self.values, i, j);
                parts.0[(i, j)] = even + odd;
                parts.1[(i, j)] = even - odd;
            }
        }
        parts
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
    /// The transpose of that: `ūₚ −= i·Im(uᴴū + vᴴv̄)/uₚ`.
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

impl<T: Number> LinearMap<T> for Turning<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (m, n, r) = (self.u.nrows(), self.v.nrows(), self.leading);
        let (inside, outside) = self.seen_from_inside(&dense(m, n, tangents[0].expect("a matrix")));
        let (omega, psi) = self.rotations(&inside);
        let mut du = times(Op::Plain, &self.u, Op::Plain, &omega);
        let mut dv = times(Op::Plain, &self.v, Op::Plain, &psi);
        if let Some(outside) = outside {
            *(if m > n { &mut du } else { &mut dv }) += outside;
        }
        self.hold_phases(&mut du, &mut dv);
        let (to_u, rest) = out.split_at_mut(m * r);
        let (to_values, to_v) = rest.split_at_mut(r);
        to_u.copy_from_slice(du.as_slice());
        to_v.copy_from_slice(dv.as_slice());
        for (i, s) in to_values.iter_mut().enumerate() {
            *s = T::from_re(inside[(i, i)].re());
        }
    }
    /// `Ā = U(M̄ − Ω̄Σ⁻¹)Vᴴ + ŪΣ⁻¹Vᴴ` of a tall matrix, with `Ω̄ = UᴴŪ`, `Ψ̄ = VᴴV̄`; of a wide one the same with U and V
    /// exchanged; of a square one `UM̄Vᴴ`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
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
        let tall = m >= n;
        let (own, other) = if tall { (&self.u, &self.v) } else { (&self.v, &self.u) };
        let mut inside = if tall { inside } else { Op::Adjoint.of(inside) };
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
    fn name(&self) -> &'static str {
        "svd"
    }
    fn bytes(&self) -> usize {
        [self.u.as_slice(), self.v.as_slice(), &self.values].map(size_of_val).iter().sum()
    }
}

/// The thin singular value decomposition `A = UΣVᴴ`.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd<S: Entry, R: DimMin<C>, C: Dim>
where
    DefaultAllocator:
        Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    /// U, with orthonormal columns.
    pub u: OMatrix<S, R, DimMinimum<R, C>>,
    /// The singular values, descending.
    pub singular_values: OVector<S::Re, DimMinimum<R, C>>,
    /// `Vᴴ`, with orthonormal rows.
    pub v_t: OMatrix<S, DimMinimum<R, C>, C>,
}

/// The thin singular value decomposition `A = UΣVᴴ`, values descending.
///
/// With `M = UᴴȦV`: `σ̇ = Re diag M`, `U̇ = UΩ + (I−UUᴴ)ȦVΣ⁻¹`, `V̇ = VΨ + (I−VVᴴ)ȦᴴUΣ⁻¹` with
/// `Ωᵢⱼ = (Mᵢⱼσⱼ + σᵢM̄ⱼᵢ)/(σⱼ²−σᵢ²)`, `Ψᵢⱼ = (σᵢMᵢⱼ + M̄ⱼᵢσⱼ)/(σⱼ²−σᵢ²)`; the cotangent is the transpose of this map.
/// (Papadopoulo and Lourakis, Estimating the Jacobian of the singular value decomposition, ECCV 2000; Giles, Collected
/// matrix derivative results for forward and reverse mode algorithmic differentiation, 2008; Wan and Zhang,
/// Automatic differentiation for complex valued SVD, 2019.)
///
/// Vectors have a sign (a phase, of complex numbers) of their own: here the largest entry of each column of U is
/// real and positive. A zero value of a square matrix is differentiated with the sign that its vectors have.
///
/// # Errors
/// `NoConvergence` if an entry is not finite. `Degenerate` if the input is active and vectors have no derivative:
/// two values, or a value and 0 for a rectangular or complex matrix, are closer than `ε·max(m, n)·σ₁`.
/// [`singular_values`](super::singular_values) and the norms have derivatives there.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::svd};
/// // A diagonal matrix that turns: the values stand still, the vectors turn.
/// let a = matrix![2.0, 0.0; 0.0, 1.0].zip_map(&matrix![0.0, 0.3; 0.0, 0.0], Dual::new);
/// let svd = svd(&a)?;
/// assert_eq!(svd.singular_values.map(|s| s.value()).as_slice(), [2.0, 1.0]);
/// assert_eq!(svd.singular_values.map(|s| s.tangent()).as_slice(), [0.0, 0.0]);
/// let du = svd.u.map(|u| u.tangent());
/// assert!((du - matrix![0.0, -0.1; 0.1, 0.0]).norm() < 1e-15);
/// let dv = svd.v_t.map(|v| v.tangent());
/// assert!((dv - matrix![0.0, 0.2; -0.2, 0.0]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn svd<S: Entry, R: DimMin<C>, C: Dim>(a: &OMatrix<S, R, C>) -> Result<Svd<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, C>
        + Allocator<R, DimMinimum<R, C>>
        + Allocator<DimMinimum<R, C>>
        + Allocator<DimMinimum<R, C>, C>,
{
    let (rows, columns) = a.shape_generic();
    let (least, (m, n)) = (rows.min(columns), a.shape());
    if S::IS_REAL
        && !S::RECORDS
        && (m, n) == (2, 2)
        && let Some((u, values, v)) = singular_pair(columns_of(a.as_slice(), S::real_part))
    {
        return Ok(Svd {
            u: OMatrix::from_fn_generic(rows, least, |i, j| S::from_real(u[j][i])),
            singular_values: OVector::from_iterator_generic(least, nalgebra::U1, values),
            v_t: OMatrix::from_fn_generic(least, columns, |i, j| S::from_real(v[i][j])),
        });
    }
    let of = Decomposition::new("svd", a.shape(), a.as_slice())?;
    let k = m.min(n);
    let y = S::lift(&Vectors { op: "svd", of, leading: k }, &[a.as_slice()])?;
    let (u, rest) = y.split_at(m * k);
    let (values, v) = rest.split_at(k);
    Ok(Svd {
        u: OMatrix::from_column_slice_generic(rows, least, u),
        singular_values: OVector::from_iterator_generic(
            least,
            nalgebra::U1,
            values.iter().map(|s| s.real_part()),
        ),
        v_t: OMatrix::from_fn_generic(least, columns, |i, j| v[i * n + j].conjugated()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forward::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::matrix;
    use num_complex::Complex;

    fn transposes<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3), (2, 4)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let of = Decomposition::new("svd", (m, n), &a).unwrap();
            check(&Vectors { op: "svd", of: of.clone(), leading: m.min(n) }, &[&a]);
            check(&Vectors { op: "svd", of, leading: 1 }, &[&a]);
        }
    }
    #[test]
    fn cotangents_are_transposes() {
        transposes::<f64>();
        transposes::<Complex<f64>>();
    }

    #[test]
    fn vectors_without_derivative_are_errors_only_where_there_are_tangents() {
        let equal = nalgebra::Matrix2::<f64>::identity();
        assert_eq!(svd(&equal).unwrap().singular_values.as_slice(), [1.0, 1.0]);
        let active = svd(&equal.map(Dual::variable)).unwrap_err();
        assert_eq!(active, AdError::Degenerate { op: "svd", pair: (0, 1), gap: 0.0 });
        // A zero value of a square matrix is alone, that of a rectangular one is not.
        assert!(svd(&matrix![1.0, 0.0; 0.0, 0.0].map(Dual::variable)).is_ok());
        let tall = svd(&matrix![1.0, 0.0; 0.0, 0.0; 0.0, 0.0].map(Dual::variable)).unwrap_err();
        assert_eq!(tall, AdError::Degenerate { op: "svd", pair: (1, 2), gap: 0.0 });
        assert_eq!(svd(&matrix![1.0, f64::NAN]).unwrap_err(), AdError::NoConvergence { op: "svd" });
        assert_eq!(svd(&DMatrix::<f64>::zeros(0, 3)).unwrap().u.shape(), (0, 0));
    }

    #[test]
    fn values_close_together_keep_their_digits() {
        let (c, s) = (0.6, 0.8);
        for n in [2, 6] {
            let mut turn = DMatrix::<f64>::identity(n, n);
            (0..n - 1).for_each(|i| {
                let mut step = DMatrix::identity(n, n);
                step.view_mut((i, i), (2, 2)).copy_from(&matrix![c, -s; s, c]);
                turn *= step;
            });
            let values = nalgebra::DVector::from_fn(n, |i, _| 1.0 - i as f64 * 1e-7);
            let a = &turn * DMatrix::from_diagonal(&values) * turn.transpose();
            assert!((svd(&a).unwrap().singular_values - values).norm() < 1e-14);
        }
    }
}

//! Orthogonal factors: `A = QR`.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, QR, allocator::Allocator};
use num_traits::Float;

use super::gram_schmidt::{fits, orthogonalise};
use super::least_squares::least_squares;
use super::product::matmul_hn;
use super::substitution::Triangle;
use super::{Entry, Op, add, demand, dense, times, triangular};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number};
use crate::primitive::Primitive;

/// The triangle R, as it enters a system.
pub(super) fn upper(op: Op) -> Triangle {
    Triangle { lower: false, unit: false, op }
}

/// The factors of a machine matrix with independent columns: Q as large as A, R with a positive diagonal.
pub(super) struct Orthogonal<P: Machine> {
    pub(super) q: DMatrix<P>,
    pub(super) r: DMatrix<P>,
}

impl<P: Machine> Orthogonal<P> {
    /// The factors of the m × n matrix whose columns begin `a`.
    pub(super) fn new<S: Entry<Primal = P>>(
        op: &'static str,
        (m, n): (usize, usize),
        a: &[S],
    ) -> Result<Rc<Self>, AdError> {
        if m < n {
            return Err(AdError::Singular { op });
        }
        let mut a = DMatrix::from_iterator(m, n, a[..m * n].iter().map(|a| a.primal_value()));
        if fits((m, n)) {
            let (mut q, mut r) = (a.clone(), DMatrix::from_element(n, n, P::lit(0.0)));
            if orthogonalise(q.as_mut_slice(), r.as_mut_slice(), (m, n)) {
                return Ok(Rc::new(Orthogonal { q, r }));
            }
        }
        let scales: Vec<P::Base> =
            a.column_iter_mut().map(|mut column| into_range(column.as_mut_slice())).collect();
        let qr = QR::new(a);
        let (q, mut r) = (qr.q(), qr.unpack_r());
        // A column's part that is new, against all of it: whatever the scales of the columns, this is its error.
        let noise = <P::Base as Float>::epsilon() * P::Base::from_double(m as f64);
        for (j, scale) in scales.into_iter().enumerate() {
            let mut column = r.column_mut(j);
            let known = column.rows(0, j).norm();
            let new = column[j].magnitude();
            let independent = new > noise * Float::hypot(known, new); // nothing that is not finite is
            if !independent {
                return Err(AdError::Singular { op });
            }
            column.apply(|r| *r /= scale);
        }
        Ok(Rc::new(Orthogonal { q, r }))
    }
}

/// Scales a column whose squares may leave the range of the float by a power of two: that power.
fn into_range<P: Machine>(column: &mut [P]) -> P::Base {
    let largest = column.iter().map(|a| a.magnitude()).fold(P::Base::from_double(0.0), Float::max);
    let (root, eps) = (Float::sqrt(P::Base::min_positive_value()), <P::Base as Float>::epsilon());
    let scale = if largest < root / eps {
        Float::recip(root * eps)
    } else if largest > eps / root {
        root * eps
    } else {
        return P::Base::from_double(1.0);
    };
    column.iter_mut().for_each(|a| *a *= scale);
    scale
}

/// `A ↦ (Q, R)`.
#[derive(Clone)]
struct Factoring<P: Machine> {
    factors: Rc<Orthogonal<P>>,
}

impl<P: Machine> Primitive<P> for Factoring<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Factored<T>;
    fn name(&self) -> &'static str {
        "qr"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok([self.factors.q.as_slice(), self.factors.r.as_slice()].concat())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Factored<T>, AdError> {
        let (m, n) = self.factors.q.shape();
        let (q, r) = y.split_at(m * n);
        Ok(Factored { q: dense(m, n, q), r: dense(n, n, r) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// With `X = QᴴȦR⁻¹` and the triangle `U = triu(X) + (strict lower part of X)ᴴ`, its diagonal real: `Ṙ = UR`,
/// `Q̇ = ȦR⁻¹ − QU`.
struct Factored<T> {
    q: DMatrix<T>,
    r: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Factored<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (m, n) = self.q.shape();
        let da = dense(m, n, tangents[0].expect("a matrix")).transpose();
        let mut dq = triangular::substituted(upper(Op::Transpose), &self.r, &da).transpose();
        let x = times(Op::Adjoint, &self.q, Op::Plain, &dq);
        let u = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            core::cmp::Ordering::Less => x[(i, j)] + x[(j, i)].conj(),
            core::cmp::Ordering::Equal => T::from_re(x[(i, i)].re()),
            core::cmp::Ordering::Greater => T::lit(0.0),
        });
        if m == n {
            // Nothing lies outside of Q: the difference is QΩ with a skew Ω, and keeps Q orthogonal.
            dq = times(Op::Plain, &self.q, Op::Plain, &(x - &u));
        } else {
            dq -= times(Op::Plain, &self.q, Op::Plain, &u);
        }
        let (to_q, to_r) = out.split_at_mut(m * n);
        to_q.copy_from_slice(dq.as_slice());
        to_r.copy_from_slice(times(Op::Plain, &u, Op::Plain, &self.r).as_slice());
    }
    /// `Ā = (Q̄ + QH)R⁻ᴴ` with the Hermitian H that has the upper triangle of `R̄Rᴴ − QᴴQ̄`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (m, n) = self.q.shape();
        let (q, r) = cotangent.split_at(m * n);
        let (mut bar, r) = (dense(m, n, q), dense(n, n, r).upper_triangle());
        let h = times(Op::Plain, &r, Op::Adjoint, &self.r) - times(Op::Adjoint, &self.q, Op::Plain, &bar);
        let h = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            core::cmp::Ordering::Less => h[(i, j)],
            core::cmp::Ordering::Equal => T::from_re(h[(i, i)].re()),
            core::cmp::Ordering::Greater => h[(j, i)].conj(),
        });
        bar += times(Op::Plain, &self.q, Op::Plain, &h);
        let g = triangular::substituted(upper(Op::Plain), &self.r, &Op::Adjoint.of(bar));
        add(out[0].as_mut().expect("a matrix"), Op::Adjoint.of(g).as_slice());
    }
    fn name(&self) -> &'static str {
        "qr"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.q.as_slice()) + size_of_val(self.r.as_slice())
    }
}

/// The orthogonal factors of a matrix, computed once, for any number of least-squares problems.
///
/// At numbers with tangents and on tapes they are the factors of the values: value, tangents and cotangents of
/// solutions follow from them.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::Qr;
/// let qr = Qr::new(&matrix![1.0, 0.0; 1.0, 1.0; 1.0, 2.0])?;
/// assert!((qr.solve(&vector![1.0, 3.0, 5.0]) - vector![1.0, 2.0]).norm() < 1e-14);
/// assert!((qr.q() * qr.r() - matrix![1.0, 0.0; 1.0, 1.0; 1.0, 2.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Qr<S: Entry, R: Dim, C: Dim>
where
    DefaultAllocator: Allocator<R, C>,
{
    a: OMatrix<S, R, C>,
    factors: Rc<Orthogonal<S::Primal>>,
}

/// Q and R of [`qr`](qr()).
type Pair<S, R, C> = (OMatrix<S, R, DimMinimum<R, C>>, OMatrix<S, DimMinimum<R, C>, C>);

impl<S: Entry, R: DimMin<C>, C: Dim> Qr<S, R, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    /// Factors a matrix.
    ///
    /// # Errors
    /// `Singular` if the columns (of a wide matrix: the first m) are not independent: one is within `m·ε` of its
    /// length of the others' span. Also if an entry is not finite.
    #[track_caller]
    pub fn new(a: &OMatrix<S, R, C>) -> Result<Self, AdError> {
        Self::named("qr", a)
    }
    fn named(op: &'static str, a: &OMatrix<S, R, C>) -> Result<Self, AdError> {
        let (m, n) = a.shape();
        Ok(Qr { a: a.clone(), factors: Orthogonal::new(op, (m, m.min(n)), a.as_slice())? })
    }
    #[track_caller]
    fn pair(&self) -> Pair<S, R, C> {
        let (rows, columns) = self.a.shape_generic();
        let (least, m) = (rows.min(columns), rows.value());
        let size = m * least.value();
        let rule = Factoring { factors: self.factors.clone() };
        let y = S::lift(&rule, &[&self.a.as_slice()[..size]]).expect("the factors exist");
        let q = OMatrix::from_column_slice_generic(rows, least, &y[..size]);
        // The columns of a wide matrix beyond the first m are seen in Q.
        let beyond =
            DMatrix::from_column_slice(m, columns.value() - least.value(), &self.a.as_slice()[size..]);
        let mut r = y[size..].to_vec();
        if !beyond.is_empty() {
            let q = DMatrix::from_column_slice(m, m, &y[..size]);
            r.extend_from_slice(matmul_hn(&q, &beyond).as_slice());
        }
        (q, OMatrix::from_vec_generic(least, columns, r))
    }
    /// Q: its columns are orthonormal. [`qr`](qr()) gives both factors at once.
    #[track_caller]
    pub fn q(&self) -> OMatrix<S, R, DimMinimum<R, C>> {
        self.pair().0
    }
    /// R: upper triangular, its diagonal real and positive.
    #[track_caller]
    pub fn r(&self) -> OMatrix<S, DimMinimum<R, C>, C> {
        self.pair().1
    }
    /// The X of least `|AX − B|`, as [`lstsq`](super::lstsq).
    ///
    /// # Panics
    /// If `B` has another number of rows, or the matrix fewer rows than columns.
    #[track_caller]
    pub fn solve<K: Dim>(&self, b: &OMatrix<S, R, K>) -> OMatrix<S, C, K>
    where
        DefaultAllocator: Allocator<R, K> + Allocator<C, K>,
    {
        let n = self.a.ncols();
        demand("solve", "matrix", (self.a.nrows().max(n), n), self.a.shape());
        demand("solve", "right-hand side", (self.a.nrows(), b.ncols()), b.shape());
        least_squares(&self.factors, &self.a, b)
    }
}

/// The factors of `A = QR`: Q with orthonormal columns, R upper triangular with a real, positive diagonal, of the sizes
/// m × min(m, n) and min(m, n) × n.
///
/// With `X = QᴴȦR⁻¹` and the triangle `U = triu(X) + (strict lower part of X)ᴴ`, its diagonal real: `Ṙ = UR`,
/// `Q̇ = ȦR⁻¹ − QU`. `Ā = (Q̄ + QH)R⁻ᴴ` with the Hermitian H that has the upper triangle of `R̄Rᴴ − QᴴQ̄`. Of a wide
/// matrix the first m columns are factored so, and R goes on with Qᴴ times the others. (Walter and Lehmann,
/// Algorithmic differentiation of linear algebra functions with application in optimum experimental design, 2010.)
///
/// # Errors
/// `Singular` if the columns (of a wide matrix: the first m) are not independent: one is within `m·ε` of its
/// length of the others' span. Also if an entry is not finite.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::qr};
/// let (q, r) = qr(&matrix![3.0_f64, 1.0; 4.0, 2.0].zip_map(&matrix![0.0, 1.0; 0.0, 0.0], Dual::new))?;
/// assert!((r.map(|r| r.value()) - matrix![5.0, 2.2; 0.0, 0.4]).norm() < 1e-14);
/// assert!((r.map(|r| r.tangent()) - matrix![0.0, 0.6; 0.0, -0.8]).norm() < 1e-14);
/// assert!(q.map(|q| q.tangent()).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn qr<S: Entry, R: DimMin<C>, C: Dim>(a: &OMatrix<S, R, C>) -> Result<Pair<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    if !S::RECORDS && fits(a.shape()) {
        let (rows, columns) = a.shape_generic();
        let least = rows.min(columns);
        let mut q = OMatrix::from_column_slice_generic(rows, least, a.as_slice());
        let mut r = OMatrix::from_element_generic(least, columns, S::constant(0.0));
        if orthogonalise(q.as_mut_slice(), r.as_mut_slice(), a.shape()) {
            return Ok((q, r));
        }
    }
    Ok(Qr::new(a)?.pair())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forward::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::matrix;
    use num_complex::Complex;

    fn transposes<P: Machine>() {
        for (m, n) in [(1, 1), (3, 3), (5, 3)] {
            let a: Vec<P> = numbers(m * n, 0.0);
            let factors = Orthogonal::new("qr", (m, n), &a).unwrap();
            check(&Factoring { factors }, &[&a]);
        }
    }
    #[test]
    fn cotangents_are_transposes() {
        transposes::<f64>();
        transposes::<Complex<f64>>();
    }

    #[test]
    fn scales_and_shapes() {
        // Columns of any scale, a wide matrix, dependent columns.
        let a = matrix![3e-200, 1e200; 4e-200, 2e200];
        let (q, r) = qr(&a).unwrap();
        assert!((q - matrix![0.6, -0.8; 0.8, 0.6]).norm() < 1e-15);
        assert!((r[(0, 0)] / 5e-200 - 1.0).abs() < 1e-15 && (r[(1, 1)] / 4e199 - 1.0).abs() < 1e-14);
        let wide = matrix![3.0, 1.0, 5.0; 4.0, 2.0, 6.0];
        let (q, r) = qr(&wide.map(|a| Dual::new(a, a * a))).unwrap();
        let dr =
            q.map(|q| q.tangent()) * r.map(|r| r.value()) + q.map(|q| q.value()) * r.map(|r| r.tangent());
        assert!((dr - wide.component_mul(&wide)).norm() < 1e-12 && r[(1, 0)] == 0.0);
        assert_eq!(qr(&matrix![1.0, 2.0; 2.0, 4.0]), Err(AdError::Singular { op: "qr" }));
    }
}

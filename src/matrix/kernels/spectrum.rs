//! The eigenvalues and eigenvectors of hermitian matrices of primal numbers, by nalgebra except for small ones.
//!
//! Small matrices use Jacobi rotations, because nalgebra's iteration takes 1.3 times as long at 3 and 4 rows.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{largest_size, unit};
use crate::matrix::kernels::kept::once;
use crate::matrix::sizes::EIGEN_ROTATED;
use crate::number::{BaseFloat, Number, PrimalNumber, Real};

use nalgebra::SymmetricEigen as Decomposed;

/// The decomposition of the hermitian part of a matrix of primal numbers.
pub(crate) struct Spectrum<P: PrimalNumber> {
    pub(crate) op: &'static str,
    /// Ascending.
    pub(crate) values: DVector<P::Base>,
    pub(crate) vectors: DMatrix<P>,
    /// The row of each vector whose entry is kept real; `None` for real numbers, whose vectors have no phase.
    pub(crate) leading: Vec<usize>,
}

/// The hermitian part of the values of a matrix.
pub(crate) fn hermitian<S: Entry>(
    op: &'static str,
    n: usize,
    a: &[S],
) -> Result<DMatrix<S::Primal>, AdError> {
    if !a.iter().all(|x| x.primal_value().all_finite()) {
        return Err(AdError::NotFinite { op });
    }
    let half = S::Primal::lit(0.5);
    let entry = |i: usize, j: usize| a[i + j * n].primal_value() * half;
    Ok(DMatrix::from_fn(n, n, |i, j| entry(i, j) + Number::conj(entry(j, i))))
}

impl<P: PrimalNumber> Spectrum<P> {
    pub(crate) fn new<S: Entry<Primal = P>>(
        op: &'static str,
        n: usize,
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        once(op, n, a, || Self::of(op, hermitian(op, n, a)?))
    }
    fn of(op: &'static str, a: DMatrix<P>) -> Result<Arc<Self>, AdError> {
        let n = a.nrows();
        let (values, mut vectors) = decompose(op, a, true)?;
        let rows = (0..n).map(|j| lead(vectors.column_mut(j).as_mut_slice()));
        let mut leading = Vec::new();
        for row in rows {
            if !P::REAL {
                leading.push(row);
            }
        }
        Ok(Arc::new(Spectrum { op, values, vectors, leading }))
    }
    /// The distance below which two eigenvalues are equal to rounding: `n·ε·max |λ|`.
    pub(crate) fn resolution(&self) -> P::Base {
        let noise = P::Base::from_double(self.values.len() as f64) * <P::Base as Float>::epsilon();
        noise * largest_size(&self.values)
    }
    /// An error with the first two neighbours that are equal to rounding.
    pub(crate) fn distinct(&self) -> Result<(), AdError> {
        let same = self.values.as_slice().windows(2).position(|w| w[1] - w[0] <= self.resolution());
        same.map_or(Ok(()), |i| Err(self.equal(i)))
    }
    /// The eigenvalue at this index and the next one are equal.
    fn equal(&self, i: usize) -> AdError {
        let gap = BaseFloat::to_double(self.values[i + 1] - self.values[i]);
        AdError::Degenerate { op: self.op, pair: (i, i + 1), gap }
    }
    /// An error if a neighbour of this eigenvalue is equal to rounding.
    pub(crate) fn is_simple(&self, index: usize) -> Result<(), AdError> {
        let cluster = self.clusters().into_iter().find(|c| c.contains(&index) && c.len() > 1);
        cluster.map_or(Ok(()), |c| Err(self.equal(index.min(c.end - 2))))
    }
    /// The ranges of eigenvalues that are equal to rounding.
    pub(crate) fn clusters(&self) -> Vec<core::ops::Range<usize>> {
        let (n, resolution) = (self.values.len(), self.resolution());
        let ends = (1..=n).filter(|&i| i == n || self.values[i] - self.values[i - 1] > resolution);
        let mut start = 0;
        ends.map(|end| core::mem::replace(&mut start, end)..end).collect()
    }
}

/// Eigenvalues, ascending, and eigenvectors if they are needed.
pub(crate) fn decompose<P: PrimalNumber>(
    op: &'static str,
    a: DMatrix<P>,
    vectors: bool,
) -> Result<(DVector<P::Base>, DMatrix<P>), AdError> {
    let n = a.nrows();
    let found = if n <= EIGEN_ROTATED {
        jacobi(a, vectors)
    } else {
        let unit = unit(largest_size(&a));
        let a = if unit == P::Base::from_double(1.0) { a } else { a.unscale(unit) };
        iterated(a, vectors).map(|(values, vectors)| (values * unit, vectors))
    };
    let (mut values, mut columns) = found.ok_or(AdError::NoConvergence { op })?;
    for i in 0..n {
        let least = (i + 1..n).fold(i, |least, j| if values[j] < values[least] { j } else { least });
        if least != i {
            values.swap_rows(i, least);
            if vectors {
                columns.swap_columns(i, least);
            }
        }
    }
    Ok((values, columns))
}

/// By a tridiagonal matrix.
fn iterated<P: PrimalNumber>(a: DMatrix<P>, vectors: bool) -> Option<(DVector<P::Base>, DMatrix<P>)> {
    let n = a.nrows();
    #[cfg(feature = "faer")]
    if n >= crate::matrix::sizes::FAER_EIGEN {
        return crate::matrix::kernels::by_faer::symmetric_eigen(&a, vectors);
    }
    let _ = vectors; // always with vectors: nalgebra's iteration for values has no bound
    let found = Decomposed::try_new(a, <P::Base as Float>::epsilon(), 50 * n)?;
    Some((found.eigenvalues, found.eigenvectors))
}

/// Jacobi rotations, row by row, until all off-diagonal entries are rounding relative to their diagonal neighbours.
fn jacobi<P: PrimalNumber>(mut a: DMatrix<P>, vectors: bool) -> Option<(DVector<P::Base>, DMatrix<P>)> {
    let (n, eps) = (a.nrows(), <P::Base as Float>::epsilon());
    let largest = largest_size(&a);
    let unit = unit(largest);
    if unit != P::Base::from_double(1.0) && largest > P::Base::from_double(0.0) {
        a.unscale_mut(unit);
        return jacobi(a, vectors).map(|(values, v)| (values * unit, v));
    }
    let mut v = if vectors { DMatrix::identity(n, n) } else { DMatrix::zeros(0, 0) };
    let noise = largest * eps * eps;
    let diagonal = |a: &DMatrix<P>, i: usize| Number::re(a[(i, i)]).primal();
    for _sweep in 0..40 {
        let mut settled = true;
        for q in 1..n {
            for p in 0..q {
                let (x, y) = (diagonal(&a, p), diagonal(&a, q));
                let size = Number::modulus(a[(p, q)]).primal();
                if size <= noise || size * size <= eps * eps * Float::abs(x * y) {
                    continue;
                }
                settled = false;
                // t = tan of the angle that makes a_pq zero: t² + 2θt − 1 = 0 with θ = (y − x)/2|a_pq|, the smaller root.
                let (gap, twice) = (y - x, size + size);
                let root = Float::sqrt(gap * gap + twice * twice);
                let sum = Float::abs(gap) + root;
                let (t, c) = (Float::copysign(twice, gap) / sum, Float::sqrt(sum / (root + root)));
                let turn = Number::conj(a[(p, q)]) / P::base(size);
                rotate(&mut v, (p, q), c, t * c, turn);
                rotate(&mut a, (p, q), c, t * c, turn);
                for i in 0..n {
                    (a[(p, i)], a[(q, i)]) = (Number::conj(a[(i, p)]), Number::conj(a[(i, q)]));
                }
                (a[(p, q)], a[(q, p)]) = (P::lit(0.0), P::lit(0.0));
                (a[(p, p)], a[(q, q)]) = (P::base(x - t * size), P::base(y + t * size));
            }
        }
        if settled {
            return Some((DVector::from_fn(n, |i, _| diagonal(&a, i)), v));
        }
    }
    None
}

/// Columns `p < q` become `c·aₚ − s·turn·a_q` and `s·aₚ + c·turn·a_q`.
#[inline]
fn rotate<P: PrimalNumber>(a: &mut DMatrix<P>, (p, q): (usize, usize), c: P::Base, s: P::Base, turn: P) {
    let n = a.nrows();
    if n == 0 {
        return;
    }
    let (first, second) = a.as_mut_slice().split_at_mut(q * n);
    for (x, y) in first[p * n..(p + 1) * n].iter_mut().zip(&mut second[..n]) {
        let turned = *y * turn;
        (*x, *y) = (*x * c - turned * s, *x * s + turned * c);
    }
}

/// The row of the largest entry of a vector, the first of several that are equal to rounding.
pub(crate) fn leading<P: PrimalNumber>(v: &[P]) -> usize {
    let size = |x: P| Number::modulus(x).primal();
    let largest = v.iter().fold(P::Base::from_double(0.0), |m, &x| Float::max(m, size(x)));
    let rounding = <P::Base as Float>::epsilon() * P::Base::from_double(1024.0);
    v.iter().position(|&x| size(x) >= largest - largest * rounding).unwrap_or(0)
}

/// Multiplies a vector by a phase so that its leading entry is real and positive, and returns the row of that entry.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn lead<P: PrimalNumber>(v: &mut [P]) -> usize {
    let row = leading(v);
    let size = Number::modulus(v[row]).primal();
    if size > P::Base::from_double(0.0) {
        let turn = Number::conj(v[row]) / P::base(size);
        v.iter_mut().for_each(|x| *x *= turn);
        v[row] = P::from_re(Number::re(v[row]));
    }
    row
}

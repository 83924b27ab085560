//! Singular values and vectors of matrices of primal numbers, for the rules.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::bidiagonal;
use crate::matrix::kernels::kept::once;
use crate::matrix::kernels::small::pairs::{Two, singular_pair};
use crate::number::{BaseFloat, Number, PrimalNumber, Real};

/// The thin decomposition of a matrix of primal numbers, its values descending, the phases of its vectors fixed.
pub(crate) struct PrimalSvd<P: PrimalNumber> {
    pub(crate) u: DMatrix<P>,
    pub(crate) values: Vec<P::Base>,
    pub(crate) v: DMatrix<P>,
    /// The row of the largest entry of each column of U, which is real and positive; not stored for real matrices.
    pub(crate) pivots: Vec<usize>,
}

/// The values of a matrix.
fn primal_matrix<S: Entry>((m, n): (usize, usize), a: &[S]) -> DMatrix<S::Primal> {
    DMatrix::from_iterator(m, n, a.iter().map(|a| a.primal_value()))
}

/// The closed form for a real 2 × 2 matrix, if it applies: U, the values and V, column by column.
#[allow(clippy::type_complexity)] // columns, values, columns
fn closed_form<P: PrimalNumber>(a: &DMatrix<P>) -> Option<(Two<P::Base>, [P::Base; 2], Two<P::Base>)> {
    let of_two = P::REAL && a.shape() == (2, 2);
    of_two.then(|| singular_pair(columns_of(a.as_slice(), |a: P| Number::re(a).primal())))?
}

/// The singular values only, descending, equal to the values of the decomposition.
pub(crate) fn primal_values<S: Entry>(
    op: &'static str,
    shape: (usize, usize),
    a: &[S],
) -> Result<Vec<<S::Primal as Number>::Base>, AdError> {
    let a = primal_matrix(shape, a);
    match closed_form(&a) {
        Some((_, values, _)) => Ok(values.to_vec()),
        None => Ok(bidiagonal::svd(op, a, false)?.values),
    }
}

impl<P: PrimalNumber> PrimalSvd<P> {
    pub(crate) fn new<S: Entry<Primal = P>>(
        op: &'static str,
        shape: (usize, usize),
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        once("svd", shape.0, a, || Self::of(op, primal_matrix(shape, a)))
    }
    fn of(op: &'static str, a: DMatrix<P>) -> Result<Arc<Self>, AdError> {
        if let Some((u, values, v)) = closed_form(&a) {
            let base = |x: &P::Base| P::base(*x);
            let [u, v] = [u, v].map(|x| DMatrix::from_iterator(2, 2, x.as_flattened().iter().map(base)));
            return Ok(Arc::new(PrimalSvd { u, values: values.to_vec(), v, pivots: Vec::new() }));
        }
        let bidiagonal::ThinSvd { mut u, values, mut v } = bidiagonal::svd(op, a, true)?;
        let pivots = (0..u.ncols()).map(|i| fix_phase(&mut u, &mut v, i));
        let pivots = pivots.filter(|_| !P::REAL).collect();
        Ok(Arc::new(PrimalSvd { u, values, v, pivots }))
    }
    /// Differences of singular values up to this are rounding.
    pub(crate) fn noise(&self) -> P::Base {
        let n = P::Base::from_double(self.u.nrows().max(self.v.nrows()) as f64);
        let largest = self.values.first().copied().unwrap_or(P::Base::from_double(0.0));
        <P::Base as Float>::epsilon() * n * largest
    }
    /// `Ok` if the first `leading` pairs of vectors have derivatives.
    pub(crate) fn check(&self, op: &'static str, leading: usize) -> Result<(), AdError> {
        let (noise, k, all) = (self.noise(), self.values.len(), &self.values);
        let close = |i: usize, j: usize, gap: P::Base| match gap > noise {
            true => Ok(()),
            false => Err(AdError::Degenerate { op, pair: (i, j), gap: gap.to_double() }),
        };
        for (i, &s) in all.iter().enumerate().take(leading) {
            // Only the neighbours in the order can be closest.
            if i + 1 < k {
                close(i, i + 1, s - all[i + 1])?;
            }
            // A rectangular matrix has further vectors, which belong to the value 0.
            if self.u.nrows() != self.v.nrows() {
                close(i, i, s)?;
            } else if !P::REAL {
                close(i, i, s)?; // u and v can have different phases
            }
        }
        Ok(())
    }
}

/// The real columns of a 2 × 2 matrix.
pub(crate) fn columns_of<S: Copy, R>(a: &[S], re: impl Fn(S) -> R) -> Two<R> {
    [[re(a[0]), re(a[1])], [re(a[2]), re(a[3])]]
}

/// Multiplies a pair of vectors by a phase so that the largest entry of the left one is real and positive, and
/// returns the row of that entry.
fn fix_phase<P: PrimalNumber>(u: &mut DMatrix<P>, v: &mut DMatrix<P>, i: usize) -> usize {
    let column = u.column(i);
    let larger =
        |p: usize, q: usize| if Number::modulus(column[q]) > Number::modulus(column[p]) { q } else { p };
    let pivot = (0..u.nrows()).fold(0, larger);
    let entry = column[pivot];
    let size = Number::modulus(entry);
    if Number::re(entry) == size {
        return pivot;
    }
    let phase = Number::conj(entry) / P::from_re(size);
    u.column_mut(i).apply(|u| *u *= phase);
    v.column_mut(i).apply(|v| *v *= phase);
    u[(pivot, i)] = P::from_re(Number::re(u[(pivot, i)]));
    pivot
}

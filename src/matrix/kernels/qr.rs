//! The orthogonal factors of a matrix of primal numbers with independent columns.

use std::sync::Arc;

use nalgebra::{DMatrix, QR};
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{largest_size, middle, scaled, unit};
use crate::matrix::kernels::kept::once;
use crate::matrix::kernels::small::gram_schmidt::{fits, orthogonalise};
use crate::matrix::shapes::failure;
use crate::number::{BaseFloat, PrimalNumber};

/// The factors of a matrix of primal numbers with independent columns: Q as large as A, R with a positive diagonal.
pub(crate) struct QrFactors<P: PrimalNumber> {
    pub(crate) q: DMatrix<P>,
    pub(crate) r: DMatrix<P>,
}

impl<P: PrimalNumber> QrFactors<P> {
    /// The factors of the matrix with columns times powers of two, so that powers of the columns and their reciprocals,
    /// which derivatives contain, do not leave the range, and the exponents if a column is so large or small.
    pub(crate) fn of_columns_near_one(self: &Arc<Self>) -> (Arc<Self>, Option<Vec<i32>>) {
        let columns = self.r.as_slice().chunks_exact(self.r.nrows().max(1));
        let powers: Vec<i32> = columns.map(|column| -middle(column.iter())).collect();
        if powers.iter().all(|&power| power == 0) {
            return (self.clone(), None);
        }
        let mut r = self.r.clone();
        r.column_iter_mut().zip(&powers).for_each(|(mut r, &power)| r.apply(|r| *r = scaled(*r, power)));
        (Arc::new(QrFactors { q: self.q.clone(), r }), Some(powers))
    }
    /// The factors of the m × n matrix whose columns begin `a`.
    pub(crate) fn new<S: Entry<Primal = P>>(
        op: &'static str,
        (m, n): (usize, usize),
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        once("qr", m, &a[..m * n], || Self::of(op, (m, n), a))
    }
    fn of<S: Entry<Primal = P>>(
        op: &'static str,
        (m, n): (usize, usize),
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        let given = &a[..m * n];
        let mut a = DMatrix::from_iterator(m, n, given.iter().map(|a| a.primal_value()));
        if fits((m, n)) {
            let (mut q, mut r) = (a.clone(), DMatrix::from_element(n, n, P::lit(0.0)));
            if orthogonalise(q.as_mut_slice(), r.as_mut_slice(), (m, n)) {
                return Ok(Arc::new(QrFactors { q, r }));
            }
        }
        // Squares of the columns stay in the range.
        let columns = a.as_slice().chunks_exact(m.max(1));
        let units: Vec<P::Base> = columns.map(|column| unit(largest_size(column))).collect();
        for (mut column, &unit) in a.column_iter_mut().zip(&units) {
            if unit != P::Base::from_double(1.0) {
                column.unscale_mut(unit);
            }
        }
        let (q, mut r) = by_reflections(a);
        // The new part of a column, relative to the whole column: its error does not depend on the scales of the
        // columns.
        let noise = <P::Base as Float>::epsilon() * P::Base::from_double(m as f64);
        for (j, unit) in units.into_iter().enumerate() {
            let mut column = r.column_mut(j);
            let known = column.rows(0, j).norm();
            let new = column[j].magnitude();
            let independent = new > noise * Float::hypot(known, new); // nothing that is not finite is
            if !independent {
                return Err(failure(op, given, AdError::Singular { op }));
            }
            column.apply(|r| *r *= unit);
        }
        Ok(Arc::new(QrFactors { q, r }))
    }
}

/// Q and R by Householder's reflections.
fn by_reflections<P: PrimalNumber>(a: DMatrix<P>) -> (DMatrix<P>, DMatrix<P>) {
    #[cfg(feature = "faer")]
    if a.ncols() >= crate::matrix::sizes::FAER_QR && a.iter().all(|a| a.all_finite()) {
        return crate::matrix::kernels::by_faer::qr(&a);
    }
    let qr = QR::new(a);
    (qr.q(), qr.unpack_r())
}

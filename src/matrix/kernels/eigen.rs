//! Eigenvalues and eigenvectors of general matrices of primal numbers.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_complex::Complex64;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::schur::SchurForm;
use crate::matrix::op::Op;
use crate::number::{BaseFloat, Number, PrimalNumber};

/// The decomposition of a matrix of primal numbers.
pub(crate) struct EigenPairs {
    pub(crate) op: &'static str,
    /// Sorted by real, then imaginary part.
    pub(crate) values: Vec<Complex64>,
    pub(crate) vectors: DMatrix<Complex64>,
    /// The row of each vector whose entry is kept real and positive.
    pub(crate) leading: Vec<usize>,
    /// The Frobenius norm of the matrix.
    pub(crate) norm: f64,
}

impl EigenPairs {
    pub(crate) fn new<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<Arc<Self>, AdError> {
        #[cfg(feature = "faer")]
        if n >= crate::matrix::sizes::FAER_EIGEN {
            return Self::by_faer(op, n, a);
        }
        let form = SchurForm::new(op, n, a)?;
        let places = form.order();
        let values: Vec<_> = places.iter().map(|&p| form.value(p)).collect();
        let (mut vectors, mut leading) = (DMatrix::zeros(n, n), vec![0; n]);
        for (j, &place) in places.iter().enumerate() {
            // Conjugate pairs are neighbours in the Schur form; only the first of each pair is computed.
            let second = S::IS_REAL && values[j].im < 0.0;
            let (mut v, row) = form.vector(place - usize::from(second));
            if second {
                v.iter_mut().for_each(|x| *x = x.conj());
            } else if S::IS_REAL && values[j].im == 0.0 {
                v.iter_mut().for_each(|x| x.im = 0.0);
            }
            vectors.column_mut(j).copy_from_slice(&v);
            leading[j] = row;
        }
        let norm = form.triangular.norm() * form.unit;
        Ok(Arc::new(EigenPairs { op, values, vectors, leading, norm }))
    }
    #[cfg(feature = "faer")]
    fn by_faer<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<Arc<Self>, AdError> {
        use crate::matrix::kernels::by_faer::{complex_eigen, real_eigen};
        use crate::matrix::kernels::schur::{finite, in_gauge, order};
        let (a, unit) = finite(op, n, a)?;
        let found = if S::IS_REAL { real_eigen(&a.map(|x| x.re)) } else { complex_eigen(&a) };
        let (values, columns) = found.ok_or(AdError::NoConvergence { op })?;
        let (mut vectors, mut leading) = (DMatrix::zeros(n, n), vec![0; n]);
        let places = order(&values);
        for (j, &place) in places.iter().enumerate() {
            let (v, row) = in_gauge(columns.columns(place, 1).into_owned());
            vectors.column_mut(j).copy_from_slice(&v);
            leading[j] = row;
        }
        let values = places.iter().map(|&place| values[place] * unit).collect();
        Ok(Arc::new(EigenPairs { op, values, vectors, leading, norm: a.norm() * unit }))
    }
    /// The eigenvalues, real parts first.
    pub(crate) fn flat_values<P: PrimalNumber>(&self) -> impl Iterator<Item = P> + '_ {
        self.values.iter().map(|x| P::lit(x.re)).chain(self.values.iter().map(|x| P::lit(x.im)))
    }
    /// An error if two eigenvalues are closer than their rounding errors, which are `ε·|A|` times the condition
    /// number of each: the norm of its row in the inverse of the vectors.
    pub(crate) fn distinct<P: PrimalNumber>(&self, factors: &Arc<Factors<P>>) -> Result<(), AdError> {
        let n = self.values.len();
        let mut inverse = DMatrix::identity(2 * n, n);
        factors.solve(Op::Plain, &mut inverse);
        let size = |x: P| BaseFloat::to_double(x.magnitude());
        let modulus = |i: usize, j: usize| size(inverse[(i, j)]).hypot(size(inverse[(n + i, j)]));
        let condition: Vec<f64> =
            (0..n).map(|i| (0..n).fold(0.0, |sum: f64, j| sum.hypot(modulus(i, j)))).collect();
        let eps = BaseFloat::to_double(<P::Base as Float>::epsilon());
        let same = |&(i, j, gap): &(usize, usize, f64)| {
            gap <= 10.0 * n as f64 * eps * self.norm * condition[i].max(condition[j])
        };
        self.gaps().find(same).map_or(Ok(()), |gap| Err(self.degenerate(gap)))
    }
    pub(crate) fn gaps(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let pairs = (0..self.values.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.map(|(i, j)| (i, j, (self.values[i] - self.values[j]).norm()))
    }
    pub(crate) fn degenerate(&self, (i, j, gap): (usize, usize, f64)) -> AdError {
        AdError::Degenerate { op: self.op, pair: (i, j), gap }
    }
    /// The error if the vectors do not form a basis.
    pub(crate) fn closest(&self) -> AdError {
        let closest = self.gaps().min_by(|x, y| x.2.total_cmp(&y.2));
        closest.map_or(AdError::Singular { op: self.op }, |gap| self.degenerate(gap))
    }
}

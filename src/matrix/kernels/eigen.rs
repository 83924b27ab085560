//! Eigenvalues and eigenvectors of general matrices of primal numbers.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_complex::Complex64;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::factors::Factors;
use crate::matrix::kernels::schur::{SchurForm, complex, in_gauge};
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
    /// The matrix; it may be missing for plain numbers, which need no derivatives.
    pub(crate) matrix: DMatrix<Complex64>,
    /// The Schur form of such a matrix, real if the numbers are.
    schur: fn(&'static str, &DMatrix<Complex64>) -> Result<SchurForm, AdError>,
    /// The groups of eigenvalues that are equal to rounding, if the vectors were replaced by a basis of the invariant
    /// subspace for each group.
    pub(crate) clusters: Vec<Cluster>,
}

/// Eigenvalues that are equal to rounding.
pub(crate) struct Cluster {
    pub(crate) members: Vec<usize>,
    /// Whether they have a basis of eigenvectors, to rounding.
    pub(crate) semisimple: bool,
}

/// The invariant subspace of eigenvalues of a Schur form.
struct Subspace {
    places: Vec<usize>,
    basis: DMatrix<Complex64>,
    triangle: DMatrix<Complex64>,
    /// The norm of the projection onto the subspace along the others.
    condition: f64,
}

impl Subspace {
    #[inline]
    fn new(form: &SchurForm, adjoint: &SchurForm, mut places: Vec<usize>) -> Self {
        places.sort_unstable();
        let (basis, triangle) = form.subspace(&places);
        let opposite: Vec<usize> = places.iter().rev().map(|p| form.triangular.nrows() - 1 - p).collect();
        let inverse = adjoint.subspace(&opposite).0.ad_mul(&basis).lu().try_inverse();
        let condition = inverse.map_or(f64::INFINITY, |x| x.norm());
        Subspace { places, basis, triangle, condition }
    }
    #[inline]
    fn gap(&self, other: &Self, form: &SchurForm) -> f64 {
        let value = |&p: &usize| form.triangular[(p, p)];
        let pairs = self.places.iter().flat_map(|p| other.places.iter().map(move |q| (p, q)));
        pairs.fold(f64::INFINITY, |least, (p, q)| least.min((value(p) - value(q)).norm()))
    }
}

impl EigenPairs {
    /// The pairs; if they are not whole, the vectors are zeros.
    pub(crate) fn new<S: Entry>(
        op: &'static str,
        n: usize,
        a: &[S],
        whole: bool,
    ) -> Result<Arc<Self>, AdError> {
        #[cfg(feature = "faer")]
        if n >= crate::matrix::sizes::FAER_EIGEN {
            return Self::by_faer(op, n, a);
        }
        let form = SchurForm::of(op, n, a, whole)?;
        let places = form.order();
        let values: Vec<_> = places.iter().map(|&p| form.value(p)).collect();
        let (mut vectors, mut leading) = (DMatrix::zeros(n, n), vec![0; n]);
        for (j, &place) in places.iter().enumerate().filter(|_| whole) {
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
        let size = if S::IS_PLAIN { 0 } else { n };
        let matrix = DMatrix::from_iterator(size, size, a[..size * size].iter().map(|&x| complex(x)));
        let (schur, clusters) = (SchurForm::of_doubles::<S::Primal>, Vec::new());
        Ok(Arc::new(EigenPairs { op, values, vectors, leading, norm, matrix, schur, clusters }))
    }
    #[cfg(feature = "faer")]
    fn by_faer<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<Arc<Self>, AdError> {
        use crate::matrix::kernels::by_faer::{complex_eigen, real_eigen};
        use crate::matrix::kernels::schur::{finite, order};
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
        let (norm, matrix) = (a.norm() * unit, a * Complex64::from(unit));
        let (schur, clusters) = (SchurForm::of_doubles::<S::Primal>, Vec::new());
        Ok(Arc::new(EigenPairs { op, values, vectors, leading, norm, matrix, schur, clusters }))
    }
    /// The eigenvalues, real parts first.
    pub(crate) fn flat_values<P: PrimalNumber>(&self) -> impl Iterator<Item = P> + '_ {
        self.values.iter().map(|x| P::lit(x.re)).chain(self.values.iter().map(|x| P::lit(x.im)))
    }
    /// These pairs with a basis of the invariant subspace instead of the vectors of eigenvalues that are equal to rounding.
    /// The condition number of such a group is the norm of its projection, which is moderate where its members have infinite
    /// ones. So the nearest two subspaces that are closer than the errors of both are joined first, and others only if
    /// none are left.
    #[inline]
    pub(crate) fn split(&self, eps: f64) -> Result<Arc<Self>, AdError> {
        let (n, form) = (self.values.len(), (self.schur)(self.op, &self.matrix)?);
        let adjoint = form.adjoint();
        let noise = 10.0 * n as f64 * eps * form.triangular.norm();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let value = |p: usize| form.triangular[(p, p)];
        for place in 0..n {
            let near = |&p: &usize| (value(p) - value(place)).norm() <= noise;
            let (joined, others) = groups.into_iter().partition(|group: &Vec<usize>| group.iter().any(near));
            groups = others;
            groups.push(joined.into_iter().flatten().chain([place]).collect());
        }
        let mut spaces: Vec<Subspace> =
            groups.into_iter().map(|places| Subspace::new(&form, &adjoint, places)).collect();
        let closest = |spaces: &[Subspace], of: fn(f64, f64) -> f64| {
            let pairs = (0..spaces.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let gaps = pairs.map(|(i, j)| (i, j, spaces[i].gap(&spaces[j], &form)));
            let same = |&(i, j, gap): &(usize, usize, f64)| {
                gap <= noise * of(spaces[i].condition, spaces[j].condition)
            };
            gaps.filter(same).min_by(|x, y| x.2.total_cmp(&y.2))
        };
        while let Some((i, j, _)) = closest(&spaces, f64::min).or_else(|| closest(&spaces, f64::max)) {
            let places = [spaces.swap_remove(j).places, spaces.swap_remove(i).places].concat();
            spaces.push(Subspace::new(&form, &adjoint, places));
        }
        // Simple eigenvalues first: another algorithm may have found the others at other places.
        spaces.sort_by_key(|space| space.places.len());
        let mut free: Vec<usize> = (0..n).collect();
        let (mut vectors, mut leading) = (self.vectors.clone(), self.leading.clone());
        let mut clusters = Vec::new();
        for Subspace { places, basis, mut triangle, condition } in spaces {
            let mut take = |&place: &usize| {
                let distance = |&i: &usize| (self.values[i] - form.value(place)).norm();
                let nearest = free.iter().copied().min_by(|i, j| distance(i).total_cmp(&distance(j)));
                let nearest = nearest.expect("an index for each place");
                free.retain(|&i| i != nearest);
                nearest
            };
            let members: Vec<usize> = places.iter().map(&mut take).collect();
            if members.len() == 1 {
                continue;
            }
            for (&j, column) in members.iter().zip(basis.column_iter()) {
                let (column, row) = in_gauge(DMatrix::from_column_slice(n, 1, column.as_slice()));
                vectors.column_mut(j).copy_from_slice(&column);
                leading[j] = row;
            }
            let mean = triangle.trace() / members.len() as f64;
            (0..members.len()).for_each(|i| triangle[(i, i)] -= mean);
            clusters.push(Cluster { members, semisimple: triangle.norm() <= noise * condition });
        }
        let (values, matrix) = (self.values.clone(), self.matrix.clone());
        Ok(Arc::new(EigenPairs { values, vectors, leading, matrix, clusters, ..*self }))
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
    /// An error if no eigenvalue has derivatives to this order: simple ones have all, equal ones at most the first.
    #[inline]
    pub(crate) fn has_derivatives(&self, order: usize) -> Result<(), AdError> {
        let equal: usize = self.clusters.iter().map(|c| c.members.len()).sum();
        let first = order == 1 && self.clusters.iter().any(|c| c.semisimple);
        let has = equal == 0 || equal < self.values.len() || first;
        if has { Ok(()) } else { Err(self.closest()) }
    }
    pub(crate) fn gaps(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let pairs = (0..self.values.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.map(|(i, j)| (i, j, (self.values[i] - self.values[j]).norm()))
    }
    #[inline]
    pub(crate) fn degenerate(&self, (i, j, gap): (usize, usize, f64)) -> AdError {
        AdError::Degenerate { op: self.op, pair: (i, j), gap }
    }
    /// The error if the vectors do not form a basis.
    #[inline]
    pub(crate) fn closest(&self) -> AdError {
        let closest = self.gaps().min_by(|x, y| x.2.total_cmp(&y.2));
        closest.map_or(AdError::Singular { op: self.op }, |gap| self.degenerate(gap))
    }
}

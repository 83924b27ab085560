//! Decompositions of large matrices of primal numbers by the crate faer, on one thread, from the sizes on where it is
//! faster ([`sizes`](crate::matrix::sizes)).
//!
//! Its Schur form is not public, so the Sylvester and Lyapunov equations use nalgebra's.

use core::any::Any;
use core::cmp::Ordering;

use ::faer::diag::Diag;
use ::faer::dyn_stack::{MemBuffer, MemStack};
use ::faer::linalg::evd::{self, ComputeEigenvectors};
use ::faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use ::faer::linalg::svd::{self, ComputeSvdVectors};
use ::faer::traits::ComplexField;
use ::faer::{MatMut, MatRef, Par};
use nalgebra::{DMatrix, DVector, Dyn, PermutationSequence, Scalar};
use num_complex::{Complex, Complex64};

use crate::number::{Number, PrimalNumber, Real};

/// A matrix of primal numbers as a matrix of a type of faer.
macro_rules! at_its_type {
    ($of:ident($a:expr $(, $argument:expr)*)) => {{
        let a: &dyn Any = $a;
        let found: Option<Box<dyn Any>> = if let Some(a) = a.downcast_ref::<DMatrix<f64>>() {
            Some(Box::new($of(a $(, $argument)*)))
        } else if let Some(a) = a.downcast_ref::<DMatrix<f32>>() {
            Some(Box::new($of(a $(, $argument)*)))
        } else if let Some(a) = a.downcast_ref::<DMatrix<Complex64>>() {
            Some(Box::new($of(a $(, $argument)*)))
        } else if let Some(a) = a.downcast_ref::<DMatrix<Complex<f32>>>() {
            Some(Box::new($of(a $(, $argument)*)))
        } else {
            None
        };
        *found.expect("a primal number").downcast().expect("the type of the matrix")
    }};
}

fn view<T: Scalar>(a: &DMatrix<T>) -> MatRef<'_, T> {
    MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols())
}

fn view_mut<T: Scalar>(a: &mut DMatrix<T>) -> MatMut<'_, T> {
    let (rows, columns) = a.shape();
    MatMut::from_column_major_slice_mut(a.as_mut_slice(), rows, columns)
}

/// Room for the vectors, if they are needed.
fn room<T: Number>(rows: usize, columns: usize, wanted: bool) -> DMatrix<T> {
    DMatrix::from_element(if wanted { rows } else { 0 }, columns, T::lit(0.0))
}

/// The real parts of a diagonal.
fn real_parts<T: PrimalNumber>(of: &Diag<T>) -> Vec<T::Base> {
    of.column_vector().iter().map(|&x| Number::re(x).primal()).collect()
}

/// Singular values, descending, and vectors of a matrix with no fewer rows than columns.
#[allow(clippy::type_complexity)] // U, values, V
pub(crate) fn svd<P: PrimalNumber>(
    a: &DMatrix<P>,
    vectors: bool,
) -> Option<(DMatrix<P>, Vec<P::Base>, DMatrix<P>)> {
    at_its_type!(svd_of(a, vectors))
}

#[allow(clippy::type_complexity)]
fn svd_of<T: PrimalNumber + ComplexField>(
    a: &DMatrix<T>,
    vectors: bool,
) -> Option<(DMatrix<T>, Vec<T::Base>, DMatrix<T>)> {
    let (m, n) = a.shape();
    let wanted = if vectors { ComputeSvdVectors::Thin } else { ComputeSvdVectors::No };
    let scratch = svd::svd_scratch::<T>(m, n, wanted, wanted, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let mut values = Diag::<T>::zeros(n);
    let (mut u, mut v) = (room(m, n, vectors), room(n, n, vectors));
    let (to_u, to_v) = (vectors.then(|| view_mut(&mut u)), vectors.then(|| view_mut(&mut v)));
    let stack = MemStack::new(&mut memory);
    svd::svd(view(a), values.as_mut(), to_u, to_v, Par::Seq, stack, Default::default()).ok()?;
    Some((u, real_parts(&values), v))
}

/// Eigenvalues, ascending, and vectors of a hermitian matrix.
pub(crate) fn symmetric_eigen<P: PrimalNumber>(
    a: &DMatrix<P>,
    vectors: bool,
) -> Option<(DVector<P::Base>, DMatrix<P>)> {
    at_its_type!(symmetric_eigen_of(a, vectors))
}

fn symmetric_eigen_of<T: PrimalNumber + ComplexField>(
    a: &DMatrix<T>,
    vectors: bool,
) -> Option<(DVector<T::Base>, DMatrix<T>)> {
    let n = a.nrows();
    let wanted = if vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let scratch = evd::self_adjoint_evd_scratch::<T>(n, wanted, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let (mut values, mut v) = (Diag::<T>::zeros(n), room(n, n, vectors));
    let to_v = vectors.then(|| view_mut(&mut v));
    let stack = MemStack::new(&mut memory);
    evd::self_adjoint_evd(view(a), values.as_mut(), to_v, Par::Seq, stack, Default::default()).ok()?;
    Some((real_parts(&values).into(), v))
}

/// Eigenvalues and vectors of a real matrix: pairs of conjugates are neighbours, the one with a positive imaginary part
/// first.
pub(crate) fn real_eigen(a: &DMatrix<f64>) -> Option<(Vec<Complex64>, DMatrix<Complex64>)> {
    let n = a.nrows();
    let (no, yes) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let mut memory = MemBuffer::new(evd::evd_scratch::<f64>(n, no, yes, Par::Seq, Default::default()));
    let (mut re, mut im) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut packed = DMatrix::zeros(n, n);
    let (to_v, stack) = (Some(view_mut(&mut packed)), MemStack::new(&mut memory));
    evd::evd_real(view(a), re.as_mut(), im.as_mut(), None, to_v, Par::Seq, stack, Default::default()).ok()?;
    let parts = real_parts(&re).into_iter().zip(real_parts(&im));
    let values: Vec<_> = parts.map(|(re, im)| Complex64::new(re, im)).collect();
    // The real and the imaginary part of the first of a pair are columns.
    let vectors = DMatrix::from_fn(n, n, |i, j| match values[j].im {
        0.0 => Complex64::new(packed[(i, j)], 0.0),
        im if im > 0.0 => Complex64::new(packed[(i, j)], packed[(i, j + 1)]),
        _ => Complex64::new(packed[(i, j - 1)], -packed[(i, j)]),
    });
    Some((values, vectors))
}

/// Eigenvalues and vectors of a complex matrix.
pub(crate) fn complex_eigen(a: &DMatrix<Complex64>) -> Option<(Vec<Complex64>, DMatrix<Complex64>)> {
    let n = a.nrows();
    let (no, yes) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let mut memory = MemBuffer::new(evd::evd_scratch::<Complex64>(n, no, yes, Par::Seq, Default::default()));
    let (mut values, mut v) = (Diag::<Complex64>::zeros(n), DMatrix::zeros(n, n));
    let (to_v, stack) = (Some(view_mut(&mut v)), MemStack::new(&mut memory));
    evd::evd_cplx(view(a), values.as_mut(), None, to_v, Par::Seq, stack, Default::default()).ok()?;
    Some((values.column_vector().iter().copied().collect(), v))
}

/// `PA = LU` by partial pivoting, packed, and the exchanges of rows.
pub(crate) fn lu<P: PrimalNumber>(a: &DMatrix<P>) -> (DMatrix<P>, PermutationSequence<Dyn>) {
    at_its_type!(lu_of(a))
}

fn lu_of<T: PrimalNumber + ComplexField>(a: &DMatrix<T>) -> (DMatrix<T>, PermutationSequence<Dyn>) {
    let (n, mut packed) = (a.nrows(), a.clone());
    let scratch = lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let (mut rows, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
    let stack = MemStack::new(&mut memory);
    let parameters = Default::default();
    lu_in_place(view_mut(&mut packed), &mut rows, &mut inverse, Par::Seq, stack, parameters);
    // The exchanges that bring row `rows[i]` to index i.
    let mut exchanges = PermutationSequence::identity_generic(Dyn(n));
    let (mut at, mut of): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
    for (i, &row) in rows.iter().enumerate() {
        let place = at[row];
        if place != i {
            exchanges.append_permutation(i, place);
            of.swap(i, place);
            (at[of[i]], at[of[place]]) = (i, place);
        }
    }
    (packed, exchanges)
}

/// `A = QR` of a matrix with no fewer rows than columns: Q as large as A, R with a real, positive diagonal.
pub(crate) fn qr<P: PrimalNumber>(a: &DMatrix<P>) -> (DMatrix<P>, DMatrix<P>) {
    at_its_type!(qr_of(a))
}

fn qr_of<T: PrimalNumber + ComplexField>(a: &DMatrix<T>) -> (DMatrix<T>, DMatrix<T>) {
    let (m, n) = a.shape();
    let qr = view(a).qr();
    let (q, r) = (qr.compute_thin_Q(), qr.thin_R());
    // The column of Q is multiplied by the phase of R's diagonal entry, the row of R by its conjugate.
    let phase = |k: usize| match Number::modulus(r[(k, k)]) {
        size if size == T::Re::lit(0.0) => T::lit(1.0),
        size => r[(k, k)] / T::from_re(size),
    };
    let phases: Vec<T> = (0..n).map(phase).collect();
    let row = |i: usize, j: usize| match i.cmp(&j) {
        Ordering::Less => Number::conj(phases[i]) * r[(i, j)],
        Ordering::Equal => T::from_re(Number::modulus(r[(i, i)])),
        Ordering::Greater => T::lit(0.0),
    };
    (DMatrix::from_fn(m, n, |i, j| q[(i, j)] * phases[j]), DMatrix::from_fn(n, n, row))
}

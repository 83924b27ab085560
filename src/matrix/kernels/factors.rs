//! The factors of a matrix of primal numbers, and systems with them.

use std::cmp::Ordering;
use std::sync::Arc;

use nalgebra::{DMatrix, Dyn, LU, PermutationSequence};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::scaled;
use crate::matrix::kernels::cholesky::factor;
use crate::matrix::kernels::kept::once;
use crate::matrix::kernels::pivots::{are_significant, eliminate, is_pivot};
use crate::matrix::op::{Op, Triangle};
use crate::matrix::shapes::failure;
use crate::matrix::sizes::SUBSTITUTION_BLOCK;
use crate::number::{Number, PrimalNumber};

/// `PA = LU`, by the library that computed it.
pub(crate) enum Elimination<P: PrimalNumber> {
    Nalgebra(LU<P, Dyn, Dyn>),
    /// Packed factors and exchanges.
    Own(DMatrix<P>, PermutationSequence<Dyn>),
}

impl<P: PrimalNumber> Elimination<P> {
    fn new(mut a: DMatrix<P>) -> Self {
        #[cfg(feature = "faer")]
        if a.nrows() >= crate::matrix::sizes::FAER_LU {
            let (packed, exchanges) = crate::matrix::kernels::by_faer::lu(&a);
            return Elimination::Own(packed, exchanges);
        }
        // The reciprocal of a complex pivot beyond 1e154 is zero in nalgebra's.
        if !P::REAL {
            let n = a.nrows();
            let mut exchanges = PermutationSequence::identity_generic(Dyn(n));
            let divides =
                eliminate(a.as_mut_slice(), n, |_| {}, |k, pivot| exchanges.append_permutation(k, pivot));
            if !divides {
                // Zero pivots: every use reports a singular matrix.
                a.fill_diagonal(P::lit(0.0));
            }
            return Elimination::Own(a, exchanges);
        }
        Elimination::Nalgebra(a.lu())
    }
    /// U, and L below the diagonal.
    pub(crate) fn packed(&self) -> &DMatrix<P> {
        match self {
            Elimination::Nalgebra(lu) => lu.lu_internal(),
            Elimination::Own(packed, _) => packed,
        }
    }
    /// The exchanges of rows, P.
    pub(crate) fn exchanges(&self) -> &PermutationSequence<Dyn> {
        match self {
            Elimination::Nalgebra(lu) => lu.p(),
            Elimination::Own(_, exchanges) => exchanges,
        }
    }
}

/// The factors of a matrix of primal numbers.
pub(crate) enum Factors<P: PrimalNumber> {
    /// `PA = LU`.
    Lu(Elimination<P>),
    /// `A = LLᴴ` of a hermitian matrix; only the lower triangle is read.
    Cholesky(DMatrix<P>),
}

impl<P: PrimalNumber> Factors<P> {
    pub(crate) fn lu<S: Entry<Primal = P>>(
        op: &'static str,
        n: usize,
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        once("lu", n, a, || {
            count();
            let lu = Elimination::new(DMatrix::from_iterator(n, n, a.iter().map(|a| a.primal_value())));
            let packed = lu.packed();
            let divides = packed.diagonal().iter().all(|p| is_pivot(p.magnitude()));
            let regular = divides && are_significant(packed.as_slice(), n);
            let lu = regular.then(|| Arc::new(Factors::Lu(lu)));
            lu.ok_or_else(|| failure(op, a, AdError::Singular { op }))
        })
    }
    pub(crate) fn cholesky<S: Entry<Primal = P>>(
        op: &'static str,
        n: usize,
        a: &[S],
    ) -> Result<Arc<Self>, AdError> {
        once("cholesky", n, a, || {
            count();
            Ok(Arc::new(Factors::Cholesky(factor(op, n, a)?)))
        })
    }
    /// Whether only the lower triangle of the matrix is read.
    pub(crate) fn is_hermitian(&self) -> bool {
        matches!(self, Factors::Cholesky(_))
    }
    /// The factors of the matrix times an even power of two.
    pub(crate) fn scaled(&self, power: i32) -> Self {
        match self {
            Factors::Lu(lu) => {
                let mut packed = lu.packed().clone();
                let upper = (0..packed.ncols()).flat_map(|j| (0..=j).map(move |i| (i, j)));
                upper.for_each(|at| packed[at] = scaled(packed[at], power));
                Factors::Lu(Elimination::Own(packed, lu.exchanges().clone()))
            }
            Factors::Cholesky(l) => Factors::Cholesky(l.map(|l| scaled(l, power / 2))),
        }
    }
    /// The pivots of elimination.
    pub(crate) fn pivots(&self) -> Vec<P> {
        match self {
            Factors::Lu(lu) => lu.packed().diagonal().iter().copied().collect(),
            Factors::Cholesky(l) => l.diagonal().iter().map(|&l| l * l).collect(),
        }
    }
    /// The sign of the exchanges of rows.
    pub(crate) fn sign(&self) -> P {
        match self {
            // A real number: −1 by negation would have an imaginary part of −0, and an angle of −π.
            Factors::Lu(lu) => P::from_re(Number::re(lu.exchanges().determinant::<P>())),
            Factors::Cholesky(_) => P::lit(1.0),
        }
    }
    /// `op(A)·X = B` in place.
    pub(crate) fn solve(&self, op: Op, x: &mut DMatrix<P>) {
        match self {
            Factors::Lu(lu) => {
                let packed = lu.packed().as_slice();
                let steps = [Triangle::UnitLower, Triangle::Upper];
                if op.transposes() {
                    steps.iter().rev().for_each(|t| t.solve(op, packed, x.nrows(), x));
                    lu.exchanges().inv_permute_rows(x);
                } else {
                    lu.exchanges().permute_rows(x);
                    steps.iter().for_each(|t| t.solve(op, packed, x.nrows(), x));
                }
            }
            // A is its own adjoint, so its transpose is its conjugate.
            Factors::Cholesky(l) => {
                let conjugate = matches!(op, Op::Transpose | Op::Conjugate);
                let (op, adjoint) =
                    if conjugate { (Op::Conjugate, Op::Transpose) } else { (Op::Plain, Op::Adjoint) };
                Triangle::Lower.solve(op, l.as_slice(), x.nrows(), x);
                Triangle::Lower.solve(adjoint, l.as_slice(), x.nrows(), x);
            }
        }
    }
    /// The inverse of the matrix, `U⁻¹L⁻¹P` or `L⁻ᴴL⁻¹`; the zeros of `L⁻¹` cost nothing, nor does a second triangle.
    pub(crate) fn inverse(&self, n: usize) -> DMatrix<P> {
        let mut x = DMatrix::identity(n, n);
        match self {
            Factors::Lu(lu) => {
                let packed = lu.packed().as_slice();
                Triangle::UnitLower.invert(packed, n, x.as_view_mut());
                Triangle::Upper.solve(Op::Plain, packed, n, &mut x);
                lu.exchanges().inv_permute_columns(&mut x);
            }
            Factors::Cholesky(l) if n > SUBSTITUTION_BLOCK => {
                Triangle::Lower.invert(l.as_slice(), n, x.as_view_mut());
                // The conjugate of `L⁻ᴴL⁻¹`.
                x.apply(|x| *x = Number::conj(*x));
                Triangle::Lower.transposed_below(l.as_slice(), n, x.as_view_mut());
                x.fill_upper_triangle_with_lower_triangle();
                (0..n).for_each(|j| x.column_mut(j).rows_range_mut(j..).apply(|x| *x = Number::conj(*x)));
            }
            Factors::Cholesky(_) => self.solve(Op::Plain, &mut x),
        }
        x
    }
    /// The matrix that these entries represent.
    pub(crate) fn meant<T: Number>(&self, a: DMatrix<T>) -> DMatrix<T> {
        if !self.is_hermitian() {
            return a;
        }
        hermitian(&a)
    }
    /// The cotangent of the entries from the cotangent of the matrix that they represent.
    pub(crate) fn of_entries<T: Number>(&self, g: DMatrix<T>) -> DMatrix<T> {
        if !self.is_hermitian() {
            return g;
        }
        by_triangle(&g, |i, j| g[(i, j)] + g[(j, i)].conj(), |_, _| T::lit(0.0))
    }
}

/// The matrix with the real parts of this diagonal, and these entries below and above it.
pub(crate) fn by_triangle<T: Number>(
    a: &DMatrix<T>,
    below: impl Fn(usize, usize) -> T,
    above: impl Fn(usize, usize) -> T,
) -> DMatrix<T> {
    DMatrix::from_fn(a.nrows(), a.nrows(), |i, j| match i.cmp(&j) {
        Ordering::Greater => below(i, j),
        Ordering::Equal => T::from_re(a[(i, i)].re()),
        Ordering::Less => above(i, j),
    })
}

/// The hermitian matrix of this lower triangle.
pub(crate) fn hermitian<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    by_triangle(a, |i, j| a[(i, j)], |i, j| a[(j, i)].conj())
}

#[cfg(test)]
thread_local! {
    /// The number of factorisations, for tests.
    pub(crate) static FACTORISATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts a factorisation.
fn count() {
    #[cfg(test)]
    FACTORISATIONS.set(FACTORISATIONS.get() + 1);
}

//! Elimination with partial pivoting of a machine matrix.

use nalgebra::{DMatrix, Dyn, LU, PermutationSequence};

use crate::matrix::kernels::pivots::eliminate;
use crate::number::Machine;

/// `PA = LU`, by the library that computed it.
pub(crate) enum Elimination<P: Machine> {
    Nalgebra(LU<P, Dyn, Dyn>),
    /// Packed factors and exchanges.
    Own(DMatrix<P>, PermutationSequence<Dyn>),
}

impl<P: Machine> Elimination<P> {
    pub(crate) fn new(mut a: DMatrix<P>) -> Self {
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
                // No pivots: singular to whoever asks.
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

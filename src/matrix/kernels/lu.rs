//! Elimination with partial pivoting of a machine matrix.

use nalgebra::{DMatrix, Dyn, LU, PermutationSequence};

use crate::number::Machine;

/// `PA = LU`, by whom it was found.
pub(crate) enum Elimination<P: Machine> {
    Nalgebra(LU<P, Dyn, Dyn>),
    #[cfg(feature = "faer")]
    Faer(DMatrix<P>, PermutationSequence<Dyn>),
}

impl<P: Machine> Elimination<P> {
    pub(crate) fn new(a: DMatrix<P>) -> Self {
        #[cfg(feature = "faer")]
        if a.nrows() >= crate::matrix::sizes::FAER_LU {
            let (packed, exchanges) = crate::matrix::kernels::by_faer::lu(&a);
            return Elimination::Faer(packed, exchanges);
        }
        Elimination::Nalgebra(a.lu())
    }
    /// U, and L below the diagonal.
    pub(crate) fn packed(&self) -> &DMatrix<P> {
        match self {
            Elimination::Nalgebra(lu) => lu.lu_internal(),
            #[cfg(feature = "faer")]
            Elimination::Faer(packed, _) => packed,
        }
    }
    /// The exchanges of rows, P.
    pub(crate) fn exchanges(&self) -> &PermutationSequence<Dyn> {
        match self {
            Elimination::Nalgebra(lu) => lu.p(),
            #[cfg(feature = "faer")]
            Elimination::Faer(_, exchanges) => exchanges,
        }
    }
}

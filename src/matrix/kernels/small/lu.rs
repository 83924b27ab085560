//! Systems by elimination in the arithmetic of the numbers.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::pivots::{are_significant, is_pivot};
use crate::matrix::kernels::quotient::quotient;
use crate::matrix::kernels::small::is_small;
use crate::matrix::op::Op;
use crate::matrix::shapes::failure;
use crate::matrix::sizes::MOST_UNKNOWNS;
use crate::number::wide::is_moderate_size;

/// `PA = LU` by partial pivoting, packed: U, and L below the diagonal.
#[derive(Clone, Debug)]
pub(crate) struct SmallLu<S, D: Dim>
where
    S: Entry,
    DefaultAllocator: Allocator<D, D>,
{
    packed: OMatrix<S, D, D>,
    /// The rows that were exchanged at each step.
    exchanged: [usize; MOST_UNKNOWNS],
}

impl<S: Entry, D: Dim> SmallLu<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// The factors of a small system. `None` if a pivot is so far from 1 that powers of its reciprocal, which
    /// derivatives contain, overflow or underflow: values take the same way.
    ///
    /// # Errors
    /// `Singular` if a pivot is not a divisor.
    #[inline]
    pub(crate) fn new(op: &'static str, a: &OMatrix<S, D, D>) -> Result<Option<Self>, AdError> {
        let n = a.nrows();
        if !is_small::<S>(n) {
            return Ok(None);
        }
        Self::eliminate(a).ok_or_else(|| failure(op, a.as_slice(), AdError::Singular { op }))
    }
    #[inline]
    fn eliminate(a: &OMatrix<S, D, D>) -> Option<Option<Self>> {
        let (mut lu, n, mut moderate) = (a.clone(), a.nrows(), true);
        let mut exchanged = [0; MOST_UNKNOWNS];
        for k in 0..n {
            let pivot = (k + 1..n).fold(k, |p, i| if lu[(i, k)].size() > lu[(p, k)].size() { i } else { p });
            exchanged[k] = pivot;
            lu.swap_rows(k, pivot);
            if !is_moderate_size(lu[(k, k)].size()) {
                moderate = false;
                if !is_pivot(lu[(k, k)].size()) {
                    return None;
                }
            }
            let reciprocal = quotient(S::constant(1.0), lu[(k, k)]);
            for i in k + 1..n {
                let l = lu[(i, k)] * reciprocal;
                lu[(i, k)] = l;
                for j in k + 1..n {
                    let u = lu[(k, j)];
                    lu[(i, j)] -= l * u;
                }
            }
        }
        are_significant(lu.as_slice(), n).then(|| moderate.then_some(SmallLu { packed: lu, exchanged }))
    }
    /// Solves `op(A)·X = B` in place, in the order of operations of [`Triangle::solve`](crate::matrix::Triangle).
    #[inline]
    pub(crate) fn solve<C: Dim>(&self, op: Op, x: &mut OMatrix<S, D, C>)
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let (lu, n) = (&self.packed, self.packed.nrows());
        let exchanges = || self.exchanged[..n].iter().enumerate();
        // As in `Triangle::solve`, numbers are conjugated and not the factors, so that zeros have the same signs.
        let conjugate = |x: &mut OMatrix<S, D, C>| {
            if op.conjugates() && !S::IS_REAL {
                x.apply(|x| *x = x.conjugated());
            }
        };
        conjugate(x);
        if !op.transposes() {
            exchanges().for_each(|(k, &p)| x.swap_rows(k, p));
        }
        for c in 0..x.ncols() {
            if op.transposes() {
                for i in 0..n {
                    let s = (0..i).fold(x[(i, c)], |s, k| s - lu[(k, i)] * x[(k, c)]);
                    x[(i, c)] = quotient(s, lu[(i, i)]);
                }
                for i in (0..n).rev() {
                    x[(i, c)] = (i + 1..n).fold(x[(i, c)], |s, k| s - lu[(k, i)] * x[(k, c)]);
                }
            } else {
                for i in 0..n {
                    x[(i, c)] = (0..i).fold(x[(i, c)], |s, k| s - lu[(i, k)] * x[(k, c)]);
                }
                for i in (0..n).rev() {
                    let s = (i + 1..n).rev().fold(x[(i, c)], |s, k| s - lu[(i, k)] * x[(k, c)]);
                    x[(i, c)] = quotient(s, lu[(i, i)]);
                }
            }
        }
        if op.transposes() {
            exchanges().rev().for_each(|(k, &p)| x.swap_rows(k, p));
        }
        conjugate(x);
    }
    /// U, and L below the diagonal.
    pub(crate) fn entries(&self) -> &[S] {
        self.packed.as_slice()
    }
    /// The diagonal of U.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = S> + '_ {
        (0..self.packed.nrows()).map(|i| self.packed[(i, i)])
    }
    /// The sign of the permutation.
    pub(crate) fn sign(&self) -> f64 {
        let moved = |(k, &p): (usize, &usize)| k != p;
        let n = self.packed.nrows();
        if self.exchanged[..n].iter().enumerate().filter(|&x| moved(x)).count() % 2 == 0 { 1.0 } else { -1.0 }
    }
}

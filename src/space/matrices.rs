//! nalgebra matrices and vectors, column by column.

use nalgebra::{DefaultAllocator, Dim, OMatrix, Scalar, allocator::Allocator};
use num_complex::Complex;

use super::{Components, Differentiable, NumberLayout, PairLayout, SelfTangent};
use crate::number::{Number, Real};

/// An entry of a matrix in a point: a real or complex number.
pub trait Leaf<T: Real, L = PairLayout>: Components<T, L> + Scalar {
    /// This kind of leaf over another number type.
    type Over<S: Real>: Leaf<S, L>;
    /// Applies a function to the components.
    fn over<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::Over<S>;
}

impl<T: Real> Leaf<T> for T {
    type Over<S: Real> = S;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn over<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> S {
        f(*self)
    }
}

impl<T: Real> Leaf<T> for Complex<T> {
    type Over<S: Real> = Complex<S>;
    fn over<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Complex<S> {
        self.map(f)
    }
}

impl<N: Number> Leaf<N::Re, NumberLayout> for N {
    type Over<S: Real> = N::Over<S>;
    fn over<S: Real>(&self, f: &mut impl FnMut(N::Re) -> S) -> N::Over<S> {
        Components::<N::Re, NumberLayout>::map(self, f)
    }
}

impl<L, E: SelfTangent<L> + Scalar, R: Dim, C: Dim> SelfTangent<L> for OMatrix<E, R, C> where
    DefaultAllocator: Allocator<R, C>
{
}

impl<L, E: Differentiable<L> + Scalar, R: Dim, C: Dim> Differentiable<L> for OMatrix<E, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Tangent = OMatrix<E, R, C>;
    type Owned = OMatrix<E, R, C>;
}

impl<T: Real, L, E: Leaf<T, L>, R: Dim, C: Dim> Components<T, L> for OMatrix<E, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Arg<S: Real> = OMatrix<E::Over<S>, R, C>;
    type With<S: Real> = OMatrix<E::Over<S>, R, C>;
    fn visit(&self, f: &mut impl FnMut(T)) {
        self.as_slice().visit(f);
    }
    fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        self.as_mut_slice().visit_mut(f);
    }
    #[inline]
    fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S> {
        let (rows, columns) = self.shape_generic();
        OMatrix::from_iterator_generic(rows, columns, self.as_slice().iter().map(|e| e.over(f)))
    }
    fn seed_over<S: Real>(
        &self,
        lift: &impl Fn(T) -> S,
        next: &mut impl FnMut(T) -> S,
        kept: &mut Self::With<S>,
    ) {
        if self.shape() == kept.shape() {
            let entries = kept.as_mut_slice().iter_mut().zip(self.as_slice());
            entries.for_each(|(kept, e)| *kept = e.over(next));
        } else {
            *kept = self.seeded(lift, next);
        }
    }
    fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self {
        let mut own = self.clone();
        own.visit_mut(&mut |x| *x = f(*x));
        own
    }
    fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self {
        self.map_same(&mut |_| next())
    }
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        match self.contiguous() {
            Some(_) => f(self.shape()),
            None => {
                f((self.nrows(), 0));
                f((self.ncols(), 0));
                self.iter().for_each(|e| e.outline(f));
            }
        }
    }
    fn count(&self) -> usize {
        self.as_slice().count()
    }
    #[inline]
    fn contiguous(&self) -> Option<&[T]> {
        E::run(self.as_slice())
    }
    #[inline]
    fn contiguous_mut(&mut self) -> Option<&mut [T]> {
        E::run_mut(self.as_mut_slice())
    }
}

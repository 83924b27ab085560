//! A function of matrices, written once over all entries.

use nalgebra::{Complex, DMatrix, DefaultAllocator, Dim, OMatrix, OVector, allocator::Allocator};
use wengert::matrix::Entry;
use wengert::{AdError, Number};

/// A matrix of primal numbers; the imaginary parts of real ones are zero.
pub type Entries = DMatrix<Complex<f64>>;

/// The results by name, as real and imaginary parts.
pub type Outputs<R> = Vec<(&'static str, DMatrix<Complex<R>>)>;

/// A function of matrices over any entry.
pub trait Program {
    fn call<S: Entry<Base = f64>>(&self, x: &[DMatrix<S>]) -> Result<Outputs<S::Re>, AdError>;
}

pub fn out<S: Entry, R: Dim, C: Dim>(
    name: &'static str,
    y: &OMatrix<S, R, C>,
) -> (&'static str, DMatrix<Complex<S::Re>>)
where
    DefaultAllocator: Allocator<R, C>,
{
    let part = |i, j| Complex::new(y[(i, j)].real_part(), y[(i, j)].imaginary_part());
    (name, DMatrix::from_fn(y.nrows(), y.ncols(), part))
}

pub fn real<R: Number>(name: &'static str, y: R) -> (&'static str, DMatrix<Complex<R>>) {
    (name, DMatrix::from_element(1, 1, Complex::new(y, R::lit(0.0))))
}

pub fn scalar<S: Entry>(name: &'static str, y: S) -> (&'static str, DMatrix<Complex<S::Re>>) {
    out(name, &DMatrix::from_element(1, 1, y))
}

pub fn reals<R: Number, D: Dim>(name: &'static str, y: &OVector<R, D>) -> (&'static str, DMatrix<Complex<R>>)
where
    DefaultAllocator: Allocator<D>,
{
    (name, DMatrix::from_fn(y.len(), 1, |i, _| Complex::new(y[i], R::lit(0.0))))
}

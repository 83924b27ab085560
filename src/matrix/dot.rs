//! Inner products and the trace.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::shapes::{demand, square};

/// `Σ aᵢⱼbᵢⱼ`, without conjugation; one block on a tape from 9 terms on.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// assert_eq!(wengert::matrix::dot(&vector![1.0, 2.0], &vector![3.0, 4.0]), 11.0);
/// ```
#[track_caller]
pub fn dot<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("dot", "second operand", a.shape(), b.shape());
    S::demand_one_tape_within(&[a.as_slice(), b.as_slice()]);
    S::inner_product_of(a.as_slice(), b.as_slice())
}

/// `Σ conj(aᵢⱼ)bᵢⱼ`.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// use num_complex::Complex;
/// let a = vector![Complex::new(3.0, 4.0)];
/// assert_eq!(wengert::matrix::dotc(&a, &a), Complex::new(25.0, 0.0));
/// ```
#[track_caller]
pub fn dotc<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("dotc", "second operand", a.shape(), b.shape());
    S::demand_one_tape_within(&[a.as_slice(), b.as_slice()]);
    if S::IS_REAL {
        return S::inner_product_of(a.as_slice(), b.as_slice());
    }
    S::sum_of_products(a.iter().map(|&a| a.conjugated()).zip(b.iter().copied()))
}

/// The sum of the diagonal; one block on a tape.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// assert_eq!(wengert::matrix::trace(&matrix![1.0, 2.0; 3.0, 4.0]), 5.0);
/// ```
#[track_caller]
pub fn trace<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("trace", a);
    S::demand_one_tape_within(&[a.as_slice()]);
    S::sum_of((0..n).map(|i| a[(i, i)]))
}

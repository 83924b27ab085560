//! Entrywise functions: products, quotients, broadcasts, sums, means, products. On a tape each entry is at most one
//! node, each sum one block.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, RowOVector, allocator::Allocator};

use super::entry::Entry;
use super::shapes::demand;
use crate::error::AdError;

/// `aᵢⱼbᵢⱼ`: `Ċ = Ȧ∘B + A∘Ḃ`.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// use wengert::{Dual, matrix::component_mul};
/// let x = vector![Dual::new(1.0, 3.0), Dual::new(2.0, 4.0)];
/// let y = vector![Dual::new(5.0, 7.0), Dual::new(6.0, 8.0)];
/// assert_eq!(component_mul(&x, &y).map(|z| z.tangent()), vector![22.0, 40.0]);
/// ```
#[track_caller]
pub fn component_mul<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("component_mul", "second operand", a.shape(), b.shape());
    S::demand_one_tape(&[a.as_slice(), b.as_slice()]);
    a.zip_map(b, |a, b| a * b)
}

/// `C = aᵢⱼ/bᵢⱼ`: `Ċ = (Ȧ − C∘Ḃ)/B`, entry by entry.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// let y = wengert::matrix::component_div(&vector![6.0, 8.0], &vector![2.0, 4.0]);
/// assert_eq!(y, vector![3.0, 2.0]);
/// ```
#[track_caller]
pub fn component_div<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("component_div", "second operand", a.shape(), b.shape());
    S::demand_one_tape(&[a.as_slice(), b.as_slice()]);
    a.zip_map(b, |a, b| a / b)
}

/// `f(aᵢⱼ)`, for any function of a number: `f′(aᵢⱼ)·ȧᵢⱼ`.
///
/// ```
/// use nalgebra::vector;
/// use wengert::{Dual, matrix::map};
/// let y = map(&vector![Dual::variable(0.5)], |x| x.tanh());
/// assert_eq!(y[0].value(), 0.5f64.tanh());
/// ```
pub fn map<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, f: impl FnMut(S) -> S) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.map(f)
}

/// `f(aᵢⱼ, bⱼ)`: combines a row vector with each row. Its cotangent is the sum over the rows.
///
/// # Panics
/// If the length of the row is not the number of columns of `A`.
///
/// ```
/// use nalgebra::matrix;
/// let a = matrix![1.0, 2.0; 3.0, 4.0];
/// let y = wengert::matrix::broadcast_row(&a, &matrix![10.0, 20.0], |a, b| a + b);
/// assert_eq!(y, matrix![11.0, 22.0; 13.0, 24.0]);
/// ```
#[track_caller]
pub fn broadcast_row<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, C>,
    row: &RowOVector<S, C>,
    mut f: impl FnMut(S, S) -> S,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<nalgebra::U1, C>,
{
    demand("broadcast_row", "row", (1, a.ncols()), row.shape());
    let (rows, columns) = a.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| f(a[(i, j)], row[j]))
}

/// `f(aᵢⱼ, bᵢ)`: combines a column vector with each column. Its cotangent is the sum over the columns.
///
/// # Panics
/// If the length of the column is not the number of rows of `A`.
///
/// ```
/// use nalgebra::{matrix, vector};
/// let a = matrix![1.0, 2.0; 3.0, 4.0];
/// let y = wengert::matrix::broadcast_column(&a, &vector![10.0, 20.0], |a, b| a * b);
/// assert_eq!(y, matrix![10.0, 20.0; 60.0, 80.0]);
/// ```
#[track_caller]
pub fn broadcast_column<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, C>,
    column: &OVector<S, R>,
    mut f: impl FnMut(S, S) -> S,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R>,
{
    demand("broadcast_column", "column", (a.nrows(), 1), column.shape());
    let (rows, columns) = a.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| f(a[(i, j)], column[i]))
}

/// `f(aᵢⱼ, b)`: combines a number with each entry. Its cotangent is the sum over the entries.
///
/// ```
/// use nalgebra::vector;
/// let y = wengert::matrix::broadcast_scalar(&vector![1.0, 2.0], 10.0, |a, b| a - b);
/// assert_eq!(y, vector![-9.0, -8.0]);
/// ```
pub fn broadcast_scalar<S: Entry, R: Dim, C: Dim>(
    a: &OMatrix<S, R, C>,
    b: S,
    mut f: impl FnMut(S, S) -> S,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.map(|a| f(a, b))
}

/// The sum of all entries, one block on a tape; for no entries the zero of [`reduce::sum`](crate::reduce::sum).
///
/// ```
/// use nalgebra::matrix;
/// assert_eq!(wengert::matrix::sum(&matrix![1.0, 2.0; 3.0, 4.0]), 10.0);
/// ```
#[track_caller]
pub fn sum<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    S::demand_one_tape_within(&[a.as_slice()]);
    S::sum_of(a.iter().copied())
}

/// The column vector of the sums of the rows, as nalgebra's `column_sum`; each is one block on a tape.
///
/// ```
/// use nalgebra::{matrix, vector};
/// assert_eq!(wengert::matrix::column_sum(&matrix![1.0, 2.0; 3.0, 4.0]), vector![3.0, 7.0]);
/// ```
#[track_caller]
pub fn column_sum<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> OVector<S, R>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R>,
{
    S::demand_one_tape(&[a.as_slice()]);
    let (rows, columns) = a.shape_generic();
    OVector::from_fn_generic(rows, nalgebra::U1, |i, _| S::sum_of((0..columns.value()).map(|j| a[(i, j)])))
}

/// The row vector of the sums of the columns, as nalgebra's `row_sum`; each is one block on a tape.
///
/// ```
/// use nalgebra::matrix;
/// assert_eq!(wengert::matrix::row_sum(&matrix![1.0, 2.0; 3.0, 4.0]), matrix![4.0, 6.0]);
/// ```
#[track_caller]
pub fn row_sum<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> RowOVector<S, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<nalgebra::U1, C>,
{
    S::demand_one_tape(&[a.as_slice()]);
    let (rows, columns) = a.shape_generic();
    RowOVector::from_fn_generic(nalgebra::U1, columns, |_, j| S::sum_of((0..rows.value()).map(|i| a[(i, j)])))
}

/// The mean of all entries, `Σ aᵢⱼ/(mn)`.
///
/// # Errors
/// `EmptyInput` if there are no entries.
///
/// ```
/// use nalgebra::vector;
/// assert_eq!(wengert::matrix::mean(&vector![1.0, 2.0, 6.0]), Ok(3.0));
/// ```
#[track_caller]
pub fn mean<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> Result<S, AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    if a.is_empty() {
        return Err(AdError::EmptyInput { op: "mean" });
    }
    Ok(sum(a) / S::constant(a.len() as f64))
}

/// The product of all entries, 1 for no entries. The derivative is right for zeros and for factors of any size, see
/// [`reduce::product`](crate::reduce::product).
///
/// ```
/// use nalgebra::vector;
/// use wengert::{Dual, matrix::product};
/// let x = vector![Dual::new(2.0, 1.0), Dual::new(0.0, 10.0), Dual::new(3.0, 100.0)];
/// assert_eq!(product(&x).tangent(), 60.0);
/// ```
#[track_caller]
pub fn product<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    S::demand_one_tape_within(&[a.as_slice()]);
    S::product_of(a.iter().copied())
}

//! Jacobians in forward mode: eight columns in each pass.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::chunks::{Lanes, chunks, for_each_set};
use super::expect;
use super::gradient::LANES;
use crate::error::AdError;
use crate::forward::DualN;
use crate::number::{Number, Real};
use crate::space::{Components, Shape, coordinates, dimension};

/// The Jacobian of `f` at `x` in forward mode, outputs × inputs: `⌈n/8⌉` evaluations.
///
/// The closure works at [`DualN<T, 8>`], `T` the number type of the point, and returns a number, an array, a `Vec`, a
/// vector or any structure of such ([`space`](crate::space)). Sizes that are static in the point or the result are
/// static in the matrix.
///
/// # Panics
/// If two evaluations return results of different lengths.
///
/// ```
/// use wengert::jacobian;
/// let j = jacobian(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
/// assert_eq!(j, nalgebra::matrix![3.0, 2.0; 2f64.cos(), 0.0]);
/// let polar = nalgebra::vector![2.0_f64, 0.5];
/// let j = jacobian(|p| nalgebra::vector![p[0] * p[1].cos(), p[0] * p[1].sin()], &polar);
/// assert!((j.determinant() - 2.0).abs() < 1e-15);
/// ```
pub fn jacobian<T, X, O>(f: impl FnMut(&X::Arg<DualN<T, 8>>) -> O, x: &X) -> OMatrix<T, O::Dim, X::Dim>
where
    T: Real,
    X: Shape<T> + ?Sized,
    O: Shape<DualN<T, 8>>,
    DefaultAllocator: Allocator<O::Dim, X::Dim>,
{
    value_and_jacobian(f, x).1
}

/// `(f(x), J(x))`; otherwise as [`jacobian`].
///
/// # Panics
/// If two evaluations return results of different lengths.
///
/// ```
/// let (y, j) = wengert::value_and_jacobian(|x| vec![x[0] * x[1], x[0]], &[2.0, 3.0][..]);
/// assert_eq!((y, j), (vec![6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_jacobian<T, X, O>(
    mut f: impl FnMut(&X::Arg<DualN<T, 8>>) -> O,
    x: &X,
) -> (O::With<T>, OMatrix<T, O::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    O: Shape<DualN<T, 8>>,
    DefaultAllocator: Allocator<O::Dim, X::Dim>,
{
    let (n, zero) = (dimension(x), T::lit(0.0));
    let mut result: Option<(O::With<T>, OMatrix<T, O::Dim, X::Dim>)> = None;
    for_each_set(
        x,
        chunks(0..n, LANES),
        |_, x| DualN::<T, LANES>::constant(x),
        |point, chunk| {
            let y = f(point);
            let rows = coordinates(&y, |y| y.clear());
            let (_, jacobian) = result.get_or_insert_with(|| {
                let (m, n) = (O::Dim::from_usize(rows.len()), X::Dim::from_usize(n));
                (y.map(&mut |y| y.value()), OMatrix::from_element_generic(m, n, zero))
            });
            expect(AdError::check_len("jacobian", "result", jacobian.nrows(), rows.len()));
            write_columns(&rows, jacobian.as_mut_slice(), chunk.start, chunk.len());
        },
    );
    result.expect("every point is visited")
}

/// [`jacobian`] written to `out`, a matrix of outputs × inputs.
///
/// # Panics
/// If `out` has not the shape outputs × inputs.
///
/// ```
/// let mut j = nalgebra::DMatrix::zeros(2, 2);
/// wengert::jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut j);
/// assert_eq!(j, nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]);
/// ```
#[track_caller]
pub fn jacobian_into<T, X, O, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> O,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<DualN<T, 8>>,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_into(f, x, None, out));
}

/// [`jacobian`] written to `out` and the value to `value`.
///
/// # Panics
/// If `out` has not the shape outputs × inputs, or `value` not the length of the result.
///
/// ```
/// let (mut y, mut j) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// wengert::value_and_jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut y, &mut j);
/// assert_eq!((y, j), ([6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_and_jacobian_into<T, X, O, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> O,
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<DualN<T, 8>>,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_into(f, x, Some(value), out));
}

/// [`value_and_jacobian_into`] with an error instead of the panic; the value is wanted or not.
///
/// # Errors
/// [`AdError::Dimensions`] or [`AdError::Shape`] if `out` or `value` does not fit. The size of the result is known
/// from the first evaluation, before anything is written; if a later evaluation (there is one for each eight variables)
/// returns another number of results, the columns and the value of earlier ones are written already.
///
/// ```
/// let mut j = nalgebra::DMatrix::zeros(2, 3);
/// let e = wengert::forward::try_value_and_jacobian_into(|x| [x[0], x[1]], &[2.0, 3.0], None, &mut j).unwrap_err();
/// assert_eq!(e.to_string(), "jacobian: the buffer is 2 × 3, expected 2 × 2");
/// ```
pub fn try_value_and_jacobian_into<T, X, O, R: Dim, C: Dim>(
    mut f: impl FnMut(&X::Arg<DualN<T, 8>>) -> O,
    x: &X,
    mut value: Option<&mut [T]>,
    out: &mut OMatrix<T, R, C>,
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<DualN<T, 8>>,
    DefaultAllocator: Allocator<R, C>,
{
    let (n, mut outcome) = (dimension(x), Ok(()));
    for_each_set(
        x,
        chunks(0..n, LANES),
        |_, x| DualN::<T, LANES>::constant(x),
        |point, chunk| {
            if outcome.is_err() {
                return;
            }
            let y = f(point);
            let (rows, m) = (coordinates(&y, |y| y.clear()), y.count());
            outcome = AdError::check_dimensions("jacobian", "buffer", (rows.len(), n), out.shape()).and_then(
                |()| AdError::check_len("jacobian", "value buffer", m, value.as_ref().map_or(m, |v| v.len())),
            );
            if outcome.is_err() {
                return;
            }
            if let Some(value) = value.take() {
                let mut slots = value.iter_mut();
                y.visit(&mut |y| *slots.next().expect("counted before") = y.value());
            }
            write_columns(&rows, out.as_mut_slice(), chunk.start, chunk.len());
        },
    );
    outcome
}

/// `(y, J(x))` of a function `f(x, &mut y)` that fills a buffer of `m` results; nothing is allocated for each
/// pass.
///
/// The function sees NaN in every entry of its buffer: what it held before does not matter.
///
/// ```
/// use wengert::{DualN, forward};
/// let f = |x: &[DualN<f64, 8>], y: &mut [DualN<f64, 8>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// let (y, j) = forward::value_and_jacobian_of_filling(f, &[2.0, 3.0], 2);
/// assert_eq!((y, j), (vec![6.0, 2f64.sin()], nalgebra::dmatrix![3.0, 2.0; 2f64.cos(), 0.0]));
/// ```
pub fn value_and_jacobian_of_filling<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>, &mut [DualN<T, 8>]),
    x: &X,
    m: usize,
) -> (Vec<T>, DMatrix<T>) {
    let zero = T::lit(0.0);
    let (mut y, mut out) = (vec![zero; m], DMatrix::from_element(m, dimension(x), zero));
    value_and_jacobian_of_filling_into(f, x, &mut y, &mut out);
    (y, out)
}

/// [`value_and_jacobian_of_filling`] written to `value` and `out`.
///
/// # Panics
/// If `out` has not the shape `value.len()` × inputs.
///
/// ```
/// use wengert::{DualN, forward};
/// let (mut y, mut j) = ([0.0], nalgebra::DMatrix::zeros(1, 2));
/// let f = |x: &[DualN<f64, 8>], y: &mut [DualN<f64, 8>]| y[0] = x[0] * x[1];
/// forward::value_and_jacobian_of_filling_into(f, &[2.0, 3.0], &mut y, &mut j);
/// assert_eq!((y, j), ([6.0], nalgebra::dmatrix![3.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_jacobian_of_filling_into<T: Real, X: Components<T> + ?Sized, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>, &mut [DualN<T, 8>]),
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) where
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_of_filling_into(f, x, value, out));
}

/// [`value_and_jacobian_of_filling_into`] with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Dimensions`] if `out` has not the shape `value.len()` × inputs.
///
/// ```
/// use wengert::{DualN, forward};
/// let (mut y, mut j) = ([0.0], nalgebra::DMatrix::zeros(1, 3));
/// let f = |x: &[DualN<f64, 8>], y: &mut [DualN<f64, 8>]| y[0] = x[0] * x[1];
/// let e = forward::try_value_and_jacobian_of_filling_into(f, &[2.0, 3.0], &mut y, &mut j).unwrap_err();
/// assert_eq!(e.to_string(), "jacobian: the buffer is 1 × 3, expected 1 × 2");
/// ```
pub fn try_value_and_jacobian_of_filling_into<T: Real, X: Components<T> + ?Sized, R: Dim, C: Dim>(
    mut f: impl FnMut(&X::Arg<DualN<T, 8>>, &mut [DualN<T, 8>]),
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) -> Result<(), AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    let n = dimension(x);
    AdError::check_dimensions("jacobian", "buffer", (value.len(), n), out.shape())?;
    let mut results = vec![DualN::lit(f64::NAN).poisoned(); value.len()];
    for_each_set(
        x,
        chunks(0..n, LANES),
        |_, x| DualN::<T, LANES>::constant(x),
        |point, chunk| {
            results.fill(DualN::lit(f64::NAN).poisoned());
            f(point, &mut results);
            write_columns(&results, out.as_mut_slice(), chunk.start, chunk.len());
        },
    );
    value.iter_mut().zip(&results).for_each(|(slot, y)| *slot = y.value());
    Ok(())
}

/// Copies the lanes of all results to columns `start..` of a column-major matrix.
#[inline]
pub(super) fn write_columns<T: Number, const N: usize>(
    y: &[DualN<T, N>],
    out: &mut [T],
    start: usize,
    columns: usize,
) {
    for (lane, column) in out.chunks_exact_mut(y.len().max(1)).skip(start).take(columns).enumerate() {
        for (slot, y) in column.iter_mut().zip(y) {
            *slot = y.tangents()[lane];
        }
    }
}

//! Jacobians in reverse mode: one evaluation, eight rows in each sweep.

use std::borrow::Borrow;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::super::expect;
use super::{record, still};
use crate::error::AdError;
use crate::number::{Number, Real};
use crate::reverse::{Tape, Var};
use crate::space::{Components, Shape, coordinates, dimension};

/// The Jacobian of `f` at `x` by reverse mode, outputs × inputs: one evaluation and `⌈m/8⌉` sweeps for m outputs.
///
/// The closure works at [`Var<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`, a vector
/// or any structure of such ([`space`](crate::space)). Better than [`forward::jacobian`](crate::forward::jacobian)
/// where there are far fewer outputs than inputs.
///
/// # Panics
/// If a result belongs to another tape.
///
/// ```
/// use wengert::reverse;
/// let j = reverse::jacobian(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
/// assert_eq!(j, nalgebra::matrix![3.0, 2.0; 2f64.cos(), 0.0]);
/// ```
pub fn jacobian<T, X, O>(f: impl FnOnce(&X::Arg<Var<T>>) -> O, x: &X) -> OMatrix<T, O::Dim, X::Dim>
where
    T: Real,
    X: Shape<T> + ?Sized,
    O: Shape<Var<T>>,
    DefaultAllocator: Allocator<O::Dim, X::Dim>,
{
    value_and_jacobian(f, x).1
}

/// `(f(x), J(x))`; otherwise as [`jacobian`].
///
/// # Panics
/// As [`jacobian`].
///
/// ```
/// let (y, j) = wengert::reverse::value_and_jacobian(|x| vec![x[0] * x[1], x[0]], &[2.0, 3.0][..]);
/// assert_eq!((y, j), (vec![6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_jacobian<T, X, O>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
) -> (O::With<T>, OMatrix<T, O::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    O: Shape<Var<T>>,
    DefaultAllocator: Allocator<O::Dim, X::Dim>,
{
    let n = dimension(x);
    let (tape, point) = record(x, |x| x, |_, x| x);
    let y = f(point.borrow());
    let rows = coordinates(&y, still);
    let (m, columns) = (O::Dim::from_usize(rows.len()), X::Dim::from_usize(n));
    let mut out = OMatrix::from_element_generic(m, columns, T::lit(0.0));
    write_rows(&tape, &rows, n, out.as_mut_slice());
    (y.map(&mut Var::value), out)
}

/// [`jacobian`] written to `out`, a matrix of outputs × inputs.
///
/// # Panics
/// If `out` has not the shape outputs × inputs, and as [`jacobian`].
///
/// ```
/// let mut j = nalgebra::DMatrix::zeros(2, 2);
/// wengert::reverse::jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut j);
/// assert_eq!(j, nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]);
/// ```
#[track_caller]
pub fn jacobian_into<T, X, O, R: Dim, C: Dim>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<Var<T>>,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_into(f, x, None, out));
}

/// [`jacobian`] written to `out` and the value to `value`.
///
/// # Panics
/// If `out` has not the shape outputs × inputs, or `value` not the length of the result, and as [`jacobian`].
///
/// ```
/// let (mut y, mut j) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// wengert::reverse::value_and_jacobian_into(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &mut y, &mut j);
/// assert_eq!((y, j), ([6.0, 2.0], nalgebra::dmatrix![3.0, 2.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_and_jacobian_into<T, X, O, R: Dim, C: Dim>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<Var<T>>,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_into(f, x, Some(value), out));
}

/// [`value_and_jacobian_into`] with an error instead of the panic; the value is wanted or not.
///
/// # Errors
/// [`AdError::Dimensions`] if `out`, [`AdError::Shape`] if `value` does not fit; nothing is written then.
///
/// ```
/// let mut j = nalgebra::DMatrix::zeros(3, 2);
/// let e = wengert::reverse::try_value_and_jacobian_into(|x| [x[0], x[1]], &[2.0, 3.0], None, &mut j).unwrap_err();
/// assert_eq!(e.to_string(), "jacobian: the buffer is 3 × 2, expected 2 × 2");
/// ```
pub fn try_value_and_jacobian_into<T, X, O, R: Dim, C: Dim>(
    f: impl FnOnce(&X::Arg<Var<T>>) -> O,
    x: &X,
    value: Option<&mut [T]>,
    out: &mut OMatrix<T, R, C>,
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<Var<T>>,
    DefaultAllocator: Allocator<R, C>,
{
    let n = dimension(x);
    let (tape, point) = record(x, |x| x, |_, x| x);
    let y = f(point.borrow());
    let rows = coordinates(&y, still);
    AdError::check_dimensions("jacobian", "buffer", (rows.len(), n), out.shape())?;
    if let Some(value) = value {
        AdError::check_len("jacobian", "value buffer", y.count(), value.len())?;
        let mut slots = value.iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = y.value());
    }
    write_rows(&tape, &rows, n, out.as_mut_slice());
    Ok(())
}

/// `(y, J(x))` of a function `f(x, &mut y)` that fills a buffer of `m` results, which holds NaN before.
///
/// # Panics
/// As [`jacobian`].
///
/// ```
/// use wengert::{Var, reverse};
/// let f = |x: &[Var<f64>], y: &mut [Var<f64>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// let (y, j) = reverse::value_and_jacobian_of_filling(f, &[2.0, 3.0], 2);
/// assert_eq!((y, j), (vec![6.0, 2f64.sin()], nalgebra::dmatrix![3.0, 2.0; 2f64.cos(), 0.0]));
/// ```
pub fn value_and_jacobian_of_filling<T: Real, X: Components<T> + ?Sized>(
    f: impl FnOnce(&X::Arg<Var<T>>, &mut [Var<T>]),
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
/// If `out` has not the shape `value.len()` × inputs, and as [`jacobian`].
///
/// ```
/// use wengert::{Var, reverse};
/// let (mut y, mut j) = ([0.0], nalgebra::DMatrix::zeros(1, 2));
/// let f = |x: &[Var<f64>], y: &mut [Var<f64>]| y[0] = x[0] * x[1];
/// reverse::value_and_jacobian_of_filling_into(f, &[2.0, 3.0], &mut y, &mut j);
/// assert_eq!((y, j), ([6.0], nalgebra::dmatrix![3.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_jacobian_of_filling_into<T: Real, X: Components<T> + ?Sized, R: Dim, C: Dim>(
    f: impl FnOnce(&X::Arg<Var<T>>, &mut [Var<T>]),
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) where
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_and_jacobian_of_filling_into(f, x, value, out));
}

/// [`value_and_jacobian_of_filling_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Dimensions`] if `out` has not the shape `value.len()` × inputs.
///
/// ```
/// use wengert::{Var, reverse};
/// let (mut y, mut j) = ([0.0], nalgebra::DMatrix::zeros(2, 2));
/// let f = |x: &[Var<f64>], y: &mut [Var<f64>]| y[0] = x[0] * x[1];
/// let e = reverse::try_value_and_jacobian_of_filling_into(f, &[2.0, 3.0], &mut y, &mut j).unwrap_err();
/// assert_eq!(e.to_string(), "jacobian: the buffer is 2 × 2, expected 1 × 2");
/// ```
pub fn try_value_and_jacobian_of_filling_into<T: Real, X: Components<T> + ?Sized, R: Dim, C: Dim>(
    f: impl FnOnce(&X::Arg<Var<T>>, &mut [Var<T>]),
    x: &X,
    value: &mut [T],
    out: &mut OMatrix<T, R, C>,
) -> Result<(), AdError>
where
    DefaultAllocator: Allocator<R, C>,
{
    let n = dimension(x);
    AdError::check_dimensions("jacobian", "buffer", (value.len(), n), out.shape())?;
    let (tape, point) = record(x, |x| x, |_, x| x);
    let mut y = vec![Var::lit(f64::NAN); value.len()];
    f(point.borrow(), &mut y);
    value.iter_mut().zip(&y).for_each(|(slot, y)| *slot = y.value());
    write_rows(&tape, &y, n, out.as_mut_slice());
    Ok(())
}

/// The rows of the results' Jacobian to a column-major matrix of `n` columns.
pub(in super::super) fn write_rows<T: Real>(tape: &Tape<T>, y: &[Var<T>], n: usize, out: &mut [T]) {
    let m = y.len();
    for first in (0..m).step_by(8) {
        match m - first {
            1 => sweep::<T, 1>(tape, y, first, n, out),
            2 => sweep::<T, 2>(tape, y, first, n, out),
            3 | 4 => sweep::<T, 4>(tape, y, first, n, out),
            _ => sweep::<T, 8>(tape, y, first, n, out),
        }
    }
}

/// At most `K` rows from `first` on.
fn sweep<T: Real, const K: usize>(tape: &Tape<T>, y: &[Var<T>], first: usize, n: usize, out: &mut [T]) {
    let (m, last) = (y.len(), y.len().min(first + K));
    let unit = |lane: usize| std::array::from_fn(|k| T::lit(if k == lane { 1.0 } else { 0.0 }));
    let seeds = y[first..last].iter().enumerate().map(|(lane, &y)| (y, unit(lane)));
    tape.pull(seeds, |cotangents: &[[T; K]]| {
        for (column, lanes) in out.chunks_exact_mut(m).zip(&cotangents[..n]) {
            column[first..last].copy_from_slice(&lanes[..last - first]);
        }
    });
}

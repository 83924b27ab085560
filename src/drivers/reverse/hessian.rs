//! Hessians forward over reverse: eight columns in each evaluation and sweep.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use std::borrow::Borrow;

use super::super::chunks::with_buffer;
use super::super::expect;
use super::record;
use crate::error::AdError;
use crate::forward::DualN;
use crate::number::{Number, Real};
use crate::reverse::Var;
use crate::space::{Components, Shape, dimension, tangent_of};

/// The Hessian of `f` at `x`, forward over reverse: `⌈n/8⌉` evaluations with a sweep each.
///
/// The closure works at `Var<DualN<T, 8>>`, `T` the number type of the point. Rows and columns are the
/// components of the point in order ([`space`](crate::space); on groups those of `v ↦ f(X·exp v)` at zero). Best beyond a
/// dozen variables; below, [`forward::hessian`](crate::forward::hessian) is faster.
///
/// # Panics
/// As [`gradient`](super::gradient()).
///
/// ```
/// use wengert::{DualN, Var, hessian};
/// let rosenbrock = |x: &[Var<DualN<f64, 8>>]| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (1.0 - x[0]).powi(2);
/// let h = hessian(rosenbrock, &[-1.2, 1.0]);
/// assert!((h - nalgebra::matrix![1330.0, 480.0; 480.0, 200.0]).norm() < 1e-10);
/// ```
pub fn hessian<T, X>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
) -> OMatrix<T, X::Dim, X::Dim>
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    value_gradient_and_hessian(f, x).2
}

/// `(f(x), H(x))`; otherwise as [`hessian`].
///
/// # Panics
/// As [`hessian`].
///
/// ```
/// let (y, h) = wengert::value_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, h), (6.0, nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_hessian<T, X>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
) -> (T, OMatrix<T, X::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    let (value, _, hessian) = value_gradient_and_hessian(f, x);
    (value, hessian)
}

/// `(f(x), ∇f(x), H(x))` from the same evaluations; otherwise as [`hessian`].
///
/// # Panics
/// As [`hessian`].
///
/// ```
/// let (y, g, h) = wengert::value_gradient_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_gradient_and_hessian<T, X>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
) -> (T, X::Tangent, OMatrix<T, X::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    let dim = X::Dim::from_usize(dimension(x));
    let mut hessian = OMatrix::from_element_generic(dim, dim, T::lit(0.0));
    expect(with_buffer(dimension(x), |gradient| {
        let value = try_value_gradient_and_hessian_into(f, x, gradient, &mut hessian)?;
        Ok((value, tangent_of(x, gradient), hessian))
    }))
}

/// [`hessian`] written to `out`.
///
/// # Panics
/// If `out` is not a square matrix of the point's length, and as [`hessian`].
///
/// ```
/// let mut h = nalgebra::DMatrix::zeros(2, 2);
/// wengert::hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);
/// assert_eq!(h, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]);
/// ```
#[track_caller]
pub fn hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hessian_into(f, x, g, out)));
}

/// [`value_and_hessian`] with the Hessian written to `out`; returns the value.
///
/// # Panics
/// If `out` is not a square matrix of the point's length, and as [`hessian`].
///
/// ```
/// let mut h = nalgebra::DMatrix::zeros(2, 2);
/// let y = wengert::value_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);
/// assert_eq!((y, h), (6.0, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_and_hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hessian_into(f, x, g, out)))
}

/// [`value_gradient_and_hessian`] into buffers; returns the value.
///
/// # Panics
/// If a buffer does not fit, and as [`hessian`].
///
/// ```
/// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// let y = wengert::value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
/// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_gradient_and_hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
    gradient: &mut [T],
    hessian: &mut OMatrix<T, R, C>,
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_gradient_and_hessian_into(f, x, gradient, hessian))
}

/// [`value_gradient_and_hessian_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`] if `gradient` has not the length of `x`, [`AdError::Dimensions`] if `hessian` is not square of
/// that size.
///
/// ```
/// use wengert::reverse;
/// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// let y = reverse::try_value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
/// assert_eq!((y, g, h), (Ok(6.0), [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
pub fn try_value_gradient_and_hessian_into<T, X, R: Dim, C: Dim>(
    mut f: impl FnMut(&X::Arg<Var<DualN<T, 8>>>) -> Var<DualN<T, 8>>,
    x: &X,
    gradient: &mut [T],
    hessian: &mut OMatrix<T, R, C>,
) -> Result<T, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    let n = dimension(x);
    AdError::check_len("hessian", "gradient buffer", n, gradient.len())?;
    AdError::check_dimensions("hessian", "buffer", (n, n), hessian.shape())?;
    let mut value = None;
    for first in (0..n.max(1)).step_by(8) {
        let seed = |i: usize, x| match i.checked_sub(first) {
            Some(lane @ 0..8) => DualN::variable(x, lane),
            _ => DualN::constant(x),
        };
        let (tape, point) = record(x, DualN::constant, seed);
        let y = f(point.borrow());
        tape.pull([(y, [DualN::lit(1.0)])].into_iter(), |cotangents| {
            for (i, [c]) in cotangents[..n].iter().enumerate() {
                gradient[i] = c.value();
                for (lane, j) in (first..n.min(first + 8)).enumerate() {
                    hessian[(i, j)] = c.tangents()[lane];
                }
            }
        });
        value.get_or_insert(y.value().value());
    }
    Ok(value.expect("every point is visited"))
}

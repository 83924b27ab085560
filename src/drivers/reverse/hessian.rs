//! Hessians forward over reverse: eight columns in each evaluation and sweep.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use std::borrow::Borrow;

use super::super::{expect, shape::Shape};
use super::record;
use crate::error::AdError;
use crate::forward::DualN;
use crate::number::Number;
use crate::reverse::Var;

/// The Hessian of `f` at `x`, forward over reverse: `⌈n/8⌉` evaluations with a sweep each.
///
/// The closure works at `Var<DualN<T, 8>>`, `T` the number type of the point. Best beyond a dozen variables; below,
/// [`forward::hessian`](crate::forward::hessian) is faster.
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
pub fn hessian<X>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
) -> OMatrix<X::Scalar, X::Dim, X::Dim>
where
    X: Shape + ?Sized,
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
pub fn value_and_hessian<X>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
) -> (X::Scalar, OMatrix<X::Scalar, X::Dim, X::Dim>)
where
    X: Shape + ?Sized,
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
pub fn value_gradient_and_hessian<X>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
) -> (X::Scalar, X::With<X::Scalar>, OMatrix<X::Scalar, X::Dim, X::Dim>)
where
    X: Shape + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    let mut gradient = x.same_shape(|i| x.scalars()[i]);
    let mut hessian = OMatrix::from_element_generic(x.dim(), x.dim(), X::Scalar::lit(0.0));
    let value = expect(try_value_gradient_and_hessian_into(f, x, gradient.scalars_mut(), &mut hessian));
    (value, gradient, hessian)
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
pub fn hessian_into<X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
    out: &mut OMatrix<X::Scalar, R, C>,
) where
    X: Shape + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    let mut gradient = x.same_shape(|i| x.scalars()[i]);
    expect(try_value_gradient_and_hessian_into(f, x, gradient.scalars_mut(), out));
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
pub fn value_and_hessian_into<X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
    out: &mut OMatrix<X::Scalar, R, C>,
) -> X::Scalar
where
    X: Shape + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    let mut gradient = x.same_shape(|i| x.scalars()[i]);
    expect(try_value_gradient_and_hessian_into(f, x, gradient.scalars_mut(), out))
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
pub fn value_gradient_and_hessian_into<X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
    gradient: &mut [X::Scalar],
    hessian: &mut OMatrix<X::Scalar, R, C>,
) -> X::Scalar
where
    X: Shape + ?Sized,
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
pub fn try_value_gradient_and_hessian_into<X, R: Dim, C: Dim>(
    mut f: impl FnMut(&X::Arg<Var<DualN<X::Scalar, 8>>>) -> Var<DualN<X::Scalar, 8>>,
    x: &X,
    gradient: &mut [X::Scalar],
    hessian: &mut OMatrix<X::Scalar, R, C>,
) -> Result<X::Scalar, AdError>
where
    X: Shape + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    let values = x.scalars();
    let n = values.len();
    AdError::check_len("hessian", "gradient buffer", n, gradient.len())?;
    AdError::check_dimensions("hessian", "buffer", (n, n), hessian.shape())?;
    let mut value = None;
    for first in (0..n.max(1)).step_by(8) {
        let seed = |i: usize| match i.checked_sub(first) {
            Some(lane @ 0..8) => DualN::variable(values[i], lane),
            _ => DualN::constant(values[i]),
        };
        let (tape, point) = record(x, seed);
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

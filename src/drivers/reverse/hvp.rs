//! Hessian times vector, forward over reverse: one evaluation and one sweep on dual numbers.

use std::borrow::Borrow;

use super::super::{expect, shape::Shape};
use super::record;
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::Number;
use crate::reverse::Var;

/// `H(x)·v`, forward over reverse: one evaluation and one sweep on dual numbers.
///
/// The closure works at `Var<Dual<T>>`, `T` the number type of the point.
///
/// # Panics
/// If `v` has not the shape of `x`, and as [`gradient`](super::gradient()).
///
/// ```
/// use wengert::{Dual, Var, hvp};
/// let f = |x: &[Var<Dual<f64>>]| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (1.0 - x[0]).powi(2);
/// let hv = hvp(f, &[-1.2, 1.0], &[1.0, 2.0]);
/// assert!((hv[0] - 2290.0).abs() < 1e-10 && (hv[1] - 880.0).abs() < 1e-10);
/// ```
#[track_caller]
pub fn hvp<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
) -> X::With<X::Scalar>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    value_gradient_and_hvp(f, x, v).2
}

/// `(f(x), H(x)·v)`; otherwise as [`hvp`].
///
/// # Panics
/// As [`hvp`].
///
/// ```
/// let (y, hv) = wengert::value_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
/// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
/// ```
#[track_caller]
pub fn value_and_hvp<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
) -> (X::Scalar, X::With<X::Scalar>)
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let (value, _, product) = value_gradient_and_hvp(f, x, v);
    (value, product)
}

/// `(f(x), ∇f(x), H(x)·v)` from the same sweep; otherwise as [`hvp`].
///
/// # Panics
/// As [`hvp`].
///
/// ```
/// let (y, g, hv) = wengert::value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
/// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_gradient_and_hvp<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
) -> (X::Scalar, X::With<X::Scalar>, X::With<X::Scalar>)
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let copy = || x.same_shape(|i| x.scalars()[i]);
    let (mut gradient, mut product) = (copy(), copy());
    let (g, p) = (gradient.scalars_mut(), product.scalars_mut());
    let value = expect(try_value_gradient_and_hvp_into(f, x, v, g, p));
    (value, gradient, product)
}

/// [`hvp`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `x`, and as [`hvp`].
///
/// ```
/// let mut hv = [0.0; 2];
/// wengert::hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);
/// assert_eq!(hv, [0.0, 6.0]);
/// ```
#[track_caller]
pub fn hvp_into<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
    out: &mut [X::Scalar],
) where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let mut gradient = x.same_shape(|i| x.scalars()[i]);
    expect(try_value_gradient_and_hvp_into(f, x, v, gradient.scalars_mut(), out));
}

/// [`value_and_hvp`] with the product written to `out`; returns the value.
///
/// # Panics
/// If `out` has not the length of `x`, and as [`hvp`].
///
/// ```
/// let mut hv = [0.0; 2];
/// let y = wengert::value_and_hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);
/// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
/// ```
#[track_caller]
pub fn value_and_hvp_into<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
    out: &mut [X::Scalar],
) -> X::Scalar
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let mut gradient = x.same_shape(|i| x.scalars()[i]);
    expect(try_value_gradient_and_hvp_into(f, x, v, gradient.scalars_mut(), out))
}

/// [`value_gradient_and_hvp`] into buffers; returns the value.
///
/// # Panics
/// If a buffer has not the length of `x`, and as [`hvp`].
///
/// ```
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let y = wengert::value_gradient_and_hvp_into(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (6.0, [3.0, 2.0], [0.0, 1.0]));
/// ```
#[track_caller]
pub fn value_gradient_and_hvp_into<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
    gradient: &mut [X::Scalar],
    product: &mut [X::Scalar],
) -> X::Scalar
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    expect(try_value_gradient_and_hvp_into(f, x, v, gradient, product))
}

/// [`value_gradient_and_hvp_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` has not the shape of `x` or a buffer not its
/// length.
///
/// ```
/// use wengert::reverse;
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let y = reverse::try_value_gradient_and_hvp_into(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (Ok(6.0), [3.0, 2.0], [0.0, 1.0]));
/// ```
pub fn try_value_gradient_and_hvp_into<X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<X::Scalar>>>) -> Var<Dual<X::Scalar>>,
    x: &X,
    v: &V,
    gradient: &mut [X::Scalar],
    product: &mut [X::Scalar],
) -> Result<X::Scalar, AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let (values, direction) = (x.scalars(), v.scalars());
    AdError::check_dimensions("hvp", "tangent", x.extents(), v.extents())?;
    AdError::check_len("hvp", "gradient buffer", values.len(), gradient.len())?;
    AdError::check_len("hvp", "product buffer", values.len(), product.len())?;
    let (tape, point) = record(x, |i| Dual::new(values[i], direction[i]));
    let y = f(point.borrow());
    tape.pull([(y, [Dual::lit(1.0)])].into_iter(), |cotangents| {
        for ((g, p), [c]) in gradient.iter_mut().zip(product).zip(cotangents) {
            (*g, *p) = (c.value(), c.tangent());
        }
    });
    Ok(y.value().value())
}

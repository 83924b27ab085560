//! Products of derivatives with vectors: Jacobian times vector, Hessian times vector.

use std::borrow::Borrow;

use super::chunks::for_each_chunk;
use super::gradient::LANES;
use super::{expect, shape::Shape};
use crate::error::AdError;
use crate::forward::{Dual, DualN};
use crate::number::Number;

/// `J(x)·v`, the derivative of `f` at `x` in the direction `v`: one evaluation.
///
/// The closure works at [`Dual<T>`], `T` the number type of the point, and returns a number, an array, a `Vec`
/// or a vector. Also called pushforward.
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// use wengert::{Dual, jvp};
/// let dy = jvp(|x: &[Dual<f64>]| vec![x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, -1.0]);
/// assert_eq!(dy, [1.0, 2f64.cos()]);
/// ```
#[track_caller]
pub fn jvp<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, x: &X, v: &V) -> O::With<X::Scalar>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    value_and_jvp(f, x, v).1
}

/// `(f(x), J(x)·v)`; otherwise as [`jvp`].
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// let (y, dy) = wengert::value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[0.5, -1.0]);
/// assert_eq!((y, dy), (6.0, -0.5));
/// ```
#[track_caller]
pub fn value_and_jvp<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
) -> (O::With<X::Scalar>, O::With<X::Scalar>)
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    expect(try_value_and_jvp(f, x, v))
}

/// [`value_and_jvp`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`], or [`AdError::Dimensions`] of a matrix, if `v` has not the shape of `x`.
///
/// ```
/// let e = wengert::try_value_and_jvp(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0, 0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "jvp: the tangent has length 3, expected 2");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_and_jvp<X, V, O>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O,
    x: &X,
    v: &V,
) -> Result<(O::With<X::Scalar>, O::With<X::Scalar>), AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    AdError::check_dimensions("jvp", "tangent", x.extents(), v.extents())?;
    let (values, tangents) = (x.scalars(), v.scalars());
    let y = f(x.same_shape(|i| Dual::new(values[i], tangents[i])).borrow());
    Ok((y.same_shape(|i| y.scalars()[i].value()), y.same_shape(|i| y.scalars()[i].tangent())))
}

/// [`jvp`] written to `out`.
///
/// # Panics
/// If `v` has not the shape of `x`, or `out` not the length of the result.
///
/// ```
/// let mut dy = [0.0; 2];
/// wengert::jvp_into(|x| [x[0] * x[1], x[1]], &[2.0, 3.0], &[0.5, -1.0], &mut dy);
/// assert_eq!(dy, [-0.5, -1.0]);
/// ```
#[track_caller]
pub fn jvp_into<X, V, O>(f: impl FnOnce(&X::Arg<Dual<X::Scalar>>) -> O, x: &X, v: &V, out: &mut [X::Scalar])
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
    O: Shape<Scalar = Dual<X::Scalar>>,
{
    expect(AdError::check_dimensions("jvp", "tangent", x.extents(), v.extents()));
    let (values, tangents) = (x.scalars(), v.scalars());
    let y = f(x.same_shape(|i| Dual::new(values[i], tangents[i])).borrow());
    expect(AdError::check_len("jvp", "tangent buffer", y.scalars().len(), out.len()));
    for (slot, y) in out.iter_mut().zip(y.scalars()) {
        *slot = y.tangent();
    }
}

/// `(y, J(x)·v)` of a function `f(x, &mut y)` that fills a buffer of `y.len()` results.
///
/// What the buffers hold before does not matter: the function sees NaN in every entry of its own buffer.
///
/// # Panics
/// If `v` has not the shape of `x`, or `y` and `dy` differ in length.
///
/// ```
/// use wengert::{Dual, forward};
/// let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
/// forward::value_and_jvp_of_filling_into(f, &[2.0, 3.0], &[1.0, -1.0], &mut y, &mut dy);
/// assert_eq!((y, dy), ([6.0, 2f64.sin()], [1.0, 2f64.cos()]));
/// ```
#[track_caller]
pub fn value_and_jvp_of_filling_into<X, V>(
    f: impl FnOnce(&X::Arg<Dual<X::Scalar>>, &mut [Dual<X::Scalar>]),
    x: &X,
    v: &V,
    y: &mut [X::Scalar],
    dy: &mut [X::Scalar],
) where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    expect(AdError::check_dimensions("jvp", "tangent", x.extents(), v.extents()));
    let (values, tangents) = (x.scalars(), v.scalars());
    expect(AdError::check_len("jvp", "tangent buffer", y.len(), dy.len()));
    let mut results = vec![Dual::lit(f64::NAN).poisoned(); y.len()];
    f(x.same_shape(|i| Dual::new(values[i], tangents[i])).borrow(), &mut results);
    for ((y, dy), r) in y.iter_mut().zip(dy).zip(&results) {
        (*y, *dy) = (r.value(), r.tangent());
    }
}

/// `H(x)·v` in forward mode: `⌈n/8⌉` evaluations.
///
/// The closure works at `Dual<DualN<T, 8>>`, `T` the number type of the point.
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// use wengert::forward;
/// let f = |x: &[wengert::Dual<wengert::DualN<f64, 8>>]| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (1.0 - x[0]).powi(2);
/// let hv = forward::hvp(f, &[-1.2, 1.0], &[1.0, 2.0]);
/// assert!((hv[0] - 2290.0).abs() < 1e-10 && (hv[1] - 880.0).abs() < 1e-10);
/// ```
#[track_caller]
pub fn hvp<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
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
/// If `v` has not the shape of `x`.
///
/// ```
/// let (y, hv) = wengert::forward::value_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
/// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
/// ```
#[track_caller]
pub fn value_and_hvp<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
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

/// `(f(x), ∇f(x), H(x)·v)` from the same evaluations; otherwise as [`hvp`].
///
/// # Panics
/// If `v` has not the shape of `x`.
///
/// ```
/// let (y, g, hv) = wengert::forward::value_gradient_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
/// assert_eq!((y, g, hv), (18.0, [9.0, 12.0], [0.0, 6.0]));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_gradient_and_hvp<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
    x: &X,
    v: &V,
) -> (X::Scalar, X::With<X::Scalar>, X::With<X::Scalar>)
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    let (mut gradient, mut product) = (x.same_shape(|i| x.scalars()[i]), x.same_shape(|i| x.scalars()[i]));
    let value =
        expect(try_value_gradient_and_hvp_into(f, x, v, gradient.scalars_mut(), product.scalars_mut()));
    (value, gradient, product)
}

/// [`hvp`] written to `out`.
///
/// # Panics
/// If `v` has not the shape or `out` not the length of `x`.
///
/// ```
/// let mut hv = [0.0; 2];
/// wengert::forward::hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);
/// assert_eq!(hv, [0.0, 6.0]);
/// ```
#[track_caller]
pub fn hvp_into<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
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

/// [`value_gradient_and_hvp`] into buffers, with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Dimensions`] or [`AdError::Shape`] if `v` has not the shape of `x`, or `gradient` or `product` not its
/// length.
///
/// ```
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let f = |x: &[wengert::Dual<wengert::DualN<f64, 8>>]| x[0] * x[1];
/// let y = wengert::forward::try_value_gradient_and_hvp_into(f, &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (Ok(6.0), [3.0, 2.0], [0.0, 1.0]));
/// ```
pub fn try_value_gradient_and_hvp_into<X, V>(
    mut f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
    x: &X,
    v: &V,
    gradient: &mut [X::Scalar],
    product: &mut [X::Scalar],
) -> Result<X::Scalar, AdError>
where
    X: Shape + ?Sized,
    V: Shape<Scalar = X::Scalar> + ?Sized,
{
    AdError::check_dimensions("hvp", "tangent", x.extents(), v.extents())?;
    let (values, direction) = (x.scalars(), v.scalars());
    AdError::check_len("hvp", "gradient buffer", values.len(), gradient.len())?;
    AdError::check_len("hvp", "product buffer", values.len(), product.len())?;
    let along = |i: usize, x: DualN<X::Scalar, 8>| Dual::new(x, DualN::constant(direction[i]));
    let mut value = None;
    for_each_chunk(
        x,
        0..values.len(),
        LANES,
        |i| along(i, DualN::constant(values[i])),
        |i, lane| along(i, DualN::variable(values[i], lane)),
        |point, chunk| {
            let (y, lanes) = (f(point), chunk.len());
            gradient[chunk.clone()].copy_from_slice(&y.value().tangents()[..lanes]);
            product[chunk].copy_from_slice(&y.tangent().tangents()[..lanes]);
            value.get_or_insert(y.value().value());
        },
    );
    Ok(value.expect("every point is visited"))
}

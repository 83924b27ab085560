//! Products of Hessians with vectors, in forward mode.

use super::chunks::for_each_chunk;
use super::gradient::LANES;
use super::{expect, shape::Shape};
use crate::error::AdError;
use crate::forward::{Dual, DualN};

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

/// [`value_and_hvp`] with the product written to `out`; returns the value.
///
/// # Panics
/// If `v` has not the shape or `out` not the length of `x`.
///
/// ```
/// let mut hv = [0.0; 2];
/// let y = wengert::forward::value_and_hvp_into(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut hv);
/// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
/// ```
#[track_caller]
pub fn value_and_hvp_into<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
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

/// [`value_gradient_and_hvp`] with gradient and product written to buffers; returns the value.
///
/// # Panics
/// If `v` has not the shape or a buffer not the length of `x`.
///
/// ```
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let f = |x: &[wengert::Dual<wengert::DualN<f64, 8>>]| x[0] * x[1];
/// let y = wengert::forward::value_gradient_and_hvp_into(f, &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (6.0, [3.0, 2.0], [0.0, 1.0]));
/// ```
#[track_caller]
pub fn value_gradient_and_hvp_into<X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<X::Scalar, 8>>>) -> Dual<DualN<X::Scalar, 8>>,
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

//! Products of Hessians with vectors, in forward mode.

use super::chunks::{chunks, for_each_set, with_buffer};
use super::expect;
use super::gradient::LANES;
use crate::error::AdError;
use crate::forward::{Dual, DualN};
use crate::number::Real;
use crate::space::{Components, Flat, check, dimension, stream, tangent_of};

/// `H(x)·v` in forward mode: `⌈n/8⌉` evaluations.
///
/// The closure works at `Dual<DualN<T, 8>>`, `T` the number type of the point. The product has the
/// point's structure ([`space`](crate::space); on groups `H` is the Hessian of `v ↦ f(X·exp v)` at zero).
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
pub fn hvp<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
) -> X::Tangent
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
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
pub fn value_and_hvp<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
) -> (T, X::Tangent)
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
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
pub fn value_gradient_and_hvp<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
) -> (T, X::Tangent, X::Tangent)
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(try_value_gradient_and_hvp(f, x, v))
}

/// [`value_gradient_and_hvp`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`] ([`AdError::Dimensions`] of a matrix, [`AdError::Structure`] of a structure) if `v` has not the
/// shape of `x`.
///
/// ```
/// use wengert::forward;
/// let x = (1.0, vec![2.0, 3.0]);
/// let e = forward::try_value_gradient_and_hvp(|x| x.0 * x.1[0], &x, &(1.0, vec![2.0])).unwrap_err();
/// assert_eq!(e.to_string(), "hvp: the tangent has length 1, expected 2");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_gradient_and_hvp<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
) -> Result<(T, X::Tangent, X::Tangent), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    let n = dimension(x);
    with_buffer(2 * n, |buffer| {
        let (gradient, product) = buffer.split_at_mut(n);
        let value = try_value_gradient_and_hvp_into(f, x, v, gradient, product)?;
        Ok((value, tangent_of(x, gradient), tangent_of(x, product)))
    })
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
pub fn hvp_into<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
    out: &mut [T],
) where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hvp_into(f, x, v, g, out)));
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
pub fn value_and_hvp_into<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
    out: &mut [T],
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hvp_into(f, x, v, g, out)))
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
pub fn value_gradient_and_hvp_into<T, X, V>(
    f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
    gradient: &mut [T],
    product: &mut [T],
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(try_value_gradient_and_hvp_into(f, x, v, gradient, product))
}

/// [`value_gradient_and_hvp`] into buffers, with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Shape`] ([`AdError::Dimensions`] of a matrix, [`AdError::Structure`] of a structure) if `v` has not the
/// shape of `x` or a buffer not its length.
///
/// ```
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let f = |x: &[wengert::Dual<wengert::DualN<f64, 8>>]| x[0] * x[1];
/// let y = wengert::forward::try_value_gradient_and_hvp_into(f, &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (Ok(6.0), [3.0, 2.0], [0.0, 1.0]));
/// ```
pub fn try_value_gradient_and_hvp_into<T, X, V>(
    mut f: impl FnMut(&X::Arg<Dual<DualN<T, 8>>>) -> Dual<DualN<T, 8>>,
    x: &X,
    v: &V,
    gradient: &mut [T],
    product: &mut [T],
) -> Result<T, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    check("hvp", "tangent", x, v)?;
    let (n, direction) = (dimension(x), stream(v));
    AdError::check_len("hvp", "gradient buffer", n, gradient.len())?;
    AdError::check_len("hvp", "product buffer", n, product.len())?;
    let mut value = None;
    for_each_set(
        x,
        chunks(0..n, LANES),
        |i, x| Dual::new(DualN::<T, LANES>::constant(x), DualN::constant(direction[i])),
        |point, chunk| {
            let (y, lanes) = (f(point), chunk.len());
            gradient[chunk.clone()].copy_from_slice(&y.value().tangents()[..lanes]);
            product[chunk].copy_from_slice(&y.tangent().tangents()[..lanes]);
            value.get_or_insert(y.value().value());
        },
    );
    Ok(value.expect("every point is visited"))
}

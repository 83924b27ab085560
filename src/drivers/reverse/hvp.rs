//! Hessian times vector, forward over reverse: one evaluation and one sweep on dual numbers.

use std::borrow::Borrow;

use super::super::expect;
use super::record;
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::{Number, Real};
use crate::reverse::Var;
use crate::space::{Components, Flat, check, dimension, stream};

/// `H(x)·v`, forward over reverse: one evaluation and one sweep on dual numbers.
///
/// The closure works at `Var<Dual<T>>`, `T` the number type of the point. The product has the
/// point's structure ([`space`](crate::space); on groups `H` is the Hessian of `v ↦ f(X·exp v)` at zero).
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
pub fn hvp<T, X, V>(f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>, x: &X, v: &V) -> X::Tangent
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
/// As [`hvp`].
///
/// ```
/// let (y, hv) = wengert::value_and_hvp(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
/// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
/// ```
#[track_caller]
pub fn value_and_hvp<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
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
pub fn value_gradient_and_hvp<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
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
/// use wengert::reverse;
/// let x = (1.0, vec![2.0, 3.0]);
/// let e = reverse::try_value_gradient_and_hvp(|x| x.0 * x.1[0], &x, &(1.0, vec![2.0])).unwrap_err();
/// assert_eq!(e.to_string(), "hvp: the tangent has length 1, expected 2");
/// ```
#[allow(clippy::type_complexity)]
pub fn try_value_gradient_and_hvp<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
    x: &X,
    v: &V,
) -> Result<(T, X::Tangent, X::Tangent), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    let (value, (gradient, product)) = sweep(f, x, v, |both| {
        let part = |part: fn(Dual<T>) -> T| {
            let mut next = both.iter().map(|&[c]| part(c));
            x.tangent_from(&mut || next.next().expect("a cotangent for each direction"))
        };
        (part(Dual::value), part(Dual::tangent))
    })?;
    Ok((value, gradient, product))
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
pub fn hvp_into<T, X, V>(f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>, x: &X, v: &V, out: &mut [T])
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(try_value_and_hvp_into(f, x, v, out));
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
pub fn value_and_hvp_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
    x: &X,
    v: &V,
    out: &mut [T],
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    expect(try_value_and_hvp_into(f, x, v, out))
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
pub fn value_gradient_and_hvp_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
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

/// [`value_gradient_and_hvp_into`] with an error instead of the panic; `f` is not called then.
///
/// # Errors
/// [`AdError::Shape`] ([`AdError::Dimensions`] of a matrix, [`AdError::Structure`] of a structure) if `v` has not the
/// shape of `x` or a buffer not its length.
///
/// ```
/// use wengert::reverse;
/// let (mut g, mut hv) = ([0.0; 2], [0.0; 2]);
/// let y = reverse::try_value_gradient_and_hvp_into(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0], &mut g, &mut hv);
/// assert_eq!((y, g, hv), (Ok(6.0), [3.0, 2.0], [0.0, 1.0]));
/// ```
pub fn try_value_gradient_and_hvp_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
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
    AdError::check_len("hvp", "gradient buffer", dimension(x), gradient.len())?;
    AdError::check_len("hvp", "product buffer", dimension(x), product.len())?;
    let write = |both: &[[Dual<T>; 1]]| {
        for ((g, p), [c]) in gradient.iter_mut().zip(product).zip(both) {
            (*g, *p) = (c.value(), c.tangent());
        }
    };
    Ok(sweep(f, x, v, write)?.0)
}

/// `H(x)·v` written to `out`; the value.
fn try_value_and_hvp_into<T, X, V>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
    x: &X,
    v: &V,
    out: &mut [T],
) -> Result<T, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    AdError::check_len("hvp", "product buffer", dimension(x), out.len())?;
    let write = |both: &[[Dual<T>; 1]]| out.iter_mut().zip(both).for_each(|(p, [c])| *p = c.tangent());
    Ok(sweep(f, x, v, write)?.0)
}

/// Evaluates along `v`, sweeps back, and shows gradient and product as one.
fn sweep<T, X, V, R>(
    f: impl FnOnce(&X::Arg<Var<Dual<T>>>) -> Var<Dual<T>>,
    x: &X,
    v: &V,
    read: impl FnOnce(&[[Dual<T>; 1]]) -> R,
) -> Result<(T, R), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    V: Components<T> + Flat + ?Sized,
{
    check("hvp", "tangent", x, v)?;
    let direction = stream(v);
    let (tape, point) = record(x, Dual::constant, |i, x| Dual::new(x, direction[i]));
    let y = f(point.borrow());
    let result = tape.pull([(y, [Dual::lit(1.0)])].into_iter(), |c| read(&c[..direction.len()]));
    Ok((y.value().value(), result))
}

//! Gradients in forward mode: eight directions in each pass.

use std::borrow::{Borrow, Cow};
use std::ops::Range;

use super::expect;
use crate::error::AdError;
use crate::forward::DualN;
use crate::number::Real;
use crate::space::{Carry, Components, carried, dimension, tangent_of};

/// Directions in one pass of a closure.
pub(super) const LANES: usize = 8;

/// `∇f(x)` in forward mode: `⌈n/8⌉` evaluations; best up to a few dozen variables.
///
/// The closure works at [`DualN<T, 8>`], `T` the number type of the point. The gradient has the point's
/// shape (`Vec` for a slice).
///
/// ```
/// use wengert::forward;
/// let rosenbrock = |x: &[wengert::DualN<f64, 8>]| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (1.0 - x[0]).powi(2);
/// let g = forward::gradient(rosenbrock, &[-1.2, 1.0]);
/// assert!((g[0] + 215.6).abs() < 1e-12 && (g[1] + 88.0).abs() < 1e-12);
/// # #[cfg(feature = "nalgebra")] {
/// let v = nalgebra::Vector3::new(1.0, 2.0, 2.0);
/// assert_eq!(forward::gradient(|x| x.norm(), &v), v / 3.0);
/// # }
/// ```
pub fn gradient<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> DualN<T, 8>,
    x: &X,
) -> X::Tangent {
    value_and_gradient(f, x).1
}

/// `(f(x), ∇f(x))`; otherwise as [`gradient`].
///
/// ```
/// let (y, g) = wengert::forward::value_and_gradient(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, g), (6.0, [3.0, 2.0]));
/// ```
pub fn value_and_gradient<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> DualN<T, 8>,
    x: &X,
) -> (T, X::Tangent) {
    // Up to eight directions are a part of the result.
    let mut lanes = [T::lit(0.0); LANES];
    let mut buffer = vec![T::lit(0.0); if x.count() > LANES { x.count() } else { 0 }];
    let components = if buffer.is_empty() { &mut lanes[..x.count()] } else { &mut buffer[..] };
    let value = partials(f, x, components);
    (value, tangent_of(x, &carried(x, Carry::Pull, Cow::Borrowed(components))))
}

/// [`gradient`] written to `out`.
///
/// # Panics
/// If `out` has not the length of `x`.
///
/// ```
/// let mut g = [0.0; 2];
/// wengert::forward::gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);
/// assert_eq!(g, [3.0, 2.0]);
/// ```
#[track_caller]
pub fn gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> DualN<T, 8>,
    x: &X,
    out: &mut [T],
) {
    value_and_gradient_into(f, x, out);
}

/// [`gradient`] written to `out`, returning the value.
///
/// # Panics
/// If `out` has not the length of `x`.
///
/// ```
/// let mut g = [0.0; 2];
/// let y = wengert::forward::value_and_gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);
/// assert_eq!((y, g), (6.0, [3.0, 2.0]));
/// ```
#[track_caller]
pub fn value_and_gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> DualN<T, 8>,
    x: &X,
    out: &mut [T],
) -> T {
    expect(try_value_and_gradient_into(f, x, out))
}

/// [`value_and_gradient_into`] with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Shape`] if `out` has not the length of `x`.
///
/// ```
/// let e = wengert::forward::try_value_and_gradient_into(|x| x[0], &[2.0, 3.0], &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "gradient: the gradient buffer has length 1, expected 2");
/// ```
pub fn try_value_and_gradient_into<T: Real, X: Components<T> + ?Sized>(
    f: impl FnMut(&X::Arg<DualN<T, 8>>) -> DualN<T, 8>,
    x: &X,
    out: &mut [T],
) -> Result<T, AdError> {
    AdError::check_len("gradient", "gradient buffer", dimension(x), out.len())?;
    if X::FLAT {
        return Ok(partials(f, x, out));
    }
    let mut components = vec![T::lit(0.0); x.count()];
    let value = partials(f, x, &mut components);
    out.copy_from_slice(&carried(x, Carry::Pull, Cow::Owned(components)));
    Ok(value)
}

/// The derivatives with respect to the components, eight at a time; the value.
fn partials<T: Real, X: Components<T> + ?Sized>(
    mut f: impl FnMut(&X::Arg<DualN<T, LANES>>) -> DualN<T, LANES>,
    x: &X,
    out: &mut [T],
) -> T {
    let mut point = x.map(&mut DualN::constant);
    let mut start = 0;
    loop {
        let chunk = start..out.len().min(start + LANES);
        reseed(&mut point, chunk.clone(), DualN::variable);
        let y = f(point.borrow());
        out[chunk.clone()].copy_from_slice(&y.tangents()[..chunk.len()]);
        if chunk.end == out.len() {
            return y.value();
        }
        reseed(&mut point, chunk.clone(), |value, _| DualN::constant(value));
        start = chunk.end;
    }
}

/// Seeds the components of `chunk` anew, each by its value and its place in it.
fn reseed<T: Real, P: Components<DualN<T, LANES>>>(
    point: &mut P,
    chunk: Range<usize>,
    seed: impl Fn(T, usize) -> DualN<T, LANES>,
) {
    if let Some(run) = point.contiguous_mut() {
        run[chunk].iter_mut().enumerate().for_each(|(lane, c)| *c = seed(c.value(), lane));
        return;
    }
    let mut i = 0;
    point.visit_mut(&mut |c| {
        if chunk.contains(&i) {
            *c = seed(c.value(), i - chunk.start);
        }
        i += 1;
    });
}

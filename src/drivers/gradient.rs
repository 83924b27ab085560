//! Gradients in forward mode: eight directions in each pass.

use super::chunks::{chunks, for_each_set, with_buffer};
use super::expect;
use crate::error::AdError;
use crate::forward::DualN;
use crate::number::Real;
use crate::space::{Components, dimension, tangent_of};

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
    with_buffer(dimension(x), |components| {
        let value = partials(f, x, components);
        (value, tangent_of(x, components))
    })
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
    Ok(partials(f, x, out))
}

/// The derivatives with respect to the components, eight at a time; the value.
fn partials<T: Real, X: Components<T> + ?Sized>(
    mut f: impl FnMut(&X::Arg<DualN<T, LANES>>) -> DualN<T, LANES>,
    x: &X,
    out: &mut [T],
) -> T {
    let mut value = None;
    for_each_set(
        x,
        chunks(0..out.len(), LANES),
        |_, x| DualN::<T, LANES>::constant(x),
        |point, chunk| {
            let (y, lanes) = (f(point), chunk.len());
            out[chunk].copy_from_slice(&y.tangents()[..lanes]);
            value.get_or_insert(y.value());
        },
    );
    value.expect("every point is visited")
}

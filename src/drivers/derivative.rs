//! Derivatives of functions of one variable.

use super::expect;
use super::products::{still, worth};
use crate::error::AdError;
use crate::forward::{Dual, HyperDual};
use crate::number::{Number, Real};
use crate::space::{Components, Differentiable, Flat, coordinates, stream};

/// The value of a result.
type Value<O, S, T> = <O as Components<S>>::With<T>;

/// The tangent of a result.
type Velocity<O, S, T> = <Value<O, S, T> as Differentiable>::Tangent;

/// `f′(x)` of a function of one variable, which may return a number, an array, a `Vec`, a vector or any structure of
/// numbers ([`space`](crate::space)).
///
/// The closure works at [`Dual<T>`], `T` the type of `x`: `f64`, or a number of an outer derivative.
///
/// ```
/// use wengert::derivative;
/// assert_eq!(derivative(|x| x.sin(), 0.5), 0.5f64.cos());
/// assert_eq!(derivative(|t| [t * t, t.recip()], 2.0), [4.0, -0.25]);
/// // d/dx [x · d/dy (x + y)] = 1: the inner derivative knows the outer variable as a constant.
/// assert_eq!(derivative(|x| x * derivative(|y| y + x, x), 1.0), 1.0);
/// ```
pub fn derivative<T: Real, O: Components<Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
) -> Velocity<O, Dual<T>, T> {
    value_and_derivative(f, x).1
}

/// `(f(x), f′(x))`; the closure works at [`Dual<T>`].
///
/// ```
/// let (y, dy) = wengert::value_and_derivative(|x| x.exp(), 1.0);
/// assert_eq!(y, dy);
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_derivative<T: Real, O: Components<Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
) -> (Value<O, Dual<T>, T>, Velocity<O, Dual<T>, T>) {
    worth(&f(Dual::variable(x)))
}

/// `f″(x)` of a function of one variable; the closure works at [`HyperDual<T>`].
///
/// Results are vectors of any structure. A curve of rotations has no second derivative in their tangents without a
/// choice, so it is refused at compile time: differentiate its velocity, or its matrix.
///
/// ```compile_fail,E0277
/// use wengert::{matrix::so3_exp, second_derivative};
/// second_derivative(|t| so3_exp(&nalgebra::vector![t, t, t]), 0.5);
/// ```
///
/// ```
/// assert_eq!(wengert::second_derivative(|x| x.powi(3), 2.0), 12.0);
/// ```
pub fn second_derivative<T: Real, O: Components<HyperDual<T>> + Flat>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
) -> Velocity<O, HyperDual<T>, T> {
    value_and_second_derivative(f, x).2
}

/// `(f(x), f′(x), f″(x))`; the closure works at [`HyperDual<T>`].
///
/// ```
/// let (y, dy, ddy) = wengert::value_and_second_derivative(|x| x.powi(3), 2.0);
/// assert_eq!((y, dy, ddy), (8.0, 12.0, 12.0));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_second_derivative<T: Real, O: Components<HyperDual<T>> + Flat>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
) -> (Value<O, HyperDual<T>, T>, Velocity<O, HyperDual<T>, T>, Velocity<O, HyperDual<T>, T>) {
    let y = f(HyperDual::variable(x));
    let (value, numbers) = (y.map(&mut HyperDual::value), stream(&y));
    let part = |part: fn(HyperDual<T>) -> T| {
        let mut next = numbers.iter().map(|&y| part(y));
        value.tangent_from(&mut || next.next().expect("as many as values"))
    };
    let (first, second) = (part(HyperDual::e1), part(HyperDual::e12));
    (value, first, second)
}

/// [`derivative`] of a function with several results, written to `out`; returns nothing else.
///
/// # Panics
/// If `out` has not the length of the result.
///
/// ```
/// let mut speed = [0.0; 2];
/// wengert::derivative_into(|t| [t.cos(), t.sin()], 0.0, &mut speed);
/// assert_eq!(speed, [0.0, 1.0]);
/// ```
#[track_caller]
pub fn derivative_into<T: Real, O: Components<Dual<T>>>(f: impl FnOnce(Dual<T>) -> O, x: T, out: &mut [T]) {
    expect(try_value_and_derivative_into(f, x, None, out));
}

/// [`value_and_derivative`] of a function with several results, written to `value` and `out`.
///
/// # Panics
/// If a buffer has not the length of the result.
///
/// ```
/// let (mut position, mut speed) = ([0.0; 2], [0.0; 2]);
/// wengert::value_and_derivative_into(|t| [t.cos(), t.sin()], 0.0, &mut position, &mut speed);
/// assert_eq!((position, speed), ([1.0, 0.0], [0.0, 1.0]));
/// ```
#[track_caller]
pub fn value_and_derivative_into<T: Real, O: Components<Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
    value: &mut [T],
    out: &mut [T],
) {
    expect(try_value_and_derivative_into(f, x, Some(value), out));
}

/// [`value_and_derivative_into`] with an error instead of the panic, nothing is written then; the value is wanted or
/// not.
///
/// # Errors
/// [`AdError::Shape`] if a buffer has not the length of the result.
///
/// ```
/// let e = wengert::try_value_and_derivative_into(|t| [t, t], 1.0, None, &mut [0.0]).unwrap_err();
/// assert_eq!(e.to_string(), "derivative: the derivative buffer has length 1, expected 2");
/// ```
pub fn try_value_and_derivative_into<T: Real, O: Components<Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
    value: Option<&mut [T]>,
    out: &mut [T],
) -> Result<(), AdError> {
    let y = f(Dual::variable(x));
    let (numbers, rows) = (stream(&y), coordinates(&y, still));
    AdError::check_len("derivative", "derivative buffer", rows.len(), out.len())?;
    fill("derivative", &numbers, [(value, "value buffer")], [|y| y.value()])?;
    out.iter_mut().zip(rows.iter()).for_each(|(slot, y)| *slot = y.tangent());
    Ok(())
}

/// [`second_derivative`] of a function with several results, written to `out`.
///
/// # Panics
/// If `out` has not the length of the result.
///
/// ```
/// let mut acceleration = [0.0; 2];
/// wengert::second_derivative_into(|t| [t * t * t, t.exp()], 0.0, &mut acceleration);
/// assert_eq!(acceleration, [0.0, 1.0]);
/// ```
#[track_caller]
pub fn second_derivative_into<T: Real, O: Components<HyperDual<T>> + Flat>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
    out: &mut [T],
) {
    expect(try_value_and_second_derivative_into(f, x, None, None, out));
}

/// [`value_and_second_derivative`] of a function with several results, written to `value`, `first` and `second`.
///
/// # Panics
/// If a buffer has not the length of the result.
///
/// ```
/// let (mut y, mut dy, mut ddy) = ([0.0], [0.0], [0.0]);
/// wengert::value_and_second_derivative_into(|t| t.powi(3), 2.0, &mut y, &mut dy, &mut ddy);
/// assert_eq!((y, dy, ddy), ([8.0], [12.0], [12.0]));
/// ```
#[track_caller]
pub fn value_and_second_derivative_into<T: Real, O: Components<HyperDual<T>> + Flat>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
    value: &mut [T],
    first: &mut [T],
    second: &mut [T],
) {
    expect(try_value_and_second_derivative_into(f, x, Some(value), Some(first), second));
}

/// [`value_and_second_derivative_into`] with an error instead of the panic, nothing is written then; value and first
/// derivative are wanted or not.
///
/// # Errors
/// [`AdError::Shape`] if a buffer has not the length of the result.
///
/// ```
/// let mut ddy = [0.0];
/// assert!(wengert::try_value_and_second_derivative_into(|t| t.powi(3), 2.0, None, None, &mut ddy).is_ok());
/// assert_eq!(ddy, [12.0]);
/// ```
pub fn try_value_and_second_derivative_into<T: Real, O: Components<HyperDual<T>> + Flat>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
    value: Option<&mut [T]>,
    first: Option<&mut [T]>,
    second: &mut [T],
) -> Result<(), AdError> {
    let y = f(HyperDual::variable(x));
    let slots = [(value, "value buffer"), (first, "first buffer"), (Some(second), "derivative buffer")];
    fill("second_derivative", &stream(&y), slots, [|y| y.value(), |y| y.e1(), |y| y.e12()])
}

/// Writes the parts of the results to the buffers that are wanted, after a look at the length of each.
fn fill<T: Real, N: Number, const K: usize>(
    op: &'static str,
    y: &[N],
    slots: [(Option<&mut [T]>, &'static str); K],
    parts: [fn(N) -> T; K],
) -> Result<(), AdError> {
    for (slot, what) in &slots {
        AdError::check_len(op, what, y.len(), slot.as_ref().map_or(y.len(), |s| s.len()))?;
    }
    for ((slot, _), part) in slots.into_iter().zip(parts) {
        slot.into_iter().flatten().zip(y).for_each(|(slot, &y)| *slot = part(y));
    }
    Ok(())
}

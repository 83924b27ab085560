//! Derivatives of functions of one variable.

use super::{expect, shape::Shape};
use crate::error::AdError;
use crate::forward::{Dual, HyperDual};
use crate::number::Real;

/// `f′(x)` of a function of one variable, which may return a number, an array, a `Vec` or a vector.
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
pub fn derivative<T: Real, O: Shape<Scalar = Dual<T>>>(f: impl FnOnce(Dual<T>) -> O, x: T) -> O::With<T> {
    let y = f(Dual::variable(x));
    y.same_shape(|i| y.scalars()[i].tangent())
}

/// `(f(x), f′(x))`; the closure works at [`Dual<T>`].
///
/// ```
/// let (y, dy) = wengert::value_and_derivative(|x| x.exp(), 1.0);
/// assert_eq!(y, dy);
/// ```
pub fn value_and_derivative<T: Real, O: Shape<Scalar = Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
) -> (O::With<T>, O::With<T>) {
    let y = f(Dual::variable(x));
    (y.same_shape(|i| y.scalars()[i].value()), y.same_shape(|i| y.scalars()[i].tangent()))
}

/// `f″(x)` of a function of one variable; the closure works at [`HyperDual<T>`].
///
/// ```
/// assert_eq!(wengert::second_derivative(|x| x.powi(3), 2.0), 12.0);
/// ```
pub fn second_derivative<T: Real, O: Shape<Scalar = HyperDual<T>>>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
) -> O::With<T> {
    let y = f(HyperDual::variable(x));
    y.same_shape(|i| y.scalars()[i].e12())
}

/// `(f(x), f′(x), f″(x))`; the closure works at [`HyperDual<T>`].
///
/// ```
/// let (y, dy, ddy) = wengert::value_and_second_derivative(|x| x.powi(3), 2.0);
/// assert_eq!((y, dy, ddy), (8.0, 12.0, 12.0));
/// ```
pub fn value_and_second_derivative<T: Real, O: Shape<Scalar = HyperDual<T>>>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
) -> (O::With<T>, O::With<T>, O::With<T>) {
    let y = f(HyperDual::variable(x));
    let y = &y;
    (
        y.same_shape(|i| y.scalars()[i].value()),
        y.same_shape(|i| y.scalars()[i].e1()),
        y.same_shape(|i| y.scalars()[i].e12()),
    )
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
pub fn derivative_into<T: Real, O: Shape<Scalar = Dual<T>>>(
    f: impl FnOnce(Dual<T>) -> O,
    x: T,
    out: &mut [T],
) {
    let y = f(Dual::variable(x));
    expect(AdError::check_len("derivative", "derivative buffer", y.scalars().len(), out.len()));
    for (slot, y) in out.iter_mut().zip(y.scalars()) {
        *slot = y.tangent();
    }
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
pub fn second_derivative_into<T: Real, O: Shape<Scalar = HyperDual<T>>>(
    f: impl FnOnce(HyperDual<T>) -> O,
    x: T,
    out: &mut [T],
) {
    let y = f(HyperDual::variable(x));
    expect(AdError::check_len("second_derivative", "derivative buffer", y.scalars().len(), out.len()));
    for (slot, y) in out.iter_mut().zip(y.scalars()) {
        *slot = y.e12();
    }
}

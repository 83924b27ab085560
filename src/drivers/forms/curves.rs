//! Free functions of curves, functions of one variable: their derivatives are always in forward mode.

use super::{expect, request};
use crate::drivers::call::{Closure, check};
use crate::drivers::mode::Given;
use crate::drivers::modes::Forward;
use crate::drivers::nesting::enter;
use crate::drivers::sinks::{Buffer, SmallBuffer, StructureBuffer, Structured, ValueSink};
use crate::drivers::work::{Value, Velocity, seen};
use crate::duals::{Dual, Taylor};
use crate::number::Real;
use crate::space::{Components, PairLayout, SelfTangent, tangent_of};

/// `f′(x)` of a function of one variable, which may return a number, an array, a `Vec`, a vector or any structure
/// of numbers ([`space`](crate::space)).
///
/// One evaluation at [`Dual<T>`], `T` the type of `x`: `f64`, or a number of an outer derivative. If the closure calls a
/// method of a result such as `1.0 + x`, give the point a type, `2.0_f64`: the compiler does not infer the result's.
///
/// ```
/// use wengert::forward::derivative;
/// assert_eq!(derivative(|x| x.sin(), 0.5), 0.5f64.cos());
/// assert_eq!(derivative(|x| (1.0 + x).sqrt(), 3.0_f64), 0.25);
/// assert_eq!(derivative(|t| [t * t, t.recip()], 2.0), [4.0, -0.25]);
/// ```
///
/// # Nested derivatives
/// The point of a derivative inside another one must be a number of the outer derivative. Then `x` is a constant of the inner
/// derivative. At a plain point both have numbers of the same type, and the inner derivative would count `x` as a part of `y`;
/// so would an inner [`hvp`](crate::hvp()), whose number contains the outer type. Both panic: such an inner function is evaluated
/// at constants first, and its result may have no tangents.
///
/// ```
/// use wengert::{Dual, forward::derivative};
/// // d/dx [x · d/dy (y·x) at y = 2] = 2x
/// assert_eq!(derivative(|x| x * derivative(|y| y * x, Dual::constant(2.0)), 3.0), 6.0);
/// ```
#[inline]
#[track_caller]
pub fn derivative<T: Real, O: Components<Dual<T>>>(
    f: impl FnMut(Dual<T>) -> O,
    x: T,
) -> Velocity<O, Dual<T>, T, PairLayout> {
    value_and_derivative(f, x).1
}

/// `(f(x), f′(x))`; otherwise as [`derivative`].
///
/// ```
/// let (y, dy) = wengert::forward::value_and_derivative(|x| x.exp(), 1.0);
/// assert_eq!(y, dy);
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_and_derivative<T: Real, O: Components<Dual<T>>>(
    mut f: impl FnMut(Dual<T>) -> O,
    x: T,
) -> (Value<O, Dual<T>, T, PairLayout>, Velocity<O, Dual<T>, T, PairLayout>) {
    let f = Closure(|x: &Dual<T>| f(*x));
    request("derivative", Forward, &x, |work| work.pushed(f, Given::new(&[T::lit(1.0)], 1)))
}

/// [`derivative`] written to `out`; returns the value.
///
/// # Panics
/// If `out` does not have the length of the result.
///
/// ```
/// let mut speed = [0.0; 2];
/// let place = wengert::forward::derivative_into(|t| [t.cos(), t.sin()], 0.0, &mut speed);
/// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
/// ```
#[inline]
#[track_caller]
pub fn derivative_into<T: Real, O: Components<Dual<T>>, V: Components<T> + SelfTangent + ?Sized>(
    mut f: impl FnMut(Dual<T>) -> O,
    x: T,
    out: &mut V,
) -> Value<O, Dual<T>, T, PairLayout> {
    let (f, one) = (Closure(|x: &Dual<T>| f(*x)), [T::lit(1.0)]);
    request("derivative", Forward, &x, |work| {
        let value = Structured::new();
        Ok(seen(work.pushed_onto(f, Given::new(&one, 1), value, "derivative buffer", out)?.0))
    })
}

/// The result of a function of one variable at a series of order `K`.
#[inline]
#[track_caller]
pub(in crate::drivers) fn series_of<T: Real, O: Components<Taylor<T, K>>, const K: usize>(
    op: &'static str,
    mut f: impl FnMut(Taylor<T, K>) -> O,
    x: T,
) -> O {
    expect(check::<T, _, PairLayout, _, _>(op, &x, &mut Closure(|x: &Taylor<T, K>| f(*x))));
    let _level = enter::<T, Taylor<T, K>>();
    f(Taylor::variable(x))
}

/// The derivative of order `k` of each component of a result.
#[inline]
fn derivative_of<T: Real, O: Components<Taylor<T, K>>, const K: usize>(
    y: &O,
    value: &Value<O, Taylor<T, K>, T, PairLayout>,
    k: usize,
) -> Velocity<O, Taylor<T, K>, T, PairLayout> {
    if O::SINGLE {
        let mut only = T::lit(0.0);
        y.visit(&mut |y| only = y.derivatives()[k - 1]);
        return value.tangent_from(&mut || only);
    }
    let mut buffer = SmallBuffer::new();
    buffer.set_len(y.count());
    let mut slots = buffer.slots().iter_mut();
    y.visit(&mut |y| *slots.next().expect("counted before") = y.derivatives()[k - 1]);
    tangent_of(value, buffer.slots())
}

/// `f″(x)` of a function of one variable.
///
/// One evaluation at [`Taylor<T, 2>`](Taylor), `T` the type of `x`.
///
/// ```
/// assert_eq!(wengert::forward::second_derivative(|x| x.powi(3), 2.0), 12.0);
/// ```
///
/// Results are vectors of any structure. A curve of rotations has no second derivative in their tangents without a
/// choice, so it is refused at compile time: differentiate its velocity, or its matrix.
///
/// ```compile_fail,E0277
/// use wengert::{matrix::so3_exp, forward::second_derivative};
/// second_derivative(|t| so3_exp(&nalgebra::vector![t, t, t]), 0.5);
/// ```
#[inline]
#[track_caller]
pub fn second_derivative<T: Real, O: Components<Taylor<T, 2>> + SelfTangent>(
    f: impl FnMut(Taylor<T, 2>) -> O,
    x: T,
) -> Velocity<O, Taylor<T, 2>, T, PairLayout> {
    let y = series_of("second_derivative", f, x);
    derivative_of(&y, &y.map(&mut |y| y.value()), 2)
}

/// `(f(x), f′(x), f″(x))`; otherwise as [`second_derivative`].
///
/// ```
/// let all = wengert::forward::value_and_second_derivative(|x| x.powi(3), 2.0);
/// assert_eq!(all, (8.0, 12.0, 12.0));
/// ```
#[inline]
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_and_second_derivative<T: Real, O: Components<Taylor<T, 2>> + SelfTangent>(
    f: impl FnMut(Taylor<T, 2>) -> O,
    x: T,
) -> (
    Value<O, Taylor<T, 2>, T, PairLayout>,
    Velocity<O, Taylor<T, 2>, T, PairLayout>,
    Velocity<O, Taylor<T, 2>, T, PairLayout>,
) {
    let y = series_of("second_derivative", f, x);
    let value = y.map(&mut |y| y.value());
    let [first, second] = [1, 2].map(|k| derivative_of(&y, &value, k));
    (value, first, second)
}

/// [`second_derivative`] written to `out`; returns the value.
///
/// # Panics
/// If `out` does not have the length of the result.
///
/// ```
/// use wengert::forward::second_derivative_into;
/// let mut acceleration = [0.0; 2];
/// second_derivative_into(|t| [t * t * t, t.exp()], 0.0, &mut acceleration);
/// assert_eq!(acceleration, [0.0, 1.0]);
/// ```
#[inline]
#[track_caller]
pub fn second_derivative_into<
    T: Real,
    O: Components<Taylor<T, 2>> + SelfTangent,
    V: Components<T> + SelfTangent + ?Sized,
>(
    f: impl FnMut(Taylor<T, 2>) -> O,
    x: T,
    out: &mut V,
) -> Value<O, Taylor<T, 2>, T, PairLayout> {
    let op = "second_derivative";
    let y = series_of(op, f, x);
    let mut buffer = StructureBuffer::new("derivative buffer", out);
    expect(ValueSink::keep(&mut buffer, op, &y, 1, &|y: Taylor<T, 2>| y.derivatives()[1]));
    ValueSink::<T, Taylor<T, 2>, O>::finish(&mut buffer);
    y.map(&mut |y| y.value())
}

/// `f‴(x)` of a function of one variable.
///
/// One evaluation at [`Taylor<T, 3>`](Taylor); [`series::derivatives`](crate::series::derivatives) has all lower
/// orders too.
///
/// ```
/// use wengert::third_derivative;
/// assert_eq!(third_derivative(|x| x.powi(4), 2.0), 48.0);
/// assert_eq!(third_derivative(|x| [x.exp(), x * x], 0.0), [1.0, 0.0]);
/// ```
#[inline]
#[track_caller]
pub fn third_derivative<T: Real, O: Components<Taylor<T, 3>> + SelfTangent>(
    f: impl FnMut(Taylor<T, 3>) -> O,
    x: T,
) -> Velocity<O, Taylor<T, 3>, T, PairLayout> {
    let y = series_of("third_derivative", f, x);
    derivative_of(&y, &y.map(&mut |y| y.value()), 3)
}

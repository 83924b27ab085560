//! Free functions of curves, functions of one variable: their derivatives are always in forward mode.

use super::request;
use crate::drivers::call::Closure;
use crate::drivers::mode::{Given, Units};
use crate::drivers::modes::{Forward, Packed};
use crate::drivers::sinks::{Buffer, SmallBuffer, StructureBuffer, Structured};
use crate::drivers::work::{Value, Velocity, seen};
use crate::duals::{Dual, Dual2};
use crate::number::Real;
use crate::space::{Components, PairLayout, SelfTangent, tangent_of};

/// `f′(x)` of a function of one variable, which may return a number, an array, a `Vec`, a vector or any structure
/// of numbers ([`space`](crate::space)).
///
/// One evaluation at [`Dual<T>`], `T` the type of `x`: `f64`, or a number of an outer derivative.
///
/// ```
/// use wengert::forward::derivative;
/// assert_eq!(derivative(|x| x.sin(), 0.5), 0.5f64.cos());
/// assert_eq!(derivative(|t| [t * t, t.recip()], 2.0), [4.0, -0.25]);
/// ```
///
/// # Nested derivatives
/// The point of a derivative inside another one must be a number of the outer derivative. Then `x` is a constant of the inner
/// derivative. At a plain point both have numbers of the same type, and the inner derivative would count `x` as a part of `y`;
/// so would an inner [`hvp`](crate::hvp()), whose number contains the outer type. Builds with debug assertions evaluate an
/// inner function at constants first, and panic; without them the result is wrong.
///
/// ```
/// use wengert::{Dual, forward::derivative};
/// // d/dx [x · d/dy (y·x) at y = 2] = 2x
/// assert_eq!(derivative(|x| x * derivative(|y| y * x, Dual::constant(2.0)), 3.0), 6.0);
/// ```
#[inline]
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

/// `f″(x)` of a function of one variable.
///
/// One evaluation at [`Dual2<T, 1, 1>`](Dual2), `T` the type of `x`.
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
pub fn second_derivative<T: Real, O: Components<Dual2<T, 1, 1>> + SelfTangent>(
    f: impl FnMut(Dual2<T, 1, 1>) -> O,
    x: T,
) -> Velocity<O, Dual2<T, 1, 1>, T, PairLayout> {
    value_and_second_derivative(f, x).2
}

/// `(f(x), f′(x), f″(x))`; otherwise as [`second_derivative`].
///
/// ```
/// let all = wengert::forward::value_and_second_derivative(|x| x.powi(3), 2.0);
/// assert_eq!(all, (8.0, 12.0, 12.0));
/// ```
#[inline]
#[allow(clippy::type_complexity)]
pub fn value_and_second_derivative<T: Real, O: Components<Dual2<T, 1, 1>> + SelfTangent>(
    mut f: impl FnMut(Dual2<T, 1, 1>) -> O,
    x: T,
) -> (
    Value<O, Dual2<T, 1, 1>, T, PairLayout>,
    Velocity<O, Dual2<T, 1, 1>, T, PairLayout>,
    Velocity<O, Dual2<T, 1, 1>, T, PairLayout>,
) {
    let f = Closure(|x: &Dual2<T, 1, 1>| f(*x));
    request("second_derivative", Packed::<1, 1>, &x, |work| {
        let (value, mut first, mut second) =
            work.second(f, &Units::all(), Structured::new(), SmallBuffer::new(), SmallBuffer::new())?;
        let value = seen(value.0);
        let (first, second) = (tangent_of(&value, first.slots()), tangent_of(&value, second.slots()));
        Ok((value, first, second))
    })
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
    O: Components<Dual2<T, 1, 1>> + SelfTangent,
    V: Components<T> + SelfTangent + ?Sized,
>(
    mut f: impl FnMut(Dual2<T, 1, 1>) -> O,
    x: T,
    out: &mut V,
) -> Value<O, Dual2<T, 1, 1>, T, PairLayout> {
    let f = Closure(|x: &Dual2<T, 1, 1>| f(*x));
    request("second_derivative", Packed::<1, 1>, &x, |work| {
        let out = StructureBuffer::new("derivative buffer", out);
        Ok(seen(work.second(f, &Units::all(), Structured::new(), (), out)?.0.0))
    })
}

/// `f‴(x)` of a function of one variable: the derivative of its second derivative, one evaluation at
/// `Dual2<Dual<T>, 1, 1>`. Higher derivatives nest in the same way.
///
/// ```
/// use wengert::third_derivative;
/// assert_eq!(third_derivative(|x| x.powi(4), 2.0), 48.0);
/// assert_eq!(third_derivative(|x| [x.exp(), x * x], 0.0), [1.0, 0.0]);
/// ```
#[inline]
pub fn third_derivative<T: Real, O>(
    mut f: impl FnMut(Dual2<Dual<T>, 1, 1>) -> O,
    x: T,
) -> Velocity<Second<O, T>, Dual<T>, T, PairLayout>
where
    O: Components<Dual2<Dual<T>, 1, 1>> + SelfTangent,
    Second<O, T>: Components<Dual<T>>,
{
    derivative(|t: Dual<T>| second_derivative(&mut f, t), x)
}

/// The second derivative that [`third_derivative`] differentiates.
pub type Second<O, T> = Velocity<O, Dual2<Dual<T>, 1, 1>, Dual<T>, PairLayout>;

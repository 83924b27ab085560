//! One function for every mode: the mode and its lanes are chosen by the number of variables.

use super::call::{Callable, Object, indirect};
#[cfg(feature = "nalgebra")]
use super::forms::expect;
use super::forms::request;
use super::mode::Pass;
use super::modes::{ForwardChunk, Reverse};
use std::borrow::{Borrow, BorrowMut};

use crate::number::{Real, Scalar};
use crate::space::{Components, PairLayout};
#[cfg(feature = "nalgebra")]
use {
    super::mode::Units,
    super::modes::{Packed, SecondOrder, SecondPass},
    super::sinks::StructureBuffer,
    crate::error::AdError,
    crate::space::Shape,
    nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator},
};

/// Forward mode with the least width that has room for `$n` directions, up to twelve, and the number of directions;
/// beyond, the given mode. Counted in instructions: nine directions cost 1.5 to 1.7 times as much by eight lanes, in
/// two evaluations, as by twelve lanes; six directions cost 1.2 times as much by eight lanes as by six.
macro_rules! of_width {
    ($n:expr, $len:expr, $request:ident, $beyond:expr) => {
        of_width!(@ $n, $len, $request, $beyond; 0 by 1, 1 by 1, 2 by 2, 3 by 3, 4 by 4, 5 by 6, 6 by 6, 7 by 8, 8 by 8,
            9 by 12, 10 by 12, 11 by 12, 12 by 12)
    };
    (@ $n:expr, $len:expr, $request:ident, $beyond:expr; $($k:literal by $lanes:literal),*) => {
        match $n {
            $($k if may_be!($len, $k) => $request!(ForwardChunk::<$lanes>, $k),)*
            _ if may_be!($len, 13..) => $request!($beyond),
            _ => unreachable!("the length of an array"),
        }
    };
}

/// Whether a length may be one of these. For an array it is a constant, so one mode is compiled.
macro_rules! may_be {
    ($len:expr, $n:pat) => {
        const { matches!($len, None | Some($n)) }
    };
}

/// A point of few variables: as an array, its numbers are on the stack, and the loops over it have known lengths.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn few<T, const N: usize>(x: &[T]) -> &[T; N] {
    x.try_into().expect("as many as the arm of the match says")
}

/// Writes the gradient by a mode; returns the value. It is not inlined, here and below: so arrays and slices share it, and the
/// function has one caller for each of its number types, into which the compiler puts it.
#[inline(never)]
#[track_caller]
fn gradient_onto<T: Real, M: Pass, X: Components<T> + ?Sized>(
    mode: M,
    f: impl Callable<M::Number<T>, X::Arg<M::Number<T>>, Out = M::Number<T>>,
    x: &X,
    out: &mut [T],
) -> T {
    request::<_, T, PairLayout, _, _>("gradient", mode, x, |work| work.gradient_onto(f, out))
}

/// The variables of a [`Function`]: an array, a `Vec` or a slice. Gradients and Hessians at an array have its size and lie
/// on the stack; at others they are a `Vec` and a `DMatrix`.
///
/// ```
/// use wengert::{Function, function};
/// let f = function!(|x| x[0] * x[1]);
/// let of_array: [f64; 2] = f.gradient(&[2.0, 3.0]);
/// let of_slice: Vec<f64> = f.gradient(&[2.0, 3.0][..]);
/// assert_eq!(of_slice, of_array);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of variables",
    note = "a function object takes an array, a `Vec` or a slice of numbers over `f64`: of a vector of nalgebra pass `x.as_slice()`"
)]
pub trait Variables<T: Real>: Components<T, Tangent: BorrowMut<[T]>> + Borrow<[T]> {}

impl<T: Real, X: Components<T, Tangent: BorrowMut<[T]>> + Borrow<[T]> + ?Sized> Variables<T> for X {}

/// A function ℝⁿ → ℝ at every number type over `f64`, so that derivatives choose theirs: the macro
/// [`function!`](crate::function) writes one; for a struct of your data implement the trait, in plain code under
/// [`#[generic]`](macro@crate::generic).
///
/// Its methods choose mode and lanes by the number of variables. At an array they compile one mode; at a slice or a `Vec`
/// they compile the modes of all sizes, which takes several times as long. No operator of a closure can do so, because a
/// closure has one number type. To choose them yourself, or to keep memory between calls, pass the function to an
/// operator of [`prepare`](crate::prepare) by `of_object`. The point may have numbers with derivatives: in generic code a
/// Hessian of an object is differentiated further. For products one mode is best at every size: `jvp(|x|
/// f.call(x), &x, &v)`, `hvp(|x| f.call(x), &x, &v)`.
///
/// ```
/// use wengert::{Function, Scalar};
/// struct Distance { to: [f64; 2] }
/// impl Function for Distance {
///     fn call<T: Scalar>(&self, x: &[T]) -> T {
///         (x[0] - self.to[0]).hypot(x[1] - self.to[1])
///     }
/// }
/// let d = Distance { to: [1.0, 1.0] };
/// assert_eq!(d.value_and_gradient(&[4.0, 5.0]), (5.0, [0.6, 0.8]));
/// # #[cfg(feature = "nalgebra")] {
/// assert!((d.hessian(&[4.0, 5.0])[(0, 0)] - 0.128).abs() < 1e-15);
/// // The trace of the Hessian is 1/d, its derivative along the first variable −(x − 1)/d³.
/// let trace = |x: wengert::Dual<f64>| d.hessian(&[x, 5.0.into()]).trace();
/// assert!((wengert::derivative(trace, 4.0) + 3.0 / 125.0).abs() < 1e-15);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function at every number",
    note = "write `function!(|x| …)`; a closure works at one type of numbers only"
)]
pub trait Function {
    /// The function.
    fn call<T: Scalar>(&self, x: &[T]) -> T;

    /// `∇f(x)`, in one evaluation: forward mode for up to 12 variables, reverse mode beyond.
    ///
    /// ```
    /// use wengert::{Function, function};
    /// let f = function!(|x| x[0] * x[0] * x[1]);
    /// assert_eq!(f.gradient(&[2.0, 3.0]), [12.0, 4.0]);
    /// ```
    fn gradient<T: Scalar, X: Variables<T> + ?Sized>(&self, x: &X) -> X::Tangent {
        self.value_and_gradient(x).1
    }
    /// `(f(x), ∇f(x))`.
    fn value_and_gradient<T: Scalar, X: Variables<T> + ?Sized>(&self, x: &X) -> (T, X::Tangent) {
        let mut out = x.tangent_from(&mut || T::lit(0.0));
        (self.gradient_into(x, out.borrow_mut()), out)
    }
    /// Writes `∇f(x)` to `out`; returns `f(x)`. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If `out` does not have the length of `x`.
    /// ```
    /// use wengert::{Function, function};
    /// let (f, mut g) = (function!(|x| x[0] * x[1]), [0.0; 2]);
    /// assert_eq!(f.gradient_into(&[2.0, 3.0], &mut g), 6.0);
    /// assert_eq!(g, [3.0, 2.0]);
    /// ```
    #[track_caller]
    fn gradient_into<T: Scalar, X: Variables<T> + ?Sized>(&self, x: &X, out: &mut [T]) -> T {
        let x: &[T] = x.borrow();
        macro_rules! gradient {
            ($mode:expr, $n:literal) => {
                gradient!(@ $mode, few::<_, $n>(x))
            };
            ($mode:expr) => {
                gradient!(@ $mode, x)
            };
            (@ $mode:expr, $x:expr) => {{
                let f = Object(self);
                indirect!(f);
                gradient_onto($mode, f, $x, out)
            }};
        }
        of_width!(x.len(), X::LEN, gradient, Reverse)
    }
    /// `H(x)`; packed numbers for up to 4 variables, forward over reverse beyond, in `⌈n/12⌉` evaluations.
    /// ```
    /// use wengert::{Function, function};
    /// let f = function!(|x| x[0] * x[0] * x[1]);
    /// assert_eq!(f.hessian(&[2.0, 3.0]), nalgebra::matrix![6.0, 4.0; 4.0, 0.0]);
    /// ```
    #[cfg(feature = "nalgebra")]
    fn hessian<T: Scalar, X: Variables<T> + Shape<T> + ?Sized>(&self, x: &X) -> OMatrix<T, X::Dim, X::Dim>
    where
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        self.value_gradient_and_hessian(x).2
    }
    /// `(f(x), ∇f(x), H(x))`.
    #[cfg(feature = "nalgebra")]
    #[allow(clippy::type_complexity)]
    fn value_gradient_and_hessian<T: Scalar, X: Variables<T> + Shape<T> + ?Sized>(
        &self,
        x: &X,
    ) -> (T, X::Tangent, OMatrix<T, X::Dim, X::Dim>)
    where
        DefaultAllocator: Allocator<X::Dim, X::Dim>,
    {
        let n = X::Dim::from_usize(x.borrow().len());
        let (mut gradient, mut hessian) = (x.tangent_from(&mut || T::lit(0.0)), OMatrix::zeros_generic(n, n));
        let value = second_order(self, x, gradient.borrow_mut(), hessian.as_mut_slice());
        (value, gradient, hessian)
    }
    /// Writes `∇f(x)` and `H(x)` to buffers; returns `f(x)`. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If a buffer does not fit.
    /// ```
    /// use wengert::{Function, function};
    /// let f = function!(|x| x[0] * x[0] * x[1]);
    /// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
    /// assert_eq!(f.value_gradient_and_hessian_into(&[2.0, 3.0], &mut g, &mut h), 12.0);
    /// assert_eq!((g, h), ([12.0, 4.0], nalgebra::dmatrix![6.0, 4.0; 4.0, 0.0]));
    /// ```
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_gradient_and_hessian_into<T: Scalar, X: Variables<T> + ?Sized, R: Dim, C: Dim>(
        &self,
        x: &X,
        gradient: &mut [T],
        hessian: &mut OMatrix<T, R, C>,
    ) -> T
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let n = x.borrow().len();
        expect(AdError::check_dimensions("hessian", "buffer", (n, n), hessian.shape()));
        second_order(self, x, gradient, hessian.as_mut_slice())
    }
}

/// Writes the gradient and the Hessian by a mode; returns the value.
#[cfg(feature = "nalgebra")]
#[inline(never)]
#[track_caller]
fn hessian_onto<T: Real, M: SecondPass, X: Components<T> + ?Sized>(
    mode: M,
    f: impl Callable<M::Number<T>, X::Arg<M::Number<T>>, Out = M::Number<T>>,
    x: &X,
    gradient: &mut [T],
    hessian: &mut [T],
) -> T {
    request::<_, T, PairLayout, _, _>("hessian", mode, x, |work| {
        let gradient = StructureBuffer::<T, _, PairLayout>::new("gradient buffer", gradient);
        Ok(work.curvature(f, &Units::all(), gradient, hessian)?.0)
    })
}

/// Writes the gradient, and the Hessian column by column; returns the value. A mode of the tape takes a compiler 2 to 3 s,
/// so slices have none of six lanes: 5 and 6 variables cost up to 1.2 times as much there. Eight lanes twice take 0.8 to 1.15
/// of the time of sixteen.
#[cfg(feature = "nalgebra")]
#[track_caller]
fn second_order<T: Scalar, F: Function + ?Sized, X: Variables<T> + ?Sized>(
    f: &F,
    x: &X,
    gradient: &mut [T],
    hessian: &mut [T],
) -> T {
    let x: &[T] = x.borrow();
    macro_rules! hessian {
        ($mode:expr, $x:expr) => {
            hessian_onto($mode, Object(f), $x, gradient, hessian)
        };
    }
    match x.len() {
        0 if may_be!(X::LEN, 0) => hessian!(Packed::<1, 1>, few::<_, 0>(x)),
        1 if may_be!(X::LEN, 1) => hessian!(Packed::<1, 1>, few::<_, 1>(x)),
        2 if may_be!(X::LEN, 2) => hessian!(Packed::<2, 3>, few::<_, 2>(x)),
        3 if may_be!(X::LEN, 3) => hessian!(Packed::<3, 6>, few::<_, 3>(x)),
        4 if may_be!(X::LEN, 4) => hessian!(Packed::<4, 10>, few::<_, 4>(x)),
        5 | 6 if const { matches!(X::LEN, Some(5 | 6)) } => {
            hessian!(SecondOrder(ForwardChunk::<6>, Reverse), x)
        }
        5..=8 | 13..=16 if may_be!(X::LEN, 7 | 8 | 13..=16) => {
            hessian!(SecondOrder(ForwardChunk::<8>, Reverse), x)
        }
        _ if may_be!(X::LEN, 9..=12 | 17..) => hessian!(SecondOrder(ForwardChunk::<12>, Reverse), x),
        _ => unreachable!("the length of an array"),
    }
}

impl<F: Function + ?Sized> Function for &F {
    fn call<T: Scalar>(&self, x: &[T]) -> T {
        (**self).call(x)
    }
}

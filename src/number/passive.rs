//! Types without derivatives, as far as the compiler can tell.

/// A value that a rule may capture: it contains no number with a derivative. The compiler derives the trait for
/// closures and structs from their contents.
///
/// The formulas of a rule differentiate its groups of arguments. A captured number with a derivative would be a
/// constant to them, and its derivative would be lost silently, so it does not compile:
///
/// ```compile_fail,E0277
/// use wengert::{gradient, primitive::{call, from_vjp}};
/// let scaled = |a: wengert::Var<f64>, x| {
///     let value = move |x: &[&[f64]]| vec![a.value() * x[0][0]];
///     let rule = from_vjp("scaled", 1, value, move |_, w| vec![vec![a.value() * w[0]]]);
///     // error: a rule cannot capture `Var<f64>`, whose derivative would be lost
///     call(&rule, &[&[x]]).unwrap()[0]
/// };
/// gradient(|p| scaled(p[0], p[1]), &[2.0, 3.0]);
/// ```
///
/// Pass numbers to be differentiated in a group. To hold a number constant, capture its `.value()`:
///
/// ```
/// use wengert::{gradient, primitive::{call, from_vjp}};
/// let product = from_vjp("product", 2, |x| vec![x[0][0] * x[1][0]],
///     |x, w| vec![vec![x[1][0] * w[0]], vec![x[0][0] * w[0]]]);
/// let g = gradient(|p| call(&product, &[&p[..1], &p[1..]]).unwrap()[0], &[2.0, 3.0]);
/// assert_eq!(g, [3.0, 2.0]);
/// let held = |p: &[wengert::Var<f64>]| {
///     let a = p[0].value();
///     let value = move |x: &[&[f64]]| vec![a * x[0][0]];
///     let scaled = from_vjp("scaled", 1, value, move |_, w| vec![vec![a * w[0]]]);
///     call(&scaled, &[&p[1..]]).unwrap()[0]
/// };
/// assert_eq!(gradient(held, &[2.0, 3.0]), [0.0, 2.0]);
/// ```
///
/// In a generic function a rule may not capture a number `S` either, because it may have a derivative:
///
/// ```compile_fail,E0277
/// use wengert::{AdError, Real, primitive::{call, from_jvp}};
/// fn scaled<S: Real<Base = f64>>(a: S, x: S) -> Result<Vec<S>, AdError> {
///     // and `a * x[0][0]` is not an `f64`
///     let value = move |x: &[&[f64]]| vec![a.primal() * x[0][0]];
///     call(&from_jvp("scaled", 1, value, |_, dx| dx[0].to_vec()), &[&[x]])
/// }
/// ```
///
/// The trait is equivalent to `Unpin`: numbers with derivatives are not `Unpin`, and neither is an unbounded type
/// parameter (write `T: Passive`). The compiler does not see numbers inside a `Box`, `Rc`, `Arc` or trait object or
/// in a static: a rule that takes their `.value()` holds them constant.
#[diagnostic::on_unimplemented(
    message = "a rule cannot capture `{Self}`, which may contain numbers with derivatives: pass them as arguments"
)]
pub trait Passive: Unpin {}

impl<T: Unpin + ?Sized> Passive for T {}

/// Not implemented for numbers with a derivative: the condition under which they would be [`Passive`].
#[diagnostic::on_unimplemented(
    message = "a rule cannot capture `{Self}`, whose derivative would be lost: pass it as an argument",
    label = "captures a number with a derivative",
    note = "pass it in its own group of arguments; or capture its `.value()` to hold it constant",
    note = "numbers with derivatives are not `Unpin`, so generic code with the bound `T: Unpin` does not accept them"
)]
pub trait WithoutDerivative {}

/// States whether a number type carries derivatives; required for a [`Number`](crate::Number). The macros
/// `carries_derivatives!` and `no_derivatives!` implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether it carries derivatives",
    note = "write `wengert::carries_derivatives!((T) {Self});` next to the type, with its generics; for a number without derivatives, `wengert::no_derivatives!({Self});`"
)]
pub trait Declared {
    #[doc(hidden)]
    const BY_MACRO: ();
}

/// Declares that a number type carries derivatives, so that rules cannot capture it: see
/// [`Passive`](crate::primitive::Passive). Generics come first, in parentheses.
///
/// ```
/// struct Pair<T>(T, T);
/// wengert::carries_derivatives!((T) Pair<T>);
/// ```
#[macro_export]
macro_rules! carries_derivatives {
    (($($g:tt)+) $Ty:ty) => {
        impl<$($g)+> Unpin for $Ty where $Ty: $crate::__private::WithoutDerivative {}
        impl<$($g)+> $crate::__private::Declared for $Ty {
            const BY_MACRO: () = ();
        }
    };
}

/// Declares that a number type has no derivatives, for example another kind of float.
///
/// ```
/// struct Interval { lo: f64, hi: f64 }
/// wengert::no_derivatives!(Interval);
/// ```
#[macro_export]
macro_rules! no_derivatives {
    ($($Ty:ty),+) => {
        $(impl $crate::__private::Declared for $Ty {
            const BY_MACRO: () = ();
        })+
    };
}

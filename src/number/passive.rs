//! What has no derivative, as far as the compiler can see.

/// What a rule may hold: all that contains no number with a derivative. The compiler answers for closures and
/// structs by what they contain.
///
/// The formulas of a rule see groups of arguments. A number with a derivative that a rule held besides would be a
/// constant to them, and its derivative would be lost without a word; so it is refused:
///
/// ```compile_fail,E0277
/// use wengert::{gradient, primitive::{call, from_vjp}};
/// let scaled = |a: wengert::Var<f64>, x| {
///     let value = move |x: &[&[f64]]| vec![a.value() * x[0][0]];
///     let rule = from_vjp("scaled", 1, value, move |_, w| vec![vec![a.value() * w[0]]]);
///     // error: a rule cannot hold `Var<f64>`, whose derivative would be lost
///     call(&rule, &[&[x]]).unwrap()[0]
/// };
/// gradient(|p| scaled(p[0], p[1]), &[2.0, 3.0]);
/// ```
///
/// What a derivative is wanted for goes into a group; `.value()` of it, taken before, is an explicit "hold this
/// constant":
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
/// In a function over any number `S` a rule that holds one is refused as well, as it may have a derivative:
///
/// ```compile_fail,E0277
/// use wengert::{AdError, Real, primitive::{call, from_jvp}};
/// fn scaled<S: Real<Base = f64>>(a: S, x: S) -> Result<Vec<S>, AdError> {
///     // and `a * x[0][0]` is no `f64`
///     let value = move |x: &[&[f64]]| vec![a.primal() * x[0][0]];
///     call(&from_jvp("scaled", 1, value, |_, dx| dx[0].to_vec()), &[&[x]])
/// }
/// ```
///
/// The trait is `Unpin` under another name: numbers with derivatives are not `Unpin`, nor is a type of which nothing
/// is known (write `T: Passive`). What stands behind a `Box`, `Rc`, `Arc`, a trait object or in a static is not seen:
/// `.value()` of it within a rule holds it constant.
#[diagnostic::on_unimplemented(
    message = "a rule cannot hold `{Self}`, which may contain numbers with derivatives: pass them as arguments"
)]
pub trait Passive: Unpin {}

impl<T: Unpin + ?Sized> Passive for T {}

/// Holds for no number with a derivative: the condition under which one were [`Passive`].
#[diagnostic::on_unimplemented(
    message = "a rule cannot hold `{Self}`, whose derivative would be lost: pass it as an argument",
    label = "holds a number with a derivative",
    note = "a group of arguments of its own; or `.value()`, taken before the rule is made, to hold it constant"
)]
pub trait WithoutDerivative {}

/// Says of a number type whether it carries derivatives; a [`Number`](crate::Number) has to. The macro
/// `carries_derivatives!` and its like write it, so that it cannot be forgotten.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether it carries derivatives",
    note = "write `wengert::carries_derivatives!((T) {Self});` beside the type, with its generics; for a number without derivatives, `wengert::no_derivatives!({Self});`"
)]
pub trait Declared {
    #[doc(hidden)]
    const BY_MACRO: ();
}

/// Declares that a number type carries derivatives: rules then refuse to hold it, see
/// [`Passive`](crate::primitive::Passive). Generics stand in front, in parentheses.
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

/// Declares that a number type has no derivatives: a float of another kind.
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

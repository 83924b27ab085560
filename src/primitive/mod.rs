//! Primitives: functions of groups of numbers with their own derivative rules, evaluated as a whole at every number
//! type.
//!
//! Most functions need no rule, because the numbers run through ordinary code. Use a primitive for code that cannot
//! run on them (a call into another library), or should not (an iteration whose result has a known derivative).
//! | you have | use |
//! |---|---|
//! | formulas over any real number for tangents, cotangents or both | [`Rule`] |
//! | such closures over `f64`, first order only | [`from_jvp`], [`from_vjp`], [`from_jvp_and_vjp`] |
//! | opaque code without a derivative | [`from_finite_differences`], [`from_complex_step`] |
//! | the equations of a root, the step of a fixed point, the objective of a minimum | [`Equations`], [`Iteration`], [`Objective`] |
//! | a closure with a few equations of a root | [`implicit_root`] |
//! | a linearization with stored residuals, for real and complex numbers | [`Primitive`] |
//!
//! [`call`] evaluates rules, closures and `Primitive`s at the numbers of this crate; [`linearize`] returns their
//! value and linear map. [`root`], [`fixed_point`] and [`argmin`] evaluate the implicit ones.
//!
//! All take real numbers over `f32` and `f64`; a [`Primitive`] may take complex ones too. Closures compute in `f64` for both. The
//! traits are generic over the base float (`impl<F: BaseFloat> Rule<F> for …`), with `f64` as the default.
//!
//! # Arguments and results
//!
//! Arguments come in groups: two matrices are two groups. A group is active or constant as a whole, and a rule
//! computes nothing for constant groups. So put arguments that may be constant in their own group. A rule that needs
//! certain lengths tests them in [`Rule::check`], [`Equations::check`] and so on, which run before anything is
//! computed.
//!
//! Results are one slice. Concatenate results of different shapes, and split them after the call:
//!
//! ```
//! use wengert::{gradient, primitive::{call, from_vjp}};
//! // A 2 × 2 matrix (by columns) times a vector, and its determinant.
//! let f = from_vjp("product and determinant", 2,
//!     |x| {
//!         let (a, v) = (x[0], x[1]);
//!         let det = a[0] * a[3] - a[1] * a[2];
//!         vec![a[0] * v[0] + a[2] * v[1], a[1] * v[0] + a[3] * v[1], det]
//!     },
//!     |x, w| {
//!         let (a, v, (p, det)) = (x[0], x[1], w.split_at(2));
//!         let by_det = [a[3], -a[2], -a[1], a[0]];
//!         let of_a = (0..4).map(|i| p[i % 2] * v[i / 2] + det[0] * by_det[i]).collect();
//!         vec![of_a, vec![a[0] * p[0] + a[1] * p[1], a[2] * p[0] + a[3] * p[1]]]
//!     });
//! let g = gradient(|x| {
//!     let y = call(&f, &[&x[..4], &x[4..]]).unwrap();
//!     let (product, det) = y.split_at(2);
//!     product[1] * det[0]
//! }, &[2.0, 1.0, 0.0, 3.0, 5.0, 7.0]);
//! assert_eq!(g, [78.0, 30.0, -26.0, 94.0, 6.0, 18.0]);
//! ```
//!
//! # Captures that a rule may not have
//!
//! A number with a derivative, such as [`Dual`](crate::Dual) or [`Var`](crate::Var), that a closure or struct
//! captures is not an argument, and its derivative would be lost. This does not compile, see [`Passive`].
//!
//! # Wrong rules
//!
//! If a rule returns NaN for finite numbers, it panics with its name, the direction and an index: of the result in
//! forward mode, of the argument in reverse mode, see [`NanCheckedMap`]. A wrong number of tangents or cotangents
//! panics too. A value that is NaN is an error if a derivative is computed. [`check::primitive`](crate::check::primitive)
//! compares a rule with differences.
//!
//! # How it works
//!
//! A primitive computes its value at primal numbers, and its derivative as a [`LinearMap`](crate::LinearMap) over
//! any number `T`. Forward numbers evaluate the primitive once on their values and apply the map to their tangents.
//! Variables on a tape record the map as one block. Because the map is generic over `T`, nesting gives derivatives of
//! any order.

mod closures;
mod complex_step;
mod differences;
#[cfg(feature = "nalgebra")]
mod fixed_point;
#[cfg(feature = "nalgebra")]
mod implicit;
#[cfg(feature = "nalgebra")]
mod implicit_closure;
mod in_place;
mod rule;
mod slopes;

#[doc(inline)]
pub use crate::lift::{
    Direction, Extension, NanCheckedMap, Orders, Passive, PrimalNumber, Primitive, Series, TangentLanes,
    by_recurrence, call, linearize, push_forward,
};
pub use closures::{Closures, from_jvp, from_jvp_and_vjp, from_vjp};
pub use complex_step::from_complex_step;
pub use differences::from_finite_differences;
#[cfg(feature = "nalgebra")]
pub use fixed_point::{Iteration, Objective, argmin, fixed_point};
#[cfg(feature = "nalgebra")]
pub use implicit::{Equations, root};
#[cfg(feature = "nalgebra")]
pub use implicit_closure::implicit_root;
pub use in_place::{Overwritten, overwrite};
pub use rule::{FromRule, Rule};

use crate::error::AdError;
use crate::lift::views;
use crate::number::{BaseFloat, Number, Real};

/// Calls a function over the base float `F` at primal numbers; complex numbers are an error.
fn on_real<P: PrimalNumber, F: BaseFloat>(
    op: &'static str,
    x: &[&[P]],
    f: impl FnOnce(&[&[F]]) -> Result<Vec<F>, AdError>,
) -> Result<Vec<P>, AdError> {
    if !P::REAL {
        return Err(AdError::Unsupported { op, rule: "complex numbers" });
    }
    let x: Vec<Vec<F>> = x.iter().map(|x| base_floats(x)).collect();
    Ok(f(&views(&x))?.into_iter().map(|y| P::lit(y.to_double())).collect())
}

/// Values, rounded to the base float that a function takes.
fn base_floats<T: Number, F: BaseFloat>(x: &[T]) -> Vec<F> {
    x.iter().map(|x| F::from_double(x.re().primal().to_double())).collect()
}

/// The number of each group.
fn lengths<T>(x: &[&[T]]) -> Vec<usize> {
    x.iter().map(|x| x.len()).collect()
}

/// A direction that a recorded rule does not have (a tape that is run forwards).
fn unsupported(op: &'static str, rule: &'static str) -> ! {
    panic!("{}", AdError::Unsupported { op, rule })
}

/// Real numbers as numbers that are known to be real.
fn real<T: Number>(x: &[T]) -> Vec<T::Re> {
    x.iter().map(|x| x.re()).collect()
}

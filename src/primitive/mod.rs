//! A primitive: a function of groups of numbers with a rule of its own, run whole at every number type.
//!
//! Most functions need none: numbers go through ordinary code by themselves. A primitive is for what they cannot go
//! through (a call into another library), or should not (an iteration whose result has a derivative of its own).
//!
//! | to state a rule | take |
//! |---|---|
//! | tangents, cotangents or both, by formulas over any real number | [`Rule`] |
//! | the same by closures over `f64`, first order only | [`from_jvp`], [`from_vjp`], [`from_both`] |
//! | none, for opaque code | [`with_finite_differences`], [`with_complex_step`] |
//! | the root of equations, a fixed point, a minimum | [`Equations`], [`Iteration`], [`Objective`] |
//! | none: the root of a few equations, written as a closure | [`implicit_root`] |
//! | a linear map with residuals, for real and complex numbers | [`Primitive`] |
//!
//! [`call`] runs rules, closures and linear maps at the numbers of this crate, [`linearize`] gives their value and their
//! linear map; [`root`], [`fixed_point`] and [`argmin`] run the others.
//!
//! All forms but the last serve numbers over `f32` and `f64`. Closures compute in `f64` whatever the numbers are;
//! the traits are generic over the machine float (`impl<F: BaseFloat> Rule<F> for …`) and mean `f64` without it.
//!
//! # Arguments and results
//!
//! Arguments come in groups (two matrices are two groups), and what is constant or not wanted is so by groups: a rule
//! need not compute for it. What may be constant is best a group of its own. A rule that counts on lengths says so
//! in [`Rule::check`], [`Equations::check`] and so on, which are asked before anything is computed.
//!
//! Results are one row. Several results of different shapes are put one after the other, and cut where they are
//! taken out:
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
//! # What a rule may not hold
//!
//! A number with a derivative, [`Dual`](crate::Dual) or [`Var`](crate::Var), that a closure or a struct holds is no
//! argument: whatever is computed with it has no derivative with respect to it. The compiler refuses it, see
//! [`Passive`].
//!
//! # When a rule is wrong
//!
//! NaN out of finite numbers is a panic that names the rule, the direction and the argument, see [`Guarded`]; so is
//! a wrong number of tangents or cotangents. A value that is NaN is an error where a derivative is asked for. Whether a rule is the derivative at all is asked of
//! [`check::primitive`](crate::check::primitive).
//!
//! # How it works
//!
//! A primitive gives its value at machine numbers and its derivative as a [`LinearMap`](crate::LinearMap) over any number; the
//! number types do the rest. Forward numbers take their values and tangents apart, run the primitive once on the
//! values and apply the map to the tangents; a variable on a tape records the map as one step. The map is written
//! over `T`, so derivatives of any order come by nesting.

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
#[cfg(doctest)]
mod refused;
mod rule;
mod slopes;

#[doc(inline)]
pub use crate::lift::{Direction, Guarded, Lanes, Machine, Passive, Primitive, call, linearize};
pub use closures::{Closures, from_both, from_jvp, from_vjp};
pub use complex_step::with_complex_step;
pub use differences::with_finite_differences;
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

/// A function of real machine numbers at machine numbers that are real by type; `F` is what the function takes.
fn on_real<P: Machine, F: BaseFloat>(
    op: &'static str,
    x: &[&[P]],
    f: impl FnOnce(&[&[F]]) -> Result<Vec<F>, AdError>,
) -> Result<Vec<P>, AdError> {
    if !P::REAL {
        return Err(AdError::Unsupported { op, rule: "complex numbers" });
    }
    let x: Vec<Vec<F>> = x.iter().map(|x| machine(x)).collect();
    Ok(f(&views(&x))?.into_iter().map(|y| P::lit(y.to_double())).collect())
}

/// Values, rounded to the machine float that a function takes.
fn machine<T: Number, F: BaseFloat>(x: &[T]) -> Vec<F> {
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

/// Panics unless code of users gave as many numbers as it should.
fn demand_len(op: &'static str, what: &'static str, expected: usize, got: usize) {
    if let Err(e) = AdError::check_len(op, what, expected, got) {
        panic!("{e}");
    }
}

/// Real numbers as numbers that are known to be real.
fn real<T: Number>(x: &[T]) -> Vec<T::Re> {
    x.iter().map(|x| x.re()).collect()
}

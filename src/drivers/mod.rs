//! How users request derivatives. Four lists, each independent of the others:
//!
//! | list | where |
//! |---|---|
//! | points and results | [`space`](crate::space) |
//! | modes: how a derivative is computed | `mode.rs` (the requirements on a mode), `modes/` |
//! | operators: which derivative | `work.rs` |
//! | call styles: how it is called | `forms/` (free functions), `prepare/`, `complex.rs`, `function.rs` |
//!
//! `call.rs` has the functions that are differentiated, `sinks.rs` and `tables.rs` the places of results.

#[macro_use]
mod forms;
mod call;
pub(crate) mod complex;
#[macro_use]
mod function;
mod linearize;
pub mod mode;
pub(crate) mod modes;
mod nesting;
pub mod prepare;
mod schedule;
pub mod series;
mod sinks;
#[cfg(feature = "sparse")]
pub mod sparse;
mod sum_over;
#[cfg(feature = "programs")]
pub mod sums;
#[cfg(not(feature = "programs"))]
pub mod sums {
    //! Sums over data: `sum_over`, in any function, mode and operator. `Sum` and `LeastSquares`, which trace the term
    //! once, need the feature `programs`.
    pub use super::sum_over::sum_over;
    // Listed so that the compiler names the missing feature.
    #[cfg(feature = "programs")]
    pub use programs::{LeastSquares, PartialSum, Sum, Table};
}
mod tables;
mod time_loop;
mod vector_function;
mod work;

pub(crate) use forms::{forward, reverse as reverse_forms};
pub use function::{Function, Variables};
pub use linearize::{Linearized, linearize};
pub use modes::{FiniteDifference, Forward, ForwardChunk, Packed, Reverse, SecondOrder};
pub use vector_function::VectorFunction;

use crate::number::{Number, Real};

// At the root each operator uses the mode that is usually right. The page there lists one name for each operator, and
// its call styles in a table.
#[cfg(feature = "nalgebra")]
pub use forward::jacobian;
pub use forward::{derivative, jvp, second_derivative, third_derivative};
#[doc(hidden)]
pub use forward::{
    derivative_into, jvp_into, second_derivative_into, value_and_derivative, value_and_jvp,
    value_and_second_derivative,
};
#[cfg(feature = "nalgebra")]
#[doc(hidden)]
pub use forward::{jacobian_into, value_and_jacobian};
#[cfg(feature = "nalgebra")]
pub use reverse::hessian;
pub use reverse::{gradient, hvp, vjp};
#[doc(hidden)]
pub use reverse::{
    gradient_into, hvp_into, value_and_gradient, value_and_hvp, value_and_vjp, value_gradient_and_hvp,
    value_gradient_and_hvp_into, vjp_into,
};
#[cfg(feature = "nalgebra")]
#[doc(hidden)]
pub use reverse::{
    hessian_into, value_and_hessian, value_gradient_and_hessian, value_gradient_and_hessian_into,
};

/// Items that use reverse mode.
pub(crate) mod reverse {
    pub use super::linearize::*;
    pub use super::reverse_forms::*;
    pub use super::time_loop::*;
}

/// Turns a function `f(x, &mut y)` that fills a buffer of `outputs` results into a function that returns them. The
/// buffer holds NaN when `f` is called. An operator of [`prepare`] keeps the buffer; it has its own method
/// `filling(outputs)`.
///
/// The closure must state its types, because nothing else in the call does.
///
/// ```
/// use wengert::{Dual, filling, jvp};
/// let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| {
///     y[0] = x[0] * x[1];
///     y[1] = x[0].sin();
/// };
/// assert_eq!(jvp(filling(2, f), &[2.0, 3.0], &[1.0, -1.0]), [1.0, 2f64.cos()]);
/// ```
pub fn filling<N: Real, A: ?Sized>(
    outputs: usize,
    mut f: impl FnMut(&A, &mut [N]),
) -> impl FnMut(&A) -> Vec<N> {
    move |x| {
        let mut y = vec![N::lit(f64::NAN).nan_like(); outputs];
        f(x, &mut y);
        y
    }
}

/// The value of `x` as a constant: no derivative flows through it, in any mode. Equal to [`Number::detach`].
///
/// ```
/// use wengert::{gradient, stop_gradient};
/// assert_eq!(gradient(|x| x[0] * stop_gradient(x[0]), &[3.0]), [3.0]);
/// ```
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn stop_gradient<T: Number>(x: T) -> T {
    x.detach()
}

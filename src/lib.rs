//! Automatic differentiation of ordinary generic Rust: run a function at numbers that carry derivatives, and it returns
//! its own, exact to the last digits, without a formula written by hand and without a step size.
//!
//! ```
//! use wengert::{gradient, Real};
//!
//! fn rosenbrock<T: Real<Base = f64>>(x: &[T]) -> T {
//!     let term = |w: &[T]| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (-w[0] + 1.0).powi(2);
//!     x.windows(2).map(term).sum()
//! }
//!
//! let x = [-1.0, 1.0, 2.0];
//! assert_eq!(rosenbrock(&x), 104.0); // at f64
//! assert_eq!(gradient(|x| rosenbrock(x), &x), [-4.0, -400.0, 200.0]);
//! ```
//!
//! A function over [`Real`], over `num_traits::Float` or over `nalgebra::RealField` runs at `f64` and at every real number
//! here. A closure that is written in the call needs no bound: its number is inferred.
//!
//! # Which number, which driver
//!
//! | you want | use | it runs at |
//! |---|---|---|
//! | `f′`, `f″`, `f‴` of one variable | [`derivative`], [`second_derivative`], [`third_derivative`] | [`Dual`], [`Dual2`] |
//! | a gradient | [`gradient`] | [`Var`], one sweep |
//! | a gradient of up to a dozen variables | [`forward::gradient`] | [`DualN`], 8 lanes |
//! | a Jacobian | [`jacobian`]; with few outputs [`reverse::jacobian`] | [`DualN`]; [`Var`] |
//! | a Hessian, a Hessian times a vector | [`hessian`], [`hvp`] | `Var<DualN>`, `Var<Dual>` |
//! | gradient and Hessian of up to 16 variables | [`forward::value_gradient_and_hessian`] | [`Dual2`] |
//! | `J·v`, `Jᵀ·w`; many of them at one point | [`jvp`], [`vjp`]; [`linearize`] | [`Dual`], [`Var`] |
//! | mode and lanes chosen for you | the methods of a [`function!`] ([`Function`], [`VectorFunction`]) | |
//! | the same again and again, without allocation | [`prepare`], with a [`mode`] | the mode's |
//! | complex functions | [`complex::derivative`], [`complex::gradient`], … | `Dual<Complex>`, [`ComplexVar`] |
//!
//! Points and results are slices, arrays, `Vec`, nalgebra vectors and matrices, tuples, structs and other
//! [structures](space) of numbers. A gradient has the structure of its point.
//!
//! ```
//! # #[cfg(feature = "nalgebra")] {
//! use nalgebra::{matrix, vector};
//! use wengert::{derivative, gradient, hessian, jacobian, vjp};
//!
//! assert_eq!(derivative(|x| x.powi(3), 2.0), 12.0);
//! assert_eq!(jacobian(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]), matrix![3.0, 2.0; 1.0, 0.0]);
//! assert_eq!(hessian(|x| x[0] * x[1], &[2.0, 3.0]), matrix![0.0, 1.0; 1.0, 0.0]);
//! assert_eq!(vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]), [13.0, 2.0]);
//! assert_eq!(gradient(|v| v.norm_squared(), &vector![3.0, 4.0]), vector![6.0, 8.0]);
//! assert_eq!(gradient(|(a, v)| *a * v[0], &(2.0, vec![3.0, 4.0])), (3.0, vec![2.0, 0.0]));
//! # }
//! ```
//!
//! # All forms
//!
//! All of them stand at the root. `derivative`, `second_derivative`, `jacobian` and `jvp` run in forward mode, the others
//! in reverse mode; the modules [`forward`] and [`reverse`] have all of them in one mode. What does not fit is a panic with
//! both sizes, or an [`AdError`] of [`prepare`].
//!
#![cfg_attr(all(feature = "std", feature = "nalgebra"), doc = include_str!("../docs/operators.md"))]
//!
//! # Guide
//!
//! - [Choosing a mode](guide::modes): costs in time and memory
//! - [Porting `f64` code](guide::porting): bounds, literals, captured data, errors of the compiler
//! - [nalgebra functions that lose derivatives](guide::nalgebra), and what stands in for them
//! - [Solvers and other crates](guide::solvers): argmin, levenberg-marquardt, diffsol, ndarray, faer
//! - [Implicit functions](guide::implicit), [custom rules](guide::custom_rules), [threads](guide::threads)
//! - [Conventions](guide::conventions) at kinks, ties, zeros, infinities and NaN
//! - [Coming from](guide::coming_from) num-dual, echidna, ForwardDiff.jl, JAX, PyTorch; [the compiler's
//!   autodiff](guide::std_autodiff)
//!
//! # Beyond numbers
//!
//! - [`matrix`]: functions of nalgebra matrices with rules of their own, from products to singular values.
//! - [`primitive`]: functions with a rule of yours; roots of equations, fixed points, minima.
//! - [`space`]: arguments made of structs, tuples, rotations; gradients come in the same structure.
//! - [`complex`]: functions of complex variables in both modes, and the convention.
//! - [`reduce`]: sums, products, norms and their like, exact where written-out code is not.
//! - [`check`]: tests of rules and functions for your own tests, and numbers that name the first NaN.
//!
//! # Conventions in brief
//!
//! - **Branches.** Comparisons and conversions to machine numbers look at the value only: the derivative program takes
//!   exactly the branches of the program. The value is bit for bit that of `f64`.
//! - **Zero is zero.** A tangent that is exactly zero stays so through every elementary function, also where the
//!   derivative is infinite; so does a cotangent on a tape. `+ − ×` are plain IEEE.
//! - **Kinks.** `max` and `min` share a tie; `abs′(0) = 0`; `clamp` is inactive at its bounds; `hypot` and norms have 0 at
//!   the origin.
//! - **Complex functions** are real-linear maps; the gradient of a real function is `2·∂L/∂z*`.
//!
//! # Features
//!
//! - `std` (default): reverse mode, drivers and allocating reductions.
//! - `nalgebra` (default): nalgebra's traits for every number, functions of matrices, matrix-valued drivers.
//! - `libm`: elementary functions without `std`; the number types and rules are `no_std`.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs, unsafe_code)]

// Without them no other module is compiled: this is the only error then.
#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("wengert needs elementary functions: enable its feature `std` or `libm`");

#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
pub mod rules;
mod error;
#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
mod number;
#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
mod foreign;
#[cfg(feature = "std")]
pub mod check;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod complex;
#[cfg(feature = "std")]
mod custom;
#[cfg(feature = "std")]
mod drivers;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod forward;
// Documentation alone.
#[cfg(all(any(doc, doctest), feature = "nalgebra", feature = "std"))]
pub mod guide;
#[cfg(any(feature = "std", feature = "libm"))]
mod linear_map;
#[cfg(all(feature = "nalgebra", feature = "std"))]
pub mod matrix;
#[cfg(feature = "std")]
mod pool;
#[cfg(feature = "std")]
pub mod primitive;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod reduce;
#[cfg(feature = "std")]
pub mod reverse;
#[cfg(feature = "std")]
pub mod space;

#[cfg(feature = "std")]
pub use drivers::*;
pub use error::AdError;
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(inline)]
pub use forward::{Dual, Dual2, DualN, HyperDual};
#[cfg(any(feature = "std", feature = "libm"))]
pub use linear_map::LinearMap;
#[cfg(any(feature = "std", feature = "libm"))]
pub use number::{AsNumber, BaseFloat, CastFrom, Number, Real};
#[cfg(feature = "std")]
#[doc(inline)]
pub use reverse::{ComplexVar, Tape, Var};
#[cfg(feature = "std")]
#[doc(inline)]
pub use space::Differentiable;
#[cfg(all(feature = "std", feature = "nalgebra"))]
#[doc(inline)]
pub use space::Shape;

/// The examples of README.md, as tests.
#[cfg(all(doctest, feature = "nalgebra"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// What macros of this crate name in the crates that use them.
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod __private {
    pub use crate::number::{Declared, WithoutDerivative};
}

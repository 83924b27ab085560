//! Automatic differentiation of ordinary generic Rust: dual numbers for forward mode, a tape for reverse mode.
//!
//! A dual number carries a value and its derivative; every operation maps `(x, ẋ)` to `(φ(x), φ′(x)·ẋ)`.
//! Run a function at a dual number and it returns its own derivative, to the last digits, without a formula
//! written by hand and without a step size:
//!
//! ```
//! use wengert::Dual;
//! // F(x) = exp(sin x + x·x), the value and the derivative at 2
//! let x: Dual<f64> = Dual::new(2.0, 1.0);
//! let y = (x.sin() + x * x).exp();
//! assert!((y.value() - 135.5441512631054).abs() < 1e-12);
//! assert!((y.tangent() - 485.7703352918129).abs() < 1e-12);
//! ```
//!
//! # Derivatives
//!
//! A free function for each operator. Its closure runs at one number type, which is inferred.
//!
//! ```
//! use wengert::{derivative, gradient, jvp, second_derivative, vjp};
//! assert_eq!(derivative(|x| x.powi(3), 2.0), 12.0);
//! assert_eq!(second_derivative(|x| x.powi(3), 2.0), 12.0);
//! assert_eq!(gradient(|x| x[0] * x[1], &[2.0, 3.0]), [3.0, 2.0]);
//! assert_eq!(vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]), [13.0, 2.0]);
//! assert_eq!(jvp(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, -1.0]), 1.0);
//! # #[cfg(feature = "nalgebra")] {
//! use wengert::jacobian;
//! assert_eq!(jacobian(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]), nalgebra::matrix![3.0, 2.0; 1.0, 0.0]);
//! assert_eq!(wengert::hessian(|x| x[0] * x[1], &[2.0, 3.0]), nalgebra::matrix![0.0, 1.0; 1.0, 0.0]);
//! # }
//! ```
//!
//! `gradient`, `vjp`, `hvp`, `hessian` and `linearize` are [reverse mode](reverse), the others [forward
//! mode](forward); both modules have all of these functions. `value_and_…` returns the value too, `…_into` writes the
//! derivative to a buffer and returns the value. What does not fit is a panic with both sizes.
//!
//! Points and results are slices, arrays, `Vec`, nalgebra vectors and matrices, tuples, structs and other
//! [structures](space) of numbers. A function that is to run at every number type is a [`Function`] or
//! [`VectorFunction`]; the macro [`function!`] writes one like a closure, and its methods choose mode and lanes.
//!
//! Where derivatives are taken in a loop, [`prepare`] keeps an operator with its memory: nothing is allocated after the
//! first call, and what does not fit is an [`AdError`]. It takes the [`mode`] as a value, so that generic code can
//! take it as a parameter, and functions with caches.
//!
//! # Matrices, primitives, structures
//!
//! - [`matrix`]: functions of nalgebra matrices with rules of their own, from products to singular values.
//! - [`primitive`]: what numbers cannot go through, with a rule of any form; roots of equations, fixed points, minima.
//! - [`space`]: arguments made of structs, tuples, vectors; gradients come in the same structure.
//! - [`complex`]: functions of complex variables in both modes, and the convention.
//! - [`check`]: tests of rules for your own tests, and numbers that name the first NaN.
//!
//! # Generic code
//!
//! Write functions over [`Real`], or over `num_traits::Float` or `nalgebra::RealField`: every real
//! number here, nested ones included, implements all three.
//!
//! ```
//! use wengert::{Dual, Real};
//! fn logistic<T: Real<Base = f64>>(x: T) -> T { ((-x).exp() + 1.0).recip() }
//! fn horner<T: num_traits::Float>(c: &[T], x: T) -> T { c.iter().rev().fold(T::zero(), |s, &c| s * x + c) }
//! assert_eq!(logistic(Dual::variable(0.0)).tangent(), 0.25);
//! let c = [1.0, 2.0, 3.0].map(Dual::constant);
//! assert_eq!(horner(&c, Dual::variable(2.0)).tangent(), 14.0);
//! ```
//!
//! What Rust does not allow, for any crate: `2.0 * x` for a generic `T: Real` (write `x * 2.0`); `x * 2.0` under
//! `T: Real` without `Base = f64` (write `x * T::lit(2.0)`); `Matrix<Dual> * 2.0` and `Complex<Dual> * 2.0` (write
//! `m * Dual::constant(2.0)`); a method both traits have under `T: Real + RealField` (bound by one of them). On
//! concrete types elementary functions are inherent methods, so nothing is ambiguous.
//!
//! Closeness by the macros of approx looks at the value only too, and a tolerance is a number of the same type:
//!
//! ```
//! use wengert::Dual;
//! let (x, y) = (Dual::new(1.0, 2.0), Dual::new(1.0 + 1e-10, 3.0));
//! approx::assert_abs_diff_eq!(x, y, epsilon = Dual::constant(1e-9)); // their tangents differ
//! ```
//!
//! With `use wengert::Number` in scope, methods of `Complex64` that num-complex has by reference (`z.powi(2)`,
//! `z.conj()`) resolve to this crate's by value; `Complex64::conj(&z)` names theirs.
//!
//! # Conventions
//!
//! - **Branches.** Comparisons, `is_zero`, closeness and conversions to machine types look at the value only: the
//!   derivative program takes exactly the branches of the program. Code that short-cuts on an exact zero drops
//!   that tangent.
//! - **Zero is zero.** A tangent that is exactly zero stays so through every elementary function, also where the
//!   derivative is infinite; on a tape so does a cotangent, and a partial of zero stops it. `+ − ×` are plain IEEE: an
//!   infinite constant times a tangent of zero is NaN. Where the modes differ is said in [`forward`] and [`reverse`].
//! - **Kinks.** `max` and `min` share a tie (½ each); `abs′(0) = 0`; `clamp` is inactive at its bounds; `floor` and
//!   its like have derivative 0; `hypot` and norms have 0 at the origin.
//! - **IEEE in, IEEE out.** Arithmetic does not panic (but `clamp` with crossed bounds, as in std); the value is bit
//!   for bit that of `f64`. To record or differentiate with a [`Var`] without its tape panics.
//! - **Complex functions** are real-linear maps; `Dual<Complex<T>>` carries `f′(z)·ż`, not conjugated; the gradient of
//!   a real function is `2·∂L/∂z*`. See [`complex`].
//!
//! Each is said again where it is enforced.
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
pub use forward::{Dual, Dual2, DualN, HyperDual};
#[cfg(any(feature = "std", feature = "libm"))]
pub use linear_map::LinearMap;
#[cfg(any(feature = "std", feature = "libm"))]
pub use number::{AsNumber, BaseFloat, CastFrom, Number, Real};
#[cfg(feature = "std")]
pub use reverse::{ComplexVar, Tape, Var};
#[cfg(feature = "std")]
pub use space::Differentiable;
#[cfg(all(feature = "std", feature = "nalgebra"))]
pub use space::Shape;

/// The examples of README.md, as tests.
#[cfg(all(doctest, feature = "nalgebra"))]
#[doc = include_str!("../README.md")]
struct Readme;

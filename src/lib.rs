//! Automatic differentiation of ordinary Rust. Run a function on numbers that carry derivatives, and get its
//! derivatives to machine precision, without hand-written formulas and without a step size.
//!
//! ```
//! #[wengert::generic]
//! fn rosenbrock(x: &[f64]) -> f64 {
//!     x.windows(2)
//!         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
//!         .sum()
//! }
//! let g = wengert::gradient(|x| rosenbrock(x), &[-1.0, 1.0, 2.0]);
//! assert_eq!(g, [-4.0, -400.0, 200.0]);
//! assert_eq!(rosenbrock(&[-1.0, 1.0, 2.0]), 104.0); // the bits of plain code
//! ```
//!
//! [`#[generic]`](macro@generic) makes plain `f64` code generic. A function over [`Scalar`], [`Real`],
//! `num_traits::Float` or `nalgebra::RealField` needs no attribute: it runs on `f64` and on the real number types of this
//! crate. A closure in the call needs no bound. With `(1.0 + x).sqrt()` in it, the point needs a type: `2.0_f64`.
//!
//! # Which number, which driver
//!
//! | you want | use | number type |
//! |---|---|---|
//! | gradient, Jacobian, Hessian of up to 12 variables | [`function!`], which may capture data: its methods choose the mode ([`Function`], [`VectorFunction`]) | [`DualN`], [`Dual2`], [`Var`] |
//! | a gradient of any number of variables | [`gradient`] | [`Var`], one sweep |
//! | a Jacobian | [`jacobian`]; with few outputs [`reverse::jacobian`] | [`DualN`]; [`Var`] |
//! | a Hessian, a Hessian times a vector | [`hessian`], [`hvp`] | `Var<DualN>`, `Var<Dual>` |
//! | `f′`, `f″`, `f‴` of one variable | [`derivative`], [`second_derivative`], [`third_derivative`] | [`Dual`], [`Taylor`] |
//! | `J·v`, `Jᵀ·w` | [`jvp`], [`vjp`]; many at one point: [`linearize`] | [`Dual`], [`Var`] |
//! | repeated calls without allocation | [`prepare`] with a [`mode`] | set by the mode |
//! | a sum over data, its sparse Jacobian or Hessian | [`sums`] | [`Var`]; [`Traced`](programs::Traced) |
//! | a sparse Jacobian or Hessian of any function | `sparse::jacobian`, `sparse::hessian` (feature `sparse`) | `DualN`, `Var`; `Var<DualN>` |
//! | derivatives of any order, tensors of them | [`series`] | [`Taylor`] |
//! | a function recorded once, run, differentiated and compiled | [`programs`] | [`Traced`](programs::Traced) |
//! | complex functions | [`complex::derivative`], [`complex::gradient`], … | `Dual<Complex>`, [`ComplexVar`] |
//!
//! Points and results may be slices, arrays, `Vec`, nalgebra vectors and matrices, tuples, structs and other
//! [structures](space) of numbers. A gradient has the structure of its point.
//!
//! ```
//! use nalgebra::{matrix, vector};
//! use wengert::{derivative, gradient, hessian, jacobian, vjp};
//!
//! assert_eq!(derivative(|x| x.powi(3), 2.0), 12.0);
//! assert_eq!(jacobian(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]), matrix![3.0, 2.0; 1.0, 0.0]);
//! assert_eq!(hessian(|x| x[0] * x[1], &[2.0, 3.0]), matrix![0.0, 1.0; 1.0, 0.0]);
//! assert_eq!(vjp(|x| [x[0] * x[1], x[0]], &[2.0, 3.0], &[1.0, 10.0]), [13.0, 2.0]);
//! assert_eq!(gradient(|v| v.norm_squared(), &vector![3.0, 4.0]), vector![6.0, 8.0]);
//! assert_eq!(gradient(|(a, v)| *a * v[0], &(2.0, vec![3.0, 4.0])), (3.0, vec![2.0, 0.0]));
//! ```
//!
//! # All call styles
//!
//! The root of the crate exports all of these functions. `derivative`, `second_derivative`, `jacobian` and `jvp` run
//! in forward mode, the others in reverse mode. The modules [`forward`] and [`reverse`] have the operators for which their
//! mode is efficient (`f′`, `f″` and `J·v` only in forward mode, `Jᵀ·w` and `linearize` only in reverse mode);
//! [`prepare`] has every operator in every mode. These functions panic if sizes do not match; operators of [`prepare`]
//! return an [`AdError`].
//!
#![cfg_attr(all(feature = "std", feature = "nalgebra"), doc = include_str!("../docs/operators.md"))]
//!
//! # Guide
//!
//! - [Choosing a mode](guide::modes): costs in time and memory; [all signatures](guide::signatures)
//! - [Sums over data](guide::sums): short tapes, sparse matrices, threads
//! - [Taylor series](guide::taylor): any order, tensors, differential equations
//! - [Traced programs](guide::programs): one record for many points, machine code, Rust source
//! - [Porting `f64` code](guide::porting): the attribute, data, bounds, compiler errors
//! - [nalgebra functions that lose derivatives](guide::nalgebra), and their replacements
//! - [Solvers and other crates](guide::solvers): argmin, levenberg-marquardt, nuts-rs, diffsol, ndarray, faer
//! - [Complex numbers inside real functions](guide::complex_numbers)
//! - [Implicit functions](guide::implicit), [custom rules](guide::custom_rules), [threads](guide::threads)
//! - [Conventions](guide::conventions) at kinks, ties, zeros, infinities and NaN
//! - [Speed](guide::speed); coming from [other tools](guide::coming_from), from [`std::autodiff`](guide::std_autodiff)
//!
//! # Beyond numbers
//!
//! - [`matrix`]: functions of nalgebra matrices with their own rules, from products to singular values.
//! - [`primitive`]: functions with user-defined rules; roots of equations, fixed points, minima.
//! - [`space`]: arguments made of structs, tuples, rotations; gradients have the same structure.
//! - [`programs`]: functions recorded once; their derivatives are programs too, run, compiled or written as source.
//! - [`series`]: power series as numbers, derivatives of any order, steps of differential equations.
//! - [`sums`]: sums over rows of data by the program of one term, and their sparse matrices.
//! - [`complex`]: functions of complex variables in both modes, and their convention.
//! - [`reduce`]: sums, products, norms and the like, correct where written-out code is not.
//! - [`check`]: checks of rules and functions for your tests, and numbers that report the first NaN.
//!
//! # Conventions in brief
//!
//! - **Branches.** Comparisons and conversions to primal numbers look only at the value, so the derivative program
//!   takes the same branches as the program. The value is bit for bit that of `f64`.
//! - **Strong zeros.** A tangent that is exactly zero stays zero through every elementary function, even where the
//!   derivative is infinite. So does a cotangent on a tape. `+ − ×` are plain IEEE arithmetic.
//! - **Kinks.** A tie of `max` or `min` gives ½ to each side; `abs`, `hypot` and norms have derivative 0 at the origin;
//!   `clamp` has derivative 0 at its bounds.
//! - **Complex functions** are real-linear maps; the gradient of a real function is `2·∂L/∂z*`.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `std` | yes | reverse mode, all drivers, the platform's elementary functions |
//! | `nalgebra` | yes | nalgebra's and simba's traits for every number, [`matrix`], results as matrices |
//! | `macros` | yes | [`#[generic]`](macro@generic), [`function!`] and [`#[derive(Differentiable)]`](derive@Differentiable); an eighth of the processor time of a first build |
//! | `libm` | no | elementary functions without `std`: forward numbers on embedded systems |
//! | `programs` | no | [`programs`]: functions traced, derived and run again; [`sums::Sum`] and [`sums::LeastSquares`] |
//! | `check` | no | [`check`]: tests of derivatives, of your rules and primitives |
//! | `sparse` | no | the module `sparse`, and sparse matrices of [`sums`], as matrices of nalgebra-sparse |
//! | `rayon` | no | `programs`, and threads for sums over data and batches; results do not change |
//! | `jit` | no | `programs`, and machine code for them, by cranelift: [`Program::compile`](programs::Program) |
//! | `serde` | no | `programs`, and programs saved and read again: [`Program::save`](programs::Program) |
//! | `faer` | no | faer's factorisations for large matrices of primal numbers |
#![cfg_attr(feature = "programs", recursion_limit = "40")] // how deep the compiler looks for recursion in calls: 26 is enough
#![cfg_attr(not(feature = "programs"), recursion_limit = "23")] // 14 is enough; with 40 a build takes a twentieth more time
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs, unsafe_code)]

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("wengert needs elementary functions: enable its feature `std` or `libm`");
#[cfg(feature = "macros")]
extern crate self as wengert; // the macros name this crate from outside

#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
pub mod rules;
mod error;
mod error_text;
#[cfg(feature = "std")]
mod source_line;
#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
mod number;
#[cfg(any(feature = "std", feature = "libm"))]
#[macro_use]
mod foreign;
#[cfg(feature = "check")]
pub mod check;
#[cfg(any(feature = "std", feature = "libm"))]
mod complex_functions;
#[cfg(feature = "std")]
mod drivers;
#[cfg(any(feature = "std", feature = "libm"))]
mod duals;
#[cfg(all(any(doc, doctest), feature = "nalgebra", feature = "programs", feature = "check"))]
pub mod guide;
#[cfg(feature = "std")]
mod lift;
#[cfg(any(feature = "std", feature = "libm"))]
mod linear_map;
#[cfg(feature = "macros")]
mod macros;
#[cfg(all(feature = "nalgebra", feature = "std"))]
pub mod matrix;
#[cfg(feature = "std")]
mod pool;
#[cfg(feature = "std")]
pub mod primitive;
#[cfg(feature = "programs")]
pub mod programs;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod reduce;
#[cfg(feature = "std")]
pub mod space;
#[cfg(feature = "std")]
mod tapes;

#[cfg(feature = "std")]
pub use drivers::*;
// Listed by name too, so that the compiler names the missing feature.
#[cfg(feature = "sparse")]
pub use drivers::sparse;
#[cfg(feature = "std")]
pub use drivers::{derivative, gradient, hvp, jvp, linearize, second_derivative, vjp};
#[cfg(all(feature = "std", feature = "nalgebra"))]
pub use drivers::{hessian, jacobian};
#[cfg(all(feature = "std", feature = "nalgebra"))]
#[doc(hidden)]
pub use drivers::{
    hessian_into, jacobian_into, value_and_hessian, value_and_jacobian, value_gradient_and_hessian,
    value_gradient_and_hessian_into,
};
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(inline)]
pub use duals::{Dual, Dual2, DualN, HyperDual, Taylor, TaylorDyn};
pub use error::AdError;
#[cfg(feature = "std")]
pub use error::SourceLine;
#[cfg(any(feature = "std", feature = "libm"))]
pub use linear_map::LinearMap;
#[cfg(feature = "macros")]
#[doc(inline)]
pub use macros::generic;
#[cfg(all(feature = "macros", feature = "std"))]
#[doc(inline)]
pub use macros::{Differentiable, function};
#[cfg(any(feature = "std", feature = "libm"))]
pub use number::{AsNumber, BaseFloat, CastFrom, Number, Real, Scalar};
#[cfg(feature = "std")]
#[doc(inline)]
pub use space::Differentiable;
#[cfg(all(feature = "std", feature = "nalgebra"))]
#[doc(inline)]
pub use space::Shape;
#[cfg(feature = "std")]
#[doc(inline)]
pub use tapes::{ComplexVar, Tape, Var};

#[cfg(any(feature = "std", feature = "libm"))]
pub mod complex {
    //! Complex numbers: functions for both layouts, and drivers.
    //!
    //! # Convention
    //!
    //! A complex function is a real-linear map of tangents: with `⟨a, b⟩ = Re(conj(a)·b)`
    //!
    //! - the tangent of a holomorphic `f` is `f′(z)·ż`, without a conjugate;
    //! - the cotangent is pulled back by the adjoint, `z̄ = ȳ·conj(f′(z))`, and likewise for the arguments of binary
    //!   operations;
    //! - any other `f` has `∂f/∂z` and `∂f/∂z*`, and `z̄ = ȳ·conj(∂f/∂z) + conj(ȳ)·∂f/∂z*`;
    //! - the gradient of a real function `L` is `∂L/∂x + i·∂L/∂y = 2·∂L/∂z*`, the direction of steepest ascent.
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex::{derivative, gradient, norm_sqr, vjp};
    //! let z = Complex64::new(1.0, 1.0);
    //! assert_eq!(derivative(|z| z * z, z), Complex64::new(2.0, 2.0)); // 2z
    //! let one = Complex64::new(1.0, 0.0);
    //! assert_eq!(vjp(|z| z * z, &z, &one), Complex64::new(2.0, -2.0)); // conj(2z)
    //! assert_eq!(gradient(|z| norm_sqr(*z), &z), Complex64::new(2.0, 2.0)); // 2z
    //! ```
    //!
    //! **PyTorch** uses the same convention: `z.grad` of a real loss equals this crate's gradient, and the backward
    //! pass of a holomorphic function is `ȳ·conj(f′(z))`. For `|z|` at `3 + 4i` both give `0.6 + 0.8i`.
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex;
    //! let g = complex::gradient(|z| complex::abs(*z), &Complex64::new(3.0, 4.0));
    //! assert_eq!(g, Complex64::new(0.6, 0.8));
    //! ```
    //!
    //! **JAX** has the same JVP, but its VJP is the transpose without the conjugate. So `vjp(ȳ)` here is
    //! `conj(jax_vjp(conj ȳ))`, and the gradient of a real function here is `conj(jax.grad)`: JAX gives `0.6 − 0.8i`
    //! for `|z|` at `3 + 4i`. For `z²` at `1 + i` with the cotangent `1 − 2i`:
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex::{derivative, vjp};
    //! let (z, w) = (Complex64::new(1.0, 1.0), Complex64::new(1.0, -2.0));
    //! let jax_vjp = |w: Complex64| w * derivative(|z| z * z, z); // w·f′(z)
    //! assert_eq!(vjp(|z| z * z, &z, &w), jax_vjp(w.conj()).conj());
    //! assert_eq!(vjp(|z| z * z, &z, &w), Complex64::new(-2.0, -6.0));
    //! ```
    //!
    //! # Prepared operators
    //!
    //! [`prepare`] makes operators that keep their memory, in any [mode](crate::mode): derivatives, gradients,
    //! products in both directions, and for real functions Hessians over the real components.
    //!
    //! # Two layouts
    //!
    //! `Dual<Complex<f64>>` implements [`Number`](crate::Number): its methods are the rules of the
    //! [table](crate::rules). [`ComplexVar<f64>`](crate::ComplexVar) is its counterpart in reverse mode.
    //! `Complex<Dual<f64>>` and `Complex<Var<f64>>` are types of num-complex, for code that is generic over
    //! `num_complex::Complex<T>`. The functions of this module apply the same rules to them;
    //! [`AsNumber`](crate::AsNumber) converts between the layouts. All four may be entries of
    //! [matrices](crate::matrix).
    //!
    //! **Do not use num-complex's own functions on these types.** They use real arithmetic, with shortcuts where a
    //! part is exactly zero. There the value is right, but the derivative is wrong:
    //!
    //! ```
    //! use num_complex::{Complex, Complex64};
    //! use wengert::{Dual, complex};
    //! // z = 4 + it at t = 0: d/dt √z = i/(2√4)
    //! let z = Complex::new(Dual::constant(4.0), Dual::variable(0.0));
    //! assert_eq!(complex::sqrt(z).im.tangent(), 0.25);
    //! assert_eq!(z.sqrt().im.tangent(), 1.0); // num-complex: the imaginary part, passed through
    //! ```
    //!
    //! `cbrt`, `asin`, `acos`, `asinh` and `acosh`, which use roots, have these faults too; `powf` at 0 is NaN. The operator
    //! `/` of num-complex computes `|w|²`, which overflows from `1e154` on, so even the value is wrong.
    //!
    //! With `use wengert::Number` in scope, methods that num-complex takes by reference (`z.powi(2)`, `z.conj()`)
    //! resolve to this crate's methods, which take `self` by value. `Complex64::conj(&z)` calls num-complex's.
    //!
    //! # Values
    //!
    //! This crate computes its own values. Functions of one argument are accurate to 4 eps of the modulus over the
    //! whole range, on both sides of cuts and near poles and zeros, for `f32` and `f64`; a table computed with 1300
    //! digits checks this. Powers and `exp_base` keep this accuracy while the angle `Im(w·ln z)` of `z^w` is below
    //! 10¹². At other number types the values are bit for bit those of the functions here at `Complex<f64>`. The
    //! functions of num-complex lose digits or overflow in places, and so do its operators except `+` and `−`:
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex;
    //! let z = Complex64::new(1.0, 1e-8);
    //! assert!(z.ln().re == 0.0 && complex::ln(z).re > 4.9e-17); // ½ ln(1 + 1e-16)
    //! let z = Complex64::new(0.3, 800.0);
    //! assert!(z.tan().is_nan() && complex::tan(z) == Complex64::i());
    //! let z = Complex64::new(1e160, 1e160);
    //! assert!(z.inv() == Complex64::default() && complex::recip(z).re > 4.9e-161);
    //! ```
    //!
    //! First derivatives are accurate to 8 eps, second derivatives to 16 eps, away from their zeros and where no
    //! intermediate result underflows.
    //!
    //! **Branch cuts** follow W. Kahan (*Branch cuts for complex elementary functions*, 1987) and C99: the negative
    //! real axis for `sqrt`, `cbrt`, `ln`, `log2`, `log10`, powers and `arg`; the real axis below −1 for `ln_1p`; the
    //! real axis beyond ±1 for `asin`, `acos`, `atanh`; the real axis below 1 for `acosh`; the imaginary axis beyond
    //! ±i for `asinh`, `atan`. On a cut, the sign of the zero selects the side: value and derivative are the limits
    //! from that side. So `f(conj z) = conj f(z)` holds on the cuts too.
    //!
    //! ```
    //! use num_complex::Complex64;
    //! use wengert::complex;
    //! let [above, below] = [0.0, -0.0].map(|zero| Complex64::new(-4.0, zero));
    //! assert_eq!(complex::sqrt(above), Complex64::new(0.0, 2.0));
    //! assert_eq!(complex::sqrt(below), Complex64::new(0.0, -2.0));
    //! ```

    pub use crate::complex_functions::*;
    #[cfg(feature = "std")]
    pub use crate::drivers::complex::*;
}

#[cfg(any(feature = "std", feature = "libm"))]
pub mod forward {
    //! Forward mode: numbers that carry tangents, without a tape.
    //!
    //! | type | carries | for |
    //! |---|---|---|
    //! | [`Dual<T>`] | one tangent | a directional derivative (JVP) |
    //! | [`DualN<T, N>`] | N tangents | gradients and Jacobians, N columns in one pass |
    //! | [`Dual2<T, N, M>`] | N tangents and their M = N(N+1)/2 second derivatives | gradient and Hessian in one pass |
    //! | [`HyperDual<T>`] | two tangents and their mixed second derivative | one entry of a Hessian, `f″` |
    //!
    //! All nest to any depth: `Dual<Dual<f64>>` gives second derivatives, `Dual<HyperDual<f64>>` third ones. Nested drivers
    //! have [rules](derivative#nested-derivatives).
    //!
    //! # Where the two modes differ
    //!
    //! The modes agree at the singular points of single functions. They differ in four cases, each with an infinite or
    //! undefined (NaN) intermediate value ([`reverse`](crate::reverse#where-the-two-modes-differ) has examples):
    //! - an infinite factor of a plain product: `∞·0 = NaN` with the zero tangent of the other factor;
    //! - a flat function of an argument with an infinite derivative: `0·∞ = NaN`;
    //! - a zero factor of a plain product whose other factor has no finite derivative: `0·∞ = NaN`, but 0 on a tape;
    //! - addends that cancel before an infinite derivative: zero here, `∞ − ∞` on a tape.
    //!
    //! # Drivers
    //!
    //! The operators of the table at the [root](crate) without `Jᵀ·w`, and also [`third_derivative`].

    #[cfg(feature = "std")]
    pub use crate::drivers::forward::*;
    pub use crate::duals::*;
}

#[cfg(feature = "std")]
pub mod reverse {
    //! Reverse mode: a tape that records the function, and a backward sweep over it.
    //!
    //! A [`Var<T>`] carries its value and its derivative with respect to one *node* of a [`Tape`]. Only operations
    //! between variables of different nodes are recorded, as two partials and two parents. Sums, inner products,
    //! products, matrix rules and custom primitives are recorded as *blocks* with many parents. The backward sweep
    //! propagates a cotangent from a result to all inputs, at a small multiple of the cost of the function for any
    //! number of inputs.
    //!
    //! Drivers ([`gradient`], [`vjp`], [`jacobian`], [`linearize`], …) open a tape themselves. Use a [`Tape`]
    //! directly for other control flow. Each thread keeps a pool of tapes, so a second call of the same size allocates no
    //! tape. [`release_memory`] frees the pool of the calling thread, [`limit_memory`] sets how much a tape may keep.
    //!
    #![doc = include_str!("../docs/tapes.md")]
    //!
    //! # Drivers
    //!
    //! Gradients, Jacobians, `Jᵀ·w`, `H·v` and Hessians in reverse mode, and [`linearize`], [`checkpoint`],
    //! [`loop_gradient`] and [`loop_gradient_until`]. Each operator has the call styles of the table at the
    //! [root](crate). Forward mode needs no tape for `f′`, `f″` and `J·v`, so these are in [`forward`](crate::forward);
    //! [`prepare`](crate::prepare) gives every operator in every mode.

    pub use crate::drivers::reverse::*;
    pub use crate::tapes::*;
}

/// The examples of README.md, as tests.
#[cfg(all(doctest, feature = "nalgebra", feature = "macros"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Items that this crate's macros refer to.
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod __private {
    pub use crate::number::{Declared, Float, NumAssign, NumCast, WithoutDerivative, lifted, scaled};
}

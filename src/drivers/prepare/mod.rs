//! Prepared operators: they own their memory, and allocate nothing after the first call.
//!
//! An operator is prepared for a mode and for points of one structure. It then runs any number of times, with any function.
//! It depends on sizes and types, not on values. Results go to buffers of any structure. State the number type of a matrix
//! buffer: `DMatrix::<f64>::zeros(2, 2)`. A buffer for a Jacobian or Hessian is a matrix, or gets the columns in order.
//!
//! A size that does not fit is an [`AdError`](crate::AdError), and nothing is written; so is a
//! [confusion](crate::AdError::Confusion) with an outer derivative. The exception is a later evaluation
//! of the function that differs from the first, in the number of results or in the shape of its cache.
//!
//! ```
//! use wengert::{Reverse, prepare};
//! let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
//! let mut g = [0.0; 2];
//! for x in [[1.0, 2.0], [3.0, 4.0]] {
//!     let y = gradient.of(|x| x[0] * x[0] * x[1]).at(&x, &mut g)?;
//!     assert_eq!((y, g), (x[0] * x[0] * x[1], [2.0 * x[0] * x[1], x[0] * x[0]]));
//! }
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! A value that is not needed has the buffer `&mut ()`, and so does a gradient in addition to second derivatives:
//!
//! ```
//! use wengert::{Forward, Reverse, SecondOrder, prepare};
//! let mut hv = [0.0; 2];
//! let mut hvp = prepare::hvp(SecondOrder(Forward, Reverse), &[0.0; 2]);
//! let y = hvp.of(|x| x[0] * x[1] * x[1]).at(&[2.0, 3.0], &[1.0, 0.0], &mut (), &mut hv)?;
//! assert_eq!((y, hv), (18.0, [0.0, 6.0]));
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! Code that is generic over the mode takes one as a value. Newton's iteration by three modes:
//!
//! ```
//! # #[cfg(feature = "nalgebra")] {
//! use nalgebra::{DMatrix, DVector};
//! use wengert::mode::SecondPass;
//! use wengert::{AdError, Function, Scalar, function, prepare};
//! use wengert::{FiniteDifference, Forward, Packed, Reverse, SecondOrder};
//! fn minimise<M>(mode: M, f: &impl Function, x: &mut [f64]) -> Result<(), AdError>
//! where
//!     M: SecondPass<Number<f64>: Scalar>,
//! {
//!     let n = x.len();
//!     let mut hessian = prepare::hessian(mode, &*x);
//!     let (mut g, mut h) = (DVector::zeros(n), DMatrix::<f64>::zeros(n, n));
//!     for _ in 0..12 {
//!         hessian.of_object(f).at(&*x, &mut g, &mut h)?;
//!         let step = h.clone().lu().solve(&g).ok_or(AdError::Singular { op: "minimise" })?;
//!         x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
//!     }
//!     Ok(())
//! }
//! let f = function!(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2));
//! let mut x = [[-1.2, 1.0]; 3];
//! minimise(Packed::<2, 3>, &f, &mut x[0])?;
//! minimise(SecondOrder(Forward, Reverse), &f, &mut x[1])?;
//! minimise(SecondOrder(FiniteDifference::default(), Reverse), &f, &mut x[2])?;
//! assert!(x.iter().flatten().all(|x| (x - 1.0).abs() < 1e-9));
//! # }
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! # Contexts
//!
//! Captured values of a closure are **constants**: they have no tangent and cost nothing. A **cache** is memory for
//! numbers of the type that the function runs at, passed to the closure after the point. It may have any structure
//! that a point may have. Its numbers are NaN whenever the closure is called, so that their old values cannot
//! matter; plain fields are as the closure has left them. Changing the structure of the cache is an error.
//!
//! ```
//! use wengert::{ForwardChunk, prepare};
//! let mut gradient = prepare::gradient(ForwardChunk::<2>, &[0.0; 2]).with_cache(&[0.0; 2]);
//! let (scale, mut g) = (10.0, [0.0; 2]);
//! let f = |x: &[_], cache: &mut [_]| {
//!     cache.copy_from_slice(x);
//!     (cache[0] * cache[0] + cache[1] * cache[1]) * scale
//! };
//! let y = gradient.of(f).at(&[1.0, 2.0], &mut g)?;
//! assert_eq!((y, g), (50.0, [20.0, 40.0]));
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! A function that fills a buffer of results is prepared with its length, `filling(m)`, and may have a cache too.
//!
//! If a function needs its complex numbers as single numbers, with the functions of this crate, use
//! [`complex::prepare`](crate::complex::prepare); here a complex number reaches a function in two parts.
//!
//! # Threads
//!
//! An operator may move to another thread. It writes to its memory when it runs, so threads cannot share one; each
//! has its own by `clone`.
//!
//! ```
//! use wengert::{Reverse, prepare};
//! let square = prepare::gradient(Reverse, &[0.0; 2]);
//! std::thread::scope(|s| {
//!     for (mut square, x) in [(square.clone(), [1.0, 2.0]), (square, [3.0, 4.0])] {
//!         s.spawn(move || {
//!             let mut g = [0.0; 2];
//!             square.of(|x| x[0] * x[1]).at(&x, &mut g).unwrap();
//!             assert_eq!(g, [x[1], x[0]]);
//!         });
//!     }
//! });
//! ```
//! ```compile_fail,E0499
//! use wengert::{Reverse, prepare};
//! let mut square = prepare::gradient(Reverse, &[0.0; 2]);
//! std::thread::scope(|s| {
//!     s.spawn(|| square.of(|x| x[0] * x[1]).at(&[1.0, 2.0], &mut [0.0; 2]));
//!     s.spawn(|| square.of(|x| x[0] * x[1]).at(&[3.0, 4.0], &mut [0.0; 2]));
//! });
//! ```

macro_rules! operators {
    ($($Op:ident $name:ident)*) => {$(
        #[doc = concat!("The operator of [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $Op;
        impl $crate::drivers::prepare::Operator for $Op {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}

mod bound;
mod first;
#[cfg(feature = "programs")]
pub mod recorded;
mod second;
mod series;

use std::fmt;
use std::marker::PhantomData;

pub use super::call::Cache;
use super::mode::{Mode, Pass};
use super::modes::SecondPass;
use super::work::Kept;
pub use crate::error::PreparedSize;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, Outline, PairLayout};
pub use series::{
    Derivatives, Directional, DirectionalGradient, ForwardSeries, ReverseSeries, Series, Tensor, derivatives,
    directional, directional_gradient, taylor, tensor,
};
pub(super) use series::{line, whole};

/// An operator by name.
pub trait Operator {
    /// The name in messages.
    const NAME: &'static str;
}

operators! {
    Derivative derivative
    SecondDerivative second_derivative
    Gradient gradient
    Jacobian jacobian
    Jvp jvp
    Vjp vjp
    Hvp hvp
    Hessian hessian
}

/// Operators of functions that get complex numbers in the layout `L`.
macro_rules! prepares {
    ($L:ident: $($(#[$doc:meta])* $Op:ident $name:ident: $Pass:ident of $Results:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// The method `at` of [`BoundOperator`](crate::prepare::BoundOperator) has the buffers and an example.
        pub fn $name<M: $Pass, T: Real, X: Components<T, $L> + ?Sized>(
            mode: M,
            x: &X,
        ) -> Prepared<$Op, M, T, X, $Results, (), $L> {
            Prepared::new(mode, Outline::of(x), $Results)
        }
    )*};
}
pub(super) use prepares;

prepares! { PairLayout:
    /// `f(x)` and `f′(x)` of functions of one variable with any number of results.
    Derivative derivative: Pass of VectorResult;
    /// `f(x)`, `f′(x)` and `f″(x)` of functions of one variable with any number of results.
    SecondDerivative second_derivative: SecondPass of VectorResult;
    /// `f(x)` and `∇f(x)`.
    Gradient gradient: Pass of ScalarResult;
    /// `f(x)` and `J(x)`, outputs × inputs.
    Jacobian jacobian: Pass of VectorResult;
    /// `f(x)` and `J(x)·v`.
    Jvp jvp: Pass of VectorResult;
    /// `f(x)` and `J(x)ᵀ·w`.
    Vjp vjp: Pass of VectorResult;
    /// `f(x)`, `∇f(x)` and `H(x)·v`.
    Hvp hvp: SecondPass of ScalarResult;
    /// `f(x)`, `∇f(x)` and `H(x)`.
    Hessian hessian: SecondPass of ScalarResult;
}

/// Functions with one result, `|x| …`.
#[derive(Clone, Copy, Debug)]
pub struct ScalarResult;
/// Functions with any number of results, `|x| …`.
#[derive(Clone, Copy, Debug)]
pub struct VectorResult;
/// Functions that fill a buffer, `|x, y| …`.
#[derive(Clone, Debug)]
pub struct Fills<Y>(Vec<Y>);

/// A prepared operator, for a mode, points of one structure, a kind of functions (`R`: [`ScalarResult`],
/// [`VectorResult`] or [`Fills`]), their cache if they have one, and a layout of complex numbers. Made by the functions of
/// [this module](self) and of [`complex::prepare`](crate::complex::prepare).
#[must_use = "it differentiates a function that it is given: `.of(f).at(…)`"]
pub struct Prepared<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, R, C = (), L = PairLayout> {
    core: Core<M, T, X, L>,
    results: R,
    cache: C,
    of: PhantomData<Op>,
}

/// A mode, the structure of its points, and its memory.
struct Core<M: Mode, T: Real, X: Components<T, L> + ?Sized, L> {
    mode: M,
    outline: Outline,
    memory: Kept<M, T, L, X>,
    /// The point of the structure before this one.
    former: Option<X::With<M::Number<T>>>,
    /// Tangents or cotangents in a row.
    vectors: Spare<T>,
}

/// A prepared operator with a function.
#[must_use = "it runs at a point: `.at(…)`"]
pub struct BoundOperator<'a, Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, F, L = PairLayout> {
    core: &'a mut Core<M, T, X, L>,
    f: F,
    /// The prepared number of results, and the number of the function.
    results: Option<(usize, usize)>,
    of: PhantomData<Op>,
}

/// The argument of a function in a mode.
type Arg<M, T, X, L> = <X as Components<T, L>>::Arg<<M as Mode>::Number<T>>;

impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, R, L> Prepared<Op, M, T, X, R, (), L> {
    pub(in crate::drivers) fn new(mode: M, outline: Outline, results: R) -> Self {
        let core = Core {
            mode,
            outline,
            memory: Kept::<M, T, L, X>::default(),
            former: None,
            vectors: Spare::new(),
        };
        Prepared { core, results, cache: (), of: PhantomData }
    }
    /// For functions with a cache of the structure of `shape`, whose numbers do not matter. The
    /// [module](self#contexts) has an example.
    #[allow(clippy::type_complexity)]
    pub fn with_cache<K: Components<T, L> + ?Sized>(
        self,
        shape: &K,
    ) -> Prepared<Op, M, T, X, R, Cache<K::With<M::Number<T>>>, L>
    where
        Op: Operator,
    {
        let Prepared { core, results, of, .. } = self;
        Prepared { core, results, cache: Cache::of(Op::NAME, shape), of }
    }
}

impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, R, C, L> Prepared<Op, M, T, X, R, C, L> {
    /// Prepares for points of another structure; memory is reused. Cache and number of results stay: see
    /// [`recache`](Prepared::recache) and [`refill`](Prepared::refill).
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let mut gradient = prepare::gradient(Reverse, &[0.0; 2][..]);
    /// let (x, mut g) = ([1.0, 2.0, 3.0], [0.0; 3]);
    /// let e = gradient.of(|x| x[0] * x[1]).at(&x, &mut g).unwrap_err();
    /// let text = "gradient: prepared for other sizes: \
    ///             point prepared 2, given 3 (does not fit); \
    ///             gradient buffer prepared 2, given 3 (does not fit)";
    /// assert_eq!(e.to_string(), text);
    /// gradient.reprepare(&x);
    /// assert_eq!(gradient.of(|x| x[0] * x[1]).at(&x, &mut g), Ok(2.0));
    /// ```
    pub fn reprepare(&mut self, x: &X) {
        let Core { outline, memory, former, .. } = &mut self.core;
        outline.refill(x);
        std::mem::swap(&mut memory.point, former);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<'a, F>(core: &'a mut Core<M, T, X, L>, f: F) -> BoundOperator<'a, Op, M, T, X, F, L> {
        BoundOperator { core, f, results: None, of: PhantomData }
    }
}

impl<Op, M: Mode, T: Real, X, R, W, L> Prepared<Op, M, T, X, R, Cache<W>, L>
where
    X: Components<T, L> + ?Sized,
{
    /// Prepares for caches of another structure; memory is reused.
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let mut gradient = prepare::gradient(Reverse, &[0.0; 2]).with_cache(&vec![0.0]);
    /// gradient.recache(&vec![0.0; 2]);
    /// let f = |x: &[_], cache: &mut [_]| {
    ///     cache.copy_from_slice(x);
    ///     cache[0] * cache[1]
    /// };
    /// assert_eq!(gradient.of(f).at(&[2.0, 3.0], &mut [0.0; 2]), Ok(6.0));
    /// ```
    pub fn recache<K: Components<T, L, With<M::Number<T>> = W> + ?Sized>(&mut self, shape: &K) {
        self.cache.reshape::<T, M::Number<T>, L, K>(shape);
    }
}

/// A copy of the operator with new memory.
impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, R: Clone, C: Clone, L> Clone
    for Prepared<Op, M, T, X, R, C, L>
{
    fn clone(&self) -> Self {
        let Core { mode, outline, .. } = &self.core;
        let Prepared { core, results, of, .. } =
            Prepared::new(mode.clone(), outline.clone(), self.results.clone());
        Prepared { core, results, cache: self.cache.clone(), of }
    }
}

impl<Op: Operator, M: Mode + fmt::Debug, T: Real, X: Components<T, L> + ?Sized, R, C, L> fmt::Debug
    for Prepared<Op, M, T, X, R, C, L>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Core { mode, outline, .. } = &self.core;
        write!(f, "Prepared {{ {}, {mode:?}, {} components }}", Op::NAME, outline.dimension())
    }
}

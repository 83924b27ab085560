//! Operators that are kept: memory is theirs, and nothing is allocated after the first call.
//!
//! An operator is prepared for a mode and for points of one structure, then run as often as one likes, with any
//! function. It depends on sizes and types, not on values, and owns all memory that a run needs. Results go to buffers;
//! what does not fit is an [`AdError`](crate::AdError), and nothing is written then.
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
//! Code that is generic over the mode takes one as a value. Newton's iteration by three modes:
//!
//! ```
//! # #[cfg(feature = "nalgebra")] {
//! use nalgebra::{DMatrix, DVector};
//! use wengert::mode::SecondPass;
//! use wengert::{AdError, Function, function, prepare};
//! use wengert::{FiniteDifference, Forward, Packed, Reverse, SecondOrder};
//! fn minimise<M>(mode: M, f: &impl Function, x: &mut [f64]) -> Result<(), AdError>
//! where
//!     M: SecondPass,
//! {
//!     let n = x.len();
//!     let mut hessian = prepare::hessian(mode, &*x);
//!     let (mut g, mut h) = (DVector::zeros(n), DMatrix::zeros(n, n));
//!     for _ in 0..12 {
//!         hessian.of_object(f).at(&*x, &mut g, &mut h)?;
//!         let step = h.clone().lu().solve(&g).ok_or(AdError::Singular { op: "minimise" })?;
//!         x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
//!     }
//!     Ok(())
//! }
//! let f = function!(|x| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (-x[0] + 1.0).powi(2));
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
//! What a closure captures is a **constant**: it has no tangent and costs nothing. A **cache** is memory for numbers of
//! the type that the function runs at, handed to the closure beside the point. It may have any structure that a point
//! may have. It holds NaN whenever the closure is called, so that its content cannot matter.
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
//! # Threads
//!
//! An operator holds memory of its thread and writes to it in every run: it neither crosses threads nor is shared. Each
//! thread prepares its own.
//!
//! ```compile_fail,E0277
//! use wengert::{Reverse, prepare};
//! let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
//! std::thread::spawn(move || gradient.of(|x| x[0]).at(&[1.0, 2.0], &mut [0.0; 2]));
//! ```

mod of;

use std::borrow::BorrowMut;
use std::fmt;
use std::marker::PhantomData;

use super::call::{Caching, Closure, Filling, Object, VectorObject};
use super::mode::{Mode, Pass};
use super::modes::SecondPass;
use super::work::Kept;
use super::{Function, VectorFunction};
use crate::number::{Number, Real};
use crate::pool::Spare;
use crate::space::{Components, Outline, Split};

macro_rules! operators {
    ($($(#[$doc:meta])* $Op:ident $name:ident: $Pass:ident of $Kind:ident;)*) => {$(
        #[doc = concat!("What [`", stringify!($name), "`] asks for.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $Op;
        impl Operator for $Op {
            const NAME: &'static str = stringify!($name);
        }
        $(#[$doc])*
        pub fn $name<M: $Pass, T: Real, X: Components<T> + ?Sized>(
            mode: M,
            x: &X,
        ) -> Prepared<$Op, M, T, X, $Kind> {
            let memory = Kept::<M, T, Split, X>::default();
            Prepared { mode, outline: Outline::of(x), memory, vectors: Spare::new(), kind: $Kind, of: PhantomData }
        }
    )*};
}

/// An operator by name.
pub trait Operator {
    /// The name in messages.
    const NAME: &'static str;
}

operators! {
    /// `f(x)` and `f′(x)` of functions of one variable with any number of results.
    Derivative derivative: Pass of Many;
    /// `f(x)`, `f′(x)` and `f″(x)` of functions of one variable with any number of results.
    SecondDerivative second_derivative: SecondPass of Many;
    /// `f(x)` and `∇f(x)`.
    Gradient gradient: Pass of One;
    /// `f(x)` and `J(x)`, outputs × inputs.
    Jacobian jacobian: Pass of Many;
    /// `f(x)` and `J(x)·v`.
    Jvp jvp: Pass of Many;
    /// `f(x)` and `J(x)ᵀ·w`.
    Vjp vjp: Pass of Many;
    /// `f(x)`, `∇f(x)` and `H(x)·v`.
    Hvp hvp: SecondPass of One;
    /// `f(x)`, `∇f(x)` and `H(x)`.
    Hessian hessian: SecondPass of One;
}

/// Functions with one result, `|x| …`.
#[derive(Clone, Copy, Debug)]
pub struct One;
/// Functions with one result and a cache, `|x, cache| …`.
#[derive(Clone, Debug)]
pub struct OneCached<W>(W);
/// Functions with any number of results, `|x| …`.
#[derive(Clone, Copy, Debug)]
pub struct Many;
/// Functions with any number of results and a cache, `|x, cache| …`.
#[derive(Clone, Debug)]
pub struct ManyCached<W>(W);
/// Functions that fill a buffer, `|x, y| …`.
#[derive(Clone, Debug)]
pub struct Fills<N>(Vec<N>);
/// Functions that fill a buffer and have a cache, `|x, y, cache| …`.
#[derive(Clone, Debug)]
pub struct FillsCached<N, W>(Vec<N>, W);

/// An operator that is kept, for a mode, points of one structure and a kind of functions. Made by the functions of
/// [this module](self).
pub struct Prepared<Op, M: Mode, T: Real, X: Components<T> + ?Sized, Kind> {
    mode: M,
    outline: Outline,
    memory: Kept<M, T, Split, X>,
    /// Tangents or cotangents in a row.
    vectors: Spare<T>,
    kind: Kind,
    of: PhantomData<Op>,
}

/// A prepared operator with a function.
pub struct Of<'a, Op, M: Mode, T: Real, X: Components<T> + ?Sized, F> {
    mode: &'a M,
    outline: &'a Outline,
    memory: &'a mut Kept<M, T, Split, X>,
    vectors: &'a mut Spare<T>,
    f: F,
    of: PhantomData<Op>,
}

/// What a function takes in a mode.
type Arg<M, T, X> = <X as Components<T>>::Arg<<M as Mode>::Number<T>>;

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized, Kind> Prepared<Op, M, T, X, Kind> {
    fn map<K>(self, kind: impl FnOnce(Kind) -> K) -> Prepared<Op, M, T, X, K> {
        let Prepared { mode, outline, memory, vectors, of, .. } = self;
        Prepared { mode, outline, memory, vectors, kind: kind(self.kind), of }
    }
    #[inline(always)]
    fn with<'a, F>(&'a mut self, f: impl FnOnce(&'a mut Kind) -> F) -> Of<'a, Op, M, T, X, F> {
        let Prepared { mode, outline, memory, vectors, kind, .. } = self;
        Of { mode, outline, memory, vectors, f: f(kind), of: PhantomData }
    }
    /// Prepares for points of another structure; memory is used again.
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
        self.outline = Outline::of(x);
    }
}

/// NaN in the structure of `shape`.
fn cache<N: Real, T: Real, K: Components<T> + ?Sized>(shape: &K) -> K::With<N> {
    shape.map(&mut |_| N::lit(f64::NAN))
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, One> {
    /// For functions with a cache of the structure of `shape`, whose numbers do not matter.
    #[allow(clippy::type_complexity)]
    pub fn with_cache<K: Components<T> + ?Sized>(
        self,
        shape: &K,
    ) -> Prepared<Op, M, T, X, OneCached<K::With<M::Number<T>>>> {
        self.map(|_| OneCached(cache(shape)))
    }
    /// The operator of a function `|x| y`.
    #[inline(always)]
    pub fn of<F>(&mut self, f: F) -> Of<'_, Op, M, T, X, Closure<F>>
    where
        F: FnMut(&Arg<M, T, X>) -> M::Number<T>,
    {
        self.with(|_| Closure(f))
    }
    /// The operator of a [`Function`].
    #[inline(always)]
    pub fn of_object<'a, F: Function + ?Sized>(&'a mut self, f: &'a F) -> Of<'a, Op, M, T, X, Object<'a, F>> {
        self.with(|_| Object(f))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized, W> Prepared<Op, M, T, X, OneCached<W>> {
    /// The operator of a function `|x, cache| y`.
    #[inline(always)]
    pub fn of<K: ?Sized, F>(&mut self, f: F) -> Of<'_, Op, M, T, X, Caching<'_, F, W, Split>>
    where
        F: FnMut(&Arg<M, T, X>, &mut K) -> M::Number<T>,
        W: Components<M::Number<T>, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        self.with(|kind| Caching(f, &mut kind.0, PhantomData))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, Many> {
    /// For functions with a cache of the structure of `shape`, whose numbers do not matter.
    #[allow(clippy::type_complexity)]
    pub fn with_cache<K: Components<T> + ?Sized>(
        self,
        shape: &K,
    ) -> Prepared<Op, M, T, X, ManyCached<K::With<M::Number<T>>>> {
        self.map(|_| ManyCached(cache(shape)))
    }
    /// For functions that fill a buffer of `outputs` results.
    pub fn filling(self, outputs: usize) -> Prepared<Op, M, T, X, Fills<M::Number<T>>> {
        self.map(|_| Fills(vec![M::Number::lit(f64::NAN); outputs]))
    }
    /// The operator of a function `|x| y`.
    #[inline(always)]
    pub fn of<O, F>(&mut self, f: F) -> Of<'_, Op, M, T, X, Closure<F>>
    where
        O: Components<M::Number<T>>,
        F: FnMut(&Arg<M, T, X>) -> O,
    {
        self.with(|_| Closure(f))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized, W> Prepared<Op, M, T, X, ManyCached<W>> {
    /// The operator of a function `|x, cache| y`.
    #[inline(always)]
    pub fn of<O, K: ?Sized, F>(&mut self, f: F) -> Of<'_, Op, M, T, X, Caching<'_, F, W, Split>>
    where
        O: Components<M::Number<T>>,
        F: FnMut(&Arg<M, T, X>, &mut K) -> O,
        W: Components<M::Number<T>, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        self.with(|kind| Caching(f, &mut kind.0, PhantomData))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, Fills<M::Number<T>>> {
    /// For functions with a cache too, of the structure of `shape`, whose numbers do not matter.
    #[allow(clippy::type_complexity)]
    pub fn with_cache<K: Components<T> + ?Sized>(
        self,
        shape: &K,
    ) -> Prepared<Op, M, T, X, FillsCached<M::Number<T>, K::With<M::Number<T>>>> {
        self.map(|kind| FillsCached(kind.0, cache(shape)))
    }
    /// The operator of a function `|x, y|`, which fills `y`.
    #[inline(always)]
    pub fn of<F>(&mut self, f: F) -> Of<'_, Op, M, T, X, Filling<'_, F, M::Number<T>>>
    where
        F: FnMut(&Arg<M, T, X>, &mut [M::Number<T>]),
    {
        self.with(|kind| Filling(f, &mut kind.0))
    }
    /// The operator of a [`VectorFunction`] with the prepared number of results.
    #[inline(always)]
    pub fn of_object<'a, F: VectorFunction + ?Sized>(
        &'a mut self,
        f: &'a F,
    ) -> Of<'a, Op, M, T, X, VectorObject<'a, F, M::Number<T>>> {
        self.with(|kind| VectorObject(f, &mut kind.0))
    }
}

impl<Op, M: Mode, T: Real, X, W> Prepared<Op, M, T, X, FillsCached<M::Number<T>, W>>
where
    X: Components<T> + ?Sized,
{
    /// The operator of a function `|x, y, cache|`, which fills `y`.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    pub fn of<'a, K: ?Sized, F>(
        &'a mut self,
        mut f: F,
    ) -> Of<'a, Op, M, T, X, Filling<'a, impl FnMut(&Arg<M, T, X>, &mut [M::Number<T>]), M::Number<T>>>
    where
        F: FnMut(&Arg<M, T, X>, &mut [M::Number<T>], &mut K) + 'a,
        W: Components<M::Number<T>, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        self.with(|FillsCached(y, cache)| {
            let with_cache = move |x: &Arg<M, T, X>, y: &mut [M::Number<T>]| {
                cache.visit_mut(&mut |c| *c = M::Number::lit(f64::NAN));
                f(x, y, cache.borrow_mut())
            };
            Filling(with_cache, y)
        })
    }
}

/// The same operator with memory of its own.
impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized, Kind: Clone> Clone for Prepared<Op, M, T, X, Kind> {
    fn clone(&self) -> Self {
        let memory = Kept::<M, T, Split, X>::default();
        let (mode, outline, kind) = (self.mode.clone(), self.outline.clone(), self.kind.clone());
        Prepared { mode, outline, memory, vectors: Spare::new(), kind, of: PhantomData }
    }
}

impl<Op: Operator, M: Mode + fmt::Debug, T: Real, X: Components<T> + ?Sized, Kind> fmt::Debug
    for Prepared<Op, M, T, X, Kind>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared {{ {}, {:?}, {} components }}", Op::NAME, self.mode, self.outline.dimension())
    }
}

//! Operators that are kept: memory is theirs, and nothing is allocated after the first call.
//!
//! An operator is prepared for a mode and for points of one structure, then run as often as one likes, with any
//! function. It depends on sizes and types, not on values, and owns all memory that a run needs. Results go to buffers;
//! what does not fit is an [`AdError`], and nothing is written then.
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
//! use wengert::{AdError, FiniteDifference, Forward, Function, Packed, Reverse, SecondOrder, function, prepare};
//! fn minimise<M: SecondPass>(mode: M, f: &impl Function, x: &mut [f64]) -> Result<(), AdError> {
//!     let n = x.len();
//!     let (mut hessian, mut g, mut h) = (prepare::hessian(mode, &*x), DVector::zeros(n), DMatrix::zeros(n, n));
//!     for _ in 0..12 {
//!         hessian.of_object(f).at(&*x, &mut g, &mut h)?;
//!         let step = h.clone().lu().solve(&g).ok_or(AdError::Singular { op: "minimise" })?;
//!         x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
//!     }
//!     Ok(())
//! }
//! let rosenbrock = function!(|x| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (-x[0] + 1.0).powi(2));
//! let mut x = [[-1.2, 1.0]; 3];
//! minimise(Packed::<2, 3>, &rosenbrock, &mut x[0])?;
//! minimise(SecondOrder(Forward, Reverse), &rosenbrock, &mut x[1])?;
//! minimise(SecondOrder(FiniteDifference::default(), Reverse), &rosenbrock, &mut x[2])?;
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
//! To run an operator writes to its memory, so threads cannot share one; each has its own by `clone`.
//!
//! ```compile_fail,E0373
//! use wengert::{Reverse, prepare};
//! let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
//! let mut run = || gradient.of(|x| x[0]).at(&[1.0, 2.0], &mut [0.0; 2]).unwrap();
//! std::thread::spawn(run);
//! std::thread::spawn(run);
//! ```

use std::borrow::BorrowMut;
use std::fmt;
use std::marker::PhantomData;

use super::call::{Caching, Call, Closure, Filling, Object, VectorObject};
use super::mode::{Given, Mode, Pass, Units};
use super::modes::SecondPass;
use super::sinks::{Buffer, Fitting, Keep, Onto, Written};
use super::work::{Kept, Work, row, rows};
use super::{Function, VectorFunction};
use crate::error::{AdError, Argument};
use crate::number::{Number, Real};
use crate::pool::Spare;
use crate::space::{Components, Flat, Outline, Split, dimension};

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
    of: PhantomData<(Op, fn(&X))>,
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
    /// let text = "gradient: prepared for other sizes: point prepared 2, given 3 (does not fit); \
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

impl<'a, Op: Operator, M: Mode, T: Real, X: Components<T> + ?Sized, F> Of<'a, Op, M, T, X, F> {
    /// The work at `x`, if it has the prepared structure and each of `others` the prepared number of components.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn work(
        self,
        x: &'a X,
        others: &[(&'static str, usize)],
    ) -> Result<(Work<'a, M, T, Split, X>, F, &'a Outline, &'a mut Spare<T>), AdError> {
        let n = self.outline.dimension();
        if !self.outline.fits(x) || others.iter().any(|(_, given)| *given != n) {
            return Err(self.mismatch(x, n, others));
        }
        let work = Work { op: Op::NAME, mode: self.mode, memory: self.memory, x, directions: n };
        Ok((work, self.f, self.outline, self.vectors))
    }
    #[cold]
    fn mismatch(&self, x: &X, n: usize, others: &[(&'static str, usize)]) -> AdError {
        let given = dimension(x);
        if given == n && others.iter().all(|(_, given)| *given == n) {
            // As many numbers in another structure.
            return self.outline.check(Op::NAME, "point", x).expect_err("it does not fit");
        }
        let all = [("point", given)].into_iter().chain(others.iter().copied());
        let arguments = all.map(|(name, given)| Argument { name, prepared: n, given }).collect();
        AdError::Prepared { op: Op::NAME, arguments }
    }
}

/// Derivatives of functions of one variable.
impl<M: Pass, T: Real, F: Call<M::Number<T>, M::Number<T>>> Of<'_, Derivative, M, T, T, F> {
    /// `f(x)` written to `value`, `f′(x)` to `out`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let (mut place, mut speed) = ([0.0; 2], [0.0; 2]);
    /// prepare::derivative(Forward, &0.0).of(|t| [t.cos(), t.sin()]).at(0.0, &mut place, &mut speed)?;
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V: Components<T> + Flat + ?Sized>(
        self,
        x: T,
        value: &mut [T],
        out: &mut V,
    ) -> Result<(), AdError> {
        let (work, f, ..) = self.work(&x, &[])?;
        let value = Written::<_, Split>::new("derivative", value);
        work.pushed_onto(f, Given::new(&[T::lit(1.0)], 1), value, "derivative buffer", out).map(drop)
    }
}

/// Second derivatives of functions of one variable.
impl<M: SecondPass, T: Real, F: Call<M::Number<T>, M::Number<T>>> Of<'_, SecondDerivative, M, T, T, F> {
    /// `f(x)` written to `value`, `f′(x)` to `first`, `f″(x)` to `second`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result.
    ///
    /// ```
    /// use wengert::{Packed, prepare};
    /// let (mut y, mut dy, mut ddy) = ([0.0], [0.0], [0.0]);
    /// let mut second = prepare::second_derivative(Packed::<1, 1>, &0.0);
    /// second.of(|t| t.powi(3)).at(2.0, &mut y, &mut dy, &mut ddy)?;
    /// assert_eq!((y, dy, ddy), ([8.0], [12.0], [12.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn at<V, W>(self, x: T, value: &mut [T], first: &mut V, second: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, ..) = self.work(&x, &[])?;
        let value = Written::<_, Split>::new("second_derivative", value);
        let (first, second) = (Onto::new("first buffer", first), Onto::new("second buffer", second));
        let (_, first, second) = work.second(f, &Units::all(), value, first, second)?;
        first.finish();
        second.finish();
        Ok(())
    }
}

/// Gradients.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Gradient, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size.
    #[inline]
    pub fn at<V: Components<T> + Flat + ?Sized>(self, x: &X, out: &mut V) -> Result<T, AdError> {
        let (work, f, ..) = self.work(x, &[("gradient buffer", out.count())])?;
        work.gradient_onto(f, out)
    }
}

/// Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Jacobian, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)` to `out`, a matrix or the columns one after the other.
    ///
    /// # Errors
    /// If the point does not have the prepared size, or a buffer does not fit.
    ///
    /// ```
    /// # #[cfg(feature = "nalgebra")] {
    /// use wengert::{ForwardChunk, prepare};
    /// let mut jacobian = prepare::jacobian(ForwardChunk::<2>, &[0.0; 2]);
    /// let (mut y, mut j) = ([0.0; 2], nalgebra::Matrix2::zeros());
    /// jacobian.of(|x| [x[0] * x[1], x[0]]).at(&[2.0, 3.0], &mut y, &mut j).unwrap();
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::matrix![3.0, 2.0; 1.0, 0.0]));
    /// # }
    /// ```
    #[inline]
    pub fn at<B>(self, x: &X, value: &mut [T], out: &mut B) -> Result<(), AdError>
    where
        B: ?Sized,
        for<'b> &'b mut B: Buffer<T>,
    {
        let (work, f, ..) = self.work(x, &[])?;
        let value = Written::<_, Split>::new("jacobian", value);
        work.jacobian(f, &Units::all(), value, out).map(drop)
    }
}

/// Products with Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Jvp, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)·v` to `out`.
    ///
    /// # Errors
    /// If point or tangent do not have the prepared size, or a buffer does not have that of the result.
    #[inline]
    pub fn at<V, W>(self, x: &X, v: &V, value: &mut [T], out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[("tangent", v.count())])?;
        outline.check("jvp", "tangent", v)?;
        let value = Written::<_, Split>::new("jvp", value);
        work.pushed_onto(f, row(v, vectors), value, "tangent buffer", out).map(drop)
    }
    /// `f(x)` written to `value`, the products with all tangents to `out` one after the other: the evaluations that the
    /// mode needs for so many tangents, `⌈B/N⌉` by [`ForwardChunk<N>`](crate::ForwardChunk).
    ///
    /// # Errors
    /// As [`at`](Of::at).
    ///
    /// ```
    /// use wengert::{ForwardChunk, prepare};
    /// let (mut y, mut dy) = ([0.0], [0.0; 2]);
    /// let mut jvp = prepare::jvp(ForwardChunk::<2>, &[0.0; 2]);
    /// jvp.of(|x| x[0] * x[1]).batch(&[2.0, 3.0], &[[1.0, 0.0], [1.0, 1.0]], &mut y, &mut dy)?;
    /// assert_eq!((y, dy), ([6.0], [3.0, 5.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<V, W>(self, x: &X, v: &[V], value: &mut [T], out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + Flat,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[])?;
        v.iter().try_for_each(|v| outline.check("jvp", "tangent", v))?;
        let value = Written::<_, Split>::new("jvp", value);
        work.pushed_onto(f, rows(v, vectors), value, "tangent buffer", out).map(drop)
    }
}

/// Products with transposed Jacobians.
impl<M: Pass, T: Real, X: Components<T> + ?Sized, F: Call<M::Number<T>, Arg<M, T, X>>>
    Of<'_, Vjp, M, T, X, F>
{
    /// `f(x)` written to `value`, `J(x)ᵀ·w` to `out`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size, or the cotangent does not have that of the result.
    #[inline]
    pub fn at<W, V>(self, x: &X, w: &W, value: &mut [T], out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + Flat + ?Sized,
        V: Components<T> + Flat + ?Sized,
    {
        let (work, f, _, vectors) = self.work(x, &[("cotangent buffer", out.count())])?;
        let value = Fitting::<_, _, Split>::new(w, Written::<_, Split>::new("vjp", value));
        work.pulled_onto(f, row(w, vectors), value, out).map(drop)
    }
    /// `f(x)` written to `value`, the products with all cotangents to `out` one after the other: one evaluation in
    /// [`Reverse`](crate::Reverse) mode, and a sweep for each eight.
    ///
    /// # Errors
    /// As [`at`](Of::at).
    ///
    /// ```
    /// use wengert::{Reverse, prepare};
    /// let (mut y, mut dx) = ([0.0; 2], [0.0; 4]);
    /// let mut vjp = prepare::vjp(Reverse, &[0.0; 2]);
    /// vjp.of(|x| [x[0] * x[1], x[0]]).batch(&[2.0, 3.0], &[[1.0, 0.0], [1.0, 1.0]], &mut y, &mut dx)?;
    /// assert_eq!((y, dx), ([6.0, 2.0], [3.0, 2.0, 4.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<W, V>(self, x: &X, w: &[W], value: &mut [T], out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + Flat,
        V: Components<T> + Flat + ?Sized,
    {
        let (work, f, _, vectors) = self.work(x, &[])?;
        let value = FittingAll(w, Written::<_, Split>::new("vjp", value));
        work.pulled_onto(f, rows(w, vectors), value, out).map(drop)
    }
}

/// A value that all cotangents must fit.
struct FittingAll<'w, W, V>(&'w [W], V);

impl<T, N, O, W, V> Keep<T, N, O> for FittingAll<'_, W, V>
where
    T: Real,
    N: Real,
    O: Components<N> + ?Sized,
    W: Components<T>,
    V: Keep<T, N, O>,
{
    fn keep(&mut self, y: &O, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        let fits = |w| Keep::<T, N, O>::keep(&mut Fitting::<_, _, Split>::new(w, ()), y, outputs, value);
        self.0.iter().try_for_each(fits)?;
        self.1.keep(y, outputs, value)
    }
}

/// Products with Hessians.
impl<M: SecondPass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Hvp, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `gradient`, `H(x)·v` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point, tangent or a buffer do not have the prepared size.
    #[inline]
    pub fn at<V, G, W>(self, x: &X, v: &V, gradient: &mut G, out: &mut W) -> Result<T, AdError>
    where
        V: Components<T> + Flat + ?Sized,
        G: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let sizes =
            [("tangent", v.count()), ("gradient buffer", gradient.count()), ("product buffer", out.count())];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check("hvp", "tangent", v)?;
        second(work, f, row(v, vectors), gradient, Onto::new("product buffer", out))
    }
    /// `∇f(x)` written to `gradient`, the products with all tangents to `out` one after the other; returns `f(x)`.
    ///
    /// # Errors
    /// As [`at`](Of::at).
    ///
    /// ```
    /// use wengert::{ForwardChunk, Reverse, SecondOrder, prepare};
    /// let (mut g, mut hv) = ([0.0; 2], [0.0; 4]);
    /// let mut hvp = prepare::hvp(SecondOrder(ForwardChunk::<2>, Reverse), &[0.0; 2]);
    /// let y = hvp.of(|x| x[0] * x[0] * x[1]).batch(&[2.0, 3.0], &[[1.0, 0.0], [0.0, 1.0]], &mut g, &mut hv)?;
    /// assert_eq!((y, g, hv), (12.0, [12.0, 4.0], [6.0, 4.0, 4.0, 0.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[inline]
    pub fn batch<V, G, W>(self, x: &X, v: &[V], gradient: &mut G, out: &mut W) -> Result<T, AdError>
    where
        V: Components<T> + Flat,
        G: Components<T> + Flat + ?Sized,
        W: Components<T> + Flat + ?Sized,
    {
        let (work, f, outline, vectors) = self.work(x, &[("gradient buffer", gradient.count())])?;
        v.iter().try_for_each(|v| outline.check("hvp", "tangent", v))?;
        second(work, f, rows(v, vectors), gradient, Onto::new("product buffer", out))
    }
}

/// Value, gradient, and products with the Hessian.
#[inline(always)]
fn second<M: SecondPass, T: Real, X: Components<T> + ?Sized, F, G, W>(
    work: Work<'_, M, T, Split, X>,
    f: F,
    lanes: Given<'_, T>,
    gradient: &mut G,
    out: Onto<'_, T, W, Split>,
) -> Result<T, AdError>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
    G: Components<T> + ?Sized,
    W: Components<T> + ?Sized,
{
    let gradient = Onto::new("gradient buffer", gradient);
    let (value, gradient, out) = work.curvature(f, &lanes, gradient, out)?;
    gradient.finish();
    out.finish();
    Ok(value)
}

/// Hessians.
impl<M: SecondPass, T: Real, X: Components<T> + ?Sized, F> Of<'_, Hessian, M, T, X, F>
where
    F: Call<M::Number<T>, Arg<M, T, X>, Out = M::Number<T>>,
{
    /// `∇f(x)` written to `gradient`, `H(x)` to `out`, a matrix or the columns one after the other; returns `f(x)`.
    ///
    /// # Errors
    /// If point or gradient buffer do not have the prepared size, or `out` does not fit.
    #[inline]
    pub fn at<G, B>(self, x: &X, gradient: &mut G, out: &mut B) -> Result<T, AdError>
    where
        G: Components<T> + Flat + ?Sized,
        B: ?Sized,
        for<'b> &'b mut B: Buffer<T>,
    {
        let (work, f, ..) = self.work(x, &[("gradient buffer", gradient.count())])?;
        let gradient = Onto::new("gradient buffer", gradient);
        let (value, gradient, _) = work.curvature(f, &Units::all(), gradient, out)?;
        gradient.finish();
        Ok(value)
    }
}

//! Modes of differentiation: how a derivative is computed.
//!
//! A mode is a value. [`prepare`](crate::prepare) takes one for each operator, and generic code takes it as a parameter.
//!
//! | mode | numbers | an evaluation gives |
//! |---|---|---|
//! | [`Forward`] | `Dual<T>` | a product `J·v` |
//! | [`ForwardChunk<N>`](ForwardChunk) | `DualN<T, N>` | `N` of them |
//! | [`Reverse`] | `Var<T>` | any number of products `Jᵀ·w`, eight in a sweep |
//! | [`FiniteDifference`] | `T` | half of a difference that approximates `J·v` |
//! | [`SecondOrder(outer, inner)`](SecondOrder) | the inner mode's over the outer's | derivatives of the inner mode's gradient by the outer mode |
//! | [`Packed<N, M>`](Packed) | `Dual2<T, N, M>` | a Hessian of `N` inputs |
//!
//! If a mode lacks a direction, the product is made of products in the other direction: `J·v` in reverse mode takes a
//! sweep for each eight outputs, `Jᵀ·w` in forward mode an evaluation for each `N` inputs.
//!
//! To add a mode, implement [`Mode`] (the number type, and memory that is kept) and one of [`Pass::push`] and
//! [`Pass::pull`]. All operators of first order then accept it, and all operators of second order in [`SecondOrder`].
//! The module `check` has a suite of scenarios for modes ([`check::Scenarios`](crate::check::Scenarios)).
//!
//! ```
//! use wengert::mode::{Changed, Directional, Mode, Pass, SeedVectors, Seeds, Sink};
//! use wengert::{AdError, Real, prepare};
//!
//! /// `(f(x + hv) − f(x))/h`: one evaluation for each tangent, and one at the point.
//! #[derive(Clone)]
//! struct OneSided { step: f64 }
//!
//! struct Moved<'a, L> { along: &'a L, lane: usize, step: f64 }
//! impl<T: Real, L: SeedVectors<T>> Seeds<T, T> for Moved<'_, L> {
//!     fn constant(&self, x: T) -> T { x }
//!     fn direction(&self, i: usize, x: T) -> T {
//!         let step = T::lit(self.step);
//!         if self.step == 0.0 { x } else { x + self.along.component(self.lane, i) * step }
//!     }
//!     fn value(&self, y: T) -> T { y }
//! }
//!
//! impl Mode for OneSided {
//!     type Number<T: Real> = T;
//!     type Scratch<T: Real> = Vec<T>;
//! }
//! impl Pass for OneSided {
//!     const PULLS: bool = false;
//!     fn push<T, Y, F, S>(
//!         &self, at: &mut Vec<T>, f: &mut F, along: &impl SeedVectors<T>, sink: &mut S,
//!     ) -> Result<(), AdError>
//!     where T: Real, Y: ?Sized, F: Directional<T, T, Out = Y>, S: Sink<T, T, Y> {
//!         f.along(&Moved { along, lane: 0, step: 0.0 }, Changed::All, |y, row| {
//!             at.clear();
//!             at.extend_from_slice(row);
//!             sink.start(y, row.len(), &|y| y)
//!         })?;
//!         for lane in along.lanes(f.directions()) {
//!             f.along(&Moved { along, lane, step: self.step }, Changed::All, |_, row| {
//!                 let slope = |i: usize, _| (row[i] - at[i]) / T::lit(self.step);
//!                 sink.take(lane..lane + 1, 0..row.len(), slope);
//!                 Ok(())
//!             })?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let mut g = [0.0; 2];
//! let mut gradient = prepare::gradient(OneSided { step: 1e-8 }, &[0.0; 2]);
//! let y = gradient.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &mut g)?;
//! assert!(y == 6.0 && (g[0] - 3.0).abs() < 1e-6 && (g[1] - 2.0).abs() < 1e-6);
//! # Ok::<(), AdError>(())
//! ```

pub use super::modes::{
    FiniteDifference, Forward, ForwardChunk, Packed, Reverse, SecondOrder, SecondPass, SecondSink,
};

use std::ops::Range;

use crate::error::AdError;
use crate::number::Real;
use crate::number::array::from_fn;

/// How derivatives are computed: the number type that a function runs at, and the memory that is kept between runs.
///
/// A mode is a value: [`Forward`](crate::Forward), [`ForwardChunk`](crate::ForwardChunk),
/// [`Reverse`](crate::Reverse), [`FiniteDifference`](crate::FiniteDifference), or [`SecondOrder`](crate::SecondOrder) of
/// two of them. The [module](self) has one in thirty lines.
pub trait Mode: Clone + 'static {
    /// The number type of a function whose point has numbers `T`.
    type Number<T: Real>: Real<Base = T::Base>;
    /// Memory that is used again by the next run.
    type Scratch<T: Real>: Default + 'static;
    /// Whether new scratch finds the memory of earlier runs by itself, so that a driver need not keep it between calls.
    const SCRATCH_IS_POOLED: bool = false;
}

/// A mode of first derivatives. A mode implements `push` or `pull`. The other direction follows from it, by one
/// product for each input (a pull from pushes) or for each output (a push from pulls).
pub trait Pass: Mode {
    /// Whether `pull` is the one that is written.
    const PULLS: bool;
    /// `J·v` for the tangents `v` in `along`.
    ///
    /// # Errors
    /// The errors of `f` and `sink`.
    #[inline]
    fn push<T, Y, F, S>(
        &self,
        scratch: &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: Sink<T, Self::Number<T>, Y>,
    {
        const { assert!(Self::PULLS, "a mode writes `push` or `pull`") };
        let dimension = Some(f.directions());
        self.pull(scratch, f, &Units::all(), &mut TransposedProducts { sink, along, dimension })
    }
    /// `Jᵀ·w` for the cotangents `w` in `along`.
    ///
    /// # Errors
    /// The errors of `f` and `sink`.
    #[inline]
    fn pull<T, Y, F, S>(
        &self,
        scratch: &mut Self::Scratch<T>,
        f: &mut F,
        along: &impl SeedVectors<T>,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: Sink<T, Self::Number<T>, Y>,
    {
        const { assert!(!Self::PULLS, "a mode writes `push` or `pull`") };
        self.push(scratch, f, &Units::all(), &mut TransposedProducts { sink, along, dimension: None })
    }
}

/// A function of the directions at a point, which a mode differentiates.
///
/// This is the only interface between points and modes: the mode provides a number for each direction, and the point builds
/// itself from these numbers.
pub trait Directional<T: Real, N: Real> {
    /// The function's result.
    type Out: ?Sized;
    /// Whether the result is one number by its type.
    const SINGLE: bool = false;
    /// The number of directions.
    fn directions(&self) -> usize;
    /// Evaluates the function with the numbers of `seeds` in its directions. `show` gets the result and its
    /// components in a row.
    ///
    /// # Errors
    /// The errors of the function.
    fn along<R>(
        &mut self,
        seeds: &impl Seeds<T, N>,
        changed: Changed,
        show: impl FnOnce(&Self::Out, &[N]) -> Result<R, AdError>,
    ) -> Result<R, AdError>;
}

/// The numbers that a mode puts in the directions of a point.
pub trait Seeds<T: Real, N: Real> {
    /// A number without derivative.
    fn constant(&self, x: T) -> N;
    /// The number of direction `i`, of value `x`.
    fn direction(&self, i: usize, x: T) -> N;
    /// The value of a number.
    fn value(&self, y: N) -> T;
}

/// The directions that may differ from the previous run.
#[derive(Clone, Debug)]
pub enum Changed {
    /// Any of them.
    All,
    /// The directions of these ranges.
    Only([Range<usize>; 2]),
}

/// Tangents to push or cotangents to pull, lane by lane.
pub trait SeedVectors<T: Real> {
    /// Whether lane `k` is the unit vector `k`.
    const UNITS: bool = false;
    /// The lanes in a space of this dimension.
    fn lanes(&self, dimension: usize) -> Range<usize>;
    /// Component `i` of a lane.
    fn component(&self, lane: usize, i: usize) -> T;
    /// The components `i` of `N` lanes from `first` on; the lanes from `end` on are not used.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seed<const N: usize>(&self, first: usize, end: usize, i: usize) -> [T; N] {
        from_fn(|k| if first + k < end { self.component(first + k, i) } else { T::lit(0.0) })
    }
}

/// Unit vectors: all of them, or a part.
#[derive(Clone, Debug)]
pub struct Units(Range<usize>);

impl Units {
    /// One for each dimension.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn all() -> Self {
        Units(0..usize::MAX)
    }
    /// The unit vectors of a range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of(range: Range<usize>) -> Self {
        Units(range)
    }
}

impl<T: Real> SeedVectors<T> for Units {
    const UNITS: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(&self, dimension: usize) -> Range<usize> {
        self.0.start..self.0.end.min(dimension)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn component(&self, lane: usize, i: usize) -> T {
        T::lit(if lane == i { 1.0 } else { 0.0 })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seed<const N: usize>(&self, first: usize, _: usize, i: usize) -> [T; N] {
        from_fn(|k| T::lit(if first + k == i { 1.0 } else { 0.0 }))
    }
}

/// Given vectors, in order.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a, T> {
    components: &'a [T],
    count: usize,
    length: usize,
}

impl<'a, T> Given<'a, T> {
    /// `count` vectors of the same length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(components: &'a [T], count: usize) -> Self {
        Given { components, count, length: components.len() / count.max(1) }
    }
    /// All components.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn components(&self) -> &'a [T] {
        self.components
    }
    /// How many vectors.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn len(&self) -> usize {
        self.count
    }
}

impl<T: Real> SeedVectors<T> for Given<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(&self, _: usize) -> Range<usize> {
        0..self.count
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn component(&self, lane: usize, i: usize) -> T {
        self.components[lane * self.length + i]
    }
}

/// The receiver of the products of a pass.
pub trait Sink<T: Real, N: Real, Y: ?Sized> {
    /// Called once, after the first evaluation: the result, the number of its components, and a function that reads
    /// their values.
    ///
    /// # Errors
    /// If the result does not fit; nothing has been written then.
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError>;
    /// `at(i, k)` is component `components.start + i` of the product in lane `lanes.start + k`. A mode passes all
    /// components of a product in one call; parts of a product come only from the direction that a mode lacks.
    fn take(&mut self, lanes: Range<usize>, components: Range<usize>, at: impl Fn(usize, usize) -> T);
}

/// One direction from the other. Row `i` of the Jacobian gives component `i` of all pushed lanes; column `j` gives
/// component `j` of all pulled lanes.
struct TransposedProducts<'s, S, L> {
    sink: &'s mut S,
    along: &'s L,
    /// The dimension of the lanes' space: for a pull it is known after the first evaluation.
    dimension: Option<usize>,
}

impl<T: Real, N: Real, Y: ?Sized, S: Sink<T, N, Y>, L: SeedVectors<T>> Sink<T, N, Y>
    for TransposedProducts<'_, S, L>
{
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError> {
        self.dimension.get_or_insert(outputs);
        self.sink.start(y, outputs, value)
    }
    fn take(&mut self, lines: Range<usize>, along: Range<usize>, at: impl Fn(usize, usize) -> T) {
        let dimension = self.dimension.unwrap_or(0);
        assert!(along == (0..dimension), "a mode shows all components of a product at once");
        let lanes = SeedVectors::<T>::lanes(self.along, dimension);
        let first = lanes.start;
        // Either an entry of the Jacobian or a component may be infinite, and the other one zero.
        let product = |line: usize, k: usize| {
            let term = |i: usize| at(i, line).strong_both(self.along.component(first + k, i));
            (0..dimension).map(term).fold(T::lit(0.0), |sum, term| sum + term)
        };
        self.sink.take(lanes, lines, product);
    }
}

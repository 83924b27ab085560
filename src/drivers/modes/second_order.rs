//! Second derivatives: one mode around another.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;

use crate::drivers::mode::{Changed, Directional, Mode, Pass, SeedVectors, Seeds, Sink, Units};
use crate::drivers::sinks::{Grown, ValueSink};
use crate::drivers::tables::jacobian;
use crate::error::AdError;
use crate::number::Real;

/// A mode of second derivatives from two modes of first derivatives: the outer mode pushes tangents through the
/// gradient (or Jacobian) that the inner mode computes. `SecondOrder(Forward, Reverse)` is forward over reverse.
/// ```
/// use wengert::{Forward, Reverse, SecondOrder, prepare};
/// let mut hv = [0.0; 2];
/// let mut hvp = prepare::hvp(SecondOrder(Forward, Reverse), &[0.0; 2]);
/// hvp.of(|x| x[0] * x[0] * x[1]).at(&[2.0, 3.0], &[1.0, 0.0], &mut (), &mut hv)?;
/// assert_eq!(hv, [6.0, 4.0]); // the first column of [2x₁ 2x₀; 2x₀ 0]
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SecondOrder<O, I>(
    /// The outer mode.
    pub O,
    /// The inner mode.
    pub I,
);

/// A mode of second derivatives.
pub trait SecondPass: Mode {
    /// The value, all first derivatives, and the second derivatives along the tangents in `along`.
    ///
    /// # Errors
    /// The errors of `f` and `sink`.
    fn second<T, Y, F, L, S>(
        &self,
        scratch: &mut Self::Scratch<T>,
        f: &mut F,
        along: &L,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        L: SeedVectors<T>,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: SecondSink<T, Self::Number<T>, Y>;
}

/// The receiver of the results of a second-order pass. Functions of `n` inputs with `m` outputs have `m·n` first
/// derivatives: number `i + m·j` is `∂yᵢ/∂xⱼ`.
pub trait SecondSink<T: Real, N: Real, Y: ?Sized> {
    /// Called once, after the first evaluation: the result, the number of its components, and a function that reads
    /// their values.
    ///
    /// # Errors
    /// If the result does not fit; nothing has been written then.
    fn start(&mut self, y: &Y, outputs: usize, value: &impl Fn(N) -> T) -> Result<(), AdError>;
    /// `at(i)` is first derivative number `numbers.start + i`.
    fn first(&mut self, numbers: Range<usize>, at: impl Fn(usize) -> T);
    /// `at(i, k)` is the derivative of first derivative number `numbers.start + i` along lane `lanes.start + k`.
    fn second(&mut self, lanes: Range<usize>, numbers: Range<usize>, at: impl Fn(usize, usize) -> T);
}

/// The scratch of both modes, and the first derivatives between them.
pub struct Scratch<O: Mode, I: Mode, T: Real> {
    outer: O::Scratch<T>,
    inner: I::Scratch<O::Number<T>>,
    first: Vec<O::Number<T>>,
}

impl<O: Mode, I: Mode, T: Real> Default for Scratch<O, I, T> {
    fn default() -> Self {
        Scratch { outer: Default::default(), inner: Default::default(), first: Vec::new() }
    }
}

impl<O: Mode, I: Mode> Mode for SecondOrder<O, I> {
    type Number<T: Real> = I::Number<O::Number<T>>;
    type Scratch<T: Real> = Scratch<O, I, T>;
}

impl<O: Pass, I: Pass> SecondPass for SecondOrder<O, I> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second<T, Y, F, L, S>(
        &self,
        scratch: &mut Self::Scratch<T>,
        f: &mut F,
        along: &L,
        sink: &mut S,
    ) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        L: SeedVectors<T>,
        F: Directional<T, Self::Number<T>, Out = Y>,
        S: SecondSink<T, Self::Number<T>, Y>,
    {
        let Scratch { outer, inner, first } = scratch;
        let sink = RefCell::new(sink);
        let mut gradient =
            InnerGradient { mode: &self.1, scratch: inner, first, f, sink: &sink, seen: false };
        self.0.push(outer, &mut gradient, along, &mut SecondProducts::<_, Y, S>(&sink, PhantomData))
    }
}

/// The first derivatives, as a function for the outer mode.
struct InnerGradient<'a, 's, U: Real, I: Mode, F, S> {
    mode: &'a I,
    scratch: &'a mut I::Scratch<U>,
    first: &'a mut Vec<U>,
    f: &'a mut F,
    sink: &'a RefCell<&'s mut S>,
    /// Whether the sink has value and first derivatives.
    seen: bool,
}

impl<T, U, I, F, S, Y> Directional<T, U> for InnerGradient<'_, '_, U, I, F, S>
where
    T: Real,
    U: Real,
    I: Pass,
    Y: ?Sized,
    F: Directional<T, I::Number<U>, Out = Y>,
    S: SecondSink<T, I::Number<U>, Y>,
{
    type Out = [U];
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn directions(&self) -> usize {
        self.f.directions()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn along<R>(
        &mut self,
        seeds: &impl Seeds<T, U>,
        _: Changed,
        show: impl FnOnce(&[U], &[U]) -> Result<R, AdError>,
    ) -> Result<R, AdError> {
        let mut through = OuterSeeded { outer: seeds, f: self.f, of: PhantomData };
        let keep = Forwarded { outer: seeds, sink: (!self.seen).then_some(self.sink), of: PhantomData };
        jacobian("gradient", self.mode, self.scratch, &mut through, &Units::all(), keep, Grown(self.first))?;
        if !self.seen {
            self.sink.borrow_mut().first(0..self.first.len(), |i| seeds.value(self.first[i]));
            self.seen = true;
        }
        show(self.first, self.first)
    }
}

/// Passes the value of the inner mode's numbers to the sink.
struct Forwarded<'a, 's, T, S, Q> {
    outer: &'a Q,
    sink: Option<&'a RefCell<&'s mut S>>,
    of: PhantomData<T>,
}

impl<T, U, N, Y, S, Q> ValueSink<U, N, Y> for Forwarded<'_, '_, T, S, Q>
where
    T: Real,
    U: Real,
    N: Real,
    Y: ?Sized,
    S: SecondSink<T, N, Y>,
    Q: Seeds<T, U>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep(
        &mut self,
        _: &'static str,
        y: &Y,
        outputs: usize,
        value: &impl Fn(N) -> U,
    ) -> Result<(), AdError> {
        let Some(sink) = self.sink else { return Ok(()) };
        sink.borrow_mut().start(y, outputs, &|y| self.outer.value(value(y)))
    }
}

/// The function with the outer seeds in place, which the inner mode differentiates.
struct OuterSeeded<'a, T, Q, F> {
    outer: &'a Q,
    f: &'a mut F,
    of: PhantomData<T>,
}

impl<T: Real, U: Real, N: Real, Q: Seeds<T, U>, F: Directional<T, N>> Directional<U, N>
    for OuterSeeded<'_, T, Q, F>
{
    type Out = F::Out;
    const SINGLE: bool = F::SINGLE;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn directions(&self) -> usize {
        self.f.directions()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn along<R>(
        &mut self,
        inner: &impl Seeds<U, N>,
        changed: Changed,
        show: impl FnOnce(&F::Out, &[N]) -> Result<R, AdError>,
    ) -> Result<R, AdError> {
        self.f.along(&NestedSeeds { outer: self.outer, inner, of: PhantomData }, changed, show)
    }
}

/// The seeds of the inner mode on top of the seeds of the outer mode.
struct NestedSeeds<'a, U, Q, P> {
    outer: &'a Q,
    inner: &'a P,
    of: PhantomData<U>,
}

impl<T: Real, U: Real, N: Real, Q: Seeds<T, U>, P: Seeds<U, N>> Seeds<T, N> for NestedSeeds<'_, U, Q, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(&self, x: T) -> N {
        self.inner.constant(self.outer.constant(x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn direction(&self, i: usize, x: T) -> N {
        self.inner.direction(i, self.outer.direction(i, x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, y: N) -> T {
        self.outer.value(self.inner.value(y))
    }
}

/// The products of the outer mode are second derivatives; the sink has their values already.
struct SecondProducts<'a, 's, N, Y: ?Sized, S>(&'a RefCell<&'s mut S>, PhantomData<(N, *const Y)>);

impl<T: Real, U: Real, N: Real, Y: ?Sized, S: SecondSink<T, N, Y>> Sink<T, U, [U]>
    for SecondProducts<'_, '_, N, Y, S>
{
    fn start(&mut self, _: &[U], _: usize, _: &impl Fn(U) -> T) -> Result<(), AdError> {
        Ok(())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, lanes: Range<usize>, numbers: Range<usize>, at: impl Fn(usize, usize) -> T) {
        self.0.borrow_mut().second(lanes, numbers, at);
    }
}

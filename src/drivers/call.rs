//! The functions that drivers differentiate: closures, function objects, and a function at a point as a function of
//! its directions.

use std::borrow::{Borrow, BorrowMut};
use std::marker::PhantomData;

use super::mode::{Changed, Directional, Seeds};
use super::nesting::{self, constant};
use crate::drivers::{Function, VectorFunction};
use crate::error::AdError;
use crate::number::{Real, Scalar};
use crate::pool::Spare;
use crate::space::{Components, Embedding, Outline, PairLayout};

/// A function at the number type `N` whose argument is an `A`.
///
/// The result is passed to `show`, not returned, so that a buffer can be reused.
pub trait Callable<N: Real, A: ?Sized, L = PairLayout> {
    /// The result of the function, returned or written.
    type Out: Components<N, L> + ?Sized;
    /// The function at `x`.
    fn call<R>(&mut self, x: &A, show: impl FnOnce(&Self::Out) -> Result<R, AdError>) -> Result<R, AdError>;
}

/// A [`Callable`] as an object. Unoptimised builds pass functions to modes as objects, so that a mode is compiled once for
/// all functions with one type of point and result.
#[cfg(debug_assertions)]
pub trait DynCallable<N, A: ?Sized, L> {
    type Out: ?Sized;
    fn call(&mut self, x: &A, show: &mut Show<'_, Self::Out>) -> Result<(), AdError>;
}
#[cfg(debug_assertions)]
pub type Show<'s, O> = dyn FnMut(&O) -> Result<(), AdError> + 's;

#[cfg(debug_assertions)]
impl<N: Real, A: ?Sized, L, F: Callable<N, A, L>> DynCallable<N, A, L> for F {
    type Out = F::Out;
    fn call(&mut self, x: &A, show: &mut Show<'_, F::Out>) -> Result<(), AdError> {
        Callable::call(self, x, show)
    }
}

/// A function as an object.
#[cfg(debug_assertions)]
pub struct Indirect<'f, N, A: ?Sized, L, O: ?Sized>(pub &'f mut dyn DynCallable<N, A, L, Out = O>);

#[cfg(debug_assertions)]
impl<N: Real, A: ?Sized, L, O: Components<N, L> + ?Sized> Callable<N, A, L> for Indirect<'_, N, A, L, O> {
    type Out = O;
    fn call<R>(&mut self, x: &A, show: impl FnOnce(&O) -> Result<R, AdError>) -> Result<R, AdError> {
        let (mut show, mut result) = (Some(show), None);
        let mut once = |y: &O| show.take().expect("shown once")(y).map(|shown| result = Some(shown));
        self.0.call(x, &mut once)?;
        Ok(result.expect("a result is shown"))
    }
}

/// Replaces a function by an object in unoptimised builds.
macro_rules! indirect {
    ($f:ident) => {
        #[cfg(debug_assertions)]
        let mut $f = $f;
        #[cfg(debug_assertions)]
        let $f = crate::drivers::call::Indirect(&mut $f);
    };
}
pub(super) use indirect;

/// Before the function of some work is differentiated.
macro_rules! begin {
    ($work:ident, $f:ident) => {
        let mut $f = $f;
        crate::drivers::call::check($work.op, $work.x, &mut $f)?;
        crate::drivers::call::indirect!($f);
    };
}
pub(super) use begin;

/// [`nesting::check`] of a function at a point.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn check<T, N, L, X, F>(op: &'static str, x: &X, f: &mut F) -> Result<(), AdError>
where
    T: Real,
    N: Real,
    X: Components<T, L> + ?Sized,
    F: Callable<N, X::Arg<N>, L>,
{
    nesting::check::<T, N>(op, |show| {
        let x = x.seeded(&constant::<T, N>, &mut constant::<T, N>);
        // An error comes again at the point.
        let _ = f.call(x.borrow(), |y| {
            y.visit(&mut |y| show(y));
            Ok(())
        });
    })
}

/// `|x| y`.
pub struct Closure<F>(pub F);

impl<N: Real, A: ?Sized, L, O: Components<N, L>, F: FnMut(&A) -> O> Callable<N, A, L> for Closure<F> {
    type Out = O;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<R>(&mut self, x: &A, show: impl FnOnce(&O) -> Result<R, AdError>) -> Result<R, AdError> {
        show(&(self.0)(x))
    }
}

/// Fills memory that a function gets with NaN, so that its old content cannot matter.
#[cfg_attr(not(debug_assertions), inline(always))]
fn reset<N: Real, L, W: Components<N, L> + ?Sized>(memory: &mut W) {
    let nan = N::lit(f64::NAN).nan_like();
    memory.visit_mut(&mut |c| *c = nan);
}

/// Memory that a function gets together with the point: see [contexts](crate::prepare#contexts).
#[derive(Clone, Debug)]
pub struct Cache<W> {
    op: &'static str,
    numbers: W,
    outline: Outline,
}

impl<W> Cache<W> {
    /// With the structure of `shape`.
    pub fn of<T, N, L, K>(op: &'static str, shape: &K) -> Self
    where
        T: Real,
        N: Real,
        K: Components<T, L, With<N> = W> + ?Sized,
    {
        Cache { op, numbers: shape.map(&mut |_| N::lit(f64::NAN)), outline: Outline::of(shape) }
    }
    /// Takes another structure; memory is used again.
    pub fn reshape<T, N, L, K>(&mut self, shape: &K)
    where
        T: Real,
        N: Real,
        K: Components<T, L, With<N> = W> + ?Sized,
    {
        self.outline.refill(shape);
        shape.seed_over(&|_| N::lit(f64::NAN), &mut |_| N::lit(f64::NAN), &mut self.numbers);
    }
    /// Returns the result of `f`, which gets the memory full of NaN.
    ///
    /// # Errors
    /// [`AdError::Shape`], [`AdError::Dimensions`] or [`AdError::Structure`] if `f` changes the structure of the memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn lend<N: Real, L, K: ?Sized, R>(&mut self, f: impl FnOnce(&mut K) -> R) -> Result<R, AdError>
    where
        W: Components<N, L> + BorrowMut<K>,
    {
        reset::<N, L, _>(&mut self.numbers);
        let result = f(self.numbers.borrow_mut());
        self.outline.check(self.op, "cache", &self.numbers)?;
        Ok(result)
    }
}

/// `|x, cache| y`.
pub struct Caching<'a, F, W, L>(pub F, pub &'a mut Cache<W>, pub PhantomData<L>);

impl<N, A, L, O, K, W, F> Callable<N, A, L> for Caching<'_, F, W, L>
where
    N: Real,
    A: ?Sized,
    O: Components<N, L>,
    K: ?Sized,
    W: Components<N, L, Arg<N> = K> + BorrowMut<K>,
    F: FnMut(&A, &mut K) -> O,
{
    type Out = O;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<R>(&mut self, x: &A, show: impl FnOnce(&O) -> Result<R, AdError>) -> Result<R, AdError> {
        show(&self.1.lend(|cache| (self.0)(x, cache))?)
    }
}

/// `|x, y|`, which fills `y`, or fails.
pub struct InPlaceClosure<'a, F, Y>(pub F, pub &'a mut [Y]);

impl<N: Real, A: ?Sized, L, Y, F> Callable<N, A, L> for InPlaceClosure<'_, F, Y>
where
    [Y]: Components<N, L>,
    F: FnMut(&A, &mut [Y]) -> Result<(), AdError>,
{
    type Out = [Y];
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<R>(&mut self, x: &A, show: impl FnOnce(&[Y]) -> Result<R, AdError>) -> Result<R, AdError> {
        reset::<N, L, _>(self.1);
        (self.0)(x, self.1)?;
        show(self.1)
    }
}

/// A [`Function`] at any number type.
pub struct Object<'f, F: ?Sized>(pub &'f F);

impl<N: Scalar, F: Function + ?Sized> Callable<N, [N]> for Object<'_, F> {
    type Out = N;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<R>(&mut self, x: &[N], show: impl FnOnce(&N) -> Result<R, AdError>) -> Result<R, AdError> {
        show(&self.0.call(x))
    }
}

/// A [`VectorFunction`] at any number type, with a buffer for its results, and their number.
pub struct VectorObject<'f, F: ?Sized, N>(pub &'f F, pub &'f mut Vec<N>, pub usize);

impl<N: Scalar, F: VectorFunction + ?Sized> Callable<N, [N]> for VectorObject<'_, F, N> {
    type Out = [N];
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<R>(&mut self, x: &[N], show: impl FnOnce(&[N]) -> Result<R, AdError>) -> Result<R, AdError> {
        let VectorObject(f, results, outputs) = self;
        results.clear();
        results.resize(*outputs, N::lit(f64::NAN).nan_like());
        f.call(x, results);
        show(results)
    }
}

/// Memory kept from run to run: a mode's scratch, the point over numbers `N`, a row of results, and their velocities
/// if the results are points of a group.
pub struct DriverMemory<S, W, N: 'static> {
    pub(super) scratch: S,
    pub(super) point: Option<W>,
    row: Spare<N>,
    velocities: Spare<N>,
}

impl<S: Default, W, N: 'static> Default for DriverMemory<S, W, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        DriverMemory { scratch: S::default(), point: None, row: Spare::new(), velocities: Spare::new() }
    }
}

impl<S, W, N: 'static> DriverMemory<S, W, N> {
    /// Drops it part by part, which is compiled in line.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn forget(self) {
        let DriverMemory { scratch, row, velocities, .. } = self;
        drop((velocities, row));
        drop(scratch);
    }
    /// The scratch, and the rest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn split(&mut self) -> (&mut S, Room<'_, W, N>) {
        let DriverMemory { scratch, point, row, velocities } = self;
        // Without heap memory, making a new point is faster than writing over the old one.
        if !std::mem::needs_drop::<W>() {
            *point = None;
        }
        (scratch, Room { point, row, velocities })
    }
}

/// Memory for a point and its result.
pub(super) struct Room<'a, W, N: 'static> {
    point: &'a mut Option<W>,
    row: &'a mut Spare<N>,
    velocities: &'a mut Spare<N>,
}

/// A function at a point, as a function of the directions there.
#[allow(clippy::type_complexity)]
pub(super) struct FunctionAtPoint<
    'a,
    T: Real,
    N: Real,
    L,
    X: Components<T, L> + ?Sized,
    F: Callable<N, X::Arg<N>, L>,
> {
    pub op: &'static str,
    pub x: &'a X,
    pub room: Room<'a, X::With<N>, N>,
    pub directions: usize,
    pub f: F,
    /// Facts of the first evaluation: the number of numbers in the result, and on a group the result.
    pub first: (Option<usize>, Option<<F::Out as Components<N, L>>::With<N>>),
}

impl<T, N, L, X, F> Directional<T, N> for FunctionAtPoint<'_, T, N, L, X, F>
where
    T: Real,
    N: Real,
    X: Components<T, L> + ?Sized,
    F: Callable<N, X::Arg<N>, L>,
{
    type Out = F::Out;
    const SINGLE: bool = F::Out::SINGLE;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn directions(&self) -> usize {
        self.directions
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn along<R>(
        &mut self,
        seeds: &impl Seeds<T, N>,
        changed: Changed,
        show: impl FnOnce(&F::Out, &[N]) -> Result<R, AdError>,
    ) -> Result<R, AdError> {
        let FunctionAtPoint { op, x, room: Room { point, row, velocities }, f, first: (count, base), .. } =
            self;
        let _level = nesting::enter::<T, N>();
        let point = seeded(*x, point, seeds, changed);
        f.call((*point).borrow(), |y| {
            let mut few = None;
            let numbers = in_a_row(y, &mut few, row);
            let expected = *count.get_or_insert(numbers.len());
            AdError::check_len(op, "result of a later evaluation", expected, numbers.len())?;
            if F::Out::FLAT {
                return show(y, numbers);
            }
            // Linear in the numbers, at the first result, which is constant. So the map carries the derivatives of
            // the numbers, and their difference from the first result.
            let base = base.get_or_insert_with(|| y.map(&mut |y| seeds.constant(seeds.value(y))));
            let (velocities, mut next) = (velocities.clear(numbers.len()), numbers.iter().copied());
            let mut next = || next.next().expect("counted before");
            base.embed(Embedding::TangentFromAmbient, &mut next, &mut |c| velocities.push(c));
            show(y, velocities)
        })
    }
}

/// The point over other numbers, written over the old one if there is one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn seeded<'k, T: Real, N: Real, L, X: Components<T, L> + ?Sized>(
    x: &X,
    kept: &'k mut Option<X::With<N>>,
    seeds: &impl Seeds<T, N>,
    changed: Changed,
) -> &'k mut X::With<N> {
    let mut i = 0;
    let mut next = |x| {
        i += 1;
        seeds.direction(i - 1, x)
    };
    let lift = |x| seeds.constant(x);
    // As objects in unoptimised builds: structures are then compiled once for each number type.
    #[cfg(debug_assertions)]
    let (lift, mut next): (&dyn Fn(T) -> N, &mut dyn FnMut(T) -> N) = (&lift, &mut next);
    let Some(point) = kept else { return kept.insert(x.seeded(&lift, &mut next)) };
    if let (Changed::Only(ranges), Some(x)) = (changed, x.contiguous())
        && let Some(run) = point.contiguous_mut()
    {
        let [former, next] = ranges;
        let mut renew = |i| run[i] = seeds.direction(i, x[i]);
        former.for_each(&mut renew);
        next.for_each(renew);
    } else {
        x.seed_over(&lift, &mut next, point);
    }
    point
}

/// The number of components up to which a result is copied to the stack.
const FEW: usize = 6;

/// The numbers of a result: in its own memory, or copied to the stack if they are few, else to a buffer.
#[cfg_attr(not(debug_assertions), inline(always))]
fn in_a_row<'a, N: Real, L, O: Components<N, L> + ?Sized>(
    y: &'a O,
    few: &'a mut Option<[N; FEW]>,
    row: &'a mut Spare<N>,
) -> &'a [N] {
    if let Some(run) = y.contiguous() {
        return run;
    }
    let len = y.count();
    if len <= FEW {
        let few = few.insert([N::lit(0.0); FEW]);
        let mut slots = few.iter_mut();
        y.visit(&mut |y| *slots.next().expect("counted before") = y);
        return &few[..len];
    }
    let row = row.clear(len);
    y.visit(&mut |y| row.push(y));
    row
}

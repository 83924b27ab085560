//! Operators bound to a function of each kind: closures, with caches, with buffers; function objects. An evaluation
//! compares all sizes with the prepared ones.

use std::borrow::BorrowMut;
use std::marker::PhantomData;

use super::{Arg, BoundOperator, Cache, Core, Fills, Operator, Prepared, ScalarResult, VectorResult};
use crate::drivers::call::{Caching, Closure, InPlaceClosure, Object, VectorObject};
use crate::drivers::mode::Mode;
use crate::drivers::work::Work;
use crate::drivers::{Function, VectorFunction};
use crate::error::{AdError, PreparedSize};
use crate::number::{Number, Real};
use crate::pool::Spare;
use crate::space::{Components, NumberLayout, Outline, dimension};

impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, L> Prepared<Op, M, T, X, ScalarResult, (), L> {
    /// The operator of a function `|x| y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of<F>(&mut self, f: F) -> BoundOperator<'_, Op, M, T, X, Closure<F>, L>
    where
        F: FnMut(&Arg<M, T, X, L>) -> M::Number<T>,
    {
        Self::with(&mut self.core, Closure(f))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, ScalarResult> {
    /// The operator of a [`Function`].
    ///
    /// ```
    /// use wengert::{Reverse, function, prepare};
    /// let (f, mut g) = (function!(|x| x[0] * x[1]), [0.0; 2]);
    /// let mut gradient = prepare::gradient(Reverse, &[0.0; 2]);
    /// assert_eq!(gradient.of_object(&f).at(&[2.0, 3.0], &mut g), Ok(6.0));
    /// assert_eq!(g, [3.0, 2.0]);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_object<'a, F: Function + ?Sized>(
        &'a mut self,
        f: &'a F,
    ) -> BoundOperator<'a, Op, M, T, X, Object<'a, F>> {
        Self::with(&mut self.core, Object(f))
    }
}

impl<Op, M: Mode, T: Real, X, W, L> Prepared<Op, M, T, X, ScalarResult, Cache<W>, L>
where
    X: Components<T, L> + ?Sized,
{
    /// The operator of a function `|x, cache| y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of<K: ?Sized, F>(&mut self, f: F) -> BoundOperator<'_, Op, M, T, X, Caching<'_, F, W, L>, L>
    where
        F: FnMut(&Arg<M, T, X, L>, &mut K) -> M::Number<T>,
        W: Components<M::Number<T>, L, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        Self::with(&mut self.core, Caching(f, &mut self.cache, PhantomData))
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, VectorResult> {
    /// For functions that fill a buffer of `outputs` results. The buffer holds NaN when the function is called.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
    /// let mut jvp = prepare::jvp(Forward, &[0.0; 2]).filling(2);
    /// let f = |x: &[wengert::Dual<f64>], y: &mut [_]| (y[0], y[1]) = (x[0] * x[1], x[0]);
    /// jvp.of(f).at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dy)?;
    /// assert_eq!((y, dy), ([6.0, 2.0], [23.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn filling(self, outputs: usize) -> Prepared<Op, M, T, X, Fills<M::Number<T>>> {
        self.fills(outputs)
    }
}

impl<Op, M: Mode, T: Real, X: Components<T, NumberLayout> + ?Sized>
    Prepared<Op, M, T, X, VectorResult, (), NumberLayout>
{
    /// For functions that fill a buffer of `outputs` complex results.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use wengert::{Reverse, complex};
    /// let (i, mut y, mut dz) = (Complex64::i(), [Complex64::i(); 2], [Complex64::i()]);
    /// let mut vjp = complex::prepare::vjp(Reverse, &i).filling(2);
    /// let f = |z: &wengert::ComplexVar<f64>, y: &mut [_]| (y[0], y[1]) = (z.square(), z.conj());
    /// vjp.of(f).at(&(i * 3.0), &[i, i], &mut y, &mut dz)?;
    /// assert_eq!((y[0], y[1], dz[0]), (-i / i * 9.0, i * -3.0, i * i * -6.0 - i));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[allow(clippy::type_complexity)]
    pub fn filling(
        self,
        outputs: usize,
    ) -> Prepared<Op, M, T, X, Fills<<M::Number<T> as Real>::Complex>, (), NumberLayout> {
        self.fills(outputs)
    }
}

impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, L> Prepared<Op, M, T, X, VectorResult, (), L> {
    fn fills<Y: Number>(self, outputs: usize) -> Prepared<Op, M, T, X, Fills<Y>, (), L> {
        let Prepared { core, cache, of, .. } = self;
        Prepared { core, results: Fills(vec![Y::lit(f64::NAN); outputs]), cache, of }
    }
    /// The operator of a function `|x| y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of<O, F>(&mut self, f: F) -> BoundOperator<'_, Op, M, T, X, Closure<F>, L>
    where
        O: Components<M::Number<T>, L>,
        F: FnMut(&Arg<M, T, X, L>) -> O,
    {
        Self::with(&mut self.core, Closure(f))
    }
}

impl<Op, M: Mode, T: Real, X, W, L> Prepared<Op, M, T, X, VectorResult, Cache<W>, L>
where
    X: Components<T, L> + ?Sized,
{
    /// The operator of a function `|x, cache| y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of<O, K: ?Sized, F>(&mut self, f: F) -> BoundOperator<'_, Op, M, T, X, Caching<'_, F, W, L>, L>
    where
        O: Components<M::Number<T>, L>,
        F: FnMut(&Arg<M, T, X, L>, &mut K) -> O,
        W: Components<M::Number<T>, L, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        Self::with(&mut self.core, Caching(f, &mut self.cache, PhantomData))
    }
}

/// The operator of a function that fills a buffer.
macro_rules! filling {
    ($a:lifetime, $Y:ty, $L:ident) => { BoundOperator<$a, Op, M, T, X, InPlaceClosure<$a,
        impl FnMut(&Arg<M, T, X, $L>, &mut [$Y]) -> Result<(), AdError>, $Y>, $L> };
}

impl<Op, M: Mode, T: Real, X, Y: Number, C, L> Prepared<Op, M, T, X, Fills<Y>, C, L>
where
    X: Components<T, L> + ?Sized,
{
    /// Prepares for another number of results; memory is reused.
    ///
    /// ```
    /// use wengert::{Forward, prepare};
    /// let mut jacobian = prepare::jacobian(Forward, &0.0).filling(1);
    /// let (mut y, mut j) = ([0.0; 2], [0.0; 2]);
    /// jacobian.refill(2);
    /// jacobian.of(|x, y| y.fill(*x)).at(&3.0, &mut y, &mut j)?;
    /// assert_eq!((y, j), ([3.0; 2], [1.0; 2]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn refill(&mut self, outputs: usize) {
        self.results.0.resize(outputs, Y::lit(f64::NAN));
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fill<'a, F>(
        core: &'a mut Core<M, T, X, L>,
        y: &'a mut [Y],
        f: F,
    ) -> BoundOperator<'a, Op, M, T, X, InPlaceClosure<'a, F, Y>, L> {
        let outputs = y.len() * if Y::REAL { 1 } else { 2 };
        BoundOperator { core, results: Some((outputs, outputs)), f: InPlaceClosure(f, y), of: PhantomData }
    }
}

impl<Op, M: Mode, T: Real, X: Components<T, L> + ?Sized, Y: Number, L>
    Prepared<Op, M, T, X, Fills<Y>, (), L>
{
    /// The operator of a function `|x, y|`, which fills `y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub fn of<'a, F>(&'a mut self, mut f: F) -> filling!('a, Y, L)
    where
        F: FnMut(&Arg<M, T, X, L>, &mut [Y]) + 'a,
    {
        let filled = move |x: &Arg<M, T, X, L>, y: &mut [Y]| {
            f(x, y);
            Ok(())
        };
        Self::fill(&mut self.core, &mut self.results.0, filled)
    }
}

impl<Op, M: Mode, T: Real, X: Components<T> + ?Sized> Prepared<Op, M, T, X, Fills<M::Number<T>>> {
    /// The operator of a [`VectorFunction`] with the prepared number of results. [`VectorFunction`] has an example.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub fn of_object<'a, F: VectorFunction + ?Sized>(
        &'a mut self,
        f: &'a F,
    ) -> BoundOperator<'a, Op, M, T, X, VectorObject<'a, F, M::Number<T>>>
    where
        T: Real<Base = f64>,
        X: Components<T, Arg<M::Number<T>> = [M::Number<T>]>,
    {
        let Prepared { core, results: Fills(y), .. } = self;
        let m = y.len();
        let results = Some((m, f.outputs(core.outline.dimension())));
        BoundOperator { core, results, f: VectorObject(f, y, m), of: PhantomData }
    }
}

impl<Op, M: Mode, T: Real, X, Y: Number, W, L> Prepared<Op, M, T, X, Fills<Y>, Cache<W>, L>
where
    X: Components<T, L> + ?Sized,
{
    /// The operator of a function `|x, y, cache|`, which fills `y`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub fn of<'a, K: ?Sized, F>(&'a mut self, mut f: F) -> filling!('a, Y, L)
    where
        F: FnMut(&Arg<M, T, X, L>, &mut [Y], &mut K) + 'a,
        W: Components<M::Number<T>, L, Arg<M::Number<T>> = K> + BorrowMut<K>,
    {
        let cache = &mut self.cache;
        let filled = move |x: &Arg<M, T, X, L>, y: &mut [Y]| cache.lend(|cache| f(x, y, cache));
        Self::fill(&mut self.core, &mut self.results.0, filled)
    }
}

/// The size of another argument: its name, the prepared size if there is one, the given size.
type Size = (&'static str, Option<usize>, usize);

impl<'a, Op: Operator, M: Mode, T: Real, X: Components<T, L> + ?Sized, F, L>
    BoundOperator<'a, Op, M, T, X, F, L>
{
    /// The call at `x`, if `x` has the prepared structure and all others have their prepared sizes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::type_complexity)]
    pub(super) fn work(
        self,
        x: &'a X,
        others: &[Size],
    ) -> Result<(Work<'a, M, T, L, X>, F, &'a Outline, &'a mut Spare<T>), AdError> {
        let Core { mode, outline, memory, vectors, .. } = self.core;
        let fits = |&(_, prepared, given): &Size| prepared.is_none_or(|prepared| prepared == given);
        let results = self.results.is_none_or(|(prepared, given)| prepared == given);
        if !outline.fits(x) || !results || !others.iter().all(fits) {
            return Err(mismatch(Op::NAME, outline, self.results, x, others));
        }
        let work = Work { op: Op::NAME, mode, memory, x, directions: outline.dimension() };
        Ok((work, self.f, outline, vectors))
    }
    /// The size of `vectors` vectors of inputs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn inputs(&self, name: &'static str, vectors: usize, given: usize) -> Size {
        (name, Some(self.core.outline.dimension() * vectors), given)
    }
    /// The size of a buffer for the value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn value<Y: Components<T, L> + ?Sized>(&self, value: &Y) -> Size {
        let (name, prepared, given) = self.outputs("value buffer", 1, value.count());
        (name, prepared.filter(|_| !Y::ABSENT), given)
    }
    /// The size of a buffer for a gradient in addition to other results.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn slope<G: Components<T, L> + ?Sized>(&self, gradient: &G) -> Size {
        let (name, prepared, given) = self.inputs("gradient buffer", 1, gradient.count());
        (name, prepared.filter(|_| !G::ABSENT), given)
    }
    /// The size of `vectors` vectors of results.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn outputs(&self, name: &'static str, vectors: usize, given: usize) -> Size {
        (name, self.results.map(|(prepared, _)| prepared * vectors), given)
    }
}

#[cold]
fn mismatch<T: Real, L, X: Components<T, L> + ?Sized>(
    op: &'static str,
    outline: &Outline,
    results: Option<(usize, usize)>,
    x: &X,
    others: &[Size],
) -> AdError {
    let results = results.filter(|(prepared, given)| prepared != given);
    let results = results.map(|(prepared, given)| ("results of the function", Some(prepared), given));
    let point = ("point", Some(outline.dimension()), dimension(x));
    let all = [point].into_iter().chain(others.iter().copied()).chain(results);
    let prepared = |(name, prepared, given): Size| Some(PreparedSize { name, prepared: prepared?, given });
    let arguments: Vec<PreparedSize> = all.filter_map(prepared).collect();
    if arguments.iter().all(|a| a.prepared == a.given) {
        // As long, but in another structure.
        return outline.check(op, "point", x).expect_err("it does not fit");
    }
    AdError::Prepared { op, arguments }
}

/// The components of all vectors.
pub(super) fn count<T: Real, L, V: Components<T, L>>(vectors: &[V]) -> usize {
    vectors.iter().map(V::count).sum()
}

//! Prepared operators of [`series`](crate::series): along lines, at [`Taylor`].

use std::ops::Range;

use super::{BoundOperator, Operator, Prepared, ScalarResult, VectorResult};
use crate::drivers::call::{Callable, begin};
use crate::drivers::mode::{Changed, Directional as _, Given, Mode, SeedVectors, Seeds};
use crate::drivers::series::tensor::{Interpolation, SymmetricTensor, interpolate};
use crate::drivers::work::{Work, row};
use crate::duals::Taylor;
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real};
use crate::space::{Components, Outline, PairLayout, SelfTangent, check};
use crate::tapes::{Tape, TapeMemory, Var};

/// Power series of order `K` along lines: functions run at [`Taylor<T, K>`](Taylor).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwardSeries<const K: usize>;

impl<const K: usize> Mode for ForwardSeries<K> {
    type Number<T: Real> = Taylor<T, K>;
    type Scratch<T: Real> = Interpolation<T>;
}

/// Reverse mode over power series of order `K`: functions run at `Var<Taylor<T, K>>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReverseSeries<const K: usize>;

impl<const K: usize> Mode for ReverseSeries<K> {
    type Number<T: Real> = Var<Taylor<T, K>>;
    type Scratch<T: Real> = TapeMemory<Taylor<T, K>>;
}

operators! {
    Series taylor
    Derivatives derivatives
    Directional directional
    DirectionalGradient directional_gradient
    Tensor tensor
}

macro_rules! prepares {
    ($($(#[$doc:meta])* $Op:ident $name:ident: $Mode:ident of $Results:ident at ($($X:tt)*);)*) => {$(
        $(#[$doc])*
        ///
        /// The method `at` of [`BoundOperator`] has the buffers and an example.
        pub fn $name<const K: usize, T: Real, X: Components<T> + $($X)*>(
            mode: $Mode<K>,
            x: &X,
        ) -> Prepared<$Op, $Mode<K>, T, X, $Results> {
            Prepared::new(mode, Outline::of(x), $Results)
        }
    )*};
}
prepares! {
    /// The series of functions of one variable with any number of results.
    Series taylor: ForwardSeries of VectorResult at (Number);
    /// `f(x)` and `f′(x), …, f⁽ᴷ⁾(x)` of functions of one variable.
    Derivatives derivatives: ForwardSeries of ScalarResult at (Number);
    /// The series along a line of functions with any number of results.
    Directional directional: ForwardSeries of VectorResult at (?Sized);
    /// The gradient along a line, as a series for each variable.
    DirectionalGradient directional_gradient: ReverseSeries of ScalarResult at (?Sized);
    /// `f(x)` and all partials of order `K`.
    Tensor tensor: ForwardSeries of ScalarResult at (?Sized);
}

/// `x + tv`.
pub(in crate::drivers) fn line<T: Real, const K: usize>(x: T, v: T) -> Taylor<T, K> {
    Taylor::new(x, crate::number::array::from_fn(|k| if k == 0 { v } else { T::lit(0.0) }))
}

/// A speed as a number.
pub(in crate::drivers) fn whole<T: Real>(speed: T::Base) -> T {
    T::lit(0.0) + speed
}

/// Inputs that move along a line, by lane 0 of a vector.
struct Line<S>(S);

impl<T: Real, S: SeedVectors<T>, const K: usize> Seeds<T, Taylor<T, K>> for Line<S> {
    fn constant(&self, x: T) -> Taylor<T, K> {
        Taylor::constant(x)
    }
    fn direction(&self, i: usize, x: T) -> Taylor<T, K> {
        line(x, self.0.component(0, i))
    }
    fn value(&self, y: Taylor<T, K>) -> T {
        y.value()
    }
}

/// These seeds as inputs of a tape.
struct SeriesInputs<'a, T: Real, const K: usize>(&'a Tape<Taylor<T, K>>, Line<Given<'a, T>>);

impl<T: Real, const K: usize> Seeds<T, Var<Taylor<T, K>>> for SeriesInputs<'_, T, K> {
    fn constant(&self, x: T) -> Var<Taylor<T, K>> {
        Var::constant(Taylor::constant(x))
    }
    fn direction(&self, i: usize, x: T) -> Var<Taylor<T, K>> {
        self.0.input(self.1.direction(i, x), i)
    }
    fn value(&self, y: Var<Taylor<T, K>>) -> T {
        y.value().value()
    }
}

/// The speeds of some variables.
struct Steps<'a, B>(&'a [usize], &'a [B]);

impl<T: Real> SeedVectors<T> for Steps<'_, T::Base> {
    fn lanes(&self, _: usize) -> Range<usize> {
        0..1
    }
    fn component(&self, _: usize, i: usize) -> T {
        whole(self.0.iter().position(|&k| k == i).map_or(T::Base::from_double(0.0), |at| self.1[at]))
    }
}

/// Numbers to a buffer, in order.
fn fill<N: Real, V: Components<N> + ?Sized>(out: &mut V, numbers: impl IntoIterator<Item = N>) {
    let mut numbers = numbers.into_iter();
    out.visit_mut(&mut |c| {
        if let Some(number) = numbers.next() {
            *c = number;
        }
    });
}

/// Writes the series of a result to a buffer of its structure.
fn onto<T, X, F, Y, const K: usize>(
    work: Work<'_, ForwardSeries<K>, T, PairLayout, X>,
    f: F,
    v: Given<'_, T>,
    out: &mut Y,
) -> Result<(), AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    F: Callable<Taylor<T, K>, X::Arg<Taylor<T, K>>, PairLayout>,
    Y: Components<Taylor<T, K>> + ?Sized,
{
    begin!(work, f);
    let (op, _, _, mut f) = work.at(f);
    f.along(&Line(v), Changed::All, |y, numbers| {
        check::<_, _, PairLayout, _, _>(op, "series buffer", y, out)?;
        fill(out, numbers.iter().copied());
        Ok(())
    })
}

impl<T: Real, X: Number + Components<T>, F, const K: usize>
    BoundOperator<'_, Series, ForwardSeries<K>, T, X, F>
where
    F: Callable<Taylor<T, K>, X::Arg<Taylor<T, K>>, PairLayout, Out: SelfTangent>,
{
    /// Writes the series at `x` to a buffer of the structure of the result.
    ///
    /// # Errors
    /// If the buffer does not have the structure of the result.
    ///
    /// ```
    /// use wengert::{Taylor, prepare};
    /// let mut series = prepare::taylor(prepare::ForwardSeries::<3>, &0.0);
    /// let mut y = [Taylor::from(0.0); 2];
    /// series.of(|t| [(-*t + 1.0).recip(), *t * *t]).at(&0.0, &mut y)?;
    /// assert_eq!(y.map(Taylor::coefficients), [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at<Y: Components<Taylor<T, K>> + ?Sized>(self, x: &X, out: &mut Y) -> Result<(), AdError> {
        let sizes = [self.outputs("series buffer", 1, out.count())];
        let (work, f, _, vectors) = self.work(x, &sizes)?;
        onto(work, f, row::<T, PairLayout, X>(&X::lit(1.0), vectors), out)
    }
}

impl<T: Real, X: Number + Components<T>, F, const K: usize>
    BoundOperator<'_, Derivatives, ForwardSeries<K>, T, X, F>
where
    F: Callable<Taylor<T, K>, X::Arg<Taylor<T, K>>, PairLayout, Out = Taylor<T, K>>,
{
    /// Writes `f′(x), …, f⁽ᴷ⁾(x)` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If the buffer does not have the length `K`.
    ///
    /// ```
    /// use wengert::prepare;
    /// let mut derivatives = prepare::derivatives(prepare::ForwardSeries::<4>, &0.0);
    /// let mut d = [0.0; 4];
    /// let y = derivatives.of(|x| x.powi(4)).at(&2.0, &mut d)?;
    /// assert_eq!((y, d), (16.0, [32.0, 48.0, 48.0, 24.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at<V: Components<T> + ?Sized>(self, x: &X, out: &mut V) -> Result<T, AdError> {
        let (work, f, _, vectors) = self.work(x, &[("derivative buffer", Some(K), out.count())])?;
        let mut y = Taylor::constant(T::lit(0.0));
        onto(work, f, row::<T, PairLayout, X>(&X::lit(1.0), vectors), &mut y)?;
        fill(out, y.derivatives());
        Ok(y.value())
    }
}

impl<T: Real, X: Components<T> + ?Sized, F, const K: usize>
    BoundOperator<'_, Directional, ForwardSeries<K>, T, X, F>
where
    F: Callable<Taylor<T, K>, X::Arg<Taylor<T, K>>, PairLayout, Out: SelfTangent>,
{
    /// Writes the series of `f(x + tv)` in `t` to a buffer of the structure of the result; its derivatives are the
    /// directional derivatives. On a group `x + tv` is `x·exp(tv)`.
    ///
    /// # Errors
    /// If point or direction do not have the prepared size, or the buffer not the structure of the result.
    ///
    /// ```
    /// use wengert::{Taylor, prepare};
    /// // (2 + t)(3 − 2t)² = 18 − 15t − 4t² + 4t³
    /// let mut directional = prepare::directional(prepare::ForwardSeries::<3>, &[0.0; 2]);
    /// let mut y = Taylor::from(0.0);
    /// directional.of(|x| x[0] * x[1] * x[1]).at(&[2.0, 3.0], &[1.0, -2.0], &mut y)?;
    /// assert_eq!((y.value(), y.coefficients()), (18.0, [-15.0, -4.0, 4.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at<V, Y>(self, x: &X, v: &V, out: &mut Y) -> Result<(), AdError>
    where
        V: Components<T> + SelfTangent + ?Sized,
        Y: Components<Taylor<T, K>> + ?Sized,
    {
        let sizes = [self.inputs("direction", 1, v.count()), self.outputs("series buffer", 1, out.count())];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check(Directional::NAME, "direction", v)?;
        onto(work, f, row(v, vectors), out)
    }
}

impl<T: Real, X: Components<T> + ?Sized, F, const K: usize>
    BoundOperator<'_, DirectionalGradient, ReverseSeries<K>, T, X, F>
where
    F: Callable<Var<Taylor<T, K>>, X::Arg<Var<Taylor<T, K>>>, PairLayout, Out = Var<Taylor<T, K>>>,
{
    /// Writes the series of `∇f(x + tv)` in `t` to a buffer of the structure of a tangent; returns the series of `f(x
    /// + tv)`.
    ///
    /// # Errors
    /// If point, direction or buffer do not have the prepared size.
    ///
    /// ```
    /// use wengert::{Taylor, prepare};
    /// // ∇(x²y) = [2xy, x²] along (1 + t, 2 + 3t)
    /// let mut gradient = prepare::directional_gradient(prepare::ReverseSeries::<2>, &[0.0; 2]);
    /// let mut g = [Taylor::from(0.0); 2];
    /// let y = gradient.of(|x| x[0] * x[0] * x[1]).at(&[1.0, 2.0], &[1.0, 3.0], &mut g)?;
    /// assert_eq!((y.value(), g.map(Taylor::derivatives)), (2.0, [[10.0, 12.0], [2.0, 2.0]]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at<V, Y>(self, x: &X, v: &V, out: &mut Y) -> Result<Taylor<T, K>, AdError>
    where
        V: Components<T> + SelfTangent + ?Sized,
        Y: Components<Taylor<T, K>> + SelfTangent + ?Sized,
    {
        let sizes = [self.inputs("direction", 1, v.count()), self.inputs("gradient buffer", 1, out.count())];
        let (work, f, outline, vectors) = self.work(x, &sizes)?;
        outline.check(DirectionalGradient::NAME, "direction", v)?;
        let n = work.directions;
        begin!(work, f);
        let (_, _, memory, mut f) = work.at(f);
        let tape = Tape::within(memory, n);
        let y = f.along(&SeriesInputs(&tape, Line(row(v, vectors))), Changed::All, |y, _| {
            let seed = [Taylor::constant(T::lit(1.0))];
            tape.pull([(*y, seed)].into_iter(), |cotangents| fill(out, cotangents[..n].iter().map(|c| c[0])));
            Ok(y.value())
        });
        tape.leave(memory);
        y
    }
}

impl<T: Real, X: Components<T> + ?Sized, F, const D: usize>
    BoundOperator<'_, Tensor, ForwardSeries<D>, T, X, F>
where
    F: Callable<Taylor<T, D>, X::Arg<Taylor<T, D>>, PairLayout, Out = Taylor<T, D>>,
{
    /// All partials of order `D` in the components of a tangent, by [`series::tensor`](crate::series::tensor); returns
    /// `f(x)`.
    ///
    /// # Errors
    /// If the point does not have the prepared structure; [`AdError::TooMany`] if the entries do not fit into memory.
    ///
    /// ```
    /// use wengert::{prepare, series::SymmetricTensor};
    /// let (x, mut t) = ([2.0, 3.0, 0.0], SymmetricTensor::<f64, 3>::default());
    /// let mut tensor = prepare::tensor(prepare::ForwardSeries, &x);
    /// let y = tensor.of(|x| x[0] * x[0] * x[1] + x[2].exp()).at(&x, &mut t)?;
    /// assert!(y == 13.0 && (t.at([0, 1, 0]) - 2.0).abs() < 1e-14);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at(self, x: &X, out: &mut SymmetricTensor<T, D>) -> Result<T, AdError> {
        let (work, f, ..) = self.work(x, &[])?;
        let n = work.directions;
        begin!(work, f);
        let (_, _, memory, mut f) = work.at(f);
        let mut value = None;
        let mut along = |variables: &[usize], speeds: &[T::Base]| {
            f.along(&Line(Steps(variables, speeds)), Changed::All, |y, _| {
                value = Some(y.value());
                Ok(y.coefficient(D))
            })
        };
        memory.read(x, n);
        interpolate(memory, &mut along, out)?;
        match value {
            Some(value) => Ok(value),
            None => f.along(&Line(Steps(&[], &[])), Changed::All, |y, _| Ok(y.value())),
        }
    }
}

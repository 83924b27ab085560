//! Operators of functions that are recorded once and replayed: [`Traced`] as a mode.
//!
//! The functions of this module have names of [`prepare`](super), and their operators write to the same buffers.
//! Here a closure belongs to its operator, because a program is right only for the function that it was recorded
//! from: captured values are constants of the program and must not change. Plain fields of the point are compared,
//! and a change records again.
//!
//! ```
//! use wengert::prepare::recorded;
//! let mut gradient = recorded::gradient(|x| x[0] * x[0] * x[1], &[0.0; 2]);
//! let mut g = [0.0; 2];
//! for x in [[1.0, 2.0], [3.0, 4.0]] {
//!     let y = gradient.at(&x, &mut g)?;
//!     assert_eq!((y, g), (x[0] * x[0] * x[1], [2.0 * x[0] * x[1], x[0] * x[0]]));
//! }
//! assert_eq!(gradient.recordings(), 1);
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! The first call records the function, and so does each call that takes another branch; the last eight programs are
//! kept. Other calls run a program and allocate nothing, except in primitives. See [`programs`](crate::programs). An
//! operator that records at every call is slow without an error: compare [`recordings`](Recorded::recordings) with
//! the number of calls.
//!
//! Points have the prepared structure and are vectors: for rotations and rigid motions use another mode.

use std::convert::identity;
use std::marker::PhantomData;
use std::ops::Range;

use super::{Derivative, Gradient, Hessian, Hvp, Jacobian, Jvp, Operator, Vjp};
use crate::error::AdError;
use crate::programs::{Program, Replay, Traced};
use crate::space::{Components, Outline, SelfTangent};

/// The derivative of a program.
type Derive = fn(&Program) -> Result<Program, AdError>;

/// The parts of the results that two buffers take, from the numbers of results and of inputs.
type Layout = fn(usize, usize) -> Parts;

/// The results of the first buffer; the index of the first result of the second one, a matrix by rows, and its columns.
struct Parts(Range<usize>, usize, usize);

/// An operator with its function, which is recorded and replayed. Made by the functions of [this module](self).
///
/// ```
/// use wengert::prepare::recorded;
/// let mut gradient = recorded::gradient(|x| if x[0] > 0.0 { x[0] } else { -x[0] }, &[0.0]);
/// let mut g = [0.0];
/// for x in [1.0, 2.0, -3.0] {
///     gradient.at(&[x], &mut g)?;
///     assert_eq!(g, [x.signum()]);
/// }
/// assert_eq!(gradient.recordings(), 2); // one for each branch
/// assert!(gradient.last_change().is_some() && gradient.program().is_some());
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Recorded<Op, X: Components<f64> + ?Sized, F> {
    replay: Replay<X, F, Derive>,
    outline: Outline,
    layout: Layout,
    buffers: [&'static str; 2],
    of: PhantomData<Op>,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $Op:ident $name:ident: $derive:expr, [$first:literal $second:literal] $layout:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// The method `at` of [`Recorded`] has the buffers and an example.
        pub fn $name<X, O, F>(f: F, x: &X) -> Recorded<$Op, X, F>
        where
            X: Components<f64> + SelfTangent + ?Sized,
            O: Components<Traced>,
            F: FnMut(&X::Arg<Traced>) -> O,
        {
            let (derive, layout): (Derive, Layout) = ($derive, $layout);
            let buffers = [concat!($first, " buffer"), concat!($second, " buffer")];
            Recorded { replay: Replay::new(f, derive), outline: Outline::of(x), layout, buffers, of: PhantomData }
        }
    )*};
}

/// A value, then a matrix with a column for each input.
const TABLE: Layout = |all, n| Parts(0..all / (n + 1), all / (n + 1), n);

operators! {
    /// `f(x)` and `f′(x)` of a function of one variable with any number of results.
    Derivative derivative: Program::value_and_jacobian, ["value" "derivative"] TABLE;
    /// `f(x)` and `∇f(x)`.
    Gradient gradient: Program::value_and_gradient, ["value" "gradient"] |_, _| Parts(0..1, 1, 1);
    /// `f(x)` and `J(x)`, outputs × inputs.
    Jacobian jacobian: Program::value_and_jacobian, ["value" "Jacobian"] TABLE;
    /// `f(x)` and `J(x)·v`.
    Jvp jvp: Program::jvp, ["value" "tangent"] |all, _| Parts(0..all / 2, all / 2, 1);
    /// `f(x)` and `J(x)ᵀ·w`.
    Vjp vjp: Program::vjp, ["value" "cotangent"] |all, n| Parts(0..all - n, all - n, 1);
    /// `f(x)`, `∇f(x)` and `H(x)·v`.
    // The value and its gradient, then their tangents.
    Hvp hvp: |f| f.value_and_gradient()?.jvp(), ["gradient" "product"] |_, n| Parts(1..n + 1, n + 2, 1);
    /// `f(x)`, `∇f(x)` and `H(x)`.
    // The value and its gradient, then the gradient again, and its Jacobian.
    Hessian hessian: |f| f.value_and_gradient()?.value_and_jacobian(), ["gradient" "Hessian"]
        |_, n| Parts(1..n + 1, 2 * n + 1, n);
}

impl<Op: Operator, X, O, F> Recorded<Op, X, F>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
{
    /// Runs its recordings as machine code: see [`Replay::compiled`].
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let mut gradient = recorded::gradient(|x| x[0] * x[1], &[0.0; 2]).compiled();
    /// let mut g = [0.0; 2];
    /// assert_eq!((gradient.at(&[2.0, 3.0], &mut g)?, g), (6.0, [3.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[cfg(feature = "jit")]
    pub fn compiled(self) -> Self {
        Recorded { replay: self.replay.compiled(), ..self }
    }
    /// The number of recordings. If it is nearly the number of calls, [`last_change`](Recorded::last_change) tells
    /// why, and [`Replay::recordings`] how to avoid it.
    pub fn recordings(&self) -> usize {
        self.replay.recordings()
    }
    /// Why the last recording was needed: see [`Replay::last_change`].
    pub fn last_change(&self) -> Option<&AdError> {
        self.replay.last_change()
    }
    /// The program that was used last: value and derivatives, in the order of the documentation of the operator.
    pub fn program(&self) -> Option<&Program> {
        self.replay.program()
    }
    /// Runs the program at `x`, and with a vector after it. Writes the results to two buffers; returns the first one.
    fn run<V, A, B>(&mut self, x: &X, v: &V, first: &mut A, second: &mut B) -> Result<f64, AdError>
    where
        V: Components<f64> + ?Sized,
        A: Components<f64> + ?Sized,
        B: Components<f64> + ?Sized,
    {
        self.outline.check(Op::NAME, "point", x)?;
        let results = self.replay.results(x, |point| v.visit(&mut |v| point.push(v)))?;
        let Parts(range, at, columns) = (self.layout)(results.len(), self.outline.dimension());
        let (one, two) = (&results[range], &results[at..]);
        if !A::ABSENT {
            AdError::check_len(Op::NAME, self.buffers[0], one.len(), first.count())?;
        }
        AdError::check_len(Op::NAME, self.buffers[1], two.len(), second.count())?;
        let rows = two.len() / columns.max(1);
        write(first, one.iter().copied());
        write(second, (0..columns).flat_map(|j| (0..rows).map(move |i| two[i * columns + j])));
        Ok(results.first().copied().unwrap_or(f64::NAN))
    }
}

/// Writes the components.
fn write<V: Components<f64> + ?Sized>(out: &mut V, mut from: impl Iterator<Item = f64>) {
    out.visit_mut(&mut |x| *x = from.next().unwrap_or(f64::NAN));
}

/// The calls of the operators: the point; a vector after it, with the structure of the point if it is a tangent; the
/// first of two buffers, with its bounds; the result.
macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        [$($generics:tt)*] $Op:ident, $X:ty => $O:ty;
        at($x:ident: &$P:ty $(, $v:ident: & $($structure:literal)?)? $(; $first:ident: [$($bound:tt)+])?) -> $R:tt;
    )*) => {$(
        impl<$($generics)* F: FnMut(&<$X as Components<f64>>::Arg<Traced>) -> $O> Recorded<$Op, $X, F> {
            $(#[$doc])*
            pub fn at(
                &mut self,
                $x: &$X,
                $($v: &(impl Components<f64> + SelfTangent + ?Sized),)?
                $($first: &mut (impl $($bound)+ + ?Sized),)?
                out: &mut (impl Components<f64> + SelfTangent + ?Sized),
            ) -> Result<$R, AdError> {
                $($(self.outline.check(<$Op as Operator>::NAME, $structure, $v)?;)?)?
                self.run($x, calls!(@or &(); $($v)?), calls!(@or &mut (); $($first)?), out).map(calls!(@of $R))
            }
        }
    )*};
    (@or $none:expr; $given:expr) => { $given };
    (@or $none:expr;) => { $none };
    (@of ()) => { drop };
    (@of f64) => { identity };
}

calls! {
    /// Writes `f(x)` to `value`, and `f′(x)` to `out`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let (mut place, mut speed) = ([0.0; 2], [0.0; 2]);
    /// let mut derivative = recorded::derivative(|t| [t.cos(), t.sin()], &0.0);
    /// derivative.at(&0.0, &mut place, &mut speed)?;
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [O: Components<Traced>,] Derivative, f64 => O;
        at(x: &f64; value: [Components<f64>]) -> ();

    /// Writes `∇f(x)` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let (mut gradient, mut g) = (recorded::gradient(|x| x[0] * x[1], &[0.0; 2]), [0.0; 2]);
    /// assert_eq!((gradient.at(&[2.0, 3.0], &mut g)?, g), (6.0, [3.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [X: Components<f64> + ?Sized,] Gradient, X => Traced;
        at(x: &X) -> f64;

    /// Writes `f(x)` to `value`, and `J(x)` to `out`, a matrix or the columns in order.
    ///
    /// # Errors
    /// If the point does not have the prepared structure, or a buffer does not fit; the errors of programs.
    ///
    /// ```
    /// # #[cfg(feature = "nalgebra")] {
    /// use wengert::prepare::recorded;
    /// let mut jacobian = recorded::jacobian(|x| [x[0] * x[1], x[0]], &[0.0; 2]);
    /// let (mut y, mut j) = ([0.0; 2], nalgebra::Matrix2::zeros());
    /// jacobian.at(&[2.0, 3.0], &mut y, &mut j).unwrap();
    /// assert_eq!((y, j), ([6.0, 2.0], nalgebra::matrix![3.0, 2.0; 1.0, 0.0]));
    /// # }
    /// ```
    [X: Components<f64> + ?Sized, O: Components<Traced>,] Jacobian, X => O;
        at(x: &X; value: [Components<f64>]) -> ();

    /// Writes `f(x)` to `value`, and `J(x)·v` to `out`.
    ///
    /// # Errors
    /// If point or tangent do not have the prepared structure, or a buffer does not fit; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let mut jvp = recorded::jvp(|x| [x[0] * x[1], x[0]], &[0.0; 2]);
    /// let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
    /// jvp.at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dy)?;
    /// assert_eq!((y, dy), ([6.0, 2.0], [23.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [X: Components<f64> + ?Sized, O: Components<Traced>,] Jvp, X => O;
        at(x: &X, v: &"tangent"; value: [Components<f64>]) -> ();

    /// Writes `f(x)` to `value`, and `J(x)ᵀ·w` to `out`.
    ///
    /// # Errors
    /// If the point does not have the prepared structure, or cotangent or buffers do not fit; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let mut vjp = recorded::vjp(|x| [x[0] * x[1], x[0]], &[0.0; 2]);
    /// let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
    /// vjp.at(&[2.0, 3.0], &[1.0, 10.0], &mut y, &mut dx)?;
    /// assert_eq!((y, dx), ([6.0, 2.0], [13.0, 2.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [X: Components<f64> + ?Sized, O: Components<Traced>,] Vjp, X => O;
        at(x: &X, w: &; value: [Components<f64>]) -> ();

    /// Writes `∇f(x)` to `gradient`, and `H(x)·v` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point, tangent or buffers do not have the prepared structure; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let mut hv = [0.0; 2];
    /// let mut hvp = recorded::hvp(|x| x[0] * x[1] * x[1], &[0.0; 2]);
    /// let y = hvp.at(&[2.0, 3.0], &[1.0, 0.0], &mut (), &mut hv)?;
    /// assert_eq!((y, hv), (18.0, [0.0, 6.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [X: Components<f64> + ?Sized,] Hvp, X => Traced;
        at(x: &X, v: &"tangent"; gradient: [Components<f64> + SelfTangent]) -> f64;

    /// Writes `∇f(x)` to `gradient`, and `H(x)` to `out`, a matrix or the columns in order; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffers do not have the prepared size; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let mut hessian = recorded::hessian(|x| x[0] * x[0] * x[1], &[0.0; 2]);
    /// let (mut g, mut h) = ([0.0; 2], [0.0; 4]);
    /// assert_eq!(hessian.at(&[2.0, 3.0], &mut g, &mut h)?, 12.0);
    /// assert_eq!((g, h), ([12.0, 4.0], [6.0, 4.0, 4.0, 0.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    [X: Components<f64> + ?Sized,] Hessian, X => Traced;
        at(x: &X; gradient: [Components<f64> + SelfTangent]) -> f64;
}

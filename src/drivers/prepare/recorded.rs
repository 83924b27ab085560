//! Operators of functions that are recorded once and replayed: [`Traced`] as a mode.
//!
//! The functions of this module have the names of [`prepare`](super), and their operators write to the same buffers.
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

use std::marker::PhantomData;

use super::{Derivative, Gradient, Hessian, Hvp, Jacobian, Jvp, Operator, Vjp};
use crate::error::AdError;
use crate::programs::{Program, Replay, Traced};
use crate::space::{Components, Outline, SelfTangent};

/// Derives a program.
type Derive = fn(&Program) -> Result<Program, AdError>;

/// An operator with its function, which is recorded and replayed. Made by the functions of [this module](self).
pub struct Recorded<Op, X: Components<f64> + ?Sized, F> {
    replay: Replay<X, F, Derive>,
    outline: Outline,
    of: PhantomData<Op>,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $Op:ident $name:ident: $derive:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<X, O, F>(f: F, x: &X) -> Recorded<$Op, X, F>
        where
            X: Components<f64> + SelfTangent + ?Sized,
            O: Components<Traced>,
            F: FnMut(&X::Arg<Traced>) -> O,
        {
            let derive: Derive = $derive;
            Recorded { replay: Replay::new(f, derive), outline: Outline::of(x), of: PhantomData }
        }
    )*};
}

operators! {
    /// `f(x)` and `f′(x)` of a function of one variable with any number of results.
    Derivative derivative: Program::value_and_jacobian;
    /// `f(x)` and `∇f(x)`.
    Gradient gradient: Program::value_and_gradient;
    /// `f(x)` and `J(x)`, outputs × inputs.
    Jacobian jacobian: Program::value_and_jacobian;
    /// `f(x)` and `J(x)·v`.
    Jvp jvp: Program::jvp;
    /// `f(x)` and `J(x)ᵀ·w`.
    Vjp vjp: Program::vjp;
    /// `f(x)`, `∇f(x)` and `H(x)·v`.
    Hvp hvp: |f| f.value_and_gradient()?.jvp();
    /// `f(x)`, `∇f(x)` and `H(x)`.
    Hessian hessian: |f| f.value_and_gradient()?.value_and_jacobian();
}

impl<Op: Operator, X, O, F> Recorded<Op, X, F>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
{
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
    /// An error unless a vector has `len` components, or its type means that the result is not needed.
    fn fits<V: Components<f64> + ?Sized>(what: &'static str, len: usize, v: &V) -> Result<(), AdError> {
        if V::ABSENT { Ok(()) } else { AdError::check_len(Op::NAME, what, len, v.count()) }
    }
    /// The results at a point with the prepared structure, followed by the inputs `more`.
    fn results<V: Components<f64> + ?Sized>(&mut self, x: &X, more: &V) -> Result<&[f64], AdError> {
        self.outline.check(Op::NAME, "point", x)?;
        self.replay.results(x, |point| more.visit(&mut |v| point.push(v)))
    }
    /// The value, and a matrix of derivatives by its columns.
    fn table<Y, V>(&mut self, x: &X, what: &'static str, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        Y: Components<f64> + ?Sized,
        V: Components<f64> + ?Sized,
    {
        let n = self.outline.dimension();
        let results = self.results(x, &())?;
        let (y, rows) = results.split_at(results.len() / (n + 1));
        Self::fits("value buffer", y.len(), value)?;
        Self::fits(what, rows.len(), out)?;
        write(value, y.iter().copied());
        write(out, (0..n).flat_map(|j| (0..y.len()).map(move |i| rows[i * n + j])));
        Ok(())
    }
    /// The value, and the vector after it.
    fn vector<Y, V>(
        results: &[f64],
        (outputs, what): (usize, &'static str),
        value: &mut Y,
        out: &mut V,
    ) -> Result<(), AdError>
    where
        Y: Components<f64> + ?Sized,
        V: Components<f64> + ?Sized,
    {
        let (y, derivative) = results.split_at(outputs);
        Self::fits("value buffer", y.len(), value)?;
        Self::fits(what, derivative.len(), out)?;
        write(value, y.iter().copied());
        write(out, derivative.iter().copied());
        Ok(())
    }
}

/// Writes the components.
fn write<V: Components<f64> + ?Sized>(out: &mut V, mut from: impl Iterator<Item = f64>) {
    out.visit_mut(&mut |x| *x = from.next().unwrap_or(f64::NAN));
}

impl<O: Components<Traced>, F: FnMut(&Traced) -> O> Recorded<Derivative, f64, F> {
    /// Writes `f(x)` to `value`, and `f′(x)` to `out`.
    ///
    /// # Errors
    /// If a buffer does not have the length of the result; the errors of programs.
    ///
    /// ```
    /// use wengert::prepare::recorded;
    /// let (mut place, mut speed) = ([0.0; 2], [0.0; 2]);
    /// let mut derivative = recorded::derivative(|t| [t.cos(), t.sin()], &0.0);
    /// derivative.at(0.0, &mut place, &mut speed)?;
    /// assert_eq!((place, speed), ([1.0, 0.0], [0.0, 1.0]));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn at<Y, V>(&mut self, x: f64, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        Y: Components<f64> + ?Sized,
        V: Components<f64> + SelfTangent + ?Sized,
    {
        self.table(&x, "derivative buffer", value, out)
    }
}

impl<X: Components<f64> + ?Sized, F: FnMut(&X::Arg<Traced>) -> Traced> Recorded<Gradient, X, F> {
    /// Writes `∇f(x)` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffer do not have the prepared size; the errors of programs.
    pub fn at<V>(&mut self, x: &X, out: &mut V) -> Result<f64, AdError>
    where
        V: Components<f64> + SelfTangent + ?Sized,
    {
        let mut value = 0.0;
        Self::fits("gradient buffer", self.outline.dimension(), out)?;
        Self::vector(self.results(x, &())?, (1, "gradient buffer"), &mut value, out)?;
        Ok(value)
    }
}

impl<X, O, F> Recorded<Jacobian, X, F>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
{
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
    pub fn at<Y, V>(&mut self, x: &X, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        Y: Components<f64> + ?Sized,
        V: Components<f64> + SelfTangent + ?Sized,
    {
        self.table(x, "Jacobian buffer", value, out)
    }
}

impl<X, O, F> Recorded<Jvp, X, F>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
{
    /// Writes `f(x)` to `value`, and `J(x)·v` to `out`.
    ///
    /// # Errors
    /// If point or tangent do not have the prepared structure, or a buffer does not fit; the errors of programs.
    pub fn at<V, Y, W>(&mut self, x: &X, v: &V, value: &mut Y, out: &mut W) -> Result<(), AdError>
    where
        V: Components<f64> + SelfTangent + ?Sized,
        Y: Components<f64> + ?Sized,
        W: Components<f64> + SelfTangent + ?Sized,
    {
        self.outline.check("jvp", "tangent", v)?;
        let results = self.results(x, v)?;
        Self::vector(results, (results.len() / 2, "tangent buffer"), value, out)
    }
}

impl<X, O, F> Recorded<Vjp, X, F>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
{
    /// Writes `f(x)` to `value`, and `J(x)ᵀ·w` to `out`.
    ///
    /// # Errors
    /// If the point does not have the prepared structure, or cotangent or buffers do not fit; the errors of programs.
    pub fn at<W, Y, V>(&mut self, x: &X, w: &W, value: &mut Y, out: &mut V) -> Result<(), AdError>
    where
        W: Components<f64> + SelfTangent + ?Sized,
        Y: Components<f64> + ?Sized,
        V: Components<f64> + SelfTangent + ?Sized,
    {
        let n = self.outline.dimension();
        Self::fits("cotangent buffer", n, out)?;
        let results = self.results(x, w)?;
        Self::vector(results, (results.len() - n, "cotangent buffer"), value, out)
    }
}

impl<X: Components<f64> + ?Sized, F: FnMut(&X::Arg<Traced>) -> Traced> Recorded<Hvp, X, F> {
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
    pub fn at<V, G, W>(&mut self, x: &X, v: &V, gradient: &mut G, out: &mut W) -> Result<f64, AdError>
    where
        V: Components<f64> + SelfTangent + ?Sized,
        G: Components<f64> + SelfTangent + ?Sized,
        W: Components<f64> + SelfTangent + ?Sized,
    {
        let n = self.outline.dimension();
        self.outline.check("hvp", "tangent", v)?;
        Self::fits("gradient buffer", n, gradient)?;
        Self::fits("product buffer", n, out)?;
        // The value, its gradient, the tangent of the value, and the tangent of the gradient.
        let results = self.results(x, v)?;
        write(gradient, results[1..].iter().copied());
        write(out, results[n + 2..].iter().copied());
        Ok(results[0])
    }
}

impl<X: Components<f64> + ?Sized, F: FnMut(&X::Arg<Traced>) -> Traced> Recorded<Hessian, X, F> {
    /// Writes `∇f(x)` to `gradient`, and `H(x)` to `out`; returns `f(x)`.
    ///
    /// # Errors
    /// If point or buffers do not have the prepared size; the errors of programs.
    pub fn at<G, V>(&mut self, x: &X, gradient: &mut G, out: &mut V) -> Result<f64, AdError>
    where
        G: Components<f64> + SelfTangent + ?Sized,
        V: Components<f64> + SelfTangent + ?Sized,
    {
        let n = self.outline.dimension();
        Self::fits("gradient buffer", n, gradient)?;
        Self::fits("Hessian buffer", n * n, out)?;
        // The value and its gradient, then the gradient again, and its Jacobian, which is symmetric.
        let results = self.results(x, &())?;
        write(gradient, results[1..].iter().copied());
        write(out, results[1 + 2 * n..].iter().copied());
        Ok(results[0])
    }
}

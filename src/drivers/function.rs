//! One function for every mode: the mode and its lanes are chosen by the number of variables.

use super::call::{Object, VectorObject};
use super::forms::ask;
use super::mode::Given;
use super::modes::{Forward, ForwardChunk, Reverse, SecondOrder};
use super::sinks::{Fitting, Onto};
use crate::error::AdError;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::Split;
use crate::tapes::Var;
#[cfg(feature = "nalgebra")]
use {
    super::{mode::Units, modes::Packed},
    nalgebra::DMatrix,
};

/// A gradient of `$n` inputs: in one evaluation, forward mode up to twelve inputs, reverse mode beyond. (Measured on
/// functions of 8 to 128 variables; the two meet between 12 and 24.)
macro_rules! of_inputs {
    ($n:expr, $ask:ident) => {
        match $n {
            0 | 1 => $ask!(ForwardChunk::<1>),
            2 => $ask!(ForwardChunk::<2>),
            3 | 4 => $ask!(ForwardChunk::<4>),
            5..=8 => $ask!(ForwardChunk::<8>),
            9..=12 => $ask!(ForwardChunk::<12>),
            _ => $ask!(Reverse),
        }
    };
}

/// A function ℝⁿ → ℝ at every number type, so that derivatives choose theirs: the macro
/// [`function!`](crate::function) writes one, or implement the trait for a struct of your data.
///
/// The derivatives choose mode and lanes by the number of variables. To choose them yourself, or to keep memory between
/// calls, hand the function to an operator of [`prepare`](crate::prepare).
///
/// ```
/// use wengert::{Function, Real};
/// struct Distance { to: [f64; 2] }
/// impl Function for Distance {
///     fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
///         (x[0] - self.to[0]).hypot(x[1] - self.to[1])
///     }
/// }
/// let d = Distance { to: [1.0, 1.0] };
/// assert_eq!(d.value_and_gradient(&[4.0, 5.0]), (5.0, vec![0.6, 0.8]));
/// # #[cfg(feature = "nalgebra")]
/// assert!((d.hessian(&[4.0, 5.0])[(0, 0)] - 0.128).abs() < 1e-15);
/// ```
pub trait Function {
    /// The function.
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T;

    /// `∇f(x)`, in one evaluation: forward mode for up to 12 variables, reverse mode beyond.
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        self.value_and_gradient(x).1
    }
    /// `(f(x), ∇f(x))`.
    fn value_and_gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let mut out = vec![0.0; x.len()];
        (self.gradient_into(x, &mut out), out)
    }
    /// `∇f(x)` written to `out`; returns `f(x)`. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If `out` does not have the length of `x`.
    #[track_caller]
    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> f64 {
        macro_rules! gradient {
            ($mode:expr) => {
                ask::<_, f64, Split, _, _>("gradient", $mode, x, |work| work.gradient_onto(Object(self), out))
            };
        }
        of_inputs!(x.len(), gradient)
    }
    /// `∇f(x)·v`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn jvp(&self, x: &[f64], v: &[f64]) -> f64 {
        self.value_and_jvp(x, v).1
    }
    /// `(f(x), ∇f(x)·v)`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn value_and_jvp(&self, x: &[f64], v: &[f64]) -> (f64, f64) {
        ask::<_, f64, Split, _, _>("jvp", Forward, x, |work| {
            AdError::check_len("jvp", "tangent", x.len(), v.len())?;
            work.pushed(Object(self), Given::new(v, 1))
        })
    }
    /// `H(x)·v`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn hvp(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        self.value_gradient_and_hvp(x, v).2
    }
    /// `(f(x), ∇f(x), H(x)·v)`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn value_gradient_and_hvp(&self, x: &[f64], v: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let (mut gradient, mut product) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let value = self.value_gradient_and_hvp_into(x, v, &mut gradient, &mut product);
        (value, gradient, product)
    }
    /// `∇f(x)` and `H(x)·v` written to buffers; returns `f(x)`. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If `v` or a buffer does not have the length of `x`.
    #[track_caller]
    fn value_gradient_and_hvp_into(
        &self,
        x: &[f64],
        v: &[f64],
        gradient: &mut [f64],
        product: &mut [f64],
    ) -> f64 {
        macro_rules! product {
            ($mode:expr) => {
                ask::<_, f64, Split, _, _>("hvp", SecondOrder(Forward, $mode), x, |work| {
                    AdError::check_len("hvp", "tangent", x.len(), v.len())?;
                    let gradient = Onto::<f64, _, Split>::new("gradient buffer", gradient);
                    let product = Onto::<f64, _, Split>::new("product buffer", product);
                    let lane = Given::new(v, 1);
                    Ok(work.curvature(Object(self), &lane, gradient, product)?.0)
                })
            };
        }
        of_inputs!(x.len(), product)
    }
    /// `H(x)`; one evaluation for up to 16 variables, forward over reverse beyond.
    #[cfg(feature = "nalgebra")]
    fn hessian(&self, x: &[f64]) -> DMatrix<f64> {
        self.value_gradient_and_hessian(x).2
    }
    /// `(f(x), ∇f(x), H(x))`.
    #[cfg(feature = "nalgebra")]
    fn value_gradient_and_hessian(&self, x: &[f64]) -> (f64, Vec<f64>, DMatrix<f64>) {
        let n = x.len();
        let (mut gradient, mut hessian) = (vec![0.0; n], DMatrix::zeros(n, n));
        let value = self.value_gradient_and_hessian_into(x, &mut gradient, &mut hessian);
        (value, gradient, hessian)
    }
    /// `∇f(x)` and `H(x)` written to buffers; returns `f(x)`. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If a buffer does not fit.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_gradient_and_hessian_into(
        &self,
        x: &[f64],
        gradient: &mut [f64],
        hessian: &mut DMatrix<f64>,
    ) -> f64 {
        macro_rules! hessian {
            ($mode:expr) => {
                ask::<_, f64, Split, _, _>("hessian", $mode, x, |work| {
                    let gradient = Onto::<f64, _, Split>::new("gradient buffer", gradient);
                    let units = Units::all();
                    Ok(work.curvature(Object(self), &units, gradient, hessian)?.0)
                })
            };
        }
        match x.len() {
            0 | 1 => hessian!(Packed::<1, 1>),
            2 => hessian!(Packed::<2, 3>),
            3 => hessian!(Packed::<3, 6>),
            4 => hessian!(Packed::<4, 10>),
            5 | 6 => hessian!(Packed::<6, 21>),
            7 | 8 => hessian!(Packed::<8, 36>),
            9 | 10 => hessian!(Packed::<10, 55>),
            11 | 12 => hessian!(Packed::<12, 78>),
            13..=16 => hessian!(Packed::<16, 136>),
            _ => hessian!(SecondOrder(ForwardChunk::<8>, Reverse)),
        }
    }
}

impl<F: Function + ?Sized> Function for &F {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        (**self).call(x)
    }
}

/// A function ℝⁿ → ℝᵐ at every number type, which fills a buffer of its results.
///
/// The buffer holds NaN when the function is called. As for [`Function`], derivatives choose mode and lanes.
///
/// ```
/// use wengert::VectorFunction;
/// let f = wengert::function!(|x, y: [_; 2]| { y[0] = x[0] * x[1]; y[1] = x[0].sin(); });
/// # #[cfg(feature = "nalgebra")] {
/// let (y, j) = f.value_and_jacobian(&[2.0, 3.0]);
/// assert_eq!(y, [6.0, 2f64.sin()]);
/// assert_eq!(j, nalgebra::dmatrix![3.0, 2.0; 2f64.cos(), 0.0]);
/// # }
/// ```
pub trait VectorFunction {
    /// The number of results for `n` arguments.
    fn outputs(&self, n: usize) -> usize;
    /// The function: fills `y`.
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]);

    /// `J(x)`, outputs × inputs; by forward mode, 16 columns in each evaluation, unless there are more than 12 inputs
    /// more than outputs: then by reverse mode, one evaluation.
    #[cfg(feature = "nalgebra")]
    fn jacobian(&self, x: &[f64]) -> DMatrix<f64> {
        self.value_and_jacobian(x).1
    }
    /// `(f(x), J(x))`.
    #[cfg(feature = "nalgebra")]
    fn value_and_jacobian(&self, x: &[f64]) -> (Vec<f64>, DMatrix<f64>) {
        let m = self.outputs(x.len());
        let (mut y, mut out) = (vec![0.0; m], DMatrix::zeros(m, x.len()));
        self.value_and_jacobian_into(x, &mut y, &mut out);
        (y, out)
    }
    /// `f(x)` and `J(x)` written to buffers. Nothing is allocated after the first call.
    ///
    /// # Panics
    /// If a buffer does not fit.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_and_jacobian_into(&self, x: &[f64], y: &mut [f64], out: &mut DMatrix<f64>) {
        let (n, m) = (x.len(), self.outputs(x.len()));
        macro_rules! columns {
            ($mode:expr, $range:expr) => {
                ask::<_, f64, Split, _, _>("jacobian", $mode, x, |work| {
                    let (mut results, value) =
                        (Spare::new(), Onto::<f64, _, Split>::new("value buffer", &mut *y));
                    let f = VectorObject(self, filled(&mut results, m));
                    work.jacobian(f, &Units::of($range), value, &mut *out).map(drop)
                })
            };
        }
        if n > 12 + m {
            return columns!(Reverse, 0..m);
        }
        // Sixteen at a time, the rest by the smallest width that holds them.
        let rest = n - n % 16;
        if rest > 0 {
            columns!(ForwardChunk::<16>, 0..rest);
        }
        match n - rest {
            0 if rest > 0 => {}
            0 | 1 => columns!(ForwardChunk::<1>, rest..n),
            2 => columns!(ForwardChunk::<2>, rest..n),
            3 | 4 => columns!(ForwardChunk::<4>, rest..n),
            5..=8 => columns!(ForwardChunk::<8>, rest..n),
            9..=12 => columns!(ForwardChunk::<12>, rest..n),
            _ => columns!(ForwardChunk::<16>, rest..n),
        }
    }
    /// `J(x)ᵀ·w`: one evaluation and one sweep.
    ///
    /// # Panics
    /// If `w` does not have the length of the result.
    #[track_caller]
    fn vjp(&self, x: &[f64], w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        ask::<_, f64, Split, _, _>("vjp", Reverse, x, |work| {
            let (mut results, value) = (Spare::new(), Fitting::<_, _, Split>::new(w, ()));
            let f = VectorObject(self, filled(&mut results, self.outputs(x.len())));
            work.pulled_onto(f, Given::new(w, 1), value, &mut out).map(drop)
        });
        out
    }
    /// `J(x)·v`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn jvp(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        self.value_and_jvp(x, v).1
    }
    /// `(f(x), J(x)·v)`.
    ///
    /// # Panics
    /// If `v` does not have the length of `x`.
    #[track_caller]
    fn value_and_jvp(&self, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let m = self.outputs(x.len());
        let (mut y, mut out) = (vec![0.0; m], vec![0.0; m]);
        ask::<_, f64, Split, _, _>("jvp", Forward, x, |work| {
            AdError::check_len("jvp", "tangent", x.len(), v.len())?;
            let (mut results, value) = (Spare::new(), Onto::<f64, _, Split>::new("value buffer", &mut y[..]));
            let f = VectorObject(self, filled(&mut results, m));
            work.pushed_onto(f, Given::new(v, 1), value, "tangent buffer", &mut out).map(drop)
        });
        (y, out)
    }
    /// One evaluation on a tape that is kept, for many products with `J(x)` and its transpose.
    fn linearize(&self, x: &[f64]) -> super::Linearized<f64, Vec<f64>, Vec<f64>> {
        let filled = |p: &[Var<f64>]| {
            let mut y = vec![Var::constant(f64::NAN); self.outputs(x.len())];
            self.call(p, &mut y);
            y
        };
        super::linearize(filled, x)
    }
}

impl<F: VectorFunction + ?Sized> VectorFunction for &F {
    fn outputs(&self, n: usize) -> usize {
        (**self).outputs(n)
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        (**self).call(x, y)
    }
}

/// A buffer for so many results.
fn filled<N: Real>(buffer: &mut Spare<N>, outputs: usize) -> &mut [N] {
    buffer.clear(outputs).resize(outputs, N::lit(f64::NAN));
    buffer.items()
}

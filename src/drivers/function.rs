//! One function for every mode: the driver chooses the number type and the number of lanes.

use super::passes::{by_width, for_each_width, gradient_pass};
#[cfg(feature = "nalgebra")]
use super::passes::{hessian_pass, jacobian_pass};
use super::{expect, hvp, products, reverse};
use crate::error::AdError;
use crate::forward::Dual;
use crate::number::Real;
use crate::reverse::Var;
#[cfg(feature = "nalgebra")]
use nalgebra::DMatrix;

/// Up to so many inputs (more than outputs) forward mode is faster; measured on functions of 8 to 128 variables, the
/// two meet between 12 and 24.
const FORWARD: usize = 12;

/// A function ℝⁿ → ℝ at every number type, so that derivatives choose theirs: the macro
/// [`function!`](crate::function) writes one, or implement the trait for a struct of your data.
///
/// ```
/// use wengert::{Function, Real};
/// struct Distance { to: [f64; 2] }
/// impl Function for Distance {
///     fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T { (x[0] - self.to[0]).hypot(x[1] - self.to[1]) }
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
        let value = self.value_and_gradient_into(x, &mut out);
        (value, out)
    }
    /// `∇f(x)` written to `out`.
    ///
    /// # Panics
    /// If `out` has not the length of `x`.
    #[track_caller]
    fn gradient_into(&self, x: &[f64], out: &mut [f64]) {
        self.value_and_gradient_into(x, out);
    }
    /// `∇f(x)` written to `out`; returns `f(x)`.
    ///
    /// # Panics
    /// If `out` has not the length of `x`.
    #[track_caller]
    fn value_and_gradient_into(&self, x: &[f64], out: &mut [f64]) -> f64 {
        expect(self.try_value_and_gradient_into(x, out))
    }
    /// As `value_and_gradient_into`, with an error instead of the panic.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `out` has not the length of `x`.
    fn try_value_and_gradient_into(&self, x: &[f64], out: &mut [f64]) -> Result<f64, AdError> {
        AdError::check_len("gradient", "gradient buffer", x.len(), out.len())?;
        if x.len() > FORWARD {
            return reverse::try_value_and_gradient_into(|p: &[Var<f64>]| self.call(p), x, out);
        }
        let mut value = 0.0;
        for_each_width(x.len(), |range, width| {
            macro_rules! pass {
                ($n:literal) => {
                    value = gradient_pass::<$n, _>(self, x, range, out)
                };
            }
            by_width!(width, pass);
        });
        Ok(value)
    }
    /// `∇f(x)·v`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn jvp(&self, x: &[f64], v: &[f64]) -> f64 {
        products::jvp(|p: &[Dual<f64>]| self.call(p), x, v)
    }
    /// `(f(x), ∇f(x)·v)`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn value_and_jvp(&self, x: &[f64], v: &[f64]) -> (f64, f64) {
        expect(self.try_value_and_jvp(x, v))
    }
    /// As `value_and_jvp`, with an error instead of the panic.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `v` has not the length of `x`.
    fn try_value_and_jvp(&self, x: &[f64], v: &[f64]) -> Result<(f64, f64), AdError> {
        products::try_value_and_jvp(|p: &[Dual<f64>]| self.call(p), x, v)
    }
    /// `H(x)·v`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn hvp(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        if x.len() > FORWARD {
            return reverse::hvp(|p: &[Var<Dual<f64>>]| self.call(p), x, v);
        }
        hvp::hvp(|p: &[_]| self.call(p), x, v)
    }
    /// `(f(x), H(x)·v)`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn value_and_hvp(&self, x: &[f64], v: &[f64]) -> (f64, Vec<f64>) {
        let (mut gradient, mut product) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let value = expect(self.try_value_gradient_and_hvp_into(x, v, &mut gradient, &mut product));
        (value, product)
    }
    /// `H(x)·v` written to `out`.
    ///
    /// # Panics
    /// If `v` or `out` has not the length of `x`.
    #[track_caller]
    fn hvp_into(&self, x: &[f64], v: &[f64], out: &mut [f64]) {
        let mut gradient = vec![0.0; x.len()];
        expect(self.try_value_gradient_and_hvp_into(x, v, &mut gradient, out));
    }
    /// `∇f(x)` and `H(x)·v` written to buffers; `f(x)`, or an error.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `v` or a buffer has not the length of `x`.
    fn try_value_gradient_and_hvp_into(
        &self,
        x: &[f64],
        v: &[f64],
        gradient: &mut [f64],
        product: &mut [f64],
    ) -> Result<f64, AdError> {
        if x.len() > FORWARD {
            let f = |p: &[Var<Dual<f64>>]| self.call(p);
            return reverse::try_value_gradient_and_hvp_into(f, x, v, gradient, product);
        }
        hvp::try_value_gradient_and_hvp_into(|p: &[_]| self.call(p), x, v, gradient, product)
    }
    /// `H(x)`; one evaluation for up to 16 variables, forward over reverse beyond.
    #[cfg(feature = "nalgebra")]
    fn hessian(&self, x: &[f64]) -> DMatrix<f64> {
        self.value_gradient_and_hessian(x).2
    }
    /// `(f(x), H(x))`.
    #[cfg(feature = "nalgebra")]
    fn value_and_hessian(&self, x: &[f64]) -> (f64, DMatrix<f64>) {
        let (value, _, hessian) = self.value_gradient_and_hessian(x);
        (value, hessian)
    }
    /// `H(x)` written to `out`.
    ///
    /// # Panics
    /// If `out` is not a square matrix of the length of `x`.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn hessian_into(&self, x: &[f64], out: &mut DMatrix<f64>) {
        self.value_gradient_and_hessian_into(x, &mut vec![0.0; x.len()], out);
    }
    /// `(f(x), ∇f(x), H(x))`.
    #[cfg(feature = "nalgebra")]
    fn value_gradient_and_hessian(&self, x: &[f64]) -> (f64, Vec<f64>, DMatrix<f64>) {
        let n = x.len();
        let (mut gradient, mut hessian) = (vec![0.0; n], DMatrix::zeros(n, n));
        let value = self.value_gradient_and_hessian_into(x, &mut gradient, &mut hessian);
        (value, gradient, hessian)
    }
    /// `∇f(x)` and `H(x)` written to buffers; returns `f(x)`.
    ///
    /// # Panics
    /// If a buffer does not fit.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_gradient_and_hessian_into(&self, x: &[f64], g: &mut [f64], h: &mut DMatrix<f64>) -> f64 {
        expect(self.try_value_gradient_and_hessian_into(x, g, h))
    }
    /// As `value_gradient_and_hessian_into`, with an error instead of the panic; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`] or [`AdError::Dimensions`] if a buffer does not fit.
    #[cfg(feature = "nalgebra")]
    fn try_value_gradient_and_hessian_into(
        &self,
        x: &[f64],
        g: &mut [f64],
        h: &mut DMatrix<f64>,
    ) -> Result<f64, AdError> {
        let n = x.len();
        AdError::check_len("hessian", "gradient buffer", n, g.len())?;
        AdError::check_dimensions("hessian", "buffer", (n, n), h.shape())?;
        let value = match n {
            0 | 1 => hessian_pass::<1, 1, _>(self, x, 0..n, g, h),
            2 => hessian_pass::<2, 3, _>(self, x, 0..n, g, h),
            3 => hessian_pass::<3, 6, _>(self, x, 0..n, g, h),
            4 => hessian_pass::<4, 10, _>(self, x, 0..n, g, h),
            5 | 6 => hessian_pass::<6, 21, _>(self, x, 0..n, g, h),
            7 | 8 => hessian_pass::<8, 36, _>(self, x, 0..n, g, h),
            9 | 10 => hessian_pass::<10, 55, _>(self, x, 0..n, g, h),
            11 | 12 => hessian_pass::<12, 78, _>(self, x, 0..n, g, h),
            13..=16 => hessian_pass::<16, 136, _>(self, x, 0..n, g, h),
            _ => reverse::try_value_gradient_and_hessian_into(|p: &[_]| self.call(p), x, g, h)?,
        };
        Ok(value)
    }
}

impl<F: Function + ?Sized> Function for &F {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        (**self).call(x)
    }
}

/// A function ℝⁿ → ℝᵐ at every number type, which fills a buffer of its results.
///
/// The buffer holds NaN when the function is called.
///
/// ```
/// use wengert::VectorFunction;
/// let f = wengert::function!(|x, y: [_; 2]| { y[0] = x[0] * x[1]; y[1] = x[0].sin(); });
/// # #[cfg(feature = "nalgebra")] {
/// let (y, j) = f.value_and_jacobian(&[2.0, 3.0]);
/// assert_eq!((y, j), (vec![6.0, 2f64.sin()], nalgebra::dmatrix![3.0, 2.0; 2f64.cos(), 0.0]));
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
    /// `J(x)` written to `out`, a matrix of outputs × inputs.
    ///
    /// # Panics
    /// If `out` does not fit.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn jacobian_into(&self, x: &[f64], out: &mut DMatrix<f64>) {
        let mut y = vec![0.0; self.outputs(x.len())];
        self.value_and_jacobian_into(x, &mut y, out);
    }
    /// `f(x)` and `J(x)` written to buffers.
    ///
    /// # Panics
    /// If a buffer does not fit.
    #[cfg(feature = "nalgebra")]
    #[track_caller]
    fn value_and_jacobian_into(&self, x: &[f64], y: &mut [f64], out: &mut DMatrix<f64>) {
        expect(self.try_value_and_jacobian_into(x, y, out));
    }
    /// As `value_and_jacobian_into`, with an error instead of the panic.
    ///
    /// # Errors
    /// [`AdError::Shape`] or [`AdError::Dimensions`] if a buffer does not fit; nothing is written then.
    #[cfg(feature = "nalgebra")]
    fn try_value_and_jacobian_into(
        &self,
        x: &[f64],
        y: &mut [f64],
        out: &mut DMatrix<f64>,
    ) -> Result<(), AdError> {
        let m = self.outputs(x.len());
        AdError::check_len("jacobian", "value buffer", m, y.len())?;
        AdError::check_dimensions("jacobian", "buffer", (m, x.len()), out.shape())?;
        if x.len() > FORWARD + m {
            let f = |x: &[Var<f64>], y: &mut [Var<f64>]| self.call(x, y);
            reverse::value_and_jacobian_of_filling_into(f, x, y, out);
            return Ok(());
        }
        for_each_width(x.len(), |range, width| {
            macro_rules! pass {
                ($n:literal) => {
                    jacobian_pass::<$n, _>(self, x, range, y, out)
                };
            }
            by_width!(width, pass);
        });
        Ok(())
    }
    /// `J(x)ᵀ·w`: one evaluation and one sweep.
    ///
    /// # Panics
    /// If `w` has not the length of the result.
    #[track_caller]
    fn vjp(&self, x: &[f64], w: &[f64]) -> Vec<f64> {
        let (mut y, mut out) = (vec![0.0; self.outputs(x.len())], vec![0.0; x.len()]);
        expect(AdError::check_len("vjp", "cotangent", y.len(), w.len()));
        reverse::value_and_vjp_of_filling_into(|x: &[_], y| self.call(x, y), x, w, &mut y, &mut out);
        out
    }
    /// One evaluation on a tape that is kept, for many products with `J(x)` and its transpose.
    fn linearize(&self, x: &[f64]) -> reverse::Linearized<f64, Vec<f64>, Vec<f64>> {
        let filled = |p: &[Var<f64>]| {
            let mut y = vec![Var::constant(f64::NAN); self.outputs(x.len())];
            self.call(p, &mut y);
            y
        };
        reverse::linearize(filled, x)
    }
    /// `J(x)·v`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn jvp(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        self.value_and_jvp(x, v).1
    }
    /// `(f(x), J(x)·v)`.
    ///
    /// # Panics
    /// If `v` has not the length of `x`.
    #[track_caller]
    fn value_and_jvp(&self, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let m = self.outputs(x.len());
        let (mut y, mut dy) = (vec![0.0; m], vec![0.0; m]);
        expect(self.try_value_and_jvp_into(x, v, &mut y, &mut dy));
        (y, dy)
    }
    /// `f(x)` and `J(x)·v` written to buffers, or an error; nothing is written then.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `v` has not the length of `x`, or a buffer does not fit.
    fn try_value_and_jvp_into(
        &self,
        x: &[f64],
        v: &[f64],
        y: &mut [f64],
        dy: &mut [f64],
    ) -> Result<(), AdError> {
        AdError::check_len("jvp", "value buffer", self.outputs(x.len()), y.len())?;
        let f = |x: &[Dual<f64>], y: &mut [Dual<f64>]| self.call(x, y);
        products::try_value_and_jvp_of_filling_into(f, x, v, y, dy)
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

//! Derivatives of high order by [`Taylor`]: coefficients, directional derivatives, tensors, mixed partials.
//!
//! | wanted | function | evaluations |
//! |---|---|---|
//! | Taylor coefficients `f⁽ᵏ⁾(x)/k!` to order `K` | [`taylor`] | 1 at `Taylor<T, K>` |
//! | `f′(x), …, f⁽ᴷ⁾(x)` | [`derivatives`] | 1 |
//! | `dᵏ/dtᵏ f(x + tv)` | [`directional`] | 1 |
//! | their gradients in `x` | [`directional_gradient`] | 1 at `Var<Taylor<T, K>>`, and a sweep |
//! | all partials of order `D` of `f: Rⁿ → R` | [`tensor`] | `C(n + D − 1, D)` at `Taylor<T, D>` |
//! | a step of `y′ = f(t, y)` | [`ode_step`] | one for each order, at `TaylorDyn<T, MAX>` |
//! | one mixed partial of order `D` in `s` variables | [`mixed`] | up to `C(s + D − 1, D)` |
//!
//! [`prepare`](crate::prepare) keeps the memory of each for points of any structure.
//!
//! The order is part of a type, and follows from the type of the result: `let d: [f64; 8] = derivatives(f, x)`. For
//! an order that is chosen at run time evaluate the function at [`TaylorDyn`](crate::TaylorDyn).

mod ode;
pub(super) mod tensor;

use super::call::{Closure, check};
use super::forms::expect;
use super::nesting::enter;
use super::prepare::{self, ForwardSeries, ReverseSeries, line, whole};
use crate::duals::Taylor;
use crate::error::AdError;
use crate::number::Real;
use crate::space::PairLayout;
use crate::tapes::Var;
use tensor::{Weights, entry, steps, units_and_coefficients};

pub use ode::{OdeStep, ode_order, ode_step};
pub use tensor::SymmetricTensor;

/// The Taylor series of `f` at `x`: value and coefficients `f⁽ᵏ⁾(x)/k!` for `k = 1..=K`.
///
/// ```
/// use wengert::{Taylor, series::taylor};
/// let y: Taylor<f64, 3> = taylor(|x| (-x + 1.0).recip(), 0.0);
/// assert_eq!((y.value(), y.coefficients()), (1.0, [1.0, 1.0, 1.0]));
/// ```
#[inline]
#[track_caller]
pub fn taylor<T: Real, const K: usize>(f: impl FnMut(Taylor<T, K>) -> Taylor<T, K>, x: T) -> Taylor<T, K> {
    super::forms::series_of("taylor", f, x)
}

/// The derivatives `f′(x), …, f⁽ᴷ⁾(x)`.
///
/// ```
/// use wengert::series::derivatives;
/// assert_eq!(derivatives(|x| x.powi(4), 2.0), [32.0, 48.0, 48.0, 24.0, 0.0]);
/// ```
#[inline]
#[track_caller]
pub fn derivatives<T: Real, const K: usize>(f: impl FnMut(Taylor<T, K>) -> Taylor<T, K>, x: T) -> [T; K] {
    taylor(f, x).derivatives()
}

/// The directional derivatives `dᵏ/dtᵏ f(x + tv)` at `t = 0`, for `k = 1..=K`.
///
/// # Panics
/// If `v` is not as long as `x`.
///
/// ```
/// use wengert::series::directional;
/// // (2 + t)(3 − 2t)² = 18 − 15t − 4t² + 4t³
/// let d = directional(|x| x[0] * x[1] * x[1], &[2.0, 3.0], &[1.0, -2.0]);
/// assert_eq!(d, [-15.0, -8.0, 24.0]);
/// ```
#[track_caller]
pub fn directional<T: Real, const K: usize>(
    f: impl FnMut(&[Taylor<T, K>]) -> Taylor<T, K>,
    x: &[T],
    v: &[T],
) -> [T; K] {
    let mut y = Taylor::constant(T::lit(0.0));
    expect(prepare::directional(ForwardSeries, x).of(f).at(x, v, &mut y));
    y.derivatives()
}

/// The gradient of `f` along the line `x + tv`, as a series in `t` for each variable: its derivative of order `k` is the
/// gradient of the directional derivative of order `k`. Reverse mode over series: one evaluation and one sweep.
///
/// # Panics
/// If `v` is not as long as `x`.
///
/// ```
/// use wengert::{Taylor, series::directional_gradient};
/// // ∇(x²y) = [2xy, x²] along (1 + t, 2 + 3t)
/// let g: Vec<Taylor<f64, 2>> =
///     directional_gradient(|x| x[0] * x[0] * x[1], &[1.0, 2.0], &[1.0, 3.0]);
/// assert_eq!((g[0].value(), g[0].derivatives()), (4.0, [10.0, 12.0]));
/// assert_eq!((g[1].value(), g[1].derivatives()), (1.0, [2.0, 2.0]));
/// ```
#[track_caller]
pub fn directional_gradient<T: Real, const K: usize>(
    f: impl FnMut(&[Var<Taylor<T, K>>]) -> Var<Taylor<T, K>>,
    x: &[T],
    v: &[T],
) -> Vec<Taylor<T, K>> {
    let mut gradient = vec![Taylor::constant(T::lit(0.0)); x.len()];
    expect(prepare::directional_gradient(ReverseSeries, x).of(f).at(x, v, &mut gradient));
    gradient
}

/// All partials of order `D` of a function of `n` variables, by interpolation of `C(n + D − 1, D)` directions with
/// integer components `j` in units `s`: `∂ⁱf = s⁻ⁱ Σ γᵢⱼ f_D(x + t·s∘j)`.
///
/// Griewank, Utke and Walther, *Evaluating higher derivative tensors by forward propagation of univariate Taylor
/// series*, Mathematics of Computation 69 (2000).
///
/// The terms of a mixed partial cancel: its error is a rounding of the largest derivative along these directions. The units
/// are powers of two for which the coefficients `f_D` along single variables are about 1, but at most `max(1, |xₖ|)`. They
/// are 1 where `f_D` is 0, and while a function is traced. By
/// [`hessian`](crate::hessian()) or by nested numbers a partial that is much smaller than others keeps its digits. Where
/// a derivative along a direction is infinite, mixed partials are NaN.
///
/// # Errors
/// [`AdError::TooMany`] if the entries do not fit into memory, [`AdError::Confusion`] if the function depends on a number of an
/// outer derivative that has this number type.
///
/// ```
/// use wengert::series::tensor;
/// // ∂³(x²y + e^z)
/// let t = tensor::<f64, 3>(|x| x[0] * x[0] * x[1] + x[2].exp(), &[2.0, 3.0, 0.0])?;
/// assert!((t.at([0, 1, 0]) - 2.0).abs() < 1e-14 && t.at([0, 0, 0]).abs() < 1e-14);
/// assert!((t.at([2, 2, 2]) - 1.0).abs() < 1e-14 && t.at([0, 1, 2]).abs() < 1e-14);
/// assert_eq!(t.entries().len(), 10);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn tensor<T: Real, const D: usize>(
    f: impl FnMut(&[Taylor<T, D>]) -> Taylor<T, D>,
    x: &[T],
) -> Result<SymmetricTensor<T, D>, AdError> {
    let mut out = SymmetricTensor::default();
    prepare::tensor(ForwardSeries, x).of(f).at(x, &mut out)?;
    Ok(out)
}

/// One mixed partial `∂ⁱf` of order `D = |i|`, where `orders` has the order in each variable, with the error of
/// an entry of a [`tensor`].
///
/// # Errors
/// [`AdError::Shape`] if `orders` is not as long as `x`, [`AdError::Arity`] if its sum is not `D`, and
/// [`AdError::Confusion`] as for [`tensor`].
///
/// ```
/// use wengert::series::mixed;
/// // ∂⁵/∂x²∂y³ of x³y⁴ = 6x·24y
/// let d = mixed::<f64, 5>(|x| x[0].powi(3) * x[1].powi(4), &[2.0, 0.5], &[2, 3])?;
/// assert!((d - 144.0).abs() < 1e-10);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn mixed<T: Real, const D: usize>(
    mut f: impl FnMut(&[Taylor<T, D>]) -> Taylor<T, D>,
    x: &[T],
    orders: &[usize],
) -> Result<T, AdError> {
    let sum = orders.iter().fold(0_usize, |sum, &i| sum.saturating_add(i));
    AdError::check_len("mixed", "list of orders", x.len(), orders.len())?;
    AdError::check_arity("mixed", "orders in total", D, sum)?;
    check::<T, _, PairLayout, _, _>("mixed", x, &mut Closure(|x: &[Taylor<T, D>]| f(x)))?;
    let _level = enter::<T, Taylor<T, D>>();
    let mut at: Vec<Taylor<T, D>> = x.iter().map(|&x| Taylor::constant(x)).collect();
    let variables: Vec<usize> = (0..x.len()).filter(|&k| orders[k] > 0).collect();
    let i: Vec<usize> = variables.iter().map(|&k| orders[k]).collect();
    if i.is_empty() {
        return Ok(f(&at).value());
    }
    let (mut singles, own): (_, Vec<T>) = (Vec::new(), variables.iter().map(|&k| x[k]).collect());
    units_and_coefficients::<T, D>(&own, &mut singles, |k, speed| {
        at[variables[k]] = line(own[k], whole(speed));
        let y = f(&at).coefficient(D);
        at[variables[k]] = Taylor::constant(own[k]);
        Ok(y)
    })?;
    let along = |j: &[usize]| {
        if let Some(k) = j.iter().position(|&steps| steps == D) {
            return Ok(singles[k].1);
        }
        for (k, &j) in j.iter().enumerate() {
            at[variables[k]] = line(own[k], whole(steps(j, singles[k].0)));
        }
        Ok(f(&at).coefficient(D))
    };
    entry(Weights::default().of(&i), singles.iter().map(|one| one.0).zip(&i), along)
}

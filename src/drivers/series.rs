//! Derivatives of high order by [`Taylor`]: coefficients, directional derivatives, tensors, mixed partials.
//!
//! | wanted | function | evaluations |
//! |---|---|---|
//! | Taylor coefficients `f⁽ᵏ⁾(x)/k!` to order `K` | [`taylor`] | 1 at `Taylor<T, K>` |
//! | `f′(x), …, f⁽ᴷ⁾(x)` | [`derivative_n`] | 1 |
//! | `dᵏ/dtᵏ f(x + tv)` | [`directional`] | 1 |
//! | their gradients in `x` | [`directional_gradient`] | 1 at `Var<Taylor<T, K>>`, and a sweep |
//! | all partials of order `D` of `f: Rⁿ → R` | [`tensor`] | `C(n + D − 1, D)` at `Taylor<T, D>` |
//! | a step of `y′ = f(t, y)` | [`ode_step`] | one for each order, at `TaylorDyn<T, MAX>` |
//! | one mixed partial of order `D` in `s` variables | [`mixed`] | up to `C(s + D − 1, D)` |
//!
//! [`prepare`](crate::prepare) keeps the memory of each for points of any structure.
//!
//! The order is part of a type, and follows from the type of the result: `let d: [f64; 8] = derivative_n(f, x)`. For
//! an order that is chosen at run time evaluate the function at [`TaylorDyn`](crate::TaylorDyn).

mod ode;

use super::forms::expect;
use crate::duals::Taylor;
use crate::error::AdError;
use crate::number::{BaseFloat, Real};
use crate::tapes::{Tape, Var};
pub use ode::{OdeStep, ode_order, ode_step};

/// The Taylor series of `f` at `x`: value and coefficients `f⁽ᵏ⁾(x)/k!` for `k = 1..=K`.
///
/// ```
/// use wengert::{Taylor, series::taylor};
/// let y: Taylor<f64, 3> = taylor(|x| (-x + 1.0).recip(), 0.0);
/// assert_eq!((y.value(), y.coefficients()), (1.0, [1.0, 1.0, 1.0]));
/// ```
#[inline]
pub fn taylor<T: Real, const K: usize>(f: impl FnOnce(Taylor<T, K>) -> Taylor<T, K>, x: T) -> Taylor<T, K> {
    f(Taylor::variable(x))
}

/// The derivatives `f′(x), …, f⁽ᴷ⁾(x)`.
///
/// ```
/// use wengert::series::derivative_n;
/// assert_eq!(derivative_n(|x| x.powi(4), 2.0), [32.0, 48.0, 48.0, 24.0, 0.0]);
/// ```
#[inline]
pub fn derivative_n<T: Real, const K: usize>(f: impl FnOnce(Taylor<T, K>) -> Taylor<T, K>, x: T) -> [T; K] {
    taylor(f, x).derivatives()
}

/// `x + tv`.
pub(super) fn line<T: Real, const K: usize>(x: T, v: T) -> Taylor<T, K> {
    Taylor::new(x, std::array::from_fn(|k| if k == 0 { v } else { T::lit(0.0) }))
}

/// The point on the line `x + tv`.
fn lines<T: Real, const K: usize>(op: &'static str, x: &[T], v: &[T]) -> Result<Vec<Taylor<T, K>>, AdError> {
    AdError::check_len(op, "direction", x.len(), v.len())?;
    Ok(x.iter().zip(v).map(|(&x, &v)| line(x, v)).collect())
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
    f: impl FnOnce(&[Taylor<T, K>]) -> Taylor<T, K>,
    x: &[T],
    v: &[T],
) -> [T; K] {
    f(&expect(lines("directional", x, v))).derivatives()
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
    f: impl FnOnce(&[Var<Taylor<T, K>>]) -> Var<Taylor<T, K>>,
    x: &[T],
    v: &[T],
) -> Vec<Taylor<T, K>> {
    let tape = Tape::new();
    let inputs = tape.variables(&expect(lines("directional_gradient", x, v)));
    let y = f(&inputs);
    tape.cotangents(y).of_all(&inputs)
}

/// `C(n, k)`, if it fits in a `usize`.
fn binomial(n: usize, k: usize) -> Option<usize> {
    let Some(rest) = n.checked_sub(k) else { return Some(0) };
    // Each partial product is a binomial coefficient, so the division is exact.
    (1..=k).try_fold(1_usize, |b, i| Some(b.checked_mul(rest.checked_add(i)?)? / i))
}

/// `C(x, k)` for real `x`.
fn generalised_binomial(x: f64, k: usize) -> f64 {
    (0..k).map(|i| (x - i as f64) / (i + 1) as f64).product()
}

/// All multi-indices of `variables` variables with this sum.
fn multi_indices(variables: usize, sum: usize) -> Vec<Vec<usize>> {
    if variables == 0 {
        return if sum == 0 { vec![vec![]] } else { vec![] };
    }
    let with = |first: usize| {
        multi_indices(variables - 1, sum - first).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=sum).flat_map(with).collect()
}

/// The weights of the directions `j` in the partial `∂ⁱ`, `|i| = |j| = d`:
/// `γ = Σ_{0<k≤i} (−1)^|i−k| C(i, k)·C(d·k/|k|, j)·(|k|/d)ᵈ`.
fn weight(i: &[usize], j: &[usize]) -> f64 {
    let d: usize = i.iter().sum();
    if d == 0 {
        return 1.0;
    }
    let below = (0..i.iter().map(|i| i + 1).product()).map(|code: usize| {
        let mut code = code;
        i.iter().map(|&i| (code % (i + 1), code /= i + 1).0).collect::<Vec<usize>>()
    });
    let term = |k: Vec<usize>| {
        let size: usize = k.iter().sum();
        let scale = size as f64 / d as f64;
        let sign = if (d - size).is_multiple_of(2) { 1.0 } else { -1.0 };
        let choose: f64 = i.iter().zip(&k).map(|(&i, &k)| generalised_binomial(i as f64, k)).product();
        let along: f64 = j.iter().zip(&k).map(|(&j, &k)| generalised_binomial(k as f64 / scale, j)).product();
        sign * choose * along * scale.powi(d as i32)
    };
    below.filter(|k| k.iter().any(|&k| k > 0)).map(term).sum()
}

/// The partials of order `D` of a function of `n` variables, each stored once.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricTensor<T, const D: usize> {
    entries: Vec<T>,
    variables: usize,
}

/// Without entries, for an operator of [`prepare`](crate::prepare) to write to.
impl<T, const D: usize> Default for SymmetricTensor<T, D> {
    fn default() -> Self {
        SymmetricTensor { entries: Vec::new(), variables: 0 }
    }
}

/// The index of a list of indices in ascending order: `Σ C(iₖ + k − 1, k)`.
fn place(sorted: &[usize]) -> usize {
    (1..).zip(sorted).map(|(k, &i)| binomial(i + k - 1, k).expect("less than the number of entries")).sum()
}

impl<T: Real, const D: usize> SymmetricTensor<T, D> {
    /// The partial with respect to these variables, in any order.
    ///
    /// # Panics
    /// If an index is not less than the number of variables.
    #[track_caller]
    pub fn at(&self, mut indices: [usize; D]) -> T {
        indices.sort_unstable();
        assert!(indices.iter().all(|&i| i < self.variables), "an index of {indices:?} is no variable");
        self.entries[place(&indices)]
    }
    /// `Σ tᵢⱼ… vᵢvⱼ…`, the directional derivative of order `D`.
    ///
    /// # Panics
    /// If `v` has not one component for each variable.
    #[track_caller]
    pub fn along(&self, v: &[T]) -> T {
        let (expected, got) = (self.variables, v.len());
        assert!(
            got == expected,
            "SymmetricTensor::along: a direction of length {got} for {expected} variables"
        );
        let index = |code: usize, k: u32| code / self.variables.pow(k) % self.variables;
        let term = |code: usize| {
            let indices: [usize; D] = std::array::from_fn(|k| index(code, k as u32));
            indices.iter().fold(self.at(indices), |product, &i| product * v[i])
        };
        (0..self.variables.pow(D as u32)).map(term).fold(T::lit(0.0), |sum, t| sum + t)
    }
    /// The different entries, `C(n + D − 1, D)` of them.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }
}

/// The coefficient of order `D` along `Σ jₖ·e` of these variables.
fn coefficient<T: Real, const D: usize>(
    f: &mut impl FnMut(&[Taylor<T, D>]) -> Taylor<T, D>,
    x: &mut [Taylor<T, D>],
    variables: &[usize],
    j: &[usize],
) -> T {
    for (&k, &steps) in variables.iter().zip(j) {
        x[k] = line(x[k].value(), T::lit(0.0) + T::Base::from_double(steps as f64));
    }
    let y = f(x);
    for &k in variables {
        x[k] = Taylor::constant(x[k].value());
    }
    y.coefficient(D)
}

/// All partials of order `D` of a function of `n` variables, by interpolation of `C(n + D − 1, D)` directions with
/// integer components: `∂ⁱf = Σ γᵢⱼ f_D(x + tj)`.
///
/// Griewank, Utke and Walther, *Evaluating higher derivative tensors by forward propagation of univariate Taylor
/// series*, Mathematics of Computation 69 (2000).
///
/// # Errors
/// [`AdError::TooMany`] if the entries do not fit into memory.
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
    mut f: impl FnMut(&[Taylor<T, D>]) -> Taylor<T, D>,
    x: &[T],
) -> Result<SymmetricTensor<T, D>, AdError> {
    let n = x.len();
    let mut x: Vec<Taylor<T, D>> = x.iter().map(|&x| Taylor::constant(x)).collect();
    let mut out = SymmetricTensor::default();
    let along = |variables: &[usize], j: &[usize]| Ok(coefficient(&mut f, &mut x, variables, j));
    interpolate(n, &mut Interpolation::default(), along, &mut out)?;
    Ok(out)
}

/// The memory of an operator: the derivatives along all directions, and their weights.
pub struct Interpolation<T> {
    directions: Vec<T>,
    weights: Weights,
}

impl<T> Default for Interpolation<T> {
    fn default() -> Self {
        Interpolation { directions: Vec::new(), weights: Weights::default() }
    }
}

/// The entries by the coefficients of order `D` that `along` gives for variables and steps.
pub(super) fn interpolate<T: Real, const D: usize>(
    n: usize,
    memory: &mut Interpolation<T>,
    mut along: impl FnMut(&[usize], &[usize]) -> Result<T, AdError>,
    out: &mut SymmetricTensor<T, D>,
) -> Result<(), AdError> {
    let Interpolation { directions, weights } = memory;
    reserve::<T, D>(n, directions)?;
    reserve::<T, D>(n, &mut out.entries)?;
    out.variables = n;
    let mut result = Ok(());
    each_ascending::<D>(n, |indices| {
        let (variables, j, count) = counted(indices);
        match (&result, along(&variables[..count], &j[..count])) {
            (Ok(()), Ok(direction)) => directions.push(direction),
            (Ok(()), Err(error)) => result = Err(error),
            _ => (),
        }
    });
    result?;
    each_ascending::<D>(n, |indices| {
        let (variables, i, count) = counted(indices);
        let term = |(j, weight): &(Vec<usize>, f64)| {
            let mut indices = [0; D];
            let all = variables.iter().zip(j).flat_map(|(&k, &times)| std::iter::repeat_n(k, times));
            indices.iter_mut().zip(all).for_each(|(index, k)| *index = k);
            directions[place(&indices)] * T::Base::from_double(*weight)
        };
        out.entries.push(weights.of(&i[..count]).iter().map(term).fold(T::lit(0.0), |sum, t| sum + t));
    });
    Ok(())
}

/// Room for all entries.
fn reserve<T, const D: usize>(n: usize, entries: &mut Vec<T>) -> Result<(), AdError> {
    let most = isize::MAX as usize / size_of::<T>().max(1);
    let error = || AdError::TooMany { op: "tensor", what: "entries", most };
    let count = match n {
        0 => usize::from(D == 0),
        _ => binomial(n.checked_add(D).ok_or_else(error)? - 1, D).ok_or_else(error)?,
    };
    entries.clear();
    entries.try_reserve_exact(count).map_err(|_| error())
}

/// The weights of all directions in a partial, by its orders.
#[derive(Default)]
struct Weights(std::collections::HashMap<Vec<usize>, Vec<(Vec<usize>, f64)>>);

impl Weights {
    fn of(&mut self, i: &[usize]) -> &[(Vec<usize>, f64)] {
        if !self.0.contains_key(i) {
            let all = multi_indices(i.len(), i.iter().sum()).into_iter();
            let weighted = all.map(|j| (weight(i, &j), j)).filter(|(w, _)| *w != 0.0);
            self.0.insert(i.to_vec(), weighted.map(|(w, j)| (j, w)).collect());
        }
        &self.0[i]
    }
}

/// The lists `i₁ ≤ i₂ ≤ …` of indices below `n`, in the order of [`place`].
fn each_ascending<const D: usize>(n: usize, mut visit: impl FnMut(&[usize; D])) {
    let mut indices = [0; D];
    if n == 0 && D > 0 {
        return;
    }
    loop {
        visit(&indices);
        // The first index that may grow; those before it start again.
        let Some(k) = (0..D).find(|&k| indices[k] < indices.get(k + 1).copied().unwrap_or(n - 1)) else {
            return;
        };
        indices[k] += 1;
        indices[..k].fill(0);
    }
}

/// The different indices of an ascending list, how often each occurs, and how many there are.
fn counted<const D: usize>(indices: &[usize; D]) -> ([usize; D], [usize; D], usize) {
    let (mut different, mut times, mut count) = ([0; D], [0; D], 0);
    for run in indices.chunk_by(|a, b| a == b) {
        (different[count], times[count]) = (run[0], run.len());
        count += 1;
    }
    (different, times, count)
}

/// One mixed partial `∂ⁱf` of order `D = |i|`, where `orders` has the order in each variable.
///
/// # Errors
/// [`AdError::Shape`] if `orders` is not as long as `x`, or its sum is not `D`.
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
    let shape = |what, expected, got| Err(AdError::Shape { op: "mixed", what, expected, got });
    let sum = orders.iter().fold(0_usize, |sum, &i| sum.saturating_add(i));
    if orders.len() != x.len() {
        return shape("orders", x.len(), orders.len());
    } else if sum != D {
        return shape("sum of the orders", D, sum);
    }
    let mut x: Vec<Taylor<T, D>> = x.iter().map(|&x| Taylor::constant(x)).collect();
    let variables: Vec<usize> = (0..x.len()).filter(|&k| orders[k] > 0).collect();
    let i: Vec<usize> = variables.iter().map(|&k| orders[k]).collect();
    if i.is_empty() {
        return Ok(f(&x).value());
    }
    let mut weights = Weights::default();
    let term = |(j, weight): &(Vec<usize>, f64)| {
        coefficient(&mut f, &mut x, &variables, j) * T::Base::from_double(*weight)
    };
    Ok(weights.of(&i).iter().map(term).fold(T::lit(0.0), |sum, t| sum + t))
}

//! Tensors of partials by interpolation of directions.

use std::collections::HashMap;
use std::rc::Rc;

use num_traits::Float;

use crate::error::AdError;
use crate::number::{BaseFloat, Real, power_of_two};
use crate::pool;
use crate::space::Components;

/// `C(n, k)`, if it fits in a `usize`.
#[inline]
fn binomial(n: usize, k: usize) -> Option<usize> {
    let Some(rest) = n.checked_sub(k) else { return Some(0) };
    // Each partial product is a binomial coefficient, so the division is exact.
    (1..=k).try_fold(1_usize, |b, i| Some(b.checked_mul(rest.checked_add(i)?)? / i))
}

/// `C(x, k)` for real `x`.
#[inline]
fn generalised_binomial(x: f64, k: usize) -> f64 {
    (0..k).map(|i| (x - i as f64) / (i + 1) as f64).product()
}

/// All multi-indices of `variables` variables with this sum.
#[inline]
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
#[inline]
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
/// ```
/// use wengert::series::{SymmetricTensor, tensor};
/// // The Hessian of x²y at (1, 2) is [4 2; 2 0].
/// let t: SymmetricTensor<f64, 2> = tensor(|x| x[0] * x[0] * x[1], &[1.0, 2.0])?;
/// assert!((t.at([0, 0]) - 4.0).abs() < 1e-14);
/// assert!((t.at([0, 1]) - 2.0).abs() < 1e-14 && t.at([0, 1]) == t.at([1, 0]));
/// assert_eq!(t.entries().len(), 3);
/// # Ok::<(), wengert::AdError>(())
/// ```
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
#[inline]
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
    /// ```
    /// use wengert::series::{SymmetricTensor, tensor};
    /// // d²/ds² of xy at (1 + s, 2 + 3s) is 2·1·3.
    /// let t: SymmetricTensor<f64, 2> = tensor(|x| x[0] * x[1], &[1.0, 2.0])?;
    /// assert!((t.along(&[1.0, 3.0]) - 6.0).abs() < 1e-14);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
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
    /// The different entries, `C(n + D − 1, D)` of them. The partial with respect to the variables `i₁ ≤ i₂ ≤ …` has
    /// the index `Σ C(iₖ + k − 1, k)`: for `D = 2` the order is `(0,0), (0,1), (1,1), (0,2), …`.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }
}

/// The memory of an operator: the point, the derivatives along all directions, their weights, and single variables.
pub struct Interpolation<T> {
    point: Vec<T>,
    directions: Vec<T>,
    weights: Weights,
    singles: Vec<(i32, T)>,
}

impl<T> Default for Interpolation<T> {
    fn default() -> Self {
        let (point, directions) = (Vec::new(), Vec::new());
        Interpolation { point, directions, weights: Weights::default(), singles: Vec::new() }
    }
}

impl<T: Real> Interpolation<T> {
    /// Takes a point with `n` directions. The tangents of a rotation are not of its components: their units are at most 1.
    pub(in crate::drivers) fn read<X: Components<T> + ?Sized>(&mut self, x: &X, n: usize) {
        self.point.clear();
        x.visit(&mut |x| self.point.push(x));
        if self.point.len() != n {
            self.point.clear();
            self.point.resize(n, T::lit(0.0));
        }
    }
}

/// The entries for the point by the coefficients of order `D` that `along` gives for variables and their speeds.
pub(in crate::drivers) fn interpolate<T: Real, const D: usize>(
    memory: &mut Interpolation<T>,
    mut along: impl FnMut(&[usize], &[T::Base]) -> Result<T, AdError>,
    out: &mut SymmetricTensor<T, D>,
) -> Result<(), AdError> {
    let Interpolation { point, directions, weights, singles } = memory;
    let n = point.len();
    reserve::<T, D>(n, directions)?;
    reserve::<T, D>(n, &mut out.entries)?;
    out.variables = n;
    units_and_coefficients::<T, D>(point, singles, |k, speed| along(&[k], &[speed]))?;
    each_ascending::<D>(n, |indices| {
        let (variables, j, count) = counted(indices);
        directions.push(match &variables[..count] {
            &[k] => singles[k].1,
            variables => {
                let mut speeds = [T::Base::from_double(0.0); D];
                speeds.iter_mut().zip(variables.iter().zip(&j)).for_each(|(speed, (&k, &j))| {
                    *speed = steps(j, singles[k].0);
                });
                along(variables, &speeds[..count])?
            }
        });
        Ok(())
    })?;
    each_ascending::<D>(n, |indices| {
        let (variables, i, count) = counted(indices);
        let (variables, i) = (&variables[..count], &i[..count]);
        let at = |j: &[usize]| {
            let mut indices = [0; D];
            let all = variables.iter().zip(j).flat_map(|(&k, &times)| std::iter::repeat_n(k, times));
            indices.iter_mut().zip(all).for_each(|(index, k)| *index = k);
            Ok(directions[place(&indices)])
        };
        out.entries.push(entry(weights.of(i), variables.iter().map(|&k| singles[k].0).zip(i), at)?);
        Ok(())
    })
}

/// The partial with these weights, in units of the variables of which it has these orders.
pub(super) fn entry<'a, T: Real>(
    weights: &[(Vec<usize>, f64)],
    orders: impl Iterator<Item = (i32, &'a usize)>,
    mut along: impl FnMut(&[usize]) -> Result<T, AdError>,
) -> Result<T, AdError> {
    let mut sum = T::lit(0.0);
    for (j, weight) in weights {
        sum += along(j)? * T::Base::from_double(*weight);
    }
    let power: i32 = orders.map(|(unit, &order)| unit * order as i32).sum();
    Ok(if power == 0 { sum } else { sum * power_of_two::<T::Base>(-power) })
}

/// This many steps of the unit with this exponent.
pub(super) fn steps<B: BaseFloat>(count: usize, unit: i32) -> B {
    B::from_double(count as f64) * power_of_two(unit)
}

/// For each variable the exponent of two of its unit, and the coefficient of order `D` along `D` steps of this variable alone.
/// In its unit the coefficient along one step is about 1, and the unit is at most as large as the variable or 1: so the digits
/// of partials depend little on the units in which a user writes the variables. It is 1 where the coefficient is 0.
pub(super) fn units_and_coefficients<T: Real, const D: usize>(
    x: &[T],
    out: &mut Vec<(i32, T)>,
    mut along: impl FnMut(usize, T::Base) -> Result<T, AdError>,
) -> Result<(), AdError> {
    out.clear();
    // At units within this range neither the coefficient nor the quotient can leave the range of the numbers.
    let range = libm::ilogb(<T::Base as Float>::max_value().to_double()) / 2 / D.max(1) as i32;
    for (k, x) in x.iter().enumerate().take_while(|_| D > 0) {
        let y = along(k, steps(D, 0))?;
        // At traced numbers the size would be a guard.
        let size = if T::TRACES { 0.0 } else { y.magnitude().to_double() };
        let unit = if !(size > 0.0 && size.is_finite()) {
            0
        } else {
            let most = libm::ilogb(x.magnitude().to_double().clamp(1.0, f64::MAX));
            most.min((D as i32 * libm::ilogb(D as f64) - libm::ilogb(size)) / D as i32).clamp(-range, range)
        };
        out.push((unit, y * power_of_two::<T::Base>(unit * D as i32)));
    }
    Ok(())
}

/// Room for all entries.
fn reserve<T, const D: usize>(n: usize, entries: &mut Vec<T>) -> Result<(), AdError> {
    let limit = isize::MAX as usize / size_of::<T>().max(1);
    let too_many = |most, got| AdError::TooMany { op: "tensor", what: "entries", most, got };
    let error = || too_many(limit, None);
    let count = match n {
        0 => usize::from(D == 0),
        _ => binomial(n.checked_add(D).ok_or_else(error)? - 1, D).ok_or_else(error)?,
    };
    entries.clear();
    entries.try_reserve_exact(count).map_err(|_| too_many(limit, Some(count)))
}

/// The directions of a partial with their weights, by its orders.
type Table = HashMap<Vec<usize>, Vec<(Vec<usize>, f64)>>;

/// The table, once it is used. The thread keeps it for the next operator.
#[derive(Default)]
pub(super) struct Weights(Option<Table>);

impl Weights {
    #[inline]
    pub(super) fn of(&mut self, i: &[usize]) -> &[(Vec<usize>, f64)] {
        let kept = || pool::take::<Table>().and_then(Rc::into_inner).unwrap_or_default();
        let table = self.0.get_or_insert_with(kept);
        if !table.contains_key(i) {
            let all = multi_indices(i.len(), i.iter().sum()).into_iter();
            let weighted = all.map(|j| (weight(i, &j), j)).filter(|(w, _)| *w != 0.0);
            table.insert(i.to_vec(), weighted.map(|(w, j)| (j, w)).collect());
        }
        &table[i]
    }
}

impl Drop for Weights {
    #[inline]
    fn drop(&mut self) {
        if let Some(table) = self.0.take() {
            pool::give(Rc::new(table));
        }
    }
}

/// The lists `i₁ ≤ i₂ ≤ …` of indices below `n`, in the order of [`place`], up to the first error.
fn each_ascending<const D: usize>(
    n: usize,
    mut visit: impl FnMut(&[usize; D]) -> Result<(), AdError>,
) -> Result<(), AdError> {
    let mut indices = [0; D];
    if n == 0 && D > 0 {
        return Ok(());
    }
    loop {
        visit(&indices)?;
        // The first index that may grow; those before it start again.
        let Some(k) = (0..D).find(|&k| indices[k] < indices.get(k + 1).copied().unwrap_or(n - 1)) else {
            return Ok(());
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

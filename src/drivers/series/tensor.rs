//! Tensors of partials by interpolation of directions.

use crate::error::AdError;
use crate::number::{BaseFloat, Real};

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
pub(in crate::drivers) fn interpolate<T: Real, const D: usize>(
    n: usize,
    memory: &mut Interpolation<T>,
    mut along: impl FnMut(&[usize], &[usize]) -> Result<T, AdError>,
    out: &mut SymmetricTensor<T, D>,
) -> Result<(), AdError> {
    let Interpolation { directions, weights } = memory;
    reserve::<T, D>(n, directions)?;
    reserve::<T, D>(n, &mut out.entries)?;
    out.variables = n;
    each_ascending::<D>(n, |indices| {
        let (variables, j, count) = counted(indices);
        directions.push(along(&variables[..count], &j[..count])?);
        Ok(())
    })?;
    each_ascending::<D>(n, |indices| {
        let (variables, i, count) = counted(indices);
        let term = |(j, weight): &(Vec<usize>, f64)| {
            let mut indices = [0; D];
            let all = variables.iter().zip(j).flat_map(|(&k, &times)| std::iter::repeat_n(k, times));
            indices.iter_mut().zip(all).for_each(|(index, k)| *index = k);
            directions[place(&indices)] * T::Base::from_double(*weight)
        };
        out.entries.push(weights.of(&i[..count]).iter().map(term).fold(T::lit(0.0), |sum, t| sum + t));
        Ok(())
    })
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

/// The weights of all directions in a partial, by its orders.
#[derive(Default)]
pub(super) struct Weights(std::collections::HashMap<Vec<usize>, Vec<(Vec<usize>, f64)>>);

impl Weights {
    pub(super) fn of(&mut self, i: &[usize]) -> &[(Vec<usize>, f64)] {
        if !self.0.contains_key(i) {
            let all = multi_indices(i.len(), i.iter().sum()).into_iter();
            let weighted = all.map(|j| (weight(i, &j), j)).filter(|(w, _)| *w != 0.0);
            self.0.insert(i.to_vec(), weighted.map(|(w, j)| (j, w)).collect());
        }
        &self.0[i]
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

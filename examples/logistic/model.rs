//! The likelihood and the prior, each written once for every number.

use wengert::programs::Traced;
use wengert::sums::{Sum, Table};
use wengert::{AdError, Real, reduce};

use super::data::Data;

/// Minus the logarithm of the likelihood of a row `(x, y)`: `ln(1 + eᶻ) − y·z` with `z = wᵀx`.
#[inline]
fn term<T: Real<Base = f64>>(w: &[T], row: &[T]) -> T {
    let z = reduce::dot(&row[..w.len()], w);
    z.softplus() - z * row[w.len()]
}

/// `½ Σ w²`: it keeps the weights near zero, so that there is a minimum even if a plane separates the two classes.
fn prior<T: Real<Base = f64>>(w: &[T]) -> T {
    reduce::norm_squared(w) * 0.5
}

/// The function to minimise, as a sum that has derivatives.
pub fn objective(data: &Data) -> Result<Sum<'static>, AdError> {
    let (n, rows) = (data.weights(), Table::new(&data.numbers, data.weights() + 1)?);
    let likelihood = Sum::new(n, rows, |w: &[Traced], row: &[Traced]| term(w, row))?;
    Ok(likelihood + Sum::new(n, Table::without_data(1), |w: &[Traced], _| prior(w))?)
}

/// The function as one would write it without derivatives.
pub fn plain_objective(data: &Data, w: &[f64]) -> f64 {
    data.numbers.chunks_exact(w.len() + 1).map(|row| term(w, row)).sum::<f64>() + prior(w)
}

//! The likelihood and the prior, each written once for every number.

use wengert::sums::Terms;
use wengert::{Real, reduce};

use super::data::Data;

/// Minus the logarithm of the likelihood of a row: `ln(1 + eᵗ) − y·t` with `t = wᵀx`.
#[inline]
fn term<T: Real<Base = f64>>(w: &[T], x: &[f64], y: f64) -> T {
    let t = reduce::linear_combination(x, &w[1..]) + w[0];
    t.softplus() - t * y
}

/// What is minimised, as one would write it without derivatives.
pub fn objective<T: Real<Base = f64>>(data: &Data, w: &[T]) -> T {
    let rows = (0..data.rows()).map(|i| term(w, data.row(i), data.labels[i]));
    rows.sum::<T>() + Prior::of(data).value(w)
}

/// The likelihood: every term reads all weights.
impl Terms for Data {
    fn count(&self, _: usize) -> usize {
        self.rows()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.weights());
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        move |i, _, out| out[0] = term(w, self.row(i), self.labels[i])
    }
}

/// `½ Σ w²`: the weights are not far from zero, so there is a minimum also where the data can be told apart.
pub struct Prior {
    weights: usize,
}

impl Prior {
    pub fn of(data: &Data) -> Prior {
        Prior { weights: data.weights() }
    }
    fn value<T: Real<Base = f64>>(&self, w: &[T]) -> T {
        reduce::norm_squared(w) * 0.5
    }
}

impl Terms for Prior {
    fn count(&self, _: usize) -> usize {
        1
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.weights);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        move |_, _, out| out[0] = self.value(w)
    }
}
